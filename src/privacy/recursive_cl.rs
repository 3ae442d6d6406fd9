//! Recursive (c,ℓ)-diversity (Definition 4.2): the most frequent value has fewer rows than c times those that are left
//! once it and the ℓ−2 most frequent others are set aside. ℓ = 1 always holds.
//!
//! The bound is strict, so a class at exact equality fails, also where c has no exact binary form.
//! Complexity: O(values); O(values · log) for the smallest c of every ℓ at once.

use super::recursion::{Recursion, recursion};
use super::{Better, Model, Monotone};
use crate::classes::Histogram;

#[derive(Clone, Debug, PartialEq)]
pub struct RecursiveCL {
    pub c: f64,
    pub l: u32,
}

/// For ℓ = 2, 3, … up to the number of values, what c must exceed; for larger ℓ no c is enough.
/// The buffers are kept from class to class.
#[derive(Clone, Debug, Default)]
pub struct SmallestC {
    descending: Vec<u32>,
    of_l: Vec<f64>,
}

impl SmallestC {
    /// The first figure is for ℓ = 2.
    pub fn of_every_l(&mut self, class: &Histogram<'_>) -> &[f64] {
        self.descending.clear();
        self.descending.extend(class.counts.iter().map(|&(_, count)| count));
        self.descending.sort_unstable_by(|one, other| other.cmp(one));
        self.of_l.clear();
        let Some((&most, rest)) = self.descending.split_first() else { return &[] };
        let mut left = class.size - most;
        for &count in rest {
            self.of_l.push(f64::from(most) / f64::from(left));
            left -= count;
        }
        &self.of_l
    }
}

impl RecursiveCL {
    fn recursion(&self, class: &Histogram<'_>) -> Option<Recursion> {
        recursion(class, self.l, &[])
    }
}

impl Model for RecursiveCL {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        self.recursion(class).is_none_or(|recursion| recursion.holds(self.c))
    }

    /// Theorem 5.3; rows of one value, added alone, break it.
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    /// What c must exceed.
    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        self.recursion(class).map_or(0.0, |recursion| recursion.smallest_c())
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_rows(&self) -> u32 {
        self.l
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        self.recursion(class)?.explain(self.c, self.l, class, name)
    }
}
