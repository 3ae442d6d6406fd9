//! The bound that both recursive models share.
//!
//! Definition 4.3 has two branches, for the most frequent sensitive value s at place y ≤ ℓ−1 and y > ℓ−1 among all
//! values. In both, the tail is what is left once s and the ℓ−2 most frequent *other* values are set aside: for
//! y ≤ ℓ−1 these are the first ℓ−1 values, for y > ℓ−1 the first ℓ−2 and s itself. So one rule does for both, and
//! without don't-care values it is Definition 4.2.
//! (The paper's remark that one may as well lower the more frequent don't-care values to s and check as usual is not
//! the same for c ≤ 1 and y > ℓ−1, and is not used.)

use super::TOLERANCE;
use super::wording::{most_frequent, too_few_values};
use crate::classes::Histogram;
use crate::words::{counted, figure, grouped};

/// The two sides of the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recursion {
    /// The most frequent sensitive value and its rows.
    value: u32,
    count: u32,
    /// Rows left once it and the ℓ−2 most frequent others are set aside.
    tail: u32,
}

/// `None` where there is nothing to bound: ℓ is 1, or no value is sensitive.
pub fn recursion(class: &Histogram<'_>, l: u32, dont_care: &[u32]) -> Option<Recursion> {
    if l < 2 {
        return None;
    }
    let (value, count) = most_frequent(class, |value| dont_care.binary_search(&value).is_err())?;
    let set_aside = l as usize - 2;
    let others = class.size - count;
    let tail = if set_aside == 0 {
        others
    } else if class.counts.len() - 1 <= set_aside {
        0
    } else {
        let others_of = class.counts.iter().filter(|&&(other, _)| other != value);
        let mut counts: Vec<u32> = others_of.map(|&(_, count)| count).collect();
        let (_, _, least) = counts.select_nth_unstable_by(set_aside - 1, |one, other| other.cmp(one));
        least.iter().sum()
    };
    Some(Recursion { value, count, tail })
}

impl Recursion {
    /// count < c·tail, but false at equality in spite of rounding.
    pub fn holds(&self, c: f64) -> bool {
        f64::from(self.count) * (1.0 + TOLERANCE) < c * f64::from(self.tail)
    }

    pub fn smallest_c(&self) -> f64 {
        f64::from(self.count) / f64::from(self.tail)
    }

    /// Why the bound is not met; `None` when it is.
    pub fn explain(&self, c: f64, l: u32, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        if self.holds(c) {
            return None;
        }
        if self.tail == 0 {
            return Some(too_few_values(class, &format!("at least {l}"), name));
        }
        let others = match l - 2 {
            0 => "that have another value".to_owned(),
            1 => "left without it and the most frequent other value".to_owned(),
            more => format!("left without it and the {} most frequent other values", grouped(u64::from(more))),
        };
        Some(format!(
            "{} is too frequent: it has {} of {}, which must be less than {} times the {} {others}.",
            name(self.value),
            grouped(u64::from(self.count)),
            counted(u64::from(class.size), "row"),
            figure(c),
            grouped(u64::from(self.tail)),
        ))
    }
}
