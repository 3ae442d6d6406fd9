//! Columns that would be dates, were it not for some cells.

use super::Column;
use super::kind::{DateOrder, date, present};

/// A column at least half of whose values are dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearlyDates {
    /// The order that most are written in; of equals the first of year, day and month first.
    pub order: DateOrder,
    /// Rows whose cell is no such date, missing ones not counted.
    pub unread: u64,
}

/// Different values that are looked at before all are.
const SAMPLE: usize = 200;

/// Whether at least half of the different values (those not missing) are dates of one order, and how many cells are not.
/// Complexity: a sample's, and O(different values) only where the sample is of dates.
pub fn nearly_dates(column: &Column) -> Option<NearlyDates> {
    let distinct = column.dictionary.len() - column.missing.len();
    let step = distinct.div_ceil(SAMPLE).max(1);
    let reads = |order: DateOrder| present(column).step_by(step).filter(|text| date(text, order).is_some()).count();
    let orders = [DateOrder::YearMonthDay, DateOrder::DayMonthYear, DateOrder::MonthDayYear];
    let (order, count) = orders.map(|order| (order, reads(order))).into_iter().rev().max_by_key(|&(_, count)| count)?;
    if count == 0 || count * 2 < distinct.div_ceil(step) {
        return None;
    }
    let unread = |code: &u32| date(column.dictionary.text(*code), order).is_none();
    let rows = column.present().filter(unread).map(|code| u64::from(column.counts[code as usize]));
    Some(NearlyDates { order, unread: rows.sum() })
}
