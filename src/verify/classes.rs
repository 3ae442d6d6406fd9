//! The classes that a reader of the output sees, and whether each meets the policy's models.
//!
//! Rows are grouped by the texts of their cells, all missing-value tokens of a column being one. The models are those of
//! [`crate::privacy`]: they are the definition.

use std::collections::HashMap;

use hashbrown::HashTable;

use super::cells::missing_texts;
use super::{Achieved, Offence, STRIDE, Unverified, report};
use crate::failure::Failure;
use crate::policy::Setup;
use crate::privacy::{Histogram, Requirement};
use crate::progress::Progress;
use crate::sorting::Sorting;
use crate::table::{Column, Table};

/// Pairs of numbers, numbered in order of first appearance.
#[derive(Default)]
pub(super) struct Numbers {
    index: HashTable<(u64, u32)>,
}

impl Numbers {
    fn number(&mut self, one: u32, other: u32) -> u32 {
        let hash = |key: u64| {
            let product = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            product ^ (product >> 32)
        };
        let key = u64::from(one) << 32 | u64::from(other);
        let next = self.index.len() as u32;
        self.index.entry(hash(key), |entry| entry.0 == key, |entry| hash(entry.0)).or_insert((key, next)).get().1
    }

    /// Whether the pair is new.
    pub(super) fn insert(&mut self, one: u32, other: u32) -> bool {
        let before = self.index.len();
        self.number(one, other) as usize == before
    }
}

/// A number for each code of a released column; codes have the same one when they show the same value.
pub(super) fn value_of_code(original: &Column, released: &Column) -> Vec<u32> {
    let missing = missing_texts(original);
    let mut first_with: HashMap<&str, u32> = HashMap::new();
    let value = |(code, text)| {
        let value = if missing.contains(&text) { missing[0] } else { text };
        *first_with.entry(value).or_insert(code)
    };
    (0..).zip(released.dictionary.iter()).map(value).collect()
}

/// Rows in groups, which are numbered in the order in which they begin.
#[derive(Clone)]
pub(super) struct Classes {
    of_row: Vec<u32>,
    sizes: Vec<u32>,
}

impl Classes {
    /// All rows in one.
    pub(super) fn one(rows: usize) -> Self {
        Classes { of_row: vec![0; rows], sizes: if rows == 0 { Vec::new() } else { vec![rows as u32] } }
    }

    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Splits every class by what its rows show in one more column.
    pub(super) async fn split(
        &mut self,
        codes: &[u32],
        value_of_code: &[u32],
        progress: &Progress<'_>,
    ) -> Result<(), Failure> {
        let Classes { of_row, sizes } = self;
        let rows = of_row.len();
        let mut numbers = Numbers::default();
        sizes.clear();
        let mut renumber = |(class, &code): (&mut u32, &u32)| {
            *class = numbers.number(*class, value_of_code[code as usize]);
            if *class as usize == sizes.len() {
                sizes.push(0);
            }
            sizes[*class as usize] += 1;
        };
        for (number, (classes, codes)) in of_row.chunks_mut(STRIDE).zip(codes.chunks(STRIDE)).enumerate() {
            progress.checkpoint(|| report("Grouping rows", number * STRIDE, rows)).await?;
            classes.iter_mut().zip(codes).for_each(&mut renumber);
        }
        Ok(())
    }
}

/// The sensitive columns of the output as models see them: all missing values of a column have one code. `columns` are
/// the originals and what became of them.
pub(super) fn seen(columns: &[(&Column, &Column)], rows: usize) -> Table {
    let seen = |&(original, released): &(&Column, &Column)| {
        let values = value_of_code(original, released);
        let codes: Vec<u32> = released.codes.iter().map(|&code| values[code as usize]).collect();
        let mut counts = vec![0; released.dictionary.len()];
        for &code in &codes {
            counts[code as usize] += 1;
        }
        let missing = missing_texts(original);
        let is_missing = |code: &u32| missing.contains(&released.dictionary.text(*code));
        Column {
            name: original.name.clone(),
            missing: (0..released.dictionary.len() as u32).filter(is_missing).collect(),
            dictionary: released.dictionary.clone(),
            codes,
            counts,
            kind: original.kind,
        }
    };
    Table { columns: columns.iter().map(seen).collect(), rows }
}

/// Checks that every class meets every demand of the policy. `seen` has the sensitive columns.
pub(super) async fn check(
    original: &Table,
    setup: &Setup,
    classes: &Classes,
    seen: &Table,
    progress: &Progress<'_>,
) -> Result<Vec<Achieved>, Unverified> {
    let (requirements, demand_of) = setup.requirements_on(original, seen)?;
    let mut all_achieved = Vec::with_capacity(requirements.len());
    for (requirement, demand) in requirements.iter().zip(demand_of) {
        progress.checkpoint(|| report("Verifying classes", demand, setup.privacy.len())).await?;
        let mut parts = classes.clone();
        if requirement.jointly {
            let others = (0..seen.columns.len()).filter(|&place| Some(place) != requirement.attribute);
            for column in others.map(|place| &seen.columns[place]) {
                let values: Vec<u32> = (0..column.dictionary.len() as u32).collect();
                parts.split(&column.codes, &values, progress).await?;
            }
        }
        let column = requirement.attribute.map(|place| &seen.columns[place]);
        let attribute = column.map(|column| column.name.clone());
        let (achieved, failing) = standing(requirement, &parts, column);
        // Of the parts that fail, the one whose class begins first.
        let class_of_failing = |(part, &class): (&u32, &u32)| failing[*part as usize].then_some(class);
        if let Some(class) = parts.of_row.iter().zip(&classes.of_row).filter_map(class_of_failing).min() {
            let row = classes.of_row.iter().position(|&other| other == class).unwrap_or(0) as u64 + 1;
            let size = u64::from(classes.sizes[class as usize]);
            return Err(Offence::Class { class: u64::from(class) + 1, row, size, demand, attribute }.into());
        }
        all_achieved.push(Achieved { demand, attribute, achieved });
    }
    Ok(all_achieved)
}

/// What all parts achieve together, and which of them fail.
fn standing(requirement: &Requirement, parts: &Classes, column: Option<&Column>) -> (f64, Vec<bool>) {
    let model = &requirement.model;
    let mut achieved = model.better().best();
    let mut failing = Vec::with_capacity(parts.len());
    let mut look = |histogram: &Histogram<'_>| {
        let figure = model.achieved(histogram);
        if model.better().is_worse(figure, achieved) {
            achieved = figure;
        }
        failing.push(!model.holds(histogram));
    };
    let Some(column) = column else {
        for &size in &parts.sizes {
            look(&Histogram { size, counts: &[] });
        }
        return (achieved, failing);
    };
    // Part and value in one number: sorted, the rows of a part and of a value in it are neighbours.
    let mut cells: Vec<u64> =
        parts.of_row.iter().zip(&column.codes).map(|(&part, &code)| u64::from(part) << 32 | u64::from(code)).collect();
    cells.order();
    for part in cells.chunk_by(|one, other| one >> 32 == other >> 32) {
        let same = part.chunk_by(|one, other| one == other);
        let counts: Vec<(u32, u32)> = same.map(|same| (same[0] as u32, same.len() as u32)).collect();
        look(&Histogram { size: part.len() as u32, counts: &counts });
    }
    (achieved, failing)
}
