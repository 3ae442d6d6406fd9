//! The homogeneity attack (ℓ-diversity paper, §1.1): a class whose rows share one sensitive value tells it of everyone in it.
//!
//! Complexity: O(entries of the histograms).

use serde::{Deserialize, Serialize};

use crate::classes::Histogram;
use crate::classes::Histograms;

/// A class that has this many percent of one value gives it away nearly as well.
pub const NEARLY_PERCENT: u64 = 95;

/// Classes that give a value away, ascending, and the rows in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exposed {
    pub classes: Vec<u32>,
    pub rows: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Homogeneity {
    /// Classes with one value.
    pub one_value: Exposed,
    /// Classes with at least [`NEARLY_PERCENT`] of one value, those with one value among them.
    pub nearly_one_value: Exposed,
}

pub fn has_one_value(class: &Histogram<'_>) -> bool {
    class.counts.len() == 1
}

pub fn has_nearly_one_value(class: &Histogram<'_>) -> bool {
    let most = class.counts.iter().map(|&(_, count)| u64::from(count)).max();
    most.is_some_and(|most| 100 * most >= NEARLY_PERCENT * u64::from(class.size))
}

pub fn of(histograms: &Histograms) -> Homogeneity {
    let exposed = |is_exposed: fn(&Histogram<'_>) -> bool| {
        let mut exposed = Exposed::default();
        for (number, class) in histograms.iter().enumerate().filter(|(_, class)| is_exposed(class)) {
            exposed.classes.push(number as u32);
            exposed.rows += u64::from(class.size);
        }
        exposed
    };
    Homogeneity { one_value: exposed(has_one_value), nearly_one_value: exposed(has_nearly_one_value) }
}
