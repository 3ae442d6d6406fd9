//! Intervals of numbers.
//!
//! Labels: when all values and bounds are whole, both ends belong to the interval, `20-24` (`-10 to -6` below zero).
//! Otherwise the upper end does not: `[20.0, 22.5[`. A value always lies in the interval that its label says, even
//! where binary fractions would put it beside (0.3 at width 0.1).

use super::super::values::{self, is_whole};
use super::BuildError;
use super::assemble::{Group, Plan, present, runs};
use crate::sorting::Sorting;
use crate::table::Column;

/// Oldest age that is believed; what is above is more likely a code for "unknown".
const OLDEST: f64 = 150.0;
/// Up to here a whole number in a float is exact.
const EXACT: f64 = 9e15;

/// The values that are numbers, in order.
fn numbers(column: &Column) -> Vec<(f64, u32)> {
    let text = |code: u32| column.dictionary.text(code);
    // -0 is 0.
    let number = |code: u32| Some((values::number_of(column, text(code))? + 0.0, code));
    let mut numbers: Vec<(f64, u32)> = present(column).filter_map(number).collect();
    numbers.order_by(|one, other| one.0.total_cmp(&other.0).then_with(|| text(one.1).cmp(text(other.1))));
    numbers
}

fn codes(numbers: &[(f64, u32)]) -> Vec<u32> {
    numbers.iter().map(|&(_, code)| code).collect()
}

/// How many times the lowest level each level is: 1, then the products of the factors.
fn multiples(factors: &[u32]) -> Result<Vec<i64>, BuildError> {
    let mut multiples = vec![1i64];
    let mut product = 1i64;
    for &factor in factors {
        product = product
            .checked_mul(factor.into())
            .filter(|&product| product as f64 <= EXACT && factor > 1)
            .ok_or(BuildError::Factors)?;
        multiples.push(product);
    }
    Ok(multiples)
}

/// Bounds at equal distances.
struct Scale {
    width: f64,
    origin: f64,
    decimals: usize,
    /// Ten to the power of `decimals`.
    unit: f64,
}

impl Scale {
    fn new(width: f64, origin: f64) -> Self {
        let decimals = decimals(width).max(decimals(origin));
        Scale { width, origin, decimals, unit: libm::pow(10.0, decimals as f64) }
    }

    /// The start of an interval, as its label shows it.
    fn bound(&self, index: i64) -> f64 {
        let raw = self.origin + index as f64 * self.width;
        let units = (raw * self.unit).round();
        let bound = if units.abs() <= EXACT { units / self.unit } else { raw };
        bound + 0.0
    }

    /// The interval that holds `value`; `None` when it is too far away to be counted.
    fn index(&self, value: f64) -> Option<i64> {
        let index = ((value - self.origin) / self.width).floor();
        if index.is_nan() || index.abs() > EXACT {
            return None;
        }
        let index = index as i64;
        if value < self.bound(index) {
            Some(index - 1)
        } else if value >= self.bound(index + 1) {
            Some(index + 1)
        } else {
            Some(index)
        }
    }
}

/// Places behind the point that a number needs, up to a point.
fn decimals(number: f64) -> usize {
    let text = number.to_string();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len()).min(12)
}

pub fn intervals(column: &Column, width: f64, origin: f64, factors: &[u32]) -> Result<Plan, BuildError> {
    if !(width.is_finite() && width > 0.0) {
        return Err(BuildError::Width);
    }
    if !origin.is_finite() {
        return Err(BuildError::Origin);
    }
    let multiples = multiples(factors)?;
    let scale = Scale::new(width, origin);
    let mut numbers = numbers(column);
    numbers.retain(|&(value, _)| scale.index(value).is_some());
    let indices: Vec<i64> = numbers.iter().filter_map(|&(value, _)| scale.index(value)).collect();
    let whole = is_whole(width) && is_whole(origin) && numbers.iter().all(|&(value, _)| is_whole(value));
    let level = |multiple: i64| {
        let label = |_, _, key: i64| {
            let (low, high) = (scale.bound(key * multiple), scale.bound((key + 1) * multiple));
            if whole { whole_range(low, high - 1.0) } else { half_open(low, high, scale.decimals) }
        };
        runs(indices.len(), |place| indices[place].div_euclid(multiple), label)
    };
    // Whole numbers in intervals of width 1 are themselves.
    let multiples = multiples.into_iter().filter(|&multiple| !whole || width * multiple as f64 > 1.0);
    Ok(Plan { levels: multiples.map(level).collect(), placed: codes(&numbers) })
}

pub fn ages(column: &Column) -> Plan {
    let numbers = age_numbers(column);
    let levels = [5, 10, 20].map(|width| age_level(&numbers, width, f64::INFINITY)).to_vec();
    Plan { levels, placed: codes(&numbers) }
}

pub fn pooled_ages(column: &Column, from: u32) -> Plan {
    let numbers = age_numbers(column);
    let levels = [1, 5, 10, 20].map(|width| age_level(&numbers, width, f64::from(from))).to_vec();
    Plan { levels, placed: codes(&numbers) }
}

fn age_numbers(column: &Column) -> Vec<(f64, u32)> {
    let mut numbers = numbers(column);
    numbers.retain(|&(value, _)| (0.0..=OLDEST).contains(&value));
    numbers
}

/// Intervals of so many years; the one that holds the age `pool`, and all above, are one.
fn age_level(numbers: &[(f64, u32)], width: u32, pool: f64) -> Vec<Group> {
    let width = f64::from(width);
    let pool = (pool / width).floor();
    let key = |place: usize| {
        let key = (numbers[place].0 / width).floor();
        if key < pool { key } else { pool }
    };
    let label = |_, _, key: f64| {
        if key < pool {
            whole_range(key * width, key * width + width - 1.0)
        } else {
            format!("{}+", plain(key * width))
        }
    };
    runs(numbers.len(), key, label)
}

pub fn cuts(column: &Column, cuts: &[f64]) -> Result<Plan, BuildError> {
    if cuts.is_empty() || cuts.iter().any(|cut| !cut.is_finite()) {
        return Err(BuildError::Cuts);
    }
    let mut cuts: Vec<f64> = cuts.iter().map(|cut| cut + 0.0).collect();
    cuts.order_by(f64::total_cmp);
    cuts.dedup();
    let numbers = numbers(column);
    let whole = cuts.iter().chain(numbers.iter().map(|(value, _)| value)).all(|&value| is_whole(value));
    let decimals = cuts.iter().map(|&cut| decimals(cut)).max().unwrap_or(0);
    let label = |_, _, key: usize| match (key.checked_sub(1).map(|below| cuts[below]), cuts.get(key)) {
        (Some(low), Some(&high)) if whole => whole_range(low, high - 1.0),
        (Some(low), Some(&high)) => half_open(low, high, decimals),
        (Some(low), None) => format!(">={}", plain(low)),
        (None, Some(&high)) => format!("<{}", plain(high)),
        (None, None) => String::new(),
    };
    let key = |place: usize| cuts.partition_point(|&cut| cut <= numbers[place].0);
    Ok(Plan { levels: vec![runs(numbers.len(), key, label)], placed: codes(&numbers) })
}

pub fn quantiles(column: &Column, groups: u32, factors: &[u32]) -> Result<Plan, BuildError> {
    if groups < 2 {
        return Err(BuildError::TooFewGroups);
    }
    let multiples = multiples(factors)?;
    let numbers = numbers(column);
    let rows = |&(_, code): &(f64, u32)| column.counts.get(code as usize).copied().map_or(0, u128::from);
    // A column without rows still has values: each then counts as one.
    let total: u128 = numbers.iter().map(rows).sum();
    let weight = |number: &(f64, u32)| if total == 0 { 1 } else { rows(number) };
    let total = if total == 0 { numbers.len() as u128 } else { total };
    // A value belongs to the group in which its middle row falls; texts of one number are never parted.
    let mut places: Vec<i64> = Vec::with_capacity(numbers.len());
    let (mut before, mut last, mut group) = (0u128, None, -1i64);
    for same in numbers.chunk_by(|one, other| one.0 == other.0) {
        let weight: u128 = same.iter().map(weight).sum();
        let quantile = (2 * before + weight) * u128::from(groups) / (2 * total).max(1);
        group += i64::from(last != Some(quantile));
        last = Some(quantile);
        before += weight;
        places.extend(same.iter().map(|_| group));
    }
    let whole = numbers.iter().all(|&(value, _)| is_whole(value));
    let label = |first: usize, end: usize| {
        let (low, high) = (numbers[first].0, numbers[end - 1].0);
        match numbers.get(end) {
            _ if whole => whole_range(low, high),
            _ if low == high => plain(low),
            Some(&(next, _)) => format!("[{}, {}[", plain(low), plain(next)),
            None => format!("[{}, {}]", plain(low), plain(high)),
        }
    };
    let level = |multiple: i64| -> Vec<Group> {
        runs(places.len(), |place| places[place] / multiple, |first, end, _| label(first, end))
    };
    Ok(Plan { levels: multiples.into_iter().map(level).collect(), placed: codes(&numbers) })
}

/// Whole numbers from `low` to `high`, both included.
pub fn whole_range(low: f64, high: f64) -> String {
    let (low, high) = (low + 0.0, high + 0.0);
    if low == high {
        plain(low)
    } else if low < 0.0 {
        format!("{} to {}", plain(low), plain(high))
    } else {
        format!("{}-{}", plain(low), plain(high))
    }
}

fn half_open(low: f64, high: f64, decimals: usize) -> String {
    if low.abs().max(high.abs()) >= EXACT || decimals >= 12 {
        return format!("[{}, {}[", plain(low), plain(high));
    }
    let decimals = decimals.max(1);
    format!("[{low:.decimals$}, {high:.decimals$}[")
}

/// A number in as few characters as tell it from others.
fn plain(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e16).contains(&size) { number.to_string() } else { format!("{number:e}") }
}
