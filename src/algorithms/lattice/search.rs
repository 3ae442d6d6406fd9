//! One node at a time: its classes, which of them are suppressed, what it costs, and whether it is the best so far.

use super::Metric;
use super::cost::Costs;
use super::grouping::Grouping;
use super::map::{Map, State};
use super::pace::{Pace, Stop};
use super::rules::{Rules, Scratch, Subject, Verdict, unprepared};
use super::tuples::{Entries, Tuples};
use super::{Budget, Counts, Found, Lattice, Outcome, Question};
use crate::failure::Failure;

/// Steps counted for judging a class.
const STEPS_OF_JUDGING: usize = 64;

pub(super) struct Search<'a> {
    pub lattice: &'a Lattice,
    pub rules: Rules<'a>,
    pub costs: Costs<'a>,
    pub budget: Budget,
    metric: Metric,
    pub limit: u64,
    /// The most suppressed rows that a node worth a look may have.
    pub cap: u64,
    pub decide_all: bool,
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
    pub tuples: &'a Tuples,
    /// What they were made from, and the tuple of each of those, while the features have not been added up.
    pub origin: Option<(&'a Tuples, Vec<u32>)>,
    pub features: Option<Vec<Entries>>,
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

    pub fn within_budget(&self) -> Result<(), Stop> {
        if self.budget.nodes.is_some_and(|most| self.computed >= most) { Err(Stop::Nodes) } else { Ok(()) }
    }

    pub fn milliseconds(&self) -> Option<f64> {
        self.budget.milliseconds
    }

    /// Whether neither the node nor a coarser one can take the place of the best, given a bound of their costs.
    pub fn worse(&self, bound: f64, node: &[u16], best: &Found) -> bool {
        // Coarser nodes come later in lexicographic order.
        bound > best.value * (1.0 + 1e-12) || bound == best.value && self.metric.exact() && node > best.node.as_slice()
    }

    /// Computes a node as far as needed to know whether it is feasible and best; if `judged`, also as far as it proves
    /// something about finer nodes.
    pub async fn compute(
        &mut self,
        node: &[u16],
        source: &mut Source<'_>,
        judged: bool,
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
            // The requirements may still prove something about finer nodes.
            if let Some(best) = &self.best
                && !(judged && self.rules.prove(self.cap))
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

    pub fn needs_features(&self) -> bool {
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
        let mut next = Some(0);
        while let Some(start) = next {
            next = self.rules.judge(start, &self.classes, features, cap, &mut self.verdict, &mut self.scratch);
            let judged = next.unwrap_or(self.classes.sizes.len()) - start;
            pace.work(STEPS_OF_JUDGING * judged).await?;
        }
        Ok(())
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

    pub fn counts(&self) -> Counts {
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
}
