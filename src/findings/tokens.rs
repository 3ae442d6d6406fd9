//! Cells that look like a missing one but were read as a value.
//!
//! Two sorts, both told by our own words for them and never by the cell's:
//! - words and signs that people write for "not known" ([`WORDS`]), whatever their case;
//! - figures that stand for a missing number or date: a run of nines that is far from all other values, a lone negative
//!   number among others that are not, nines, noughts or a negative number in a column of dates.
//!
//! A run of nines of three figures and more counts where it is farther above the largest other value than that is above
//! the smallest: 9999 among years or 999 among ages, but not 999 among the numbers to 1,000. `99` counts only where all
//! others have one figure, as in questionnaires: among ages it is an age. Among texts, four nines and more count. `-1`, `-9`, `-99`, … count where nothing else is
//! below 0. Complexity: O(different values), a second look only where such a figure is among them.

use serde::{Deserialize, Serialize};

use crate::table::{Column, Kind, date, nearly_dates, number};

/// Words for "not known" that the usual missing-value tokens lack, without regard to case.
pub const WORDS: [&str; 50] = [
    "na",
    "n/a",
    "n.a.",
    "n. a.",
    "n.a",
    "#n/a",
    "null",
    "nan",
    "nil",
    "k.a.",
    "k. a.",
    "k.a",
    "k/a",
    "ka.",
    "o.a.",
    "-",
    "--",
    "---",
    "–",
    "—",
    ".",
    "..",
    "...",
    "*",
    "?",
    "??",
    "???",
    "unknown",
    "unk",
    "not known",
    "unbekannt",
    "inconnu",
    "desconocido",
    "keine angabe",
    "missing",
    "fehlt",
    "fehlend",
    "not available",
    "not applicable",
    "not reported",
    "not stated",
    "no data",
    "(blank)",
    "(missing)",
    "nicht angegeben",
    "refused",
    "xxx",
    "#null!",
    "\\n",
    "unk.",
];

/// What a cell looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Token {
    /// By its place in [`WORDS`].
    Word(u8),
    /// A run of nines.
    Nines,
    /// A negative number where there is no other.
    Negative,
    /// A date of nines or noughts.
    NoDate,
    /// A negative number among dates.
    NoDateNegative,
}

impl Token {
    /// Our own word for it.
    pub fn words(self) -> &'static str {
        match self {
            Token::Word(place) => WORDS[usize::from(place)],
            Token::Nines => "a run of nines",
            Token::Negative => "the only negative number",
            Token::NoDate => "a date of nines or noughts",
            Token::NoDateNegative => "a negative number among dates",
        }
    }
}

/// A run of as many nines is told among texts, too.
const NINES_AMONG_TEXTS: usize = 4;

/// Longer texts are none of them.
const LONGEST: usize = 16;

/// What looks like a missing cell and is none, in order of appearance, with the rows that have it.
pub fn tokens(column: &Column) -> Vec<(Token, u64)> {
    let mut found: Vec<(Token, u64)> = Vec::new();
    // Figures that need a look at the other values; for each code whether it is one, or missing.
    let mut figures: Vec<u32> = Vec::new();
    let mut set_aside = vec![false; column.dictionary.len()];
    column.missing.iter().for_each(|&code| set_aside[code as usize] = true);
    for (code, text) in (0u32..).zip(column.dictionary.iter()) {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST || set_aside[code as usize] {
            continue;
        }
        if let Some(place) = WORDS.iter().position(|word| word.eq_ignore_ascii_case(text)) {
            add(&mut found, Token::Word(place as u8), column, code);
        } else if is_figure(text) {
            figures.push(code);
            set_aside[code as usize] = true;
        }
    }
    if figures.is_empty() {
        return found;
    }
    let dates = match column.kind.kind {
        Kind::Date(order) => Some(order),
        Kind::Text => nearly_dates(column).map(|dates| dates.order),
        _ => None,
    };
    if let Some(order) = dates {
        let last_year = date("9999-01-01", crate::table::DateOrder::YearMonthDay).unwrap_or(i64::MAX);
        for &code in &figures {
            // A date that is read as one counts only if it is of the year 9999.
            if date(column.dictionary.text(code), order).is_none_or(|days| days >= last_year) {
                let negative = column.dictionary.text(code).trim().starts_with('-');
                add(&mut found, if negative { Token::NoDateNegative } else { Token::NoDate }, column, code);
            }
        }
        return found;
    }
    let others = (0..column.dictionary.len() as u32).filter(|&code| !set_aside[code as usize]);
    let others = others.filter_map(|code| number(column.dictionary.text(code)));
    let (mut count, mut least, mut largest) = (0usize, f64::INFINITY, f64::NEG_INFINITY);
    for value in others {
        (count, least, largest) = (count + 1, value.min(least), value.max(largest));
    }
    let distinct = column.dictionary.len() - column.missing.len();
    if count < 2 || count * 2 < distinct {
        // Among texts few figures say anything.
        let is_nines = |code: &u32| {
            let text = column.dictionary.text(*code).trim();
            text.len() >= NINES_AMONG_TEXTS && text.bytes().all(|byte| byte == b'9')
        };
        if distinct > 2 {
            figures.iter().filter(|code| is_nines(code)).for_each(|&code| add(&mut found, Token::Nines, column, code));
        }
        return found;
    }
    for &code in &figures {
        let text = column.dictionary.text(code).trim();
        let Some(value) = number(text) else { continue };
        if text.starts_with('-') {
            if least >= 0.0 {
                add(&mut found, Token::Negative, column, code);
            }
        } else if text.len() == 2 && largest < 10.0 || text.len() > 2 && value - largest > largest - least {
            add(&mut found, Token::Nines, column, code);
        }
    }
    found
}

fn add(found: &mut Vec<(Token, u64)>, token: Token, column: &Column, code: u32) {
    let rows = u64::from(column.counts[code as usize]);
    match found.iter_mut().find(|(other, _)| *other == token) {
        Some((_, before)) => *before += rows,
        None => found.push((token, rows)),
    }
}

/// Nines, perhaps negative; -1; nines or noughts as they would stand in a date; or a date of the year 9999.
fn is_figure(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !matches!(bytes[0], b'9' | b'0' | b'-' | b'3') {
        return false;
    }
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let only = |digit: u8| bytes.iter().all(|&byte| byte == digit || b"-./".contains(&byte));
    let nines = bytes.strip_prefix(b"-").unwrap_or(bytes).iter().all(|&byte| byte == b'9');
    let separated = bytes.iter().all(|byte| byte.is_ascii_digit() || b"-./".contains(byte));
    let of_last_year = separated && digits == 8 && (text.starts_with("9999") || text.ends_with("9999"));
    text == "-1"
        || (nines && (digits >= 2 || bytes[0] == b'-'))
        || ((only(b'9') || only(b'0')) && digits >= 4)
        || of_last_year
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::DictionaryBuilder;
    use crate::table::MISSING_TOKENS;

    fn found(cells: &[&str]) -> Vec<(&'static str, u64)> {
        let mut builder = DictionaryBuilder::default();
        let codes = cells.iter().map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
        let column = Column::new("c".into(), builder.finish(), codes, &MISSING_TOKENS.map(str::to_owned));
        tokens(&column).into_iter().map(|(token, rows)| (token.words(), rows)).collect()
    }

    #[test]
    fn words_for_not_known_are_found_whatever_their_case() {
        assert_eq!(found(&["a", "k.A.", "b", "k.A.", "K.a.", "-"]), [("k.a.", 3), ("-", 1)]);
        assert_eq!(found(&["flu", " Unknown ", "na"]), [("unknown", 1), ("na", 1)]);
        // Read as missing already, or a value.
        assert_eq!(found(&["NA", "", "?", "none", "other", "no", "x", "- -"]), []);
    }

    #[test]
    fn nines_are_found_where_they_are_far_from_all_others() {
        assert_eq!(found(&["21", "57", "100", "999", "999"]), [("a run of nines", 2)]);
        assert_eq!(found(&["1990", "2020", "9999"]), [("a run of nines", 1)]);
        assert_eq!(found(&["1", "2", "5", "99"]), [("a run of nines", 1)]);
        assert_eq!(found(&["flu", "cold", "9999", "gout"]), [("a run of nines", 1)]);
        for usual in
            [&["21", "57", "99"][..], &["1", "500", "999"], &["9", "10", "11"], &["99"], &["x", "y", "z", "999"]]
        {
            assert_eq!(found(usual), [], "{usual:?}");
        }
    }

    #[test]
    fn a_lone_negative_number_is_found() {
        assert_eq!(found(&["3", "0", "-1", "-9"]), [("the only negative number", 2)]);
        assert_eq!(found(&["3", "-2", "-1", "-9"]), []);
    }

    #[test]
    fn dates_that_are_none_are_found() {
        assert_eq!(found(&["2024-01-02", "2024-03-04", "9999-12-31"]), [("a date of nines or noughts", 1)]);
        assert_eq!(found(&["01.02.2024", "03.04.2024", "31.12.9999"]), [("a date of nines or noughts", 1)]);
        assert_eq!(found(&["2024-01-02", "2024-03-04", "9999", "0000-00-00"]), [("a date of nines or noughts", 2)]);
        assert_eq!(found(&["1999-09-09", "2024-03-04"]), []);
        assert_eq!(found(&["2024-01-02", "2024-03-04", "-1"]), [("a negative number among dates", 1)]);
        assert_eq!(found(&["2024-01-02", "2024-03-04", "9999-AB-1234", "9999 12 31"]), []);
    }

    /// Numbers that begin or end as the year 9999 does: many figures, and each is looked at once.
    #[test]
    fn many_figures_take_no_time() {
        let started = std::time::Instant::now();
        let letter = |row: u32| char::from(b'A' + (row / 10_000 % 25) as u8);
        let letters = |row: u32| format!("9999-{}{}-{:04}", letter(row), letter(row / 25), row % 10_000);
        let sign = |row: u32| ["", "-", ".", "/"][(row % 4) as usize];
        let digits = |row: u32| {
            let number = row % 10_000;
            let (one, other) = (sign(row / 10_000), sign(row / 40_000));
            format!("9999{one}{:02}{other}{:02}", number / 100, number % 100)
        };
        for ids in [(0..500_000).map(letters).collect::<Vec<_>>(), (0..160_000).map(digits).collect()] {
            let cells: Vec<&str> = ids.iter().map(String::as_str).collect();
            assert!(found(&cells).len() < 3);
        }
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }
}
