//! Entropy ℓ-diversity, plain (Definition 4.1) and with a don't-care set (Definition 4.5, Algorithm 1).
//!
//! Both are measured as e^H, the number of equally frequent values that would be as hard to guess, which must be at
//! least ℓ. With the log-entropic mean M = Σ c·ln c / Σ c of the counts that stay, and `lowered` don't-care values
//! brought down to e^M each, the adjusted entropy is ln(Σ c + lowered·e^M) − M, so that e^H = Σ c / e^M + lowered;
//! without don't-care values nothing is lowered and this is the plain e^H.
//! Guarantee: a class of ℓ equally frequent values passes. Complexity: O(values), and O(d·log d) for d don't-care ones.

use std::sync::LazyLock;

use crate::exact_sum::CompensatedSum;
use crate::words::{figure, percent};

use super::wording::{most_frequent, too_few_values};
use super::{Better, Model, Monotone, TOLERANCE, at_least};
use crate::classes::Histogram;

#[derive(Clone, Debug, PartialEq)]
pub struct EntropyL {
    pub l: f64,
    /// Values that may be disclosed, in ascending order.
    pub dont_care: Vec<u32>,
}

/// e^H of a class.
pub fn entropy_diversity(class: &Histogram<'_>) -> f64 {
    if class.size == 0 {
        return 0.0;
    }
    let weighted = CompensatedSum::from_iter(class.counts.iter().map(|&(_, count)| times_its_logarithm(count))).total();
    let size = f64::from(class.size);
    size / libm::exp(weighted / size)
}

/// e^H of a class for the adjusted entropy: the largest that can be had by lowering the counts of don't-care values.
///
/// Definition 4.5 is taken at its word also where every value is a don't-care one: then it is the number of values,
/// since all can be lowered to the same count.
pub fn adjusted_entropy_diversity(class: &Histogram<'_>, dont_care: &[u32]) -> f64 {
    let mut changeable: Vec<u32> = Vec::new();
    let (mut total, mut sum) = (0u64, CompensatedSum::default());
    for &(value, count) in class.counts {
        if dont_care.binary_search(&value).is_ok() {
            changeable.push(count);
        } else {
            total += u64::from(count);
            sum.add(times_its_logarithm(count));
        }
    }
    let mut weighted = sum.total();
    if total == 0 {
        return changeable.len() as f64;
    }
    changeable.sort_unstable();
    let mut lowered = changeable.len();
    for &count in &changeable {
        // ln count < M, without the logarithm.
        if times_its_logarithm(count) * total as f64 >= weighted * f64::from(count) {
            break;
        }
        total += u64::from(count);
        weighted += times_its_logarithm(count);
        lowered -= 1;
    }
    let total = total as f64;
    total / libm::exp(weighted / total) + lowered as f64
}

/// count · ln count. Small counts are looked up, because an audit asks for them millions of times.
fn times_its_logarithm(count: u32) -> f64 {
    static SMALL: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(compute).collect());
    fn compute(count: u32) -> f64 {
        if count == 0 { 0.0 } else { f64::from(count) * libm::log(f64::from(count)) }
    }
    SMALL.get(count as usize).copied().unwrap_or_else(|| compute(count))
}

impl Model for EntropyL {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        // No class is more diverse than its values are many; most small classes are settled by that.
        at_least(class.counts.len() as f64, self.l) && at_least(self.achieved(class), self.l)
    }

    /// Theorems 5.2 and 5.4: −x·ln x is concave, so the entropy of a class is at least the lower one of its parts; and
    /// the parts' lowered don't-care counts added up are a way to lower those of the class.
    /// Rows of one value, added alone, lower it.
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        match self.dont_care.as_slice() {
            [] => entropy_diversity(class),
            dont_care => adjusted_entropy_diversity(class, dont_care),
        }
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn least_rows(&self) -> u32 {
        // e^H is at most the number of values.
        (self.l * (1.0 - TOLERANCE)).ceil() as u32
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        if self.holds(class) {
            return None;
        }
        let needed = figure(self.l);
        if (class.counts.len() as f64) < self.l {
            return Some(too_few_values(class, &format!("at least {needed}"), name));
        }
        let is_sensitive = |value| self.dont_care.binary_search(&value).is_err();
        let (value, count) = most_frequent(class, is_sensitive).or_else(|| most_frequent(class, |_| true))?;
        Some(format!(
            "{} is too frequent ({} of its rows): its values hide a person only as well as {} equally frequent ones \
             would; {needed} are needed.",
            name(value),
            percent(f64::from(count) / f64::from(class.size)),
            figure(self.achieved(class)),
        ))
    }
}
