//! The mechanism of (ℓ,δ)-diversity (Algorithm 1): how many rows a data owner must wait for, how many classes there can
//! be, and which p to choose.
//!
//! N = ln(mℓ/δ) / ln(1/(1−p)) rows, with m = min(|Q|, 1/(ℓp), Σ_{i≥ℓ} p_i / p) a bound on the number of classes (Lemma
//! 4.3). N falls with p and so does the number of classes that GREEDY-GENERALIZE makes, so the best p for a wanted number
//! of either is found by bisection; only probabilities that a class of neighbours has are useful, and each step goes on
//! to the next of them. Guarantee: logarithms come from `libm`. Complexity: some 60 sweeps of GREEDY-GENERALIZE.

use serde::{Deserialize, Serialize};

use super::releases::report;
use crate::algorithms::greedy_generalize::{greedy_generalize, largest_p};
use crate::classes::joint::Joint;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::words::{counted, figure};

/// Which of Lemma 4.3's bounds on the number of classes is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// There are no more quasi-identifiers: |Q|.
    Quasi,
    /// Each class has ℓ values of probability p: 1/(ℓp).
    Mass,
    /// Each class has a value that is not among the ℓ − 1 most frequent: Σ_{i≥ℓ} p_i / p.
    Rest,
}

/// m of Lemma 4.3; `marginal` is P(S) from the largest to the least.
pub fn class_bound(quasi: f64, marginal: &[f64], l: u32, p: f64) -> (f64, Bound) {
    let rest: f64 = marginal.iter().skip(l.max(1) as usize - 1).sum();
    let bounds = [(quasi, Bound::Quasi), (1.0 / (f64::from(l) * p), Bound::Mass), (rest / p, Bound::Rest)];
    bounds
        .into_iter()
        .reduce(|least, other| if other.0 < least.0 { other } else { least })
        .unwrap_or((0.0, Bound::Quasi))
}

/// N of Algorithm 1, before it is rounded up.
pub fn rows_needed(classes: f64, l: u32, delta: f64, p: f64) -> f64 {
    if p >= 1.0 {
        // Every row is of the one class and has the one value.
        return 1.0;
    }
    (libm::log(classes * f64::from(l) / delta) / -libm::log1p(-p)).max(1.0)
}

/// The same as a number of rows: N rounded up, where it is not whole but for rounding errors.
pub fn whole_rows(needed: f64) -> u64 {
    let near = libm::round(needed);
    if (needed - near).abs() < 1e-9 * near.max(1.0) { near as u64 } else { libm::ceil(needed) as u64 }
}

/// p_ℓ, the ℓ-th largest marginal: no larger p can have a class.
pub fn largest_useful(marginal: &[f64], l: u32) -> Option<f64> {
    marginal.get(l.checked_sub(1)? as usize).copied().filter(|&p| p > 0.0)
}

/// All sensitive values equally likely.
pub fn uniform(values: u32) -> Vec<f64> {
    vec![1.0 / f64::from(values.max(1)); values as usize]
}

/// P(s) = p1·ρ^(s−1).
pub fn geometric(values: u32, ratio: f64) -> Vec<f64> {
    let mut powers: Vec<f64> = (0..values).map(|power| libm::pow(ratio, f64::from(power))).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter_mut().for_each(|power| *power /= sum);
    powers
}

/// What a person wants of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Wish {
    /// This p.
    P(f64),
    /// At least so many classes, with as few rows as possible.
    Classes(u64),
    /// As many classes as so many rows allow.
    Rows(u64),
}

/// A p, and the classes that GREEDY-GENERALIZE makes for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    pub p: f64,
    /// Where each class ends in the order.
    pub ends: Vec<u32>,
    /// m, and which bound it is.
    pub bound: f64,
    pub by: Bound,
    /// N, not rounded.
    pub needed: f64,
}

/// Chooses p and makes the classes.
pub async fn choose(joint: &Joint, l: u32, delta: f64, wish: Wish, progress: &Progress<'_>) -> Result<Chosen, Failure> {
    let marginal = joint.marginal();
    check(l, delta)?;
    let Some(largest) = largest_useful(&marginal, l) else {
        let what = format!("The sensitive column has {}, fewer than ℓ = {l}.", counted(marginal.len() as u64, "value"));
        return Err(Failure::impossible(what, "Ask for a smaller ℓ."));
    };
    let quasi = (0..joint.quasi()).filter(|&quasi| joint.rows_of_quasi(quasi) > 0).count() as f64;
    let needed = |p: f64| rows_needed(class_bound(quasi, &marginal, l, p).0, l, delta, p);
    let p = match wish {
        Wish::P(p) if p > 0.0 && p <= largest * (1.0 + 1e-12) => p.min(largest),
        Wish::P(p) if p > 0.0 => {
            let what =
                format!("No class can have {l} values of probability {}: p may be at most {}.", p, shown(largest));
            return Err(Failure::impossible(what, "Choose a smaller p or ℓ."));
        }
        Wish::P(_) => return Err(Failure::policy("p must be above 0.", "Give a probability.")),
        Wish::Classes(wanted) => {
            let p = for_classes(joint, l, wanted, largest, progress).await?;
            rounded_down(p, |_| true)
        }
        Wish::Rows(rows) => {
            if whole_rows(needed(largest)) > rows {
                let what = format!(
                    "Even one class needs {} for ℓ = {l} and δ = {}.",
                    counted(whole_rows(needed(largest)), "row"),
                    figure(delta)
                );
                return Err(Failure::impossible(what, "Allow more rows, a smaller ℓ or a larger δ."));
            }
            let least = bisect(f64::MIN_POSITIVE, largest, |p| whole_rows(needed(p)) <= rows);
            progress.checkpoint(|| report("Choosing p", None)).await?;
            let ends = greedy_generalize(joint, l, least);
            let p = ends.map_or(largest, |ends| largest_p(joint, l, &ends).clamp(least, largest));
            rounded_down(p, |p| whole_rows(needed(p)) <= rows)
        }
    };
    let Some(ends) = greedy_generalize(joint, l, p) else {
        let what = "Even all quasi-identifiers together do not have enough likely values.";
        return Err(Failure::impossible(what, "Choose a smaller p or ℓ."));
    };
    let (bound, by) = class_bound(quasi, &marginal, l, p);
    Ok(Chosen { p, ends, bound, by, needed: needed(p) })
}

pub fn check(l: u32, delta: f64) -> Result<(), Failure> {
    if l == 0 {
        return Err(Failure::policy("ℓ must be at least 1.", "Give the number of different values in a class."));
    }
    if !(delta > 0.0 && delta < 1.0) {
        return Err(Failure::policy(
            "δ must be above 0 and below 1.",
            "Give a small probability of failing, like 0.01.",
        ));
    }
    Ok(())
}

/// The largest p for which there are at least so many classes.
async fn for_classes(
    joint: &Joint,
    l: u32,
    wanted: u64,
    largest: f64,
    progress: &Progress<'_>,
) -> Result<f64, Failure> {
    let classes = |p: f64| greedy_generalize(joint, l, p).filter(|ends| ends.len() as u64 >= wanted);
    // No class has a probability between 0 and this one.
    let least_value = (0..joint.values()).map(|value| joint.rows_of_value(value)).filter(|&rows| rows > 0).min();
    let least = match joint.smoothing() > 0.0 {
        true => joint.probability(0, 1, least_value.unwrap_or(1)),
        false => joint.probability(1, 0, 0),
    };
    if classes(largest).is_some() {
        return Ok(largest);
    }
    let Some(ends) = classes(least) else {
        let most = greedy_generalize(joint, l, least).map_or(0, |ends| ends.len() as u64);
        let what = format!("In this order there are at most {} with ℓ = {l}.", counted(most, "class"));
        return Err(Failure::impossible(what, "Ask for fewer classes, a smaller ℓ or another order."));
    };
    let (mut low, mut high) = (largest_p(joint, l, &ends).max(least), largest);
    while high / low > 1.0 + 1e-11 {
        progress.checkpoint(|| report("Choosing p", None)).await?;
        let middle = libm::sqrt(low) * libm::sqrt(high);
        match classes(middle) {
            Some(ends) => low = largest_p(joint, l, &ends).max(middle),
            None => high = middle,
        }
    }
    Ok(low.min(largest))
}

/// The least p up to `high` for which `holds`, which it does for `high` and from some p on.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    while high / low > 1.0 + 1e-12 {
        let middle = libm::sqrt(low) * libm::sqrt(high);
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// As few digits as are good, at least three: a plan should not tell a count of people by the digits of p. Smaller p keep
/// all classes admissible.
fn rounded_down(p: f64, good: impl Fn(f64) -> bool) -> f64 {
    let rounded = |digits: i32| {
        let unit = libm::pow(10.0, f64::from(digits - 1) - libm::floor(libm::log10(p)));
        let rounded = libm::floor(p * unit) / unit;
        // The nearest float to the decimal may lie above p.
        (rounded > 0.0 && rounded <= p && good(rounded)).then_some(rounded)
    };
    (3..=15).find_map(rounded).unwrap_or(p)
}

pub(super) fn shown(p: f64) -> String {
    if p >= 0.001 { figure(p) } else { format!("{p:.3e}") }
}
