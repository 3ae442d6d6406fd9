//! Takes steps: chooses the rows and the classes.

use super::{Sight, Step};
use crate::algorithms::local::clusters::{ClusterId, Clusters, Part};
use crate::algorithms::local::space::Cost;
use crate::sorting::Sorting;

/// Classes of a face of which two may be made one.
const PAIRED: usize = 64;

/// Classes that are looked at as hosts for a row.
const HOSTS: usize = 256;

impl Sight<'_, '_> {
    /// Moves rows along a chain; takes all back if that does not help, and notes which steps are to blame.
    pub fn follow(&self, clusters: &mut Clusters<'_>, chain: &[Step], rows: u32, in_the_way: &mut Vec<Step>) -> bool {
        let missed = clusters.targets_missed();
        let mut done: Vec<(ClusterId, ClusterId, Part)> = Vec::new();
        let stuck = chain.iter().find(|&&step| !self.perform(clusters, step, rows, &mut done));
        let helps = stuck.is_none() && clusters.targets_missed() < missed;
        if !helps {
            for (from, to, part) in done.into_iter().rev() {
                clusters.remove(to, part);
                clusters.add(from, part);
            }
            in_the_way.clear();
            in_the_way.extend(stuck.map_or(chain, std::slice::from_ref));
        }
        helps
    }

    /// Makes one of two classes of each face that has no rows to spare; whether there were any.
    pub fn make_room(&self, clusters: &mut Clusters<'_>) -> bool {
        let mut spare = vec![0; self.faces.len()];
        for (&(_, face), rows) in &self.spare {
            spare[face] += rows.iter().map(|&(_, _, count)| count).sum::<u32>();
        }
        let mut made = false;
        for (face, _) in self.faces.iter().zip(spare).filter(|&(_, spare)| spare < clusters.demands.least_size) {
            let some = &face.clusters[..face.clusters.len().min(PAIRED)];
            let mut pairs: Vec<(Cost, ClusterId, ClusterId)> = Vec::new();
            for (place, &one) in some.iter().enumerate() {
                for &other in &some[place + 1..] {
                    let (lows, highs) = (clusters.lows(other), clusters.highs(other));
                    let row_cost =
                        self.ground.space.row_cost_of_both(clusters.lows(one), clusters.highs(one), lows, highs);
                    let size = Cost::from(clusters.size(one) + clusters.size(other));
                    pairs.push((size * row_cost - clusters.cost(one) - clusters.cost(other), one, other));
                }
            }
            pairs.order();
            if let Some(&(_, one, other)) = pairs.iter().find(|&&(_, one, other)| clusters.hold_together(one, other)) {
                clusters.merge(one, other);
                made = true;
            }
        }
        made
    }

    /// Moves rows, from classes that can spare them to the classes where they cost least; whether all could be.
    fn perform(
        &self,
        clusters: &mut Clusters<'_>,
        step: Step,
        rows: u32,
        done: &mut Vec<(ClusterId, ClusterId, Part)>,
    ) -> bool {
        let mut left = rows;
        for &(from, item, count) in self.spare.get(&(step.cell, step.from)).into_iter().flatten() {
            let least = clusters.demands.least_size;
            let some = count.min(left).min(clusters.size(from).saturating_sub(least));
            let has = clusters.members(from).iter().any(|&(other, rows)| other == item && rows >= some);
            if some == 0 || !has || !clusters.holds_changed(from, &[(item, some)], &[]) {
                continue;
            }
            let Some(to) = self.cheapest_host(clusters, step.to, from, (item, some)) else { continue };
            clusters.remove(from, (item, some));
            clusters.add(to, (item, some));
            done.push((from, to, (item, some)));
            left -= some;
            if left == 0 {
                return true;
            }
        }
        false
    }

    /// The class of a face that keeps it and costs least more with some rows.
    fn cheapest_host(&self, clusters: &Clusters<'_>, face: usize, from: ClusterId, part: Part) -> Option<ClusterId> {
        let space = &self.ground.space;
        let places = space.places(part.0);
        let hosts = self.faces[face].clusters.iter().filter(|&&host| host != from && clusters.size(host) > 0);
        let rise = |&host: &ClusterId| {
            let (lows, highs) = (clusters.lows(host), clusters.highs(host));
            let keeps = |&axis: &usize| {
                let with = space.node(axis, lows[axis].min(places[axis]), highs[axis].max(places[axis]));
                with == space.node(axis, lows[axis], highs[axis])
            };
            let (size, rows) = (Cost::from(clusters.size(host)), Cost::from(part.1));
            let rise = (size + rows) * space.row_cost_with(lows, highs, places) - clusters.cost(host);
            self.ground.axes.iter().all(keeps).then_some((rise, host))
        };
        let mut hosts: Vec<(Cost, ClusterId)> = hosts.take(HOSTS).filter_map(rise).collect();
        hosts.order();
        hosts.into_iter().map(|(_, host)| host).find(|&host| clusters.holds_changed(host, &[], &[part]))
    }
}
