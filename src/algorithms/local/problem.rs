//! What local recoding is asked, and what it may answer.

use crate::algorithms::one_d::Curve;
use crate::policy::{Quasi, Sensitive};
use crate::privacy::Requirement;
use crate::release::Release;
use crate::table::Table;

/// A table, what must hold, and what counts as good.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    pub table: &'a Table,
    pub quasi: &'a [Quasi],
    pub sensitive: &'a [Sensitive],
    pub requirements: &'a [Requirement],
    /// Rows that may be suppressed.
    pub suppressible: u64,
    pub seed: u64,
    /// What clusters are made cheap in.
    pub measure: Measure,
    pub mode: Mode,
}

/// A measure that is a sum over cells, so that the change of one class is known without the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// The arithmetic loss of docs/spec.md §6.
    #[default]
    Loss,
    /// IL of constrained k-anonymity, Definition 10.
    InformationLoss,
    /// What um of (τ,ℓ)-diversity, Definition 5, misses.
    Utility,
    /// The number of suppressed cells.
    Stars,
}

/// What may become of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Any node above it, up to its limit.
    #[default]
    Generalization,
    /// It is kept or becomes `*`; a value with a limit below the root is kept.
    Suppression,
}

/// How the classes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Greedy k-member clustering.
    #[default]
    KMember,
    /// The same in each class of the maximum allowed microdata, which k-member does as well once there are limits.
    GreedyCka,
    Mondrian,
    /// Neighbours in the order of the columns.
    GreedyGeneralize,
    /// Groups along a line.
    OneD(Curve),
    /// Distinct tuples merged from the smallest class on.
    Merging,
}

/// The three honest ends of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Release(Release),
    /// No release exists; the sentence says why.
    Impossible(String),
    /// None was found, though there may be one.
    NotFound(String),
}
