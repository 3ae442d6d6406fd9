//! What the cells of a sensitive column stand for.

use std::collections::{HashMap, HashSet};

use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::{ColumnSetup, Missing as MissingAs};
use crate::sorting::Sorting;
use crate::table::{Column, Kind, KindGuess};

use super::super::cells::missing_texts;

/// The values of a sensitive column.
pub struct Values<'a> {
    pub name: &'a str,
    /// The column's hierarchy; values that it lacks are leaves under the root.
    pub tree: Hierarchy,
    /// The values of the original table as leaves, with their rows. Groups and unknown cells are not among them.
    pub original: Vec<(NodeId, u64)>,
    pub has_hierarchy: bool,
    kind: KindGuess,
    missing: Missing,
    tokens: HashSet<&'a str>,
}

/// What a missing cell stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Missing {
    Leaf(NodeId),
    Unknown,
}

impl<'a> Values<'a> {
    pub fn new(policy: &ColumnSetup, column: &'a Column) -> Result<Values<'a>, Failure> {
        let tokens = missing_texts(column);
        let all_tokens: HashSet<&str> = tokens.iter().copied().collect();
        let unknown = policy.missing == MissingAs::Unknown;
        let given = policy.template.as_ref().map(|template| &template.tree);
        let given_labels = given.map_or_else(|| HashMap::from([("*", ROOT)]), Hierarchy::nodes_of_labels);
        let given_leaves = given.map(Hierarchy::leaves_of_values).unwrap_or_default();
        // All missing tokens are one value: the leaf of the first that the tree has as one, else a leaf that is added. It is
        // no group, whatever groups have its label.
        let missing = tokens.iter().copied().find(|token| given_leaves.contains_key(token)).or(tokens.first().copied());
        let is_lacking = |text: &&str| match all_tokens.contains(text) {
            true => Some(*text) == missing && !unknown && !given_leaves.contains_key(text),
            false => !given_labels.contains_key(text),
        };
        // By their texts: which the file has first must not be seen in the last digit of a figure.
        let mut lacking: Vec<&str> = column.dictionary.iter().filter(is_lacking).collect();
        lacking.order();
        let tree = match given {
            None => Hierarchy::flat(lacking),
            Some(tree) => tree.add_leaves(lacking, ROOT).map_err(|_| {
                let what = format!("The hierarchy of column “{}” has no place for its values.", column.name);
                Failure::policy(what, "Give the column another hierarchy.")
            })?,
        };
        let missing = match missing.and_then(|missing| tree.leaf_of_value(missing)) {
            Some(leaf) if !unknown => Missing::Leaf(leaf),
            _ => Missing::Unknown,
        };
        let leaves = tree.leaves_of_values();
        let original = column.dictionary.iter().zip(&column.counts).filter(|(_, rows)| **rows > 0);
        let leaf = |(text, &rows): (&str, &u32)| {
            let leaf = match missing {
                _ if !all_tokens.contains(text) => leaves.get(text).copied(),
                Missing::Leaf(leaf) => Some(leaf),
                Missing::Unknown => None,
            };
            Some((leaf?, u64::from(rows)))
        };
        let original = super::summed(original.filter_map(leaf).collect());
        Ok(Values {
            name: &column.name,
            original,
            has_hierarchy: given.is_some(),
            kind: column.kind,
            missing,
            tokens: all_tokens,
            tree,
        })
    }

    /// The node that each code of a released column stands for; `None` where it is unknown.
    pub fn node_of_code(&self, released: &Column) -> Result<Vec<Option<NodeId>>, Failure> {
        let nodes = self.tree.nodes_of_labels();
        let node = |text: &str| match self.missing {
            Missing::Leaf(leaf) if self.tokens.contains(text) => Ok(Some(leaf)),
            Missing::Unknown if self.tokens.contains(text) => Ok(None),
            _ => nodes.get(text).copied().map(Some).ok_or_else(|| {
                let what = format!("Column “{}” of the release shows what no value may be called.", self.name);
                Failure::refused(what, "The release is withheld. Use another algorithm, and report this.")
            }),
        };
        released.dictionary.iter().map(node).collect()
    }

    /// The nodes of values that a policy names.
    pub fn named(&self, texts: &[String]) -> Result<Vec<NodeId>, Failure> {
        let node = |text: &String| {
            let is_missing = self.tokens.contains(text.as_str());
            match self.missing {
                Missing::Leaf(leaf) if is_missing => Some(leaf),
                Missing::Unknown if is_missing => None,
                _ => self.tree.node_of_label(text),
            }
        };
        let named = texts.iter().map(node).collect::<Option<Vec<NodeId>>>();
        named.ok_or_else(|| {
            let what = format!("The policy names a value that column “{}” and its hierarchy lack.", self.name);
            Failure::policy(what, "Name values as they stand in the table or in the hierarchy.")
        })
    }

    /// The leaf of a value that a policy gives a weight.
    pub fn leaf(&self, value: &str) -> Option<NodeId> {
        match self.missing {
            Missing::Leaf(leaf) if self.tokens.contains(value) => Some(leaf),
            _ => self.tree.leaf_of_value(value),
        }
    }

    /// Whether values have an order: as numbers, as dates, or as the hierarchy lists them.
    pub fn are_ordered(&self) -> bool {
        self.has_hierarchy || self.kind.kind != Kind::Text
    }

    /// The place in the column's order, from 0, of every value that the original table has. Values of one rank share a
    /// place; what has no rank of its own, like missing values among numbers, comes first.
    pub fn places(&self) -> Vec<(NodeId, u32)> {
        let rank = |leaf: NodeId| match self.kind.kind {
            Kind::Integer | Kind::Decimal => self.kind.number(self.tree.label(leaf)),
            Kind::Date(_) => self.kind.date(self.tree.label(leaf)).map(|days| days as f64),
            Kind::Text => Some(f64::from(leaf)),
        };
        let rank_or_first = |leaf: NodeId| rank(leaf).unwrap_or(f64::NEG_INFINITY);
        let mut ranked: Vec<(f64, NodeId)> =
            self.original.iter().map(|&(leaf, _)| (rank_or_first(leaf), leaf)).collect();
        ranked.order_by(|one, other| one.0.total_cmp(&other.0));
        // Equal as numbers: -0 is 0.
        let same_rank = ranked.chunk_by(|one, other| one.0 == other.0);
        same_rank.zip(0..).flat_map(|(same, place)| same.iter().map(move |&(_, leaf)| (leaf, place))).collect()
    }
}
