//! Distinct ℓ-diversity: every class has at least ℓ different values. Complexity: O(1).

use super::wording::too_few_values;
use super::{Better, Model, Monotone};
use crate::classes::Histogram;

#[derive(Clone, Debug, PartialEq)]
pub struct DistinctL {
    pub l: u32,
}

/// How many different values a class has.
pub fn distinct(class: &Histogram<'_>) -> u32 {
    class.counts.len() as u32
}

impl Model for DistinctL {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        distinct(class) >= self.l
    }

    fn monotone(&self) -> Monotone {
        Monotone::Growing
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        f64::from(distinct(class))
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn least_rows(&self) -> u32 {
        self.l
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        (!self.holds(class)).then(|| too_few_values(class, &self.l.to_string(), name))
    }
}
