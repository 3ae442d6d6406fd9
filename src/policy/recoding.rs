//! Columns as algorithms see them: a tree with a leaf for every value, and how far up each value may go.
//!
//! What is wrong is told with its column, and never with a cell's value. Complexity: O(nodes + different values) a column.

use std::collections::HashSet;

use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, Limits, NodeId, ROOT};
use crate::privacy::{Induced, TOLERANCE};
use crate::sorting::Sorting;
use crate::table::Column;
use crate::words::counted;

use super::setup::{ColumnSetup, Missing};

/// A quasi-identifier as algorithms use it: every value of the column has a leaf in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Quasi {
    /// Its place in the table.
    pub column: usize,
    /// The column's hierarchy; values that it lacked are leaves under the root.
    pub tree: Hierarchy,
    /// The leaf of each code of the column. All missing-value tokens have one leaf.
    pub leaf_of_code: Vec<NodeId>,
    /// The most general node that each code may become (constrained k-anonymity, Def. 3).
    pub limit_of_code: Vec<NodeId>,
}

/// A sensitive column. Only (τ,ℓ)-diversity generalizes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitive {
    pub column: usize,
    /// Its hierarchy; a root over all values when none was given.
    pub tree: Hierarchy,
    /// The leaf of each code, or the group that a cell of a column names that came generalized.
    pub leaf_of_code: Vec<NodeId>,
    /// The most general node that each code may become.
    pub limit_of_code: Vec<NodeId>,
    /// The node that the label of each node is read as (docs/models.md); of missing tokens, the leaf of missing cells.
    pub read_as: Vec<NodeId>,
    /// The leaf of missing cells that may be any value. They are never generalized.
    pub unknown: Option<NodeId>,
}

/// Whole rows within a share of all: 4 % of 25 rows is 1, although 0.04 · 25 may come out a hair lower.
pub fn suppressible(limit: f64, rows: usize) -> u64 {
    (limit * rows as f64 * (1.0 + TOLERANCE)).floor() as u64
}

impl Sensitive {
    /// One whose values may become anything up to the root.
    pub fn without_limits(column: usize, tree: Hierarchy, leaf_of_code: Vec<NodeId>) -> Sensitive {
        let read_as = tree.read_as();
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Sensitive { column, tree, leaf_of_code, limit_of_code, read_as, unknown: None }
    }

    /// What cells count for the leaves, whose codes are the tree's nodes.
    pub fn induced(&self, weights: &[f64]) -> Induced {
        Induced::new(&self.tree, &self.read_as, weights).with_unknown(self.unknown.into_iter().collect())
    }

    /// The same by the codes of the column.
    pub fn induced_of_codes(&self, weights: &[f64]) -> Induced {
        self.induced_of(self.leaf_of_code.iter().copied(), weights)
    }

    /// The same by codes that each stand for a cell of a node.
    pub fn induced_of(&self, nodes: impl Iterator<Item = NodeId>, weights: &[f64]) -> Induced {
        let nodes: Vec<NodeId> = nodes.collect();
        let unknown = (0..).zip(&nodes).filter(|&(_, &node)| self.unknown == Some(node)).map(|(code, _)| code);
        let read: Vec<NodeId> = nodes.iter().map(|&node| self.read_as[node as usize]).collect();
        Induced::new(&self.tree, &read, weights).with_unknown(unknown.collect())
    }

    /// The weight of each leaf where nobody's knowledge is known: 1 for values that occur. `counts` are the column's.
    pub fn weights_of_occurring(&self, counts: &[u32]) -> Vec<f64> {
        let mut weights = Induced::weights_of_occurring(&self.tree, &self.leaf_of_code, counts);
        // An unknown cell is no value that occurs.
        if let Some(place) = self.unknown.and_then(|leaf| self.tree.leaves().binary_search(&leaf).ok()) {
            weights[place] = 0.0;
        }
        weights
    }

    /// The node of each cell of a column made from the original: the leaf of missing values, the root for a text that the
    /// tree lacks.
    pub fn nodes_of(&self, original: &Column, released: &Column) -> Vec<NodeId> {
        let of_missing = original.missing.first().map(|&code| self.leaf_of_code[code as usize]);
        let by_label = self.tree.nodes_of_labels();
        let is_missing = released.is_missing();
        let node = |(code, text): (u32, &str)| {
            let as_missing = if is_missing[code as usize] { of_missing } else { None };
            as_missing.or_else(|| by_label.get(text).copied()).unwrap_or(ROOT)
        };
        (0..).zip(released.dictionary.iter()).map(node).collect()
    }
}

impl Quasi {
    pub fn new(place: usize, setup: &ColumnSetup, column: &Column) -> Result<Quasi, Failure> {
        let (full, leaf_of_code) = complete(setup, column)?;
        let limits = limits(setup, &full);
        let (tree, numbers) = full.from_level(setup.from_level as usize);
        let at_start = |node: &NodeId| numbers[*node as usize];
        let starts: Vec<NodeId> = leaf_of_code.iter().map(at_start).collect();
        let limit_of_code: Vec<NodeId> =
            leaf_of_code.iter().map(|&leaf| numbers[limits[leaf as usize] as usize]).collect();
        let beyond = leaf_of_code.iter().any(|&leaf| full.depth(limits[leaf as usize]) > tree.depth(at_start(&leaf)));
        if beyond {
            let what =
                format!("A limit of column “{}” lies below the level from which its values are shown.", column.name);
            return Err(Failure::policy(what, "Remove the limit, or lower “from_level”."));
        }
        Ok(Quasi { column: place, tree, leaf_of_code: starts, limit_of_code })
    }

    /// A sensitive column as it can be generalized for (τ,ℓ)-diversity.
    pub fn of_sensitive(place: usize, setup: &ColumnSetup, column: &Column) -> Quasi {
        let Sensitive { tree, leaf_of_code, limit_of_code, .. } = Sensitive::new(place, setup, column);
        Quasi { column: place, tree, leaf_of_code, limit_of_code }
    }
}

/// The most general node that each node may become.
fn limits(setup: &ColumnSetup, tree: &Hierarchy) -> Vec<NodeId> {
    let labels = setup.template.iter().flat_map(|template| &template.limits);
    let marks: Vec<NodeId> = labels.filter_map(|label| tree.node_of_label(label)).collect();
    Limits::new(tree, &marks).of_all(tree)
}

impl Sensitive {
    pub fn new(place: usize, setup: &ColumnSetup, column: &Column) -> Sensitive {
        // A sensitive column's own hierarchy may lack values: they stand under the root, as without any.
        let (tree, leaf_of_code) = sensitive_tree(setup, column);
        let limits = limits(setup, &tree);
        let mut limit_of_code: Vec<NodeId> = leaf_of_code.iter().map(|&leaf| limits[leaf as usize]).collect();
        let mut read_as = tree.read_as();
        let of_missing = column.missing.first().map(|&code| leaf_of_code[code as usize]);
        let unknown = of_missing.filter(|_| setup.missing == Missing::Unknown);
        if let Some(leaf) = of_missing {
            // A text that is a missing token is read as the missing leaf, and never as a group of that label. So no other
            // value may become such a group.
            let reads_missing = labels_of_missing(&tree, column);
            (0..tree.len()).filter(|&node| reads_missing[node]).for_each(|node| read_as[node] = leaf);
            read_as[leaf as usize] = leaf;
            let is_missing = column.is_missing();
            for code in (0..leaf_of_code.len()).filter(|&code| !is_missing[code]) {
                let (start, limit) = (leaf_of_code[code], limit_of_code[code]);
                let on_way = tree.path(start).take_while(|&node| tree.depth(node) >= tree.depth(limit));
                let allowed = on_way.skip(1).take_while(|&node| !reads_missing[node as usize]);
                limit_of_code[code] = allowed.last().unwrap_or(start);
            }
        }
        if let Some(leaf) = unknown {
            // Shown as a group they would count as one that is known.
            column.missing.iter().for_each(|&code| limit_of_code[code as usize] = leaf);
        }
        Sensitive { column: place, tree, leaf_of_code, limit_of_code, read_as, unknown }
    }
}

/// Whether each node's label is one of the column's missing tokens: shown, it is read as the missing leaf.
pub(super) fn labels_of_missing(tree: &Hierarchy, column: &Column) -> Vec<bool> {
    let tokens: HashSet<&str> = column.missing.iter().map(|&code| column.dictionary.text(code)).collect();
    (0..tree.len() as NodeId).map(|node| tokens.contains(tree.label(node))).collect()
}

/// A sensitive column's tree with a leaf for every value and one for missing cells. Without a hierarchy, `*` is no value but
/// stands for all of them.
pub(super) fn sensitive_tree(setup: &ColumnSetup, column: &Column) -> (Hierarchy, Vec<NodeId>) {
    if setup.template.is_some() {
        return with_all_leaves(setup, column);
    }
    let missing = column.missing.first().map(|&code| column.dictionary.text(code));
    let values = distinct_texts(column).filter(|&text| text != "*" || missing == Some(text));
    bound(Hierarchy::flat(values), column)
}

/// The column's tree with a leaf for every value: missing ones may be added, others must be there.
fn complete(setup: &ColumnSetup, column: &Column) -> Result<(Hierarchy, Vec<NodeId>), Failure> {
    if let Some(template) = &setup.template {
        let is_missing = column.is_missing();
        let lacking = template.binding.lacking.iter().filter(|&&code| !is_missing[code as usize]);
        let (values, rows) =
            lacking.fold((0, 0), |(values, rows), &code| (values + 1, rows + u64::from(column.counts[code as usize])));
        if values > 0 {
            let what = format!(
                "The hierarchy of column “{}” lacks {} of the data ({}).",
                column.name,
                counted(values, "value"),
                counted(rows, "row")
            );
            return Err(Failure::policy(what, "Add them to it (the Columns page does so with one click)."));
        }
    }
    Ok(with_all_leaves(setup, column))
}

pub(super) fn with_all_leaves(setup: &ColumnSetup, column: &Column) -> (Hierarchy, Vec<NodeId>) {
    let texts = || column.dictionary.iter();
    let Some(template) = &setup.template else {
        return bound(Hierarchy::flat(distinct_texts(column)), column);
    };
    let in_tree = |code: u32| template.binding.leaves[code as usize].is_some();
    let missing_known = column.missing.iter().any(|&code| in_tree(code));
    let (is_missing, labels) = (column.is_missing(), template.tree.nodes_of_labels());
    let lacking = (0..).zip(texts()).filter(|&(code, _)| !in_tree(code)).filter(|&(code, text)| {
        // One missing token stands for all. A cell that names a group is already generalized.
        match is_missing[code as usize] {
            true => !missing_known && column.missing.first() == Some(&code),
            false => !labels.contains_key(text),
        }
    });
    let mut lacking: Vec<&str> = lacking.map(|(_, text)| text).collect();
    lacking.order();
    let tree = template.tree.add_leaves(lacking, ROOT).unwrap_or_else(|_| template.tree.clone());
    bound(tree, column)
}

/// The different values; of several missing tokens only the first. Sorted: a tree must not tell which value the file has
/// first, nor may what an algorithm finds depend on it.
pub(super) fn distinct_texts(column: &Column) -> impl Iterator<Item = &str> {
    let (is_missing, first) = (column.is_missing(), column.missing.first());
    let codes = (0..column.dictionary.len() as u32).filter(|code| !is_missing[*code as usize] || Some(code) == first);
    let mut texts: Vec<&str> = codes.map(|code| column.dictionary.text(code)).collect();
    texts.order();
    texts.into_iter()
}

/// The leaf of each code (of a cell that names a group, the group); all missing tokens have that of the first in the
/// tree.
pub(super) fn bound(tree: Hierarchy, column: &Column) -> (Hierarchy, Vec<NodeId>) {
    let leaves = tree.bind(&column.dictionary).leaves;
    let of_missing = column.missing.iter().find_map(|&code| leaves[code as usize]);
    let by_label = tree.nodes_of_labels();
    let named = |(leaf, text): (Option<NodeId>, &str)| leaf.or_else(|| by_label.get(text).copied()).unwrap_or(ROOT);
    let mut leaf_of_code: Vec<NodeId> = leaves.into_iter().zip(column.dictionary.iter()).map(named).collect();
    drop(by_label);
    for &code in &column.missing {
        leaf_of_code[code as usize] = of_missing.unwrap_or(ROOT);
    }
    (tree, leaf_of_code)
}
