//! Recursive (c,ℓ)-diversity with a don't-care set (pd-recursive, Definition 4.3) and with values that no class may
//! lack (npd-recursive, Definition 4.4). A class without sensitive values is pd-recursive. Complexity: O(values).

use super::recursion::{Recursion, recursion};
use super::{Better, Model, Monotone, at_least};
use crate::classes::Histogram;
use crate::words::{counted, grouped, percent};

#[derive(Clone, Debug, PartialEq)]
pub struct NpdRecursiveCL {
    pub c: f64,
    pub l: u32,
    /// Values that may be disclosed, in ascending order.
    pub dont_care: Vec<u32>,
    /// Values that every class must have, so that nobody is known not to have them.
    pub no_negative: Vec<u32>,
    /// How many percent of every class each of them must be.
    pub c2: f64,
}

impl NpdRecursiveCL {
    fn recursion(&self, class: &Histogram<'_>) -> Option<Recursion> {
        recursion(class, self.l, &self.dont_care)
    }

    /// The first value that the class has too few of, and how many it has.
    fn rare(&self, class: &Histogram<'_>) -> Option<(u32, u32)> {
        let count = |value: u32| {
            let place = class.counts.binary_search_by_key(&value, |&(value, _)| value);
            place.map_or(0, |place| class.counts[place].1)
        };
        let enough = |count: u32| at_least(f64::from(count) * 100.0, self.c2 * f64::from(class.size));
        self.no_negative.iter().map(|&value| (value, count(value))).find(|&(_, count)| !enough(count))
    }
}

impl Model for NpdRecursiveCL {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        self.recursion(class).is_none_or(|recursion| recursion.holds(self.c)) && self.rare(class).is_none()
    }

    /// Theorem 5.3, for every c > 0. The bound for the most frequent sensitive value implies the same bound for every
    /// other sensitive value, since that has no more rows and no smaller tail. The ℓ−2 most frequent values of two
    /// classes together have at most the rows that each class's own ℓ−2 have, so tails at least add up, as do the
    /// counts; a class that lacks the value adds nothing to its side. Shares of a merged class lie between those of its
    /// parts. Rows of one value, added alone, break it.
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    /// What c must exceed; no c is enough for a class that has too few rows of a value that none may lack.
    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        match self.rare(class) {
            Some(_) => f64::INFINITY,
            None => self.recursion(class).map_or(0.0, |recursion| recursion.smallest_c()),
        }
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        let too_frequent = self.recursion(class).and_then(|recursion| recursion.explain(self.c, self.l, class, name));
        too_frequent.or_else(|| {
            let (value, count) = self.rare(class)?;
            Some(format!(
                "{} is too rare: it has {} of {}; at least {} are needed.",
                name(value),
                grouped(u64::from(count)),
                counted(u64::from(class.size), "row"),
                percent(self.c2 / 100.0),
            ))
        })
    }
}
