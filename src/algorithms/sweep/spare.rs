//! New classes of rows that others can spare (beyond the paper).
//!
//! The steps of [`crate::algorithms::refinement`] move rows between classes that are there. Two classes that each have
//! a row too many can't use them so; but those rows may be a class of their own that shows more. Rows are brought
//! together that differ in one quasi-identifier at most, of different classes and with different values, until they hold.
//! Quasi-identifier by quasi-identifier, those first that lose least between neighbouring values, the groups are made that
//! gain most, each class giving one row in a round.
//! Guarantee: the cost falls with every group, and every class holds. The same on every target.
//! Complexity: O(tuples · axes · [`NEAR`]) checks a round.

use crate::algorithms::local::clusters::{ClusterId, Clusters, Part, cover};
use crate::algorithms::local::space::{Cost, Item};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// Spare rows that are looked at for one, on either side along an axis.
const NEAR: usize = 12;
/// In larger classes nothing is said to be saved by a smaller box.
const FEW: usize = 48;

/// A row that a cluster can do without, and what its cost falls by then.
#[derive(Clone, Copy)]
struct Spare {
    item: Item,
    cluster: ClusterId,
    saved: Cost,
}

/// Makes new classes as long as that is cheaper; says whether it made any.
pub async fn regroup(clusters: &mut Clusters<'_>, rounds: u32, progress: &Progress<'_>) -> Result<bool, Failure> {
    let mut any = false;
    let space = clusters.space;
    // What two neighbouring values cost at least.
    let neighbours =
        |axis: usize| (1..space.places_on(axis)).map(|place| space.cell_cost(axis, place - 1, place)).min();
    let mut order: Vec<usize> = (0..space.axes()).collect();
    order.order_by_cached_key(|&axis| neighbours(axis));
    for _ in 0..rounds {
        let mut spares = spares(clusters, progress).await?;
        let mut gave = vec![false; clusters.len()];
        let mut made = 0u32;
        for &axis in &order {
            spares.retain(|spare| !gave[spare.cluster as usize]);
            let mut groups = propose(clusters, &spares, axis, progress).await?;
            groups.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
            for (_, group) in groups {
                progress.checkpoint(report).await?;
                let givers: Vec<Spare> = group.iter().map(|&spare| spares[spare as usize]).collect();
                if givers.iter().any(|spare| gave[spare.cluster as usize]) {
                    continue;
                }
                let parts: Vec<Part> = givers.iter().map(|spare| (spare.item, 1)).collect();
                for (spare, &part) in givers.iter().zip(&parts) {
                    clusters.remove(spare.cluster, part);
                    gave[spare.cluster as usize] = true;
                }
                clusters.open(&parts);
                made += 1;
            }
        }
        any |= made > 0;
        if made == 0 {
            break;
        }
    }
    Ok(any)
}

/// All rows that can be spared, one of an item.
async fn spares(clusters: &Clusters<'_>, progress: &Progress<'_>) -> Result<Vec<Spare>, Failure> {
    let space = clusters.space;
    let mut spares = Vec::new();
    let mut bounds = vec![0; 2 * space.axes()];
    for cluster in clusters.used().filter(|&cluster| clusters.cost(cluster) > 0) {
        progress.checkpoint(report).await?;
        let members = clusters.members(cluster);
        if clusters.size(cluster) <= clusters.demands.least_rows() {
            continue;
        }
        for &(item, count) in members {
            if !clusters.holds_changed(cluster, &[(item, 1)], &[]) {
                continue;
            }
            let row_cost = clusters.row_cost(cluster);
            let mut saved = row_cost;
            if count == 1 && members.len() <= FEW {
                let others = members.iter().map(|&(other, _)| other).filter(|&other| other != item);
                cover(space, others, &mut bounds);
                let (lows, highs) = bounds.split_at(space.axes());
                saved += Cost::from(clusters.size(cluster) - 1) * (row_cost - space.row_cost(lows, highs));
            }
            spares.push(Spare { item, cluster, saved });
        }
    }
    Ok(spares)
}

/// Groups of spare rows that agree on all axes but one, each with what it gains.
async fn propose(
    clusters: &Clusters<'_>,
    spares: &[Spare],
    axis: usize,
    progress: &Progress<'_>,
) -> Result<Vec<(Cost, Vec<u32>)>, Failure> {
    let space = clusters.space;
    let mut groups = Vec::new();
    let column = |axis: usize| -> Vec<u32> { spares.iter().map(|spare| space.places(spare.item)[axis]).collect() };
    let columns: Vec<Vec<u32>> = (0..space.axes()).map(column).collect();
    let others = columns.iter().enumerate().filter(|&(other, _)| other != axis).map(|(_, codes)| codes);
    let size = |codes: &Vec<u32>| codes.iter().max().map_or(1, |&most| most + 1);
    let keys: Vec<Keys<'_>> = others.map(|codes| Keys { codes, size: size(codes) }).collect();
    let alike = Classes::group(spares.len(), &keys).of_row;
    let mut order: Vec<(u32, u32, u32)> =
        (0..).zip(&alike).zip(&columns[axis]).map(|((spare, &alike), &place)| (alike, place, spare)).collect();
    order.sort_unstable();
    let mut nearest = Vec::new();
    let least = clusters.demands.least_rows() as usize;
    for same in order.chunk_by(|one, other| one.0 == other.0) {
        for at in 0..same.len() {
            progress.checkpoint(report).await?;
            let near = &same[at.saturating_sub(NEAR)..same.len().min(at + NEAR + 1)];
            let (_, place, first) = same[at];
            nearest.clear();
            nearest.extend(
                near.iter()
                    .filter(|&&(_, _, spare)| spare != first)
                    .map(|&(_, other, spare)| (space.cell_cost(axis, place.min(other), place.max(other)), spare)),
            );
            nearest.sort_unstable();
            groups.extend(group(clusters, spares, axis, least, first, &nearest));
        }
    }
    Ok(groups)
}

/// The group that a spare row makes with those near it, if there is one that gains.
fn group(
    clusters: &Clusters<'_>,
    spares: &[Spare],
    axis: usize,
    least: usize,
    first: u32,
    nearest: &[(Cost, u32)],
) -> Option<(Cost, Vec<u32>)> {
    let space = clusters.space;
    let place = |spare: u32| space.places(spares[spare as usize].item)[axis];
    let value = |spare: u32| clusters.demands.views.first().map(|view| view.value(spares[spare as usize].item));
    let mut group = vec![first];
    let mut saved = spares[first as usize].saved;
    for &(_, next) in nearest {
        let other = spares[next as usize];
        let like = |&member: &u32| spares[member as usize].cluster == other.cluster || value(member) == value(next);
        if group.iter().any(like) {
            continue;
        }
        group.push(next);
        saved += other.saved;
        if group.len() < least {
            continue;
        }
        let parts: Vec<Part> = group.iter().map(|&spare| (spares[spare as usize].item, 1)).collect();
        if clusters.demands.hold_for(&parts) {
            let (low, high) =
                group.iter().fold((u32::MAX, 0), |(low, high), &spare| (low.min(place(spare)), high.max(place(spare))));
            let gain = saved - group.len() as Cost * space.cell_cost(axis, low, high);
            group.order();
            return (gain > 0).then_some((gain, group));
        }
    }
    None
}

fn report() -> Report {
    Report { phase: "Making classes of rows to spare".into(), fraction: None, detail: String::new() }
}
