//! What a cell's text says, as far as the builders need it: a number, a date, its natural order, its folded spelling.

use std::cmp::Ordering;

use crate::table::{self, Column, DecimalMark, Kind};

/// A finite number, blanks around it ignored.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    // `inf` and `nan` parse, too.
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The number that a cell of the column says, by the column's kind; of other columns what looks like one.
pub fn number_of(column: &Column, text: &str) -> Option<f64> {
    match column.kind.kind {
        Kind::Integer | Kind::Decimal => column.kind.number(text),
        _ if column.kind.decimal == Some(DecimalMark::Comma) => column.kind.number(text),
        _ => number(text),
    }
}

/// The day that a cell of the column says, by the column's kind; of other columns what looks like one.
pub fn date_of(column: &Column, text: &str) -> Option<Date> {
    match column.kind.kind {
        Kind::Date(_) => {
            let table::Date { year, month, day } = table::Date::from_days(column.kind.date(text)?);
            Some(Date { year: u16::try_from(year).ok()?, month, day })
        }
        _ => date(text),
    }
}

/// Whether a number is whole and small enough to be counted exactly.
pub fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 9e15
}

/// A day of the calendar. The order of fields is the order of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: u16,
    pub month: u8,
    pub day: u8,
}

/// `yyyy-mm-dd`, `dd.mm.yyyy` or `dd/mm/yyyy`, perhaps with a time behind.
pub fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    let day = text.split_once(['T', ' ']).map_or(text, |(day, _)| day);
    let separator = ['-', '.', '/'].into_iter().find(|&separator| day.contains(separator))?;
    let mut parts = day.split(separator);
    let parts = [parts.next()?, parts.next()?, parts.next().filter(|_| parts.next().is_none())?];
    let [year, month, day] = match separator {
        '-' => parts,
        _ => [parts[2], parts[1], parts[0]],
    };
    let figure = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
        let digits = lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| digits)
    };
    let (year, month, day) = (figure(year, 4..=4)?, figure(month, 1..=2)?, figure(day, 1..=2)?);
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(Date { year, month: month as u8, day: day as u8 })
}

/// Where a text stands among others: numbers by size, then texts by bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Natural<'a>(Option<f64>, &'a str);

impl<'a> Natural<'a> {
    /// Days are numbers, too.
    pub fn in_column(column: &Column, text: &'a str) -> Self {
        let number = match column.kind.kind {
            Kind::Date(_) => column.kind.date(text).map(|days| days as f64),
            _ => number_of(column, text),
        };
        Natural(number, text)
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        let by_kind = match (self.0, other.0) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        by_kind.then_with(|| self.1.cmp(other.1))
    }
}

/// A letter without its accent, for the letters of European languages; others as they are.
pub fn without_accent(letter: char) -> char {
    const FOLDED: [(char, &str); 26] = [
        ('a', "àáâãäåāăąǎ"),
        ('A', "ÀÁÂÃÄÅĀĂĄǍ"),
        ('c', "çćĉċč"),
        ('C', "ÇĆĈĊČ"),
        ('d', "ďđ"),
        ('D', "ĎĐ"),
        ('e', "èéêëēĕėęě"),
        ('E', "ÈÉÊËĒĔĖĘĚ"),
        ('g', "ĝğġģ"),
        ('G', "ĜĞĠĢ"),
        ('i', "ìíîïĩīĭįı"),
        ('I', "ÌÍÎÏĨĪĬĮİ"),
        ('l', "ĺļľł"),
        ('L', "ĹĻĽŁ"),
        ('n', "ñńņň"),
        ('N', "ÑŃŅŇ"),
        ('o', "òóôõöøōŏő"),
        ('O', "ÒÓÔÕÖØŌŎŐ"),
        ('r', "ŕř"),
        ('R', "ŔŘ"),
        ('s', "śŝşšș"),
        ('S', "ŚŜŞŠȘ"),
        ('u', "ùúûüũūŭůűų"),
        ('U', "ÙÚÛÜŨŪŬŮŰŲ"),
        ('z', "źżž"),
        ('Z', "ŹŻŽ"),
    ];
    if letter.is_ascii() {
        return letter;
    }
    FOLDED.iter().find(|(_, accented)| accented.contains(letter)).map_or(letter, |&(plain, _)| plain)
}

/// Spellings that differ only in case, blanks and accents have one folded spelling.
pub fn folded(text: &str) -> String {
    // A combining accent is dropped: the letter before it is then the plain one.
    let kept = |letter: &char| !letter.is_whitespace() && !('\u{300}'..='\u{36F}').contains(letter);
    text.chars().filter(kept).map(without_accent).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let day = |year, month, day| Some(Date { year, month, day });
        assert_eq!(date("2024-02-29"), day(2024, 2, 29));
        assert_eq!(date(" 1.2.1999 "), day(1999, 2, 1));
        assert_eq!(date("31/12/2020"), day(2020, 12, 31));
        assert_eq!(date("2020-05-06T07:08:09Z"), day(2020, 5, 6));
        for no in ["2023-02-29", "2020-13-01", "2020-1", "20-24", "1.5", "a-b-c", "", "2020-01-01-01", "+020-01-01"] {
            assert_eq!(date(no), None, "{no}");
        }
    }

    #[test]
    fn folding() {
        assert_eq!(folded("  Île de France"), folded("ile De france "));
        assert_eq!(folded("Zu\u{308}rich"), folded("ZÜRICH"));
        assert_ne!(folded("20-24"), folded("2024"));
    }

    #[test]
    fn order() {
        let mut texts = ["b", "10", "9", "09", "-1", "a"];
        texts.sort_by(|one, other| Natural(number(one), one).compare(&Natural(number(other), other)));
        assert_eq!(texts, ["-1", "09", "9", "10", "a", "b"]);
    }
}
