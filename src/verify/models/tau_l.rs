//! (τ,ℓ)-diversity: no j values together have more than ψ(j) of a class, where a group counts for the values under it in
//! proportion to their weights, or for all alike if they have none (Definitions 2 to 4 of the paper), and unknown cells for
//! whichever values have most.
//!
//! Complexity: O(v log v) a class, where v are the values that its cells may be.

use std::collections::BTreeMap;

use super::values::Values;
use super::{Class, Model, Verdict, at_most};
use crate::hierarchy::{Hierarchy, NodeId};
use crate::sorting::Sorting;

pub struct TauL {
    tau: f64,
    l: u32,
    /// p(v) of every leaf, by node.
    weight: Vec<f64>,
    /// The weights of all leaves under each node.
    weight_under: Vec<f64>,
}

impl TauL {
    /// Weights are 1 for values that occur in the original table and 0 for others, unless they are `given`.
    pub fn new(tau: f64, l: u32, given: &BTreeMap<String, f64>, values: &Values) -> TauL {
        let tree = &values.tree;
        let mut weight = vec![0.0; tree.len()];
        for &(leaf, _) in &values.original {
            weight[leaf as usize] = 1.0;
        }
        for (value, &own) in given {
            if let Some(leaf) = values.leaf(value) {
                weight[leaf as usize] = own;
            }
        }
        let under = |node: NodeId| tree.leaves_under(node).iter().map(|&leaf| weight[leaf as usize]).sum();
        let weight_under = (0..tree.len() as NodeId).map(under).collect();
        TauL { tau, l, weight, weight_under }
    }
}

impl Model for TauL {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        let mut induced: Vec<(NodeId, f64)> = Vec::new();
        for &(node, cells) in &class.known {
            let share = class.share(cells);
            let (leaves, under) = (tree.leaves_under(node), self.weight_under[node as usize]);
            if under > 0.0 {
                let possible = leaves.iter().filter(|&&leaf| self.weight[leaf as usize] > 0.0);
                induced.extend(possible.map(|&leaf| (leaf, share * self.weight[leaf as usize] / under)));
            } else {
                // The weights tell these values no more apart than none at all would.
                induced.extend(leaves.iter().map(|&leaf| (leaf, share / leaves.len() as f64)));
            }
        }
        induced.order_by_key(|&(leaf, _)| leaf);
        let same_leaf = induced.chunk_by(|one, other| one.0 == other.0);
        let mut frequencies: Vec<f64> = same_leaf.map(|same| same.iter().map(|part| part.1).sum()).collect();
        frequencies.order_by(|one, other| other.total_cmp(one));
        // From ℓ on ψ is 1, which no sum of shares exceeds.
        let (mut cumulative, mut holds, mut achieved) = (class.share(class.unknown), true, 0.0f64);
        for j in 1..self.l {
            cumulative += frequencies.get(j as usize - 1).copied().unwrap_or(0.0);
            let along = f64::from(j - 1) / f64::from(self.l - 1);
            holds &= at_most(cumulative, self.tau + (1.0 - self.tau) * along);
            // The τ at which ψ(j) is just this.
            achieved = achieved.max((cumulative - along) / (1.0 - along));
        }
        Verdict { holds, achieved }
    }

    fn more_is_better(&self) -> bool {
        false
    }
}
