//! All candidate clusterings of a constraint whose pool is small (§4.1.1, *Clusterings*).
//!
//! A candidate is a set of disjoint clusters from the pool that together show the target in as many rows as the bounds
//! ask for. Clusters have k to 2k − 1 rows, as larger ones could be cut; where other models than k count, they may be of
//! any size that holds. For a constraint without a lower bound the empty clustering is all that is needed.
//! Guarantee: whatever release meets the constraint, its classes that show the target can be cut into a candidate.
//! (The constraints of Example 4.1 have 4, 1 and 13: for the last, six pairs, four triples and three pairs of pairs. The
//! paper says 12.)

use super::ground::{Class, Ground, rows};
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::targets::Bounds;

/// Rows of a pool at most.
const POOL: u64 = 12;

/// Candidates of a constraint at most.
const CANDIDATES: usize = 2000;

/// Sets of clusters that are looked at for one constraint at most.
const WORK: u32 = 200_000;

/// All candidates; `None` if there are too many to list.
pub fn list(ground: &Ground<'_>, constraint: usize, pool: &[Part]) -> Option<Vec<Vec<Class>>> {
    let bounds = ground.targets.bounds[constraint];
    if bounds.least == 0 {
        return Some(vec![Vec::new()]);
    }
    if rows(pool) > POOL {
        return None;
    }
    let clusters = clusters(ground, constraint, pool);
    let mut listing = Listing { ground, constraint, bounds, clusters: &clusters, found: Vec::new(), work: WORK };
    let mut left: Vec<u32> = pool.iter().map(|&(_, count)| count).collect();
    listing.extend(pool, &mut left, 0, 0, &mut Vec::new()).then_some(listing.found)
}

/// All classes of rows of the pool that show the constraint.
fn clusters(ground: &Ground<'_>, constraint: usize, pool: &[Part]) -> Vec<Class> {
    let (least, most) = (ground.demands.least_size, ground.largest_needed());
    let mut clusters = Vec::new();
    let mut taken = vec![0; pool.len()];
    // Counting up in mixed radix.
    while let Some(place) = (0..pool.len()).find(|&place| taken[place] < pool[place].1) {
        taken[place] += 1;
        taken[..place].fill(0);
        let parts: Vec<Part> =
            pool.iter().zip(&taken).map(|(&(item, _), &count)| (item, count)).filter(|&(_, count)| count > 0).collect();
        let size = rows(&parts) as u32;
        let region = |&(item, _): &Part| ground.region_of_item[item as usize];
        if (least..=most).contains(&size)
            && parts.windows(2).all(|pair| region(&pair[0]) == region(&pair[1]))
            && ground.targets.rows_among(constraint, &parts) > 0
            && ground.demands.hold_for(&parts)
        {
            clusters.extend(ground.class_showing(parts, constraint));
        }
    }
    clusters
}

struct Listing<'l, 'a> {
    ground: &'l Ground<'a>,
    constraint: usize,
    bounds: Bounds,
    clusters: &'l [Class],
    found: Vec<Vec<Class>>,
    work: u32,
}

impl Listing<'_, '_> {
    /// Adds every candidate that has the `chosen` clusters and others from the `next` one on; false if it gets too much.
    fn extend(&mut self, pool: &[Part], left: &mut [u32], next: usize, shown: u64, chosen: &mut Vec<usize>) -> bool {
        if shown >= self.bounds.least {
            if self.found.len() == CANDIDATES {
                return false;
            }
            self.found.push(chosen.iter().map(|&number| self.clusters[number].clone()).collect());
        }
        for number in next..self.clusters.len() {
            if self.work == 0 {
                return false;
            }
            self.work -= 1;
            let class = &self.clusters[number];
            let more = shown + self.ground.targets.rows_among(self.constraint, &class.rows);
            let place = |&(item, _): &Part| pool.iter().position(|&(other, _)| other == item).unwrap_or(0);
            if more > self.bounds.most || class.rows.iter().any(|part| left[place(part)] < part.1) {
                continue;
            }
            class.rows.iter().for_each(|part| left[place(part)] -= part.1);
            chosen.push(number);
            // The same cluster again, where rows are alike.
            let goes_on = self.extend(pool, left, number, more, chosen);
            chosen.pop();
            class.rows.iter().for_each(|part| left[place(part)] += part.1);
            if !goes_on {
                return false;
            }
        }
        true
    }
}
