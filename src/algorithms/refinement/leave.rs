//! Steps in which a member leaves its cluster: a move, a swap, a replacement; and all of them at once.

use crate::algorithms::local::clusters::{Change, ClusterId, Clusters, Part};
use crate::algorithms::local::nearby::{Nearby, Query, Together};
use crate::algorithms::local::space::{Cost, Item};
use crate::failure::Failure;
use crate::progress::{Progress, Report};

use super::edges::Edges;

/// Hosts that are looked at for one member.
const HOSTS: usize = 4;

/// Members from which on a cluster is large.
const LARGE: usize = 1024;

/// A cluster that could take rows, and how much its cost would rise.
type Host = (Cost, ClusterId);

/// Rows of another cluster that could come in: what the exchange would change in cost, whose they are.
type Newcomer = (Cost, ClusterId, Part);

/// The buffers of the search.
pub struct Search {
    own: Edges,
    /// The change to the cluster after which its edges were found.
    own_changed: Option<u64>,
    other: Edges,
    /// The box without the member.
    lows: Vec<u32>,
    highs: Vec<u32>,
    hosts: Vec<Host>,
    /// The best host of each member of a cluster.
    best_hosts: Vec<(ClusterId, Part)>,
}

impl Search {
    pub fn new(axes: usize) -> Self {
        Search {
            own: Edges::default(),
            own_changed: None,
            other: Edges::default(),
            lows: vec![0; axes],
            highs: vec![0; axes],
            hosts: Vec::new(),
            best_hosts: Vec::new(),
        }
    }

    /// Lets members leave as long as that is cheaper.
    pub async fn improve(
        &mut self,
        clusters: &mut Clusters<'_>,
        nearby: &Nearby,
        cluster: ClusterId,
        progress: &Progress<'_>,
        report: &dyn Fn() -> Report,
    ) -> Result<(), Failure> {
        let items: Vec<Item> = clusters.members(cluster).iter().map(|&(item, _)| item).collect();
        // What it would cost to give each member to the best host, where there is one.
        let mut rise = 0;
        self.best_hosts.clear();
        let large = items.len() > LARGE;
        // Members keep their order, so the next is where the last was or right behind it, unless it left.
        let mut at = 0;
        let mut last = None;
        self.own_changed = None;
        for item in items {
            // Every member of a large cluster takes its time.
            if large {
                progress.checkpoint(report).await?;
            }
            let members = clusters.members(cluster);
            at += usize::from(members.get(at).is_some_and(|&(other, _)| Some(other) == last));
            last = Some(item);
            let member = members.get(at).filter(|(other, _)| *other == item).copied();
            if let Some(member) = member {
                self.hosts.clear();
                self.leave(clusters, nearby, cluster, member);
                rise = self.hosts.first().map_or(Cost::MAX, |&(best, _)| best.saturating_add(rise));
                self.best_hosts.extend(self.hosts.first().map(|&(_, host)| (host, member)));
            }
        }
        if rise < clusters.cost(cluster) && self.may_dissolve(clusters, cluster) {
            self.dissolve(clusters, nearby, cluster);
        }
        Ok(())
    }

    fn leave(&mut self, clusters: &mut Clusters<'_>, nearby: &Nearby, cluster: ClusterId, member: Part) {
        let (item, count) = member;
        let size = clusters.size(cluster);
        let before = clusters.members(cluster).len();
        let least = clusters.demands.least_size;
        if size == count {
            return;
        }
        let space = clusters.space;
        let changed = clusters.changed(cluster);
        if self.own_changed != Some(changed) {
            self.own.of(clusters, cluster);
            self.own_changed = Some(changed);
        }
        debug_assert!(self.own.are_of(clusters, cluster), "edges that were followed are those that are there");
        self.own.without(space.places(item), &mut self.lows, &mut self.highs);
        let row_cost = clusters.row_cost(cluster);
        let left_cost = space.row_cost(&self.lows, &self.highs);
        let saved = clusters.cost(cluster) - Cost::from(size - count) * left_cost;
        if saved == 0 {
            return;
        }
        self.find_hosts(clusters, nearby, cluster, member, saved * 2);
        // A move of the whole member.
        if size - count >= least && clusters.holds_changed(cluster, &[member], &[]) {
            if let Some(host) = self.first_host(clusters, member, saved, Some(cluster)) {
                clusters.remove(cluster, member);
                clusters.add(host, member);
                self.follow(clusters, cluster, item, before);
                return;
            }
        } else if size > least && count > 1 {
            // Some of its rows.
            let some = (item, (size - least).min(count - 1));
            let saved = Cost::from(some.1) * row_cost;
            if clusters.holds_changed(cluster, &[some], &[]) {
                let space = clusters.space;
                let rise = |host: ClusterId| {
                    let merged = space.row_cost_with(clusters.lows(host), clusters.highs(host), space.places(item));
                    let size = Cost::from(clusters.size(host));
                    (size + Cost::from(some.1)) * merged - size * clusters.row_cost(host)
                };
                let host = self.hosts.iter().map(|&(_, host)| (rise(host), host)).min();
                if let Some((rise, host)) = host
                    && rise < saved
                    && clusters.holds_changed(host, &[], &[some])
                    && clusters.keep_targets(&moved(cluster, host, &[some]))
                {
                    clusters.remove(cluster, some);
                    clusters.add(host, some);
                    self.own_changed = Some(clusters.changed(cluster));
                    return;
                }
            }
        }
        if let Some((_, other, newcomer)) = self.best_swap(clusters, cluster, member) {
            clusters.remove(cluster, member);
            clusters.remove(other, newcomer);
            clusters.add(cluster, newcomer);
            clusters.add(other, member);
            self.follow(clusters, cluster, item, before);
            return;
        }
        if let Some(host) = self.first_host(clusters, member, saved, None)
            && let Some(&(rise, _)) = self.hosts.iter().find(|&&(_, other)| other == host)
            && let Some((_, donor, newcomer)) =
                self.best_replacement(clusters, nearby, cluster, member, host, saved - rise)
        {
            clusters.remove(cluster, member);
            clusters.add(host, member);
            clusters.remove(donor, newcomer);
            clusters.add(cluster, newcomer);
            self.follow(clusters, cluster, item, before);
        }
    }

    /// Brings the edges up to date after one of `before` members left its cluster, perhaps for another, if that is
    /// easily known.
    fn follow(&mut self, clusters: &Clusters<'_>, cluster: ClusterId, left: Item, before: usize) {
        let space = clusters.space;
        let members = clusters.members(cluster);
        // What came is the last, unless it is more rows of an item that has been there.
        let (others, came) = members.split_at(before - 1);
        if self.own.stay_without(space, others, space.places(left)) {
            came.iter().for_each(|&(item, _)| self.own.include(space.places(item)));
            self.own_changed = Some(clusters.changed(cluster));
        }
    }

    /// The clusters that could take the rows at the lowest rise in cost, below `limit`.
    fn find_hosts(&mut self, clusters: &Clusters<'_>, nearby: &Nearby, from: ClusterId, part: Part, limit: Cost) {
        let hosts = &mut self.hosts;
        hosts.clear();
        let places = clusters.space.places(part.0);
        let count = Cost::from(part.1);
        let mut worst = limit;
        let query = Query { lows: places, highs: places, rows: count, together: Together::Whole };
        nearby.search(clusters.space, &query, worst, |host, limit| {
            if host == from || clusters.size(host) == 0 {
                return;
            }
            let merged = clusters.space.row_cost_with(clusters.lows(host), clusters.highs(host), places);
            let size = Cost::from(clusters.size(host));
            let rise = (size + count) * merged - size * clusters.row_cost(host);
            if rise >= worst {
                return;
            }
            let place = hosts.partition_point(|&other| other < (rise, host));
            hosts.insert(place, (rise, host));
            if hosts.len() > HOSTS {
                hosts.pop();
                worst = hosts.last().map_or(worst, |&(rise, _)| rise);
                *limit = worst;
            }
        });
    }

    /// The cheapest host that holds with the rows. If they come from a cluster to stay, targets must be kept, too.
    fn first_host(
        &self,
        clusters: &Clusters<'_>,
        part: Part,
        below: Cost,
        from: Option<ClusterId>,
    ) -> Option<ClusterId> {
        let cheap = self.hosts.iter().take_while(|&&(rise, _)| rise < below);
        cheap.map(|&(_, host)| host).find(|&host| {
            clusters.holds_changed(host, &[], &[part])
                && from.is_none_or(|from| clusters.keep_targets(&moved(from, host, &[part])))
        })
    }

    /// The member of a host that is best exchanged for this one.
    fn best_swap(&mut self, clusters: &Clusters<'_>, cluster: ClusterId, member: Part) -> Option<Newcomer> {
        let space = clusters.space;
        let least = clusters.demands.least_size;
        let (item, count) = member;
        let places = space.places(item);
        let size = clusters.size(cluster);
        let mut best: Option<Newcomer> = None;
        for &(_, host) in &self.hosts {
            let host_size = clusters.size(host);
            let before = clusters.cost(cluster) + clusters.cost(host);
            self.other.of(clusters, host);
            for &(other_item, all) in clusters.members(host) {
                let other_places = space.places(other_item);
                let left = (size - count).max(1);
                // The whole other member if both stay large enough, else just as many rows as leave.
                let fits = |rows: u32| left + rows >= least && host_size + count >= least + rows && rows <= all;
                let rows = if fits(all) { all } else { count };
                if !fits(rows) {
                    continue;
                }
                let own = Cost::from(size - count + rows) * space.row_cost_with(&self.lows, &self.highs, other_places);
                let most = best.as_ref().map_or(0, |&(change, ..)| change);
                if own - before >= most {
                    continue;
                }
                let cost = if rows == all {
                    self.other.row_cost_exchanged(space, other_places, places)
                } else {
                    space.row_cost_with(clusters.lows(host), clusters.highs(host), places)
                };
                let change = own + Cost::from(host_size + count - rows) * cost - before;
                let newcomer = (other_item, rows);
                if change < most
                    && clusters.holds_changed(cluster, &[member], &[newcomer])
                    && clusters.holds_changed(host, &[newcomer], &[member])
                    && clusters.keep_targets(&[
                        Change { cluster, without: &[member], with: &[newcomer] },
                        Change { cluster: host, without: &[newcomer], with: &[member] },
                    ])
                {
                    best = Some((change, host, newcomer));
                }
            }
        }
        best
    }

    /// Rows that a larger cluster can spare and that cost less in place of the member than was `saved`.
    fn best_replacement(
        &mut self,
        clusters: &Clusters<'_>,
        nearby: &Nearby,
        cluster: ClusterId,
        member: Part,
        host: ClusterId,
        saved: Cost,
    ) -> Option<Newcomer> {
        let space = clusters.space;
        let least = clusters.demands.least_size;
        let left = clusters.size(cluster) - member.1;
        let needed = least.saturating_sub(left).max(1);
        let left_cost = Cost::from(left) * space.row_cost(&self.lows, &self.highs);
        let size = Cost::from(left + needed);
        let mut best: Option<Newcomer> = None;
        let other = &mut self.other;
        let (lows, highs) = (&self.lows, &self.highs);
        let limit = (saved + left_cost) / size + 1;
        let query = Query { lows, highs, rows: 1, together: Together::Member };
        nearby.search(space, &query, limit, |donor, limit| {
            let donor_size = clusters.size(donor);
            if donor == cluster || donor == host || donor_size < least + needed {
                return;
            }
            let mut known = false;
            for &(item, all) in clusters.members(donor) {
                if all < needed {
                    continue;
                }
                let own = space.row_cost_with(lows, highs, space.places(item));
                if own >= *limit {
                    continue;
                }
                let after = if all == needed {
                    if !known {
                        other.of(clusters, donor);
                        known = true;
                    }
                    other.row_cost_without(space, space.places(item))
                } else {
                    clusters.row_cost(donor)
                };
                let donor_change = Cost::from(donor_size - needed) * after - clusters.cost(donor);
                let change = size * own - left_cost + donor_change;
                let most = best.as_ref().map_or(saved, |&(change, ..)| change);
                let newcomer = (item, needed);
                if change < most
                    && clusters.holds_changed(cluster, &[member], &[newcomer])
                    && clusters.holds_changed(donor, &[newcomer], &[])
                    && clusters.keep_targets(&[
                        Change { cluster, without: &[member], with: &[newcomer] },
                        Change { cluster: host, without: &[], with: &[member] },
                        Change { cluster: donor, without: &[newcomer], with: &[] },
                    ])
                {
                    best = Some((change, donor, newcomer));
                }
            }
        });
        best
    }

    /// Whether targets would be kept if every member went to the host that was best when it was looked at: dissolving
    /// looks for hosts once more, mostly finds these, and where constraints are narrow would be taken back.
    fn may_dissolve(&mut self, clusters: &Clusters<'_>, cluster: ClusterId) -> bool {
        if clusters.shown().is_empty() {
            return true;
        }
        let mut members = clusters.members(cluster).to_vec();
        members.sort_unstable();
        self.best_hosts.retain(|(_, member)| members.binary_search(member).is_ok());
        self.best_hosts.sort_unstable();
        let to_hosts = self.best_hosts.chunk_by(|one, other| one.0 == other.0);
        let (hosts, coming): (Vec<ClusterId>, Vec<Vec<Part>>) =
            to_hosts.map(|to_host| (to_host[0].0, to_host.iter().map(|&(_, member)| member).collect())).unzip();
        let mut changes = vec![Change { cluster, without: &members, with: &[] }];
        changes.extend(hosts.iter().zip(&coming).map(|(&cluster, with)| Change { cluster, without: &[], with }));
        clusters.keep_targets(&changes)
    }

    /// Gives every member to the cluster where it costs least, if that is cheaper altogether.
    fn dissolve(&mut self, clusters: &mut Clusters<'_>, nearby: &Nearby, cluster: ClusterId) {
        let before = clusters.cost(cluster);
        let missed = clusters.targets_missed();
        let members = clusters.members(cluster).to_vec();
        let mut rise = 0;
        let mut moved: Vec<(Part, ClusterId, u64)> = Vec::new();
        for &member in &members {
            self.find_hosts(clusters, nearby, cluster, member, before - rise);
            let Some(host) = self.first_host(clusters, member, before - rise, None) else { break };
            let (old, changed) = (clusters.cost(host), clusters.changed(host));
            clusters.add(host, member);
            rise += clusters.cost(host) - old;
            moved.push((member, host, changed));
        }
        if moved.len() == members.len() && rise < before && clusters.targets_missed_without(cluster) <= missed {
            clusters.clear(cluster);
            return;
        }
        for (member, host, changed) in moved.into_iter().rev() {
            clusters.remove(host, member);
            clusters.unchanged_since(host, changed);
        }
    }
}

/// Rows that go from one cluster to another.
fn moved(from: ClusterId, to: ClusterId, rows: &[Part]) -> [Change<'_>; 2] {
    [Change { cluster: from, without: rows, with: &[] }, Change { cluster: to, without: &[], with: rows }]
}
