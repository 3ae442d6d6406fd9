//! Merges clusters that fail with whatever they are cheapest with, the smallest first, until all hold.
//!
//! Guarantee: if all rows together hold, it ends with clusters that all do: at worst with one.
//! Complexity: O(n · log n) merges and searches for n clusters, each search passing over most of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::clusters::{ClusterId, Clusters};
use super::nearby::{Nearby, Query, Together};
use super::space::Cost;
use crate::failure::Failure;
use crate::progress::{Progress, Report};

/// Merges failing clusters until none is left or all rows are one cluster.
pub async fn merge_failing(clusters: &mut Clusters<'_>, progress: &Progress<'_>) -> Result<(), Failure> {
    let failing = clusters.used().filter(|&cluster| !clusters.holds(cluster));
    let mut queue: BinaryHeap<Reverse<(u32, ClusterId)>> =
        failing.map(|cluster| Reverse((clusters.size(cluster), cluster))).collect();
    if queue.is_empty() {
        return Ok(());
    }
    let all = queue.len();
    let mut left = clusters.used().count();
    let mut indexed = left;
    let mut nearby = Nearby::new(clusters, clusters.used().collect());
    while let Some(Reverse((size, cluster))) = queue.pop() {
        // A cluster that changed since has another entry, unless it holds.
        if clusters.size(cluster) != size || clusters.holds(cluster) {
            continue;
        }
        progress.checkpoint(|| report(all, queue.len())).await?;
        if left * 2 < indexed {
            nearby = Nearby::new(clusters, clusters.used().collect());
            indexed = left;
        }
        let Some(partner) = cheapest_partner(clusters, &nearby, cluster) else { break };
        clusters.merge(partner, cluster);
        left -= 1;
        if !clusters.holds(partner) {
            queue.push(Reverse((clusters.size(partner), partner)));
        }
    }
    Ok(())
}

fn report(all: usize, left: usize) -> Report {
    let done = all.saturating_sub(left) as f64 / all as f64;
    Report { phase: "Merging classes".into(), fraction: Some(done), detail: format!("{left} classes to merge") }
}

/// The cluster with which the merged one costs least more than the two alone; of equally cheap ones the smallest.
pub fn cheapest_partner(clusters: &Clusters<'_>, nearby: &Nearby, cluster: ClusterId) -> Option<ClusterId> {
    let (lows, highs) = (clusters.lows(cluster), clusters.highs(cluster));
    let size = Cost::from(clusters.size(cluster));
    let row_cost = clusters.row_cost(cluster);
    let mut best: Option<(Cost, u32, ClusterId)> = None;
    let query = Query { lows, highs, rows: size, together: Together::Whole };
    nearby.search(clusters.space, &query, Cost::MAX, |other, limit| {
        if other == cluster || clusters.size(other) == 0 {
            return;
        }
        let merged = clusters.space.row_cost_of_both(lows, highs, clusters.lows(other), clusters.highs(other));
        let other_size = Cost::from(clusters.size(other));
        let rise = size * (merged - row_cost) + other_size * (merged - clusters.row_cost(other));
        let found = (rise, clusters.size(other), other);
        if best.is_none_or(|best| found < best) {
            best = Some(found);
            *limit = rise + size * row_cost + 1;
        }
    });
    best.map(|(_, _, partner)| partner)
}
