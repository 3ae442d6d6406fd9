//! t-closeness (Li, Li and Venkatasubramanian): the values of a class are distributed almost as in the original table.
//!
//! The distance is the earth mover's: how much must be moved how far to make one distribution the other, where two
//! values are 1 apart (equal), as far as their places in order (ordered), or as high as the lowest group that has both
//! (hierarchical). Guarantee: exact, and a class costs time for its own values only: O(values) for equal,
//! O(values · log of the table's values) for ordered, O(values · depth · log) for hierarchical.

use super::{Better, Histogram, Model, Monotone, at_most};
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::sorting::Sorting;
use crate::words::{figure, percent};

#[derive(Clone, Debug, PartialEq)]
pub struct TCloseness {
    pub t: f64,
    pub reference: Reference,
}

/// The distribution in the original table, ready to measure the distance of classes from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The share of each code.
    shares: Vec<f64>,
    distance: Distance,
}

#[derive(Clone, Debug, PartialEq)]
enum Distance {
    Equal,
    Ordered {
        /// Where each code stands among the values that occur.
        places: Vec<u32>,
        /// The shares of the first 1, 2, … values together.
        cumulative: Vec<f64>,
        /// The first 0, 1, 2, … entries of `cumulative` added up.
        cumulative_before: Vec<f64>,
    },
    Hierarchical {
        nodes: Vec<NodeId>,
        parents: Vec<NodeId>,
        /// Each node's height over the root's.
        heights: Vec<f64>,
        /// The share of the cells that are the node itself, and of those at or below it.
        own: Vec<f64>,
        below: Vec<f64>,
    },
}

fn shares(counts: &[u32]) -> Vec<f64> {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    counts.iter().map(|&count| f64::from(count) / total as f64).collect()
}

impl Reference {
    /// `counts`: how often the original table has each code.
    pub fn equal(counts: &[u32]) -> Self {
        Reference { shares: shares(counts), distance: Distance::Equal }
    }

    /// `ranks`: what the codes are ordered by. Codes that do not occur have no place in the order.
    pub fn ordered(counts: &[u32], ranks: &[u32]) -> Self {
        let shares = shares(counts);
        let mut order: Vec<(u32, usize)> = (0..counts.len().min(ranks.len()))
            .filter(|&code| counts[code] > 0)
            .map(|code| (ranks[code], code))
            .collect();
        order.order();
        let (mut cumulative, mut cumulative_before) = (Vec::with_capacity(order.len()), vec![0.0]);
        let (mut sum, mut sum_of_sums) = (0u64, 0.0);
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        for &(_, code) in &order {
            sum += u64::from(counts[code]);
            let share = sum as f64 / total as f64;
            sum_of_sums += share;
            cumulative.push(share);
            cumulative_before.push(sum_of_sums);
        }
        let last = order.len().saturating_sub(1);
        let place = |&rank: &u32| order.partition_point(|&(other, _)| other < rank).min(last) as u32;
        let places = ranks.iter().map(place).collect();
        Reference { shares, distance: Distance::Ordered { places, cumulative, cumulative_before } }
    }

    /// `nodes`: the node of each code.
    pub fn hierarchical(counts: &[u32], tree: &Hierarchy, nodes: &[NodeId]) -> Self {
        let shares = shares(counts);
        let mut own = vec![0.0; tree.len()];
        for (&node, &share) in nodes.iter().zip(&shares) {
            own[node as usize] += share;
        }
        let mut below = own.clone();
        let parents: Vec<NodeId> = (0..tree.len() as NodeId).map(|node| tree.parent(node).unwrap_or(ROOT)).collect();
        for node in (1..tree.len()).rev() {
            below[parents[node] as usize] += below[node];
        }
        let highest = tree.height(ROOT).max(1) as f64;
        let heights = (0..tree.len() as NodeId).map(|node| tree.height(node) as f64 / highest).collect();
        Reference { shares, distance: Distance::Hierarchical { nodes: nodes.to_vec(), parents, heights, own, below } }
    }

    fn share(&self, code: u32) -> f64 {
        self.shares.get(code as usize).copied().unwrap_or(0.0)
    }

    /// The distance of a class: 0 for the table's own distribution, at most 1.
    pub fn distance(&self, class: &Histogram<'_>) -> f64 {
        match &self.distance {
            Distance::Equal => self.equal_distance(class),
            Distance::Ordered { places, cumulative, cumulative_before } => {
                ordered_distance(class, places, cumulative, cumulative_before)
            }
            Distance::Hierarchical { nodes, parents, heights, own, below } => {
                hierarchical_distance(class, nodes, parents, heights, own, below)
            }
        }
    }

    /// ½·Σ|p − q|: what the class has too much of, since it has as much too little.
    fn equal_distance(&self, class: &Histogram<'_>) -> f64 {
        let size = f64::from(class.size);
        let too_much = class.counts.iter().map(|&(code, count)| f64::from(count) / size - self.share(code));
        too_much.filter(|&surplus| surplus > 0.0).sum()
    }
}

/// Σ|P(i) − Q(i)| / (m − 1) over the cumulative shares at the places i. P is flat between the class's values, and Q
/// rises, so between two of them the terms change their sign once and are summed by what was added up before.
fn ordered_distance(class: &Histogram<'_>, places: &[u32], cumulative: &[f64], cumulative_before: &[f64]) -> f64 {
    let places_in_order = cumulative.len();
    if places_in_order < 2 {
        return 0.0;
    }
    let place = |code: u32| places.get(code as usize).map_or(places_in_order - 1, |&place| place as usize);
    let mut values: Vec<(usize, u32)> = class.counts.iter().map(|&(code, count)| (place(code), count)).collect();
    values.sort_unstable();
    // The sum over from..to where the class's cumulative share is `level`.
    let between = |from: usize, to: usize, level: f64| {
        let crossing = from + cumulative[from..to].partition_point(|&share| share < level);
        let sum = |from: usize, to: usize| cumulative_before[to] - cumulative_before[from];
        let under = level * (crossing - from) as f64 - sum(from, crossing);
        let over = sum(crossing, to) - level * (to - crossing) as f64;
        under + over
    };
    let (mut moved, mut from, mut rows) = (0.0, 0, 0u64);
    for &(place, count) in &values {
        moved += between(from, place, rows as f64 / f64::from(class.size));
        rows += u64::from(count);
        from = place;
    }
    // Behind the last of its values the class has the share 1.
    moved += between(from, places_in_order, 1.0);
    // Rounding may leave a little below 0.
    if moved > 0.0 { moved / (places_in_order - 1) as f64 } else { 0.0 }
}

/// Σ height(N)/H · min(pos, neg) over the groups N: what is moved between N's children, as far as N is high. Children
/// that the class lacks only have too little, so only groups above its values count: with `surplus` what children have
/// too much of and `extra` what N has too much of, too little is surplus − extra. Cells that are N itself are one more
/// child of it.
fn hierarchical_distance(
    class: &Histogram<'_>,
    nodes: &[NodeId],
    parents: &[NodeId],
    heights: &[f64],
    own: &[f64],
    below: &[f64],
) -> f64 {
    // The class's rows in each node at or above its values, children before parents: node, own rows, rows, surplus.
    let mut touched: Vec<(NodeId, u32, u32, f64)> = Vec::with_capacity(class.counts.len() * 4);
    for &(code, count) in class.counts {
        let mut node = nodes.get(code as usize).copied().unwrap_or(ROOT);
        touched.push((node, count, 0, 0.0));
        while node != ROOT {
            node = parents[node as usize];
            touched.push((node, 0, 0, 0.0));
        }
    }
    touched.sort_unstable_by_key(|&(node, rows, ..)| (std::cmp::Reverse(node), rows));
    touched.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let size = f64::from(class.size);
    let mut distance = 0.0;
    for place in 0..touched.len() {
        let (node, own_rows, rows_of_children, surplus_of_children) = touched[place];
        let rows = own_rows + rows_of_children;
        let own_extra = f64::from(own_rows) / size - own[node as usize];
        let extra = f64::from(rows) / size - below[node as usize];
        let surplus = if own_extra > 0.0 { surplus_of_children + own_extra } else { surplus_of_children };
        let shortage = surplus - extra;
        let moved = if surplus < shortage { surplus } else { shortage };
        if moved > 0.0 {
            distance += heights[node as usize] * moved;
        }
        if node != ROOT {
            let parent = parents[node as usize];
            let above = place + 1 + touched[place + 1..].partition_point(|&(other, ..)| other > parent);
            touched[above].2 += rows;
            if extra > 0.0 {
                touched[above].3 += extra;
            }
        }
    }
    distance
}

impl Model for TCloseness {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        at_most(self.achieved(class), self.t)
    }

    /// The distance from a fixed distribution is convex: a merged class, the weighted mean of its parts, is no farther
    /// than the farther one. Rows of one value, added alone, move it away.
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        self.reference.distance(class)
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        if self.holds(class) {
            return None;
        }
        let share = |count: u32| f64::from(count) / f64::from(class.size);
        let surplus = |&(code, count): &(u32, u32)| share(count) - self.reference.share(code);
        let &(code, count) =
            class.counts.iter().reduce(|best, next| if surplus(next) > surplus(best) { next } else { best })?;
        Some(format!(
            "Its values are spread too differently from the whole table's, by {} where {} is allowed: most of all, {} \
             has {} of its rows and {} of the table's.",
            figure(self.achieved(class)),
            figure(self.t),
            name(code),
            percent(share(count)),
            percent(self.reference.share(code)),
        ))
    }
}
