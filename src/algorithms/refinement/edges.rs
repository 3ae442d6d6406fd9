//! What a cluster's box becomes when a member leaves, known for all members after one look at them.
//! Complexity: O(members · axes) once, then O(axes) a member.

use crate::algorithms::local::clusters::{ClusterId, Clusters};
use crate::algorithms::local::space::{Cost, Space};

/// The two lowest and the two highest places of a cluster's members on every axis.
#[derive(Default)]
pub struct Edges {
    places: Vec<[u32; 4]>,
}

impl Edges {
    pub fn of(&mut self, clusters: &Clusters<'_>, cluster: ClusterId) {
        let space = clusters.space;
        self.places.clear();
        self.places.resize(space.axes(), [u32::MAX, u32::MAX, 0, 0]);
        for &(item, _) in clusters.members(cluster) {
            for (edges, &place) in self.places.iter_mut().zip(space.places(item)) {
                let [low, second_low, second_high, high] = *edges;
                *edges =
                    [low.min(place), second_low.min(low.max(place)), second_high.max(high.min(place)), high.max(place)];
            }
        }
        // What it was raised to stays, whoever leaves.
        for (edges, raised) in self.places.iter_mut().zip(clusters.raises(cluster)) {
            if let Some(place) = raised {
                *edges = [edges[0].min(place), edges[1].min(place), edges[2].max(place), edges[3].max(place)];
            }
        }
    }

    /// The box without the member at `places`; there must be another.
    pub fn without(&self, places: &[u32], lows: &mut [u32], highs: &mut [u32]) {
        for (axis, (&edges, &place)) in self.places.iter().zip(places).enumerate() {
            (lows[axis], highs[axis]) = left(edges, place);
        }
    }

    pub fn row_cost_without(&self, space: &Space<'_>, places: &[u32]) -> Cost {
        let cell = |(axis, (&edges, &place)): (usize, (&[u32; 4], &u32))| {
            let (low, high) = left(edges, place);
            if low > high { 0 } else { space.cell_cost(axis, low, high) }
        };
        self.places.iter().zip(places).enumerate().map(cell).sum()
    }

    pub fn row_cost_exchanged(&self, space: &Space<'_>, leaving: &[u32], coming: &[u32]) -> Cost {
        let mut sum = 0;
        for (axis, &edges) in self.places.iter().enumerate() {
            let (low, high) = left(edges, leaving[axis]);
            // Of an only member nothing is left, and the newcomer is all there is.
            let (low, high) = if low > high { (u32::MAX, 0) } else { (low, high) };
            sum += space.cell_cost(axis, low.min(coming[axis]), high.max(coming[axis]));
        }
        sum
    }
}

#[inline]
fn left([low, second_low, second_high, high]: [u32; 4], place: u32) -> (u32, u32) {
    (if place == low { second_low } else { low }, if place == high { second_high } else { high })
}
