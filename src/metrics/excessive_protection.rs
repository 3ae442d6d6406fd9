//! Excessive protection of (τ,ℓ)-diversity (Definition 8): e(E) = Σ_k |ψ(k) − F(k)|, k = 1 … number of base values, and
//! e(P) = min over classes.
//!
//! F(k) is the sum of the k largest induced frequencies of the class; ψ(k) = τ + (1 − τ)(k − 1) ÷ (ℓ − 1) for k < ℓ,
//! else 1. Base values are those that may occur (weight above 0). Complexity: O(rows + classes · values · log).

use super::induced::Induced;
use crate::classes::Histograms;
use crate::privacy::Histogram;
use crate::release::Released;

/// The parameters of (τ,ℓ)-diversity on one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct TauL {
    /// Place of the column among the release's sensitive ones.
    pub attribute: usize,
    pub tau: f64,
    pub l: u32,
    /// A weight p for each leaf of the column's tree, in its order; `None` is 1 for values that occur, 0 for others.
    pub weights: Option<Vec<f64>>,
}

impl TauL {
    /// ψ(k): what the k most frequent values may have together.
    pub fn allowed(&self, k: u32) -> f64 {
        if k >= self.l { 1.0 } else { self.tau + (1.0 - self.tau) * f64::from(k - 1) / f64::from(self.l - 1) }
    }
}

/// e(E) of a class, whose histogram counts nodes of the column's tree.
pub fn of_class(class: &Histogram<'_>, tau_l: &TauL, induced: &Induced<'_>) -> f64 {
    let mut shares: Vec<(usize, f64)> = Vec::with_capacity(class.counts.len());
    for &(node, count) in class.counts {
        shares.extend(induced.spread(node, count));
    }
    // Nodes come in pre-order, but a group and a value in it give shares to the same leaf.
    shares.sort_by_key(|&(place, _)| place);
    let same = shares.chunk_by(|one, other| one.0 == other.0);
    let size = f64::from(class.size);
    let mut frequencies: Vec<f64> = same.map(|shares| shares.iter().map(|share| share.1).sum::<f64>() / size).collect();
    frequencies.sort_by(|one, other| other.total_cmp(one));
    let mut sum = 0.0;
    let mut excess = 0.0;
    for place in 0..induced.values().max(frequencies.len()) {
        sum += frequencies.get(place).copied().unwrap_or(0.0);
        // Rounding alone must not make a difference once every value is in the sum.
        let dominant = if place + 1 >= frequencies.len() { 1.0 } else { sum };
        excess += (tau_l.allowed(place as u32 + 1) - dominant).abs();
    }
    excess
}

/// e(P); `None` when nothing is kept or the column is none of the release's.
pub fn of(released: &Released<'_>, tau_l: &TauL) -> Option<f64> {
    let sensitive = released.sensitive.get(tau_l.attribute)?;
    let column = &released.table.columns[sensitive.column];
    let occurring = || Induced::occurring(&sensitive.tree, sensitive.leaves_that_occur(column));
    let induced = tau_l.weights.clone().map_or_else(occurring, |weights| Induced::new(&sensitive.tree, weights));
    let (kept, classes) = released.release.seen(released.table, released.quasi);
    let nodes = released.sensitive_nodes(tau_l.attribute);
    let nodes: Vec<u32> = kept.iter().map(|&row| nodes[row as usize]).collect();
    let histograms = Histograms::new(&classes, &nodes);
    let excesses = histograms.iter().map(|class| of_class(&class, tau_l, &induced));
    excesses.min_by(|one, other| one.total_cmp(other))
}
