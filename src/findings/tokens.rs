//! Cells that look like a missing one but were read as a value.
//!
//! Two sorts, both told by our own words for them and never by the cell's:
//! - words and signs that people write for "not known" ([`WORDS`]), whatever their case;
//! - figures that stand for a missing number or date: a run of nines that is far from all other values, a lone negative
//!   number among others that are not, nines or noughts in a column of dates.
//!
//! A run of nines of three figures and more counts where it is farther above the largest other value than that is above
//! the smallest: 9999 among years or 999 among ages, but not 999 among the numbers to 1,000. `99` counts only where all
//! others have one figure, as in questionnaires: among ages it is an age. `-1`, `-9`, `-99`, … count where nothing else is
//! below 0. Complexity: O(different values), a second look only where such a figure is among them.

use serde::{Deserialize, Serialize};

use crate::table::{Column, Kind, date, nearly_dates, number};

/// Words for "not known" that the usual missing-value tokens lack, without regard to case.
pub const WORDS: [&str; 44] = [
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
}

impl Token {
    /// Our own word for it.
    pub fn words(self) -> &'static str {
        match self {
            Token::Word(place) => WORDS[usize::from(place)],
            Token::Nines => "a run of nines",
            Token::Negative => "the only negative number",
            Token::NoDate => "a date of nines or noughts",
        }
    }
}

/// Longer texts are none of them.
const LONGEST: usize = 16;

/// What looks like a missing cell and is none, in order of appearance, with the rows that have it.
pub fn tokens(column: &Column) -> Vec<(Token, u64)> {
    let mut found: Vec<(Token, u64)> = Vec::new();
    // Figures that need a look at the other values.
    let mut figures: Vec<u32> = Vec::new();
    for code in column.present() {
        let text = column.dictionary.text(code).trim();
        if text.is_empty() || text.len() > LONGEST {
            continue;
        }
        if let Some(place) = WORDS.iter().position(|word| word.eq_ignore_ascii_case(text)) {
            add(&mut found, Token::Word(place as u8), column, code);
        } else if is_figure(text) {
            figures.push(code);
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
                add(&mut found, Token::NoDate, column, code);
            }
        }
        return found;
    }
    // They are in order.
    let is_other = |code: &u32| figures.binary_search(code).is_err();
    let others = column.present().filter(is_other);
    let others = others.filter_map(|code| number(column.dictionary.text(code)));
    let (mut count, mut least, mut largest) = (0usize, f64::INFINITY, f64::NEG_INFINITY);
    for value in others {
        (count, least, largest) = (count + 1, value.min(least), value.max(largest));
    }
    // Among texts a figure says nothing.
    if count < 2 || count * 2 < column.dictionary.len() - column.missing.len() {
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
    let of_last_year = digits == 8 && (text.starts_with("9999") || text.ends_with("9999"));
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
    }
}
