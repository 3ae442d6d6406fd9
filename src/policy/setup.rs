//! The set-up of a table's columns, as one value: an edit makes a new one, undo goes back to the old.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::algorithm::Algorithm;
use super::decisions::Decisions;
use super::demand::Demand;
use super::file::ColumnPolicy;
use crate::classes::{Classes, Keys, Risk};
use crate::hierarchy::{Binding, Hierarchy, Limits, NodeId, ROOT, Recipe, build, suggest};
use crate::table::{Column, Guess, KindGuess, Role, Table, guess};

/// A hierarchy on its column: the tree, where it came from, and how the column's values stand in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub tree: Hierarchy,
    /// The recipe it was built by; `None` once it was imported or edited by hand.
    pub recipe: Option<Recipe>,
    pub binding: Binding,
    /// Rows under each node.
    pub rows: Vec<u64>,
    /// Labels of the nodes that are limits. Labels, not numbers, survive edits of the tree.
    pub limits: Vec<String>,
}

impl Template {
    pub fn new(tree: Hierarchy, recipe: Option<Recipe>, column: &Column, limits: Vec<String>) -> Self {
        let binding = tree.bind(&column.dictionary);
        let mut rows = vec![0u64; tree.len()];
        for (leaf, &count) in binding.leaves.iter().zip(&column.counts) {
            if let Some(leaf) = leaf {
                rows[*leaf as usize] += u64::from(count);
            }
        }
        // Pre-order: children come after their parents.
        for node in (1..tree.len() as NodeId).rev() {
            if let Some(parent) = tree.parent(node) {
                rows[parent as usize] += rows[node as usize];
            }
        }
        let limits = limits.into_iter().filter(|label| tree.find(label).is_some()).collect();
        Template { tree, recipe, binding, rows, limits }
    }

    pub fn marks(&self) -> Vec<NodeId> {
        self.limits.iter().filter_map(|label| self.tree.node_of_label(label)).collect()
    }

    /// The most general node each code may become; values that the tree lacks can only become `*`.
    fn limit_of_codes(&self) -> Vec<NodeId> {
        let limits = Limits::new(&self.tree, &self.marks()).of_all(&self.tree);
        self.binding.leaves.iter().map(|leaf| leaf.map_or(ROOT, |leaf| limits[leaf as usize])).collect()
    }
}

/// What a missing cell of a sensitive column is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// A value of its own; all missing-value tokens of the column are one. What a policy file without the key means.
    #[default]
    Value,
    /// Any one of the column's values, nobody knows which.
    Unknown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSetup {
    pub role: Role,
    pub kind: KindGuess,
    /// What was guessed at first, and why.
    pub guess: Guess,
    pub template: Option<Rc<Template>>,
    /// Values are shown at least as general as on this level of the hierarchy; 0 keeps them.
    pub from_level: u32,
    /// Means something for sensitive columns only.
    pub missing: Missing,
}

/// All that a policy says, about one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    pub columns: Vec<ColumnSetup>,
    pub privacy: Vec<Demand>,
    /// The share of rows that may be suppressed.
    pub suppression_limit: Option<f64>,
    pub algorithm: Algorithm,
    pub seed: Option<u64>,
    /// Diversity constraints, as typed.
    pub diversity: Vec<String>,
    /// What is said of findings.
    pub decisions: Decisions,
    /// Columns that a table may lack, and what is said of those that this one does.
    pub optional: BTreeSet<String>,
    pub absent: BTreeMap<String, ColumnPolicy>,
}

impl Setup {
    /// Demands name the missing cells of a column by any of its tokens; afterwards by one that some row shows.
    pub(super) fn name_missing_as(&mut self, table: &Table) {
        let columns = self.columns.iter().zip(&table.columns);
        let secrets: Vec<&Column> =
            columns.filter(|(setup, _)| setup.role == Role::Sensitive).map(|(_, column)| column).collect();
        for Demand { attribute, model, .. } in &mut self.privacy {
            let is_about = |column: &&&Column| attribute.as_ref().is_none_or(|name| column.name == *name);
            let about: Vec<&Column> = secrets.iter().filter(is_about).copied().collect();
            for name in model.names_mut() {
                let is_shown = |column: &Column| column.dictionary.iter().any(|text| text == name.as_str());
                let shown = |column: &&Column| {
                    let code = column.missing.first().filter(|_| column.is_missing_token(name) && !is_shown(column));
                    code.map(|&code| column.dictionary.text(code).to_owned())
                };
                let texts: Vec<Option<String>> = about.iter().map(shown).collect();
                // One name can't stand for several texts.
                if let [Some(text), others @ ..] = texts.as_slice()
                    && others.iter().all(|other| other.as_ref() == Some(text))
                {
                    name.clone_from(text);
                }
            }
        }
    }

    /// Guesses for every column, with a suggested hierarchy for each quasi-identifier.
    pub fn guessed(table: &Table) -> Self {
        let column = |column: &Column| {
            let kind = column.kind;
            let guess = guess(column, &kind, table.rows);
            // Nobody's secret is that it is not known, so new set-ups do not count missing cells as a value.
            let missing = Missing::Unknown;
            let mut setup = ColumnSetup { role: guess.role, kind, guess, template: None, from_level: 0, missing };
            setup.complete(column);
            setup
        };
        Setup { columns: table.columns.iter().map(column).collect(), ..Setup::default() }
    }

    /// The seed of a run: 1, unless another was given.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The largest k that k-anonymity is demanded with.
    pub fn demanded_k(&self) -> Option<u32> {
        Demand::largest_k(&self.privacy)
    }

    pub fn quasi_identifiers(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&index| self.columns[index].role == Role::Quasi)
    }

    /// The set-up as it stands for the columns of a release, which lacks the identifiers and has codes of its own.
    pub fn of_release(&self, output: &Table) -> Setup {
        let kept = self.columns.iter().filter(|column| column.role != Role::Identifier);
        Setup { columns: kept.cloned().collect(), ..self.clone() }.with_codes_of(output)
    }

    /// The set-up as it stands for a table with the same columns and other codes.
    pub fn with_codes_of(mut self, table: &Table) -> Setup {
        for (column, data) in self.columns.iter_mut().zip(&table.columns) {
            if let Some(template) = &mut column.template {
                let Template { tree, recipe, limits, .. } = template.as_ref();
                *template = Rc::new(Template::new(tree.clone(), recipe.clone(), data, limits.clone()));
            }
        }
        self
    }

    /// Whether the rows of a table fall into the same classes, with the same worst fillings of their sensitive cells.
    pub fn groups_like(&self, other: &Setup) -> bool {
        let same_tree = |one: &ColumnSetup, other: &ColumnSetup| match (&one.template, &other.template) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        let same = |(one, other): (&ColumnSetup, &ColumnSetup)| {
            let sensitive = one.role == Role::Sensitive;
            one.role == other.role && (!sensitive || one.missing == other.missing && same_tree(one, other))
        };
        self.columns.len() == other.columns.len() && self.columns.iter().zip(&other.columns).all(same)
    }

    /// Rows at risk on the quasi-identifiers as they are.
    pub fn risk(&self, table: &Table) -> Risk {
        let codes: Vec<_> = self.quasi_identifiers().map(|index| table.columns[index].class_codes()).collect();
        let sizes = self.quasi_identifiers().map(|index| table.columns[index].dictionary.len() as u32);
        let keys: Vec<Keys> = codes.iter().zip(sizes).map(|(codes, size)| Keys { codes, size }).collect();
        Risk::of(&Classes::group(table.rows, &keys))
    }

    /// For k from 2 to `most`, the rows that must be suppressed whatever the algorithm: those in classes smaller than k
    /// of the maximum allowed microdata (constrained k-anonymity, Properties 4-6).
    pub fn forced_suppression(&self, table: &Table, most: u32) -> Vec<u64> {
        let coarsest = self.maximum_allowed(table);
        (2..=most).map(|k| coarsest.rows_in_classes_below(k)).collect()
    }

    /// The classes of the maximum allowed microdata: every value at its limit.
    pub fn maximum_allowed(&self, table: &Table) -> Classes {
        let mut columns: Vec<(Vec<u32>, u32)> = Vec::new();
        for index in self.quasi_identifiers() {
            // Without limits every value may become `*`: such a column separates no rows here.
            let template = self.columns[index].template.as_ref().filter(|template| !template.limits.is_empty());
            if let Some(template) = template {
                let limits = template.limit_of_codes();
                let codes = table.columns[index].codes.iter().map(|&code| limits[code as usize]).collect();
                columns.push((codes, template.tree.len() as u32));
            }
        }
        let keys: Vec<Keys> = columns.iter().map(|(codes, size)| Keys { codes, size: *size }).collect();
        Classes::group(table.rows, &keys)
    }
}

impl ColumnSetup {
    /// Gives a quasi-identifier that has no hierarchy the suggested one.
    pub fn complete(&mut self, column: &Column) {
        if self.role != Role::Quasi || self.template.is_some() {
            return;
        }
        let recipe = suggest(column);
        // A column without values can't have a tree.
        let Ok(tree) = build(&recipe, column) else { return };
        self.template = Some(Rc::new(Template::new(tree, Some(recipe), column, Vec::new())));
    }
}

/// Lends the codes of all sensitive columns, missing tokens made one.
pub fn with_sensitive<T>(setup: &Setup, table: &Table, look: impl FnOnce(&[(usize, Keys<'_>)]) -> T) -> T {
    let places: Vec<usize> =
        (0..setup.columns.len()).filter(|&place| setup.columns[place].role == Role::Sensitive).collect();
    let codes: Vec<_> = places.iter().map(|&place| table.columns[place].class_codes()).collect();
    let keys: Vec<(usize, Keys<'_>)> = places
        .iter()
        .zip(&codes)
        .map(|(&place, codes)| (place, Keys { codes, size: table.columns[place].dictionary.len() as u32 }))
        .collect();
    look(&keys)
}
