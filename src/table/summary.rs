//! What is shown of a column before anything is set up.

use serde::{Deserialize, Serialize};

use super::Column;

/// How many of the most frequent values a summary names.
const TOP: usize = 5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueCount {
    pub value: String,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnSummary {
    pub name: String,
    /// Number of different values; all missing cells together count as one.
    pub distinct: u64,
    pub missing: u64,
    /// Entropy of the column's values, in bits: how much a cell tells.
    pub entropy_bits: f64,
    /// The most frequent values, most frequent first; among equals the earlier in the file.
    pub top: Vec<ValueCount>,
}

impl ColumnSummary {
    pub fn of(column: &Column) -> Self {
        let mut codes: Vec<u32> = (0..column.dictionary.len() as u32).collect();
        let by_count = |&code: &u32| (std::cmp::Reverse(column.counts[code as usize]), code);
        if codes.len() > TOP {
            codes.select_nth_unstable_by_key(TOP - 1, by_count);
            codes.truncate(TOP);
        }
        codes.sort_unstable_by_key(by_count);
        let value_count = |code: u32| ValueCount {
            value: shortened(column.dictionary.text(code)),
            count: u64::from(column.counts[code as usize]),
        };
        ColumnSummary {
            name: column.name.clone(),
            distinct: column.distinct() as u64,
            missing: column.missing_rows(),
            entropy_bits: entropy_bits(column),
            top: codes.into_iter().map(value_count).collect(),
        }
    }
}

fn entropy_bits(column: &Column) -> f64 {
    let rows = column.codes.len() as f64;
    let share = |count: u64| {
        let share = count as f64 / rows;
        if count == 0 { 0.0 } else { -share * libm::log2(share) }
    };
    let missing = column.missing_rows();
    let present = (0..column.counts.len() as u32).filter(|code| !column.missing.contains(code));
    present.map(|code| share(u64::from(column.counts[code as usize]))).sum::<f64>() + share(missing)
}

/// A text short enough to travel and to show; a cell may be megabytes long.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
