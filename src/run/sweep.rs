//! Releases by the sequential sweep, and its steps in words for tables small enough to look at.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::local_recoding::{problem, released};
use crate::algorithms::local::Outcome;
use crate::algorithms::sweep::{self, Event, Nearest, Refinement, Settings, Swept, Trace};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::metrics::Asked;
use crate::policy::Attributes;
use crate::policy::Quasi;
use crate::privacy::Induced;
use crate::progress::Progress;
use crate::release::Release;
use crate::resolved_policy::ResolvedPolicy;
use crate::table::{Table, shortened};
use crate::words::{figure_at_least, figure_of_tau};

/// Tables with more rows are not stepped through.
const MOST_ROWS: usize = 60;
/// Rows that steps may name, all together.
const MOST_NAMED: usize = 4_000;

/// How the sweep went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepView {
    /// The sensitive column that could be generalized.
    pub column: String,
    /// Whether levels were left out, because their combinations are too many.
    pub thinned: bool,
    /// For small tables.
    pub steps: Option<Steps>,
}

/// A sweep step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// The quasi-identifiers and the sensitive column.
    pub names: Vec<String>,
    /// The table's cells in these.
    pub rows: Vec<Vec<String>>,
    /// What a class of each level vector retains, and its levels, the root's being 0, in the order of the sweep.
    pub vectors: Vec<(f64, Vec<u16>)>,
    pub steps: Vec<Step>,
    /// Whether there are more.
    pub cut: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What the class shows in the quasi-identifiers; nothing for what happens to all rows at the start.
    pub class: Vec<String>,
    pub event: Happened,
    /// The rows it happens to, from 0.
    pub rows: Vec<u32>,
}

/// What happens to rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Happened {
    /// They meet in the class.
    Met,
    /// Some of those that met leave it for their next classes.
    Left,
    /// They meet in it and all leave.
    Passed,
    /// They stay in it.
    Stayed,
    /// They show `to` instead of `from` in the sensitive column.
    Generalized { from: String, to: String },
    /// Their finished class was added to this one.
    Joined,
}

impl Steps {
    /// Makes steps of a table in another order, of which `row_of` has the input's rows, those of the input.
    pub fn of_input(&mut self, row_of: &[u32]) {
        let mut rows = vec![Vec::new(); self.rows.len()];
        row_of.iter().zip(std::mem::take(&mut self.rows)).for_each(|(&row, cells)| rows[row as usize] = cells);
        self.rows = rows;
        for row in self.steps.iter_mut().flat_map(|step| &mut step.rows) {
            *row = row_of[*row as usize];
        }
    }
}

/// The release of the sweep, with how it was found.
pub async fn swept(
    table: &Table,
    checked: &ResolvedPolicy,
    attributes: &Attributes,
    refine: Refinement,
    progress: &Progress<'_>,
) -> Result<(Release, SweepView), Failure> {
    let problem = problem(table, checked);
    let all = sweep::all_asked(&problem);
    let settings = Settings {
        importance: importance(table, checked, attributes)?,
        weights: weights(table, checked, attributes)?,
        refine,
        trace: if table.rows <= MOST_ROWS { MOST_NAMED } else { 0 },
    };
    let mut refused = None;
    // Sensitive values are generalized for one of them, and the others looked at; so each is tried.
    for asked in &all {
        let Swept { outcome, trace, nearest, thinned } = sweep::sweep(&problem, asked, &settings, progress).await?;
        let proved = matches!(outcome, Outcome::Impossible(_));
        match released(outcome, &next(checked, asked, nearest)) {
            Ok(release) => {
                let column = table.columns[checked.sensitive[asked.attribute].column].name.clone();
                let steps = (table.rows <= MOST_ROWS).then(|| steps(table, checked, asked, trace));
                return Ok((release, SweepView { column, thinned, steps }));
            }
            Err(failure) if proved => return Err(failure),
            Err(failure) => drop(refused.get_or_insert(failure)),
        }
    }
    let mut failure = refused.unwrap_or_else(|| {
        let what = "The policy does not ask for (τ,ℓ)-diversity of a sensitive column by itself, which sweep is for.";
        Failure::policy(what, "Add “tau-l-diversity” without “jointly”, or use another algorithm.")
    });
    if all.iter().any(|other| other.attribute != all[0].attribute) {
        failure.what += " Only one sensitive column can be generalized; each was tried.";
    }
    Err(failure)
}

/// What to ask for instead, by its place in the policy.
fn next(checked: &ResolvedPolicy, asked: &Asked, nearest: Option<Nearest>) -> String {
    let Some(Nearest { tau, l, .. }) = nearest else {
        return "Allow more rows to be suppressed, ask for less, or mark fewer limits.".into();
    };
    let column = checked.sensitive[asked.attribute].column;
    let is_it = |(requirement, _): &(&crate::privacy::Requirement, &usize)| {
        let same = requirement.model.as_tau_l().is_some_and(|model| (model.tau, model.l) == (asked.tau, asked.l));
        requirement.attribute == Some(column) && same
    };
    let place = checked.requirements.iter().zip(&checked.demand_of).find(is_it).map_or(0, |(_, &place)| place);
    let tau = format!("Set privacy[{place}].tau to {} (with ℓ = {})", figure_at_least(tau), asked.l);
    match l {
        Some(l) => format!("{tau}, or privacy[{place}].l to {l} (with τ = {}).", figure_of_tau(asked.tau)),
        None => format!("{tau}."),
    }
}

/// Which quasi-identifier a column's name is.
fn quasi_of(table: &Table, checked: &ResolvedPolicy, key: &str, nth: usize, name: &str) -> Result<usize, Failure> {
    let is_it = |quasi: &Quasi| table.columns[quasi.column].name == name;
    checked.quasi.iter().position(is_it).ok_or_else(|| {
        let what = format!("The policy's algorithm.{key} names a column (entry {}) that is not recoded.", nth + 1);
        Failure::policy(what, "Name quasi-identifiers only.")
    })
}

fn importance(table: &Table, checked: &ResolvedPolicy, attributes: &Attributes) -> Result<Option<Vec<f64>>, Failure> {
    let mut importance = vec![0.0; checked.quasi.len()];
    for (nth, (name, &figure)) in attributes.importance.iter().enumerate() {
        importance[quasi_of(table, checked, "importance", nth, name)?] = figure;
    }
    Ok((!attributes.importance.is_empty()).then_some(importance))
}

fn weights(table: &Table, checked: &ResolvedPolicy, attributes: &Attributes) -> Result<Option<Vec<Vec<f64>>>, Failure> {
    if attributes.weights.is_empty() {
        return Ok(None);
    }
    let occurring = |quasi: &Quasi| {
        Induced::weights_of_occurring(&quasi.tree, &quasi.leaf_of_code, &table.columns[quasi.column].counts)
    };
    let mut weights: Vec<Vec<f64>> = checked.quasi.iter().map(occurring).collect();
    for (nth, (name, given)) in attributes.weights.iter().enumerate() {
        let place = quasi_of(table, checked, "weights", nth, name)?;
        let tree = &checked.quasi[place].tree;
        let leaves: HashMap<&str, usize> =
            tree.leaves().iter().enumerate().map(|(leaf, &node)| (tree.label(node), leaf)).collect();
        for (nth, (value, &weight)) in given.iter().enumerate() {
            let Some(&leaf) = leaves.get(value.as_str()) else {
                let what = format!(
                    "The policy's algorithm.weights has an entry of “{name}” ({} in order) that is none \
                                    of its values.",
                    nth + 1
                );
                return Err(Failure::policy(what, "Name values as they stand in the column's hierarchy."));
            };
            weights[place][leaf] = weight;
        }
    }
    Ok(Some(weights))
}

/// A trace in words.
fn steps(table: &Table, checked: &ResolvedPolicy, asked: &Asked, trace: Trace) -> Steps {
    let sensitive = &checked.sensitive[asked.attribute];
    let label = |tree: &Hierarchy, node: NodeId| shortened(tree.label(node));
    let step = |step: sweep::Step| {
        let nodes = step.class.unwrap_or_default();
        let event = match step.event {
            Event::Opened => Happened::Met,
            Event::Moved => Happened::Left,
            Event::Closed => Happened::Stayed,
            Event::Joined => Happened::Joined,
            Event::Generalized { from, to } => {
                Happened::Generalized { from: label(&sensitive.tree, from), to: label(&sensitive.tree, to) }
            }
        };
        let class = checked.quasi.iter().zip(&nodes).map(|(quasi, &node)| label(&quasi.tree, node)).collect();
        Step { class, event, rows: step.rows }
    };
    let mut shown: Vec<Step> = Vec::with_capacity(trace.steps.len());
    for next in trace.steps.into_iter().map(step) {
        match shown.last_mut() {
            Some(last) if last.event == Happened::Met && next.event == Happened::Left && last.rows == next.rows => {
                // Rows that meet nobody are not worth a look.
                if last.rows.len() == 1 { drop(shown.pop()) } else { last.event = Happened::Passed }
            }
            _ => shown.push(next),
        }
    }
    let places: Vec<usize> = checked.quasi.iter().map(|quasi| quasi.column).chain([sensitive.column]).collect();
    let columns = || places.iter().map(|&place| &table.columns[place]);
    Steps {
        names: columns().map(|column| column.name.clone()).collect(),
        rows: (0..table.rows).map(|row| columns().map(|column| shortened(column.text(row))).collect()).collect(),
        vectors: trace.orders.into_iter().flatten().map(|vector| (vector.information, vector.levels)).collect(),
        steps: shown,
        cut: trace.cut,
    }
}
