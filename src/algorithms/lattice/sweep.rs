//! The search of lattices that can be listed.
//!
//! Nodes are visited from coarse to fine, one set of columns after the other: first nodes on which only one column is
//! below its top level, then two, and so on, as Incognito does. For each set the tuples of its finest node that is
//! still open are computed once, and its nodes come from these. A node is passed over when a coarser one proves that
//! too many rows are suppressed: more than the limit, or more than a table no worse than the best one can have. That
//! leaves few nodes with many classes. It is also passed over when its classes, or the finer ones it would come from,
//! already cost more than the best.

use super::map::{Map, State};
use super::pace::{Pace, Stop};
use super::search::{Search, Source};
use super::tuples::Tuples;
use super::{Found, Minimal, Node};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::sorting::Sorting;

/// Nodes with at most so many columns below the top are computed even when they can't be best: they take little time,
/// and what they prove saves finer ones.
const PROBED: u32 = 3;
/// Of those, nodes with so few are also judged by requirements that need more than sizes.
const JUDGED: u32 = 2;

impl Search<'_> {
    /// Visits every node of the lattice.
    pub async fn sweep(&mut self, progress: &Progress<'_>) {
        let nodes = self.lattice.nodes() as usize;
        let mut map = Map { levels: self.lattice.levels(), states: vec![State::Open; nodes] };
        let pace = Pace::new(progress, "Searching the lattice", nodes as u64, self.budget.milliseconds);
        self.stopped = self.visit_all(&mut map, &pace).await.err();
        if self.stopped.is_some() {
            self.lower_bound = self.bound_of_open(&map);
        }
        self.map = Some(map);
    }

    async fn visit_all(&mut self, map: &mut Map, pace: &Pace<'_>) -> Result<(), Stop> {
        let strides = map.strides();
        // Rows that are surely suppressed on each node visited, as far as known.
        let mut surely = vec![0u32; map.states.len()];
        let free: Vec<usize> = (0..map.levels.len()).filter(|&place| map.levels[place] > 1).collect();
        let mut sets: Vec<u32> = (0..1 << free.len()).collect();
        sets.order_by_key(|set| (set.count_ones(), *set));
        let mut ground: Option<Tuples> = None;
        for set in sets {
            let below: Vec<usize> = (0..free.len()).filter(|bit| set >> bit & 1 == 1).map(|bit| free[bit]).collect();
            // The first set of its size: time to see what the smaller ones have proved.
            if set.count_ones() <= PROBED && set == (1 << set.count_ones()) - 1 {
                let finest = self.finest_open(map, &strides, &mut surely, pace);
                let from = ground.as_ref().unwrap_or(&self.lattice.base);
                if finest != from.node {
                    from.classes(&self.lattice.columns, &finest, &mut self.classes, pace).await?;
                    let mut raised = from.rolled_up(&self.lattice.columns, &finest, &self.classes);
                    raised.features = from.merged_features(&self.classes.class_of, raised.len());
                    ground = Some(raised);
                }
            }
            let from = ground.as_ref().unwrap_or(&self.lattice.base);
            self.visit_set(&below, from, map, &strides, &mut surely, pace).await?;
        }
        Ok(())
    }

    /// The finest levels that open nodes have, after settling those that what is known suffices for.
    fn finest_open(&self, map: &mut Map, strides: &[usize], surely: &mut [u32], pace: &Pace<'_>) -> Node {
        let mut finest = self.lattice.columns.top();
        // Coarser nodes come later.
        for index in (0..map.states.len()).rev() {
            if map.states[index] == State::Open {
                let node = map.node(index);
                inherit(index, &node, map, strides, surely);
                if !self.settled(index, &node, true, map, surely, pace) {
                    finest.iter_mut().zip(&node).for_each(|(finest, &level)| *finest = level.min(*finest));
                }
            }
        }
        finest
    }

    /// Visits the nodes on which exactly the columns `below` are below their top levels.
    async fn visit_set(
        &mut self,
        below: &[usize],
        from: &Tuples,
        map: &mut Map,
        strides: &[usize],
        surely: &mut [u32],
        pace: &Pace<'_>,
    ) -> Result<(), Stop> {
        let lattice = self.lattice;
        let (probed, judged) = (below.len() as u32 <= PROBED, below.len() as u32 <= JUDGED);
        // First what is known already, so that the tuples need be no finer than the finest open node.
        let mut finest = lattice.columns.top();
        let mut open: Vec<usize> = Vec::new();
        let mut node = lattice.columns.top();
        below.iter().for_each(|&place| node[place] -= 1);
        let nodes: usize = below.iter().map(|&place| map.levels[place] - 1).product();
        pace.work(16 * nodes * node.len()).await?;
        loop {
            let index = map.index(&node);
            if map.states[index] == State::Open {
                inherit(index, &node, map, strides, surely);
                if !self.settled(index, &node, probed, map, surely, pace) {
                    open.push(index);
                    finest.iter_mut().zip(&node).for_each(|(finest, &level)| *finest = level.min(*finest));
                }
            }
            let Some(&place) = below.iter().rev().find(|&&place| node[place] > 0) else { break };
            node[place] -= 1;
            for &later in below.iter().filter(|&&later| later > place) {
                node[later] = map.levels[later] as u16 - 2;
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        from.classes(&lattice.columns, &finest, &mut self.classes, pace).await?;
        let hopeless = !self.decide_all
            && !probed
            && self.best.as_ref().is_some_and(|best| {
                let bound = self.costs.bound(&finest, &self.classes.sizes);
                self.worse(bound, &finest, best)
            });
        if hopeless {
            for index in open {
                self.settle(index, State::ByBound, map, pace);
            }
            return Ok(());
        }
        let tuples = from.rolled_up(&lattice.columns, &finest, &self.classes);
        let origin = self.needs_features().then(|| (from, self.classes.class_of.clone()));
        let mut source = Source { tuples: &tuples, origin, features: None };
        for index in open {
            let node = map.node(index);
            inherit(index, &node, map, strides, surely);
            if self.settled(index, &node, probed, map, surely, pace) {
                continue;
            }
            self.within_budget()?;
            let state = self.compute(&node, &mut source, judged, pace).await?;
            surely[index] = surely[index].max(self.verdict.surely as u32);
            self.settle(index, state, map, pace);
        }
        Ok(())
    }

    /// Settles a node, if what is known suffices.
    fn settled(
        &self,
        index: usize,
        node: &[u16],
        probed: bool,
        map: &mut Map,
        surely: &[u32],
        pace: &Pace<'_>,
    ) -> bool {
        let surely = u64::from(surely[index]);
        let state = if surely > self.limit {
            State::BySuppression
        } else if surely > self.cap {
            State::ByBound
        } else {
            let worse = |best: &Found| self.worse(self.costs.bound_of_levels(node), node, best);
            if probed || self.decide_all || !self.best.as_ref().is_some_and(worse) {
                return false;
            }
            State::ByBound
        };
        self.settle(index, state, map, pace);
        true
    }

    fn settle(&self, index: usize, state: State, map: &mut Map, pace: &Pace<'_>) {
        map.states[index] = state;
        pace.decided.set(pace.decided.get() + 1);
        pace.best.set(self.best.as_ref().map(|best| best.value));
    }

    /// What open nodes cost at least: as much as the finest that may be among them.
    fn bound_of_open(&self, map: &Map) -> f64 {
        let mut finest = self.lattice.columns.top();
        for index in (0..map.states.len()).filter(|&index| map.states[index] == State::Open) {
            finest.iter_mut().zip(map.node(index)).for_each(|(finest, level)| *finest = level.min(*finest));
        }
        let of_table = self.costs.bound(&vec![0; finest.len()], &self.lattice.base.sizes);
        self.costs.bound_of_levels(&finest).max(of_table)
    }

    /// The feasible nodes of a map without a feasible one below.
    pub async fn minimal(mut self, progress: &Progress<'_>) -> Result<Minimal, Failure> {
        let counts = self.counts();
        let map = self.map.take().unwrap_or(Map { levels: Vec::new(), states: Vec::new() });
        let strides = map.strides();
        // Whether the node or one below is feasible; finer nodes have smaller indexes.
        let mut reached = vec![false; map.states.len()];
        let pace = Pace::new(progress, "Listing minimal nodes", 0, None);
        let mut nodes = Vec::new();
        for index in 0..map.states.len() {
            let node = map.node(index);
            let below = node.iter().zip(&strides).any(|(&level, stride)| level > 0 && reached[index - stride]);
            let feasible = map.states[index] == State::Feasible;
            reached[index] = below || feasible;
            if feasible && !below {
                nodes.push(self.evaluate(&node, &pace).await?);
            }
        }
        Ok(Minimal { nodes, monotone: self.rules.monotone(self.limit), stopped: self.stopped, counts, map })
    }
}

/// Rows surely suppressed on a coarser node are so on this one, too.
fn inherit(index: usize, node: &[u16], map: &Map, strides: &[usize], surely: &mut [u32]) {
    for ((&level, &levels), &stride) in node.iter().zip(&map.levels).zip(strides) {
        if usize::from(level) + 1 < levels {
            surely[index] = surely[index].max(surely[index + stride]);
        }
    }
}
