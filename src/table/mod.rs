//! The table as the engine holds it: columns, not rows.
//!
//! Every column is a [`Dictionary`] of its different values, in order of first appearance, and one `u32` code a row.
//! The text of a cell is never changed: what is released unrecoded is what was read.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::sorting::Sorting;

mod dictionary;
mod guess;
mod kind;
mod nearly;
mod summary;
mod view;

pub use dictionary::{BATCH, Cell, Coded, Dictionary, DictionaryBuilder, PADDING, TooManyValues};
pub use guess::{Guess, Role, Topic, guess};
pub use kind::{Date, DateOrder, DecimalMark, Kind, KindGuess, Misfits, Said, SaidKind, date, infer, number};
pub use nearly::{NearlyDates, has_written_dates, nearly_dates};
pub use summary::{ColumnSummary, Distribution, ValueCount, most_frequent, shortened};
pub use view::{Filter, Sort, View};

/// Cells with these texts (blanks around them ignored) are missing unless a person says otherwise.
pub const MISSING_TOKENS: [&str; 9] = ["", "?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan"];

/// A named, dictionary-encoded column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub dictionary: Dictionary,
    pub codes: Vec<u32>,
    /// How many rows have each code.
    pub counts: Vec<u32>,
    /// Codes whose text is one of the missing-value tokens, by text: the first stands for all where one has to, which must
    /// not be the one that the file happens to begin with. In classes and histograms they are one value.
    pub missing: Vec<u32>,
    /// These tokens, whether a row has them or not, without blanks around them.
    pub missing_tokens: Vec<String>,
    pub kind: KindGuess,
}

impl Column {
    pub fn new(name: String, dictionary: Dictionary, codes: Vec<u32>, missing_tokens: &[String]) -> Self {
        Column::read(name, dictionary, codes, missing_tokens, Said::default()).0
    }

    /// A column of which something was said, and how many values do not fit that.
    pub fn read(
        name: String,
        dictionary: Dictionary,
        codes: Vec<u32>,
        missing_tokens: &[String],
        said: Said,
    ) -> (Self, Option<Misfits>) {
        let counts = counts(&codes, dictionary.len());
        let longest = missing_tokens.iter().map(String::len).max().unwrap_or(0);
        let tokens: HashSet<&[u8]> = missing_tokens.iter().map(|token| token.as_bytes().trim_ascii()).collect();
        let is_missing = |text: &str| {
            // Nearly every value is settled by its length.
            let trimmed = text.as_bytes().trim_ascii();
            trimmed.len() <= longest && tokens.contains(trimmed)
        };
        let mut missing: Vec<u32> =
            (0..dictionary.len() as u32).filter(|&code| is_missing(dictionary.text(code))).collect();
        missing.order_by(|&one, &other| dictionary.text(one).cmp(dictionary.text(other)));
        let kind = KindGuess { kind: Kind::Text, ambiguous_date: false, said: false, decimal: None };
        let missing_tokens = missing_tokens.iter().map(|token| token.trim_ascii().to_owned()).collect();
        let mut column = Column { name, dictionary, codes, counts, missing, missing_tokens, kind };
        let misfits;
        (column.kind, misfits) = kind::settle(&column, said);
        (column, misfits)
    }

    /// Whether a text is a missing one, also where no row has it.
    pub fn is_missing_token(&self, text: &str) -> bool {
        let text = text.trim_ascii();
        self.missing_tokens.iter().any(|token| token == text)
    }

    /// The same column where these tokens, and no others, are missing cells.
    pub fn with_missing_tokens(&self, missing_tokens: &[String]) -> Column {
        let Column { name, dictionary, codes, kind, .. } = self.clone();
        Column { kind, ..Column::new(name, dictionary, codes, missing_tokens) }
    }

    /// What its kind would be if nobody had said it.
    pub fn guessed_kind(&self) -> KindGuess {
        kind::settle(self, Said { kind: None, decimal: self.kind.decimal }).0
    }

    pub fn text(&self, row: usize) -> &str {
        self.dictionary.text(self.codes[row])
    }

    /// Whether each code is a missing token: for loops over codes, as the tokens may be many.
    pub fn is_missing(&self) -> Vec<bool> {
        let mut is_missing = vec![false; self.dictionary.len()];
        for &code in &self.missing {
            is_missing[code as usize] = true;
        }
        is_missing
    }

    /// The codes of all values that are not missing, in order of appearance.
    pub fn present(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        let is_missing = self.is_missing();
        (0..is_missing.len() as u32).filter(move |&code| !is_missing[code as usize])
    }

    pub fn missing_rows(&self) -> u64 {
        self.missing.iter().map(|&code| u64::from(self.counts[code as usize])).sum()
    }

    /// The codes with all missing tokens made one, for grouping.
    pub fn class_codes(&self) -> Cow<'_, [u32]> {
        match self.missing.split_first() {
            Some((&one, rest)) if !rest.is_empty() => {
                let mut same: Vec<u32> = (0..self.dictionary.len() as u32).collect();
                rest.iter().for_each(|&code| same[code as usize] = one);
                self.codes.iter().map(|&code| same[code as usize]).collect()
            }
            _ => Cow::Borrowed(&self.codes),
        }
    }

    /// Number of different values; all missing tokens together are one.
    pub fn distinct(&self) -> usize {
        self.dictionary.len() - self.missing.len() + usize::from(!self.missing.is_empty())
    }
}

/// How often each of `values` codes comes.
fn counts(codes: &[u32], values: usize) -> Vec<u32> {
    // No value came twice.
    if values == codes.len() && (0..).zip(codes).all(|(place, &code): (u32, &u32)| code == place) {
        return vec![1; values];
    }
    let mut counts = vec![0; values];
    // Two by turns: counting the same value twice in a row would have to wait for the first.
    let mut others = vec![0; values];
    let (pairs, rest) = codes.as_chunks::<2>();
    for &[code, other] in pairs {
        counts[code as usize] += 1;
        others[other as usize] += 1;
    }
    for &code in rest {
        counts[code as usize] += 1;
    }
    for (count, other) in counts.iter_mut().zip(others) {
        *count += other;
    }
    counts
}

/// A table: columns of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: usize,
}

impl Table {
    pub fn summaries(&self) -> Vec<ColumnSummary> {
        self.columns.iter().map(ColumnSummary::of).collect()
    }
}
