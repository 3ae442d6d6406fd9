//! KL-divergence (l-diversity, §6) of a node, as [`crate::metrics::kl_divergence`] measures a release: over
//! quasi-identifiers and sensitive columns together, each class spread evenly over the leaves it covers, and suppressed
//! rows over the whole domain.
//!
//! Bound: the estimate of a node is even inside each of its cells, with suppression, too; of all such estimates the one
//! without suppression is the nearest to the data, and a coarser node has fewer to choose from. Leaving the sensitive
//! columns out makes it smaller still, and needs only the sizes of classes.
//! Sums do not depend on the order of the classes, which is that of the input's rows, nor on the tuples they were grouped from.

use super::grouping::Grouping;
use super::levels::Lift;
use super::rules::Verdict;
use super::tuples::{Entries, Members, Sum, Tuples};
use super::{Lattice, levels::Columns};
use crate::exact_sum::CompensatedSum;

pub(super) struct Divergence<'a> {
    columns: &'a Columns,
    rows_of_code: &'a [Vec<Vec<u64>>],
    rows: f64,
    /// The feature of all sensitive columns together.
    feature: usize,
    /// Σ n·ln n over the tuples of quasi-identifiers, and with the sensitive columns.
    tuples: f64,
    with_sensitive: f64,
    /// Logarithm of the size of the whole domain.
    domain: f64,
    /// For each column and level, the logarithm of the leaves under each code.
    leaves: Vec<Vec<Vec<f64>>>,
}

impl<'a> Divergence<'a> {
    pub fn new(lattice: &'a Lattice, feature: usize) -> Self {
        let columns = &lattice.columns;
        let logarithms = |leaves: &Vec<u32>| leaves.iter().map(|&leaves| libm::log(f64::from(leaves))).collect();
        let of_level = |level: &super::levels::Level| logarithms(&level.leaves);
        let leaves = columns.columns.iter().map(|column| column.levels.iter().map(of_level).collect()).collect();
        let quasi: f64 = columns.columns.iter().map(|column| libm::log(f64::from(column.leaves))).sum();
        let sensitive: f64 = lattice.sensitive_leaves.iter().map(|&leaves| libm::log(f64::from(leaves.max(1)))).sum();
        Divergence {
            columns,
            rows_of_code: &lattice.rows_of_code,
            rows: lattice.tuple_of_row.len().max(1) as f64,
            feature,
            tuples: sum(lattice.base.sizes.iter().map(|&size| weighted(size))),
            with_sensitive: sum(lattice.base.features[feature].counts.iter().map(|&(_, count)| weighted(count))),
            domain: quasi + sensitive,
            leaves,
        }
    }

    pub fn bound(&self, node: &[u16], sizes: &[u32]) -> f64 {
        let mut areas = CompensatedSum::default();
        for (place, &level) in node.iter().enumerate() {
            let rows = &self.rows_of_code[place][usize::from(level)];
            let leaves = &self.leaves[place][usize::from(level)];
            rows.iter().zip(leaves).for_each(|(&rows, leaves)| areas.add(rows as f64 * leaves));
        }
        let classes = sum(sizes.iter().map(|&size| weighted(size)));
        not_negative((self.tuples - classes + areas.total()) / self.rows)
    }

    pub fn cost(
        &self,
        node: &[u16],
        classes: &Grouping,
        source: &Tuples,
        features: &[Entries],
        verdict: &Verdict,
    ) -> f64 {
        let entries = &features[self.feature];
        let lifts: Vec<Lift> =
            (0..node.len()).map(|place| self.columns.columns[place].lift(source.node[place], node[place])).collect();
        let (mut members, mut counts) = (Members::default(), Sum::default());
        members.sort(&classes.class_of, classes.sizes.len());
        let gone = verdict.suppressed as f64;
        // What suppressed rows give to every tuple.
        let everywhere = if verdict.suppressed == 0 { 0.0 } else { libm::exp(libm::log(gone) - self.domain) };
        let mut kept = CompensatedSum::default();
        for class in (0..classes.sizes.len()).filter(|&class| !verdict.fails[class]) {
            let example = classes.first[class] as usize;
            let area: f64 = (0..node.len())
                .map(|place| {
                    let code = lifts[place].of(source.code(self.columns, place, example));
                    self.leaves[place][usize::from(node[place])][code as usize]
                })
                .sum();
            for &tuple in members.of(class) {
                entries.of(tuple).iter().for_each(|&(value, count)| counts.add(value, count));
            }
            for &(_, count) in counts.take() {
                let count = f64::from(count);
                kept.add(
                    count
                        * if verdict.suppressed == 0 {
                            libm::log(count) - area
                        } else {
                            libm::log(libm::exp(libm::log(count) - area) + everywhere)
                        },
                );
            }
        }
        let gone = if verdict.suppressed == 0 { 0.0 } else { gone * (libm::log(gone) - self.domain) };
        not_negative((self.with_sensitive - kept.total() - gone) / self.rows)
    }
}

fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    CompensatedSum::from_iter(terms).total()
}

/// count · ln count.
fn weighted(count: u32) -> f64 {
    f64::from(count) * libm::log(f64::from(count))
}

/// Rounding can put a divergence of 0 a little below.
fn not_negative(value: f64) -> f64 {
    if value < 0.0 { 0.0 } else { value }
}
