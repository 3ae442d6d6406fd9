//! Greedy k-member clustering (Byun, Kamra, Bertino and Li), the clustering of GreedyCKA and of DIVA's last phase.
//!
//! A cluster starts with a row far from where the last one started and takes, again and again, the row that makes it
//! cost least more, until it holds. With models beside k a row must also bring the cluster nearer to holding once it is
//! large enough. Rows left at the end join the cluster where they cost least and which still holds with them.
//! Guarantee: if all rows hold together, every cluster does: what fails in the end is merged until it holds.
//! The far row is the farthest of [`SAMPLE`] drawn by the seed, and the cheapest is found through [`Nearby`], so that
//! the cost grows little faster than the number of distinct tuples instead of with its square.

use super::local::clusters::{ClusterId, Clusters, Part};
use super::local::merging::merge_failing;
use super::local::nearby::{Nearby, Query, Together};
use super::local::space::{Cost, Item};
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::random::Random;

/// Rows among which the farthest is chosen to start a cluster.
const SAMPLE: usize = 64;

/// Divides rows that hold together into clusters that hold.
pub async fn divide(
    clusters: &mut Clusters<'_>,
    rows: Vec<Part>,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    let all = rows.len();
    let mut pool = Pool::new(clusters, &rows);
    let mut last: Option<Item> = None;
    let mut failed: Vec<ClusterId> = Vec::new();
    while let Some(seed) = pool.far_from(last, random) {
        progress.checkpoint(|| report(all - pool.left.len(), all)).await?;
        last = Some(seed);
        let first = (seed, pool.rows_to_start(seed));
        let cluster = clusters.open(&[first]);
        pool.take(first);
        while !clusters.holds(cluster) {
            let Some(part) = pool.cheapest_for(clusters, cluster) else { break };
            pool.take(part);
            clusters.add(cluster, part);
        }
        if !clusters.holds(cluster) {
            failed.push(cluster);
        }
    }
    let held: Vec<ClusterId> = clusters.used().filter(|cluster| failed.binary_search(cluster).is_err()).collect();
    join(clusters, &Nearby::new(clusters, held), &failed);
    merge_failing(clusters, progress).await
}

fn report(done: usize, all: usize) -> Report {
    let fraction = Some(done as f64 / all.max(1) as f64);
    Report { phase: "Growing clusters".into(), fraction, detail: format!("{done} of {all} tuples") }
}

/// Gives rows of clusters that could not be completed to those that hold with them, where they cost least.
fn join(clusters: &mut Clusters<'_>, nearby: &Nearby, failed: &[ClusterId]) {
    for &cluster in failed {
        for part in clusters.members(cluster).to_vec() {
            if let Some(host) = cheapest_host(clusters, nearby, part) {
                clusters.remove(cluster, part);
                clusters.add(host, part);
            }
        }
    }
}

fn cheapest_host(clusters: &Clusters<'_>, nearby: &Nearby, part: Part) -> Option<ClusterId> {
    let places = clusters.space.places(part.0);
    let query = Query { lows: places, highs: places, rows: Cost::from(part.1), together: Together::Whole };
    let mut best: Option<(Cost, ClusterId)> = None;
    nearby.search(clusters.space, &query, Cost::MAX, |host, limit| {
        let merged = clusters.space.row_cost_with(clusters.lows(host), clusters.highs(host), places);
        let size = Cost::from(clusters.size(host));
        let rise = (size + query.rows) * merged - size * clusters.row_cost(host);
        if best.is_none_or(|best| (rise, host) < best) && clusters.holds_changed(host, &[], &[part]) {
            best = Some((rise, host));
            *limit = rise + 1;
        }
    });
    best.map(|(_, host)| host)
}

/// Rows that are in no cluster yet.
struct Pool<'s> {
    /// One cluster for each distinct tuple of places, to be found by [`Nearby`].
    points: Clusters<'s>,
    point_of_item: Vec<ClusterId>,
    nearby: Nearby,
    /// Points that still have rows when the index was made, and now.
    indexed: usize,
    with_rows: usize,
    /// Items that still have rows, in no particular order, and where each is there.
    left: Vec<Item>,
    place_in_left: Vec<u32>,
}

impl<'s> Pool<'s> {
    fn new(clusters: &Clusters<'s>, rows: &[Part]) -> Self {
        let points = points(clusters, rows);
        let mut point_of_item = vec![0; clusters.space.items()];
        let ids: Vec<ClusterId> = points.used().collect();
        for &point in &ids {
            for &(item, _) in points.members(point) {
                point_of_item[item as usize] = point;
            }
        }
        let nearby = Nearby::new(&points, ids);
        let left: Vec<Item> = rows.iter().map(|&(item, _)| item).collect();
        let mut place_in_left = vec![0; clusters.space.items()];
        for (place, &item) in left.iter().enumerate() {
            place_in_left[item as usize] = place as u32;
        }
        let with_rows = points.len();
        Pool { points, point_of_item, nearby, indexed: with_rows, with_rows, left, place_in_left }
    }

    /// The row farthest from another, of a few drawn by chance.
    fn far_from(&self, last: Option<Item>, random: &mut Random) -> Option<Item> {
        let drawn = |random: &mut Random| self.left[random.below(self.left.len() as u32) as usize];
        if self.left.is_empty() {
            return None;
        }
        let Some(last) = last else { return Some(drawn(random)) };
        let space = self.points.space;
        let from = space.places(last);
        let distance = |item: Item| (space.row_cost_with(from, from, space.places(item)), std::cmp::Reverse(item));
        if self.left.len() <= SAMPLE {
            return self.left.iter().copied().max_by_key(|&item| distance(item));
        }
        (0..SAMPLE).map(|_| drawn(random)).max_by_key(|&item| distance(item))
    }

    /// Rows that nothing distinguishes cost nothing together; where values count, one after the other is chosen.
    fn rows_to_start(&self, item: Item) -> u32 {
        let mut members = self.points.members(self.point_of_item[item as usize]).iter();
        let rows = members.find(|&&(other, _)| other == item).map_or(1, |&(_, count)| count);
        if self.points.demands.views.is_empty() { rows } else { 1 }
    }

    /// The rows that make the cluster cost least more and bring it nearer to holding.
    fn cheapest_for(&mut self, clusters: &Clusters<'_>, cluster: ClusterId) -> Option<Part> {
        if self.with_rows * 2 < self.indexed {
            self.nearby = Nearby::new(&self.points, self.points.used().collect());
            self.indexed = self.with_rows;
        }
        let (space, demands) = (clusters.space, clusters.demands);
        let (lows, highs) = (clusters.lows(cluster), clusters.highs(cluster));
        let missing = demands.least_size.saturating_sub(clusters.size(cluster));
        let nearer = Nearer::new(clusters, cluster);
        let mut best: Option<(Cost, bool, Part)> = None;
        let query = Query { lows, highs, rows: 1, together: Together::Member };
        self.nearby.search(space, &query, Cost::MAX, |point, limit| {
            let Some(&(first, _)) = self.points.members(point).first() else { return };
            let cost = space.row_cost_with(lows, highs, space.places(first));
            if cost >= *limit {
                return;
            }
            for &(item, count) in self.points.members(point) {
                let is_nearer = nearer.with(item);
                // A row that does not help is still good for the size.
                if !is_nearer && missing == 0 {
                    continue;
                }
                let part = (item, if is_nearer && !demands.views.is_empty() { 1 } else { count.min(missing.max(1)) });
                let found = (cost, !is_nearer, part);
                if best.is_none_or(|best| found < best) {
                    best = Some(found);
                    *limit = cost + 1;
                }
                // Items of a point ascend: none behind the first that brings it nearer is better.
                if is_nearer {
                    break;
                }
            }
        });
        best.map(|(_, _, part)| part)
    }

    fn take(&mut self, (item, count): Part) {
        let point = self.point_of_item[item as usize];
        self.points.remove(point, (item, count));
        if self.points.size(point) == 0 {
            self.with_rows -= 1;
        }
        if self.points.members(point).iter().all(|&(other, _)| other != item) {
            let place = self.place_in_left[item as usize];
            self.left.swap_remove(place as usize);
            if let Some(&moved) = self.left.get(place as usize) {
                self.place_in_left[moved as usize] = place;
            }
        }
    }
}

/// Clusters of the rows that stand at the same places.
pub fn points<'s>(clusters: &Clusters<'s>, rows: &[Part]) -> Clusters<'s> {
    let space = clusters.space;
    let mut sorted = rows.to_vec();
    sorted.sort_unstable_by_key(|part| space.rank(part.0));
    let mut points = Clusters::new(space, clusters.demands);
    for same in sorted.chunk_by(|one, other| space.places(one.0) == space.places(other.0)) {
        points.open(same);
    }
    points
}

/// Whether a row brings a cluster nearer to holding: it raises a figure of a view that fails.
struct Nearer<'c, 's> {
    clusters: &'c Clusters<'s>,
    cluster: ClusterId,
    /// The views that fail, and what they achieve.
    failing: Vec<(usize, Vec<f64>)>,
}

impl<'c, 's> Nearer<'c, 's> {
    fn new(clusters: &'c Clusters<'s>, cluster: ClusterId) -> Self {
        let size = clusters.size(cluster);
        let views = clusters.demands.views.iter().zip(clusters.counts(cluster)).enumerate();
        let failing = views
            .filter(|(_, (view, tally))| !view.holds_changed(size, tally, &[]))
            .map(|(place, (view, tally))| (place, view.achieved_changed(size, tally, &[])))
            .collect();
        Nearer { clusters, cluster, failing }
    }

    fn with(&self, item: Item) -> bool {
        let size = self.clusters.size(self.cluster) + 1;
        self.failing.iter().any(|(place, before)| {
            let view = &self.clusters.demands.views[*place];
            let tally = &self.clusters.counts(self.cluster)[*place];
            let after = view.achieved_changed(size, tally, &[(view.value(item), 1)]);
            after.iter().zip(before).any(|(after, before)| after > before)
        })
    }
}
