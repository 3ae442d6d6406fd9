//! Candidate clusterings of a constraint whose pool is large: made when asked for, the best first, from similar rows.
//!
//! Rows that agree in all quasi-identifiers cost nothing as a class, so those come first. What is still missing is
//! clustered by k-member, first rows that can show the same constraints among each other (such a cluster counts for all
//! of them), then whatever is left of the pool; and single rows join the clusters made before.
//! A clustering is made anew on what other constraints left free, and counts what their clusters show, so it is
//! consistent from the start. Complexity: that of k-member on the pool.

use std::cmp::Reverse;

use super::board::{Board, Chosen, Conflict};
use super::graph::Graph;
use super::ground::{Ground, first_rows, rows};
use crate::algorithms::k_member;
use crate::algorithms::local::clusters::{Clusters, Part};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::random::Random;
use crate::sorting::Sorting;

/// Classes that single rows are tried in, at most.
const JOINED: u32 = 5000;

/// Times the rows that are missing that are clustered at most where other constraints count, too.
const ENOUGH: u64 = 16;

/// In which order rows are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Those that fewer neighbours could use first: the order of §4.2.
    FewestNeighbours,
    /// Those that more neighbours could use first: their clusters count for many.
    MostNeighbours,
    /// By chance.
    Drawn(u64),
}

/// The ways to try, the first at the end.
pub fn ways(by_chance: bool, random: &mut Random) -> Vec<Way> {
    let drawn = |random: &mut Random| Way::Drawn(u64::from(random.below(u32::MAX)));
    match by_chance {
        true => (0..4).map(|_| drawn(random)).collect(),
        false => vec![drawn(random), Way::MostNeighbours, Way::FewestNeighbours],
    }
}

/// Places a clustering for a constraint on the board; one that misses the bounds only if it is `enough` to come near.
pub async fn cluster<'a>(
    ground: &Ground<'a>,
    graph: &Graph,
    board: &mut Board<'_, 'a>,
    constraint: usize,
    way: Way,
    enough: bool,
    progress: &Progress<'_>,
) -> Result<Result<(), Conflict>, Failure> {
    let before = board.chosen.len();
    let mut making = Making { ground, graph, board, constraint, way, before, aside: Vec::new() };
    making.take_points();
    for by_signature in [true, false] {
        if making.missing() > 0 {
            making.take_clusters(by_signature, progress).await?;
        }
    }
    if making.missing() > 0 {
        making.take_single_rows();
    }
    if enough || ground.targets.bounds[constraint].missed_by(board.totals[constraint]) == 0 {
        return Ok(Ok(()));
    }
    // The neighbour that took most of the pool is in the way.
    let mut taken = vec![0; ground.targets.len()];
    let mut in_pool = vec![false; ground.space.items()];
    graph.pools[constraint].iter().for_each(|&(item, _)| in_pool[item as usize] = true);
    for chosen in &board.chosen[..before] {
        let of_pool = chosen.class.rows.iter().filter(|&&(item, _)| in_pool[item as usize]);
        taken[chosen.constraint] += of_pool.map(|&(_, count)| u64::from(count)).sum::<u64>();
    }
    board.take_back(before);
    let blamed = (0..taken.len()).filter(|&other| taken[other] > 0).max_by_key(|&other| (taken[other], Reverse(other)));
    Ok(Err(Conflict::Rows(blamed)))
}

struct Making<'m, 'g, 'a> {
    ground: &'m Ground<'a>,
    graph: &'m Graph,
    board: &'m mut Board<'g, 'a>,
    constraint: usize,
    way: Way,
    /// Classes on the board before.
    before: usize,
    /// Rows that are no class yet.
    aside: Vec<Part>,
}

impl Making<'_, '_, '_> {
    /// How many rows more must show the target.
    fn missing(&self) -> u64 {
        self.ground.targets.bounds[self.constraint].least.saturating_sub(self.board.totals[self.constraint])
    }

    /// Free rows of the pool; `counting` ones only if they count.
    fn material(&self, counting: bool) -> Vec<Part> {
        let targets = &self.ground.targets;
        let items = self.graph.pools[self.constraint].iter().map(|&(item, _)| item);
        let useful = items.filter(|&item| !counting || targets.own_cells_show(self.constraint, item));
        useful.map(|item| (item, self.board.free[item as usize])).filter(|&(_, count)| count > 0).collect()
    }

    /// When rows are taken: the lower, the earlier.
    fn rank(&self, item: u32) -> u64 {
        let overlap = self.graph.overlap(self.constraint, item) as u64;
        match self.way {
            Way::FewestNeighbours => overlap,
            Way::MostNeighbours => u64::MAX - overlap,
            Way::Drawn(seed) => {
                let signature = u64::from(self.graph.signature_of_item[item as usize]);
                let mixed = (signature ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                mixed ^ (mixed >> 29)
            }
        }
    }

    /// Takes rows that agree in all quasi-identifiers.
    fn take_points(&mut self) {
        let ground = self.ground;
        let mut material = self.material(true);
        material.sort_unstable_by_key(|part| ground.space.rank(part.0));
        let same = |one: &Part, other: &Part| ground.space.places(one.0) == ground.space.places(other.0);
        let mut points: Vec<&[Part]> = material.chunk_by(same).filter(|point| ground.demands.hold_for(point)).collect();
        points.order_by_cached_key(|point| (self.rank(point[0].0), Reverse(rows(point)), point[0].0));
        for point in points {
            if self.missing() == 0 {
                break;
            }
            self.take(point.to_vec());
        }
    }

    /// Takes clusters that k-member makes of the rest of the pool, the cheapest first.
    async fn take_clusters(&mut self, by_signature: bool, progress: &Progress<'_>) -> Result<(), Failure> {
        let ground = self.ground;
        self.aside.clear();
        let mut material = self.material(by_signature);
        let cell = |part: &Part| {
            let region = ground.region_of_item[part.0 as usize];
            let signature = self.graph.signature_of_item[part.0 as usize];
            if by_signature { (self.rank(part.0), region, signature) } else { (0, region, 0) }
        };
        if by_signature {
            material.order_by_cached_key(|part| (cell(part), part.0));
        } else {
            // Rows that stand near each other, and not many more than may be needed.
            material.order_by_cached_key(|part| (cell(part), ground.space.rank(part.0)));
            let enough = ENOUGH * (self.missing() + u64::from(ground.demands.least_size));
            let mut seen = 0;
            let first = material.iter().take_while(|&&(_, count)| {
                seen += u64::from(count);
                seen - u64::from(count) < enough
            });
            material = first.copied().collect();
        }
        let cells: Vec<Vec<Part>> =
            material.chunk_by(|one, other| cell(one) == cell(other)).map(<[_]>::to_vec).collect();
        let mut random = Random::new(ground.problem.seed);
        for cell in cells {
            if self.missing() == 0 {
                break;
            }
            if !ground.demands.hold_for(&cell) || by_signature && !self.can_take_some(&cell) {
                continue;
            }
            let mut clusters = Clusters::new(&ground.space, &ground.demands);
            k_member::divide(&mut clusters, cell, &mut random, progress).await?;
            let mut order: Vec<u32> = clusters.used().filter(|&cluster| clusters.holds(cluster)).collect();
            order.order_by_key(|&cluster| (clusters.row_cost(cluster), cluster));
            for cluster in order {
                if self.missing() == 0 {
                    break;
                }
                self.take(clusters.members(cluster).to_vec());
            }
        }
        Ok(())
    }

    /// Places a class of some rows, or of as many of them as may show the target.
    fn take(&mut self, mut class: Vec<Part>) {
        let (ground, constraint) = (self.ground, self.constraint);
        class.order();
        let before = self.board.totals[constraint];
        let all = ground.targets.rows_among(constraint, &class);
        if !self.board.leaves_room(constraint, before + all) {
            match self.largest_part(before, all) {
                Some(size) => class = first_rows(&class, size as u32),
                None => match self.collect(class) {
                    Some(collected) => class = collected,
                    None => return,
                },
            }
        }
        if ground.demands.hold_for(&class)
            && let Some(chosen) = self.placed(class)
        {
            self.board.place(chosen);
        }
    }

    /// Whether a class of rows that count for the same constraints has a place: of k-member's sizes, or all that is missing.
    /// What they show is much the same whichever rows they are, so others need not be tried where these have none.
    fn can_take_some(&self, cell: &[Part]) -> bool {
        let least = u64::from(self.ground.demands.least_size);
        [least, 2 * least - 1, self.missing().max(least)].into_iter().any(|size| {
            let class = first_rows(cell, size.min(rows(cell)) as u32);
            !self.ground.demands.hold_for(&class) || self.placed(class).is_some()
        })
    }

    /// The rows as a class that shows the target and has a place on the board.
    fn placed(&self, class: Vec<Part>) -> Option<Chosen> {
        let class = self.ground.class_showing(class, self.constraint)?;
        let chosen = self.board.fitted(self.constraint, class).ok()?;
        self.board.can_be_met(self.constraint, &self.board.totals_with(&chosen.shown)).then_some(chosen)
    }

    /// Sets rows aside until there are as many as are missing: where one class more must meet the bounds.
    fn collect(&mut self, class: Vec<Part>) -> Option<Vec<Part>> {
        let region = |parts: &[Part]| parts.first().map(|&(item, _)| self.ground.region_of_item[item as usize]);
        if region(&class) != region(&self.aside) || !self.ground.targets.counts_classes(self.constraint) {
            self.aside.clear();
        }
        self.aside.extend(class);
        let missing = self.missing();
        if rows(&self.aside) < missing {
            return None;
        }
        let mut collected = first_rows(&std::mem::take(&mut self.aside), missing as u32);
        collected.order();
        Some(collected)
    }

    /// How many of `all` rows at most can be a class such that the bounds can be met, if whole classes count.
    fn largest_part(&self, before: u64, all: u64) -> Option<u64> {
        let least = u64::from(self.ground.demands.least_size);
        let room = self.ground.targets.bounds[self.constraint].most.checked_sub(before)?;
        // Up to the upper bound, or so that one more class fits.
        let sizes = [room.min(all), room.saturating_sub(least).min(all)];
        let fits = |&size: &u64| size >= least && self.board.leaves_room(self.constraint, before + size);
        sizes.into_iter().find(fits).filter(|_| self.ground.targets.counts_classes(self.constraint))
    }

    /// Adds single rows to the clusters made before, as long as they show the target with them.
    fn take_single_rows(&mut self) {
        let (ground, constraint) = (self.ground, self.constraint);
        let mut tries = JOINED;
        for (item, count) in self.material(true) {
            for place in self.before..self.board.chosen.len() {
                let missing = self.missing().min(u64::from(count)) as u32;
                if missing == 0 || tries == 0 {
                    return;
                }
                tries -= 1;
                let Some(&(first, _)) = self.board.chosen[place].class.rows.first() else { continue };
                if ground.region_of_item[first as usize] != ground.region_of_item[item as usize] {
                    continue;
                }
                let old = self.board.remove(place);
                let mut with = old.class.rows.clone();
                match with.iter_mut().find(|(other, _)| *other == item) {
                    Some((_, rows)) => *rows += missing,
                    None => with.push((item, missing)),
                }
                with.order();
                let widened = ground.demands.hold_for(&with).then(|| ground.class_showing(with, constraint)).flatten();
                let widened = widened.and_then(|class| self.board.fitted(constraint, class).ok());
                let loses = |new: &Chosen| {
                    // Other targets that are already met must stay so.
                    let met = |other: usize| {
                        let total = self.board.totals[other] + new.shown[other];
                        total >= ground.targets.bounds[other].least || new.shown[other] >= old.shown[other]
                    };
                    !(0..ground.targets.len()).all(met)
                };
                let fits = |new: &Chosen| {
                    new.shown[constraint] > old.shown[constraint]
                        && self.board.leaves_room(constraint, self.board.totals[constraint] + new.shown[constraint])
                        && !loses(new)
                };
                let (chosen, done) = match widened.filter(fits) {
                    Some(new) => (new, true),
                    None => (old, false),
                };
                self.board.insert(place, chosen);
                if done {
                    break;
                }
            }
        }
    }
}
