//! Cuts a cluster in two where that is cheapest: along one axis, between two places.

use crate::algorithms::local::clusters::{ClusterId, Clusters, Part, cover};
use crate::algorithms::local::space::Cost;
use crate::sorting::Sorting;

/// Cuts the cluster, and its pieces again, as long as that is cheaper and all pieces hold.
pub fn split(clusters: &mut Clusters<'_>, cluster: ClusterId) {
    let mut pieces = vec![cluster];
    while let Some(piece) = pieces.pop() {
        if clusters.size(piece) / 2 < clusters.demands.least_size || clusters.row_cost(piece) == 0 {
            continue;
        }
        let Some(upper) = cheapest_cut(clusters, piece) else { continue };
        for &part in &upper {
            clusters.remove(piece, part);
        }
        let other = clusters.open(&upper);
        clusters.raise_like(other, piece);
        pieces.extend([piece, other]);
    }
}

/// The part above the cut that costs least.
fn cheapest_cut(clusters: &Clusters<'_>, cluster: ClusterId) -> Option<Vec<Part>> {
    let space = clusters.space;
    let axes = space.axes();
    let size = clusters.size(cluster);
    let mut parts: Vec<Part> = clusters.members(cluster).to_vec();
    let mut best: (Cost, Option<Vec<Part>>) = (clusters.cost(cluster), None);
    let mut above = vec![0u32; parts.len() * 2 * axes];
    let mut below = vec![0u32; 2 * axes];
    for axis in 0..axes {
        if clusters.lows(cluster)[axis] == clusters.highs(cluster)[axis] {
            continue;
        }
        let place = |part: &Part| space.places(part.0)[axis];
        parts.order_by_key(|part| (place(part), part.0));
        // The boxes of everything from each part on, found from the end.
        for from in (0..parts.len()).rev() {
            let (now, later) = above[from * 2 * axes..].split_at_mut(2 * axes);
            if from + 1 < parts.len() {
                now.copy_from_slice(&later[..2 * axes]);
                widen(now, space.places(parts[from].0));
            } else {
                cover(space, std::iter::once(parts[from].0), now);
                clusters.include_raises(cluster, &mut now[..axes]);
            }
        }
        cover(space, std::iter::once(parts[0].0), &mut below);
        clusters.include_raises(cluster, &mut below[..axes]);
        let mut rows = 0;
        for cut in 1..parts.len() {
            rows += parts[cut - 1].1;
            widen(&mut below, space.places(parts[cut - 1].0));
            if place(&parts[cut - 1]) == place(&parts[cut]) {
                continue;
            }
            if !clusters.demands.hold_by_size(rows) || !clusters.demands.hold_by_size(size - rows) {
                continue;
            }
            let cost = |bounds: &[u32]| space.row_cost(&bounds[..axes], &bounds[axes..2 * axes]);
            let cost = Cost::from(rows) * cost(&below) + Cost::from(size - rows) * cost(&above[cut * 2 * axes..]);
            if cost < best.0
                && clusters.holds_changed(cluster, &parts[cut..], &[])
                && clusters.holds_changed(cluster, &parts[..cut], &[])
                && clusters.keep_targets_cut(cluster, &parts[..cut], &parts[cut..])
            {
                best = (cost, Some(parts[cut..].to_vec()));
            }
        }
    }
    best.1
}

fn widen(bounds: &mut [u32], places: &[u32]) {
    let (lows, highs) = bounds.split_at_mut(places.len());
    for ((low, high), &place) in lows.iter_mut().zip(highs).zip(places) {
        *low = (*low).min(place);
        *high = (*high).max(place);
    }
}
