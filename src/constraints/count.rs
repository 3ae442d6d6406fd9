//! How many rows of a table show what a constraint names: the paper's validation (§3.1).
//!
//! Complexity: O(different values) a target, O(rows) a constraint of several columns.

use super::{Constraint, Distinct, Target};
use crate::hierarchy::{Hierarchy, NodeId};
use crate::table::{Column, Table};

/// The texts that count as one value.
pub struct Texts<'a> {
    value: &'a str,
    /// The tokens of the column's missing values, if it is one of them.
    tokens: Vec<&'a str>,
}

/// The texts of an original column that count as `value`: itself, and if it is a missing value, every token of those.
pub fn accepted<'a>(original: &'a Column, value: &'a str) -> Texts<'a> {
    let tokens: Vec<&str> = original.missing.iter().map(|&code| original.dictionary.text(code)).collect();
    let missing = tokens.iter().any(|token| *token == value || token.trim_ascii() == value);
    Texts { value, tokens: if missing { tokens } else { Vec::new() } }
}

impl<'a> Texts<'a> {
    pub fn contains(&self, text: &str) -> bool {
        text == self.value || self.tokens.contains(&text)
    }

    pub fn is_missing(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// The nodes of the column's tree that show one of them.
    pub fn nodes(&self, tree: &Hierarchy) -> Vec<NodeId> {
        (0..tree.len() as NodeId).filter(|&node| self.contains(tree.label(node))).collect()
    }

    /// All of them, the value first.
    pub fn iter(&self) -> impl Iterator<Item = &'a str> + '_ {
        std::iter::once(self.value).chain(self.tokens.iter().copied().filter(|&token| token != self.value))
    }
}

impl Constraint {
    /// Whether a release with `count` rows of it satisfies it.
    pub fn holds(&self, count: u64) -> bool {
        self.least <= count && self.most.is_none_or(|most| count <= most)
    }
}

/// Rows of `table` that show the constraint's values. `table` is the original or what was released of it: columns are
/// found by their names, and one that is not there shows nothing.
pub fn count(constraint: &Constraint, original: &Table, table: &Table) -> u64 {
    let Some(columns) =
        constraint.target.iter().map(|target| codes(target, original, table)).collect::<Option<Vec<_>>>()
    else {
        return 0;
    };
    let shows = |row: usize| columns.iter().all(|(column, codes)| codes[column.codes[row] as usize]);
    (0..table.rows).filter(|&row| shows(row)).count() as u64
}

/// The same of several, of which equal ones are counted once.
pub fn of_all(constraints: &[Constraint], original: &Table, table: &Table) -> Vec<u64> {
    let distinct = Distinct::new(constraints);
    let counts = distinct.first.iter().map(|&place| count(&constraints[place], original, table));
    distinct.spread(&counts.collect::<Vec<u64>>())
}

/// The target's column in `table`, and which of its codes show the value.
fn codes<'a>(target: &Target, original: &Table, table: &'a Table) -> Option<(&'a Column, Vec<bool>)> {
    let original = &original.columns.get(target.column)?;
    let column = table.columns.iter().find(|column| column.name == original.name)?;
    let texts = accepted(original, &target.value);
    Some((column, column.dictionary.iter().map(|text| texts.contains(text)).collect()))
}
