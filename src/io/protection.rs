//! Formulas: cells that a spreadsheet would compute instead of showing get an apostrophe before them, which makes them text.
//!
//! A cell is taken for a formula if `=`, `+`, `-` or `@` (also as full-width and small signs, and the minus sign) is the
//! first thing in it that shows, whatever blanks, line breaks and invisible signs come before; and if it begins with a tab,
//! a carriage return or a line feed, which some programs drop. A plain number (`-5`, `+3.2e4`, `-1,5`) is none.
//! Where a semicolon separates cells, as in much of Europe, a spreadsheet cuts a line there whatever quotes say: each part
//! behind a semicolon is looked at like a cell of its own.
//!
//! Guarantee: what [`protected`] writes is never a formula, nor is a part of it behind a semicolon, different texts stay different, and [`bare`] gives the text
//! back: apostrophes that were there already before a formula count as part of it. Complexity: O(bytes), nearly always O(1)
//! a cell.

use std::borrow::Cow;

use crate::table::{Dictionary, DictionaryBuilder};

const MARK: char = '\'';

/// Whether a spreadsheet could take the text for a formula.
fn is_formula(text: &str) -> bool {
    // Nearly every cell begins with a letter or a figure.
    if text.as_bytes().first().is_none_or(u8::is_ascii_alphanumeric) {
        return false;
    }
    if text.starts_with(['\t', '\r', '\n']) {
        return true;
    }
    let shown = text.trim_start_matches(is_unseen);
    shown.starts_with(is_sign) && !is_plain_number(shown.trim_end())
}

/// What may stand before a sign without showing.
fn is_unseen(sign: char) -> bool {
    let format = matches!(sign, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}');
    sign.is_whitespace() || sign.is_control() || format
}

fn is_sign(sign: char) -> bool {
    matches!(sign, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '﹦' | '﹢' | '﹣' | '﹫' | '−')
}

/// A sign or none, digits with at most one mark among them, and perhaps an exponent.
fn is_plain_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let plain = match mantissa.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole.is_empty() || digits(whole)) && digits(fraction),
        None => digits(mantissa),
    };
    plain && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// Where a part of a text stands.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Whole,
    /// Before the first semicolon.
    First,
    /// Behind a semicolon.
    Behind,
}

/// Whether a part of a text is a formula but for the marks before it.
fn needs_mark(text: &str, part: Part) -> bool {
    let unmarked = text.trim_start_matches(MARK);
    match part {
        Part::Whole => is_formula(unmarked),
        // With what follows it is no plain number, where commas separate cells.
        Part::First => is_formula(&format!("{unmarked};")),
        // A quote may begin a cell there.
        Part::Behind => is_formula(unmarked.trim_start_matches('"')),
    }
}

/// The text with each part between semicolons as `change` has it.
fn by_parts<'a>(text: &'a str, change: impl Fn(&'a str, Part) -> Cow<'a, str>) -> Cow<'a, str> {
    let Some((first, rest)) = text.split_once(';') else { return change(text, Part::Whole) };
    let mut changed = change(first, Part::First).into_owned();
    for part in rest.split(';') {
        changed.push(';');
        changed += &change(part, Part::Behind);
    }
    if changed == text { Cow::Borrowed(text) } else { Cow::Owned(changed) }
}

/// The text as it can be shown in a spreadsheet.
pub fn protected(text: &str) -> Cow<'_, str> {
    by_parts(text, |text, part| match needs_mark(text, part) {
        true => Cow::Owned(format!("{MARK}{text}")),
        false => Cow::Borrowed(text),
    })
}

/// What [`protected`] was given; a text that it can't have written stays as it is.
pub fn bare(text: &str) -> Cow<'_, str> {
    by_parts(text, |text, part| {
        Cow::Borrowed(text.strip_prefix(MARK).filter(|rest| needs_mark(rest, part)).unwrap_or(text))
    })
}

/// Whether a spreadsheet could take the text, or a part of it, for a formula.
fn has_formula(text: &str) -> bool {
    is_formula(text) || text.split(';').skip(1).any(|part| is_formula(part.trim_start_matches('"')))
}

/// Takes the protection off a table that was written with it: no cell and no name of that is a formula. Other tables
/// stay as they are.
pub(super) fn take_off(columns: &mut [(String, Dictionary, Vec<u32>)]) {
    if columns.iter().any(|(name, texts, _)| has_formula(name) || texts.iter().any(has_formula)) {
        return;
    }
    for (name, texts, _) in columns {
        *name = bare(name).into_owned();
        if texts.iter().all(|text| bare(text).len() == text.len()) {
            continue;
        }
        // Different texts stay different, so every one gets the code that it had.
        let mut builder = DictionaryBuilder::default();
        if texts.iter().all(|text| builder.code(bare(text).as_bytes()).is_ok()) {
            *texts = builder.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_texts_and_numbers() {
        let formulas = [
            "=1+1",
            "+cmd",
            "-2+3",
            "@SUM(A1)",
            "=",
            "-",
            " =1+1",
            "\u{A0}=1",
            "\u{2003}\u{3000}@x",
            "\n=1",
            "\r\n=1",
            "\t=1",
            "\tx",
            "\rx",
            "\nx",
            "＝1+1",
            "＋1",
            "－1",
            "＠x",
            " ＝1",
            "\u{FEFF}=1",
            "\u{200B}=1",
            "\0=1",
            "−1+1",
            "﹦1",
            "-inf",
            "+nan",
            "-infinity",
            "-5.",
            "-5x",
            "+49 170",
            "-10 to -6",
            "- 5",
            "--5",
            "-.",
            "+e5",
            "-5e",
            "-1.2.3",
            "-0x1F",
            "=5",
            "@5",
            "\t-5",
        ];
        for text in formulas {
            assert!(is_formula(text), "{text:?}");
            let safe = protected(text);
            assert_eq!(safe, format!("'{text}"));
            assert_eq!(bare(&safe), text);
        }
        let others = [
            "", "a=b", "1+1", "5", "-5", "+3.2e4", "x", "'x", "'", "\"=1", "(=1)", " x", "[-5, 0[", " -5", "-5 ",
            "-.5", "+1,5", "-1E-05", "ä", "–5", "!=", "'' ",
        ];
        for text in others {
            assert!(!is_formula(text), "{text:?}");
            assert_eq!((protected(text).as_ref(), bare(text).as_ref()), (text, text));
        }
    }

    #[test]
    fn parts_behind_a_semicolon_are_cells_to_some() {
        for (text, safe) in [
            ("x;=1+1", "x;'=1+1"),
            ("x; =1;y;@z", "x;' =1;y;'@z"),
            ("=1;-5;=2", "'=1;-5;'=2"),
            ("x;\"=1\"", "x;'\"=1\""),
            ("x;'=1", "x;''=1"),
        ] {
            assert_eq!((protected(text).as_ref(), bare(safe).as_ref()), (safe, text));
            assert!(!has_formula(safe), "{text}");
        }
        assert_eq!(protected("a;b;-5;c=d"), "a;b;-5;c=d");
    }

    /// All texts of four signs, taken from those that matter.
    #[test]
    fn protection_is_safe_and_can_be_taken_off() {
        let signs = ['\'', '=', '-', ' ', '\n', '5', '.', 'e', ';', '＝'];
        let mut seen = std::collections::HashSet::new();
        for number in 0..10_000usize {
            let text: String = [1, 10, 100, 1000].map(|place| signs[number / place % 10]).iter().collect();
            let safe = protected(&text);
            assert!(!has_formula(&safe), "{text:?}");
            assert_eq!(bare(&safe), text);
            assert!(seen.insert(safe.into_owned()), "{text:?}");
        }
    }
}
