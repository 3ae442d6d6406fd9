//! Induced frequencies of (τ,ℓ)-diversity (Definition 2): what rows with generalized sensitive values say about base values.
//!
//! The induced frequency of a base value a in a set of rows is the mean over rows t of p(a) ÷ Σ p(v), v in leaves(t[SA]),
//! when t[SA] covers a, else 0. A row whose node covers only values of weight 0 is spread over its leaves evenly.

use crate::hierarchy::{Hierarchy, NodeId};

/// The base values of a sensitive column and their weights p.
#[derive(Clone, Debug, PartialEq)]
pub struct Induced<'a> {
    tree: &'a Hierarchy,
    /// Place of each node among the leaves, where its subtree starts.
    first: Vec<u32>,
    weights: Vec<f64>,
    values: usize,
}

impl<'a> Induced<'a> {
    /// `weights` has one for each leaf, in the tree's order.
    pub fn new(tree: &'a Hierarchy, weights: Vec<f64>) -> Self {
        let mut first = vec![0; tree.len()];
        for (place, &leaf) in tree.leaves().iter().enumerate() {
            first[leaf as usize] = place as u32;
        }
        for node in (0..tree.len()).rev().filter(|&node| !tree.is_leaf(node as NodeId)) {
            first[node] = first[node + 1];
        }
        let values = weights.iter().filter(|&&weight| weight > 0.0).count();
        Induced { tree, first, weights, values }
    }

    /// Weight 1 for values that occur, 0 for the others.
    pub fn occurring(tree: &'a Hierarchy, leaves: impl Iterator<Item = NodeId>) -> Self {
        let mut occurs = vec![0.0; tree.len()];
        for leaf in leaves {
            occurs[leaf as usize] = 1.0;
        }
        Induced::new(tree, tree.leaves().iter().map(|&leaf| occurs[leaf as usize]).collect())
    }

    /// Place of a leaf among the leaves.
    pub fn place(&self, leaf: NodeId) -> usize {
        self.first[leaf as usize] as usize
    }

    pub fn leaves(&self) -> usize {
        self.weights.len()
    }

    /// Number of base values with a weight.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The shares that `count` rows showing `node` give to base values, as (place among the leaves, share).
    pub fn spread(&self, node: NodeId, count: u32) -> impl Iterator<Item = (usize, f64)> + '_ {
        let first = self.first[node as usize] as usize;
        let end = first + self.tree.leaf_count(node);
        let sum: f64 = self.weights[first..end].iter().sum();
        let share = move |place: usize| match sum > 0.0 {
            _ if end == first + 1 => f64::from(count),
            true => f64::from(count) * self.weights[place] / sum,
            false => f64::from(count) / (end - first) as f64,
        };
        (first..end).map(move |place| (place, share(place))).filter(|&(_, share)| share > 0.0)
    }
}
