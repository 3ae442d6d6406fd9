//! The classes that a reader of the output sees, and whether each meets the policy's models.
//!
//! Rows are grouped by the texts of their cells, all missing-value tokens of a column being one. The models are those of
//! [`super::models`].

use std::collections::{HashMap, HashSet};

use hashbrown::HashTable;

use super::cells::missing_texts;
use super::models::{self, Class, Model, Values};
use super::{Achieved, Offence, STRIDE, Unverified, report};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::policy::{ColumnSetup, ModelDemand, Setup};
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
    let missing: HashSet<&str> = missing_texts(original).into_iter().collect();
    let any_missing = missing_texts(original).first().copied();
    let mut first_with: HashMap<&str, u32> = HashMap::new();
    let value = |(code, text)| {
        let value = any_missing.filter(|_| missing.contains(text)).unwrap_or(text);
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

/// A sensitive column of the output, with what its cells stand for.
pub(super) struct Sensitive<'a> {
    name: &'a str,
    released: &'a Column,
    /// The same number for codes that show the same value.
    value_of_code: Vec<u32>,
    values: Values<'a>,
    /// `None` where it is unknown.
    node_of_code: Vec<Option<NodeId>>,
}

impl<'a> Sensitive<'a> {
    pub(super) fn new(policy: &ColumnSetup, original: &'a Column, released: &'a Column) -> Result<Self, Failure> {
        let values = Values::new(policy, original)?;
        let node_of_code = values.node_of_code(released)?;
        let value_of_code = value_of_code(original, released);
        Ok(Sensitive { name: &original.name, released, value_of_code, values, node_of_code })
    }
}

/// Checks that every class meets every demand of the policy. `sensitive` has all sensitive columns.
pub(super) async fn check(
    original: &Table,
    setup: &Setup,
    classes: &Classes,
    sensitive: &[Sensitive<'_>],
    progress: &Progress<'_>,
) -> Result<Vec<Achieved>, Unverified> {
    let mut all_achieved = Vec::new();
    for (place, demand) in setup.privacy.iter().enumerate() {
        if let ModelDemand::KAnonymity { k } = demand.model {
            if k as usize > original.rows.max(1) {
                let what = format!("The policy's privacy[{place}].k is more than the table has rows.");
                return Err(Failure::policy(what, "Ask for a smaller k.").into());
            }
            progress.checkpoint(|| report("Verifying classes", place, setup.privacy.len())).await?;
            let model = models::of_rows(k);
            let (achieved, failing) = sizes(&*model, classes);
            refuse(classes, classes, &failing, place, None)?;
            all_achieved.push(Achieved { demand: place, attribute: None, achieved });
            continue;
        }
        let is_about = |column: &Sensitive<'_>| demand.attribute.as_ref().is_none_or(|name| name == column.name);
        if !sensitive.iter().any(is_about) {
            let what = format!("The policy's privacy[{place}] is about a column that is not sensitive.");
            return Err(Failure::policy(what, "Name a sensitive column.").into());
        }
        for column in sensitive.iter().filter(|column| is_about(column)) {
            progress.checkpoint(|| report("Verifying classes", place, setup.privacy.len())).await?;
            let mut parts = classes.clone();
            if demand.jointly {
                for other in sensitive.iter().filter(|other| other.name != column.name) {
                    parts.split(&other.released.codes, &other.value_of_code, progress).await?;
                }
            }
            let model = models::model(&demand.model, &column.values)?;
            let (achieved, failing) = standing(&*model, &parts, column);
            let attribute = Some(column.name.to_owned());
            refuse(classes, &parts, &failing, place, attribute.clone())?;
            all_achieved.push(Achieved { demand: place, attribute, achieved });
        }
    }
    Ok(all_achieved)
}

/// Names, of the classes that have a failing part, the one that begins first.
fn refuse(
    classes: &Classes,
    parts: &Classes,
    failing: &[bool],
    demand: usize,
    attribute: Option<String>,
) -> Result<(), Offence> {
    let class_of_failing = |(part, &class): (&u32, &u32)| failing[*part as usize].then_some(class);
    let first = parts.of_row.iter().zip(&classes.of_row).filter_map(class_of_failing).min();
    let Some(class) = first else { return Ok(()) };
    let row = classes.of_row.iter().position(|&other| other == class).unwrap_or(0) as u64 + 1;
    let size = u64::from(classes.sizes[class as usize]);
    Err(Offence::Class { class: u64::from(class) + 1, row, size, demand, attribute })
}

/// What all classes achieve of a model that only counts rows, and which of them fail.
fn sizes(model: &dyn Model, classes: &Classes) -> (f64, Vec<bool>) {
    let no_values = Hierarchy::flat::<&str>([]);
    let class = |&size: &u32| Class { rows: size.into(), known: Vec::new(), unknown: 0 };
    tally(model, &no_values, classes.sizes.iter().map(class))
}

/// What all parts achieve together, and which of them fail.
fn standing(model: &dyn Model, parts: &Classes, column: &Sensitive<'_>) -> (f64, Vec<bool>) {
    // Part and node in one number: sorted, the rows of a part and of a node in it are neighbours. The unknown come last.
    let cell = |(&part, &code): (&u32, &u32)| {
        u64::from(part) << 32 | column.node_of_code[code as usize].map_or(u64::from(u32::MAX), u64::from)
    };
    let mut cells: Vec<u64> = parts.of_row.iter().zip(&column.released.codes).map(cell).collect();
    cells.order();
    let class = |part: &[u64]| {
        let same = part.chunk_by(|one, other| one == other);
        let mut known: Vec<(NodeId, u64)> = same.map(|same| (same[0] as u32, same.len() as u64)).collect();
        let unknown = known.pop_if(|cell| cell.0 == u32::MAX).map_or(0, |unknown| unknown.1);
        Class { rows: part.len() as u64, known, unknown }
    };
    tally(model, &column.values.tree, cells.chunk_by(|one, other| one >> 32 == other >> 32).map(class))
}

fn tally(model: &dyn Model, tree: &Hierarchy, classes: impl Iterator<Item = Class>) -> (f64, Vec<bool>) {
    let mut achieved = model.best();
    let mut failing = Vec::new();
    for class in classes {
        let verdict = model.judge(tree, &class);
        achieved = model.worse(achieved, verdict.achieved);
        failing.push(!verdict.holds);
    }
    (achieved, failing)
}
