//! People counted by what is left of their diversity; each combination of classes is intersected once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::covered::Covered;
use super::names::Names;
use super::{Growth, LinkView, Population, ReleaseView, Spread, WorstOff};
use crate::linkage::releases::{Release, Releases};
use crate::linkage::worst_case::worst_case;
use crate::sorting::Sorting;

/// As many people as are shown.
const WORST_OFF: usize = 24;

/// ℓ by each release alone, and after the first 1, 2, ….
type Left = (Vec<u32>, Vec<u32>);

/// Counts people by what is left of their diversity.
pub struct Tally<'a> {
    /// Of each release, the sets of classes that somebody may be in.
    sets: Vec<ClassSets<'a>>,
    /// What each combination of sets, one a release, leaves.
    known: HashMap<Vec<u32>, u32>,
    left: Vec<Left>,
    /// How many people have each combination.
    pub people: Vec<u64>,
    scratch: Vec<u32>,
    /// Of the people of each combination the places of the first, in the order of the columns' values.
    first: Vec<Vec<Option<u32>>>,
}

/// Sets of classes of one release, numbered as they are met, with the counts of their values together.
struct ClassSets<'a> {
    release: &'a Release,
    /// The number of the set of one class only.
    single: Vec<u32>,
    several: HashMap<Vec<u32>, u32>,
    counts: Vec<Vec<(u32, u32)>>,
}

impl<'a> ClassSets<'a> {
    fn new(release: &'a Release) -> Self {
        let single = vec![u32::MAX; release.sizes.len()];
        ClassSets { release, single, several: HashMap::new(), counts: Vec::new() }
    }

    /// The number of a set that is not empty.
    fn number(&mut self, classes: &[u32]) -> u32 {
        let next = self.counts.len() as u32;
        let number = match classes {
            [class] => {
                let known = &mut self.single[*class as usize];
                if *known == u32::MAX {
                    *known = next;
                }
                *known
            }
            _ => match self.several.get(classes) {
                Some(&known) => known,
                None => {
                    self.several.insert(classes.to_vec(), next);
                    next
                }
            },
        };
        if number == next {
            self.counts.push(together(self.release, classes));
        }
        number
    }
}

/// How often some classes together have each value, ascending by value.
pub fn together(release: &Release, classes: &[u32]) -> Vec<(u32, u32)> {
    let counts = |class: &u32| release.histograms.class(*class as usize).counts;
    if let [class] = classes {
        return counts(class).to_vec();
    }
    let mut all: BTreeMap<u32, u32> = BTreeMap::new();
    for &(value, count) in classes.iter().flat_map(counts) {
        *all.entry(value).or_default() += count;
    }
    all.into_iter().collect()
}

/// n(s) = the lesser of two counts, for the values that both have.
pub fn least_counts(one: &[(u32, u32)], other: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let in_other = |&(value, count): &(u32, u32)| {
        let place = other.binary_search_by_key(&value, |entry| entry.0).ok()?;
        Some((value, count.min(other[place].1)))
    };
    one.iter().filter_map(in_other).collect()
}

impl<'a> Tally<'a> {
    pub fn new(releases: &'a Releases) -> Self {
        let sets = releases.releases.iter().map(ClassSets::new).collect();
        Tally {
            sets,
            known: HashMap::new(),
            left: Vec::new(),
            people: Vec::new(),
            scratch: Vec::new(),
            first: Vec::new(),
        }
    }

    /// The combination of a person whose places in the columns are these (`None`: not known); `None` when a release has
    /// no class for them.
    pub fn combination(&mut self, covered: &Covered, places: &[Option<u32>]) -> Option<u32> {
        let mut key = Vec::with_capacity(self.sets.len());
        for (sets, lists) in self.sets.iter_mut().zip(&covered.covering) {
            let cells: Vec<Option<&[u32]>> =
                lists.iter().zip(places).map(|(lists, place)| place.map(|place| lists.get(place))).collect();
            self.scratch.clear();
            sets.release.index.find(&cells, &mut self.scratch);
            if self.scratch.is_empty() {
                return None;
            }
            key.push(sets.number(&self.scratch));
        }
        if let Some(&known) = self.known.get(&key) {
            let first = self.first[known as usize].as_mut_slice();
            if *places < *first {
                first.copy_from_slice(places);
            }
            return Some(known);
        }
        let of = |place: usize| self.sets[place].counts[key[place] as usize].as_slice();
        let alone: Vec<u32> = (0..key.len()).map(|place| of(place).len() as u32).collect();
        let mut linked = of(0).to_vec();
        let mut after = vec![linked.len() as u32];
        for place in 1..key.len() {
            linked = least_counts(&linked, of(place));
            after.push(linked.len() as u32);
        }
        let number = self.left.len() as u32;
        self.first.push(places.to_vec());
        self.left.push((alone, after));
        self.people.push(0);
        self.known.insert(key, number);
        Some(number)
    }

    /// The few that are left with the fewest values; of these, those who had the most: ℓ after and before, and the places
    /// of whoever comes first in the order of the columns' values.
    fn worst_off(&self) -> Vec<(u32, u32, &[Option<u32>])> {
        let of = |(number, (alone, after)): (usize, &Left)| {
            let after = after.last().copied().unwrap_or(0);
            // Nobody can be where nothing is left.
            (after > 0).then(|| (after, alone.iter().copied().min().unwrap_or(0), self.first[number].as_slice()))
        };
        let mut all: Vec<(u32, u32, &[Option<u32>])> = self.left.iter().enumerate().filter_map(of).collect();
        all.order_by_key(|&(after, before, places)| (after, Reverse(before), places));
        all.truncate(WORST_OFF);
        all
    }

    pub fn view(self, releases: &Releases, population: Population, names: &Names<'_>) -> LinkView {
        let spread = |l: &dyn Fn(&Left) -> u32| -> Spread {
            let mut spread: BTreeMap<u32, u64> = BTreeMap::new();
            for (left, &people) in self.left.iter().zip(&self.people) {
                *spread.entry(l(left)).or_default() += people;
            }
            spread.into_iter().collect()
        };
        let exposed = |spread: &Spread| spread.iter().find(|(l, _)| *l == 1).map_or(0, |(_, people)| *people);
        let count = releases.releases.len();
        let release = |(place, release): (usize, &Release)| ReleaseView {
            name: release.name.clone(),
            rows: release.rows,
            left_out: release.left_out,
            classes: release.sizes.len() as u64,
            k: release.sizes.iter().copied().min().unwrap_or(0),
            l: release.l,
            spread: spread(&|(alone, _)| alone[place]),
        };
        let growth = |place: usize| {
            let spread = spread(&|(_, after)| after[place]);
            Growth { releases: place as u32 + 1, exposed: exposed(&spread), spread }
        };
        let before = spread(&|(alone, _)| alone.iter().copied().min().unwrap_or(0));
        let after = spread(&|(_, after)| after[count - 1]);
        let releases_seen: Vec<ReleaseView> = releases.releases.iter().enumerate().map(release).collect();
        let least = releases_seen.iter().map(|release| release.l).min().unwrap_or(1);
        let shown = |(after, before, places): (u32, u32, &[Option<u32>])| WorstOff {
            cells: names.cells(places),
            before,
            after,
        };
        let worst_off = self.worst_off().into_iter().map(shown).collect();
        LinkView {
            quasi: releases.quasi.clone(),
            sensitive: releases.sensitive.clone(),
            only_in_some: releases.only_in_some.clone(),
            same_plan: releases.same_plan,
            values: releases.values.len() as u64,
            not_understood: releases.not_understood.clone(),
            repaired: Vec::new(),
            exposed_before: exposed(&before),
            exposed_after: exposed(&after),
            by_releases: (0..count).map(growth).collect(),
            worst_case: worst_case(releases.values.len() as u32, least, count as u32),
            common: releases.common.clone(),
            with_plan: releases.plan.is_some(),
            offers: names.offers(),
            worst_off,
            releases: releases_seen,
            population,
            before,
            after,
        }
    }
}
