//! What the values of a column are: whole numbers, decimals, dates or text.
//!
//! A column is of a kind only if every value that is not missing is; one value that does not fit makes it text.
//! Nothing is converted: the kind says how values may be ordered and grouped, what is released is the text that was
//! read. In doubt a value is text, because text is never misread. So these are not numbers:
//! - `01234`: a leading zero means a code (a postcode, an account); as a number it would be the same as `1234`;
//! - `+49170…`: nothing writes numbers with a plus sign, but telephone numbers have one;
//! - whole numbers of more than 15 digits: an `f64` cannot tell all of them apart, and they number things;
//! - `1,250`: one thousand to some, one and a quarter to others. A decimal comma is read where it cannot be a thousands
//!   separator (`1,5`, `0,125`), and a column that has both commas and points is text.
//!
//! Two-digit years are read as spreadsheets do: 00 to 29 are 2000 to 2029, 30 to 99 are 1930 to 1999.
//!
//! A person may say what a column is ([`Said`]): then that holds if every value can be read so. Who says that values are
//! numbers means it for `007` and `+3`, too. Who says that numbers are written with a decimal comma makes `1,250` one and a
//! quarter, and `1.5` no number; with a decimal point it is the other way round.
//!
//! Complexity: O(bytes of the dictionary), less when an early value rules out all but text.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Column;

/// In which order a date is written.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

impl DateOrder {
    /// In the order of preference.
    pub const ALL: [DateOrder; 3] = [DateOrder::YearMonthDay, DateOrder::DayMonthYear, DateOrder::MonthDayYear];
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Integer,
    Decimal,
    Date(DateOrder),
    Text,
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindGuess {
    pub kind: Kind,
    /// A date column whose values all fit both orders of day and month; the day is then taken to be first.
    pub ambiguous_date: bool,
    /// The kind was said, not guessed.
    #[serde(default)]
    pub said: bool,
    /// How numbers are written, if that was said.
    #[serde(default)]
    pub decimal: Option<DecimalMark>,
}

/// What stands before a number's fraction.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalMark {
    #[serde(rename = ".")]
    Point,
    #[serde(rename = ",")]
    Comma,
}

/// A kind as it is said of a column: the order of dates may be left to be guessed.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaidKind {
    Integer,
    Decimal,
    Date(Option<DateOrder>),
    Text,
}

impl From<Kind> for SaidKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Integer => SaidKind::Integer,
            Kind::Decimal => SaidKind::Decimal,
            Kind::Date(order) => SaidKind::Date(Some(order)),
            Kind::Text => SaidKind::Text,
        }
    }
}

/// What is said of a column's values; what is not said is guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub kind: Option<SaidKind>,
    pub decimal: Option<DecimalMark>,
}

/// Values that are not of the kind that was said, and their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfits {
    pub values: u64,
    pub rows: u64,
}

impl KindGuess {
    /// The number that a cell of the column says; `None` if it is none.
    pub fn number(&self, text: &str) -> Option<f64> {
        let said = self.said && matches!(self.kind, Kind::Integer | Kind::Decimal);
        number_in(text, said, self.decimal)
    }

    /// The day that a cell of the column says, counted from 1970-01-01; `None` if it is none, or the column is not of
    /// dates.
    pub fn date(&self, text: &str) -> Option<i64> {
        match self.kind {
            Kind::Date(order) => date(text, order),
            _ => None,
        }
    }
}

/// The kind of a column by what was said of it; where values do not fit that, it is inferred, and they are counted.
pub fn settle(column: &Column, said: Said) -> (KindGuess, Option<Misfits>) {
    let decimal = said.decimal;
    let inferred = || KindGuess { decimal, ..infer_by(column, decimal) };
    let candidates: Vec<(Kind, Form)> = match said.kind {
        None => return (inferred(), None),
        Some(SaidKind::Integer) => vec![(Kind::Integer, Form::Whole)],
        Some(SaidKind::Decimal) => vec![(Kind::Decimal, Form::Point), (Kind::Decimal, Form::Comma)],
        Some(SaidKind::Date(Some(order))) => vec![(Kind::Date(order), Form::Whole)],
        Some(SaidKind::Date(None)) => DateOrder::ALL.map(|order| (Kind::Date(order), Form::Whole)).to_vec(),
        Some(SaidKind::Text) => vec![(Kind::Text, Form::Whole)],
    };
    let fits = |text: &str, (kind, written): (Kind, Form)| match kind {
        Kind::Text => true,
        Kind::Date(order) => date(text, order).is_some(),
        Kind::Integer => said_form(text, decimal) == Some(Form::Whole),
        Kind::Decimal => said_form(text, decimal).is_some_and(|form| form == Form::Whole || form == written),
    };
    let misfits = |candidate: (Kind, Form)| {
        let wrong = column.present().filter(|&code| !fits(column.dictionary.text(code), candidate));
        wrong.fold(Misfits { values: 0, rows: 0 }, |sum, code| Misfits {
            values: sum.values + 1,
            rows: sum.rows + u64::from(column.counts[code as usize]),
        })
    };
    let all: Vec<(Kind, Misfits)> = candidates.into_iter().map(|candidate| (candidate.0, misfits(candidate))).collect();
    // Of several that fit, the first: the day before the month.
    match all.iter().min_by_key(|(_, misfits)| misfits.rows) {
        Some(&(kind, Misfits { values: 0, .. })) => {
            let fitting = all.iter().filter(|(_, misfits)| misfits.values == 0).count();
            let ambiguous_date = matches!(kind, Kind::Date(_)) && fitting > 1 && present(column).next().is_some();
            (KindGuess { kind, ambiguous_date, said: true, decimal }, None)
        }
        found => (inferred(), found.map(|&(_, misfits)| misfits)),
    }
}

/// The kind of a column: the narrowest that all its values fit. A column of missing values only is text.
pub fn infer(column: &Column) -> KindGuess {
    infer_by(column, None)
}

fn infer_by(column: &Column, decimal: Option<DecimalMark>) -> KindGuess {
    let (mut whole, mut point, mut comma) = (true, true, true);
    let (mut year_first, mut day_first, mut month_first) = (true, true, true);
    let mut empty = true;
    for text in present(column) {
        empty = false;
        if whole || point || comma {
            let form = form(text, decimal);
            whole &= form == Some(Form::Whole);
            point &= matches!(form, Some(Form::Whole | Form::Point));
            comma &= matches!(form, Some(Form::Whole | Form::Comma));
        }
        if year_first || day_first || month_first {
            let written = written_date(text);
            let fits = |order| written.is_some_and(|written| written.read(order).is_some());
            year_first &= fits(DateOrder::YearMonthDay);
            day_first &= fits(DateOrder::DayMonthYear);
            month_first &= fits(DateOrder::MonthDayYear);
        }
        if !(whole || point || comma || year_first || day_first || month_first) {
            break;
        }
    }
    let kind = if empty {
        Kind::Text
    } else if year_first {
        // Before the numbers: 20240301 is both.
        Kind::Date(DateOrder::YearMonthDay)
    } else if day_first {
        Kind::Date(DateOrder::DayMonthYear)
    } else if month_first {
        Kind::Date(DateOrder::MonthDayYear)
    } else if whole {
        Kind::Integer
    } else if point || comma {
        Kind::Decimal
    } else {
        Kind::Text
    };
    KindGuess { kind, ambiguous_date: !empty && day_first && month_first, said: false, decimal }
}

/// The different values that are not missing, in order of appearance.
pub(super) fn present(column: &Column) -> impl Iterator<Item = &str> {
    column.present().map(|code| column.dictionary.text(code))
}

/// The number a cell of an integer or decimal column says, blanks around it ignored; `None` if it is not a number
/// (the module's documentation says what is one).
pub fn number(text: &str) -> Option<f64> {
    number_in(text, false, None)
}

fn number_in(text: &str, said: bool, decimal: Option<DecimalMark>) -> Option<f64> {
    match if said { said_form(text, decimal)? } else { form(text, decimal)? } {
        Form::Whole | Form::Point => text.trim().parse().ok(),
        Form::Comma => text.trim().replacen(',', ".", 1).parse().ok(),
    }
}

/// The form of what is said to be a number: zeros before it and a plus sign are then no marks of a code.
fn said_form(text: &str, decimal: Option<DecimalMark>) -> Option<Form> {
    form(text, decimal).or_else(|| {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text.strip_prefix('+').unwrap_or(text)),
        };
        let bare = digits.trim_start_matches('0');
        let zero =
            if bare.starts_with(|sign: char| sign.is_ascii_digit()) || bare.len() == digits.len() { "" } else { "0" };
        form(&format!("{sign}{zero}{bare}"), decimal)
    })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Whole,
    /// With a decimal point, or an exponent.
    Point,
    Comma,
}

/// Digits of which every whole number is an `f64` of its own.
const EXACT_DIGITS: usize = 15;
/// Without an exponent, a number of fewer digits is finite.
const FINITE_DIGITS: usize = 300;

/// How a number is written; `None` if it is none, or too large for an `f64`.
fn form(text: &str, decimal: Option<DecimalMark>) -> Option<Form> {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    // What numbers things has a million values, nearly always like this.
    if (1..=EXACT_DIGITS).contains(&text.len()) && digits(text) {
        return (text.len() == 1 || !text.starts_with('0')).then_some(Form::Whole);
    }
    let text = text.trim();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let mark = mantissa.bytes().find(|byte| !byte.is_ascii_digit());
    let (whole, fraction) = match mark {
        None => (mantissa, None),
        Some(mark) => mantissa.split_once(char::from(mark)).map(|(whole, fraction)| (whole, Some(fraction)))?,
    };
    let fraction_digits = fraction.unwrap_or_default();
    if whole.len() + fraction_digits.len() == 0
        || !digits(fraction_digits)
        || (whole.len() > 1 && whole.starts_with('0'))
    {
        return None;
    }
    if let Some(exponent) = exponent {
        // As programs write it, `1e-05` or `1.5E10`; a bare `12E4` is more likely somebody's code.
        let power = exponent.strip_prefix(['+', '-']);
        let power = power.or(fraction.is_some().then_some(exponent))?;
        if power.is_empty() || power.len() > 3 || !digits(power) {
            return None;
        }
    }
    let form = match (mark, exponent) {
        (None, None) if whole.len() > EXACT_DIGITS => return None,
        (None, None) => Form::Whole,
        (None, _) => Form::Point,
        (Some(b'.'), _) if decimal != Some(DecimalMark::Comma) => Form::Point,
        (Some(b','), None) if decimal.is_none() => {
            let thousands = fraction_digits.len() == 3 && !matches!(whole, "" | "0");
            if thousands || fraction_digits.is_empty() {
                return None;
            }
            Form::Comma
        }
        (Some(b','), _) if decimal == Some(DecimalMark::Comma) && !fraction_digits.is_empty() => Form::Comma,
        _ => return None,
    };
    let finite = || {
        let value: Result<f64, _> = text.replacen(',', ".", 1).parse();
        value.is_ok_and(f64::is_finite)
    };
    ((exponent.is_none() && whole.len() < FINITE_DIGITS) || finite()).then_some(form)
}

/// Days from 1970-01-01 to the date that a cell says; a time of day after it is ignored. `None` if it is not a date of
/// that order.
pub fn date(text: &str, order: DateOrder) -> Option<i64> {
    written_date(text)?.read(order).map(Date::to_days)
}

/// A day of the Gregorian calendar, also before there was one.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

/// Days of 400 years, after which the calendar repeats.
const ERA_DAYS: i64 = 146_097;
/// From 0000-03-01, where eras are counted from, to 1970-01-01.
const EPOCH: i64 = 719_468;

impl Date {
    /// A date of the years 1 to 9999 that exists.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Date> {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let exists = (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=last).contains(&day);
        exists.then_some(Date { year, month, day })
    }

    /// Days from 1970-01-01. Years are counted from March, so that the leap day is their last.
    pub fn to_days(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let year_of_era = year.rem_euclid(400);
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        year.div_euclid(400) * ERA_DAYS + day_of_era - EPOCH
    }

    /// The inverse of [`Date::to_days`]. Days more than a million years away are drawn in to there.
    pub fn from_days(days: i64) -> Date {
        const FARTHEST: i64 = 365_000_000;
        let days = days.clamp(-FARTHEST, FARTHEST) + EPOCH;
        let day_of_era = days.rem_euclid(ERA_DAYS);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year_of_era + days.div_euclid(ERA_DAYS) * 400 + i64::from(month <= 2);
        Date { year: year as i32, month: month as u8, day: day as u8 }
    }
}

/// As ISO 8601 writes it.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// The figures of a date whose order is still open.
#[derive(Clone, Copy)]
struct WrittenDate {
    year: i32,
    year_first: bool,
    /// Month and day in the order they are written.
    others: [u8; 2],
}

impl WrittenDate {
    fn read(self, order: DateOrder) -> Option<Date> {
        let [first, second] = self.others;
        match order {
            DateOrder::YearMonthDay if self.year_first => Date::new(self.year, first, second),
            DateOrder::DayMonthYear if !self.year_first => Date::new(self.year, second, first),
            DateOrder::MonthDayYear if !self.year_first => Date::new(self.year, first, second),
            _ => None,
        }
    }
}

/// Years that eight digits in a row must lie in to be a date and not a number.
const COMPACT_YEARS: std::ops::RangeInclusive<i32> = 1850..=2100;

fn written_date(text: &str) -> Option<WrittenDate> {
    let text = text.trim();
    let day = match text.split_once(['T', ' ']) {
        Some((day, time)) => is_time(time.trim_start()).then_some(day)?,
        None => text,
    };
    // Ends the search early in long texts, and makes all places below character boundaries.
    if day.len() > "2024-03-01".len() || !day.is_ascii() {
        return None;
    }
    let Some(mark) = day.chars().find(|sign| !sign.is_ascii_digit()) else {
        if day.len() != 8 {
            return None;
        }
        let year = figure(&day[..4])?;
        let others = [figure(&day[4..6])? as u8, figure(&day[6..])? as u8];
        return COMPACT_YEARS.contains(&year).then_some(WrittenDate { year, year_first: true, others });
    };
    if !matches!(mark, '-' | '/' | '.') {
        return None;
    }
    let mut parts = day.split(mark);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let short = |part: &str| if part.len() <= 2 { figure(part).map(|figure| figure as u8) } else { None };
    if first.len() == 4 {
        return Some(WrittenDate { year: figure(first)?, year_first: true, others: [short(second)?, short(third)?] });
    }
    let year = match third.len() {
        4 => figure(third)?,
        // 01-02-03 could begin with its year, so between hyphens a year has four digits.
        2 if mark != '-' => figure(third).map(|year| if year < 30 { 2000 + year } else { 1900 + year })?,
        _ => return None,
    };
    Some(WrittenDate { year, year_first: false, others: [short(first)?, short(second)?] })
}

/// One to four digits and nothing else.
fn figure(part: &str) -> Option<i32> {
    let digits = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits { part.parse().ok() } else { None }
}

/// `9:05`, `09:05:00.123`, with `Z`, an offset such as `+01:00`, or `AM` and `PM`.
fn is_time(text: &str) -> bool {
    let clock_end = text.find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, ':' | '.' | ','));
    let (clock, zone) = text.split_at(clock_end.unwrap_or(text.len()));
    let below = |part: &str, limit: i32| part.len() <= 2 && figure(part).is_some_and(|figure| figure < limit);
    let mut parts = clock.split(':');
    let hours_and_minutes =
        parts.next().is_some_and(|hour| below(hour, 24)) && parts.next().is_some_and(|minute| below(minute, 60));
    let seconds = parts.next().is_none_or(|second| {
        let (second, fraction) = second.split_once(['.', ',']).unwrap_or((second, "0"));
        // 60 is a leap second.
        below(second, 61) && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
    });
    let zone = zone.trim_start();
    let offset = zone.strip_prefix(['+', '-']).is_some_and(|offset| {
        let sign = |byte: u8| byte.is_ascii_digit() || byte == b':';
        (2..=5).contains(&offset.len()) && offset.bytes().all(sign)
    });
    let known = ["", "Z", "AM", "PM"].iter().any(|known| zone.eq_ignore_ascii_case(known));
    hours_and_minutes && seconds && parts.next().is_none() && (known || offset)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::table::DictionaryBuilder;
    use crate::table::MISSING_TOKENS;

    /// A column of these cells.
    pub fn column<T: AsRef<str>>(name: &str, cells: &[T]) -> Column {
        let mut builder = DictionaryBuilder::default();
        let codes = cells.iter().map(|cell| builder.code(cell.as_ref().as_bytes()).unwrap().code).collect();
        Column::new(name.to_owned(), builder.finish(), codes, &MISSING_TOKENS.map(str::to_owned))
    }

    fn kind(cells: &[&str]) -> Kind {
        infer(&column("c", cells)).kind
    }

    use DateOrder::{DayMonthYear, MonthDayYear, YearMonthDay};

    #[test]
    fn numbers_are_read_or_left_alone() {
        let cases = [
            ("0", Some(0.0)),
            (" 42 ", Some(42.0)),
            ("-7", Some(-7.0)),
            ("3.25", Some(3.25)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("0.125", Some(0.125)),
            ("1,5", Some(1.5)),
            ("-12,25", Some(-12.25)),
            ("0,125", Some(0.125)),
            ("1e-05", Some(1e-5)),
            ("1E+05", Some(1e5)),
            ("1.5e10", Some(1.5e10)),
            ("999999999999999", Some(999_999_999_999_999.0)),
            // Thousands or decimals?
            ("1,250", None),
            ("1,250.5", None),
            ("1.250,5", None),
            ("1.250.000", None),
            ("1,", None),
            // Codes.
            ("007", None),
            ("-01", None),
            ("00", None),
            ("01.5", None),
            ("+4917012345", None),
            ("12E4", None),
            ("9999999999999999", None),
            ("1e999", None),
            ("1e+999", None),
            ("1e+", None),
            ("1e", None),
            ("e+5", None),
            // Not numbers at all.
            ("", None),
            ("-", None),
            (".", None),
            ("--1", None),
            ("1-2", None),
            ("1 000", None),
            ("12a", None),
            ("NaN", None),
            ("inf", None),
            ("infinity", None),
            ("0x1F", None),
            ("٣", None),
            ("½", None),
            ("5€", None),
            ("€5", None),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn dates_are_read_in_their_order() {
        let day = Date { year: 2024, month: 3, day: 1 }.to_days();
        let cases = [
            ("2024-03-01", YearMonthDay),
            ("2024/3/1", YearMonthDay),
            ("2024.03.01", YearMonthDay),
            ("20240301", YearMonthDay),
            (" 2024-03-01 ", YearMonthDay),
            ("2024-03-01T23:59:59Z", YearMonthDay),
            ("2024-03-01T23:59:59.123+01:00", YearMonthDay),
            ("2024-03-01 7:05", YearMonthDay),
            ("20240301 07:05", YearMonthDay),
            ("01.03.2024", DayMonthYear),
            ("1/3/2024", DayMonthYear),
            ("01-03-2024", DayMonthYear),
            ("1.3.24", DayMonthYear),
            ("1/3/2024 12:00", DayMonthYear),
            ("03/01/2024", MonthDayYear),
            ("03/01/24", MonthDayYear),
            ("3/1/2024 9:05:00 PM", MonthDayYear),
        ];
        for (text, order) in cases {
            assert_eq!(date(text, order), Some(day), "{text}");
        }
        assert_eq!(date("2024-03-01", DayMonthYear), None);
        assert_eq!(date("01.03.2024", YearMonthDay), None);
    }

    #[test]
    fn what_is_no_date() {
        let cases = [
            "",
            "2024",
            "2024-03",
            "2024-13-01",
            "2024-02-30",
            "2023-02-29",
            "1900-02-29",
            "0000-00-00",
            "2024-00-10",
            "2024-3-1-1",
            "2024-03/01",
            "2024-03-01T",
            "2024-03-01 25:00",
            "2024-03-01 10:60",
            "2024-03-01 10",
            "2024-03-01 noon",
            "2024-03-01x",
            "18491231",
            "21010101",
            "20240230",
            "2024031",
            "1-2-03",
            "1.2.3",
            "1.2.345",
            "123.1.2024",
            "1..2024",
            "//2024",
            "½.3.2024",
            "1:3:2024",
        ];
        for text in cases {
            for order in [YearMonthDay, DayMonthYear, MonthDayYear] {
                assert_eq!(date(text, order), None, "{text}");
            }
        }
        for text in ["2024-02-29", "2000-02-29", "9999-12-31", "0001-01-01"] {
            assert!(date(text, YearMonthDay).is_some(), "{text}");
        }
    }

    #[test]
    fn two_digit_years_turn_at_thirty() {
        for (text, year) in [("1.1.00", 2000), ("1.1.29", 2029), ("1.1.30", 1930), ("1.1.99", 1999)] {
            assert_eq!(date(text, DayMonthYear).map(|days| Date::from_days(days).year), Some(year), "{text}");
        }
    }

    #[test]
    fn days_and_dates_are_inverse() {
        for (text, days) in [("1970-01-01", 0), ("1969-12-31", -1), ("2000-03-01", 11_017), ("0001-01-01", -719_162)] {
            assert_eq!(date(text, YearMonthDay), Some(days));
            assert_eq!(Date::from_days(days).to_string(), text);
        }
        let mut previous = None;
        for days in Date::new(1, 1, 1).unwrap().to_days()..=Date::new(9999, 12, 31).unwrap().to_days() {
            let date = Date::from_days(days);
            assert_eq!(date.to_days(), days);
            assert_eq!(Date::new(date.year, date.month, date.day), Some(date));
            assert!(previous < Some(date));
            previous = Some(date);
        }
        for days in [i64::MIN, -400_000_000, -719_468, 400_000_000, i64::MAX] {
            let date = Date::from_days(days);
            assert!((1..=12).contains(&date.month) && (1..=31).contains(&date.day));
        }
    }

    #[test]
    fn a_kind_holds_for_all_values_or_not_at_all() {
        let cases: [(&[&str], Kind); 24] = [
            (&["1", "-2", "30"], Kind::Integer),
            (&["1", "?", "", " NA ", "2"], Kind::Integer),
            (&["1", "2.5"], Kind::Decimal),
            (&["1", "2,5"], Kind::Decimal),
            (&["1.5", "2,5"], Kind::Text),
            (&["2,5", "1,250"], Kind::Text),
            (&["1", "2", "x"], Kind::Text),
            (&["1.0", "<5"], Kind::Text),
            (&["0", "5"], Kind::Integer),
            (&["10115", "01067"], Kind::Text),
            (&["1234567890123456", "1"], Kind::Text),
            (&["", "?", "NA"], Kind::Text),
            (&[], Kind::Text),
            (&["2024-03-01", "2024-3-2"], Kind::Date(YearMonthDay)),
            (&["20240301", "19991231"], Kind::Date(YearMonthDay)),
            (&["20240301", "2024-03-01"], Kind::Date(YearMonthDay)),
            (&["20240301", "20241301"], Kind::Integer),
            (&["20240301", "1"], Kind::Integer),
            (&["2024", "2023"], Kind::Integer),
            (&["13/01/2024", "01/02/2024"], Kind::Date(DayMonthYear)),
            (&["01/13/2024", "01/02/2024"], Kind::Date(MonthDayYear)),
            (&["13/01/2024", "01/13/2024"], Kind::Text),
            (&["2024-03-01", "01.03.2024"], Kind::Text),
            (&["2024-03-01", "soon"], Kind::Text),
        ];
        for (cells, expected) in cases {
            assert_eq!(kind(cells), expected, "{cells:?}");
        }
    }

    #[test]
    fn unproved_order_of_day_and_month_is_said() {
        let cases: [(&[&str], bool); 5] = [
            (&["01/02/2024", "03.04.24"], true),
            (&["01/02/2024", "13/01/2024"], false),
            (&["01/02/2024", "01/13/2024"], false),
            (&["2024-01-02"], false),
            (&[], false),
        ];
        for (cells, ambiguous) in cases {
            assert_eq!(infer(&column("c", cells)).ambiguous_date, ambiguous, "{cells:?}");
        }
        assert_eq!(kind(&["01/02/2024"]), Kind::Date(DayMonthYear));
    }

    #[test]
    fn any_text_is_read_or_refused() {
        let signs: Vec<char> = "0123456789012-/.,:Te+ Z½é".chars().collect();
        let mut state = 1u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..200_000 {
            let text: String = (0..next(14)).map(|_| signs[next(signs.len())]).collect();
            assert!(number(&text).is_none_or(f64::is_finite), "{text}");
            for order in [YearMonthDay, DayMonthYear, MonthDayYear] {
                let read = date(&text, order).map(Date::from_days);
                assert!(read.is_none_or(|read| Date::new(read.year, read.month, read.day).is_some()), "{text}");
            }
        }
    }

    #[test]
    fn what_is_said_holds_where_every_value_fits_it() {
        use SaidKind::{Decimal, Integer, Text};
        let said = |cells: &[&str], kind| settle(&column("c", cells), Said { kind: Some(kind), decimal: None });
        let cases: [(&[&str], SaidKind, Kind); 8] = [
            (&["1", "2"], Text, Kind::Text),
            (&["1", "2"], Decimal, Kind::Decimal),
            (&["007", "+3", "-01", "NA"], Integer, Kind::Integer),
            (&["01.5", "00"], Decimal, Kind::Decimal),
            (&["01/02/2024", "03.04.24"], SaidKind::Date(Some(MonthDayYear)), Kind::Date(MonthDayYear)),
            (&["01/13/2024"], SaidKind::Date(None), Kind::Date(MonthDayYear)),
            (&["20240301", "20241301"], Integer, Kind::Integer),
            (&[], Integer, Kind::Integer),
        ];
        for (cells, kind, expected) in cases {
            let (guess, misfits) = said(cells, kind);
            assert_eq!((guess.kind, guess.said, misfits), (expected, true, None), "{cells:?}");
        }
        assert!(said(&["01/02/2024"], SaidKind::Date(None)).0.ambiguous_date);
        assert!(!said(&["01/02/2024"], SaidKind::Date(Some(DayMonthYear))).0.ambiguous_date);
        let (guess, misfits) = said(&["1", "x", "x", "2", "y", "?"], Integer);
        assert_eq!((guess.kind, guess.said, misfits), (Kind::Text, false, Some(Misfits { values: 2, rows: 3 })));
        let (guess, misfits) = said(&["13/01/2024", "01/13/2024", "01/14/2024"], SaidKind::Date(None));
        assert_eq!((guess.kind, misfits), (Kind::Text, Some(Misfits { values: 1, rows: 1 })));
        let guess = said(&["007", "+3", "5"], Integer).0;
        assert_eq!(
            ["007", "+3", "5", "-0", "x", "+"].map(|text| guess.number(text)),
            [Some(7.0), Some(3.0), Some(5.0), Some(-0.0), None, None]
        );
    }

    #[test]
    fn the_decimal_mark_decides_where_it_is_said() {
        use DecimalMark::{Comma, Point};
        let cases = [
            ("1,250", None, Some(1.25), None),
            ("1.250", Some(1.25), None, Some(1.25)),
            ("1,5", Some(1.5), Some(1.5), None),
            ("1.5", Some(1.5), None, Some(1.5)),
            ("1,5e3", None, Some(1500.0), None),
            ("-0,125", Some(-0.125), Some(-0.125), None),
            ("12", Some(12.0), Some(12.0), Some(12.0)),
            ("1e-05", Some(1e-5), Some(1e-5), Some(1e-5)),
            ("1,", None, None, None),
            ("1.250,5", None, None, None),
        ];
        for (text, unsaid, comma, point) in cases {
            let read = [None, Some(Comma), Some(Point)].map(|decimal| number_in(text, false, decimal));
            assert_eq!(read, [unsaid, comma, point], "{text}");
        }
        let comma = Said { kind: None, decimal: Some(Comma) };
        assert_eq!(settle(&column("c", &["1,250", "2"]), comma).0.kind, Kind::Decimal);
        assert_eq!(settle(&column("c", &["1.250", "2"]), comma).0.kind, Kind::Text);
    }

    #[test]
    fn kinds_are_written_in_words() {
        let guess = KindGuess { kind: Kind::Date(MonthDayYear), ambiguous_date: false, said: false, decimal: None };
        let json = r#"{"kind":{"date":"month-day-year"},"ambiguous_date":false,"said":false,"decimal":null}"#;
        assert_eq!(serde_json::to_string(&guess).unwrap(), json);
        assert_eq!(serde_json::from_str::<KindGuess>(json).unwrap(), guess);
        assert_eq!(serde_json::to_string(&Kind::Integer).unwrap(), r#""integer""#);
    }

    #[test]
    fn a_million_values_are_looked_at_in_no_time() {
        let mut cells: Vec<String> = (0..1_000_000).map(|value| value.to_string()).collect();
        assert_eq!(infer(&column("c", &cells)).kind, Kind::Integer);
        cells.push("last".into());
        assert_eq!(infer(&column("c", &cells)).kind, Kind::Text);
    }
}
