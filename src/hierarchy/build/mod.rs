//! Builders: a hierarchy from a column's values and a recipe.
//!
//! Guarantees, for any recipe and any texts: the leaves are exactly the column's different texts; a label stands for
//! one set of leaves (one already taken gets ` (group)` behind); all values that a recipe can place stand equally deep,
//! so that a level is one rule. Missing values, and values that a recipe can't place (text among numbers), stand
//! directly under the root. A group that would only repeat its single value is left out.
//! Complexity: O(n log n) for n different values, times the number of levels.

mod assemble;
mod by_text;
mod dates;
mod numbers;
mod suggest;

use serde::{Deserialize, Serialize};

use super::tree::Hierarchy;
use crate::table::Column;

pub use dates::DateLevel;
pub use suggest::suggest;

/// How a hierarchy is built. It is part of the policy, so it can be applied to other data of the same kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
// Tagged from outside: a tag inside can't be read back by postcard, which the protocol speaks.
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Recipe {
    /// A value is kept or becomes `*`.
    Star,
    /// Intervals of equal width, one of which starts at `origin`; each factor makes a level of so many times the
    /// width: width 5 and factors 2, 2 are 5, 10, 20, `*`.
    Intervals {
        width: f64,
        #[serde(default)]
        origin: f64,
        #[serde(default)]
        factors: Vec<u32>,
    },
    /// One level of intervals that start at the chosen points; what lies below the first is an interval, too.
    Cuts { cuts: Vec<f64> },
    /// Intervals with about the same number of rows each, nested by factors.
    Quantiles {
        groups: u32,
        #[serde(default)]
        factors: Vec<u32>,
    },
    /// Completed years: 5, 10, 20, `*`.
    Ages,
    /// Completed years as they are, but all from an age on as one (`90+`, as the HIPAA Safe Harbor rule asks); then 5,
    /// 10, 20, `*`.
    PooledAges { from: u32 },
    /// Characters hidden from the right: `13053`, `1305*`, `130**`, … as long as this many are left, then `*`.
    Mask { keep_at_least: u32 },
    /// Days under months, and so on; `*` above.
    Dates { levels: Vec<DateLevel> },
    /// Values in their natural order in groups of so many, those in groups of so many, …
    OrderedGroups { sizes: Vec<u32> },
    /// By hand: names and their values. Values not named stay under `*`; values not in the data are passed over.
    Groups { groups: Vec<(String, Vec<String>)> },
    /// By the first letters, regardless of case and accents; with two, those under the first.
    Alphabetic { letters: u32 },
}

/// Why a recipe can't be followed. No text of the data is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error("the column has no values")]
    NoValues,
    #[error("the width must be a number above 0")]
    Width,
    #[error("the origin must be a number")]
    Origin,
    #[error("each factor must be at least 2, and all of them together must not exceed 9,000,000,000,000,000")]
    Factors,
    #[error("give at least one cut, all of them numbers")]
    Cuts,
    #[error("at least 2 groups are needed")]
    TooFewGroups,
    #[error("each group size must be at least 2")]
    Sizes,
    #[error("choose at least one of day, month, quarter, year and decade")]
    NoDateLevels,
    #[error("at least 1 letter is needed, and at most {}", by_text::MOST_LETTERS)]
    Letters,
    #[error("group {group} has no name")]
    NoName { group: usize },
    #[error("groups {first} and {second} have the same name")]
    NameTwice { first: usize, second: usize },
    #[error("group {group} has the name of a value that is not its only one, or of the top")]
    NameOfValue { group: usize },
    #[error("groups {first} and {second} share a value")]
    ValueTwice { first: usize, second: usize },
}

/// The tree that `recipe` makes of the values of `column`.
pub fn build(recipe: &Recipe, column: &Column) -> Result<Hierarchy, BuildError> {
    if column.dictionary.is_empty() {
        return Err(BuildError::NoValues);
    }
    let plan = match recipe {
        Recipe::Star => assemble::Plan::default(),
        Recipe::Intervals { width, origin, factors } => numbers::intervals(column, *width, *origin, factors)?,
        Recipe::Cuts { cuts } => numbers::cuts(column, cuts)?,
        Recipe::Quantiles { groups, factors } => numbers::quantiles(column, *groups, factors)?,
        Recipe::Ages => numbers::ages(column),
        Recipe::PooledAges { from } => numbers::pooled_ages(column, *from),
        Recipe::Mask { keep_at_least } => by_text::mask(column, *keep_at_least),
        Recipe::Dates { levels } => dates::dates(column, levels)?,
        Recipe::OrderedGroups { sizes } => by_text::ordered_groups(column, sizes)?,
        Recipe::Groups { groups } => by_text::groups(column, groups)?,
        Recipe::Alphabetic { letters } => by_text::alphabetic(column, *letters)?,
    };
    Ok(plan.tree(column))
}

// proptest is a native dependency.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
