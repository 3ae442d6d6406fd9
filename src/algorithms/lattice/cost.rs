//! What a node costs (docs/spec.md §6), and what it and all coarser nodes cost at least.
//!
//! - *discernibility*: Σ|E|² + suppressed · rows; *height*: the sum of the levels; *average class size*: kept rows ÷
//!   classes (the rows of the table when there is no class);
//! - *loss* of a column: the mean over rows of (leaves(v) − 1) ÷ (leaves of the tree − 1), a suppressed row counting 1;
//!   of the table: the arithmetic mean over columns, or Π(1 + x)^(1/columns) − 1;
//! - *KL-divergence*: see [`super::divergence`].
//!
//! Bound: without suppression each of these only grows from a node to a coarser one, and suppressing only adds, because
//! a suppressed row costs as much as a row can. Only the average class size may fall when rows are suppressed: at least
//! (rows − limit) ÷ classes remain.
//! Sums are made of integers, so that they do not depend on how a node was reached.

use super::Lattice;
use super::divergence::Divergence;
use super::grouping::Grouping;
use super::levels::{Columns, Lift};
use super::rules::Verdict;
use super::tuples::{Entries, Tuples};
use crate::policy::Metric;

impl Metric {
    /// Whether computed bounds are exactly at most computed costs, to the last bit.
    pub(super) fn exact(self) -> bool {
        !matches!(self, Metric::LossGeometric | Metric::KlDivergence)
    }
}

pub(super) struct Costs<'a> {
    columns: &'a Columns,
    metric: Metric,
    rows: u64,
    limit: u64,
    /// For each column and level, the sum over rows of leaves(v) − 1.
    leaves: &'a [Vec<u64>],
    /// For the metric that it is.
    divergence: Option<Divergence<'a>>,
}

impl<'a> Costs<'a> {
    /// `everything` is the feature of all sensitive columns together.
    pub fn new(lattice: &'a Lattice, metric: Metric, limit: u64, everything: Option<usize>) -> Self {
        let rows = lattice.tuple_of_row.len() as u64;
        let divergence = everything.map(|feature| Divergence::new(lattice, feature));
        Costs { columns: &lattice.columns, metric, rows, limit, leaves: &lattice.leaves, divergence }
    }

    /// The most suppressed rows with which a table can still cost no more than `best`, each kept class having at least
    /// `least` rows.
    pub fn cap(&self, best: f64, least: u32) -> u64 {
        let most = match self.metric {
            Metric::Discernibility => {
                let least = u64::from(least).min(self.rows);
                let over = (best as u64).saturating_sub(self.rows * least);
                over.checked_div(self.rows - least).unwrap_or(u64::MAX)
            }
            Metric::Loss | Metric::LossGeometric => (best * self.rows as f64 + 1e-6) as u64,
            Metric::Height | Metric::AverageClassSize | Metric::KlDivergence => u64::MAX,
        };
        most.min(self.limit)
    }

    /// What any node at least as coarse costs at least, by its levels alone.
    pub fn bound_of_levels(&self, node: &[u16]) -> f64 {
        match self.metric {
            Metric::Height => height(node),
            Metric::Loss | Metric::LossGeometric => self.loss(node, &[], 0),
            _ => 0.0,
        }
    }

    /// What any node at least as coarse costs at least, given the sizes of this node's classes.
    pub fn bound(&self, node: &[u16], sizes: &[u32]) -> f64 {
        match self.metric {
            Metric::Discernibility => sizes.iter().map(|&size| u64::from(size) * u64::from(size)).sum::<u64>() as f64,
            Metric::AverageClassSize => self.rows.saturating_sub(self.limit) as f64 / sizes.len().max(1) as f64,
            Metric::KlDivergence => self.divergence.as_ref().map_or(0.0, |divergence| divergence.bound(node, sizes)),
            Metric::Height | Metric::Loss | Metric::LossGeometric => self.bound_of_levels(node),
        }
    }

    /// What a node costs. `classes` are those that `source` was grouped into; `features` are of the source.
    pub fn cost(
        &self,
        node: &[u16],
        classes: &Grouping,
        source: &Tuples,
        features: &[Entries],
        verdict: &Verdict,
    ) -> f64 {
        let sizes = &classes.sizes;
        let kept = || sizes.iter().zip(&verdict.fails).filter(|&(_, fails)| !fails).map(|(&size, _)| size);
        match self.metric {
            Metric::Discernibility => {
                let squares: u64 = kept().map(|size| u64::from(size) * u64::from(size)).sum();
                (squares + verdict.suppressed * self.rows) as f64
            }
            Metric::Height => height(node),
            Metric::AverageClassSize => match kept().count() {
                0 => self.rows as f64,
                classes => (self.rows - verdict.suppressed) as f64 / classes as f64,
            },
            Metric::Loss | Metric::LossGeometric => {
                self.loss(node, &self.suppressed(node, &classes.class_of, source, verdict), verdict.suppressed)
            }
            Metric::KlDivergence => {
                let cost = |divergence: &Divergence| divergence.cost(node, classes, source, features, verdict);
                self.divergence.as_ref().map_or(0.0, cost)
            }
        }
    }

    /// For each column, the suppressed rows of each code; nothing when there are none.
    fn suppressed(&self, node: &[u16], class_of: &[u32], source: &Tuples, verdict: &Verdict) -> Vec<Vec<u64>> {
        if verdict.suppressed == 0 {
            return Vec::new();
        }
        let columns = &self.columns.columns;
        let lifts: Vec<Lift> =
            columns.iter().enumerate().map(|(place, column)| column.lift(source.node[place], node[place])).collect();
        let mut rows: Vec<Vec<u64>> =
            (0..columns.len()).map(|place| vec![0; self.columns.level(place, node).size()]).collect();
        for (tuple, &class) in class_of.iter().enumerate() {
            if verdict.fails[class as usize] {
                for (place, (lift, rows)) in lifts.iter().zip(&mut rows).enumerate() {
                    rows[lift.of(source.code(self.columns, place, tuple)) as usize] += u64::from(source.sizes[tuple]);
                }
            }
        }
        rows
    }

    fn loss(&self, node: &[u16], suppressed: &[Vec<u64>], rows: u64) -> f64 {
        let (mut sum, mut logarithms) = (0.0, 0.0);
        for (place, column) in self.columns.columns.iter().enumerate() {
            let level = self.columns.level(place, node);
            let gone = suppressed.get(place).map_or(0, |rows| {
                rows.iter().zip(&level.leaves).map(|(&rows, &leaves)| rows * (u64::from(leaves) - 1)).sum::<u64>()
            });
            let all = u64::from(column.leaves) - 1;
            let loss = if all == 0 {
                rows as f64 / self.rows.max(1) as f64
            } else {
                let kept = self.leaves[place][node[place] as usize] - gone;
                (kept + rows * all) as f64 / (self.rows.max(1) * all) as f64
            };
            sum += loss;
            logarithms += libm::log1p(loss);
        }
        let columns = self.columns.columns.len().max(1) as f64;
        if self.metric == Metric::Loss { sum / columns } else { libm::expm1(logarithms / columns) }
    }
}

fn height(node: &[u16]) -> f64 {
    node.iter().map(|&level| f64::from(level)).sum()
}
