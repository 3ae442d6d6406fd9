//! The text form of a constraint: `ETH=Asian & GEN=Female: 2..5`.
//!
//! ```text
//! line   = part { "&" part } ":" bounds
//! part   = name "=" value                            a column and what it shows
//! name   = characters other than & = : " | quoted    spaces at its ends do not count, and it is never empty
//! value  = characters other than & : " | quoted      the same, and the first is no =
//! quoted = '"' { any character, '"' as '""' } '"'
//! bounds = n ".." n | n ".." | ".." n | n            n alone is exactly n
//! ```
//!
//! Guarantee: [`text`] is the exact inverse of [`parse`] for all names and values; what is wrong is told with its place in
//! the line, in characters, and never by what was typed there. Complexity: O(length of the line).

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::sorting::Sorting;

/// Some characters of a line, counted from 0; the last is not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// What is wrong with a line, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub at: Span,
    /// What is wrong: one sentence.
    pub what: String,
    /// What to do: one sentence.
    pub next: String,
}

impl Fault {
    pub fn new(at: Span, what: impl Into<String>, next: impl Into<String>) -> Fault {
        Fault { at, what: what.into(), next: next.into() }
    }

    /// The fault of the constraint at `place` of the policy.
    pub fn into_failure(self, place: usize) -> Failure {
        let Span { start, end } = self.at;
        let characters = if end > start + 1 {
            format!("characters {} to {end}", start + 1)
        } else {
            format!("character {}", start + 1)
        };
        Failure::policy(format!("The policy's diversity[{place}], {characters}: {}", self.what), self.next)
    }
}

/// A word of a line: a column's name or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub at: Span,
}

/// A line that was understood. Its columns differ, and λl ≤ λr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Columns and what they must show, as typed.
    pub parts: Vec<(Word, Word)>,
    pub least: u64,
    pub most: Option<u64>,
    /// Where the bounds stand; both are the whole if only one number is there.
    pub least_at: Span,
    pub most_at: Span,
}

/// What a line says, however it is written: columns with their values by name, and the bounds.
pub type Said = (Vec<(String, String)>, u64, Option<u64>);

impl Statement {
    pub fn said(&self) -> Said {
        let part = |(column, value): &(Word, Word)| (column.text.clone(), value.text.clone());
        let mut parts: Vec<(String, String)> = self.parts.iter().map(part).collect();
        parts.order();
        (parts, self.least, self.most)
    }
}

/// More rows than any table has: sums of bounds never overflow.
pub const MOST_BOUND: u64 = 1_000_000_000_000_000;

/// Characters that end a name, and a value, that is not in quotes.
const NAME_ENDS: &[char] = &['&', '=', ':', '"'];
const VALUE_ENDS: &[char] = &['&', ':', '"'];

pub fn parse(line: &str) -> Result<Statement, Fault> {
    let mut reader = Reader { characters: line.chars().collect(), at: 0 };
    let mut parts: Vec<(Word, Word)> = Vec::new();
    loop {
        let column = reader.word("column name", NAME_ENDS, "Write it as in: ETH=Asian: 2..5.")?;
        if reader.next() != Some('=') {
            let at = reader.here();
            return Err(Fault::new(at, "A column name must be followed by = and a value.", reader.quoting()));
        }
        reader.at += 1;
        if reader.next() == Some('=') {
            let next = "Write one =; a value that begins with another goes in double quotes.";
            return Err(Fault::new(reader.here(), "There are two = behind each other.", next));
        }
        let value = reader.word("value", VALUE_ENDS, "Write the value behind the =, or \"\" for an empty cell.")?;
        if let Some((first, _)) = parts.iter().find(|(other, _)| other.text == column.text) {
            let what = format!("The column is named before, at character {}.", first.at.start + 1);
            return Err(Fault::new(column.at, what, "Name each column once: a cell shows one value."));
        }
        parts.push((column, value));
        let next = reader.next();
        let at = reader.here();
        reader.at += 1;
        match next {
            Some('&') => {}
            Some(':') => break,
            None => return Err(Fault::new(at, "The bounds are missing.", "Add them, as in: ETH=Asian: 2..5.")),
            Some(_) => {
                let what = "A value must be followed by & and another column, or by : and the bounds.";
                return Err(Fault::new(at, what, reader.quoting()));
            }
        }
    }
    let value_at = parts.last().map(|(_, value)| value.at).unwrap_or_default();
    let (least, most) = reader.bounds(value_at)?;
    let whole = Span { start: least.1.start.min(most.1.start), end: least.1.end.max(most.1.end) };
    if let (Some(low), Some(high)) = (least.0, most.0)
        && low > high
    {
        let what = "The lower bound is more than the upper bound.";
        return Err(Fault::new(whole, what, "Write the smaller number first."));
    }
    Ok(Statement { parts, least: least.0.unwrap_or(0), most: most.0, least_at: least.1, most_at: most.1 })
}

/// The values that a line names, to call it by; nothing if it can't be read.
pub fn values(line: &str) -> Option<String> {
    let statement = parse(line).ok()?;
    let values: Vec<&str> = statement.parts.iter().map(|(_, value)| value.text.as_str()).collect();
    Some(values.join(" & "))
}

/// A constraint as text; names and values are quoted where they must be.
pub fn text<'a>(parts: impl IntoIterator<Item = (&'a str, &'a str)>, least: u64, most: Option<u64>) -> String {
    let part = |(column, value): (&str, &str)| {
        let first_equals = value.starts_with('=');
        let value = if first_equals { quoted(value) } else { word(value, VALUE_ENDS) };
        format!("{}={value}", word(column, NAME_ENDS))
    };
    let parts: Vec<String> = parts.into_iter().map(part).collect();
    let bounds = match (least, most) {
        (0, Some(most)) => format!("..{most}"),
        (least, Some(most)) => format!("{least}..{most}"),
        (least, None) => format!("{least}.."),
    };
    format!("{}: {bounds}", parts.join(" & "))
}

/// A name or value as it is written in a line.
fn word(text: &str, ends: &[char]) -> String {
    let special = |character: char| ends.contains(&character) || character.is_control();
    if text.is_empty() || text.trim() != text || text.contains(special) { quoted(text) } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A number, if there is one, and its place.
type Bound = (Option<u64>, Span);

struct Reader {
    characters: Vec<char>,
    at: usize,
}

impl Reader {
    /// The next character that is not a space.
    fn next(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|character| character.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    /// The next character's place; behind the line it is empty.
    fn here(&self) -> Span {
        Span { start: self.at, end: (self.at + 1).min(self.characters.len()).max(self.at) }
    }

    fn quoting(&self) -> &'static str {
        "Write a name with & = : or \", or a value with & : or \", in double quotes, and a quote inside as two."
    }

    fn word(&mut self, kind: &str, ends: &[char], next: &str) -> Result<Word, Fault> {
        if self.next() == Some('"') {
            return self.quoted();
        }
        let start = self.at;
        let length = self.characters[start..]
            .iter()
            .position(|character| ends.contains(character))
            .unwrap_or(self.characters.len() - start);
        self.at = start + length;
        let written: String = self.characters[start..self.at].iter().collect();
        let text = written.trim();
        if text.is_empty() {
            return Err(Fault::new(self.here(), format!("A {kind} is missing."), next));
        }
        if self.characters.get(self.at) == Some(&'"') {
            return Err(Fault::new(self.here(), format!("A quotation mark stands inside a {kind}."), self.quoting()));
        }
        Ok(Word { text: text.to_owned(), at: Span { start, end: start + text.chars().count() } })
    }

    fn quoted(&mut self) -> Result<Word, Fault> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            match (self.characters.get(self.at), self.characters.get(self.at + 1)) {
                (Some('"'), Some('"')) => {
                    text.push('"');
                    self.at += 2;
                }
                (Some('"'), _) => {
                    self.at += 1;
                    return Ok(Word { text, at: Span { start, end: self.at } });
                }
                (Some(&character), _) => {
                    text.push(character);
                    self.at += 1;
                }
                (None, _) => {
                    let at = Span { start, end: self.characters.len() };
                    let next = "Close it with another; a quote inside is written as two.";
                    return Err(Fault::new(at, "This quotation mark is not closed.", next));
                }
            }
        }
    }

    /// The bounds, which are all that is left of the line.
    fn bounds(&mut self, value_at: Span) -> Result<(Bound, Bound), Fault> {
        self.next();
        let start = self.at;
        if let Some(colon) = self.characters[start..].iter().position(|&character| character == ':') {
            let at = Span { start: value_at.start, end: start + colon + 1 };
            return Err(Fault::new(at, "There is more than one colon.", self.quoting()));
        }
        let least = self.number()?;
        let dots = self.next() == Some('.') && self.characters.get(self.at + 1) == Some(&'.');
        if !dots {
            let whole = Span { start, end: self.end() };
            return match least {
                (Some(_), at) if self.at >= self.characters.len() => Ok((least, (least.0, at))),
                _ if whole.end <= start => {
                    Err(Fault::new(self.here(), "The bounds are missing.", "Add them behind the colon, as in 2..5."))
                }
                _ => Err(Fault::new(whole, "These are no bounds.", BOUNDS)),
            };
        }
        self.at += 2;
        let most = self.number()?;
        self.next();
        let whole = Span { start, end: self.end() };
        if self.at < self.characters.len() {
            return Err(Fault::new(whole, "These are no bounds.", BOUNDS));
        }
        match (least.0, most.0) {
            (None, None) => Err(Fault::new(whole, "Neither bound has a number.", BOUNDS)),
            (Some(_), None) => Ok((least, (None, whole))),
            (None, Some(_)) => Ok(((None, whole), most)),
            (Some(_), Some(_)) => Ok((least, most)),
        }
    }

    /// Where the line ends but for spaces.
    fn end(&self) -> usize {
        let last = self.characters.iter().rposition(|character| !character.is_whitespace());
        last.map_or(0, |last| last + 1)
    }

    fn number(&mut self) -> Result<Bound, Fault> {
        self.next();
        let start = self.at;
        let mut number: Option<u64> = None;
        while let Some(digit) = self.characters.get(self.at).and_then(|character| character.to_digit(10)) {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit.into()));
            self.at += 1;
        }
        let at = Span { start, end: self.at };
        if number.is_some_and(|number| number > MOST_BOUND) {
            return Err(Fault::new(at, "This is more rows than any table has.", "Write a smaller number."));
        }
        Ok((number, at))
    }
}

const BOUNDS: &str = "Write whole numbers as in 2..5, 2.. (at least), ..5 (at most) or 3 (exactly).";

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> (Vec<(String, String)>, u64, Option<u64>) {
        let statement = parse(line).unwrap_or_else(|fault| panic!("{line}: {fault:?}"));
        let words = statement.parts.into_iter().map(|(column, value)| (column.text, value.text)).collect();
        (words, statement.least, statement.most)
    }

    #[test]
    fn lines_are_understood() {
        let of = |words: &[(&str, &str)]| words.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect::<Vec<_>>();
        let cases = [
            ("ETH=Asian & GEN=Female: 2..5", of(&[("ETH", "Asian"), ("GEN", "Female")]), 2, Some(5)),
            ("ETH=Asian:..5", of(&[("ETH", "Asian")]), 0, Some(5)),
            (" ETH = Asian : 2.. ", of(&[("ETH", "Asian")]), 2, None),
            ("ETH=Asian: 2 .. 5", of(&[("ETH", "Asian")]), 2, Some(5)),
            ("ETH=Asian: 3", of(&[("ETH", "Asian")]), 3, Some(3)),
            ("ETH=Asian: 0..", of(&[("ETH", "Asian")]), 0, None),
            ("marital status=Never married: 2..2", of(&[("marital status", "Never married")]), 2, Some(2)),
            ("age=20..39: 1..", of(&[("age", "20..39")]), 1, None),
            (r#""a & b"="x: ""y""" & c="": 1.."#, of(&[("a & b", "x: \"y\""), ("c", "")]), 1, None),
            ("sex=\" Female\": 1..", of(&[("sex", " Female")]), 1, None),
            ("salary=<=50K: 1..", of(&[("salary", "<=50K")]), 1, None),
            ("a=\"=b\": 1..", of(&[("a", "=b")]), 1, None),
            ("città=Zürich: ..7", of(&[("città", "Zürich")]), 0, Some(7)),
        ];
        for (line, words, least, most) in cases {
            assert_eq!(parts(line), (words, least, most), "{line}");
        }
    }

    #[test]
    fn faults_have_their_places() {
        // The place is marked by the second line's carets; none is the end of the line.
        let cases = [
            ("", "", "column name is missing"),
            ("ETH", "", "followed by ="),
            ("ETH: 2..5", "   ^", "followed by ="),
            ("=Asian: 2..5", "^", "column name is missing"),
            ("ETH=: 2..5", "    ^", "value is missing"),
            ("ETH=Asian", "", "bounds are missing"),
            ("ETH=Asian:", "", "bounds are missing"),
            ("ETH=Asian & : 2..5", "            ^", "column name is missing"),
            ("ETH==Asian: 2..5", "    ^", "two ="),
            ("ETH=\"Asian\"=x: 2..5", "           ^", "followed by &"),
            ("ETH=\"Asian\" x: 2..5", "            ^", "followed by &"),
            ("ETH=\"Asian: 2..5", "    ^^^^^^^^^^^^", "not closed"),
            ("ETH=As\"ian: 2..5", "      ^", "quotation mark stands inside a value"),
            ("ETH=Asian & ETH=African: 2..5", "            ^^^", "named before, at character 1"),
            ("ETH=Asian: 5..2", "           ^^^^", "lower bound is more"),
            ("ETH=Asian: ..", "           ^^", "Neither bound"),
            ("ETH=Asian: 2-5", "           ^^^", "no bounds"),
            ("ETH=Asian: 2...5", "           ^^^^^", "no bounds"),
            ("ETH=Asian: two", "           ^^^", "no bounds"),
            ("ETH=Asian: -2..5", "           ^^^^^", "no bounds"),
            ("ETH=Asian: 2.5", "           ^^^", "no bounds"),
            ("ETH=Asian: 1,000..", "           ^^^^^^^", "no bounds"),
            ("time=10:30: 2..", "     ^^^^^^", "more than one colon"),
            ("ETH=Asian: 1000000000000001..", "           ^^^^^^^^^^^^^^^^", "more rows than any table"),
            ("ETH=Asian: 99999999999999999999999..", "           ^^^^^^^^^^^^^^^^^^^^^^^", "more rows than any"),
            ("çà=é & çà=é: 1", "       ^^", "named before"),
        ];
        for (line, marks, what) in cases {
            let fault = parse(line).unwrap_err();
            assert!(fault.what.contains(what), "{line}: {fault:?}");
            let length = line.chars().count();
            let start = marks.find('^').unwrap_or(length);
            let end = if marks.is_empty() { length } else { marks.chars().count() };
            assert_eq!(fault.at, Span { start, end }, "{line}: {fault:?}");
            assert!(fault.what.ends_with('.') && fault.next.ends_with('.'), "{fault:?}");
        }
    }

    #[test]
    fn a_failure_says_the_place_and_not_the_text() {
        let failure = parse("ETH=Asian & ETH=African: 2..5").unwrap_err().into_failure(3);
        assert!(failure.what.starts_with("The policy's diversity[3], characters 13 to 15: "), "{failure}");
        assert!(!failure.to_string().contains("Asian"));
        let failure = parse("ETH=Asian").unwrap_err().into_failure(0);
        assert!(failure.what.contains("character 10:"), "{failure}");
    }
}
