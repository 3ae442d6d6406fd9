//! Finds clusters near a box: a tree of clusters, halved along the axis on which they cost most together.
//!
//! Every node of the tree knows, axis by axis, how far its clusters reach at least and at most; from that follows what
//! a row would cost at least together with any of them, and what costs too much is passed over.
//! Guarantee: something is found if there is anything; the best, unless clusters changed since the tree was built or
//! more than [`PATIENCE`] are about as near. Complexity: O(n · log² n) to build; a search looks at few clusters.

use super::clusters::{ClusterId, Clusters};
use super::space::{Cost, Space};

/// Clusters that a search looks at once it knows what to beat; the nearest branches come first, so more rarely helps.
const PATIENCE: u32 = 300;

/// Clusters in a leaf of the tree.
const LEAF: usize = 4;

pub struct Nearby {
    axes: usize,
    nodes: Vec<Node>,
    /// For every node and axis: largest low, smallest high, smallest low, largest high.
    reaches: Vec<[u32; 4]>,
    clusters: Vec<ClusterId>,
}

struct Node {
    first: u32,
    last: u32,
    /// The left child comes next; a leaf has no right one.
    right: Option<u32>,
    least_size: Cost,
    /// The highest row cost of its clusters.
    highest_cost: Cost,
}

/// What is searched for: something near a box with so many rows.
pub struct Query<'q> {
    pub lows: &'q [u32],
    pub highs: &'q [u32],
    pub rows: Cost,
    pub together: Together,
}

/// What a search is after.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// A class that covers the box and a whole cluster; the score is what its rows cost beyond what the cluster's did.
    Whole,
    /// A class that covers the box and some member of a cluster; the score is what the box's rows cost.
    Member,
}

impl Nearby {
    pub fn new(clusters: &Clusters<'_>, mut ids: Vec<ClusterId>) -> Self {
        let axes = clusters.space.axes();
        let mut nearby = Nearby { axes, nodes: Vec::new(), reaches: Vec::new(), clusters: Vec::new() };
        if !ids.is_empty() {
            // Ranges that are still to be made nodes, and the node whose right child the range is.
            let mut ranges = vec![(0, ids.len(), None)];
            while let Some((first, last, parent)) = ranges.pop() {
                let node = nearby.nodes.len() as u32;
                if let Some(parent) = parent {
                    let parent: u32 = parent;
                    nearby.nodes[parent as usize].right = Some(node);
                }
                let sizes = ids[first..last].iter().map(|&id| Cost::from(clusters.size(id)));
                let costs = ids[first..last].iter().map(|&id| clusters.row_cost(id));
                nearby.nodes.push(Node {
                    first: first as u32,
                    last: last as u32,
                    right: None,
                    least_size: sizes.min().unwrap_or(0),
                    highest_cost: costs.max().unwrap_or(0),
                });
                let middle = nearby.reach(clusters, &mut ids[first..last]);
                if let Some(middle) = middle {
                    ranges.push((first + middle, last, Some(node)));
                    ranges.push((first, first + middle, None));
                }
            }
        }
        nearby.clusters = ids;
        nearby
    }

    /// Notes how far the clusters reach, and sorts them for the children, of which the second starts where it says.
    fn reach(&mut self, clusters: &Clusters<'_>, ids: &mut [ClusterId]) -> Option<usize> {
        let start = self.reaches.len();
        self.reaches.resize(start + self.axes, [0, u32::MAX, u32::MAX, 0]);
        for &id in ids.iter() {
            let (lows, highs) = (clusters.lows(id), clusters.highs(id));
            for ((reach, &low), &high) in self.reaches[start..].iter_mut().zip(lows).zip(highs) {
                *reach = [reach[0].max(low), reach[1].min(high), reach[2].min(low), reach[3].max(high)];
            }
        }
        if ids.len() <= LEAF {
            return None;
        }
        let width = |axis: usize| {
            let [largest, _, smallest, _] = self.reaches[start + axis];
            (clusters.space.cell_cost(axis, smallest, largest), largest > smallest)
        };
        let axis = (0..self.axes).filter(|&axis| width(axis).1).max_by_key(|&axis| (width(axis), self.axes - axis));
        // Row costs are halved like an axis: cheap clusters are sooner known to be too dear to widen.
        let costs = ids.iter().map(|&id| clusters.row_cost(id));
        let spread = costs.clone().max().unwrap_or(0) - costs.min().unwrap_or(0);
        let axis = axis.filter(|&axis| width(axis).0 * 2 >= spread);
        if axis.is_none() && spread == 0 {
            return None;
        }
        let low = |id: ClusterId| match axis {
            Some(axis) => Cost::from(clusters.lows(id)[axis]),
            None => clusters.row_cost(id),
        };
        let mut order: Vec<(Cost, ClusterId)> = ids.iter().map(|&id| (low(id), id)).collect();
        order.sort_unstable();
        ids.iter_mut().zip(order).for_each(|(id, (_, next))| *id = next);
        let half = ids.len() / 2;
        // Clusters of one place stay together: cut before or after those of the middle.
        let before = ids.partition_point(|&id| low(id) < low(ids[half]));
        let after = ids.partition_point(|&id| low(id) <= low(ids[half]));
        Some(if after == ids.len() || (before > 0 && half - before <= after - half) { before } else { after })
    }

    /// Visits clusters whose score may be below `limit`, the nearest branches first. The visitor gets the cluster and
    /// the limit, which it may lower.
    pub fn search(
        &self,
        space: &Space<'_>,
        query: &Query<'_>,
        mut limit: Cost,
        mut visit: impl FnMut(ClusterId, &mut Cost),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack: Vec<(Cost, u32)> = Vec::with_capacity(64);
        stack.push((self.least_score(space, query, 0), 0));
        let mut patience = PATIENCE;
        while let Some((least, at)) = stack.pop() {
            if least >= limit {
                continue;
            }
            let node = &self.nodes[at as usize];
            let Some(right) = node.right else {
                for &cluster in &self.clusters[node.first as usize..node.last as usize] {
                    visit(cluster, &mut limit);
                    patience -= u32::from(limit < Cost::MAX);
                    if patience == 0 {
                        return;
                    }
                }
                continue;
            };
            let left = (self.least_score(space, query, at + 1), at + 1);
            let right = (self.least_score(space, query, right), right);
            // The nearer one is taken first, so it goes on top.
            let (near, far) = if right.0 < left.0 { (right, left) } else { (left, right) };
            for child in [far, near] {
                if child.0 < limit {
                    stack.push(child);
                }
            }
        }
    }

    /// What the score of any cluster under a node is at least.
    fn least_score(&self, space: &Space<'_>, query: &Query<'_>, node: u32) -> Cost {
        let reaches = &self.reaches[node as usize * self.axes..][..self.axes];
        let mut row_cost = 0;
        for (axis, &[largest_low, smallest_high, smallest_low, largest_high]) in reaches.iter().enumerate() {
            let (low, high) = (query.lows[axis], query.highs[axis]);
            row_cost += match query.together {
                Together::Whole => space.cell_cost(axis, low.min(largest_low), high.max(smallest_high)),
                Together::Member => space.cell_cost(axis, low.min(largest_high), high.max(smallest_low)),
            };
        }
        let Node { least_size, highest_cost, .. } = self.nodes[node as usize];
        match query.together {
            Together::Whole if row_cost > highest_cost => {
                query.rows * row_cost + least_size * (row_cost - highest_cost)
            }
            _ => query.rows * row_cost,
        }
    }
}
