//! Which classes of a release a person may be in who is known by their quasi-identifiers: those whose cells all stand for
//! the person's values.
//!
//! A cell stands for the nodes that have its text; of several above each other a reader can't tell which, so it is the
//! highest. With local recoding cells overlap, and several classes may fit one person. Complexity: O(1) a cell.

use std::collections::HashMap;

use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::release::Quasi;
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
                let nodes = highest_nodes(&quasi.tree);
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
        let node = tree.find(text).or_else(|| {
            // With `from_level` the tree lacks its lowest levels; the whole one knows what a value became.
            let full = &run.setup.columns[self.quasi.column].template.as_ref()?.tree;
            full.path(full.find(text)?).find_map(|above| tree.find(full.label(above)))
        })?;
        Some((
            self.quasi.leaf_of_code.iter().map(|&leaf| related(node, leaf)).collect(),
            self.node_of_cell.iter().map(|&cell| related(node, cell)).collect(),
        ))
    }

    /// The same for a value of the original. All missing tokens are one.
    pub fn of_code(&self, code: u32) -> (Vec<bool>, Vec<bool>) {
        let missing = |code: &u32| self.original.missing.contains(code);
        let same = |other: u32| other == code || (missing(&code) && missing(&other));
        (
            (0..self.original.dictionary.len() as u32).map(same).collect(),
            (0..self.released.dictionary.len() as u32).map(|cell| self.fits(cell, code)).collect(),
        )
    }
}

/// The node that each text stands for: of nodes above each other that share a label, the highest, as a reader can't tell
/// which is meant.
pub fn highest_nodes(tree: &Hierarchy) -> HashMap<&str, NodeId> {
    // A node comes after those above it, so the last that is put in is the highest.
    (0..tree.len() as NodeId).rev().map(|node| (tree.label(node), node)).collect()
}

/// For each code of a released sensitive column, the original's code of the same value (of missing ones, the first's);
/// `None` for groups.
pub fn original_codes(original: &Column, released: &Column) -> Vec<Option<u32>> {
    let codes: HashMap<&str, u32> = (0..).zip(original.dictionary.iter()).map(|(code, text)| (text, code)).collect();
    let same = |text: &str| {
        let code = codes.get(text).copied()?;
        Some(if original.missing.contains(&code) { original.missing[0] } else { code })
    };
    released.dictionary.iter().map(same).collect()
}
