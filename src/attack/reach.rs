//! Which classes of a release a person may be in who is known by their quasi-identifiers: those whose cells all stand for
//! the person's values.
//!
//! A cell stands for the nodes that have its text; of several above each other a reader can't tell which, so it is the
//! highest. With local recoding cells overlap, and several classes may fit one person. Complexity: O(1) a cell.

use std::collections::HashMap;

use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::ColumnSetup;
use crate::policy::Quasi;
use crate::run::Run;
use crate::table::{Column, Table};

/// A quasi-identifier of the original with what the release shows of it.
pub struct Reach<'a> {
    pub quasi: Quasi,
    pub original: &'a Column,
    pub released: &'a Column,
    /// What each of the released codes stands for.
    pub node_of_cell: Vec<NodeId>,
}

impl<'a> Reach<'a> {
    /// All quasi-identifiers of a run, in the order of the table.
    pub fn all(table: &'a Table, run: &'a Run) -> Result<Vec<Reach<'a>>, Failure> {
        let none = || Failure::refused("The release was made from another table.", "Run again.");
        let mut all = Vec::new();
        for (place, &at) in run.setup.quasi_identifiers().zip(&run.grouped.quasi) {
            let (original, setup) = table.columns.get(place).zip(run.setup.columns.get(place)).ok_or_else(none)?;
            let quasi = Quasi::new(place, setup, original)?;
            let released = &run.output.columns[at];
            // The verifier lets no other text pass; who does not know what a cell means can't rule anybody out by it.
            let node_of_cell = {
                let nodes = quasi.tree.nodes_of_labels();
                released.dictionary.iter().map(|text| nodes.get(text).copied().unwrap_or(ROOT)).collect()
            };
            all.push(Reach { quasi, original, released, node_of_cell });
        }
        Ok(all)
    }

    /// Whether a released cell stands for a value of the original.
    pub fn fits(&self, cell: u32, code: u32) -> bool {
        self.quasi.tree.covers(self.node_of_cell[cell as usize], self.quasi.leaf_of_code[code as usize])
    }

    /// Which cells of the original and of the release fit what is typed of a person: a value, a group of the hierarchy, or
    /// nothing, which every cell fits. `None` when it is none of them.
    pub fn typed(&self, run: &Run, text: &str) -> Option<(Vec<bool>, Vec<bool>)> {
        let (before, after) = (self.original.dictionary.len(), self.released.dictionary.len());
        let text = text.trim();
        if text.is_empty() {
            return Some((vec![true; before], vec![true; after]));
        }
        if let Some(code) = (0..).zip(self.original.dictionary.iter()).find(|(_, other)| *other == text).map(|at| at.0)
        {
            return Some(self.of_code(code));
        }
        let tree = &self.quasi.tree;
        // A value that nobody has, or a group: it fits what is below it and what is above.
        let related = |node: NodeId, other: NodeId| tree.covers(node, other) || tree.covers(other, node);
        let node = tree.node_of_label(text).or_else(|| {
            // With `from_level` the tree lacks its lowest levels; the whole one knows what a value became.
            let full = &run.setup.columns[self.quasi.column].template.as_ref()?.tree;
            full.path(full.node_of_label(text)?).find_map(|above| tree.node_of_label(full.label(above)))
        })?;
        Some((
            self.quasi.leaf_of_code.iter().map(|&leaf| related(node, leaf)).collect(),
            self.node_of_cell.iter().map(|&cell| related(node, cell)).collect(),
        ))
    }

    /// The same for a value of the original. All missing tokens are one.
    pub fn of_code(&self, code: u32) -> (Vec<bool>, Vec<bool>) {
        let missing = self.original.is_missing();
        let same = |other: u32| other == code || (missing[code as usize] && missing[other as usize]);
        (
            (0..self.original.dictionary.len() as u32).map(same).collect(),
            (0..self.released.dictionary.len() as u32).map(|cell| self.fits(cell, code)).collect(),
        )
    }
}

/// For each code of a released sensitive column, the original's code of the same value (of missing ones, the first's);
/// `None` for groups, also those that share their label with a value.
pub fn original_codes(setup: &ColumnSetup, original: &Column, released: &Column) -> Vec<Option<u32>> {
    let codes: HashMap<&str, u32> = (0..).zip(original.dictionary.iter()).map(|(code, text)| (text, code)).collect();
    let tree = setup.template.as_ref().map(|template| &template.tree);
    let labels = tree.map(Hierarchy::nodes_of_labels).unwrap_or_default();
    let is_group = |text: &str| match (tree, labels.get(text)) {
        (Some(tree), Some(&node)) => !tree.is_leaf(node),
        (Some(_), None) => false,
        (None, _) => text == "*",
    };
    let is_missing = original.is_missing();
    let same = |text: &str| {
        let code = codes.get(text).copied();
        match code.filter(|&code| is_missing[code as usize]) {
            Some(_) => Some(original.missing[0]),
            None => code.filter(|_| !is_group(text)),
        }
    };
    released.dictionary.iter().map(same).collect()
}
