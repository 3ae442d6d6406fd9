//! Columns that would be dates, were it not for some cells.

use super::Column;
use super::kind::{DateOrder, Kind, date, present};

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

/// Whether at least half of a column's different values are dates that are not read as such: with the month in words
/// (`12 March 2015`) or without a day (`03/2015`). Complexity: a sample's.
pub fn has_written_dates(column: &Column) -> bool {
    if column.kind.kind != Kind::Text {
        return false;
    }
    let distinct = column.dictionary.len() - column.missing.len();
    let step = distinct.div_ceil(SAMPLE).max(1);
    let count = present(column).step_by(step).filter(|text| is_written_date(text)).count();
    count > 0 && count * 2 >= distinct.div_ceil(step)
}

/// Beginnings of the names of months in English, German, French, Italian and Spanish.
const MONTHS: [&str; 32] = [
    "jan", "gen", "ene", "feb", "fév", "fev", "mar", "mär", "apr", "avr", "abr", "may", "mai", "mag", "jun", "jui",
    "giu", "jul", "lug", "aug", "aoû", "ago", "sep", "set", "oct", "okt", "ott", "nov", "dec", "dez", "déc", "dic",
];

/// A year, a month, and perhaps a day; a month is a name or a number.
fn is_written_date(text: &str) -> bool {
    if text.len() > 32 {
        return false;
    }
    let lower = text.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let (mut years, mut months, mut days) = (0, 0, 0);
    for word in words {
        match (word.len(), word.parse::<u32>()) {
            (4, Ok(1900..=2100)) => years += 1,
            (1..=2, Ok(1..=31)) => days += 1,
            (_, Err(_)) if MONTHS.iter().any(|month| word.starts_with(month)) => months += 1,
            _ => return false,
        }
    }
    years == 1 && matches!((months, days), (1, 0..=1) | (0, 1..=2))
}

#[cfg(test)]
mod tests {
    use super::is_written_date;

    #[test]
    fn dates_in_words_and_without_days_are_known() {
        for text in ["03/2015", "12 March 2015", "12. März 2015", "Mar-2015", "2015 déc 3", "5.2000"] {
            assert!(is_written_date(text), "{text}");
        }
        for text in ["2015", "2015-2016", "room 5", "5", "March", "32/2015", "ward 3, 2015", "2015/03/04/05"] {
            assert!(!is_written_date(text), "{text}");
        }
    }
}
