//! Groups by what values look like as text: masks, first letters, neighbours in order, and groups made by hand.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::values::{self, is_whole, without_accent};
use super::BuildError;
use super::assemble::{Group, Plan, in_natural_order, present, runs};
use super::numbers::whole_range;
use crate::sorting::Sorting;
use crate::table::Column;

/// More levels of a mask than this are of no use; longer values lose several characters a level.
const MOST_MASK_LEVELS: usize = 16;
/// More first letters than this would hardly group anything.
pub const MOST_LETTERS: u32 = 8;
/// Characters of a value that the label of a group of neighbours shows.
const SHOWN: usize = 40;

/// Hides characters from the right.
///
/// Values of one length are the plain case. Otherwise figures are aligned at the right, as if zeros stood before them
/// (a postcode 2139 is 02139 that has been through a spreadsheet), and other codes at the left, so that `A01` is with
/// `A01.1` in `A01**`: as many stars as the longest value of the group has characters more than are shown. Values more
/// than twice as long as usual, and words among figures, are no codes and are not placed.
pub fn mask(column: &Column, keep_at_least: u32) -> Plan {
    let text = |code: u32| column.dictionary.text(code);
    let is_figures = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut codes: Vec<(usize, u32)> =
        present(column).map(|code| (text(code).chars().count(), code)).filter(|&(length, _)| length > 0).collect();
    let figures = codes.iter().filter(|&&(_, code)| is_figures(text(code))).count();
    let figures = figures > 0 && figures * 10 >= codes.len() * 9;
    if figures {
        codes.retain(|&(_, code)| is_figures(text(code)));
    }
    codes.order_by_key(|&(length, _)| length);
    let usual = codes.get(codes.len() / 2).map_or(0, |&(length, _)| length);
    codes.retain(|&(length, _)| length <= (2 * usual).max(8));
    let longest = codes.last().map_or(0, |&(length, _)| length);
    let aligned = |(length, code): (usize, u32)| -> (Cow<'_, str>, usize, u32) {
        if figures && length < longest {
            (Cow::Owned("0".repeat(longest - length) + text(code)), longest, code)
        } else {
            (Cow::Borrowed(text(code)), length, code)
        }
    };
    let mut aligned: Vec<_> = codes.into_iter().map(aligned).collect();
    aligned.order_by(|one, other| (&one.0, text(one.2)).cmp(&(&other.0, text(other.2))));

    let least = (keep_at_least as usize).max(1);
    let step = longest.saturating_sub(least).div_ceil(MOST_MASK_LEVELS).max(1);
    let kept = std::iter::successors(longest.checked_sub(step), |kept| kept.checked_sub(step));
    let level = |kept: usize| {
        let label = |first: usize, end: usize, shown: &str| {
            let longest = aligned[first..end].iter().map(|&(_, length, _)| length).max().unwrap_or(0);
            format!("{shown}{}", "*".repeat(longest.saturating_sub(kept)))
        };
        runs(aligned.len(), |place| first_letters(&aligned[place].0, kept), label)
    };
    let levels = kept.take_while(|&kept| kept >= least).map(level).collect();
    Plan { levels, placed: aligned.iter().map(|&(_, _, code)| code).collect() }
}

fn first_letters(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// By first letters; `An*` under `A*`.
pub fn alphabetic(column: &Column, letters: u32) -> Result<Plan, BuildError> {
    if !(1..=MOST_LETTERS).contains(&letters) {
        return Err(BuildError::Letters);
    }
    let text = |code: u32| column.dictionary.text(code);
    let key = |code: u32| -> String {
        let letters = text(code).trim_start().chars().take(letters as usize);
        letters.map(without_accent).flat_map(char::to_uppercase).collect()
    };
    let mut keyed: Vec<(String, u32)> =
        present(column).map(|code| (key(code), code)).filter(|(key, _)| !key.is_empty()).collect();
    keyed.order_by(|one, other| (&one.0, text(one.1)).cmp(&(&other.0, text(other.1))));
    let level = |kept: usize| {
        let label = |first: usize, end: usize, shown: &str| {
            // A text that has no more letters than are shown needs no star.
            let only_itself = end - first == 1 && text(keyed[first].1) == shown;
            let too_short = shown.chars().count() < kept;
            if only_itself || too_short { shown.to_owned() } else { format!("{shown}*") }
        };
        runs(keyed.len(), |place| first_letters(&keyed[place].0, kept), label)
    };
    let levels = (1..=letters as usize).rev().map(level).collect();
    Ok(Plan { levels, placed: keyed.iter().map(|&(_, code)| code).collect() })
}

/// Neighbours in natural order, so many to a group.
pub fn ordered_groups(column: &Column, sizes: &[u32]) -> Result<Plan, BuildError> {
    if sizes.is_empty() || sizes.iter().any(|&size| size < 2) {
        return Err(BuildError::Sizes);
    }
    let placed = in_natural_order(column, present(column));
    let text = |place: usize| column.dictionary.text(placed[place]);
    let whole = |place: usize| values::number_of(column, text(place)).filter(|&value| is_whole(value));
    let all_whole = (0..placed.len()).all(|place| whole(place).is_some());
    let shown = |place: usize| {
        let whole = text(place);
        let shown = first_letters(whole, SHOWN);
        if shown.len() < whole.len() { Cow::Owned(format!("{shown}…")) } else { Cow::Borrowed(shown) }
    };
    let label = |first: usize, end: usize, _: usize| match (whole(first), whole(end - 1)) {
        _ if end - first == 1 => text(first).to_owned(),
        (Some(low), Some(high)) if all_whole => whole_range(low, high),
        _ => format!("{} … {}", shown(first), shown(end - 1)),
    };
    let mut size = 1usize;
    let mut levels: Vec<Vec<Group>> = Vec::new();
    for &factor in sizes {
        size = size.saturating_mul(factor as usize);
        // One group of all values would only repeat the root.
        if size >= placed.len() {
            break;
        }
        levels.push(runs(placed.len(), |place| place / size, label));
    }
    Ok(Plan { levels, placed })
}

/// Groups made by hand. A missing value that is named in a group is there because a person put it there.
pub fn groups(column: &Column, groups: &[(String, Vec<String>)]) -> Result<Plan, BuildError> {
    let dictionary = &column.dictionary;
    let code_of: HashMap<&str, u32> = dictionary.iter().zip(0..).collect();
    let mut group_of_name: HashMap<&str, usize> = HashMap::new();
    let mut group_of_code: HashMap<u32, usize> = HashMap::new();
    let mut plan = Plan { placed: Vec::new(), levels: vec![Vec::new()] };
    for ((name, values), group) in groups.iter().zip(1..) {
        if name.trim().is_empty() {
            return Err(BuildError::NoName { group });
        }
        if let Some(first) = group_of_name.insert(name, group) {
            return Err(BuildError::NameTwice { first, second: group });
        }
        let start = plan.placed.len();
        for &code in values.iter().filter_map(|value| code_of.get(value.as_str())) {
            match group_of_code.insert(code, group) {
                None => plan.placed.push(code),
                Some(first) if first != group => return Err(BuildError::ValueTwice { first, second: group }),
                Some(_) => {}
            }
        }
        let end = plan.placed.len();
        if end == start {
            continue;
        }
        let only_itself = end - start == 1 && dictionary.text(plan.placed[start]) == name;
        if name == "*" || code_of.contains_key(name.as_str()) && !only_itself {
            return Err(BuildError::NameOfValue { group });
        }
        plan.levels[0].push(Group { label: name.clone(), end });
    }
    Ok(plan)
}
