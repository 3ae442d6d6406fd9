//! A recipe for a column that nobody has looked at yet, from its values alone.
//!
//! Guarantee: the suggested recipe can be followed for any column that has values.

use super::super::values::{self, Date, is_whole};
use super::assemble::present;
use super::{DateLevel, Recipe};
use crate::sorting::Sorting;
use crate::table::{Column, Kind};

/// Up to so many categories are told apart at a glance: each is kept or becomes `*`.
const FEW: usize = 20;
/// About as many intervals as a person likes to see on the lowest level.
const INTERVALS: f64 = 20.0;

/// A sensible recipe to begin with.
pub fn suggest(column: &Column) -> Recipe {
    let texts: Vec<&str> = present(column).map(|code| column.dictionary.text(code)).collect();
    if texts.len() <= 2 {
        return Recipe::Star;
    }
    let nearly_all = |count: usize| count * 20 >= texts.len() * 19;
    let is_text = column.kind.said && column.kind.kind == Kind::Text;
    let dates: Vec<Date> = texts.iter().filter_map(|text| values::date_of(column, text)).filter(|_| !is_text).collect();
    if nearly_all(dates.len()) {
        return Recipe::Dates { levels: date_levels(&dates, &texts) };
    }
    let mut numbers: Vec<f64> =
        texts.iter().filter_map(|text| values::number_of(column, text)).filter(|_| !is_text).collect();
    numbers.order_by(f64::total_cmp);
    let numeric = nearly_all(numbers.len());
    if nearly_all(texts.iter().filter(|text| is_code(text)).count()) && (!numeric || are_codes(&texts, &numbers)) {
        return if texts.len() <= FEW { Recipe::Star } else { Recipe::Mask { keep_at_least: 1 } };
    }
    if numeric {
        return of_numbers(column, &numbers);
    }
    match texts.len() {
        0..=FEW => Recipe::Star,
        21..=5_000 => Recipe::Alphabetic { letters: 1 },
        _ => Recipe::Alphabetic { letters: 2 },
    }
}

fn date_levels(dates: &[Date], texts: &[&str]) -> Vec<DateLevel> {
    let years = dates.iter().map(|date| date.year);
    let span = years.clone().max().unwrap_or(0) - years.min().unwrap_or(0);
    let mut levels = match span {
        0..=2 => vec![DateLevel::Month, DateLevel::Quarter, DateLevel::Year],
        3..=9 => vec![DateLevel::Month, DateLevel::Year],
        _ => vec![DateLevel::Month, DateLevel::Year, DateLevel::Decade],
    };
    if texts.iter().any(|text| text.trim().len() > 10) {
        levels.insert(0, DateLevel::Day);
    }
    levels
}

/// Short, with a figure in it, in capitals: a postcode, a diagnosis, a ward's number.
fn is_code(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b" .-/".contains(&byte);
    text.len() <= 12 && text.bytes().all(allowed) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether numbers are rather codes: zeros before them, or all of one length and seldom round, but not years.
fn are_codes(texts: &[&str], numbers: &[f64]) -> bool {
    let figures = texts.iter().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit())).count();
    if figures * 20 < texts.len() * 19 {
        return false;
    }
    if texts.iter().any(|text| text.len() > 1 && text.starts_with('0')) {
        return true;
    }
    let mut lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    lengths.order();
    let usual = lengths[lengths.len() / 2];
    let of_usual_length = lengths.iter().filter(|&&length| length == usual).count();
    let round = numbers.iter().filter(|&&number| number % 10.0 == 0.0).count();
    let years = numbers.iter().filter(|number| (1850.0..=2100.0).contains(*number)).count();
    let one_length = usual >= 4 && of_usual_length * 20 >= texts.len() * 19;
    one_length && round * 2 < numbers.len() && years * 20 < numbers.len() * 19
}

/// `numbers` in order.
fn of_numbers(column: &Column, numbers: &[f64]) -> Recipe {
    let (Some(&least), Some(&most)) = (numbers.first(), numbers.last()) else { return Recipe::Star };
    let whole = numbers.iter().all(|&number| is_whole(number));
    if numbers.len() <= 5 {
        return Recipe::Star;
    }
    if whole && least >= 0.0 && most <= 120.0 && numbers.len() > FEW {
        return Recipe::Ages;
    }
    let share = |share: usize| numbers[(numbers.len() - 1) * share / 100];
    let skewed = (share(95) - share(5)) < (most - least) / 5.0;
    let half_in_one = column.counts.iter().any(|&count| count as usize * 2 > column.codes.len());
    if (skewed || half_in_one) && numbers.len() > FEW {
        return Recipe::Quantiles { groups: 16, factors: vec![2, 2] };
    }
    let rough = (most / INTERVALS - least / INTERVALS).max(f64::MIN_POSITIVE);
    let power = libm::pow(10.0, libm::log10(rough).floor());
    let (step, factors) = match rough / power {
        ..=1.5 => (1.0, vec![5, 2]),
        ..=3.0 => (2.0, vec![5, 2]),
        ..=7.5 => (5.0, vec![2, 2]),
        _ => (10.0, vec![5, 2]),
    };
    let mut width = if power >= 1.0 { step * power } else { step / libm::pow(10.0, -libm::log10(rough).floor()) };
    if whole {
        width = width.max(1.0);
    }
    if width.is_finite() && width > 0.0 {
        Recipe::Intervals { width, origin: 0.0, factors }
    } else {
        Recipe::Quantiles { groups: 16, factors: vec![2, 2] }
    }
}
