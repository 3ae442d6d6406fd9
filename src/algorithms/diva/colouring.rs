//! Colouring (Algorithm 4): gives every constraint a clustering consistent with those of its neighbours, and takes
//! choices back where none is left.
//!
//! The paper's recursion is a stack here, so that it can be left and taken up again for the next colouring when the rows
//! that remain can't be anonymized. Which constraint comes next, and which of its candidates first, is the strategy's
//! choice (§4.2). Guarantee: if it ends with [`Ended::Exhausted`] and says so, no release meets the constraints of that
//! component. Complexity: exponential in the constraints of a component at worst, which the budget bounds.

use std::cmp::Reverse;

use super::Strategy;
use super::board::{Board, Conflict};
use super::candidates;
use super::graph::Graph;
use super::ground::{Class, Ground, rows};
use super::lazy;
use super::trace::Trace;
use crate::algorithms::local::clusters::Part;
use crate::failure::Failure;
use crate::privacy::Monotone;
use crate::progress::{Progress, Report};
use crate::random::Random;
use crate::sorting::Sorting;

pub struct Colouring<'g, 'a> {
    ground: &'g Ground<'a>,
    pub graph: Graph,
    strategy: Strategy,
    random: Random,
    pub board: Board<'g, 'a>,
    /// The candidates of each constraint, where they can be listed.
    listed: Vec<Option<Vec<Vec<Class>>>>,
    stack: Vec<Vertex>,
    /// Whether the stack is a colouring that was found.
    found: bool,
    /// Of each component, whether it was coloured at some time, and whether its failure would be a proof.
    coloured_once: Vec<bool>,
    complete: Vec<bool>,
    /// Clusterings that were made as they were needed, and failed.
    failed: usize,
    pub trace: Trace,
}

/// Items times clusterings that are made as they are needed and fail, at most: each takes its time, and where some ways
/// fail others rarely help.
const FAILED: usize = 2000;

/// A constraint that has, or is about to get, a clustering.
struct Vertex {
    constraint: usize,
    component: usize,
    /// Classes on the board before it.
    before: usize,
    /// What is still to be tried, the next at the end.
    left: Left,
}

enum Left {
    /// Listed candidates.
    Listed(Vec<usize>),
    /// Ways to make one.
    Lazy(Vec<lazy::Way>),
}

pub enum Ended {
    /// Every constraint has a clustering; they are on the board.
    Coloured,
    /// All candidates were tried; whether that proves that there is no release, and the constraints it is about.
    Exhausted { proof: bool, constraints: Vec<usize> },
    /// The budget was used up.
    OutOfBudget,
}

impl<'g, 'a> Colouring<'g, 'a> {
    /// `kept` are the rows that can be kept.
    pub fn new(ground: &'g Ground<'a>, kept: &[Vec<Part>], strategy: Strategy) -> Self {
        let graph = Graph::new(ground, kept);
        // Unless requirements survive more rows, others than those left out could have been.
        let lost: u64 = ground.regions.iter().zip(kept).map(|(region, kept)| rows(&region.rows) - rows(kept)).sum();
        let can_prove = lost == 0 || ground.demands.monotone == Monotone::Growing;
        let list = |constraint: usize| candidates::list(ground, constraint, &graph.pools[constraint]);
        let listed: Vec<Option<Vec<Vec<Class>>>> = (0..ground.targets.len()).map(list).collect();
        let trace = Trace {
            candidates: listed.iter().map(|listed| listed.as_ref().map(|listed| listed.len() as u64)).collect(),
            neighbours: graph.neighbours.clone(),
            ..Trace::default()
        };
        Colouring {
            ground,
            strategy,
            random: Random::new(ground.problem.seed),
            board: Board::new(ground, kept),
            listed,
            stack: Vec::new(),
            found: false,
            failed: 0,
            coloured_once: vec![false; graph.components.len()],
            complete: vec![can_prove; graph.components.len()],
            trace,
            graph,
        }
    }

    /// Finds the next colouring.
    pub async fn next(&mut self, budget: u64, progress: &Progress<'_>) -> Result<Ended, Failure> {
        // What was found last time is given up.
        let mut forward = !std::mem::replace(&mut self.found, false);
        if let Some(last) = self.stack.last().filter(|_| !forward) {
            self.board.take_back(last.before);
        }
        loop {
            progress.checkpoint(|| self.report()).await?;
            if forward {
                match self.next_vertex() {
                    Some(vertex) => self.stack.push(vertex),
                    None => {
                        self.found = true;
                        return Ok(Ended::Coloured);
                    }
                }
            }
            if self.trace.tried >= budget || self.failed > FAILED / (self.ground.space.items() + 1) {
                return Ok(Ended::OutOfBudget);
            }
            let Some(vertex) = self.stack.last_mut() else {
                return Ok(Ended::Exhausted { proof: false, constraints: Vec::new() });
            };
            let (constraint, component) = (vertex.constraint, vertex.component);
            let tried = match &mut vertex.left {
                Left::Listed(left) => left.pop().map(|number| {
                    let clustering = &self.listed[constraint].as_deref().unwrap_or_default()[number];
                    (clustering.clone(), self.board.place_all(constraint, clustering))
                }),
                Left::Lazy(left) => match left.pop() {
                    None => None,
                    Some(way) => {
                        self.complete[component] = false;
                        let before = vertex.before;
                        let made =
                            lazy::cluster(self.ground, &self.graph, &mut self.board, constraint, way, false, progress);
                        let made = made.await?;
                        self.failed += usize::from(made.is_err());
                        // Where nothing is missing, all ways are the same.
                        if made.is_ok() && self.board.chosen.len() == before {
                            left.clear();
                        }
                        Some((self.board.chosen[before..].iter().map(|chosen| chosen.class.clone()).collect(), made))
                    }
                },
            };
            match tried {
                Some((clustering, Ok(()))) => {
                    self.trace.coloured(self.ground, constraint, &clustering);
                    forward = true;
                    self.note_coloured(component);
                }
                Some((clustering, Err(conflict))) => {
                    self.trace.rejected(self.ground, constraint, &clustering, conflict.with());
                    self.complete[component] &= matches!(conflict, Conflict::Rows(_));
                    forward = false;
                }
                None => {
                    self.trace.backtracked(constraint);
                    self.stack.pop();
                    forward = false;
                    let first = self.stack.last().is_none_or(|vertex| vertex.component != component);
                    // No other component has to do with it, unless it is other colourings that are asked for.
                    if first && !self.coloured_once[component] {
                        let constraints = self.graph.components[component].clone();
                        return Ok(Ended::Exhausted { proof: self.complete[component], constraints });
                    }
                    match self.stack.last() {
                        Some(vertex) => self.board.take_back(vertex.before),
                        None => return Ok(Ended::Exhausted { proof: false, constraints: Vec::new() }),
                    }
                }
            }
        }
    }

    /// Forgets what was tried, and begins in an order that is left to chance.
    pub fn restart(&mut self, number: u64) {
        self.strategy = Strategy::Naive;
        self.random = Random::new(self.ground.problem.seed.wrapping_add(number));
        self.board.nearly = false;
        self.board.take_back(0);
        self.stack.clear();
        self.found = false;
        self.failed = 0;
        self.coloured_once.fill(false);
    }

    /// Gives every constraint what comes nearest to a clustering, one after the other in the order of a strategy.
    pub async fn nearly(&mut self, strategy: Strategy, way: lazy::Way, progress: &Progress<'_>) -> Result<(), Failure> {
        self.strategy = strategy;
        self.board.nearly = true;
        self.stack.clear();
        self.board.take_back(0);
        while let Some(mut vertex) = self.next_vertex() {
            progress.checkpoint(|| self.report()).await?;
            let constraint = vertex.constraint;
            match &mut vertex.left {
                Left::Listed(left) => {
                    let listed = self.listed[constraint].as_deref().unwrap_or_default();
                    let fits =
                        left.iter().rev().find(|&&number| self.board.place_all(constraint, &listed[number]).is_ok());
                    if fits.is_none() {
                        self.trace.rejected(self.ground, constraint, &[], None);
                    }
                }
                Left::Lazy(_) => {
                    let made =
                        lazy::cluster(self.ground, &self.graph, &mut self.board, constraint, way, true, progress);
                    let _ = made.await?;
                }
            }
            let placed: Vec<Class> =
                self.board.chosen[vertex.before..].iter().map(|chosen| chosen.class.clone()).collect();
            self.trace.coloured(self.ground, constraint, &placed);
            self.stack.push(vertex);
        }
        Ok(())
    }

    fn vertices(&self) -> usize {
        self.graph.components.iter().map(Vec::len).sum()
    }

    fn note_coloured(&mut self, component: usize) {
        let coloured = self.stack.iter().filter(|vertex| vertex.component == component).count();
        self.coloured_once[component] |= coloured == self.graph.components[component].len();
    }

    fn report(&self) -> Report {
        Report {
            phase: "Colouring constraints".into(),
            fraction: Some(self.stack.len() as f64 / self.vertices().max(1) as f64),
            detail: format!("{} candidates tried", self.trace.tried),
        }
    }

    /// The constraint to colour next, with its candidates in order; components one after the other.
    fn next_vertex(&mut self) -> Option<Vertex> {
        let coloured = |one: &usize| self.stack.iter().any(|vertex| vertex.constraint == *one);
        let (component, open) = self.graph.components.iter().enumerate().find_map(|(number, constraints)| {
            let open: Vec<usize> = constraints.iter().copied().filter(|one| !coloured(one)).collect();
            (!open.is_empty()).then_some((number, open))
        })?;
        let constraint = match self.strategy {
            Strategy::Naive => Some(open[self.random.below(open.len() as u32) as usize]),
            Strategy::MinChoice => open.into_iter().min_by_key(|&one| (self.choices(one), one)),
            Strategy::MaxFanOut => {
                let unvisited = |one: usize| self.graph.neighbours[one].iter().filter(|other| !coloured(other)).count();
                open.into_iter().min_by_key(|&one| (Reverse(unvisited(one)), one))
            }
        }?;
        let left = self.in_order(constraint);
        Some(Vertex { constraint, component, before: self.board.chosen.len(), left })
    }

    /// How many candidates are consistent with what is chosen; those that can't be listed come after those that can,
    /// the ones with fewer rows to spare first.
    fn choices(&mut self, constraint: usize) -> (bool, u64) {
        let before = self.board.chosen.len();
        let Some(listed) = &self.listed[constraint] else {
            let free: u64 =
                self.graph.pools[constraint].iter().map(|&(item, _)| u64::from(self.board.free[item as usize])).sum();
            let bounds = self.ground.targets.bounds[constraint];
            return (true, free.saturating_sub(bounds.least.saturating_sub(self.board.totals[constraint])));
        };
        let mut consistent = 0;
        for clustering in listed {
            if self.board.place_all(constraint, clustering).is_ok() {
                self.board.take_back(before);
                consistent += 1;
            }
        }
        (false, consistent)
    }

    /// A constraint's candidates, the first at the end: by the number of rows that neighbours could use, or by chance.
    fn in_order(&mut self, constraint: usize) -> Left {
        let Some(listed) = &self.listed[constraint] else {
            return Left::Lazy(lazy::ways(self.strategy == Strategy::Naive, &mut self.random));
        };
        let overlap = |class: &Class| -> u64 {
            let of_part = |&(item, count): &Part| self.graph.overlap(constraint, item) as u64 * u64::from(count);
            class.rows.iter().map(of_part).sum()
        };
        let mut order: Vec<usize> = (0..listed.len()).collect();
        match self.strategy {
            Strategy::Naive => {
                for last in (1..order.len()).rev() {
                    order.swap(last, self.random.below(last as u32 + 1) as usize);
                }
            }
            _ => {
                let key = |&number: &usize| {
                    let classes = &listed[number];
                    let cost: i64 = classes.iter().map(|class| self.ground.cost(class)).sum();
                    (Reverse(classes.iter().map(overlap).sum::<u64>()), Reverse(cost), Reverse(number))
                };
                order.order_by_cached_key(key);
            }
        }
        Left::Listed(order)
    }
}
