//! What cells say without a hierarchy: intervals, comparisons, masks and sets.

use super::{Cell, Cover, Interval, Reader, Value, figure};
use crate::table::{Date, date};

pub enum Read {
    Cover(Cover),
    /// No notation: a value.
    Plain,
    /// It begins like a notation and does not end like one.
    Broken,
}

pub fn read(reader: &Reader, text: &str) -> Read {
    if !text.is_empty() && text.bytes().all(|byte| byte == b'*') {
        return Read::Cover(Cover::Everything);
    }
    if text.starts_with('{') || text.ends_with('}') {
        return set(reader, text);
    }
    match reader.value(text) {
        Value::Number(number) => return Read::Cover(Cover::Exactly(Value::Number(number))),
        Value::Missing => return Read::Cover(Cover::Exactly(Value::Missing)),
        Value::Text(_) => {}
    }
    if let Some(read) = comparison(reader, text) {
        return read;
    }
    if text.starts_with(['[', '(', ']']) {
        return bracketed(reader, text);
    }
    if text.contains('*') {
        return mask(text);
    }
    if let Some(interval) = bounds(reader, text, true) {
        return Read::Cover(Cover::Between(interval));
    }
    if let Some((low, high)) = span(reader, text) {
        return Read::Cover(Cover::Between(Interval::closed(low, high)));
    }
    alternatives(reader, text)
}

/// A number, or in a column of dates a day, month, quarter or year: its first and last number.
fn span(reader: &Reader, text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let Some(order) = reader.dates else { return figure(text).map(|number| (number, number)) };
    if let Some(days) = date(text, order) {
        return Some((days as f64, days as f64));
    }
    let year = || (text.len() == 4).then(|| figure(text)).flatten().map(|year| (year as i32, 1, 12));
    let (year, first, last) = month(text).or_else(|| quarter(text)).or_else(year)?;
    let start = Date::new(year, first, 1)?.to_days();
    let end = if last == 12 { Date::new(year, 12, 31)?.to_days() } else { Date::new(year, last + 1, 1)?.to_days() - 1 };
    Some((start as f64, end as f64))
}

/// `2024-05`: year, first and last month.
pub fn month(text: &str) -> Option<(i32, u8, u8)> {
    let (year, month) = year_and(text)?;
    let digits = month.len() == 2 && month.bytes().all(|byte| byte.is_ascii_digit());
    let month: u8 = month.parse().ok().filter(|month| digits && (1..=12).contains(month))?;
    Some((year, month, month))
}

/// `2024-Q2`.
pub fn quarter(text: &str) -> Option<(i32, u8, u8)> {
    let (year, quarter) = year_and(text)?;
    let quarter: u8 = quarter.strip_prefix(['Q', 'q'])?.parse().ok().filter(|quarter| (1..=4).contains(quarter))?;
    Some((year, quarter * 3 - 2, quarter * 3))
}

fn year_and(text: &str) -> Option<(i32, &str)> {
    let (year, rest) = text.split_once('-')?;
    let digits = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    let year = year.parse().ok().filter(|year| digits && *year >= 1000)?;
    Some((year, rest))
}

/// `>=40`, `< 20`, `40+`.
fn comparison(reader: &Reader, text: &str) -> Option<Read> {
    const SIGNS: [(&str, bool, bool); 6] = [
        (">=", true, true),
        ("≥", true, true),
        ("<=", false, true),
        ("≤", false, true),
        (">", true, false),
        ("<", false, false),
    ];
    let signed = SIGNS.iter().find_map(|&(sign, above, included)| Some((text.strip_prefix(sign)?, above, included)));
    let (bound, above, included) = match signed {
        Some(parts) => parts,
        None => {
            let bound = text.strip_suffix('+').filter(|bound| span(reader, bound).is_some())?;
            (bound, true, true)
        }
    };
    let Some((low, high)) = span(reader, bound) else { return Some(Read::Broken) };
    // More than 2024 is after its last day.
    let interval = match (above, included) {
        (true, true) => Interval { low, low_in: true, high: f64::INFINITY, high_in: false },
        (true, false) => Interval { low: high, low_in: false, high: f64::INFINITY, high_in: false },
        (false, true) => Interval { low: f64::NEG_INFINITY, low_in: false, high, high_in: true },
        (false, false) => Interval { low: f64::NEG_INFINITY, low_in: false, high: low, high_in: false },
    };
    Some(Read::Cover(Cover::Between(interval)))
}

/// `[20-29]`, `[20, 30[`, `(20,30]`. Other words in brackets are values, but not where a number is among them.
fn bracketed(reader: &Reader, text: &str) -> Read {
    let (Some(open), Some(close)) = (text.chars().next(), text.chars().last()) else { return Read::Plain };
    let inner = text.get(1..text.len() - 1).filter(|_| text.len() > 2 && matches!(close, ']' | ')' | '['));
    match inner.and_then(|inner| bounds(reader, inner, false)) {
        Some(closed) => {
            let interval = Interval { low_in: open == '[', high_in: close == ']', ..closed };
            let empty = interval.low == interval.high && !(interval.low_in && interval.high_in);
            if empty { Read::Broken } else { Read::Cover(Cover::Between(interval)) }
        }
        None if open == '(' && !text.bytes().any(|byte| byte.is_ascii_digit()) => Read::Plain,
        None => Read::Broken,
    }
}

/// Two bounds and what may stand between them; the closed interval, which must not be empty.
fn bounds(reader: &Reader, text: &str, bare: bool) -> Option<Interval> {
    // A bare `1,5` is a number elsewhere.
    let separators: &[&str] =
        if bare { &["..", " to ", "~", "–", "-"] } else { &["..", " to ", "~", ";", ", ", ",", "–", "-"] };
    separators.iter().find_map(|separator| {
        text.match_indices(separator).find_map(|(place, _)| {
            let ((low, _), (_, high)) =
                (span(reader, &text[..place])?, span(reader, &text[place + separator.len()..])?);
            (low <= high).then(|| Interval::closed(low, high))
        })
    })
}

/// `1305*`: behind figures each star is a digit; behind other texts one star is any ending, and more are as many
/// characters at most.
fn mask(text: &str) -> Read {
    let prefix = text.trim_end_matches('*');
    let stars = text.len() - prefix.len();
    if prefix.contains('*') || stars == 0 {
        return Read::Broken;
    }
    let digits = prefix.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(shown) = figure(prefix).filter(|_| digits && text.len() <= 15) {
        let unit = libm::pow(10.0, stars as f64);
        let interval = Interval { low: shown * unit, low_in: true, high: (shown + 1.0) * unit, high_in: false };
        return Read::Cover(Cover::Between(interval));
    }
    let longest = (stars > 1).then(|| prefix.chars().count() + stars);
    Read::Cover(Cover::Prefix { prefix: prefix.to_owned(), longest })
}

/// `{a,b}`; a part with a comma in it is in quotes.
fn set(reader: &Reader, text: &str) -> Read {
    let Some(inner) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return Read::Broken };
    match parts(inner) {
        Some(parts) => any_of(reader, parts.iter().map(|(part, quoted)| (part.as_str(), *quoted))),
        None => Read::Broken,
    }
}

/// `a or b`, `a~b`, `a … b`.
fn alternatives(reader: &Reader, text: &str) -> Read {
    for separator in [" or ", "~"] {
        if text.contains(separator) && text.split(separator).all(|part| !part.trim().is_empty()) {
            return any_of(reader, text.split(separator).map(|part| (part, false)));
        }
    }
    if let Some((first, last)) = text.split_once(" … ").filter(|(first, last)| first <= last) {
        let last = last.strip_suffix('…').map_or_else(|| last.to_owned(), |shown| format!("{shown}\u{10FFFF}"));
        return Read::Cover(Cover::Texts { first: first.trim_end_matches('…').to_owned(), last });
    }
    let unfinished =
        ["-", "..", "~"].iter().any(|end| text.strip_suffix(end).is_some_and(|rest| span(reader, rest).is_some()));
    if unfinished { Read::Broken } else { Read::Plain }
}

/// A part in quotes is a value, whatever it looks like.
fn any_of<'t>(reader: &Reader, parts: impl Iterator<Item = (&'t str, bool)>) -> Read {
    let mut cells: Vec<Cell> = Vec::new();
    for (part, quoted) in parts {
        let text = part.trim();
        // Sets in sets would be a notation that nobody writes.
        let nested = text.starts_with('{') || text.contains(" or ");
        let value = || Cell { text: text.to_owned(), cover: Cover::Exactly(reader.value(text)) };
        match if quoted { Some(value()) } else { reader.read(text).filter(|_| !nested) } {
            Some(cell) => cells.push(cell),
            None => return Read::Broken,
        }
    }
    if cells.is_empty() { Read::Broken } else { Read::Cover(Cover::AnyOf(cells)) }
}

/// The parts between commas, and whether each is in quotes (doubled inside), which keep a comma. `None` when a quote is
/// left open.
fn parts(inner: &str) -> Option<Vec<(String, bool)>> {
    let mut parts = vec![(String::new(), false)];
    let mut letters = inner.chars().peekable();
    let mut open = false;
    while let Some(letter) = letters.next() {
        let (part, quoted) = parts.last_mut()?;
        match letter {
            '"' if open && letters.next_if_eq(&'"').is_some() => part.push('"'),
            '"' if open => open = false,
            '"' if part.trim().is_empty() => (open, *quoted) = (true, true),
            ',' if !open => parts.push((String::new(), false)),
            _ => part.push(letter),
        }
    }
    (!open && !inner.trim().is_empty()).then_some(parts)
}
