//! Full-domain recoding over the lattice of generalization levels (l-diversity, §5: Incognito's role; docs/spec.md §1).
//!
//! A node gives every quasi-identifier a level; level 0 is the data as it is. Classes that fail a requirement are
//! suppressed as a whole; a node is *feasible* when at most the allowed number of rows is suppressed. Two questions:
//! the feasible node that costs least under a [`Metric`] ([`Lattice::best`]; of equal ones the lexicographically
//! smallest vector of levels), and all minimal feasible nodes ([`Lattice::minimal`]).
//!
//! Guarantee: both answers are exact when they say so; nodes are passed over only by what is proved ([`rules`] says
//! what a failure proves, [`cost`] what a node costs at least). When a budget or a person ends the search before,
//! the answer is the best found and a bound for what may have been missed.
//! Complexity: rows are grouped once; then O(distinct tuples · columns) for a node, usually far fewer (see [`sweep`]).

mod anytime;
mod cost;
mod divergence;
mod grouping;
mod levels;
mod map;
mod pace;
mod question;
mod rules;
mod search;
mod sweep;
mod tuples;

pub use crate::policy::Metric;
pub use map::{Map, State};
pub use pace::Stop;
pub use question::{Budget, Counts, Found, Input, Minimal, Outcome, Question, Values};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::release::{Release, SUPPRESSED};
use grouping::Grouping;
use levels::Columns;
use pace::Pace;
use rules::Feature;
use search::{Search, Source};
use tuples::Tuples;

/// A level for every quasi-identifier.
pub type Node = Vec<u16>;

/// Lattices with more nodes are not listed but explored from the top.
pub const MOST_LISTED: u64 = 1 << 20;

/// A table prepared for questions: rows grouped into distinct tuples, with what the requirements look at.
#[derive(Debug)]
pub struct Lattice {
    columns: Columns,
    base: Tuples,
    tuple_of_row: Vec<u32>,
    features: Vec<Feature>,
    /// For each column and level, the rows of each code.
    rows_of_code: Vec<Vec<Vec<u64>>>,
    /// For each column and level, the sum over rows of leaves(v) − 1.
    leaves: Vec<Vec<u64>>,
    /// Leaves of each sensitive column's hierarchy.
    sensitive_leaves: Vec<u32>,
}

impl Lattice {
    /// Groups the rows, for this question and all that look at the same columns: k, ℓ and so on, the suppression limit
    /// and the metric may change (except to KL-divergence, which looks at all sensitive columns).
    pub async fn new(input: &Input<'_>, question: &Question<'_>, progress: &Progress<'_>) -> Result<Lattice, Failure> {
        let pace = Pace::new(progress, "Grouping rows", 0, None);
        let columns = Columns::new(input.quasi);
        let (mut base, tuple_of_row) = tuples::of_rows(&columns, input, &mut Grouping::default(), &pace).await?;
        let mut features = Vec::new();
        for (feature, codes) in Feature::all(input, question)? {
            pace.work(8 * input.rows).await?;
            base.features.push(tuples::entries(&codes, &tuple_of_row, base.len()));
            features.push(feature);
        }
        let sensitive_leaves = input.sensitive.iter().map(|values| values.leaves).collect();
        let (rows_of_code, leaves) = (Vec::new(), Vec::new());
        let mut lattice = Lattice { columns, base, tuple_of_row, features, rows_of_code, leaves, sensitive_leaves };
        lattice.count_codes();
        Ok(lattice)
    }

    fn count_codes(&mut self) {
        for (place, column) in self.columns.columns.iter().enumerate() {
            let mut finest = vec![0; column.levels[0].size()];
            for (tuple, &size) in self.base.sizes.iter().enumerate() {
                finest[self.base.code(&self.columns, place, tuple) as usize] += u64::from(size);
            }
            let rows_on = |level: &levels::Level| {
                let mut rows = vec![0; level.size()];
                level.code.iter().zip(&finest).for_each(|(&code, &count)| rows[code as usize] += count);
                rows
            };
            let rows: Vec<Vec<u64>> = column.levels.iter().map(rows_on).collect();
            let leaves = |(level, rows): (&levels::Level, &Vec<u64>)| {
                level.leaves.iter().zip(rows).map(|(&leaves, &rows)| (u64::from(leaves) - 1) * rows).sum()
            };
            self.leaves.push(column.levels.iter().zip(&rows).map(leaves).collect());
            self.rows_of_code.push(rows);
        }
    }

    /// Number of nodes (the largest number there is, if there are more).
    pub fn nodes(&self) -> u64 {
        self.columns.nodes()
    }

    /// Levels of each quasi-identifier, as far as limits allow.
    pub fn levels(&self) -> Vec<usize> {
        self.columns.columns.iter().map(|column| column.levels.len()).collect()
    }

    /// Distinct tuples of the table.
    pub fn tuples(&self) -> usize {
        self.base.len()
    }

    /// The best node. A cancelled search gives what it has: the answer says so.
    pub async fn best(
        &self,
        question: &Question<'_>,
        budget: Budget,
        progress: &Progress<'_>,
    ) -> Result<Outcome, Failure> {
        if self.nodes() > MOST_LISTED {
            return self.explore(question, budget, progress).await;
        }
        let mut search = Search::new(self, question, budget, false)?;
        search.sweep(progress).await;
        Ok(search.outcome())
    }

    /// The same answer, sooner if `near` is good: what the search has to beat from the start, such as the best node of a
    /// question that was nearly the same.
    pub async fn best_near(
        &self,
        question: &Question<'_>,
        budget: Budget,
        near: &[u16],
        progress: &Progress<'_>,
    ) -> Result<Outcome, Failure> {
        if self.nodes() > MOST_LISTED || self.known(near).is_err() {
            return self.best(question, budget, progress).await;
        }
        let mut search = Search::new(self, question, budget, false)?;
        let pace = Pace::new(progress, "Searching the lattice", 0, None);
        search.compute(near, &mut Source::base(self), false, &pace).await?;
        search.sweep(progress).await;
        Ok(search.outcome())
    }

    /// The best node, by the search for lattices that are too large to list: give it a budget.
    pub async fn explore(
        &self,
        question: &Question<'_>,
        budget: Budget,
        progress: &Progress<'_>,
    ) -> Result<Outcome, Failure> {
        let mut search = Search::new(self, question, budget, false)?;
        search.explore(progress).await;
        Ok(search.outcome())
    }

    /// The best node, with every node of the lattice decided: feasible or not.
    pub async fn decide_all(
        &self,
        question: &Question<'_>,
        budget: Budget,
        progress: &Progress<'_>,
    ) -> Result<Outcome, Failure> {
        self.listed()?;
        let mut search = Search::new(self, question, budget, true)?;
        search.sweep(progress).await;
        Ok(search.outcome())
    }

    /// All minimal nodes.
    pub async fn minimal(
        &self,
        question: &Question<'_>,
        budget: Budget,
        progress: &Progress<'_>,
    ) -> Result<Minimal, Failure> {
        self.listed()?;
        let mut search = Search::new(self, question, budget, true)?;
        search.sweep(progress).await;
        search.minimal(progress).await
    }

    /// What a node costs, whether it is feasible or not.
    pub async fn evaluate(
        &self,
        question: &Question<'_>,
        node: &[u16],
        progress: &Progress<'_>,
    ) -> Result<Found, Failure> {
        self.known(node)?;
        let mut search = Search::new(self, question, Budget::default(), true)?;
        Ok(search.evaluate(node, &Pace::new(progress, "Computing a node", 0, None)).await?)
    }

    /// The release of a node: classes are numbered in order of their first rows.
    pub async fn release(
        &self,
        question: &Question<'_>,
        node: &[u16],
        progress: &Progress<'_>,
    ) -> Result<Release, Failure> {
        self.known(node)?;
        let mut search = Search::new(self, question, Budget::default(), true)?;
        search.evaluate(node, &Pace::new(progress, "Making the release", 0, None)).await?;
        let (classes, verdict) = (&search.classes, &search.verdict);
        let mut number = vec![SUPPRESSED; classes.sizes.len()];
        let mut examples: Vec<usize> = Vec::new();
        let class_of_row = self.tuple_of_row.iter().map(|&tuple| {
            let class = classes.class_of[tuple as usize] as usize;
            if number[class] == SUPPRESSED && !verdict.fails[class] {
                number[class] = examples.len() as u32;
                examples.push(tuple as usize);
            }
            number[class]
        });
        let class_of_row = class_of_row.collect();
        let nodes_of = |place: usize| {
            let level = self.columns.level(place, node);
            let code = |&tuple: &usize| level.code[self.base.code(&self.columns, place, tuple) as usize];
            examples.iter().map(|tuple| level.nodes[code(tuple) as usize]).collect()
        };
        let quasi = (0..self.columns.columns.len()).map(nodes_of).collect();
        Ok(Release { class_of_row, quasi, sensitive: vec![None; self.sensitive_leaves.len()] })
    }

    fn known(&self, node: &[u16]) -> Result<(), Failure> {
        let levels = self.levels();
        let known =
            node.len() == levels.len() && node.iter().zip(levels).all(|(&level, levels)| usize::from(level) < levels);
        let refusal = || Failure::refused("The lattice has no such node.", "Choose levels within the limits.");
        known.then_some(()).ok_or_else(refusal)
    }

    fn listed(&self) -> Result<(), Failure> {
        if self.nodes() <= MOST_LISTED {
            return Ok(());
        }
        Err(Failure::refused(
            "The lattice has too many nodes to decide all of them.",
            "Use fewer quasi-identifiers or hierarchies with fewer levels, or ask for the best node only.",
        ))
    }
}
