//! The clusterings chosen so far, together: which rows are still free, and how many rows show each target.
//!
//! Two clusterings are consistent (Definition 4.3) if their clusters are disjoint or the same, and all together show no
//! target too often. The paper merges clusters that overlap; a merged cluster that still shows both targets is a cluster
//! of both pools, and so a candidate of its own, so nothing is lost by not merging.

use std::collections::BTreeMap;

use super::ground::{Class, Ground};
use crate::algorithms::local::clusters::Part;
use crate::constraints::Constraint;

pub struct Board<'g, 'a> {
    ground: &'g Ground<'a>,
    pub free: Vec<u32>,
    pub chosen: Vec<Chosen>,
    pub totals: Vec<u64>,
    /// For each constraint, and for columns that others name beside its target: those others, by the value they name.
    parts: Vec<Vec<Vec<Vec<usize>>>>,
    /// Whether counts may come so near to their bounds that no class more can meet them.
    pub nearly: bool,
}

/// A class that was chosen for a constraint.
pub struct Chosen {
    pub class: Class,
    pub constraint: usize,
    /// How many of its rows show each target.
    pub shown: Vec<u64>,
}

/// Why a clustering is not consistent with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Rows are taken by this constraint's clustering.
    Rows(Option<usize>),
    /// This constraint's target would be shown too often, or not often enough, as the classes are shown.
    Count(usize),
}

impl Conflict {
    pub fn with(self) -> Option<usize> {
        match self {
            Conflict::Rows(constraint) => constraint,
            Conflict::Count(constraint) => Some(constraint),
        }
    }
}

impl<'g, 'a> Board<'g, 'a> {
    /// `kept` are the rows that can be kept.
    pub fn new(ground: &'g Ground<'a>, kept: &[Vec<Part>]) -> Self {
        let mut free = vec![0; ground.space.items()];
        for &(item, count) in kept.iter().flatten() {
            free[item as usize] = count;
        }
        let parts = (0..ground.targets.len()).map(|whole| parts(ground.constraints, whole)).collect();
        Board { ground, free, chosen: Vec::new(), totals: vec![0; ground.targets.len()], parts, nearly: false }
    }

    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.chosen.iter().map(|chosen| &chosen.class)
    }

    pub fn place(&mut self, chosen: Chosen) {
        self.insert(self.chosen.len(), chosen);
    }

    /// Puts a class at a place among the others.
    pub fn insert(&mut self, place: usize, chosen: Chosen) {
        for &(item, count) in &chosen.class.rows {
            self.free[item as usize] -= count;
        }
        self.totals.iter_mut().zip(&chosen.shown).for_each(|(total, shown)| *total += shown);
        self.chosen.insert(place, chosen);
    }

    pub fn remove(&mut self, place: usize) -> Chosen {
        let chosen = self.chosen.remove(place);
        for &(item, count) in &chosen.class.rows {
            self.free[item as usize] += count;
        }
        self.totals.iter_mut().zip(&chosen.shown).for_each(|(total, shown)| *total -= shown);
        chosen
    }

    /// Takes back all but the first classes.
    pub fn take_back(&mut self, keep: usize) {
        while self.chosen.len() > keep {
            self.remove(self.chosen.len() - 1);
        }
    }

    /// Places the clusters of a clustering that are not there yet, raised where neighbours would be shown too often.
    pub fn place_all(&mut self, constraint: usize, clustering: &[Class]) -> Result<(), Conflict> {
        let before = self.chosen.len();
        let mut shared = vec![false; before];
        let mut shown_otherwise = false;
        for class in clustering {
            let same = |&place: &usize| !shared[place] && self.chosen[place].class.rows == class.rows;
            if let Some(place) = (0..before).filter(same).find(|&place| self.chosen[place].shown[constraint] > 0) {
                shared[place] = true;
                continue;
            }
            shown_otherwise |= (0..before).any(|place| same(&place));
            if let Err(conflict) = self.place_one(constraint, class) {
                self.take_back(before);
                return Err(if shown_otherwise { Conflict::Count(constraint) } else { conflict });
            }
        }
        if self.ground.targets.bounds[constraint].missed_by(self.totals[constraint]) > 0 {
            self.take_back(before);
            return Err(Conflict::Count(constraint));
        }
        Ok(())
    }

    fn place_one(&mut self, constraint: usize, class: &Class) -> Result<(), Conflict> {
        if let Some(&(item, _)) = class.rows.iter().find(|&&(item, count)| self.free[item as usize] < count) {
            let has = |chosen: &&Chosen| chosen.class.rows.iter().any(|&(other, _)| other == item);
            return Err(Conflict::Rows(self.chosen.iter().find(has).map(|chosen| chosen.constraint)));
        }
        let chosen = self.fitted(constraint, class.clone())?;
        self.place(chosen);
        Ok(())
    }

    /// The class, raised so that no other target is shown too often.
    pub fn fitted(&self, constraint: usize, mut class: Class) -> Result<Chosen, Conflict> {
        let (ground, targets) = (self.ground, &self.ground.targets);
        loop {
            let shown = ground.shown(&class);
            if shown[constraint] == 0 {
                return Err(Conflict::Count(constraint));
            }
            let after = self.totals_with(&shown);
            let too_often = |&other: &usize| other != constraint && shown[other] > 0 && !self.can_be_met(other, &after);
            let Some(other) = (0..targets.len()).find(too_often) else {
                return Ok(Chosen { class, constraint, shown });
            };
            let own = targets.axes_of(constraint);
            let free = |axis: usize| own.iter().all(|&(named, _)| named != axis);
            let region = class.rows.first().map(|&(item, _)| ground.region_of(item)).ok_or(Conflict::Count(other))?;
            let raised = targets.axes_of(other).iter().filter(|&&(axis, _)| free(axis)).find_map(|(axis, nodes)| {
                let now = ground.node(&class, *axis);
                ground.upwards(region, *axis, now).find(|node| !nodes.contains(node)).map(|node| (*axis, node))
            });
            let (axis, node) = raised.ok_or(Conflict::Count(other))?;
            class.raised.retain(|&(before, _)| before != axis);
            class.raised.push((axis, node));
        }
    }

    /// Whether a constraint can still be met with so many rows for each: what constraints with a narrower target still ask
    /// for counts for it, too.
    pub fn can_be_met(&self, constraint: usize, counts: &[u64]) -> bool {
        let missing = |&part: &usize| self.ground.targets.bounds[part].least.saturating_sub(counts[part]);
        let of_column = |by_value: &Vec<Vec<usize>>| -> u64 {
            by_value.iter().map(|parts| parts.iter().map(missing).max().unwrap_or(0)).sum()
        };
        let reserved = self.parts[constraint].iter().map(of_column).max().unwrap_or(0);
        counts[constraint].saturating_add(reserved) <= self.ground.targets.bounds[constraint].most
            && self.leaves_room(constraint, counts[constraint])
    }

    /// Whether so many rows may show a target, and are enough or leave room for a class more, which has at least k.
    pub fn leaves_room(&self, constraint: usize, count: u64) -> bool {
        let bounds = self.ground.targets.bounds[constraint];
        let one_more = match self.ground.targets.counts_classes(constraint) {
            true => u64::from(self.ground.demands.least_size),
            false => 1,
        };
        count <= bounds.most && (self.nearly || count >= bounds.least || bounds.most - count >= one_more)
    }

    /// The counts with one class more.
    pub fn totals_with(&self, shown: &[u64]) -> Vec<u64> {
        self.totals.iter().zip(shown).map(|(total, shown)| total + shown).collect()
    }
}

/// Constraints whose target has a constraint's and more, by the columns they add and the values there: rows that show
/// different values are different rows, so what they ask for adds up.
fn parts(constraints: &[Constraint], whole: usize) -> Vec<Vec<Vec<usize>>> {
    let target = &constraints[whole].target;
    let narrower = |one: &usize| {
        let other = &constraints[*one].target;
        other.len() > target.len() && target.iter().all(|part| other.contains(part))
    };
    let mut columns: BTreeMap<usize, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
    for one in (0..constraints.len()).filter(narrower) {
        for part in constraints[one].target.iter().filter(|part| !target.contains(part)) {
            columns.entry(part.column).or_default().entry(&part.value).or_default().push(one);
        }
    }
    columns.into_values().map(|by_value| by_value.into_values().collect()).collect()
}
