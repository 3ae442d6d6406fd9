//! How many rows of clusters show the targets of diversity constraints, and what a change would make of that.
//!
//! Guarantee: what [`Clusters::keep_targets`] allows misses no bounds that are met now. Complexity: O(members · axes) a
//! changed cluster, and nothing where nothing is watched.

use super::{ClusterId, Clusters, Part, cover};
use crate::algorithms::local::space::Item;
use crate::algorithms::local::targets::Targets;
use crate::hierarchy::ROOT;

/// How many rows show the targets of diversity constraints.
#[derive(Clone)]
pub(super) struct Watch<'s> {
    targets: &'s Targets,
    /// The axes that they name.
    axes: Vec<usize>,
    /// In all clusters, and elsewhere.
    totals: Vec<u64>,
    /// In each cluster, cluster by cluster.
    shown: Vec<u64>,
}

/// A cluster that would lose some rows and get others.
pub struct Change<'c> {
    pub cluster: ClusterId,
    pub without: &'c [Part],
    pub with: &'c [Part],
}

impl<'s> Clusters<'s> {
    /// From now on counts the rows that show each target; `elsewhere` has those that are in no cluster here.
    pub fn watch(&mut self, targets: &'s Targets, elsewhere: Vec<u64>) {
        let shown = vec![0; self.len() * targets.len()];
        self.watch = Some(Watch { targets, axes: targets.axes(), totals: elsewhere, shown });
        for cluster in 0..self.len() as ClusterId {
            self.recount(cluster);
        }
    }

    /// How many rows show each target; nothing without a watch.
    pub fn shown(&self) -> &[u64] {
        self.watch.as_ref().map_or(&[], |watch| &watch.totals)
    }

    /// How many rows of one cluster show each target; nothing without a watch.
    pub fn shown_in(&self, cluster: ClusterId) -> &[u64] {
        self.watch
            .as_ref()
            .map_or(&[], |watch| &watch.shown[cluster as usize * watch.totals.len()..][..watch.totals.len()])
    }

    /// By how many rows the constraints are missed; 0 without a watch.
    pub fn targets_missed(&self) -> u64 {
        self.watch.as_ref().map_or(0, |watch| watch.targets.missed_by(&watch.totals))
    }

    /// The same if a cluster's rows were not counted.
    pub fn targets_missed_without(&self, cluster: ClusterId) -> u64 {
        let Some(watch) = &self.watch else { return 0 };
        let without = watch.totals.iter().zip(self.shown_in(cluster)).map(|(total, shown)| total - shown.min(total));
        watch.targets.missed_by(&without.collect::<Vec<_>>())
    }

    /// Whether no constraint would be missed by more rows than now. Always so without a watch.
    #[inline]
    pub fn keep_targets(&self, changes: &[Change<'_>]) -> bool {
        match &self.watch {
            None => true,
            Some(watch) => self.keep_watched(watch, changes),
        }
    }

    fn keep_watched(&self, watch: &Watch<'s>, changes: &[Change<'_>]) -> bool {
        let mut totals = watch.totals.clone();
        let mut nodes = vec![ROOT; self.space.axes()];
        for change in changes {
            let rows = |parts: &[Part]| parts.iter().map(|&(_, count)| u64::from(count)).sum::<u64>();
            let size = u64::from(self.size(change.cluster)) + rows(change.with) - rows(change.without);
            for &axis in &watch.axes {
                let (low, high) = self.reach_after(change, axis);
                nodes[axis] = if low > high { ROOT } else { self.space.node(axis, low, high) };
            }
            for (constraint, (total, &before)) in totals.iter_mut().zip(self.shown_in(change.cluster)).enumerate() {
                let shows = size > 0 && watch.targets.shown_by(constraint, |axis| nodes[axis]);
                let counted = |parts: &[Part]| watch.targets.rows_among(constraint, parts);
                let after = match shows {
                    true if watch.targets.counts_classes(constraint) => size,
                    true => counted(self.members(change.cluster)) + counted(change.with) - counted(change.without),
                    false => 0,
                };
                *total = *total - before.min(*total) + after;
            }
        }
        watch.targets.missed_by(&totals) <= watch.targets.missed_by(&watch.totals)
    }

    /// The first and last place of a cluster on an axis after a change; without rows, and not raised, none.
    fn reach_after(&self, change: &Change<'_>, axis: usize) -> (u32, u32) {
        let place = |item: Item| self.space.places(item)[axis];
        let members = self.members(change.cluster);
        let (mut low, mut high) = (self.lows(change.cluster)[axis], self.highs(change.cluster)[axis]);
        // Only a member that stands at an edge and leaves altogether can move it.
        let at_edge = |&(item, _): &Part| place(item) == low || place(item) == high;
        if members.is_empty() || change.without.iter().any(at_edge) {
            let gone =
                |&(item, count): &Part| change.without.iter().any(|&(other, rows)| other == item && rows >= count);
            let raised = self.raises(change.cluster).nth(axis).flatten();
            (low, high) = (raised.unwrap_or(u32::MAX), 0);
            for part in members.iter().filter(|part| !gone(part)) {
                low = low.min(place(part.0));
                high = high.max(place(part.0));
            }
        }
        for &(item, _) in change.with {
            low = low.min(place(item));
            high = high.max(place(item));
        }
        (low, high)
    }

    /// Whether no constraint would be missed by more rows if a cluster were cut in two, each raised as it is.
    #[inline]
    pub fn keep_targets_cut(&self, cluster: ClusterId, lower: &[Part], upper: &[Part]) -> bool {
        let Some(watch) = &self.watch else { return true };
        let mut totals = watch.totals.clone();
        let mut shown = vec![0; totals.len()];
        let mut bounds = vec![0; 2 * self.space.axes()];
        for (total, &before) in totals.iter_mut().zip(self.shown_in(cluster)) {
            *total -= before.min(*total);
        }
        for rows in [lower, upper] {
            self.count_with_box(watch, cluster, rows, &mut bounds, &mut shown);
            totals.iter_mut().zip(&shown).for_each(|(total, &shown)| *total += shown);
        }
        watch.targets.missed_by(&totals) <= watch.targets.missed_by(&watch.totals)
    }

    /// Counts for rows as if they were the members of a cluster.
    fn count_with_box(
        &self,
        watch: &Watch<'s>,
        cluster: ClusterId,
        rows: &[Part],
        bounds: &mut [u32],
        shown: &mut [u64],
    ) {
        if rows.is_empty() {
            shown.fill(0);
            return;
        }
        cover(self.space, rows.iter().map(|&(item, _)| item), bounds);
        let (lows, highs) = bounds.split_at_mut(self.space.axes());
        self.include_raises(cluster, lows);
        watch.targets.count(self.space, lows, highs, rows, shown);
    }

    /// Brings the watched counts up to date after a change to a cluster.
    #[inline]
    pub(super) fn recount(&mut self, cluster: ClusterId) {
        if self.watch.is_some() {
            self.recount_watched(cluster);
        }
    }

    fn recount_watched(&mut self, cluster: ClusterId) {
        let Some(mut watch) = self.watch.take() else { return };
        let targets = watch.targets.len();
        watch.shown.resize(self.len() * targets, 0);
        let mut shown = vec![0; targets];
        if self.size(cluster) > 0 {
            let rows = self.members(cluster);
            watch.targets.count(self.space, self.lows(cluster), self.highs(cluster), rows, &mut shown);
        }
        let before = &mut watch.shown[cluster as usize * targets..][..targets];
        for ((total, before), after) in watch.totals.iter_mut().zip(before).zip(shown) {
            *total = *total - (*before).min(*total) + after;
            *before = after;
        }
        self.watch = Some(watch);
    }
}
