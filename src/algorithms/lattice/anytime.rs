//! The search of lattices too large to list.
//!
//! From the top down, the cheapest node known first: each is refined by one level in every column. Nodes on which too
//! many rows are surely suppressed are not refined, so that the search ends by itself when the feasible part is small;
//! mostly it is a budget that ends it, and the answer is the best node found, with a bound for all others.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::Node;
use super::pace::{Pace, Stop};
use super::search::{Search, Source, State};
use crate::progress::Progress;

/// Nodes that are remembered.
const REMEMBERED: usize = 500_000;

/// A node to refine: feasible ones first, then cheaper ones, then in lexicographic order. Costs are not negative, so
/// their bits are in their order.
type Open = Reverse<(bool, u64, Node)>;

impl Search<'_> {
    pub async fn explore(&mut self, progress: &Progress<'_>) {
        let pace = Pace::new(progress, "Exploring the lattice", 0, self.milliseconds());
        self.stopped = self.refine(&pace).await.err();
        let finest = vec![0; self.lattice.columns.columns.len()];
        self.lower_bound = self.costs.bound(&finest, &self.lattice.base.sizes);
    }

    async fn refine(&mut self, pace: &Pace<'_>) -> Result<(), Stop> {
        let mut seen: BTreeSet<Node> = BTreeSet::new();
        let mut open: BinaryHeap<Open> = BinaryHeap::new();
        let top = self.lattice.columns.top();
        seen.insert(top.clone());
        open.extend(self.opened(top, pace).await?);
        while let Some(Reverse((_, _, node))) = open.pop() {
            for place in 0..node.len() {
                if node[place] == 0 {
                    continue;
                }
                let mut finer = node.clone();
                finer[place] -= 1;
                if seen.len() >= REMEMBERED {
                    return Err(Stop::Memory);
                }
                if seen.insert(finer.clone()) {
                    open.extend(self.opened(finer, pace).await?);
                }
            }
        }
        Ok(())
    }

    /// Computes a node; gives it back unless no finer one can be worth a look.
    async fn opened(&mut self, node: Node, pace: &Pace<'_>) -> Result<Option<Open>, Stop> {
        self.within_budget()?;
        let state = self.compute(&node, &mut Source::base(self.lattice), true, pace).await?;
        pace.best.set(self.best.as_ref().map(|best| best.value));
        if self.verdict.surely > self.cap {
            return Ok(None);
        }
        let cost = self.found(&node, &Source::base(self.lattice)).value;
        Ok(Some(Reverse((state != State::Feasible, cost.to_bits(), node))))
    }
}
