//! What a cluster's box becomes when a member leaves, known for all members after one look at them.
//! Complexity: O(members · axes) once, then O(axes) a member; about O(axes) again after one left a large cluster.

use crate::algorithms::local::clusters::{ClusterId, Clusters, Part};
use crate::algorithms::local::space::{Cost, Space};

/// The two lowest and the two highest places of a cluster's members on every axis.
#[derive(Default, PartialEq)]
pub struct Edges {
    places: Vec<[u32; 4]>,
}

impl Edges {
    pub fn of(&mut self, clusters: &Clusters<'_>, cluster: ClusterId) {
        let space = clusters.space;
        self.places.clear();
        self.places.resize(space.axes(), [u32::MAX, u32::MAX, 0, 0]);
        for &(item, _) in clusters.members(cluster) {
            self.include(space.places(item));
        }
        // What it was raised to stays, whoever leaves.
        for (edges, raised) in self.places.iter_mut().zip(clusters.raises(cluster)) {
            if let Some(place) = raised {
                *edges = [edges[0].min(place), edges[1].min(place), edges[2].max(place), edges[3].max(place)];
            }
        }
    }

    /// Whether a look at all members gives the same.
    pub fn are_of(&self, clusters: &Clusters<'_>, cluster: ClusterId) -> bool {
        let mut edges = Edges::default();
        edges.of(clusters, cluster);
        edges == *self
    }

    /// Whether these are still the edges now that a member at `places` left the others: not if it stood alone at one.
    /// Of a large cluster this is soon known, as many share their places.
    pub fn stay_without(&self, space: &Space<'_>, others: &[Part], places: &[u32]) -> bool {
        let stands = |axis: usize, at: u32| others.iter().filter(move |&&(item, _)| space.places(item)[axis] == at);
        let stay = |edge: u32, second: u32, axis: usize, place: u32| {
            if place == edge {
                edge == second && stands(axis, edge).take(2).count() == 2
            } else {
                place != second || stands(axis, second).next().is_some()
            }
        };
        self.places.iter().zip(places).enumerate().all(|(axis, (&[low, second_low, second_high, high], &place))| {
            stay(low, second_low, axis, place) && stay(high, second_high, axis, place)
        })
    }

    /// Takes a newcomer in.
    pub fn include(&mut self, places: &[u32]) {
        for (edges, &place) in self.places.iter_mut().zip(places) {
            *edges = with(*edges, place);
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
fn with([low, second_low, second_high, high]: [u32; 4], place: u32) -> [u32; 4] {
    [low.min(place), second_low.min(low.max(place)), second_high.max(high.min(place)), high.max(place)]
}

#[inline]
fn left([low, second_low, second_high, high]: [u32; 4], place: u32) -> (u32, u32) {
    (if place == low { second_low } else { low }, if place == high { second_high } else { high })
}
