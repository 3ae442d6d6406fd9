//! Induced frequencies of a class that changes row by row, in whole numbers (Definitions 2 to 4).
//!
//! A row counts [`Shares::unit`] in all, divided among the leaves that its cell covers. When the weights are whole, or so
//! many times as large as whole and small numbers, the unit is a common multiple of all divisors, and nothing is rounded. Sums never depend on the order in
//! which rows came and went. Complexity: O(leaves under the cell) for a row, O(leaves present) for a question.

use crate::hierarchy::NodeId;
use crate::policy::Sensitive;
use crate::privacy::{TOLERANCE, cumulative_limit};

/// The largest unit: with 2³² rows of it, sums stay below 2⁶³.
const LARGEST: u64 = 1 << 31;
/// The unit where divisors have no common multiple below that.
const ROUNDED: u64 = 1 << 30;
/// Weights that are whole and below this are exact.
const LARGEST_WEIGHT: f64 = (1u64 << 20) as f64;

/// Weights that are whole so many times are exact, too.
const MOST_TIMES: u32 = 1000;

/// What a row of each node counts for the leaves under it, and what is allowed.
#[derive(Debug)]
pub struct Shares {
    pub unit: u64,
    /// For every node the places of leaves and their parts of the unit.
    of_node: Vec<Vec<(u32, u64)>>,
    /// ψ(1), …, ψ(ℓ − 1), with the tolerance; of several demands the lowest.
    limits: Vec<f64>,
    leaves: usize,
    /// The leaf of unknown cells, which count for the most frequent other leaf.
    unknown: Option<u32>,
}

impl Shares {
    /// `weights`: one a leaf, in order.
    pub fn new(sensitive: &Sensitive, weights: &[f64], tau: f64, l: u32) -> Shares {
        let tree = &sensitive.tree;
        let weights = &in_whole_numbers(weights).unwrap_or_else(|| weights.to_vec());
        let weight = |place: usize| weights.get(place).copied().unwrap_or(0.0);
        let mut parts: Vec<Vec<(u32, f64)>> = Vec::with_capacity(tree.len());
        let unknown = sensitive.unknown.and_then(|leaf| tree.leaves().binary_search(&leaf).ok());
        for &node in &sensitive.read_as {
            let first = tree.leaves().partition_point(|&leaf| leaf < node);
            let places = first..first + tree.leaf_count(node);
            let with_weight: Vec<(u32, f64)> =
                places.clone().map(|place| (place as u32, weight(place))).filter(|part| part.1 > 0.0).collect();
            // A cell whose leaves all have the weight 0 counts for each of them alike.
            let is_one = places.len() == 1;
            let may_be = |place: &usize| is_one || unknown != Some(*place);
            let alike = || places.filter(may_be).map(|place| (place as u32, 1.0)).collect();
            parts.push(if with_weight.is_empty() { alike() } else { with_weight });
        }
        let exact = common_multiple(&parts);
        let unit = exact.unwrap_or(ROUNDED);
        let of_part = |part: &Vec<(u32, f64)>| {
            let total: f64 = part.iter().map(|&(_, weight)| weight).sum();
            let share = |&(place, weight): &(u32, f64)| match exact {
                Some(unit) => (place, unit * weight as u64 / total as u64),
                None => (place, (weight / total * ROUNDED as f64).round() as u64),
            };
            part.iter().map(share).collect()
        };
        let limits = (1..l.max(2)).map(|k| cumulative_limit(tau, l, k) + TOLERANCE).collect();
        let unknown = unknown.map(|place| place as u32);
        Shares { unit, of_node: parts.iter().map(of_part).collect(), limits, leaves: tree.leaves().len(), unknown }
    }

    /// The same shares, of which (τ,ℓ) is asked as well.
    pub fn and(mut self, tau: f64, l: u32) -> Shares {
        let length = self.limits.len().max(l.max(2) as usize - 1);
        self.limits.resize(length, 1.0 + TOLERANCE);
        for (k, limit) in (1..l).zip(&mut self.limits) {
            *limit = limit.min(cumulative_limit(tau, l, k) + TOLERANCE);
        }
        self
    }

    /// Rows that count for fewer leaves do not hold, and nor does any part of them.
    pub fn least_values(&self) -> u32 {
        1 + self.limits.iter().take_while(|&&limit| limit < 1.0).count() as u32
    }

    /// The leaves that a row of a node counts for as values; unknown cells add none to those that are there, and alone are
    /// no more than one, which is too few.
    pub fn values(&self, node: NodeId) -> impl Iterator<Item = u32> + '_ {
        self.of(node).iter().map(|&(leaf, _)| leaf).filter(|&leaf| self.unknown != Some(leaf))
    }

    /// The leaves that a row of a node counts for, and for how much.
    pub fn of(&self, node: NodeId) -> &[(u32, u64)] {
        &self.of_node[node as usize]
    }
}

/// The same weights in relation to each other, all whole: those that are already, thirds, tenths, equal ones of any size.
fn in_whole_numbers(weights: &[f64]) -> Option<Vec<f64>> {
    let is_exact = |weight: &f64| weight.fract() == 0.0 && *weight < LARGEST_WEIGHT;
    if weights.iter().all(is_exact) {
        return None;
    }
    let least = weights.iter().copied().filter(|&weight| weight > 0.0).reduce(f64::min)?;
    let times = |factor: u32| {
        let whole = |weight: &f64| {
            let scaled = weight / least * f64::from(factor);
            ((scaled.round() - scaled).abs() <= scaled * 1e-12).then_some(scaled.round())
        };
        weights.iter().map(whole).collect()
    };
    (1..=MOST_TIMES).find_map(times)
}

/// A number of which every leaf's part of every node is a whole one; `None` if there is none that is small enough.
fn common_multiple(parts: &[Vec<(u32, f64)>]) -> Option<u64> {
    let mut multiple = 1u64;
    for part in parts {
        let mut total = 0u64;
        let mut divisor = 0u64;
        for &(_, weight) in part {
            if weight.fract() != 0.0 || weight >= LARGEST_WEIGHT {
                return None;
            }
            total += weight as u64;
            divisor = greatest_common_divisor(divisor, weight as u64);
        }
        let needed = total / divisor.max(1);
        multiple = multiple / greatest_common_divisor(multiple, needed) * needed;
        // Times a weight must fit, too.
        if multiple > LARGEST {
            return None;
        }
    }
    Some(multiple)
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The induced frequencies of some rows.
#[derive(Debug)]
pub struct Masses<'s> {
    shares: &'s Shares,
    pub size: u64,
    masses: Vec<u64>,
    /// Leaves that may have a mass, and whether each is one of them.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    largest: Vec<u64>,
}

impl<'s> Masses<'s> {
    pub fn new(shares: &'s Shares) -> Self {
        let (masses, is_touched) = (vec![0; shares.leaves], vec![false; shares.leaves]);
        Masses { shares, size: 0, masses, touched: Vec::new(), is_touched, largest: Vec::new() }
    }

    pub fn clear(&mut self) {
        for leaf in self.touched.drain(..) {
            self.masses[leaf as usize] = 0;
            self.is_touched[leaf as usize] = false;
        }
        self.size = 0;
    }

    pub fn add(&mut self, node: NodeId, rows: u64) {
        self.size += rows;
        for &(leaf, share) in self.shares.of(node) {
            if !std::mem::replace(&mut self.is_touched[leaf as usize], true) {
                self.touched.push(leaf);
            }
            self.masses[leaf as usize] += share * rows;
        }
    }

    /// Takes rows away; there must be as many.
    pub fn remove(&mut self, node: NodeId, rows: u64) {
        self.size -= rows;
        for &(leaf, share) in self.shares.of(node) {
            self.masses[leaf as usize] -= share * rows;
        }
    }

    /// The most frequent leaf, of equal ones the first.
    pub fn dominant(&self) -> Option<u32> {
        let present = self.touched.iter().copied().filter(|&leaf| self.masses[leaf as usize] > 0);
        present.max_by_key(|&leaf| (self.masses[leaf as usize], std::cmp::Reverse(leaf)))
    }

    /// All leaves present, the most frequent first.
    pub fn by_frequency(&self) -> Vec<u32> {
        let mut leaves: Vec<u32> =
            self.touched.iter().copied().filter(|&leaf| self.masses[leaf as usize] > 0).collect();
        leaves.sort_unstable_by_key(|&leaf| (std::cmp::Reverse(self.masses[leaf as usize]), leaf));
        leaves
    }

    /// Whether F(k) ≤ ψ(k) for all k; rows that are none hold.
    pub fn holds(&mut self) -> bool {
        self.broken().is_none()
    }

    /// Whether the rows fail, and so would any part of them: they have too few leaves.
    pub fn hopeless(&self) -> bool {
        let known = |leaf: u32| self.shares.unknown != Some(leaf);
        let present = self.touched.iter().filter(|&&leaf| known(leaf) && self.masses[leaf as usize] > 0).count();
        // Unknown cells alone are one value.
        let present = if self.size > 0 { present.max(1) } else { present };
        present > 0 && self.shares.limits.get(present - 1).is_some_and(|&limit| limit < 1.0)
    }

    /// F(1), F(2), … as far as there are bounds.
    pub fn cumulative(&mut self) -> Vec<f64> {
        self.sort_largest();
        let whole = (self.size * self.shares.unit) as f64;
        let mut sum = 0;
        let share = |&mass: &u64| {
            sum += mass;
            sum as f64 / whole
        };
        self.largest.iter().map(share).collect()
    }

    /// The first k of which the bound is broken.
    fn broken(&mut self) -> Option<usize> {
        self.sort_largest();
        let whole = (self.size * self.shares.unit) as f64;
        let mut sum = 0;
        self.largest.iter().zip(&self.shares.limits).position(|(&mass, &limit)| {
            sum += mass;
            sum as f64 > limit * whole
        })
    }

    /// The highest masses, falling, as many as there are bounds.
    fn sort_largest(&mut self) {
        let Masses { shares, masses, touched, largest, .. } = self;
        largest.clear();
        let known = touched.iter().filter(|&&leaf| shares.unknown != Some(leaf));
        largest.extend(known.map(|&leaf| masses[leaf as usize]).filter(|&mass| mass > 0));
        let bounded = shares.limits.len();
        if bounded < largest.len() {
            largest.select_nth_unstable_by(bounded, |one, other| other.cmp(one));
            largest.truncate(bounded);
        }
        largest.sort_unstable_by(|one, other| other.cmp(one));
        let unknown = shares.unknown.map_or(0, |leaf| masses[leaf as usize]);
        match largest.first_mut() {
            Some(highest) => *highest += unknown,
            None if unknown > 0 => largest.push(unknown),
            None => {}
        }
    }
}
