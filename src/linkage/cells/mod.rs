//! Released cells, of any tool: what set of base values each of them stands for (docs/spec.md §5).
//!
//! A cell is read with the column's hierarchy where there is one, and by its notation: exact values, `20-29`,
//! `[20-29]`, `[20,29]`, `[20, 30[`, `(20,30]`, `20..29`, `20 to 29`, `20~29`, `>=40`, `<20`, `40+`, masks `1305*`, sets
//! `{a,b}` and `a or b`, `a … b`, in columns of dates `2024`, `2024-05` and `2024-Q2`, and `*` for everything.
//! Guarantee: whatever a cell says, it covers its own text as a value, and a hierarchy's label covers all leaves under
//! it. What looks like a notation and is none is not understood, and never guessed. Complexity: O(length) a cell, and
//! for labels O(leaves under it); a column's different cells are read once each.

mod notation;

use std::cmp::Ordering;
use std::collections::HashMap;

use super::releases::report;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::progress::Progress;
use crate::sorting::Sorting;
use crate::table::MISSING_TOKENS;
use crate::table::{Column, Date, DateOrder, date, number};

/// Ends a text that begins like a mask and goes on like no value does.
pub const LIKE_NO_OTHER: char = '\u{10FFFE}';

/// Cells read between two checkpoints.
const STRIDE: usize = 4096;

/// A base value: what an original table may have in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; of a date, the days from 1970-01-01.
    Number(f64),
    Text(String),
    /// All missing-value tokens are one value.
    Missing,
}

impl Value {
    /// Numbers by size, then texts by bytes, then missing.
    pub fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(one), Value::Number(other)) => one.total_cmp(other),
            (Value::Text(one), Value::Text(other)) => one.cmp(other),
            (Value::Missing, Value::Missing) => Ordering::Equal,
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Number(_) => 0,
            Value::Text(_) => 1,
            Value::Missing => 2,
        }
    }
}

/// Numbers between two bounds, each of which may belong to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub low_in: bool,
    pub high: f64,
    pub high_in: bool,
}

impl Interval {
    pub fn closed(low: f64, high: f64) -> Self {
        Interval { low, low_in: true, high, high_in: true }
    }

    pub fn contains(&self, number: f64) -> bool {
        let above = number > self.low || (self.low_in && number == self.low);
        let below = number < self.high || (self.high_in && number == self.high);
        above && below
    }
}

/// A set of base values.
#[derive(Clone, Debug, PartialEq)]
pub enum Cover {
    Everything,
    Exactly(Value),
    Between(Interval),
    /// Texts that begin so; of at most so many characters.
    Prefix {
        prefix: String,
        longest: Option<usize>,
    },
    /// Texts from one to another, by bytes.
    Texts {
        first: String,
        last: String,
    },
    /// The leaves under a label, in the order of [`Value::order`].
    Leaves(Vec<Value>),
    AnyOf(Vec<Cell>),
}

/// A cell and what it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its text, blanks around it left out.
    pub text: String,
    pub cover: Cover,
}

impl Cell {
    /// Whether a person with this base value may be meant.
    pub fn covers(&self, value: &Value) -> bool {
        let stated = match (&self.cover, value) {
            (Cover::Everything, _) => true,
            (Cover::Exactly(own), _) => own == value,
            (Cover::Between(interval), Value::Number(number)) => interval.contains(*number),
            (Cover::Prefix { prefix, longest }, Value::Text(text)) => {
                text.starts_with(prefix.as_str()) && longest.is_none_or(|longest| text.chars().count() <= longest)
            }
            (Cover::Texts { first, last }, Value::Text(text)) => (first..=last).contains(&text),
            (Cover::Leaves(leaves), _) => leaves.binary_search_by(|leaf| leaf.order(value)).is_ok(),
            (Cover::AnyOf(cells), _) => cells.iter().any(|cell| cell.covers(value)),
            _ => false,
        };
        // A value may be written like a notation (`90+`): then the cell that shows it means it.
        stated || matches!(value, Value::Text(text) if *text == self.text)
    }
}

/// How the cells of one column are read.
#[derive(Debug)]
pub struct Reader {
    tree: Option<Hierarchy>,
    /// What each label is read as (docs/models.md).
    nodes: HashMap<String, NodeId>,
    dates: Option<DateOrder>,
}

impl Reader {
    /// `texts` are what the column shows anywhere, for telling dates.
    pub fn new<'t>(tree: Option<Hierarchy>, texts: impl Iterator<Item = &'t str>) -> Self {
        let labels = tree.iter().flat_map(Hierarchy::nodes_of_labels);
        let nodes: HashMap<String, NodeId> = labels.map(|(label, node)| (label.to_owned(), node)).collect();
        let mut dates = Dates::default();
        texts.for_each(|text| dates.see(text));
        if let Some(tree) = &tree {
            tree.leaves().iter().for_each(|&leaf| dates.see(tree.label(leaf)));
        }
        Reader { dates: dates.order(), tree, nodes }
    }

    /// What a text is as a base value.
    pub fn value(&self, text: &str) -> Value {
        let text = text.trim();
        if MISSING_TOKENS.contains(&text) {
            return Value::Missing;
        }
        let number = match self.dates {
            Some(order) => date(text, order).map(|days| days as f64),
            None => figure(text),
        };
        // -0 is 0.
        number.map_or_else(|| Value::Text(text.to_owned()), |number| Value::Number(number + 0.0))
    }

    /// The tree's leaves as base values.
    pub fn leaves(&self) -> impl Iterator<Item = Value> + '_ {
        self.leaf_labels().map(|label| self.value(label))
    }

    pub fn leaf_labels(&self) -> impl Iterator<Item = &str> + '_ {
        self.tree.iter().flat_map(|tree| tree.leaves().iter().map(|&leaf| tree.label(leaf)))
    }

    /// A text that [`Reader::given`] reads as this value.
    pub fn written(&self, value: &Value) -> String {
        match value {
            Value::Number(days) if self.dates.is_some() => Date::from_days(*days as i64).to_string(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.replace(LIKE_NO_OTHER, "…"),
            Value::Missing => "?".to_owned(),
        }
    }

    /// What is known of a person: a value, or the beginning of one that goes on like no other (`1305…`).
    pub fn given(&self, text: &str) -> Value {
        match text.trim().strip_suffix('…') {
            Some(start) => Value::Text(format!("{start}{LIKE_NO_OTHER}")),
            // What `written` writes is a date in a column of dates of any order.
            None => match (self.dates, date(text.trim(), DateOrder::YearMonthDay)) {
                (Some(_), Some(days)) => Value::Number(days as f64),
                _ => self.value(text),
            },
        }
    }

    /// Reads a cell; `None` when it is not understood.
    pub fn read(&self, text: &str) -> Option<Cell> {
        let text = text.trim();
        let cover = match self.labelled(text) {
            Some(cover) => cover,
            None => match notation::read(self, text) {
                notation::Read::Cover(cover) => cover,
                notation::Read::Plain => Cover::Exactly(self.value(text)),
                notation::Read::Broken => return None,
            },
        };
        Some(Cell { text: text.to_owned(), cover })
    }

    /// What a label of the hierarchy stands for.
    fn labelled(&self, text: &str) -> Option<Cover> {
        let (tree, node) = (self.tree.as_ref()?, *self.nodes.get(text)?);
        if node == ROOT {
            return Some(Cover::Everything);
        }
        let mut leaves: Vec<Value> = tree.leaves_under(node).iter().map(|&leaf| self.value(tree.label(leaf))).collect();
        // A label that says itself what it covers may cover values that the tree lacks.
        if let notation::Read::Cover(cover) = notation::read(self, text) {
            let cell = Cell { text: text.to_owned(), cover };
            if leaves.iter().all(|leaf| cell.covers(leaf)) {
                return Some(cell.cover);
            }
        }
        leaves.order_by(Value::order);
        leaves.dedup();
        match leaves.len() {
            1 => leaves.pop().map(Cover::Exactly),
            _ => Some(Cover::Leaves(leaves)),
        }
    }

    /// Reads the different cells of a released column. `known` are values that an original table has.
    pub async fn read_column(
        &self,
        column: &Column,
        known: impl Fn(&Value) -> bool,
        progress: &Progress<'_>,
    ) -> Result<ReadColumn, Failure> {
        let mut cells: Vec<Option<Cell>> = Vec::with_capacity(column.dictionary.len());
        for (code, text) in column.dictionary.iter().enumerate() {
            if code.is_multiple_of(STRIDE) {
                progress.checkpoint(|| report("Reading cells", None)).await?;
            }
            cells.push(self.read(text));
        }
        let rows = |code: usize| u64::from(column.counts[code]);
        let of = |kind: fn(&Cover) -> bool| -> u64 {
            let of_kind = |(code, cell): (usize, &Option<Cell>)| {
                cell.as_ref().filter(|cell| kind(&cell.cover)).map_or(0, |_| rows(code))
            };
            cells.iter().enumerate().map(of_kind).sum()
        };
        let numbers = of(|cover| matches!(cover, Cover::Between(_) | Cover::Exactly(Value::Number(_))));
        let texts = of(|cover| matches!(cover, Cover::Exactly(Value::Text(_))));
        // A word among numbers, or one that the hierarchy lacks, stands for something that only its author knows.
        let suspect = self.tree.is_some() || numbers > texts;
        for cell in &mut cells {
            let word = |cell: &Cell| match &cell.cover {
                Cover::Exactly(value @ Value::Text(text)) => {
                    suspect && !self.nodes.contains_key(text.as_str()) && !known(value)
                }
                _ => false,
            };
            if cell.as_ref().is_some_and(word) {
                *cell = None;
            }
        }
        let lost = || cells.iter().enumerate().filter(|(code, cell)| cell.is_none() && rows(*code) > 0);
        let (different, lost_rows) = (lost().count() as u64, lost().map(|(code, _)| rows(code)).sum());
        let first = match lost_rows {
            0 => Vec::new(),
            _ => {
                let lost = (1..).zip(&column.codes).filter(|(_, code)| cells[**code as usize].is_none());
                lost.map(|(row, _)| row).take(FIRST).collect()
            }
        };
        Ok(ReadColumn { cells, different, rows: lost_rows, first })
    }
}

/// A released column as it was understood.
pub struct ReadColumn {
    /// By the column's codes; `None` where it was not understood.
    pub cells: Vec<Option<Cell>>,
    /// Different cells that were not understood, and the rows that have them.
    pub different: u64,
    pub rows: u64,
    /// The first of these rows, from 1.
    pub first: Vec<u64>,
}

/// As many rows as are named of those that were not understood.
const FIRST: usize = 5;

/// A number, also one with zeros in front: a postcode is ordered like one.
fn figure(text: &str) -> Option<f64> {
    let digits = (1..=15).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { number(text) }
}

/// Whether texts have dates in them, and the order in which all of those are written.
#[derive(Default)]
struct Dates {
    seen: bool,
    misfits: [bool; 3],
}

impl Dates {
    const ORDERS: [DateOrder; 3] = [DateOrder::YearMonthDay, DateOrder::DayMonthYear, DateOrder::MonthDayYear];

    fn see(&mut self, text: &str) {
        // Nearly all texts are settled by this.
        if !text.bytes().any(|byte| byte.is_ascii_digit()) || !text.contains(['-', '/', '.']) {
            return;
        }
        let parts = text.split(['[', ']', '(', ')', '{', '}', ',', ';', '"', '~', '<', '>', '=']);
        let parts = parts.flat_map(|part| part.split("..")).flat_map(|part| part.split(" to "));
        for part in parts.map(str::trim) {
            // Eight digits alone may be a number.
            let written = part.bytes().any(|byte| !byte.is_ascii_digit());
            let read = Dates::ORDERS.map(|order| written && date(part, order).is_some());
            if read.contains(&true) {
                self.seen = true;
                self.misfits.iter_mut().zip(read).for_each(|(misfits, read)| *misfits |= !read);
            } else if notation::month(part).is_some() || notation::quarter(part).is_some() {
                self.seen = true;
            }
        }
    }

    fn order(&self) -> Option<DateOrder> {
        let fitting = Dates::ORDERS.into_iter().zip(self.misfits).find(|(_, misfits)| !misfits);
        fitting.filter(|_| self.seen).map(|(order, _)| order)
    }
}

#[cfg(test)]
mod tests;
