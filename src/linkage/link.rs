//! The linkage attack on everyone ((ℓ,δ)-diversity, Section 2.3; SPEC 5): for each quasi-identifier its class in every
//! release, n(s) = the least count over the releases, and the diversity that is left.
//!
//! Where classes of one release overlap (local recoding), the person may be in any that covers them: the counts of all
//! are added. The population are the different quasi-identifiers of an original table, weighted by their rows, or, without
//! one, the cells of the finest common refinement: every combination of classes, one a release, that some person can
//! have. Only people who can be in all releases count.
//! Guarantee: no two rows are ever compared; a combination of classes is intersected once. Complexity: O(rows) and a
//! look-up for each different quasi-identifier, or in the number of combinations (at most [`MOST_CELLS`] are looked at).

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::domain::{Domain, Ranges, common};
use super::releases::{NotUnderstood, Release, Releases, column, report};
use super::worst_case::worst_case;
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::Table;

/// As many combinations of classes as are looked at.
const MOST_CELLS: u64 = 2_000_000;
/// As many pairs of a cell and a value that it covers as are kept.
const MOST_COVERED: usize = 60_000_000;
/// Steps between two checkpoints.
const STRIDE: u64 = 1024;

/// How many people have how many possible values: (ℓ, people), ascending. ℓ = 0 after linking means that nobody with
/// this quasi-identifier can be in all releases.
pub type Spread = Vec<(u32, u64)>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkView {
    pub quasi: Vec<String>,
    pub sensitive: String,
    /// Columns that not all releases have: they are not linked by.
    pub only_in_some: Vec<String>,
    /// Different sensitive values in all releases together.
    pub values: u64,
    pub releases: Vec<ReleaseView>,
    pub not_understood: Vec<NotUnderstood>,
    pub population: Population,
    /// The least that a single release leaves.
    pub before: Spread,
    pub after: Spread,
    pub exposed_before: u64,
    pub exposed_after: u64,
    /// After the first release, the first two, and so on.
    pub by_releases: Vec<Growth>,
    /// ℓ_[t] for the releases' least ℓ: nothing worse can be.
    pub worst_case: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseView {
    pub name: String,
    pub rows: u64,
    /// Rows with a cell that was not understood.
    pub left_out: u64,
    pub classes: u64,
    /// The size of its smallest class, and the least number of different values in a class.
    pub k: u32,
    pub l: u32,
    /// ℓ of the people who can be in all releases, by this release alone.
    pub spread: Spread,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Whether they are people of an original table; else one for each cell of the common refinement.
    pub original: bool,
    /// Quasi-identifiers of the releases that the original table lacks.
    pub unknown: Vec<String>,
    /// Different quasi-identifiers.
    pub tuples: u64,
    pub people: u64,
    /// People whose quasi-identifiers have a class in all releases: only these are counted from here on.
    pub linked: u64,
    /// Whether all combinations of classes were looked at.
    pub complete: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    pub releases: u32,
    pub spread: Spread,
    pub exposed: u64,
}

/// Links everyone.
pub async fn link(releases: &Releases, original: Option<&Table>, progress: &Progress<'_>) -> Result<LinkView, Failure> {
    let covered = Covered::new(releases, original, progress).await?;
    let mut tally = Tally::new(releases);
    let population = match original {
        Some(table) => people_of(releases, table, &covered, &mut tally, progress).await?,
        None => common_cells(releases, &covered, &mut tally, progress).await?,
    };
    Ok(tally.view(releases, population))
}

/// For each column: its base values, the places that each release's cells cover, and the cells that cover each place.
struct Covered {
    domains: Vec<Domain>,
    /// By release and column.
    ranges: Vec<Vec<Vec<Ranges>>>,
    covering: Vec<Vec<Lists>>,
}

/// Ascending lists that lie end to end.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn get(&self, place: u32) -> &[u32] {
        &self.items[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

impl Covered {
    async fn new(releases: &Releases, original: Option<&Table>, progress: &Progress<'_>) -> Result<Covered, Failure> {
        let of_releases = |count: usize| std::iter::repeat_with(Vec::new).take(count).collect::<Vec<_>>();
        let count = releases.releases.len();
        let mut covered = Covered {
            domains: Vec::new(),
            ranges: of_releases(count),
            covering: std::iter::repeat_with(Vec::new).take(count).collect(),
        };
        for (place, reader) in releases.readers.iter().enumerate() {
            let name = &releases.quasi[place];
            let cells = releases.releases.iter().flat_map(|release| &release.cells[place]);
            let domain = match original.and_then(|table| column(table, name)) {
                Some(column) => Domain::of_values(column.dictionary.iter().map(|text| reader.value(text))),
                None => Domain::of_cells(reader, cells),
            };
            for (number, release) in releases.releases.iter().enumerate() {
                progress.checkpoint(|| report("Comparing cells", None)).await?;
                let ranges: Vec<Ranges> = release.cells[place].iter().map(|cell| domain.ranges(cell)).collect();
                covered.covering[number].push(covering(&ranges, domain.len(), name)?);
                covered.ranges[number].push(ranges);
            }
            covered.domains.push(domain);
        }
        Ok(covered)
    }
}

/// The cells that cover each place.
fn covering(ranges: &[Ranges], places: usize, name: &str) -> Result<Lists, Failure> {
    let mut starts = vec![0u32; places + 1];
    let pairs: usize = ranges.iter().flatten().map(|(start, end)| (end - start) as usize).sum();
    if pairs > MOST_COVERED {
        let what = format!("The cells of column “{name}” overlap too much to be linked.");
        return Err(Failure::refused(what, "Link releases with fewer different cells in it."));
    }
    for &(start, end) in ranges.iter().flatten() {
        (start..end).for_each(|place| starts[place as usize + 1] += 1);
    }
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut at = starts.clone();
    let mut items = vec![0; pairs];
    for (cell, ranges) in ranges.iter().enumerate() {
        for place in ranges.iter().flat_map(|&(start, end)| start..end) {
            items[at[place as usize] as usize] = cell as u32;
            at[place as usize] += 1;
        }
    }
    Ok(Lists { starts, items })
}

/// Counts people by what is left of their diversity.
struct Tally<'a> {
    /// Of each release, the sets of classes that somebody may be in.
    sets: Vec<ClassSets<'a>>,
    /// What each combination of sets, one a release, leaves: ℓ by each release alone, and after the first 1, 2, ….
    known: HashMap<Vec<u32>, u32>,
    left: Vec<(Vec<u32>, Vec<u32>)>,
    people: Vec<u64>,
    scratch: Vec<u32>,
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
    fn new(releases: &'a Releases) -> Self {
        let sets = releases.releases.iter().map(ClassSets::new).collect();
        Tally { sets, known: HashMap::new(), left: Vec::new(), people: Vec::new(), scratch: Vec::new() }
    }

    /// The combination of a person whose places in the columns are these (`None`: not known); `None` when a release has
    /// no class for them.
    fn combination(&mut self, covered: &Covered, places: &[Option<u32>]) -> Option<u32> {
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
            return Some(known);
        }
        let of = |place: usize| self.sets[place].counts[key[place] as usize].as_slice();
        let alone = (0..key.len()).map(|place| of(place).len() as u32).collect();
        let mut linked = of(0).to_vec();
        let mut after = vec![linked.len() as u32];
        for place in 1..key.len() {
            linked = least_counts(&linked, of(place));
            after.push(linked.len() as u32);
        }
        let number = self.left.len() as u32;
        self.left.push((alone, after));
        self.people.push(0);
        self.known.insert(key, number);
        Some(number)
    }

    fn view(self, releases: &Releases, population: Population) -> LinkView {
        let spread = |l: &dyn Fn(&(Vec<u32>, Vec<u32>)) -> u32| -> Spread {
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
            l: release.histograms.iter().map(|class| class.counts.len() as u32).min().unwrap_or(0),
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
        LinkView {
            quasi: releases.quasi.clone(),
            sensitive: releases.sensitive.clone(),
            only_in_some: releases.only_in_some.clone(),
            values: releases.values.len() as u64,
            not_understood: releases.not_understood.clone(),
            exposed_before: exposed(&before),
            exposed_after: exposed(&after),
            by_releases: (0..count).map(growth).collect(),
            worst_case: worst_case(releases.values.len() as u32, least, count as u32),
            releases: releases_seen,
            population,
            before,
            after,
        }
    }
}

/// The people of an original table.
async fn people_of(
    releases: &Releases,
    table: &Table,
    covered: &Covered,
    tally: &mut Tally<'_>,
    progress: &Progress<'_>,
) -> Result<Population, Failure> {
    let mut places: Vec<Option<Vec<u32>>> = Vec::with_capacity(releases.quasi.len());
    let columns = releases.quasi.iter().zip(&releases.readers).zip(&covered.domains);
    for ((name, reader), domain) in columns {
        progress.checkpoint(|| report("Grouping people", None)).await?;
        places.push(column(table, name).map(|column| {
            let place = |text: &str| domain.place(&reader.value(text)).unwrap_or(0);
            let of_code: Vec<u32> = column.dictionary.iter().map(place).collect();
            column.codes.iter().map(|&code| of_code[code as usize]).collect()
        }));
    }
    let unknown: Vec<String> = releases
        .quasi
        .iter()
        .zip(&places)
        .filter(|(_, places)| places.is_none())
        .map(|(name, _)| name.clone())
        .collect();
    if places.iter().all(Option::is_none) {
        let what = "The original table has none of the releases' quasi-identifiers.";
        return Err(Failure::data(what, "Give the table that they were made from."));
    }
    let keys: Vec<Keys<'_>> = places
        .iter()
        .zip(&covered.domains)
        .filter_map(|(places, domain)| Some(Keys { codes: places.as_deref()?, size: domain.len() as u32 }))
        .collect();
    let tuples = Classes::group(table.rows, &keys);
    let mut population = Population {
        original: true,
        unknown,
        tuples: tuples.sizes.len() as u64,
        people: table.rows as u64,
        linked: 0,
        complete: true,
    };
    let mut next = 0u64;
    for row in 0..table.rows {
        // Tuples are numbered by first appearance.
        if u64::from(tuples.of_row[row]) < next {
            continue;
        }
        if next.is_multiple_of(STRIDE) {
            let fraction = next as f64 / population.tuples as f64;
            progress.checkpoint(|| report("Linking", Some(fraction))).await?;
        }
        next += 1;
        let places: Vec<Option<u32>> = places.iter().map(|places| places.as_ref().map(|places| places[row])).collect();
        if let Some(combination) = tally.combination(covered, &places) {
            let people = u64::from(tuples.sizes[tuples.of_row[row] as usize]);
            tally.people[combination as usize] += people;
            population.linked += people;
        }
    }
    Ok(population)
}

/// A combination of nodes of the releases' indexes whose cells have values in common.
struct Step {
    column: usize,
    release: usize,
    nodes: Vec<u32>,
    /// What the cells of the releases so far have in common in this column, and a value of that in those before.
    shared: Ranges,
    places: Vec<Option<u32>>,
}

/// The combinations of classes, one a release, that somebody can have.
async fn common_cells(
    releases: &Releases,
    covered: &Covered,
    tally: &mut Tally<'_>,
    progress: &Progress<'_>,
) -> Result<Population, Failure> {
    let count = releases.releases.len();
    let everything = |column: usize| vec![(0, covered.domains[column].len() as u32)];
    let first = Step { column: 0, release: 0, nodes: vec![0; count], shared: everything(0), places: Vec::new() };
    let mut stack = vec![first];
    let (mut steps, mut found) = (0u64, 0u64);
    while let Some(step) = stack.pop().filter(|_| found < MOST_CELLS && steps < 10 * MOST_CELLS) {
        if steps.is_multiple_of(STRIDE) {
            progress.checkpoint(|| report("Linking", None)).await?;
        }
        steps += 1;
        if step.column == releases.quasi.len() {
            found += 1;
            if let Some(combination) = tally.combination(covered, &step.places) {
                tally.people[combination as usize] = 1;
            }
            continue;
        }
        let index = &releases.releases[step.release].index;
        let ranges = &covered.ranges[step.release][step.column];
        let (start, cells) = index.children(step.column, step.nodes[step.release]);
        let mut visit = |place: usize| {
            let shared = common(&step.shared, &ranges[cells[place] as usize]);
            let Some(&(witness, _)) = shared.first() else { return };
            let mut nodes = step.nodes.clone();
            nodes[step.release] = start + place as u32;
            let mut places = step.places.clone();
            stack.push(if step.release + 1 < count {
                Step { column: step.column, release: step.release + 1, nodes, shared, places }
            } else {
                places.push(Some(witness));
                let column = step.column + 1;
                let shared = if column < releases.quasi.len() { everything(column) } else { Vec::new() };
                Step { column, release: 0, nodes, shared, places }
            });
        };
        let values: usize = step.shared.iter().map(|(start, end)| (end - start) as usize).sum();
        if values * 8 < cells.len() {
            // Few values: the cells that cover them are known.
            let lists = &covered.covering[step.release][step.column];
            let places = step.shared.iter().flat_map(|&(start, end)| start..end);
            let mut near: Vec<u32> = places.flat_map(|place| lists.get(place)).copied().collect();
            near.sort_unstable();
            near.dedup();
            near.iter().filter_map(|cell| cells.binary_search(cell).ok()).for_each(&mut visit);
        } else {
            (0..cells.len()).for_each(&mut visit);
        }
    }
    let cells = tally.people.iter().sum();
    Ok(Population {
        original: false,
        unknown: Vec::new(),
        tuples: cells,
        people: cells,
        linked: cells,
        complete: stack.is_empty() && found < MOST_CELLS && steps < 10 * MOST_CELLS,
    })
}
