//! A column before and after: what it held, and what a reader of the release sees instead.
//!
//! Complexity: O(rows + values · depth of the hierarchy).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::policy::Quasi;
use crate::run::Run;
use crate::sorting::Sorting;
use crate::table::{Column, Kind, Role, Table, shortened};

/// As many bars as a side has; what is beyond is summed up.
const MOST_BARS: usize = 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnChange {
    pub column: String,
    pub role: Role,
    pub rows_before: u64,
    /// 0 for a column that was removed.
    pub rows_after: u64,
    pub distinct_before: u64,
    pub distinct_after: u64,
    /// Released rows that show something else than they were.
    pub changed: u64,
    /// Whole numbers of many values in bands.
    pub before: Side,
    pub after: Side,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Side {
    pub bars: Vec<Bar>,
    /// Values that have no bar, and their rows.
    pub others: (u64, u64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub label: String,
    pub rows: u64,
    /// Before: the released rows that a reader would expect here, each cell's rows shared evenly by the values it stands
    /// for. After: the rows of the input that have this value or one that it stands for.
    pub other: f64,
}

impl ColumnChange {
    /// `place` is a column of the original table.
    pub fn of(table: &Table, run: &Run, place: usize) -> Result<ColumnChange, Failure> {
        let none = || Failure::refused("There is no such column.", "Choose a column of the table.");
        let (column, setup) = table.columns.get(place).zip(run.setup.columns.get(place)).ok_or_else(none)?;
        let released = run.output.columns.iter().find(|other| other.name == column.name);
        let released = released.filter(|_| setup.role != Role::Identifier);
        let quasi = match setup.role {
            Role::Quasi => Some(Quasi::new(place, setup, column)?),
            _ if run.recodes(setup, &column.name) => Some(Quasi::of_sensitive(place, setup, column)),
            _ => None,
        };
        let expected = match (released, &quasi) {
            (Some(released), Some(quasi)) => expected(column, released, quasi),
            _ => vec![0.0; column.dictionary.len()],
        };
        let count =
            |((text, &rows), &other): ((&str, &u32), &f64)| Bar { label: shortened(text), rows: rows.into(), other };
        let before = banded(column, &expected).unwrap_or_else(|| {
            side(column.dictionary.iter().zip(&column.counts).zip(&expected).map(count).collect(), None)
        });
        let mut change = ColumnChange {
            column: column.name.clone(),
            role: setup.role,
            rows_before: table.rows as u64,
            rows_after: 0,
            distinct_before: column.distinct() as u64,
            distinct_after: 0,
            changed: 0,
            before,
            after: Side::default(),
        };
        let Some(released) = released else { return Ok(change) };
        let is_changed = |(&row, &cell): (&u32, &u32)| column.text(row as usize) != released.dictionary.text(cell);
        change.changed = run.row_of.iter().zip(&released.codes).filter(|&pair| is_changed(pair)).count() as u64;
        change.rows_after = run.output.rows as u64;
        change.distinct_after = released.distinct() as u64;
        change.after = after(column, released, quasi.as_ref());
        Ok(change)
    }
}

/// The rows that a reader of the release expects of each of the original's values.
fn expected(original: &Column, released: &Column, quasi: &Quasi) -> Vec<f64> {
    let tree = &quasi.tree;
    let mut values_of = vec![0u32; tree.len()];
    for (&leaf, _) in quasi.leaf_of_code.iter().zip(&original.counts).filter(|(_, count)| **count > 0) {
        values_of[leaf as usize] += 1;
    }
    let nodes = tree.nodes_of_labels();
    let mut of_leaf = vec![0.0; tree.len()];
    for (text, &rows) in released.dictionary.iter().zip(&released.counts) {
        let leaves = nodes.get(text).map(|&node| tree.leaves_under(node)).unwrap_or_default();
        let values: u32 = leaves.iter().map(|&leaf| values_of[leaf as usize]).sum();
        for &leaf in leaves.iter().filter(|_| values > 0) {
            of_leaf[leaf as usize] += f64::from(rows) / f64::from(values);
        }
    }
    let value = |(&leaf, &count): (&NodeId, &u32)| if count > 0 { of_leaf[leaf as usize] } else { 0.0 };
    quasi.leaf_of_code.iter().zip(&original.counts).map(value).collect()
}

/// The released cells; those of a column with an order in that of its hierarchy.
fn after(original: &Column, released: &Column, quasi: Option<&Quasi>) -> Side {
    // What each text stands for, as a node or a code, and the rows of the input that it covers.
    let (known, rows_of): (HashMap<&str, u32>, Vec<u64>) = match quasi {
        Some(quasi) => {
            let mut rows = vec![0u64; quasi.tree.len()];
            for (&leaf, &count) in quasi.leaf_of_code.iter().zip(&original.counts) {
                quasi.tree.path(leaf).for_each(|node| rows[node as usize] += u64::from(count));
            }
            (quasi.tree.nodes_of_labels(), rows)
        }
        None => (
            original.dictionary.iter().zip(0..).collect(),
            original.counts.iter().map(|&count| u64::from(count)).collect(),
        ),
    };
    let at = |text: &str| known.get(text).copied();
    let bar = |(text, &rows): (&str, &u32)| {
        let other = at(text).map_or(0.0, |at| rows_of[at as usize] as f64);
        Bar { label: shortened(text), rows: rows.into(), other }
    };
    let bars = released.dictionary.iter().zip(&released.counts).map(bar).collect();
    let order: Option<Vec<u32>> = (original.kind.kind != Kind::Text && quasi.is_some())
        .then(|| released.dictionary.iter().map(|text| at(text).unwrap_or(0)).collect());
    side(bars, order)
}

/// The bars with the most rows, in order of their rows or another that is given.
fn side(bars: Vec<Bar>, order: Option<Vec<u32>>) -> Side {
    let mut places: Vec<usize> = (0..bars.len()).filter(|&place| bars[place].rows > 0).collect();
    places.order_by_key(|&place| (std::cmp::Reverse(bars[place].rows), place));
    // A single one that is left gets its bar, too.
    let kept = if places.len() > MOST_BARS + 1 { MOST_BARS } else { places.len() };
    let others = places[kept..].iter().fold((0, 0), |sum, &place| (sum.0 + 1, sum.1 + bars[place].rows));
    places.truncate(kept);
    if let Some(order) = order {
        places.order_by_key(|&place| (order[place], place));
    }
    Side { bars: places.into_iter().map(|place| bars[place].clone()).collect(), others }
}

/// Whole numbers of more values than there are bars, in bands of one width; `None` for other columns.
fn banded(column: &Column, expected: &[f64]) -> Option<Side> {
    if column.kind.kind != Kind::Integer || column.distinct() <= MOST_BARS {
        return None;
    }
    let numbers: Vec<Option<f64>> = column.dictionary.iter().map(|text| column.kind.number(text)).collect();
    let present = || numbers.iter().flatten().copied();
    let least = present().fold(f64::INFINITY, |least, value| if value < least { value } else { least });
    let most = present().fold(f64::NEG_INFINITY, |most, value| if value > most { value } else { most });
    // Numbers too large to tell neighbours apart have no bands.
    if !(least > -9e15 && most < 9e15) {
        return None;
    }
    let (least, most) = (least as i64, most as i64);
    let width = (most - least) / MOST_BARS as i64 + 1;
    let count = (most - least) / width + 1;
    // One more than there are bands is for missing values.
    let mut rows = vec![(0u64, 0.0); count as usize + 1];
    for ((value, &times), expected) in numbers.iter().zip(&column.counts).zip(expected) {
        let band = value.map_or(count, |value| ((value as i64 - least) / width).clamp(0, count - 1));
        let entry = &mut rows[band as usize];
        *entry = (entry.0 + u64::from(times), entry.1 + expected);
    }
    let label = |band: i64| {
        let from = least + band * width;
        if width == 1 { from.to_string() } else { format!("{from}–{}", (from + width - 1).min(most)) }
    };
    let bar = |(band, (rows, other)): (i64, (u64, f64))| Bar {
        label: if band == count { "missing".into() } else { label(band) },
        rows,
        other,
    };
    let mut bars: Vec<Bar> = (0..).zip(rows).map(bar).collect();
    if bars.last().is_some_and(|missing| missing.rows == 0) {
        bars.pop();
    }
    Some(Side { bars, others: (0, 0) })
}
