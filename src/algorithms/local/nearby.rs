//! Finds clusters near a box: a tree of clusters, halved along the axis on which they cost most together.
//!
//! Every node of the tree knows, axis by axis, how far its clusters reach at least and at most; from that follows what
//! a row would cost at least together with any of them, and what costs too much is passed over.
//! Guarantee: as long as clusters only grow, covering searches miss none that was there when the tree was built; when
//! they shrink or move, the tree only gives hints. Complexity: O(n · log² n) to build.

use super::clusters::{ClusterId, Clusters};
use super::space::{Cost, Space};

/// Clusters in a leaf of the tree.
const LEAF: usize = 6;

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
}

/// What a search is after.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// A class that covers the box and a whole cluster.
    Whole,
    /// A class that covers the box and some member of a cluster.
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
                nearby.nodes.push(Node { first: first as u32, last: last as u32, right: None });
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
        let axis = (0..self.axes).filter(|&axis| width(axis).1).max_by_key(|&axis| (width(axis), self.axes - axis))?;
        let low = |id: ClusterId| clusters.lows(id)[axis];
        ids.sort_unstable_by_key(|&id| (low(id), id));
        let half = ids.len() / 2;
        // Clusters of one place stay together: cut before or after those of the middle.
        let before = ids.partition_point(|&id| low(id) < low(ids[half]));
        let after = ids.partition_point(|&id| low(id) <= low(ids[half]));
        Some(if after == ids.len() || (before > 0 && half - before <= after - half) { before } else { after })
    }

    /// Visits clusters whose row cost together with the box may be below `limit`, the nearest branches first. The
    /// visitor gets the cluster and the limit, which it may lower.
    pub fn search(
        &self,
        space: &Space<'_>,
        together: Together,
        (lows, highs): (&[u32], &[u32]),
        mut limit: Cost,
        mut visit: impl FnMut(ClusterId, &mut Cost),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let bound = |node: usize| {
            let reaches = &self.reaches[node * self.axes..][..self.axes];
            let mut sum = 0;
            for (axis, &[largest_low, smallest_high, smallest_low, largest_high]) in reaches.iter().enumerate() {
                let (low, high) = (lows[axis], highs[axis]);
                sum += match together {
                    Together::Whole => space.cell_cost(axis, low.min(largest_low), high.max(smallest_high)),
                    Together::Member => {
                        space.cell_cost(axis, low.min(largest_high), high.max(smallest_low))
                    }
                };
            }
            sum
        };
        let mut stack: Vec<(Cost, u32)> = vec![(bound(0), 0)];
        while let Some((least, node)) = stack.pop() {
            if least >= limit {
                continue;
            }
            let Node { first, last, right } = self.nodes[node as usize];
            match right {
                None => {
                    for &cluster in &self.clusters[first as usize..last as usize] {
                        visit(cluster, &mut limit);
                    }
                }
                Some(right) => {
                    let left = (bound(node as usize + 1), node + 1);
                    let right = (bound(right as usize), right);
                    // The nearer one is taken first, so it goes on top.
                    let (near, far) = if right.0 < left.0 { (right, left) } else { (left, right) };
                    stack.push(far);
                    stack.push(near);
                }
            }
        }
    }
}
