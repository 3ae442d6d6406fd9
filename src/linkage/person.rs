//! The linkage attack on one person, release by release ((ℓ,δ)-diversity, Section 2.3).
//!
//! Complexity: O(different cells + values of the classes found).

use serde::{Deserialize, Serialize};

use super::apply::class_of_person;
use super::link::{least_counts, together};
use super::plan::CLASS_COLUMN;
use super::releases::{Release, Releases};
use crate::failure::Failure;
use crate::sorting::Sorting;

/// As many classes and values as are shown of a release.
const SHOWN: usize = 200;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonLink {
    /// What is known of the person, by column.
    pub known: Vec<(String, Option<String>)>,
    pub releases: Vec<PersonInRelease>,
    /// The values that are left, with n(s), the most frequent first.
    pub left: Vec<(String, u64)>,
    /// Their number: 1 is exposed, 0 says that nobody of this kind is in all releases.
    pub l: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonInRelease {
    pub name: String,
    /// The classes that the person may be in: usually one, none when the release has no such person.
    pub classes: u64,
    /// What they show.
    pub cells: Vec<Vec<String>>,
    pub rows: u64,
    pub values: Vec<(String, u64)>,
    pub l: u32,
    /// What is left after this release and those before.
    pub left: Vec<(String, u64)>,
    pub left_l: u32,
}

/// Links the person who has these values, given by column; of columns not given, nothing is known. A release without
/// such a person rules out nothing.
pub fn person(releases: &Releases, cells: &[(String, String)]) -> Result<PersonLink, Failure> {
    if let Some((name, _)) = cells.iter().find(|(name, _)| !releases.quasi.contains(name)) {
        let known = releases.quasi.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ");
        let what = format!("The releases have no quasi-identifier “{name}” in common.");
        return Err(Failure::refused(what, format!("Name some of {known}.")));
    }
    let known = |name: &String| {
        let given = cells.iter().find(|(other, _)| other == name).map(|(_, text)| text.clone());
        (name.clone(), given)
    };
    let mut known: Vec<(String, Option<String>)> = releases.quasi.iter().map(known).collect();
    // Who has the plan and knows all of its columns knows the class.
    let class = releases.plan.as_ref().and_then(|plan| class_of_person(plan, cells));
    if let Some((_, number)) = known.iter_mut().find(|(name, _)| name == CLASS_COLUMN) {
        *number = number.take().or(class);
    }
    let mut left: Option<Vec<(u32, u32)>> = None;
    let mut seen = Vec::with_capacity(releases.releases.len());
    for release in &releases.releases {
        let classes = classes_of(releases, release, &known);
        let counts = together(release, &classes);
        left = match left {
            before if classes.is_empty() => before,
            None => Some(counts.clone()),
            Some(before) => Some(least_counts(&before, &counts)),
        };
        let so_far = left.as_deref().unwrap_or_default();
        let shown = |&class: &u32| {
            let cell = |(cells, of_class): (&Vec<super::cells::Cell>, &Vec<u32>)| {
                cells[of_class[class as usize] as usize].text.clone()
            };
            release.cells.iter().zip(&release.class_cells).map(cell).collect()
        };
        seen.push(PersonInRelease {
            name: release.name.clone(),
            classes: classes.len() as u64,
            cells: classes.iter().take(SHOWN).map(shown).collect(),
            rows: classes.iter().map(|&class| u64::from(release.sizes[class as usize])).sum(),
            l: counts.len() as u32,
            values: named(releases, &counts),
            left: named(releases, so_far),
            left_l: so_far.len() as u32,
        });
    }
    if left.is_none() {
        return Err(Failure::refused(
            "No release has a class for such a person.",
            "Check the values; they are those of the original table, like 34 rather than 30-39.",
        ));
    }
    let left = left.unwrap_or_default();
    Ok(PersonLink { known, releases: seen, l: left.len() as u32, left: named(releases, &left) })
}

fn classes_of(releases: &Releases, release: &Release, known: &[(String, Option<String>)]) -> Vec<u32> {
    let covering = |(column, (_, text)): (usize, &(String, Option<String>))| {
        let value = releases.readers[column].given(text.as_ref()?);
        let cells = release.cells[column].iter().zip(0..);
        Some(cells.filter(|(cell, _)| cell.covers(&value)).map(|(_, number)| number).collect::<Vec<u32>>())
    };
    let covering: Vec<Option<Vec<u32>>> = known.iter().enumerate().map(covering).collect();
    let covering: Vec<Option<&[u32]>> = covering.iter().map(|cells| cells.as_deref()).collect();
    let mut classes = Vec::new();
    release.index.find(&covering, &mut classes);
    classes
}

fn named(releases: &Releases, counts: &[(u32, u32)]) -> Vec<(String, u64)> {
    let mut named: Vec<(String, u64)> =
        counts.iter().map(|&(value, count)| (releases.values[value as usize].clone(), count.into())).collect();
    named.order_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    named.truncate(SHOWN);
    named
}
