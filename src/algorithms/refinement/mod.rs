//! Refinement: local search that makes any clustering cheaper while every class still holds.
//!
//! Cluster by cluster, the costliest first, it tries to cut it in two, to move a member where it costs less, to swap
//! it for a member of another cluster, to replace it by a row that a larger cluster can spare, and to dissolve the
//! cluster into others. A step is done only if it lowers the total cost and every class it touches holds.
//! Guarantee: the cost never rises, every class that held still holds, limits stay kept (clusters of one region only
//! ever exchange rows), what is watched of diversity constraints is missed by no more rows than before, and the same steps give the same result on every target. It may be stopped at any time.
//! Complexity: a pass is O(n) searches of [`Nearby`]; passes end when one gains little or the steps are used up.

mod edges;
mod leave;
mod split;

use crate::algorithms::local::clusters::{ClusterId, Clusters};
use crate::algorithms::local::nearby::Nearby;
use crate::algorithms::local::space::Cost;
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// How long to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Passes over all clusters at most.
    pub passes: u32,
    /// Members at most that a better place is sought for; the costliest clusters come first.
    pub steps: u64,
    /// A pass that gains less than one part in so many is the last.
    pub least_gain: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { passes: 8, steps: 80_000, least_gain: 250 }
    }
}

/// Makes clusters cheaper, all or those of a region. They must hold and belong to one region.
pub async fn refine(
    clusters: &mut Clusters<'_>,
    in_region: impl Fn(&Clusters<'_>, ClusterId) -> bool,
    effort: Effort,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    refine_since(clusters, in_region, effort, 0, progress).await
}

/// The same, starting with those that changed since a certain [change](Clusters::changes).
pub async fn refine_since(
    clusters: &mut Clusters<'_>,
    in_region: impl Fn(&Clusters<'_>, ClusterId) -> bool,
    effort: Effort,
    since: u64,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    let all = |clusters: &Clusters<'_>| -> Vec<ClusterId> {
        clusters.used().filter(|&cluster| in_region(clusters, cluster)).collect()
    };
    let total = |clusters: &Clusters<'_>| all(clusters).into_iter().map(|cluster| clusters.cost(cluster)).sum::<Cost>();
    unite_same_boxes(clusters, all(clusters));
    let mut cost = total(clusters);
    let mut changed_since = since;
    let mut steps = effort.steps;
    for pass in 0..effort.passes {
        // What did not change in the last pass is as good as it was then, nearly always.
        let worth_it = |&cluster: &ClusterId| clusters.cost(cluster) > 0 && clusters.changed(cluster) >= changed_since;
        let mut order: Vec<ClusterId> = all(clusters).into_iter().filter(worth_it).collect();
        if order.is_empty() {
            break;
        }
        changed_since = clusters.changes() + 1;
        order.order_by_key(|&cluster| (-clusters.cost(cluster), cluster));
        let nearby = Nearby::new(clusters, all(clusters));
        let mut search = leave::Search::new(clusters.space.axes());
        for (done, &cluster) in order.iter().enumerate() {
            progress.checkpoint(|| report(pass, done, order.len())).await?;
            if steps == 0 {
                return Ok(());
            }
            if clusters.cost(cluster) > 0 {
                steps = steps.saturating_sub(clusters.members(cluster).len() as u64);
                split::split(clusters, cluster);
                search.improve(clusters, &nearby, cluster, progress, &|| report(pass, done, order.len())).await?;
            }
        }
        let now = total(clusters);
        if (cost - now).saturating_mul(Cost::from(effort.least_gain)) < cost {
            break;
        }
        cost = now;
    }
    Ok(())
}

/// Makes clusters with the same box one, which costs the same and has more rows to spare.
pub fn unite_same_boxes(clusters: &mut Clusters<'_>, mut order: Vec<ClusterId>) {
    let bounds = |clusters: &Clusters<'_>, cluster| (clusters.lows(cluster).to_vec(), clusters.highs(cluster).to_vec());
    order.order_by_cached_key(|&cluster| (bounds(clusters, cluster), cluster));
    let mut into: Option<ClusterId> = None;
    for &cluster in &order {
        match into {
            Some(first)
                if bounds(clusters, first) == bounds(clusters, cluster) && clusters.hold_together(first, cluster) =>
            {
                clusters.merge(first, cluster);
            }
            _ => into = Some(cluster),
        }
    }
}

fn report(pass: u32, done: usize, all: usize) -> Report {
    let fraction = Some(done as f64 / all as f64);
    Report { phase: "Refining classes".into(), fraction, detail: format!("pass {}", pass + 1) }
}
