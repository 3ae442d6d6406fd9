//! Brings classes to meet constraints that they miss, row by row where whole classes are too coarse.
//!
//! [Integrate](super::integrate) hides what is shown too often, class by class, and so can't hit narrow bounds exactly. Here
//! classes that were raised are lowered and new ones gathered where too few rows show a target, and single rows
//! [move](super::moves) between classes.
//! Guarantee: every step lowers the number of rows by which the constraints are missed; classes hold throughout.
//! Complexity: O(clusters · constraints) a round.

use super::ground::{Ground, first_rows};
use super::{integrate, moves};
use crate::algorithms::local::clusters::{ClusterId, Clusters, Part};
use crate::algorithms::local::space::Item;
use crate::algorithms::refinement::unite_same_boxes;
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// Rounds at most.
const ROUNDS: usize = 64;

/// Brings the constraints to be met; whether it succeeded. Clusters from `first_of_rest` on are not needed by them.
pub async fn repair(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    first_of_rest: ClusterId,
    suppressible: &mut u64,
    progress: &Progress<'_>,
) -> Result<bool, Failure> {
    // Apart, so that what the constraints don't need can be hidden without what they do.
    let (chosen, rest) = clusters.used().partition(|&cluster| cluster < first_of_rest);
    unite_same_boxes(clusters, chosen);
    unite_same_boxes(clusters, rest);
    for round in 0..ROUNDS {
        let before = clusters.targets_missed();
        if before == 0 {
            return Ok(true);
        }
        progress.checkpoint(|| report(round, before)).await?;
        integrate::integrate(ground, clusters, first_of_rest, progress).await?;
        for constraint in 0..ground.targets.len() {
            lower(ground, clusters, constraint);
            gather(ground, clusters, constraint);
        }
        if clusters.targets_missed() > 0 {
            moves::move_rows(ground, clusters, progress).await?;
        }
        if clusters.targets_missed() == before {
            integrate::suppress(ground, clusters, suppressible);
        }
        if clusters.targets_missed() == before {
            return Ok(false);
        }
    }
    Ok(clusters.targets_missed() == 0)
}

fn report(round: usize, missed: u64) -> Report {
    let detail = format!("{missed} rows too many or too few");
    Report { phase: "Meeting the constraints".into(), fraction: Some(round as f64 / ROUNDS as f64), detail }
}

fn missing(ground: &Ground<'_>, clusters: &Clusters<'_>, constraint: usize) -> u64 {
    ground.targets.bounds[constraint].least.saturating_sub(clusters.shown()[constraint])
}

/// Lowers classes that were raised, or raises them to the target's group, where too few rows show it.
fn lower(ground: &Ground<'_>, clusters: &mut Clusters<'_>, constraint: usize) {
    let all: Vec<ClusterId> = clusters.used().collect();
    for cluster in all {
        let missing = missing(ground, clusters, constraint);
        if missing == 0 {
            return;
        }
        if clusters.size(cluster) == 0 || clusters.shown_in(cluster)[constraint] > 0 {
            continue;
        }
        let able = |&(item, _): &Part| ground.can_show(item, constraint);
        if !clusters.members(cluster).iter().all(able)
            || ground.targets.rows_among(constraint, clusters.members(cluster)) == 0
        {
            continue;
        }
        let Some(class) = ground.class_showing(clusters.members(cluster).to_vec(), constraint) else { continue };
        let places = |axis: usize| {
            let raised = class.raised.iter().find(|&&(other, _)| other == axis);
            raised.and_then(|&(axis, node)| ground.space.place_of(axis, node))
        };
        let changes: Vec<(usize, Option<u32>)> =
            ground.targets.axes_of(constraint).iter().map(|&(axis, _)| (axis, places(axis))).collect();
        show(ground, clusters, cluster, &changes, missing);
    }
}

/// Raises (or lowers) a class on some axes, whole or only as many rows as are missing, if that helps.
fn show(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    cluster: ClusterId,
    changes: &[(usize, Option<u32>)],
    missing: u64,
) {
    let missed = clusters.targets_missed();
    let least = u64::from(clusters.demands.least_size);
    let size = u64::from(clusters.size(cluster));
    let wanted = missing.max(least);
    if wanted + least <= size {
        let part = first_rows(clusters.members(cluster), wanted as u32);
        if clusters.holds_changed(cluster, &part, &[]) && ground.demands.hold_for(&part) {
            part.iter().for_each(|&part| clusters.remove(cluster, part));
            let piece = clusters.open(&part);
            clusters.raise_like(piece, cluster);
            changes.iter().for_each(|&(axis, place)| clusters.raise(piece, axis, place));
            if clusters.targets_missed() < missed {
                return;
            }
            clusters.clear(piece).into_iter().for_each(|part| clusters.add(cluster, part));
        }
    }
    let before: Vec<Option<u32>> = clusters.raises(cluster).collect();
    changes.iter().for_each(|&(axis, place)| clusters.raise(cluster, axis, place));
    if clusters.targets_missed() >= missed {
        changes.iter().for_each(|&(axis, _)| clusters.raise(cluster, axis, before[axis]));
    }
}

/// Makes a class of rows that can show a target from classes that do not and can spare them.
fn gather(ground: &Ground<'_>, clusters: &mut Clusters<'_>, constraint: usize) {
    loop {
        let missing = missing(ground, clusters, constraint);
        if missing == 0 {
            return;
        }
        let least = clusters.demands.least_size;
        let mut spare: Vec<(u32, Item, ClusterId, u32)> = Vec::new();
        for cluster in clusters.used() {
            let left = clusters.size(cluster).saturating_sub(least);
            if left > 0 && clusters.shown_in(cluster)[constraint] == 0 {
                for &(item, count) in clusters.members(cluster) {
                    if ground.targets.own_cells_show(constraint, item) && ground.can_show(item, constraint) {
                        spare.push((ground.region_of_item[item as usize], item, cluster, count.min(left)));
                    }
                }
            }
        }
        spare.order_by(|one, other| {
            (one.0, ground.space.places(one.1), one.2).cmp(&(other.0, ground.space.places(other.1), other.2))
        });
        let gathered = spare.chunk_by(|one, other| one.0 == other.0).any(|region| {
            let missed = clusters.targets_missed();
            let wanted = (missing as u32).max(least);
            let mut taken: Vec<(ClusterId, Part)> = Vec::new();
            let mut size = 0;
            for &(_, item, cluster, count) in region {
                let room = clusters.size(cluster).saturating_sub(least);
                let part = (item, count.min(room).min(wanted - size));
                if part.1 > 0 && clusters.holds_changed(cluster, &[part], &[]) {
                    clusters.remove(cluster, part);
                    taken.push((cluster, part));
                    size += part.1;
                }
                if size == wanted {
                    break;
                }
            }
            let mut parts: Vec<Part> = taken.iter().map(|&(_, part)| part).collect();
            parts.order();
            parts.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            let class = ground.demands.hold_for(&parts).then(|| ground.class_showing(parts, constraint)).flatten();
            let opened = class.map(|class| ground.open(clusters, &class));
            if opened.is_some() && clusters.targets_missed() < missed {
                return true;
            }
            if let Some(opened) = opened {
                clusters.clear(opened);
            }
            taken.into_iter().for_each(|(cluster, part)| clusters.add(cluster, part));
            false
        });
        if !gathered {
            return;
        }
    }
}
