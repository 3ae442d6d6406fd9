//! What privacy means: one trait, one file per model (docs/models.md).
//!
//! A [`Model`] looks at one class at a time, through its [`Histogram`] of one sensitive column, and so every algorithm
//! can take every model it soundly can. A [`Requirement`] is a model together with the column it is about.
//! Guarantee: figures are computed with `libm`, so that native and wasm agree to the last bit, and compared with
//! [`TOLERANCE`], so that a class that meets a bound exactly is not rejected by rounding (nor let through where the bound
//! is strict).

mod alpha;
mod cells;
mod check;
mod distinct_l;
mod entropy_l;
mod in_worst_case;
mod k_anonymity;
mod npd_recursive_cl;
mod p_sensitive;
mod recursion;
mod recursive_cl;
mod running;
mod t_closeness;
mod tau_l;
mod wording;
mod worst_counts;

use crate::classes::Histogram;

pub use alpha::{Alpha, largest_share};
pub use cells::{Cell, Cells};
pub use check::{Standing, achieved_by_class, check};
pub use distinct_l::{DistinctL, distinct};
pub use entropy_l::{EntropyL, adjusted_entropy_diversity, entropy_diversity};
pub use in_worst_case::{InWorstCase, Named, Taken};
pub use k_anonymity::KAnonymity;
pub use npd_recursive_cl::NpdRecursiveCL;
pub use p_sensitive::PSensitive;
pub use recursive_cl::{RecursiveCL, SmallestC};
pub use running::{Running, ValueChange, Ways};
pub use t_closeness::{OnTree, Reference, TCloseness};
pub use tau_l::{Induced, Induction, TauL, cumulative_frequencies, cumulative_limit, smallest_tau, smallest_tau_for};
pub use worst_counts::{worst_counts, worst_histograms};

/// Difference below which two computed figures are the same: of figures above 1 in relation to them, of smaller ones
/// (shares, distances) as it is.
pub const TOLERANCE: f64 = 1e-9;

fn at_least(figure: f64, bound: f64) -> bool {
    figure >= bound - tolerated(bound)
}

pub(crate) fn at_most(figure: f64, bound: f64) -> bool {
    figure <= bound + tolerated(bound)
}

fn tolerated(bound: f64) -> f64 {
    if bound > 1.0 { bound * TOLERANCE } else { TOLERANCE }
}

/// What may be done to classes that hold without making them fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotone {
    /// A class that holds still does after any rows are added. Then generalizing never needs more suppression.
    Growing,
    /// Two classes that hold do so together, too. Enough when no row is suppressed; not when failing classes may be,
    /// because generalizing can merge one of them into a class that held.
    Merging,
    /// Neither.
    Never,
}

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Higher,
    Lower,
}

impl Better {
    /// What no class at all achieves, as there is none to be worse.
    pub fn best(self) -> f64 {
        match self {
            Better::Higher => f64::INFINITY,
            Better::Lower => 0.0,
        }
    }

    pub fn worst(self) -> f64 {
        match self {
            Better::Higher => 0.0,
            Better::Lower => f64::INFINITY,
        }
    }

    pub fn is_worse(self, figure: f64, than: f64) -> bool {
        match self {
            Better::Higher => figure < than,
            Better::Lower => figure > than,
        }
    }
}

/// A privacy model that is checked class by class.
pub trait Model: std::fmt::Debug {
    /// Whether a class meets the model.
    fn holds(&self, class: &Histogram<'_>) -> bool;

    /// What may be done to classes that hold.
    fn monotone(&self) -> Monotone;

    /// The strictest parameter that the class would still meet (the one the model is named for: k, ℓ, c, τ, t, p, α).
    /// A table achieves the worst of its classes.
    fn achieved(&self, class: &Histogram<'_>) -> f64;

    /// Whether a class is better with a higher or a lower figure.
    fn better(&self) -> Better;

    /// No class with fewer rows holds, whatever is in it.
    fn least_rows(&self) -> u32 {
        1
    }

    /// Itself, if it is (τ,ℓ)-diversity: what generalizes sensitive cells must show that one the codes of groups, too.
    fn as_tau_l(&self) -> Option<&TauL> {
        None
    }

    /// How to measure a class whose rows come and go without a look at all its values, where the model can, and the
    /// figure that a class may have at most.
    fn running(&self) -> Option<(&Ways, f64)> {
        None
    }

    /// Why a class fails, in one plain sentence; `None` when it holds. `name` gives the words for a value.
    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String>;
}

/// A model and the column it is about.
#[derive(Debug)]
pub struct Requirement {
    /// The sensitive column, as a place in the table; `None` for models that only count rows.
    pub attribute: Option<usize>,
    /// ℓ-diversity of several sensitive columns (Definition 4.6): the others join the quasi-identifiers, so that every
    /// block of a class that agrees in them must hold.
    pub jointly: bool,
    pub model: Box<dyn Model>,
}

impl Requirement {
    /// What may be done to classes that hold: what the model allows, except that a row added to a class may begin a new
    /// block that fails.
    pub fn monotone(&self) -> Monotone {
        match self.model.monotone() {
            Monotone::Growing if self.jointly && self.attribute.is_some() => Monotone::Merging,
            monotone => monotone,
        }
    }
}
