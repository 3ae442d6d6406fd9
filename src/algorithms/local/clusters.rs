//! Clusters of rows that change: members, sizes, boxes, costs and what the demands look at, kept up to date together.
//!
//! A cluster may be *raised* on an axis, to show a group although its rows would allow more; and how many rows show the
//! targets of diversity constraints may be [watched](Clusters::watch). Without either, neither costs anything.
//! Complexity: adding costs O(axes + values), removing O(members · axes) where the box shrinks.

use super::demands::{Demands, Tally};
use super::space::{Cost, Item, Space};
use crate::hierarchy::NodeId;
use crate::privacy::ValueChange;

mod watch;

pub use watch::Change;
use watch::Watch;

/// Number of a cluster.
pub type ClusterId = u32;

/// Some rows of an item.
pub type Part = (Item, u32);

#[derive(Clone)]
pub struct Clusters<'s> {
    pub space: &'s Space<'s>,
    pub demands: &'s Demands<'s>,
    members: Vec<Vec<Part>>,
    sizes: Vec<u32>,
    /// The first and last place on each axis: of every cluster first all lows, then all highs.
    bounds: Vec<u32>,
    row_costs: Vec<Cost>,
    /// What each view counts, cluster by cluster.
    counts: Vec<Vec<Tally>>,
    /// The number of the last change to each cluster, and of all changes.
    changed: Vec<u64>,
    changes: u64,
    /// The place that each cluster's box begins with at the latest, on every axis; empty as long as none is raised.
    raised: Vec<u32>,
    watch: Option<Watch<'s>>,
}

/// The place of no raise.
const AS_IT_IS: u32 = u32::MAX;

impl<'s> Clusters<'s> {
    pub fn new(space: &'s Space<'s>, demands: &'s Demands<'s>) -> Self {
        Clusters {
            space,
            demands,
            members: Vec::new(),
            sizes: Vec::new(),
            bounds: Vec::new(),
            row_costs: Vec::new(),
            counts: Vec::new(),
            changed: Vec::new(),
            changes: 0,
            raised: Vec::new(),
            watch: None,
        }
    }

    /// Number of clusters, empty ones included.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The clusters that have rows.
    pub fn used(&self) -> impl Iterator<Item = ClusterId> + '_ {
        (0..self.len() as ClusterId).filter(|&cluster| self.size(cluster) > 0)
    }

    pub fn members(&self, cluster: ClusterId) -> &[Part] {
        &self.members[cluster as usize]
    }

    #[inline]
    pub fn size(&self, cluster: ClusterId) -> u32 {
        self.sizes[cluster as usize]
    }

    #[inline]
    pub fn lows(&self, cluster: ClusterId) -> &[u32] {
        let axes = self.space.axes();
        &self.bounds[cluster as usize * 2 * axes..][..axes]
    }

    #[inline]
    pub fn highs(&self, cluster: ClusterId) -> &[u32] {
        let axes = self.space.axes();
        &self.bounds[(cluster as usize * 2 + 1) * axes..][..axes]
    }

    /// What one row of the cluster costs.
    #[inline]
    pub fn row_cost(&self, cluster: ClusterId) -> Cost {
        self.row_costs[cluster as usize]
    }

    #[inline]
    pub fn cost(&self, cluster: ClusterId) -> Cost {
        Cost::from(self.size(cluster)) * self.row_cost(cluster)
    }

    pub fn total_cost(&self) -> Cost {
        self.used().map(|cluster| self.cost(cluster)).sum()
    }

    /// How many changes there were so far to any cluster.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Which of them was the last to this one; 0 if it is as it was made.
    pub fn changed(&self, cluster: ClusterId) -> u64 {
        self.changed[cluster as usize]
    }

    /// Says that what happened to a cluster since a certain change was taken back.
    pub fn unchanged_since(&mut self, cluster: ClusterId, change: u64) {
        self.changed[cluster as usize] = change;
    }

    pub fn counts(&self, cluster: ClusterId) -> &[Tally] {
        &self.counts[cluster as usize]
    }

    pub fn holds(&self, cluster: ClusterId) -> bool {
        self.demands.hold_now(self.size(cluster), &self.counts[cluster as usize])
    }

    /// Whether the cluster would hold without some rows and with some others.
    pub fn holds_changed(&self, cluster: ClusterId, without: &[Part], with: &[Part]) -> bool {
        let rows = |parts: &[Part]| parts.iter().map(|&(_, count)| count).sum::<u32>();
        let size = self.size(cluster) + rows(with) - rows(without);
        if !self.demands.hold_by_size(size) {
            return false;
        }
        self.demands.views.iter().zip(&self.counts[cluster as usize]).all(|(view, tally)| {
            let come = with.iter().map(|&(item, count)| (view.value(item), i64::from(count)));
            let go = without.iter().map(|&(item, count)| (view.value(item), -i64::from(count)));
            let changes: Vec<ValueChange> = come.chain(go).collect();
            view.holds_changed(size, tally, &changes)
        })
    }

    /// Whether two clusters would hold as one.
    pub fn hold_together(&self, one: ClusterId, other: ClusterId) -> bool {
        self.holds_changed(one, &[], self.members(other))
    }

    /// A new cluster; no item may be in two parts.
    pub fn open(&mut self, parts: &[Part]) -> ClusterId {
        let cluster = self.len() as ClusterId;
        self.sizes.push(parts.iter().map(|&(_, count)| count).sum());
        self.bounds.resize(self.bounds.len() + 2 * self.space.axes(), 0);
        self.row_costs.push(0);
        self.changed.push(0);
        if !self.raised.is_empty() {
            self.raised.resize(self.raised.len() + self.space.axes(), AS_IT_IS);
        }
        self.cover_only(cluster, parts);
        self.members.push(parts.to_vec());
        self.counts.push(self.demands.tally(parts));
        self.recount(cluster);
        cluster
    }

    pub fn add(&mut self, cluster: ClusterId, (item, count): Part) {
        let id = cluster as usize;
        self.note_change(cluster);
        if self.sizes[id] == 0 {
            self.cover_only(cluster, &[(item, count)]);
        } else {
            let axes = self.space.axes();
            let (lows, highs) = self.bounds[id * 2 * axes..][..2 * axes].split_at_mut(axes);
            for ((low, high), &place) in lows.iter_mut().zip(highs).zip(self.space.places(item)) {
                *low = (*low).min(place);
                *high = (*high).max(place);
            }
        }
        self.sizes[id] += count;
        match self.members[id].iter_mut().find(|(other, _)| *other == item) {
            Some((_, rows)) => *rows += count,
            None => self.members[id].push((item, count)),
        }
        for (view, counts) in self.demands.views.iter().zip(&mut self.counts[id]) {
            view.change(counts, (view.value(item), i64::from(count)));
        }
        self.row_costs[id] = self.space.row_cost(self.lows(cluster), self.highs(cluster));
        self.recount(cluster);
    }

    /// Takes rows out; the cluster must have them.
    pub fn remove(&mut self, cluster: ClusterId, (item, count): Part) {
        let id = cluster as usize;
        let Some(place) = self.members[id].iter().position(|&(other, rows)| other == item && rows >= count) else {
            return;
        };
        self.note_change(cluster);
        self.sizes[id] -= count;
        for (view, counts) in self.demands.views.iter().zip(&mut self.counts[id]) {
            view.change(counts, (view.value(item), -i64::from(count)));
        }
        self.members[id][place].1 -= count;
        if self.members[id][place].1 == 0 {
            self.members[id].remove(place);
            if !self.reaches_without(cluster, item) {
                let members = std::mem::take(&mut self.members[id]);
                self.cover_only(cluster, &members);
                self.members[id] = members;
            }
            debug_assert!(self.covers_just_its_members(cluster), "a box that was kept is that of the members");
        }
        self.recount(cluster);
    }

    /// Whether the box is the same without an item that left: others stand where it stood at an edge. Of a large cluster
    /// the first few tell.
    fn reaches_without(&self, cluster: ClusterId, left: Item) -> bool {
        let members = &self.members[cluster as usize];
        let bounds = self.lows(cluster).iter().zip(self.highs(cluster));
        !members.is_empty()
            && self.space.places(left).iter().zip(bounds).enumerate().all(|(axis, (&place, (&low, &high)))| {
                (place != low && place != high)
                    || members.iter().any(|&(item, _)| self.space.places(item)[axis] == place)
            })
    }

    /// Whether the box is what a look at all members gives.
    fn covers_just_its_members(&self, cluster: ClusterId) -> bool {
        let (lows, highs) = (self.lows(cluster), self.highs(cluster));
        let mut bounds = [lows, highs].concat();
        cover(self.space, self.members(cluster).iter().map(|&(item, _)| item), &mut bounds);
        let (just_lows, just_highs) = bounds.split_at_mut(lows.len());
        self.include_raises(cluster, just_lows);
        *just_lows == *lows && *just_highs == *highs
    }

    /// Moves all rows of `from` into `into`.
    pub fn merge(&mut self, into: ClusterId, from: ClusterId) {
        for part in self.clear(from) {
            self.add(into, part);
        }
    }

    fn note_change(&mut self, cluster: ClusterId) {
        self.changes += 1;
        self.changed[cluster as usize] = self.changes;
    }

    /// Empties a cluster and gives its rows.
    pub fn clear(&mut self, cluster: ClusterId) -> Vec<Part> {
        let id = cluster as usize;
        self.sizes[id] = 0;
        self.row_costs[id] = 0;
        self.counts[id].fill_with(Tally::default);
        if let Some(raised) = self.raised.get_mut(id * self.space.axes()..(id + 1) * self.space.axes()) {
            raised.fill(AS_IT_IS);
        }
        let members = std::mem::take(&mut self.members[id]);
        self.recount(cluster);
        members
    }

    /// What a cluster shows.
    pub fn nodes(&self, cluster: ClusterId) -> impl Iterator<Item = NodeId> {
        let bounds = self.lows(cluster).iter().zip(self.highs(cluster)).enumerate();
        bounds.map(|(axis, (&low, &high))| self.space.node(axis, low, high))
    }

    /// Makes a cluster show at least the group at a place that covers all its rows; `None` takes that back.
    pub fn raise(&mut self, cluster: ClusterId, axis: usize, place: Option<u32>) {
        let axes = self.space.axes();
        if self.raised.is_empty() {
            self.raised = vec![AS_IT_IS; self.len() * axes];
        }
        self.note_change(cluster);
        self.raised[cluster as usize * axes + axis] = place.unwrap_or(AS_IT_IS);
        let members = std::mem::take(&mut self.members[cluster as usize]);
        self.cover_only(cluster, &members);
        self.members[cluster as usize] = members;
        self.recount(cluster);
    }

    /// Raises a cluster as another one is.
    pub fn raise_like(&mut self, cluster: ClusterId, other: ClusterId) {
        if !self.raised.is_empty() {
            for (axis, place) in self.raises(other).enumerate().collect::<Vec<_>>() {
                if place.is_some() {
                    self.raise(cluster, axis, place);
                }
            }
        }
    }

    /// The places that a cluster was raised to, axis by axis; none where it is not.
    pub fn raises(&self, cluster: ClusterId) -> impl Iterator<Item = Option<u32>> {
        let axes = self.space.axes();
        let raised = self.raised.get(cluster as usize * axes..(cluster as usize + 1) * axes).unwrap_or_default();
        let place = |axis| raised.get(axis).copied().filter(|&place| place != AS_IT_IS);
        (0..axes).map(place)
    }

    /// Widens a box to what a cluster was raised to.
    pub fn include_raises(&self, cluster: ClusterId, lows: &mut [u32]) {
        let axes = self.space.axes();
        if let Some(raised) = self.raised.get(cluster as usize * axes..(cluster as usize + 1) * axes) {
            lows.iter_mut().zip(raised).for_each(|(low, &place)| *low = (*low).min(place));
        }
    }

    /// Sets the box to just what covers some rows.
    fn cover_only(&mut self, cluster: ClusterId, members: &[Part]) {
        let axes = self.space.axes();
        let bounds = &mut self.bounds[cluster as usize * 2 * axes..][..2 * axes];
        cover(self.space, members.iter().map(|&(item, _)| item), bounds);
        if let Some(raised) = self.raised.get(cluster as usize * axes..(cluster as usize + 1) * axes) {
            bounds[..axes].iter_mut().zip(raised).for_each(|(low, &place)| *low = (*low).min(place));
        }
        self.row_costs[cluster as usize] = match members {
            [] => 0,
            _ => self.space.row_cost(self.lows(cluster), self.highs(cluster)),
        };
    }
}

/// Writes the box (lows, then highs) that covers some items; without items it is left as it was.
pub fn cover(space: &Space<'_>, mut items: impl Iterator<Item = Item>, bounds: &mut [u32]) {
    let (lows, highs) = bounds.split_at_mut(space.axes());
    let Some(first) = items.next() else { return };
    lows.copy_from_slice(space.places(first));
    highs.copy_from_slice(space.places(first));
    for item in items {
        for ((low, high), &place) in lows.iter_mut().zip(highs.iter_mut()).zip(space.places(item)) {
            *low = (*low).min(place);
            *high = (*high).max(place);
        }
    }
}
