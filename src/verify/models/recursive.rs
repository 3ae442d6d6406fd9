//! Recursive (c,ℓ)-diversity: the worst counts satisfy r1 < c·(rℓ + … + rm).
//!
//! With a don't-care set it is pd-recursive (Definition 4.3 of the ℓ-diversity paper), with no-negative values also
//! Definition 4.4.

use super::worst_counts::worst_counts;
use super::{Class, Model, Verdict, at_least, strictly_below};
use crate::hierarchy::{Hierarchy, NodeId};
use crate::sorting::Sorting;

pub struct Recursive {
    pub c: f64,
    pub l: u32,
    pub dont_care: Vec<NodeId>,
    pub no_negative: Vec<NodeId>,
    /// Percent of the class that every no-negative value must have.
    pub c2: f64,
}

impl Model for Recursive {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        let (most, tail) = if self.dont_care.is_empty() {
            let counts = worst_counts(tree, class);
            (counts.first().copied().unwrap_or(0), from(&counts, self.l.into()))
        } else if class.only_values(tree) {
            self.positive_disclosure(tree, class)
        } else {
            return Verdict { holds: false, achieved: f64::INFINITY };
        };
        let recursive = self.l <= 1 || most == 0 || strictly_below(most as f64, self.c * tail as f64);
        // ℓ = 1 holds for every c.
        let achieved = if self.l <= 1 || most == 0 { 0.0 } else { most as f64 / tail as f64 };
        Verdict { holds: recursive && self.all_no_negative(tree, class), achieved }
    }

    fn more_is_better(&self) -> bool {
        false
    }
}

/// r_first + … + r_m, counted from 1.
fn from(counts: &[u64], first: u64) -> u64 {
    counts.iter().skip(first.saturating_sub(1) as usize).sum()
}

impl Recursive {
    /// r_y, the count of the most frequent value that is not in the don't-care set, and what it is held against; 0 if
    /// there is none.
    fn positive_disclosure(&self, tree: &Hierarchy, class: &Class) -> (u64, u64) {
        let is_open = |node: NodeId| self.dont_care.iter().any(|&named| tree.covers(named, node));
        let mut values: Vec<(u64, bool)> = class.known.iter().map(|&(node, count)| (count, is_open(node))).collect();
        values.order();
        values.reverse();
        let counts: Vec<u64> = values.iter().map(|&(count, _)| count).collect();
        let Some(y) = values.iter().position(|&(_, open)| !open).map(|place| place as u64 + 1) else { return (0, 0) };
        let most = counts[y as usize - 1];
        let l = u64::from(self.l);
        let tail = if y < l { from(&counts, l) } else { from(&counts, l.saturating_sub(1)) - most };
        (most, tail)
    }

    /// Whether every no-negative value has its share, in every filling.
    fn all_no_negative(&self, tree: &Hierarchy, class: &Class) -> bool {
        self.no_negative.iter().all(|&named| {
            // It is the value or below it, or above it in a chain that has no other leaf.
            let is_chain = |node: NodeId| tree.covers(node, named) && tree.leaf_count(node) == tree.leaf_count(named);
            let surely = |node: NodeId| tree.covers(named, node) || is_chain(node);
            let rows = class.known.iter().filter(|cell| surely(cell.0)).map(|cell| cell.1).sum();
            at_least(100.0 * class.share(rows), self.c2)
        })
    }
}
