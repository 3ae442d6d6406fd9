//! Diversity constraints (the DIVA paper, §3): how many rows of a release must, and may, show certain values.
//!
//! A constraint σ = (X[t], λl, λr) holds when between λl and λr rows of the release show exactly the values t in the
//! columns X. [`parse`] reads the text form, [`bind`] finds its columns and values in the table, [`count`] validates.

pub mod axioms;
pub mod bind;
pub mod cells;
pub mod count;
pub mod exact;
pub mod parse;
pub mod program;

pub use bind::Binder;
pub use cells::World;
pub use parse::{Fault, Span, Statement};

/// One constraint, its columns found in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The columns and what they must show: by ascending column, each at most once, never empty.
    pub target: Vec<Target>,
    /// λl, rows at least.
    pub least: u64,
    /// λr, rows at most; `None` is no bound.
    pub most: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The column's place in the table.
    pub column: usize,
    /// The text that a released cell must be: a value of the data, or a label of the column's hierarchy.
    pub value: String,
}
