//! One person under attack: who knows their quasi-identifiers looks for them in the original and in the release, and
//! counts the sensitive values of all rows that fit.
//!
//! Where sensitive cells show groups, a row counts for each value of its group alike ((τ,ℓ)-diversity, Definition 2).
//! Complexity: O(rows · quasi-identifiers).

use serde::{Deserialize, Serialize};

use super::reach::{Reach, original_codes};
use crate::classes::Histograms;
use crate::failure::Failure;
use crate::privacy::Induced;
use crate::resolved_policy::ResolvedPolicy;
use crate::run::Run;
use crate::sorting::Sorting;
use crate::table::{Column, Table, shortened};
use crate::words::grouped;

/// Values and classes that are listed.
const MOST_VALUES: usize = 40;
const MOST_CLASSES: usize = 6;

/// Who is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// The person of a row of the original, from 1.
    Row(u64),
    /// Somebody with these values of the quasi-identifiers, in their order; an empty one is not known.
    Known(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetView {
    /// Column and value, as far as known.
    pub known: Vec<(String, String)>,
    /// What the person really has, if it is one of the table.
    pub value: Option<String>,
    /// Whether the person's own row is not in the release.
    pub left_out: bool,
    pub before: Found,
    pub after: Found,
    /// Classes of the release that fit, the largest first: class, rows, cells.
    pub classes: Vec<(u32, u32, Vec<String>)>,
    /// How many fit.
    pub fitting: u64,
}

/// The rows that fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub rows: u64,
    /// Their sensitive values with the rows that count for each, the most first.
    pub values: Vec<(String, f64)>,
    /// Values that are not listed, and their rows.
    pub others: (u64, f64),
}

impl TargetView {
    /// `place` is a sensitive column of the output; without one only the rows that fit are counted.
    pub fn of(table: &Table, run: &Run, place: Option<usize>, who: &Who) -> Result<TargetView, Failure> {
        let secret = place.map(|place| Secret::new(table, run, place)).transpose()?;
        let reach = Reach::all(table, run)?;
        let mut known = Vec::new();
        let mut fits = Vec::new();
        let row = match who {
            Who::Row(row) => {
                let row = (*row as usize).checked_sub(1).filter(|&row| row < table.rows).ok_or_else(|| {
                    let next = format!("Name a row from 1 to {}.", grouped(table.rows as u64));
                    Failure::refused("There is no such row.", next)
                })?;
                for column in &reach {
                    known.push((column.original.name.clone(), shortened(column.original.text(row))));
                    fits.push(column.of_code(column.original.codes[row]));
                }
                Some(row)
            }
            Who::Known(texts) => {
                for (column, text) in reach.iter().zip(texts.iter().map(String::as_str).chain(std::iter::repeat(""))) {
                    let what = || format!("Column “{}” has no such value or group.", column.original.name);
                    let next = "Type a value of the column or a group of its hierarchy, or nothing if it is not known.";
                    fits.push(column.typed(run, text).ok_or_else(|| Failure::refused(what(), next))?);
                    known.push((column.original.name.clone(), text.trim().to_owned()));
                }
                None
            }
        };
        let fits_before =
            |at: usize| reach.iter().zip(&fits).all(|(column, fits)| fits.0[column.original.codes[at] as usize]);
        let fits_after =
            |at: usize| reach.iter().zip(&fits).all(|(column, fits)| fits.1[column.released.codes[at] as usize]);
        let classes_now = &run.grouped.classes;
        let everyone: Vec<u32> = (0..classes_now.sizes.len() as u32).collect();
        let mut classes: Vec<(u32, usize)> = (0..).zip(run.grouped.example_rows(&everyone)).collect();
        classes.retain(|&(_, at)| fits_after(at));
        let rows_before: Vec<usize> = (0..table.rows).filter(|&at| fits_before(at)).collect();
        let size = |class: u32| classes_now.sizes[class as usize];
        let mut before = Found { rows: rows_before.len() as u64, ..Found::default() };
        let mut after =
            Found { rows: classes.iter().map(|&(class, _)| u64::from(size(class))).sum(), ..Found::default() };
        let mut value = None;
        if let Some(Secret { original, released, histograms, .. }) = &secret {
            let codes = original.class_codes();
            let text = |code: u32| shortened(original.dictionary.text(code));
            value = row.map(|row| text(codes[row]));
            let mut counts = vec![0u32; original.dictionary.len()];
            let mut cells = vec![0u32; released.dictionary.len()];
            rows_before.into_iter().for_each(|at| counts[codes[at] as usize] += 1);
            let found = (0..).zip(&counts).filter(|(_, count)| **count > 0);
            before.list(found.map(|(code, &count)| (text(code), f64::from(count))).collect(), &value);
            for &(class, _) in &classes {
                for &(code, count) in histograms.class(class as usize).counts {
                    cells[code as usize] += count;
                }
            }
            after.list(seen_values(table, run, original, released, &cells)?, &value);
        }
        classes.order_by_key(|&(class, _)| (std::cmp::Reverse(size(class)), class));
        let cells = |at: usize| reach.iter().map(|column| shortened(column.released.text(at))).collect();
        Ok(TargetView {
            left_out: row.is_some_and(|row| !run.row_of.contains(&(row as u32))),
            before,
            after,
            value,
            known,
            fitting: classes.len() as u64,
            classes: classes.iter().take(MOST_CLASSES).map(|&(class, at)| (class, size(class), cells(at))).collect(),
        })
    }
}

/// A sensitive column of a run, before and after.
pub(super) struct Secret<'a> {
    pub original: &'a Column,
    pub released: &'a Column,
    /// Of the classes of the release.
    pub histograms: &'a Histograms,
    /// The same in the worst filling of groups and unknown cells.
    pub worst: &'a Histograms,
}

impl<'a> Secret<'a> {
    /// `place` is a sensitive column of the output.
    pub fn new(table: &'a Table, run: &'a Run, place: usize) -> Result<Secret<'a>, Failure> {
        let none = || Failure::refused("This column is not sensitive.", "Choose a sensitive column.");
        let (histograms, worst) = run.grouped.histograms(place).ok_or_else(none)?;
        let released = &run.output.columns[place];
        let original = table.columns.iter().find(|other| other.name == released.name).ok_or_else(none)?;
        Ok(Secret { original, released, histograms, worst })
    }
}

/// The values that released cells stand for, with the rows that count for each.
fn seen_values(
    table: &Table,
    run: &Run,
    original: &Column,
    released: &Column,
    cells: &[u32],
) -> Result<Vec<(String, f64)>, Failure> {
    let place = table.columns.iter().position(|column| column.name == original.name);
    let Some(place) = place else { return Ok(Vec::new()) };
    let codes = original_codes(&run.setup.columns[place], original, released);
    let shown = || (0u32..).zip(cells).filter(|(_, count)| **count > 0);
    if shown().all(|(cell, _)| codes[cell as usize].is_some()) {
        let value = |(cell, &count): (u32, &u32)| (shortened(released.dictionary.text(cell)), f64::from(count));
        return Ok(shown().map(value).collect());
    }
    let checked = ResolvedPolicy::new(&run.setup, table)?;
    let column = checked.sensitive.iter().find(|sensitive| table.columns[sensitive.column].name == original.name);
    let Some(column) = column else { return Ok(Vec::new()) };
    let nodes = column.nodes_of(original, released);
    let weights = column.weights_of_occurring(&original.counts);
    let induced = Induced::new(&column.tree, &nodes, &weights);
    let mut rows = vec![0.0; column.tree.leaves().len()];
    for (cell, &count) in shown() {
        for (leaf, amount) in induced.spread(cell, f64::from(count)) {
            rows[leaf as usize] += amount;
        }
    }
    let value = |(&leaf, rows): (&u32, f64)| (shortened(column.tree.label(leaf)), rows);
    Ok(column.tree.leaves().iter().zip(rows).filter(|(_, rows)| *rows > 0.0).map(value).collect())
}

impl Found {
    /// Lists values; `own` in any case.
    fn list(&mut self, mut values: Vec<(String, f64)>, own: &Option<String>) {
        values.order_by(|one, other| other.1.total_cmp(&one.1));
        let place = own.as_ref().and_then(|own| values.iter().position(|value| value.0 == *own));
        if let Some(place) = place.filter(|&place| place >= MOST_VALUES) {
            values.swap(MOST_VALUES - 1, place);
        }
        let behind = &values[values.len().min(MOST_VALUES)..];
        self.others = (behind.len() as u64, behind.iter().map(|value| value.1).sum());
        values.truncate(MOST_VALUES);
        self.values = values;
    }
}
