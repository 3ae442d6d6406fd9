//! What is shown of a column before anything is set up.

use serde::{Deserialize, Serialize};

use super::{Column, Kind, KindGuess};
use crate::sorting::Sorting;

/// How many of the most frequent values a summary names.
const TOP: usize = 8;
/// How many bars a distribution has at most.
const BARS: usize = 16;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueCount {
    pub value: String,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnSummary {
    pub name: String,
    pub kind: KindGuess,
    /// Number of different values; all missing cells together count as one.
    pub distinct: u64,
    pub missing: u64,
    /// Entropy of the column's values, in bits: how much a cell tells.
    pub entropy_bits: f64,
    /// The most frequent values, most frequent first; among equals the earlier in the file.
    pub top: Vec<ValueCount>,
    pub distribution: Distribution,
}

/// A small picture of the values: a histogram of numbers and dates, or the most frequent values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Whether the bars are ranges of equal width from the least to the largest value.
    pub ordered: bool,
    pub bars: Vec<u64>,
}

impl ColumnSummary {
    pub fn of(column: &Column) -> Self {
        let kind = column.kind;
        let mut frequent = most_frequent(column, TOP.max(BARS));
        let distribution = distribution(column, &kind, &frequent);
        frequent.truncate(TOP);
        let value_count = |code: u32| ValueCount {
            value: shortened(column.dictionary.text(code)),
            count: u64::from(column.counts[code as usize]),
        };
        ColumnSummary {
            name: column.name.clone(),
            kind,
            distinct: column.distinct() as u64,
            missing: column.missing_rows(),
            entropy_bits: entropy_bits(column),
            top: frequent.into_iter().map(value_count).collect(),
            distribution,
        }
    }
}

/// The codes of the most frequent values, at most `most`.
pub fn most_frequent(column: &Column, most: usize) -> Vec<u32> {
    let mut codes: Vec<u32> = (0..column.dictionary.len() as u32).collect();
    let by_count = |&code: &u32| (std::cmp::Reverse(column.counts[code as usize]), code);
    if codes.len() > most {
        codes.select_nth_unstable_by_key(most - 1, by_count);
        codes.truncate(most);
    }
    codes.order_by_key(by_count);
    codes
}

fn distribution(column: &Column, kind: &KindGuess, frequent: &[u32]) -> Distribution {
    let place = |text: &str| match kind.kind {
        Kind::Integer | Kind::Decimal => kind.number(text),
        Kind::Date(_) => kind.date(text).map(|days| days as f64),
        Kind::Text => None,
    };
    let placed: Vec<(f64, u64)> = column
        .dictionary
        .iter()
        .zip(&column.counts)
        .filter_map(|(text, &count)| Some((place(text)?, u64::from(count))))
        .collect();
    let least = placed.iter().map(|&(value, _)| value).fold(f64::INFINITY, f64::min);
    let largest = placed.iter().map(|&(value, _)| value).fold(f64::NEG_INFINITY, f64::max);
    if placed.is_empty() || least >= largest {
        let bars = frequent.iter().take(BARS).map(|&code| u64::from(column.counts[code as usize])).collect();
        return Distribution { ordered: false, bars };
    }
    let mut bars = vec![0; BARS.min(placed.len())];
    let count_of_bars = bars.len();
    for (value, count) in placed {
        let bar = ((value - least) / (largest - least) * count_of_bars as f64) as usize;
        bars[bar.min(count_of_bars - 1)] += count;
    }
    Distribution { ordered: true, bars }
}

fn entropy_bits(column: &Column) -> f64 {
    let rows = column.codes.len() as f64;
    // Values that occur equally often are many; each count's logarithm is taken once.
    let mut last = (0, 0.0);
    let mut share = |count: u64| {
        if count != last.0 && count > 0 {
            let share = count as f64 / rows;
            last = (count, -share * libm::log2(share));
        }
        last.1
    };
    let sum: f64 = column.present().map(|code| share(u64::from(column.counts[code as usize]))).sum();
    let missing = column.missing_rows();
    let of_missing = if missing > 0 { share(missing) } else { 0.0 };
    // One value only has entropy 0; `max` would leave the sign of that zero to the platform.
    let entropy = sum + of_missing;
    if entropy > 0.0 { entropy } else { 0.0 }
}

/// A text short enough to travel and to show; a cell may be megabytes long.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
