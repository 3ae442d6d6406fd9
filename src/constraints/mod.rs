//! Diversity constraints (the DIVA paper, §3): how many rows of a release must, and may, show certain values.
//!
//! A constraint σ = (X[t], λl, λr) holds when between λl and λr rows of the release show exactly the values t in the
//! columns X.
//!
//! [`parse`] reads the text form, [`bind`] finds its columns and values in the table, [`count`] and [`sql`] validate.
//! What follows from constraints is told by [`axioms`] (the paper's, fast, with a derivation) and by [`exact`] (an integer
//! program over the [`cells`] that the constraints cut, decided by [`program`]); [`cover`] leaves out what follows from the
//! rest. [`conflict`] says which constraints compete for rows, and [`generate`] makes the paper's three classes of them.

pub mod axioms;
pub mod bind;
pub mod cells;
pub mod conflict;
pub mod count;
pub mod cover;
mod dialect;
mod distinct;
pub mod exact;
pub mod generate;
pub mod parse;
pub mod program;
mod review;
pub mod sql;
pub mod view;

pub use bind::Binder;
pub use cells::World;
pub use dialect::Dialect;
pub use distinct::{Distinct, repeats, said_before};
pub use parse::{Fault, Span, Statement};
pub use view::ConstraintsView;

/// One constraint, its columns found in the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// The columns and what they must show: by ascending column, each at most once, never empty.
    pub target: Vec<Target>,
    /// λl, rows at least.
    pub least: u64,
    /// λr, rows at most; `None` is no bound.
    pub most: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The column's place in the table.
    pub column: usize,
    /// The text that a released cell must be: a value of the data, or a label of the column's hierarchy.
    pub value: String,
}
