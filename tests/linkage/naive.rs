//! Releases whose cells are known as sets, and linking by the definition: every row is held against every person.

use std::collections::{BTreeMap, BTreeSet};

pub const TOWNS: [&str; 4] = ["Rome", "Oslo", "Bonn", "Graz"];
const ILLNESSES: [&str; 5] = ["flu", "cold", "gout", "acne", "lice"];

pub struct Draws(pub u64);

impl Draws {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// A cell's text and the values (ages from 1 to 12, or places in [`TOWNS`]) that it covers.
type NaiveCell = (String, BTreeSet<u32>);

pub struct NaiveRelease {
    pub rows: Vec<(NaiveCell, NaiveCell, usize)>,
}

impl NaiveRelease {
    pub fn text(&self) -> String {
        let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
        let row = |(age, town, illness): &(NaiveCell, NaiveCell, usize)| {
            format!("{},{},{}\n", quoted(&age.0), quoted(&town.0), ILLNESSES[*illness])
        };
        std::iter::once("age,town,illness\n".to_owned()).chain(self.rows.iter().map(row)).collect()
    }
}

/// Rows with cells in any notation; classes overlap.
pub fn random_release(draws: &mut Draws, rows: u32) -> NaiveRelease {
    let row = |_| (age_cell(draws), town_cell(draws), draws.below(5) as usize);
    NaiveRelease { rows: (0..rows).map(row).collect() }
}

fn age_cell(draws: &mut Draws) -> NaiveCell {
    let low = 1 + draws.below(12);
    let high = low + draws.below(13 - low);
    let within = |low: u32, high: u32| (low.max(1)..=high.min(12)).collect();
    match draws.below(13) {
        0 => ("*".into(), within(1, 12)),
        1 => (format!("[{low}-{high}]"), within(low, high)),
        2 => (format!("{low}-{high}"), within(low, high)),
        3 => (format!("[{low},{high}]"), within(low, high)),
        4 => (format!("[{low}, {}[", high + 1), within(low, high)),
        5 => (format!("({},{high}]", low - 1), within(low, high)),
        6 => (format!("{low}..{high}"), within(low, high)),
        7 => (format!(">={low}"), within(low, 12)),
        8 => (format!("<{}", high + 1), within(1, high)),
        9 => (format!("{low}+"), within(low, 12)),
        10 => ("1*".into(), within(10, 12)),
        11 => (format!("{{{low},{high}}}"), [low, high].into()),
        _ => (low.to_string(), within(low, low)),
    }
}

fn town_cell(draws: &mut Draws) -> NaiveCell {
    let (one, other) = (draws.below(4), draws.below(4));
    let name = |town: u32| TOWNS[town as usize];
    match draws.below(6) {
        0 => ("*".into(), (0..4).collect()),
        1 => (format!("{{{},{}}}", name(one), name(other)), [one, other].into()),
        2 => (format!("{} or {}", name(one), name(other)), [one, other].into()),
        3 => (format!("{{\"{}\",\"{}\"}}", name(one), name(other)), [one, other].into()),
        4 => (format!("{}*", &name(one)[..2]), [one].into()),
        _ => (name(one).into(), [one].into()),
    }
}

/// A release whose classes are the products of a partition of the ages and one of the towns; not all have rows.
pub fn partitioned(draws: &mut Draws) -> NaiveRelease {
    let mut ages: Vec<NaiveCell> = Vec::new();
    let mut low = 1;
    while low <= 12 {
        let high = (low + draws.below(6)).min(12);
        let text = match draws.below(3) {
            0 => format!("[{low}-{high}]"),
            1 => format!("[{low}, {}[", high + 1),
            _ => format!("{low}..{high}"),
        };
        ages.push((text, (low..=high).collect()));
        low = high + 1;
    }
    let cut = 1 + draws.below(3);
    let set = |range: std::ops::Range<u32>| -> NaiveCell {
        let names: Vec<&str> = range.clone().map(|town| TOWNS[town as usize]).collect();
        (format!("{{{}}}", names.join(",")), range.collect())
    };
    let towns = [set(0..cut), set(cut..4)];
    let mut rows = Vec::new();
    for (age, town) in ages.iter().flat_map(|age| towns.iter().map(move |town| (age, town))) {
        for _ in 0..draws.below(5) {
            rows.push((age.clone(), town.clone(), draws.below(5) as usize));
        }
    }
    NaiveRelease { rows }
}

/// How often each illness is in the rows that may be a person's.
fn counts(release: &NaiveRelease, (age, town): (u32, u32)) -> BTreeMap<usize, u64> {
    let mut counts = BTreeMap::new();
    for (ages, towns, illness) in &release.rows {
        if ages.1.contains(&age) && towns.1.contains(&town) {
            *counts.entry(*illness).or_default() += 1;
        }
    }
    counts
}

/// The classes (what they show) that a person may be in, of each release.
pub fn classes(releases: &[NaiveRelease], (age, town): (u32, u32)) -> Vec<BTreeSet<(String, String)>> {
    let of = |release: &NaiveRelease| {
        let covering = release.rows.iter().filter(|(ages, towns, _)| ages.1.contains(&age) && towns.1.contains(&town));
        covering.map(|(age, town, _)| (age.0.clone(), town.0.clone())).collect()
    };
    releases.iter().map(of).collect()
}

/// n(s) = min over the releases; `None` when a release has no row that may be the person's.
pub fn left(releases: &[NaiveRelease], who: (u32, u32)) -> Option<Vec<(String, u64)>> {
    let counts: Vec<BTreeMap<usize, u64>> = releases.iter().map(|release| counts(release, who)).collect();
    if counts.iter().any(BTreeMap::is_empty) {
        return None;
    }
    let least = |illness: usize| counts.iter().map(|counts| counts.get(&illness).copied().unwrap_or(0)).min();
    let left = (0..ILLNESSES.len()).filter_map(|illness| Some((ILLNESSES[illness].to_owned(), least(illness)?)));
    let mut left: Vec<(String, u64)> = left.filter(|(_, count)| *count > 0).collect();
    left.sort();
    Some(left)
}

#[derive(Debug)]
pub struct NaiveLink {
    pub linked: u64,
    pub before: Vec<(u32, u64)>,
    pub by_releases: Vec<Vec<(u32, u64)>>,
}

pub fn link(releases: &[NaiveRelease], people: impl Iterator<Item = (u32, u32)>) -> NaiveLink {
    let mut linked = 0;
    let mut before: BTreeMap<u32, u64> = BTreeMap::new();
    let mut by_releases: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); releases.len()];
    for who in people {
        if left(releases, who).is_none() {
            continue;
        }
        linked += 1;
        let alone = releases.iter().map(|release| counts(release, who).len() as u32).min().unwrap();
        *before.entry(alone).or_default() += 1;
        for (count, spread) in by_releases.iter_mut().enumerate() {
            let values = left(&releases[..=count], who).unwrap().len() as u32;
            *spread.entry(values).or_default() += 1;
        }
    }
    let by_releases = by_releases.into_iter().map(|spread| spread.into_iter().collect()).collect();
    NaiveLink { linked, before: before.into_iter().collect(), by_releases }
}
