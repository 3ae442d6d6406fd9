//! Excessive protection of (τ,ℓ)-diversity (Definition 8): e(E) = Σ_k |ψ(k) − F(k)|, k = 1 … number of base values, and
//! e(P) = min over classes.
//!
//! F(k) is the sum of the k largest induced frequencies of the class; ψ(k) = τ + (1 − τ)(k − 1) ÷ (ℓ − 1) for k < ℓ,
//! else 1. Base values are those that may occur (weight above 0). Complexity: O(rows + classes · values · log).

use crate::classes::Histogram;
use crate::classes::Histograms;
use crate::privacy::{Induced, cumulative_frequencies, cumulative_limit};
use crate::release::Released;

/// The parameters of (τ,ℓ)-diversity on one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Place of the column among the release's sensitive ones.
    pub attribute: usize,
    pub tau: f64,
    pub l: u32,
    /// A weight p for each leaf of the column's tree, in its order; `None` is 1 for values that occur, 0 for others.
    pub weights: Option<Vec<f64>>,
}

/// e(E) of a class, whose histogram counts the codes of `induced`.
pub fn of_class(class: &Histogram<'_>, asked: &Asked, induced: &Induced) -> f64 {
    let frequencies = induced.frequencies(class);
    let mut cumulative = cumulative_frequencies(&frequencies);
    let mut excess = 0.0;
    for k in 1..=induced.values().max(frequencies.len()) {
        let sum = cumulative.next().unwrap_or(1.0);
        // Rounding alone must not make a difference once every value is in the sum.
        let dominant = if k >= frequencies.len() { 1.0 } else { sum };
        excess += (cumulative_limit(asked.tau, asked.l, k as u32) - dominant).abs();
    }
    excess
}

/// e(P); `None` when nothing is kept or the column is none of the release's.
pub fn of(released: &Released<'_>, asked: &Asked) -> Option<f64> {
    let sensitive = released.sensitive.get(asked.attribute)?;
    let column = &released.table.columns[sensitive.column];
    let occurring = || sensitive.weights_of_occurring(&column.counts);
    let weights = asked.weights.clone().unwrap_or_else(occurring);
    let induced = sensitive.induced(&weights);
    let (kept, classes) = released.release.seen(released.quasi);
    let nodes = released.sensitive_nodes(asked.attribute);
    let nodes: Vec<u32> = kept.iter().map(|&row| nodes[row as usize]).collect();
    let histograms = Histograms::new(&classes, &nodes);
    let excesses = histograms.iter().map(|class| of_class(&class, asked, &induced));
    excesses.min_by(|one, other| one.total_cmp(other))
}
