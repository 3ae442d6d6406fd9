//! The α of (α,k)-anonymity (Wong et al.): no value, or none of those named, has more than the share α of a class.
//! Complexity: O(values).

use super::wording::most_frequent;
use super::{Better, Model, Monotone, at_most};
use crate::classes::Histogram;
use crate::words::{counted, grouped, percent};

#[derive(Clone, Debug, PartialEq)]
pub struct Alpha {
    pub alpha: f64,
    /// The values it is about, in ascending order; all when empty.
    pub values: Vec<u32>,
}

/// The largest share that any value has of a class.
pub fn largest_share(class: &Histogram<'_>) -> f64 {
    share(class, most_frequent(class, |_| true))
}

fn share(class: &Histogram<'_>, value: Option<(u32, u32)>) -> f64 {
    value.map_or(0.0, |(_, count)| f64::from(count) / f64::from(class.size))
}

impl Alpha {
    fn most_frequent(&self, class: &Histogram<'_>) -> Option<(u32, u32)> {
        most_frequent(class, |value| self.values.is_empty() || self.values.binary_search(&value).is_ok())
    }
}

impl Model for Alpha {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        at_most(self.achieved(class), self.alpha)
    }

    /// A value's share of a merged class lies between its shares of the parts; rows of one value, added alone, raise it.
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        share(class, self.most_frequent(class))
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        if self.holds(class) {
            return None;
        }
        let (value, count) = self.most_frequent(class)?;
        Some(format!(
            "{} is too frequent: it has {} of {}; at most {} are allowed.",
            name(value),
            grouped(u64::from(count)),
            counted(u64::from(class.size), "row"),
            percent(self.alpha),
        ))
    }
}
