//! What is shown of a set-up: small enough to travel to the page after every edit.

mod prospect;

use serde::{Deserialize, Serialize};

use crate::classes::Risk;
use crate::findings::{Finding, judged};
use crate::hierarchy::{Limits, NodeId, ROOT, Recipe};
use crate::policy::Decisions;
use crate::policy::{Algorithm, ColumnSetup, Demand, Edit, History, Missing, Setup, Template};
use crate::table::{Guess, KindGuess, Role, Table};

pub use prospect::{Prospect, TauLRange};

/// The k up to which the forced suppression is drawn.
const FORCED_UP_TO: u32 = 20;
/// As many children of one group as are shown.
const MOST_CHILDREN: usize = 300;
/// As many nodes of a tree as are shown.
const MOST_NODES: usize = 3_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetupView {
    pub columns: Vec<ColumnView>,
    pub risk: Risk,
    /// Rows that the limits force out, for k = 2, 3, ….
    pub forced: Vec<u64>,
    pub privacy: Vec<DemandView>,
    /// Diversity constraints, as typed.
    pub diversity: Vec<String>,
    /// The share of rows that may be suppressed.
    pub suppression_limit: f64,
    pub algorithm: Algorithm,
    /// What the engine found in the table under this set-up.
    pub findings: Vec<Finding>,
    pub decisions: Decisions,
    pub can_undo: bool,
    pub can_redo: bool,
}

impl SetupView {
    /// Shows what an edit itself says, before the engine tells what follows from it.
    pub fn show_edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Privacy { demands, .. } if demands.len() == self.privacy.len() => {
                self.privacy.iter_mut().zip(demands).for_each(|(view, demand)| view.demand.clone_from(demand));
            }
            Edit::SuppressionLimit { limit, .. } => self.suppression_limit = *limit,
            Edit::Diversity { lines, .. } => self.diversity.clone_from(lines),
            Edit::Algorithm(algorithm) => self.algorithm.clone_from(algorithm),
            Edit::Missing { column, missing } => {
                if let Some(column) = self.columns.get_mut(*column as usize) {
                    column.missing = *missing;
                }
            }
            Edit::Decisions(decisions) => {
                self.findings = judged(std::mem::take(&mut self.findings), decisions);
                self.decisions.clone_from(decisions);
            }
            _ => {}
        }
    }
}

/// A demand and how it stands before any run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemandView {
    pub demand: Demand,
    pub prospect: Prospect,
    /// Which (τ,ℓ) the table allows.
    pub range: Option<TauLRange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnView {
    pub role: Role,
    pub kind: KindGuess,
    pub guess: Guess,
    pub hierarchy: Option<HierarchyView>,
    pub from_level: u32,
    /// What missing cells are taken for, where the column is sensitive.
    pub missing: Missing,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HierarchyView {
    pub recipe: Option<Recipe>,
    pub levels: u32,
    pub nodes: u32,
    pub limits: u32,
    /// Values of the data that the tree lacks, and their rows.
    pub lacking: u32,
    pub lacking_rows: u64,
    pub unused: u32,
}

/// A tree as it is drawn, in pre-order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeView {
    pub nodes: Vec<NodeView>,
    pub rows: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    pub id: NodeId,
    pub label: String,
    pub depth: u32,
    pub leaf: bool,
    pub rows: u64,
    pub marked: bool,
    /// The label of the most general node that the leaf may become.
    pub limit: String,
    /// Children that are not shown, because there are too many.
    pub hidden_children: u32,
}

impl SetupView {
    /// All but the findings, which the engine adds.
    pub fn of(history: &History, table: &Table) -> Self {
        let setup = history.present();
        let coarsest = setup.maximum_allowed(table);
        let demand = |demand: &Demand| DemandView {
            demand: demand.clone(),
            prospect: setup.prospect(demand, table, &coarsest),
            range: setup.range(demand, table, &coarsest),
        };
        SetupView {
            columns: columns(&setup, table),
            risk: setup.risk(table),
            forced: (2..=FORCED_UP_TO).map(|k| coarsest.rows_in_classes_below(k)).collect(),
            privacy: setup.privacy.iter().map(demand).collect(),
            diversity: setup.diversity.clone(),
            suppression_limit: setup.suppression_limit.unwrap_or(0.0),
            algorithm: setup.algorithm.clone(),
            findings: Vec::new(),
            decisions: setup.decisions.clone(),
            can_undo: history.can_undo(),
            can_redo: history.can_redo(),
        }
    }
}

fn columns(setup: &Setup, table: &Table) -> Vec<ColumnView> {
    let view = |(index, column): (usize, &ColumnSetup)| ColumnView {
        role: column.role,
        kind: column.kind,
        guess: column.guess.clone(),
        hierarchy: column.template.as_ref().map(|template| {
            let counts = &table.columns[index].counts;
            HierarchyView {
                recipe: template.recipe.clone(),
                levels: template.tree.levels() as u32,
                nodes: template.tree.len() as u32,
                limits: template.limits.len() as u32,
                lacking: template.binding.lacking.len() as u32,
                lacking_rows: template.binding.lacking.iter().map(|&code| u64::from(counts[code as usize])).sum(),
                unused: template.binding.unused.len() as u32,
            }
        }),
        from_level: column.from_level,
        missing: column.missing,
    };
    setup.columns.iter().enumerate().map(view).collect()
}

impl TreeView {
    pub fn of(template: &Template) -> Self {
        let tree = &template.tree;
        let limits = Limits::new(tree, &template.marks());
        let limit_of = limits.of_all(tree);
        let mut nodes = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(node) = stack.pop() {
            if nodes.len() == MOST_NODES {
                break;
            }
            let children: Vec<NodeId> = tree.children(node).collect();
            let shown = children.len().min(MOST_CHILDREN);
            nodes.push(NodeView {
                id: node,
                label: tree.label(node).to_owned(),
                depth: tree.depth(node) as u32,
                leaf: tree.is_leaf(node),
                rows: template.rows[node as usize],
                marked: limits.is_marked(node),
                limit: tree.label(limit_of[node as usize]).to_owned(),
                hidden_children: (children.len() - shown) as u32,
            });
            stack.extend(children[..shown].iter().rev());
        }
        TreeView { nodes, rows: template.rows[ROOT as usize] }
    }
}
