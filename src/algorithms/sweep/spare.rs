//! New classes of rows that others can spare (beyond the paper).
//!
//! The steps of [`crate::algorithms::refinement`] move rows between classes that are there. Two classes that each have
//! a row too many can't use them so; but those rows may be a class of their own that shows more. Rows are brought
//! together that differ in one quasi-identifier at most, of different classes and with different values, until they hold;
//! of all such groups those are made first that gain most, each class giving one row in a round.
//! Guarantee: the cost falls with every group, and every class holds. The same on every target.
//! Complexity: O(tuples · axes · [`NEAR`]) checks a round, of which there are at most [`ROUNDS`].

use crate::algorithms::local::clusters::{ClusterId, Clusters, Part, cover};
use crate::algorithms::local::space::{Cost, Item};
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

const ROUNDS: u32 = 8;
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
pub async fn regroup(clusters: &mut Clusters<'_>, progress: &Progress<'_>) -> Result<bool, Failure> {
    let mut any = false;
    for _ in 0..ROUNDS {
        let spares = spares(clusters, progress).await?;
        let mut groups: Vec<(Cost, Vec<u32>)> = Vec::new();
        for axis in 0..clusters.space.axes() {
            propose(clusters, &spares, axis, &mut groups, progress).await?;
        }
        groups.order_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let mut gave = vec![false; clusters.len()];
        let mut made = 0u32;
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
    groups: &mut Vec<(Cost, Vec<u32>)>,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    let space = clusters.space;
    let places = |spare: u32| space.places(spares[spare as usize].item);
    let others =
        |spare: u32| (0..space.axes()).filter(move |&other| other != axis).map(move |other| places(spare)[other]);
    let mut order: Vec<u32> = (0..spares.len() as u32).collect();
    order.order_by(|&one, &other| {
        others(one).cmp(others(other)).then_with(|| (places(one)[axis], one).cmp(&(places(other)[axis], other)))
    });
    for same in order.chunk_by(|&one, &other| others(one).eq(others(other))) {
        for at in 0..same.len() {
            progress.checkpoint(report).await?;
            let near = &same[at.saturating_sub(NEAR)..same.len().min(at + NEAR + 1)];
            groups.extend(group(clusters, spares, axis, same[at], near));
        }
    }
    Ok(())
}

/// The group that a spare row makes with those near it, if there is one that gains.
fn group(clusters: &Clusters<'_>, spares: &[Spare], axis: usize, first: u32, near: &[u32]) -> Option<(Cost, Vec<u32>)> {
    let space = clusters.space;
    let place = |spare: u32| space.places(spares[spare as usize].item)[axis];
    let width = |spare: u32| {
        let (low, high) = (place(first).min(place(spare)), place(first).max(place(spare)));
        space.cell_cost(axis, low, high)
    };
    let mut nearest: Vec<(Cost, u32)> =
        near.iter().filter(|&&spare| spare != first).map(|&spare| (width(spare), spare)).collect();
    nearest.order();
    let value = |spare: u32| clusters.demands.views.first().map(|view| view.value(spares[spare as usize].item));
    let mut group = vec![first];
    let mut saved = spares[first as usize].saved;
    for (_, next) in nearest {
        let other = spares[next as usize];
        let like = |&member: &u32| spares[member as usize].cluster == other.cluster || value(member) == value(next);
        if group.iter().any(like) {
            continue;
        }
        group.push(next);
        saved += other.saved;
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
