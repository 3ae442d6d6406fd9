//! The rows of a table by a plan: where their values stand in its order, and whether what a class shows is true of them.

use std::collections::{HashMap, HashSet};

use super::UnseenValues;
use crate::failure::Failure;
use crate::linkage::cells::{Cell, Reader, Value};
use crate::linkage::order::OrderedColumn;
use crate::linkage::plan::Plan;
use crate::table::Column;

/// One quasi-identifier of the table, by the plan.
pub struct Placed<'t> {
    column: &'t Column,
    /// The place of each code; `None` where the plan has never seen it and the order has no place for it.
    rank_of_code: Vec<Option<u32>>,
    unseen: Vec<bool>,
    /// The value that stands for missing cells, whichever token a cell shows.
    missing: Option<Value>,
    pub reader: Reader,
}

impl<'t> Placed<'t> {
    /// `tokens` are the missing ones among the plan's values.
    pub fn new(ordered: &OrderedColumn, column: &'t Column, tokens: &[String]) -> Self {
        let texts = column.dictionary.iter().chain(ordered.values.iter().map(String::as_str));
        let reader = Reader::new(None, texts);
        let known: HashMap<&str, u32> = ordered.values.iter().map(String::as_str).zip(0..).collect();
        let is_token = |value: &&String| tokens.iter().any(|token| token.trim() == value.trim());
        let missing = ordered.values.iter().position(|value| is_token(&value));
        let values: Vec<Value> = ordered.values.iter().map(|text| reader.value(text)).collect();
        // Only an order by size has a place for what was never seen.
        let sorted = values.windows(2).all(|pair| pair[0].order(&pair[1]).is_lt());
        let is_missing = column.is_missing();
        let mut unseen = vec![false; column.dictionary.len()];
        let mut rank_of_code = Vec::with_capacity(column.dictionary.len());
        for (code, text) in column.dictionary.iter().enumerate() {
            let known = known.get(text).or_else(|| known.get(text.trim())).copied();
            let known = known.or_else(|| missing.filter(|_| is_missing[code]).map(|place| place as u32));
            let known = known.or(ordered.place_of_others());
            unseen[code] = known.is_none();
            let by_order = || {
                let value = reader.value(text);
                let before = values.partition_point(|other| other.order(&value).is_lt());
                sorted.then(|| before.saturating_sub(1) as u32)
            };
            rank_of_code.push(known.or_else(by_order));
        }
        let missing = missing.map(|place| values[place].clone());
        Placed { column, rank_of_code, unseen, missing, reader }
    }

    /// What a code is as a base value.
    fn value(&self, code: u32) -> Value {
        match &self.missing {
            Some(missing) if self.column.missing.contains(&code) => missing.clone(),
            _ => self.reader.value(self.column.dictionary.text(code)),
        }
    }

    /// The place of a row's value.
    pub fn rank(&self, row: usize) -> Option<u32> {
        self.rank_of_code[self.column.codes[row] as usize]
    }
}

pub fn unseen_values(placed: &[Placed<'_>]) -> Vec<UnseenValues> {
    let of_column = |placed: &Placed<'_>| {
        let codes = || placed.unseen.iter().zip(&placed.column.counts).filter(|&(unseen, &rows)| *unseen && rows > 0);
        let rows: u64 = codes().map(|(_, &rows)| u64::from(rows)).sum();
        (rows > 0).then(|| UnseenValues {
            column: placed.column.name.clone(),
            values: codes().count() as u64,
            rows,
            left_out: 0,
        })
    };
    placed.iter().filter_map(of_column).collect()
}

/// Whether what a class shows covers what a row has: each pair of a value and a class is judged once.
pub struct Truth<'a> {
    placed: &'a [Placed<'a>],
    shown: &'a [Vec<Option<Cell>>],
    covered: Vec<HashSet<(u32, u32)>>,
    last: Vec<(u32, u32)>,
}

impl<'a> Truth<'a> {
    pub fn new(placed: &'a [Placed<'a>], shown: &'a [Vec<Option<Cell>>]) -> Self {
        let covered = placed.iter().map(|_| HashSet::new()).collect();
        Truth { placed, shown, covered, last: vec![(u32::MAX, u32::MAX); placed.len()] }
    }

    fn holds(&mut self, column: usize, code: u32, class: u32) -> bool {
        if self.last[column] == (code, class) || self.covered[column].contains(&(code, class)) {
            return true;
        }
        let placed = &self.placed[column];
        let value = placed.value(code);
        let covers = self.shown[column][class as usize].as_ref().is_some_and(|cell| cell.covers(&value));
        if covers {
            self.last[column] = (code, class);
            self.covered[column].insert((code, class));
        }
        covers
    }
}

/// The class of a row; `None` when a value that the plan has never seen keeps it out.
pub fn class_of_row(
    plan: &Plan,
    placed: &[Placed<'_>],
    truth: &mut Truth<'_>,
    unseen: &mut [UnseenValues],
    row: usize,
    ranks: &mut [u32],
) -> Result<Option<u32>, Failure> {
    let mut leave_out = |placed: &Placed<'_>| {
        if let Some(unseen) = unseen.iter_mut().find(|unseen| unseen.column == placed.column.name) {
            unseen.left_out += 1;
        }
    };
    for (rank, placed) in ranks.iter_mut().zip(placed) {
        match placed.rank(row) {
            Some(known) => *rank = known,
            None => {
                leave_out(placed);
                return Ok(None);
            }
        }
    }
    let class = plan.class_of(ranks) as u32;
    for (place, placed) in placed.iter().enumerate() {
        let code = placed.column.codes[row];
        if truth.holds(place, code, class) {
            continue;
        }
        if placed.unseen[code as usize] {
            leave_out(placed);
            return Ok(None);
        }
        let what = format!("Row {} would show something untrue in column “{}”.", row + 1, placed.column.name);
        return Err(Failure::refused(
            what,
            "Nothing was released. This is a mistake in the program: please report it.",
        ));
    }
    Ok(Some(class))
}
