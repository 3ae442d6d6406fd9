//! Conflict rates (§5.2): how many rows two constraints compete for.
//!
//! The relevant rows Iσ are those that can show σ's values; cf(σi,σj) = |Iσi ∩ Iσj| ÷ |Iσi ∪ Iσj|, and 0 where there are
//! none. cf(Σ) is the mean over all pairs. (The paper's formula adds up only neighbours, cf(σi,σi+1), and divides by the
//! number of pairs, which its own words, "the average of all conflict scores for every pair", and its 1 for full overlap
//! contradict.) Complexity: O(|Σ| · rows + |Σ|² · rows ÷ 64).

use super::Constraint;
use super::bind::{Binder, Shows};
use crate::failure::Failure;
use crate::progress::{Progress, Report};

/// Some rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSet {
    words: Vec<u64>,
}

impl RowSet {
    pub fn of(rows: usize, contains: impl Fn(usize) -> bool) -> RowSet {
        let word = |word: usize| {
            let last = (word * 64 + 64).min(rows);
            (word * 64..last).fold(0, |bits, row| bits | u64::from(contains(row)) << (row % 64))
        };
        RowSet { words: (0..rows.div_ceil(64)).map(word).collect() }
    }

    pub fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Rows in both.
    pub fn shared(&self, other: &RowSet) -> u64 {
        self.words.iter().zip(&other.words).map(|(one, other)| u64::from((one & other).count_ones())).sum()
    }
}

/// The relevant rows of each constraint.
pub async fn relevant(
    binder: &Binder<'_>,
    constraints: &[Constraint],
    progress: &Progress<'_>,
) -> Result<Vec<RowSet>, Failure> {
    let mut sets = Vec::with_capacity(constraints.len());
    for (done, constraint) in constraints.iter().enumerate() {
        let fraction = Some(done as f64 / constraints.len() as f64);
        let report = || Report { phase: "Counting relevant rows".into(), fraction, detail: String::new() };
        progress.checkpoint(report).await?;
        let columns: Vec<_> = constraint.target.iter().map(|target| binder.codes(target, Shows::May)).collect();
        let shows = |row: usize| columns.iter().all(|(column, codes)| codes[column.codes[row] as usize]);
        sets.push(RowSet::of(binder.table.rows, shows));
    }
    Ok(sets)
}

/// cf(σi,σj) of two constraints' relevant rows.
pub fn rate(one: &RowSet, other: &RowSet) -> f64 {
    let shared = one.shared(other);
    let either = one.len() + other.len() - shared;
    if either == 0 { 0.0 } else { shared as f64 / either as f64 }
}

/// cf(σi,σj) of every pair i < j, in the order (0,1), (0,2), …, (1,2), ….
pub fn rates(sets: &[RowSet]) -> Vec<f64> {
    let pairs = (0..sets.len()).flat_map(|one| (one + 1..sets.len()).map(move |other| (one, other)));
    pairs.map(|(one, other)| rate(&sets[one], &sets[other])).collect()
}

/// cf(Σ), from the rates of all pairs.
pub fn total(rates: &[f64]) -> f64 {
    if rates.is_empty() { 0.0 } else { rates.iter().sum::<f64>() / rates.len() as f64 }
}
