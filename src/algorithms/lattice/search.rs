//! The search of lattices that can be listed.
//!
//! Nodes are visited from coarse to fine, one set of columns after the other: first nodes on which only one column is
//! below its top level, then two, and so on, as Incognito does. For each set the tuples of its finest node that is
//! still open are computed once, and its nodes come from these. A node is passed over when a coarser one proves that
//! too many rows are suppressed: more than the limit, or more than a table no worse than the best one can have. That
//! leaves few nodes with many classes. It is also passed over when its classes, or the finer ones it would come from,
//! already cost more than the best.

use super::cost::{Costs, Metric};
use super::grouping::Grouping;
use super::pace::{Pace, Stop};
use super::rules::{Rules, Scratch, Subject, Verdict, unprepared};
use super::tuples::{Entries, Tuples};
use super::{Budget, Counts, Found, Lattice, Minimal, Node, Outcome, Question};
use crate::failure::Failure;
use crate::progress::Progress;

/// Nodes with at most so many columns below the top are computed even when they can't be best: they take little time,
/// and what they prove saves finer ones.
const PROBED: u32 = 3;

/// What is known about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not decided when the search stopped.
    Open,
    Feasible,
    Infeasible,
    /// Infeasible, because a coarser node needs too much suppression already.
    BySuppression,
    /// Not better than the best: its cost is bounded from below, or a coarser node needs more suppression than the best
    /// could afford.
    ByBound,
}

/// The state of every node, in lexicographic order.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Levels of each column.
    pub levels: Vec<usize>,
    pub states: Vec<State>,
}

impl Map {
    pub fn node(&self, mut index: usize) -> Node {
        let mut node = vec![0; self.levels.len()];
        for (level, &levels) in node.iter_mut().zip(&self.levels).rev() {
            *level = (index % levels) as u16;
            index /= levels;
        }
        node
    }

    pub fn index(&self, node: &[u16]) -> usize {
        node.iter().zip(&self.levels).fold(0, |index, (&level, &levels)| index * levels + usize::from(level))
    }

    /// Differences of the indexes of neighbours.
    fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.levels.len()];
        for place in (1..strides.len()).rev() {
            strides[place - 1] = strides[place] * self.levels[place];
        }
        strides
    }
}

pub(super) struct Search<'a> {
    pub lattice: &'a Lattice,
    pub rules: Rules<'a>,
    pub costs: Costs<'a>,
    budget: Budget,
    metric: Metric,
    pub limit: u64,
    /// The most suppressed rows that a node worth a look may have.
    pub cap: u64,
    decide_all: bool,
    pub best: Option<Found>,
    pub lower_bound: f64,
    pub computed: u64,
    pub stopped: Option<Stop>,
    pub map: Option<Map>,
    pub classes: Grouping,
    pub verdict: Verdict,
    scratch: Scratch,
}

/// Tuples that nodes are computed from.
pub(super) struct Source<'a> {
    tuples: &'a Tuples,
    /// What they were made from, and the tuple of each of those, while the features have not been added up.
    origin: Option<(&'a Tuples, Vec<u32>)>,
    features: Option<Vec<Entries>>,
}

impl<'a> Source<'a> {
    pub fn base(lattice: &'a Lattice) -> Self {
        Source { tuples: &lattice.base, origin: None, features: None }
    }

    fn features(&self) -> &[Entries] {
        self.features.as_ref().unwrap_or(&self.tuples.features)
    }
}

impl<'a> Search<'a> {
    pub fn new(
        lattice: &'a Lattice,
        question: &Question<'a>,
        budget: Budget,
        decide_all: bool,
    ) -> Result<Self, Failure> {
        let rows = lattice.tuple_of_row.len();
        let limit = question.suppression_limit.min(rows as u64);
        let everything = lattice.features.iter().position(|feature| feature.subject == Subject::Everything);
        let divergence = question.metric == Metric::KlDivergence;
        if divergence && everything.is_none() {
            return Err(unprepared());
        }
        let everything = everything.filter(|_| divergence);
        Ok(Search {
            lattice,
            rules: Rules::new(question, rows, &lattice.features)?,
            costs: Costs::new(lattice, question.metric, limit, everything),
            budget,
            metric: question.metric,
            limit,
            cap: limit,
            decide_all,
            best: None,
            lower_bound: 0.0,
            computed: 0,
            stopped: None,
            map: None,
            classes: Grouping::default(),
            verdict: Verdict::default(),
            scratch: Scratch::default(),
        })
    }

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
        sets.sort_by_key(|set| (set.count_ones(), *set));
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
        let probed = below.len() as u32 <= PROBED;
        // First what is known already, so that the tuples need be no finer than the finest open node.
        let mut finest = lattice.columns.top();
        let mut open: Vec<usize> = Vec::new();
        let mut node = lattice.columns.top();
        below.iter().for_each(|&place| node[place] -= 1);
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
            let state = self.compute(&node, &mut source, probed, pace).await?;
            surely[index] = surely[index].max(self.verdict.surely as u32);
            self.settle(index, state, map, pace);
        }
        Ok(())
    }

    pub fn within_budget(&self) -> Result<(), Stop> {
        if self.budget.nodes.is_some_and(|most| self.computed >= most) { Err(Stop::Nodes) } else { Ok(()) }
    }

    pub fn milliseconds(&self) -> Option<f64> {
        self.budget.milliseconds
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

    /// Whether neither the node nor a coarser one can take the place of the best, given a bound of their costs.
    fn worse(&self, bound: f64, node: &[u16], best: &Found) -> bool {
        // Coarser nodes come later in lexicographic order.
        bound > best.value * (1.0 + 1e-12) || bound == best.value && self.metric.exact() && node > best.node.as_slice()
    }

    /// Computes a node as far as needed to know whether it is feasible and best.
    pub async fn compute(
        &mut self,
        node: &[u16],
        source: &mut Source<'_>,
        probed: bool,
        pace: &Pace<'_>,
    ) -> Result<State, Stop> {
        self.computed += 1;
        source.tuples.classes(&self.lattice.columns, node, &mut self.classes, pace).await?;
        self.rules.judge_sizes(&self.classes.sizes, &mut self.verdict);
        if self.verdict.suppressed > self.limit {
            return Ok(State::Infeasible);
        }
        if !self.decide_all {
            if self.verdict.suppressed > self.cap {
                return Ok(State::ByBound);
            }
            // On a probed node the requirements may still prove something about finer ones.
            if let Some(best) = &self.best
                && !(probed && self.rules.prove(self.cap))
                && self.worse(self.costs.bound(node, &self.classes.sizes), node, best)
            {
                return Ok(State::ByBound);
            }
        }
        self.judge(source, self.cap, pace).await?;
        if self.verdict.suppressed > self.cap {
            return Ok(if self.verdict.suppressed > self.limit { State::Infeasible } else { State::ByBound });
        }
        let found = self.found(node, source);
        let better = |best: &Found| (found.value, &found.node) < (best.value, &best.node);
        if self.best.as_ref().is_none_or(better) {
            if !self.decide_all {
                self.cap = self.costs.cap(found.value, self.rules.least);
            }
            self.best = Some(found);
        }
        Ok(State::Feasible)
    }

    fn needs_features(&self) -> bool {
        !self.rules.only_sizes() || self.metric == Metric::KlDivergence
    }

    async fn judge(&mut self, source: &mut Source<'_>, cap: u64, pace: &Pace<'_>) -> Result<(), Stop> {
        if !self.needs_features() {
            return Ok(());
        }
        if let Some((from, origin)) = source.origin.take() {
            source.features = Some(from.merged_features(&origin, source.tuples.len()));
            pace.work(8 * origin.len()).await?;
        }
        let features = source.features();
        self.rules.judge(&self.classes, features, cap, &mut self.verdict, &mut self.scratch);
        pace.work(8 * features.iter().map(|entries| entries.counts.len()).sum::<usize>()).await
    }

    /// The node just computed.
    pub fn found(&self, node: &[u16], source: &Source<'_>) -> Found {
        Found {
            node: node.to_vec(),
            value: self.costs.cost(node, &self.classes, source.tuples, source.features(), &self.verdict),
            classes: self.verdict.fails.iter().filter(|&&fails| !fails).count() as u64,
            suppressed: self.verdict.suppressed,
        }
    }

    /// Computes one node from the table's tuples, feasible or not.
    pub async fn evaluate(&mut self, node: &[u16], pace: &Pace<'_>) -> Result<Found, Stop> {
        let lattice = self.lattice;
        lattice.base.classes(&lattice.columns, node, &mut self.classes, pace).await?;
        self.rules.judge_sizes(&self.classes.sizes, &mut self.verdict);
        let mut source = Source::base(lattice);
        self.judge(&mut source, u64::MAX, pace).await?;
        Ok(self.found(node, &source))
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

    pub fn outcome(self) -> Outcome {
        let proved = self.stopped.is_none();
        let lower_bound = match &self.best {
            Some(best) if proved || best.value < self.lower_bound => best.value,
            None if proved => f64::INFINITY,
            _ => self.lower_bound,
        };
        let counts = self.counts();
        let Search { best, stopped, map, .. } = self;
        Outcome { best, proved, lower_bound, stopped, counts, map }
    }

    fn counts(&self) -> Counts {
        let count = |state: State| {
            let states = self.map.iter().flat_map(|map| &map.states);
            states.filter(|&&other| other == state).count() as u64
        };
        let by_suppression = count(State::BySuppression);
        Counts {
            nodes: self.lattice.nodes(),
            computed: self.computed,
            feasible: count(State::Feasible),
            infeasible: count(State::Infeasible) + by_suppression,
            by_suppression,
            by_bound: count(State::ByBound),
        }
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
