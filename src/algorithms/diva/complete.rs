//! From a colouring to classes of all rows: Suppress, Anonymize and Integrate (Algorithm 2, lines 3–6).
//!
//! Chosen clusters become classes (a class shows the lowest nodes above its values, so *Suppress* is nothing more); the
//! rest of every region is clustered by k-member; a rest too small for that joins other classes, draws rows from them,
//! or is suppressed as far as rows may be. Then [`repair`](super::repair()) sees to the bounds, Integrate first.
//! Guarantee: what is given holds, keeps all constraints and suppresses no more rows than allowed.
//! Complexity: that of k-member; O(rest · clusters) for rests that are too small.

use super::ground::{Class, Ground, rows};
use super::repair::repair;
use crate::algorithms::k_member;
use crate::algorithms::local::clusters::{Change, ClusterId, Clusters, Part};
use crate::algorithms::local::space::Cost;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::random::Random;
use crate::sorting::Sorting;

/// Makes classes of all rows that can be kept; `None` if it does not succeed.
pub async fn complete<'s>(
    ground: &'s Ground<'_>,
    kept: &[Vec<Part>],
    chosen: impl Iterator<Item = &Class>,
    progress: &Progress<'_>,
) -> Result<Option<Clusters<'s>>, Failure> {
    let mut clusters = Clusters::new(&ground.space, &ground.demands);
    let mut free = vec![0; ground.space.items()];
    kept.iter().flatten().for_each(|&(item, count)| free[item as usize] = count);
    for class in chosen {
        ground.open(&mut clusters, class);
        class.rows.iter().for_each(|&(item, count)| free[item as usize] -= count);
    }
    let first_of_rest = clusters.len() as ClusterId;
    let mut random = Random::new(ground.problem.seed);
    let mut rests: Vec<Vec<Part>> = Vec::new();
    for region in kept {
        let left = region.iter().map(|&(item, _)| (item, free[item as usize]));
        let rest: Vec<Part> = left.filter(|&(_, count)| count > 0).collect();
        if ground.demands.hold_for(&rest) {
            let mut divided = Clusters::new(&ground.space, &ground.demands);
            k_member::divide(&mut divided, rest, &mut random, progress).await?;
            for cluster in divided.used() {
                clusters.open(divided.members(cluster));
            }
        } else if !rest.is_empty() {
            rests.push(rest);
        }
    }
    clusters.watch(&ground.targets, vec![0; ground.targets.len()]);
    let mut suppressible = ground.suppressible_of(kept);
    for rest in rests {
        let left = join(ground, &mut clusters, rest);
        let left = draw_in(ground, &mut clusters, left);
        match suppressible.checked_sub(rows(&left)) {
            Some(fewer) => suppressible = fewer,
            None => return Ok(None),
        }
    }
    let met = repair(ground, &mut clusters, first_of_rest, &mut suppressible, progress).await?;
    let hold = clusters.used().all(|cluster| clusters.holds(cluster));
    Ok((met && hold && clusters.targets_missed() == 0).then_some(clusters))
}

/// The clusters of a row's region.
fn of_region<'c>(ground: &'c Ground<'_>, clusters: &'c Clusters<'_>, item: u32) -> impl Iterator<Item = ClusterId> {
    let region = ground.region_of_item[item as usize];
    clusters.used().filter(move |&cluster| ground.region_of_cluster(clusters, cluster) == region)
}

/// Gives rows to the clusters where they cost least and do no harm; what is left could not be given away.
pub fn join(ground: &Ground<'_>, clusters: &mut Clusters<'_>, rest: Vec<Part>) -> Vec<Part> {
    let mut left = Vec::new();
    for (item, count) in rest {
        let mut still = count;
        // All at once, or one by one.
        for some in [count, 1] {
            while still >= some && give(ground, clusters, (item, some)) {
                still -= some;
            }
        }
        if still > 0 {
            left.push((item, still));
        }
    }
    left
}

fn give(ground: &Ground<'_>, clusters: &mut Clusters<'_>, part: Part) -> bool {
    let places = ground.space.places(part.0);
    let rise = |cluster: ClusterId| {
        let size = Cost::from(clusters.size(cluster));
        let row_cost = ground.space.row_cost_with(clusters.lows(cluster), clusters.highs(cluster), places);
        (size + Cost::from(part.1)) * row_cost - clusters.cost(cluster)
    };
    let mut hosts: Vec<(Cost, ClusterId)> =
        of_region(ground, clusters, part.0).map(|cluster| (rise(cluster), cluster)).collect();
    hosts.order();
    let host = hosts.into_iter().map(|(_, cluster)| cluster).find(|&cluster| {
        clusters.holds_changed(cluster, &[], &[part])
            && clusters.keep_targets(&[Change { cluster, without: &[], with: &[part] }])
    });
    if let Some(host) = host {
        clusters.add(host, part);
    }
    host.is_some()
}

/// Makes a class of rows and of others that their clusters can spare; what is left could not be made one.
fn draw_in(ground: &Ground<'_>, clusters: &mut Clusters<'_>, rest: Vec<Part>) -> Vec<Part> {
    let Some(&(first, _)) = rest.first() else { return rest };
    // A class that does not hold yet is no class, but its rows are watched as if it were.
    let class = clusters.open(&rest);
    let mut drawn: Vec<(ClusterId, Part)> = Vec::new();
    while !clusters.holds(class) {
        let mut spare: Vec<(Cost, ClusterId, Part)> = Vec::new();
        for cluster in of_region(ground, clusters, first).filter(|&cluster| cluster != class) {
            if clusters.size(cluster) > clusters.demands.least_size {
                for &(item, _) in clusters.members(cluster) {
                    let places = ground.space.places(item);
                    let cost = ground.space.row_cost_with(clusters.lows(class), clusters.highs(class), places);
                    spare.push((cost, cluster, (item, 1)));
                }
            }
        }
        spare.order();
        let fits = |&&(_, cluster, part): &&(Cost, ClusterId, Part)| {
            clusters.holds_changed(cluster, &[part], &[])
                && clusters.keep_targets(&[
                    Change { cluster, without: &[part], with: &[] },
                    Change { cluster: class, without: &[], with: &[part] },
                ])
        };
        let Some(&(_, cluster, part)) = spare.iter().find(fits) else {
            for (cluster, part) in drawn {
                clusters.remove(class, part);
                clusters.add(cluster, part);
            }
            return clusters.clear(class);
        };
        clusters.remove(cluster, part);
        clusters.add(class, part);
        drawn.push((cluster, part));
    }
    Vec::new()
}
