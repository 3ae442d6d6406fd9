//! How exposed rows are: the sizes of their classes on the quasi-identifiers, and the one reading of a threshold of risk.
//!
//! The risk of a row is 1 ÷ the rows of its class. A threshold r allows classes of at least ⌈1/r⌉ rows: all that counts
//! rows above a threshold, or says which classes are large enough, asks [`smallest_class`]. For 0.09 that is 12, since
//! 1/11 is 0.0909…; the agencies that use 0.09 take 11 in practice, so both are shown, with [`IN_PRACTICE`] beside them.

use serde::{Deserialize, Serialize};

use super::Classes;

/// The threshold usual for public release of health data.
pub const PUBLIC: f64 = 0.09;
/// The smallest class that is taken for [`PUBLIC`] in practice.
pub const TAKEN_FOR_PUBLIC: u32 = 11;
/// Stands wherever a figure for the threshold stands.
pub const IN_PRACTICE: &str = "A risk of at most 0.09 needs classes of at least 12 records, because 1 ÷ 11 is 0.0909…; EMA \
                               Policy 0070 and Health Canada use 0.09 and in practice take classes of at least 11.";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    pub rows: u64,
    pub classes: u64,
    /// Rows that are the only one of their kind.
    pub unique: u64,
    pub below_5: u64,
    /// Rows in classes smaller than what is taken for 0.09 in practice.
    pub below_11: u64,
    /// Rows whose risk is above 0.09.
    pub above_public: u64,
}

impl Risk {
    pub fn of(classes: &Classes) -> Self {
        Risk {
            rows: classes.of_row.len() as u64,
            classes: classes.sizes.len() as u64,
            unique: classes.rows_in_classes_below(2),
            below_5: classes.rows_in_classes_below(5),
            below_11: classes.rows_in_classes_below(TAKEN_FOR_PUBLIC),
            above_public: classes.rows_above(PUBLIC),
        }
    }
}

/// ⌈1/r⌉: how many rows a class needs so that none of them has a risk above `threshold`. No class is large enough for 0,
/// and any is for 1. A threshold that was written as 1/n, or as a decimal of up to eight digits, is taken as what was
/// written, although 1/r may come out a hair above a whole number.
pub fn smallest_class(threshold: f64) -> u32 {
    let rows = 1.0 / threshold;
    if rows.is_nan() || rows < 0.0 {
        return u32::MAX;
    }
    let near = libm::round(rows);
    let whole = if (rows - near).abs() <= 1e-9 * near { near } else { libm::ceil(rows) };
    // Too large a number becomes the largest.
    (whole as u32).max(1)
}
