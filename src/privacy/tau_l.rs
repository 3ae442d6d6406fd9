//! (τ,ℓ)-diversity: bounds on the shares of the 1, 2, … most frequent values, where sensitive cells may be generalized.
//!
//! A cell counts for the leaves that it covers, in proportion to their weights (Definition 2). F(k) is the share of the
//! k most frequent leaves (Definition 3); it may be at most ψ(k), which rises evenly from τ at k = 1 to 1 at k = ℓ
//! (Definition 4). Groups so have the paper's own meaning. Unknown cells may not dilute: of n rows, u of them unknown,
//! F(k) = u/n + the k largest sums of the known cells, each over n, which is as if all unknown cells were the most frequent
//! leaf (docs/models.md). Complexity: O(leaves covered by the class's values · log).

use crate::sorting::Sorting;
use crate::words::percent;
use std::ops::Range;

use super::wording::list;
use super::{Better, Model, Monotone, at_least, at_most};
use crate::classes::Histogram;
use crate::hierarchy::{Hierarchy, NodeId};

#[derive(Clone, Debug, PartialEq)]
pub struct TauL {
    pub tau: f64,
    pub l: u32,
    pub induced: Induced,
}

/// What each code stands for: leaves of the sensitive column's tree, as places in [`Hierarchy::leaves`].
#[derive(Clone, Debug, PartialEq)]
pub struct Induced {
    /// The leaves of each code and the sum of their weights.
    codes: Vec<(Range<usize>, f64)>,
    weights: Vec<f64>,
    /// Codes of unknown cells, ascending.
    unknown: Vec<u32>,
}

/// A leaf's place and its induced frequency.
pub type Induction = (u32, f64);

impl Induced {
    /// `nodes`: the node of each code. `weights`: one a leaf, in order; leaves without one have the weight 0.
    pub fn new(tree: &Hierarchy, nodes: &[NodeId], weights: &[f64]) -> Self {
        let mut weights = weights.to_vec();
        weights.resize(tree.leaves().len(), 0.0);
        // Pre-order: the leaves before a node are those with lower numbers.
        let leaves = |node: NodeId| {
            let first = tree.leaves().partition_point(|&leaf| leaf < node);
            first..first + tree.leaf_count(node)
        };
        let with_weight = |leaves: Range<usize>| (leaves.clone(), weights[leaves].iter().sum());
        let codes = nodes.iter().map(|&node| with_weight(leaves(node))).collect();
        Induced { codes, weights, unknown: Vec::new() }
    }

    /// The same where some codes are unknown cells.
    pub fn with_unknown(mut self, mut codes: Vec<u32>) -> Self {
        codes.order();
        self.unknown = codes;
        self
    }

    fn is_unknown(&self, code: u32) -> bool {
        !self.unknown.is_empty() && self.unknown.binary_search(&code).is_ok()
    }

    /// The same where codes are the tree's nodes.
    pub fn of_nodes(tree: &Hierarchy, weights: &[f64]) -> Self {
        Induced::new(tree, &(0..tree.len() as NodeId).collect::<Vec<_>>(), weights)
    }

    /// The weight of each leaf.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.weights.len()
    }

    /// Number of leaves with a weight: those that may occur.
    pub fn values(&self) -> usize {
        self.weights.iter().filter(|&&weight| weight > 0.0).count()
    }

    /// What `amount` of a code is for the leaves it stands for, as places among the leaves and shares of the amount. A
    /// cell whose leaves all have the weight 0 counts for each of them alike; a code without a node stands for itself.
    pub fn spread(&self, code: u32, amount: f64) -> impl Iterator<Item = Induction> + '_ {
        let itself = self.weights.len() as u32 + code;
        let (leaves, weight) = match self.codes.get(code as usize) {
            Some((leaves, weight)) => (leaves.clone(), *weight),
            None => (0..1, f64::NAN),
        };
        let among = leaves.len() as f64;
        let part = move |leaf: usize| {
            if weight.is_nan() {
                (itself, amount)
            } else if weight > 0.0 {
                (leaf as u32, amount * (self.weights[leaf] / weight))
            } else {
                (leaf as u32, amount * (1.0 / among))
            }
        };
        leaves.map(part).filter(|&(_, share)| share > 0.0)
    }

    /// The weights where nobody's knowledge is known: 1 for leaves that occur in the data, 0 for others. `counts` says
    /// how often each code occurs.
    pub fn weights_of_occurring(tree: &Hierarchy, nodes: &[NodeId], counts: &[u32]) -> Vec<f64> {
        let mut weights = vec![0.0; tree.leaves().len()];
        for (&node, _) in nodes.iter().zip(counts).filter(|&(_, &count)| count > 0) {
            if let Ok(place) = tree.leaves().binary_search(&node) {
                weights[place] = 1.0;
            }
        }
        weights
    }

    /// The induced frequencies of a class, highest first (of equals, the first leaf first), none of which is 0. Unknown
    /// cells count for the most frequent leaf.
    pub fn frequencies_into(&self, class: &Histogram<'_>, frequencies: &mut Vec<Induction>) {
        frequencies.clear();
        let mut unknown = 0u32;
        for &(code, count) in class.counts {
            if self.is_unknown(code) {
                unknown += count;
                continue;
            }
            frequencies.extend(self.spread(code, f64::from(count) / f64::from(class.size)));
        }
        frequencies.sort_by_key(|&(leaf, _)| leaf);
        frequencies.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        frequencies.sort_by(|one, other| other.1.total_cmp(&one.1));
        if unknown > 0 {
            let share = f64::from(unknown) / f64::from(class.size);
            match frequencies.first_mut() {
                Some(highest) => highest.1 += share,
                // Any one leaf.
                None => frequencies.push((0, share)),
            }
        }
    }

    pub fn frequencies(&self, class: &Histogram<'_>) -> Vec<Induction> {
        let mut frequencies = Vec::with_capacity(class.counts.len());
        self.frequencies_into(class, &mut frequencies);
        frequencies
    }
}

/// F(1), F(2), … of induced frequencies, highest first.
pub fn cumulative_frequencies(frequencies: &[Induction]) -> impl Iterator<Item = f64> + '_ {
    frequencies.iter().scan(0.0, |sum, &(_, frequency)| {
        *sum += frequency;
        Some(*sum)
    })
}

/// ψ(k): the most that the k most frequent leaves may have.
pub fn cumulative_limit(tau: f64, l: u32, k: u32) -> f64 {
    match k {
        0 => 0.0,
        1 => tau,
        _ if k >= l => 1.0,
        _ => tau + (1.0 - tau) * f64::from(k - 1) / f64::from(l - 1),
    }
}

/// The smallest τ with which induced frequencies, highest first, meet (τ,ℓ).
pub fn smallest_tau(frequencies: &[Induction], l: u32) -> f64 {
    smallest_tau_for(cumulative_frequencies(frequencies), l)
}

/// The same for F(1), F(2), ….
pub fn smallest_tau_for(cumulative: impl Iterator<Item = f64>, l: u32) -> f64 {
    let bounded = l.max(2) - 1;
    let mut tau: f64 = 0.0;
    for (before, cumulative) in (0..bounded).zip(cumulative) {
        // F(k) ≤ τ·(1 − rise) + rise, solved for τ.
        let rise = f64::from(before) / f64::from(bounded);
        let needed = (cumulative - rise) / (1.0 - rise);
        if needed > tau {
            tau = needed;
        }
    }
    tau
}

impl TauL {
    /// The first k whose bound is broken, and F(k).
    fn broken(&self, frequencies: &[Induction]) -> Option<(usize, f64)> {
        let limit = |k: usize| cumulative_limit(self.tau, self.l, k as u32);
        // From ℓ on, and at least from 2 on, everything is allowed.
        let bounded = self.l.max(2) as usize - 1;
        let mut cumulative = (1..).zip(cumulative_frequencies(frequencies)).take(bounded);
        cumulative.find(|&(k, share)| !at_most(share, limit(k)))
    }
}

/// Whether frequencies that sum to this are all of a class: what is lost of them would be under no bound.
fn is_all(sum: f64, class: &Histogram<'_>) -> bool {
    class.counts.is_empty() || at_least(sum, 1.0)
}

/// Up to so many leaves and bounds, a class is looked at without asking for memory.
const FEW_LEAVES: usize = 64;
const FEW_BOUNDS: usize = 16;

impl TauL {
    /// What [`Model::holds`] says, found by the same sums; `None` where leaves or bounds are too many.
    fn holds_for_few(&self, class: &Histogram<'_>) -> Option<bool> {
        let bounded = self.l.max(2) as usize - 1;
        if self.induced.leaves() > FEW_LEAVES || bounded > FEW_BOUNDS {
            return None;
        }
        let mut masses = [0.0; FEW_LEAVES];
        let mut unknown = 0u32;
        for &(code, count) in class.counts {
            if self.induced.is_unknown(code) {
                unknown += count;
                continue;
            }
            for (leaf, share) in self.induced.spread(code, f64::from(count) / f64::from(class.size)) {
                *masses[..self.induced.leaves()].get_mut(leaf as usize)? += share;
            }
        }
        // The highest so far, falling.
        let mut highest = [0.0; FEW_BOUNDS];
        for &mass in &masses[..self.induced.leaves()] {
            let mut place = bounded - 1;
            if mass <= highest[place] {
                continue;
            }
            while place > 0 && highest[place - 1] < mass {
                highest[place] = highest[place - 1];
                place -= 1;
            }
            highest[place] = mass;
        }
        let unknown = f64::from(unknown) / f64::from(class.size.max(1));
        if !is_all(masses[..self.induced.leaves()].iter().sum::<f64>() + unknown, class) {
            return Some(false);
        }
        let mut sum = unknown;
        Some((1..).zip(&highest[..bounded]).all(|(k, frequency)| {
            sum += frequency;
            at_most(sum, cumulative_limit(self.tau, self.l, k))
        }))
    }
}

impl Model for TauL {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        self.holds_for_few(class).unwrap_or_else(|| {
            let frequencies = self.induced.frequencies(class);
            is_all(frequencies.iter().map(|&(_, frequency)| frequency).sum(), class)
                && self.broken(&frequencies).is_none()
        })
    }

    /// A merged class has the weighted means of its parts' induced frequencies, and F(k), a maximum of sums of them, is
    /// convex: at most the mean of the parts' F(k). The share of unknown cells is a mean, too. Rows of one value, added alone, raise F(1).
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    /// The smallest τ.
    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        smallest_tau(&self.induced.frequencies(class), self.l)
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn as_tau_l(&self) -> Option<&TauL> {
        Some(self)
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        let frequencies = self.induced.frequencies(class);
        let (k, share) = self.broken(&frequencies)?;
        let limit = percent(cumulative_limit(self.tau, self.l, k as u32));
        // Only codes have names: a leaf has the one of the code that stands for it alone.
        let named = |&(leaf, _): &Induction| {
            let leaf = leaf as usize;
            let code = self.induced.codes.iter().position(|(leaves, _)| *leaves == (leaf..leaf + 1))?;
            Some(name(code as u32))
        };
        let names: Option<Vec<String>> = frequencies[..k].iter().map(named).collect();
        let which = match (k, names) {
            (1, Some(names)) => list(&names),
            (1, None) => "one value".to_owned(),
            (_, Some(names)) => format!("one of {} values ({})", k, list(&names)),
            (_, None) => format!("one of {k} values"),
        };
        let chance = percent(share);
        let unknown = match class.counts.iter().any(|&(code, _)| self.induced.is_unknown(code)) {
            true => " Missing values that may be any value are counted as the most frequent one.",
            false => "",
        };
        Some(format!("The chance that a person in it has {which} is {chance}; at most {limit} are allowed.{unknown}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// Looked at without asking for memory, a class holds exactly when its sorted frequencies do, on the bound too.
        #[test]
        fn few_leaves_and_many_are_judged_alike(
            weights in prop::collection::vec(0u32..4, 6),
            counts in prop::collection::btree_map(0u32..11, 1u32..9, 0..8),
            parts in 1u32..20, l in 1u32..9,
        ) {
            let rows = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"], ["e", "e+", "*"], ["f", "f+", "*"]];
            let tree = Hierarchy::from_rows(&rows.map(|row| row.to_vec())).unwrap();
            let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            let counts: Vec<(u32, u32)> = counts.into_iter().collect();
            let class = Histogram { size: counts.iter().map(|&(_, count)| count).sum(), counts: &counts };
            let model = TauL { tau: f64::from(parts) / 20.0, l, induced: Induced::of_nodes(&tree, &weights) };
            let by_frequencies = model.broken(&model.induced.frequencies(&class)).is_none();
            prop_assert_eq!(model.holds_for_few(&class), Some(by_frequencies));
            // A code without a node, leaves or bounds too many: not said.
            let stranger = Histogram { size: 1, counts: &[(99, 1)] };
            prop_assert_eq!(model.holds_for_few(&stranger), None);
            prop_assert_eq!(TauL { l: 18, ..model.clone() }.holds_for_few(&class), None);
            prop_assert!(!model.holds(&stranger) || model.tau == 1.0 || l == 1);
        }
    }

    /// Shares of an infinite sum are 0: a class whose frequencies are lost does not hold, however many leaves there are.
    #[test]
    fn frequencies_that_are_lost_hold_nothing() {
        for leaves in [2, FEW_LEAVES + 1] {
            let tree = Hierarchy::flat((0..leaves).map(|leaf| leaf.to_string()));
            let holds = |weight: f64| {
                let induced = Induced::of_nodes(&tree, &vec![weight; leaves]);
                TauL { tau: 0.5, l: 2, induced }.holds(&Histogram { size: 7, counts: &[(0, 7)] })
            };
            assert!(holds(1.0) && holds(1e-300) && !holds(1.7e308));
        }
    }
}
