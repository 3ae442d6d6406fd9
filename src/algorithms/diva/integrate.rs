//! Integrate (§4): suppresses the least to get back under upper bounds that classes of the rest broke.
//!
//! A class that shows a target too much is raised on one of its axes, whole or only as many of its rows as must be, where
//! that costs least a row. Where a target can't be hidden (limits, or columns that are released as they are), rows are
//! suppressed as far as allowed. The chosen classes keep every lower bound by themselves, so raising all others is
//! always a way out; it is tried before chosen ones are touched.
//! Guarantee: constraints that were met stay met. Complexity: O(clusters · log clusters) a constraint.

use super::ground::{Ground, first_rows};
use crate::algorithms::local::clusters::{ClusterId, Clusters, Part};
use crate::algorithms::local::space::Cost;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// Clusters between two looks at whether to go on.
const STRIDE: usize = 256;

/// A way to hide a target in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Raise {
    /// What it costs a row.
    pub row_cost: Cost,
    pub cluster: ClusterId,
    pub axis: usize,
    pub node: NodeId,
}

/// Gets counts under their upper bounds, as far as that can be done by hiding. Clusters from `first_of_rest` on are not
/// needed for the lower bounds.
pub async fn integrate(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    first_of_rest: ClusterId,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    for constraint in 0..ground.targets.len() {
        for first in [first_of_rest, 0] {
            if excess(ground, clusters, constraint) == 0 {
                break;
            }
            let mut raises = raises(ground, clusters, constraint, first);
            raises.order();
            for (number, raise) in raises.into_iter().enumerate() {
                if number % STRIDE == 0 {
                    progress.checkpoint(|| report(constraint, ground.targets.len())).await?;
                }
                let excess = excess(ground, clusters, constraint);
                if excess == 0 {
                    break;
                }
                // Another raise may have hidden it already.
                if clusters.shown_in(raise.cluster)[constraint] > 0 {
                    hide(ground, clusters, raise, constraint, excess);
                }
            }
        }
    }
    Ok(())
}

/// Suppresses rows where targets are still shown too often.
pub fn suppress(ground: &Ground<'_>, clusters: &mut Clusters<'_>, suppressible: &mut u64) {
    for constraint in 0..ground.targets.len() {
        suppress_showing(ground, clusters, constraint, suppressible);
    }
}

fn report(constraint: usize, all: usize) -> Report {
    Report {
        phase: "Getting under upper bounds".into(),
        fraction: Some(constraint as f64 / all.max(1) as f64),
        detail: String::new(),
    }
}

fn excess(ground: &Ground<'_>, clusters: &Clusters<'_>, constraint: usize) -> u64 {
    clusters.shown()[constraint].saturating_sub(ground.targets.bounds[constraint].most)
}

/// All ways to hide a target in clusters from `first` on.
pub fn raises(ground: &Ground<'_>, clusters: &Clusters<'_>, constraint: usize, first: ClusterId) -> Vec<Raise> {
    let showing = clusters.used().filter(|&cluster| cluster >= first && clusters.shown_in(cluster)[constraint] > 0);
    showing.flat_map(|cluster| raises_of(ground, clusters, constraint, cluster)).collect()
}

/// The ways to hide a target in one cluster.
pub fn raises_of(
    ground: &Ground<'_>,
    clusters: &Clusters<'_>,
    constraint: usize,
    cluster: ClusterId,
) -> impl Iterator<Item = Raise> {
    let region = &ground.regions[ground.region_of_cluster(clusters, cluster) as usize];
    let (lows, highs) = (clusters.lows(cluster), clusters.highs(cluster));
    ground.targets.axes_of(constraint).iter().filter_map(move |(axis, nodes)| {
        let axis = *axis;
        let now = ground.space.node(axis, lows[axis], highs[axis]);
        let node = ground.upwards(region, axis, now).find(|node| !nodes.contains(node))?;
        let place = ground.space.place_of(axis, node)?;
        let row_cost = ground.space.cell_cost(axis, place.min(lows[axis]), highs[axis])
            - ground.space.cell_cost(axis, lows[axis], highs[axis]);
        Some(Raise { row_cost, cluster, axis, node })
    })
}

/// Raises as many rows of a cluster as it takes to hide `excess`, or all, if that brings the constraints nearer; gives
/// the cluster that was raised.
pub fn hide(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    raise: Raise,
    constraint: usize,
    excess: u64,
) -> Option<ClusterId> {
    let place = ground.space.place_of(raise.axis, raise.node)?;
    let missed = clusters.targets_missed();
    if let Some(cut) = cut(ground, clusters, raise.cluster, constraint, excess) {
        cut.iter().for_each(|&part| clusters.remove(raise.cluster, part));
        let piece = clusters.open(&cut);
        clusters.raise_like(piece, raise.cluster);
        clusters.raise(piece, raise.axis, Some(place));
        if clusters.targets_missed() < missed {
            return Some(piece);
        }
        for part in clusters.clear(piece) {
            clusters.add(raise.cluster, part);
        }
    }
    let before = clusters.raises(raise.cluster).nth(raise.axis).flatten();
    clusters.raise(raise.cluster, raise.axis, Some(place));
    if clusters.targets_missed() < missed {
        return Some(raise.cluster);
    }
    clusters.raise(raise.cluster, raise.axis, before);
    None
}

/// Just as many rows of a class as are to be hidden, if they and the others hold by themselves.
fn cut(
    ground: &Ground<'_>,
    clusters: &Clusters<'_>,
    cluster: ClusterId,
    constraint: usize,
    excess: u64,
) -> Option<Vec<Part>> {
    let least = u64::from(clusters.demands.least_size);
    let wanted = excess.max(least);
    if !ground.targets.counts_classes(constraint) || wanted + least > u64::from(clusters.size(cluster)) {
        return None;
    }
    let taken = first_rows(clusters.members(cluster), wanted as u32);
    (ground.demands.hold_for(&taken) && clusters.holds_changed(cluster, &taken, &[])).then_some(taken)
}

/// Suppresses rows that show a target too often: from classes that hold without them, then whole classes.
fn suppress_showing(ground: &Ground<'_>, clusters: &mut Clusters<'_>, constraint: usize, suppressible: &mut u64) {
    let showing: Vec<ClusterId> =
        clusters.used().filter(|&cluster| clusters.shown_in(cluster)[constraint] > 0).collect();
    for &cluster in &showing {
        for (item, count) in clusters.members(cluster).to_vec() {
            if !ground.targets.own_cells_show(constraint, item) {
                continue;
            }
            let mut left = count;
            while left > 0 && excess(ground, clusters, constraint) > 0 && *suppressible > 0 {
                let part = (item, 1);
                let missed = clusters.targets_missed();
                if !clusters.holds_changed(cluster, &[part], &[]) {
                    break;
                }
                clusters.remove(cluster, part);
                if clusters.targets_missed() >= missed {
                    clusters.add(cluster, part);
                    break;
                }
                *suppressible -= 1;
                left -= 1;
            }
        }
    }
    for cluster in showing {
        let size = u64::from(clusters.size(cluster));
        if excess(ground, clusters, constraint) > 0
            && size <= *suppressible
            && clusters.targets_missed_without(cluster) < clusters.targets_missed()
        {
            *suppressible -= size;
            clusters.clear(cluster);
        }
    }
}
