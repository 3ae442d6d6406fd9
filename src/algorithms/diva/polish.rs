//! Takes back what Integrate raised and refinement has made needless, or can be had cheaper elsewhere.
//!
//! A raised class is lowered as far as the constraints allow: whole, or as many of its rows as may show what it shows
//! then; or whole, while another class hides as many rows for less. Guarantee: the cost never rises, classes hold, and
//! no constraint is missed by more rows than before. Complexity: O(raised clusters · clusters).

use super::ground::{Ground, first_rows, rows};
use super::integrate::{Raise, hide, raises};
use crate::algorithms::local::clusters::{ClusterId, Clusters};
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// Classes that are tried to hide rows in place of another one.
const TRADES: usize = 24;

/// Raised clusters up to which trades are looked for.
const MOST_RAISED: usize = 400;

/// Lowers clusters; whether any was.
pub async fn lower(ground: &Ground<'_>, clusters: &mut Clusters<'_>, progress: &Progress<'_>) -> Result<bool, Failure> {
    let raised: Vec<ClusterId> =
        clusters.used().filter(|&cluster| clusters.raises(cluster).any(|place| place.is_some())).collect();
    let before = clusters.total_cost();
    for &cluster in &raised {
        progress.checkpoint(report).await?;
        for axis in ground.targets.axes() {
            if clusters.size(cluster) > 0 && clusters.raises(cluster).nth(axis).flatten().is_some() {
                lower_on(ground, clusters, cluster, axis, raised.len() <= MOST_RAISED);
            }
        }
    }
    Ok(clusters.total_cost() < before)
}

fn report() -> Report {
    Report { phase: "Showing more where bounds allow".into(), fraction: None, detail: String::new() }
}

fn lower_on(ground: &Ground<'_>, clusters: &mut Clusters<'_>, cluster: ClusterId, axis: usize, trade: bool) {
    let Some(raised) = clusters.raises(cluster).nth(axis) else { return };
    let now = ground.space.node(axis, clusters.lows(cluster)[axis], clusters.highs(cluster)[axis]);
    let region = &ground.regions[ground.region_of_cluster(clusters, cluster) as usize];
    let natural = ground.natural(clusters.members(cluster), axis);
    let below: Vec<u32> = ground.upwards(region, axis, natural).take_while(|&node| node != now).collect();
    let missed = clusters.targets_missed();
    let changed = clusters.changed(cluster);
    for node in below {
        let place = ground.space.place_of(axis, node).filter(|_| node != natural);
        clusters.raise(cluster, axis, place);
        if clusters.targets_missed() <= missed {
            return;
        }
        let blocking = blocking(ground, clusters, missed);
        if let Some((constraint, excess)) = blocking
            && (trade && hide_elsewhere(ground, clusters, cluster, constraint, excess, (axis, raised), missed)
                || lower_part(ground, clusters, cluster, axis, (raised, place), excess, missed))
        {
            return;
        }
        clusters.raise(cluster, axis, raised);
        clusters.unchanged_since(cluster, changed);
    }
}

/// The one constraint that is shown too often, and by how much, if nothing else is missed by more than before.
fn blocking(ground: &Ground<'_>, clusters: &Clusters<'_>, missed: u64) -> Option<(usize, u64)> {
    let excess = |constraint: usize| {
        let bounds = ground.targets.bounds[constraint];
        (constraint, clusters.shown()[constraint].saturating_sub(bounds.most))
    };
    let (constraint, excess) = (0..ground.targets.len()).map(excess).max_by_key(|&(_, excess)| excess)?;
    (clusters.targets_missed() == missed + excess).then_some((constraint, excess))
}

/// Hides rows of other classes in place of a lowered one, if that costs less.
fn hide_elsewhere(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    cluster: ClusterId,
    constraint: usize,
    excess: u64,
    (axis, raised): (usize, Option<u32>),
    missed: u64,
) -> bool {
    let lowered = clusters.total_cost();
    let place = clusters.raises(cluster).nth(axis).flatten();
    clusters.raise(cluster, axis, raised);
    let before = clusters.total_cost();
    clusters.raise(cluster, axis, place);
    let mut others = raises(ground, clusters, constraint, 0);
    others.retain(|raise| raise.cluster != cluster);
    others.order_by_key(|raise| (raise.row_cost * hidden(clusters, raise, excess), *raise));
    for raise in others.into_iter().take(TRADES) {
        if lowered + raise.row_cost * hidden(clusters, &raise, excess) >= before {
            break;
        }
        let was = clusters.raises(raise.cluster).nth(raise.axis).flatten();
        let changed = clusters.changed(raise.cluster);
        match hide(ground, clusters, raise, constraint, excess) {
            Some(_) if clusters.targets_missed() <= missed && clusters.total_cost() < before => return true,
            Some(piece) if piece == raise.cluster => clusters.raise(raise.cluster, raise.axis, was),
            Some(piece) => clusters.clear(piece).into_iter().for_each(|part| clusters.add(raise.cluster, part)),
            None => {}
        }
        clusters.unchanged_since(raise.cluster, changed);
    }
    false
}

/// How many rows a raise would hide: of a class that can be cut, no more than needed.
fn hidden(clusters: &Clusters<'_>, raise: &Raise, excess: u64) -> i64 {
    let least = clusters.demands.least_size;
    let (size, wanted) = (clusters.size(raise.cluster), (excess as u32).max(least));
    i64::from(if wanted + least <= size { wanted } else { size })
}

/// Cuts a class and lowers as many of its rows as the constraints allow. It is lowered now, and was `raised` before.
fn lower_part(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    cluster: ClusterId,
    axis: usize,
    (raised, lowered): (Option<u32>, Option<u32>),
    excess: u64,
    missed: u64,
) -> bool {
    clusters.raise(cluster, axis, raised);
    let members = clusters.members(cluster).to_vec();
    let least = u64::from(clusters.demands.least_size);
    let stays = excess.max(least);
    let Some(fewer) = rows(&members).checked_sub(stays).filter(|&fewer| fewer >= least) else { return false };
    let part = first_rows(&members, fewer as u32);
    if !clusters.holds_changed(cluster, &part, &[]) || !ground.demands.hold_for(&part) {
        return false;
    }
    part.iter().for_each(|&part| clusters.remove(cluster, part));
    let piece = clusters.open(&part);
    clusters.raise_like(piece, cluster);
    clusters.raise(piece, axis, lowered);
    if clusters.targets_missed() <= missed {
        return true;
    }
    clusters.clear(piece).into_iter().for_each(|part| clusters.add(cluster, part));
    false
}
