//! The base values of a column that linking needs to tell apart, in order, and which of them each cell covers.
//!
//! With an original table they are its values. Without one they are the hierarchy's leaves and the values that cells
//! name, and where cells are intervals or masks, one value for every stretch between their bounds: all values of a
//! stretch are covered by the same cells. Guarantee: cells that have a value in common have one here.
//! Complexity: O(n · log n) in the values and bounds; a cell's values are found by binary search.

use super::cells::{Cell, Cover, Interval, LIKE_NO_OTHER, Reader, Value};
use crate::sorting::Sorting;

/// Half-open ranges of places, ascending and apart.
pub type Ranges = Vec<(u32, u32)>;

/// Different values in the order of [`Value::order`].
#[derive(Debug)]
pub struct Domain {
    values: Vec<Value>,
}

impl Domain {
    pub fn of_values(values: impl Iterator<Item = Value>) -> Self {
        let mut values: Vec<Value> = values.collect();
        values.order_by(Value::order);
        values.dedup();
        Domain { values }
    }

    /// The values that some cells can tell apart.
    pub fn of_cells<'a>(reader: &Reader, cells: impl Iterator<Item = &'a Cell> + Clone) -> Self {
        let leaves = Domain::of_values(reader.leaves());
        let mut named: Vec<Value> = Vec::new();
        let mut bounds: Vec<f64> = Vec::new();
        cells.clone().for_each(|cell| name(&cell.cover, &mut named, &mut bounds));
        if leaves.is_empty() {
            named.extend(stretches(bounds, &named));
        }
        let mut domain = Domain::of_values(leaves.values.into_iter().chain(named));
        if domain.is_empty() {
            // Where all cells are `*`, there still are people.
            domain.values.push(Value::Missing);
        }
        // What the tree lacks and only an interval has would be in no class.
        let without: Vec<Value> = cells
            .filter(|cell| domain.ranges(cell).is_empty())
            .filter_map(|cell| match &cell.cover {
                Cover::Between(interval) => Some(Value::Number(inside(interval))),
                _ => None,
            })
            .collect();
        if !without.is_empty() {
            domain = Domain::of_values(domain.values.into_iter().chain(without));
        }
        domain
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn value(&self, place: u32) -> Option<&Value> {
        self.values.get(place as usize)
    }

    pub fn place(&self, value: &Value) -> Option<u32> {
        self.values.binary_search_by(|other| other.order(value)).ok().map(|place| place as u32)
    }

    /// The places that a cell covers.
    pub fn ranges(&self, cell: &Cell) -> Ranges {
        let mut ranges = Vec::new();
        self.gather(cell, &mut ranges);
        merged(ranges)
    }

    fn gather(&self, cell: &Cell, ranges: &mut Ranges) {
        let start = |before: &dyn Fn(&Value) -> bool| self.values.partition_point(before) as u32;
        let one = |value: &Value| self.place(value).map(|place| (place, place + 1));
        // A value may be written like a notation.
        ranges.extend(one(&Value::Text(cell.text.clone())));
        match &cell.cover {
            Cover::Everything => ranges.push((0, self.len() as u32)),
            Cover::Exactly(value) => ranges.extend(one(value)),
            Cover::Leaves(leaves) => ranges.extend(leaves.iter().filter_map(one)),
            Cover::AnyOf(cells) => cells.iter().for_each(|cell| self.gather(cell, ranges)),
            Cover::Between(interval) => {
                let below = |value: &Value| match value {
                    Value::Number(number) => *number < interval.low || (!interval.low_in && *number == interval.low),
                    _ => false,
                };
                let within = |value: &Value| match value {
                    Value::Number(number) => *number < interval.high || (interval.high_in && *number == interval.high),
                    _ => false,
                };
                ranges.push((start(&below), start(&within)));
            }
            Cover::Prefix { prefix, .. } => {
                let below = |value: &Value| match value {
                    Value::Number(_) => true,
                    Value::Text(text) => text < prefix,
                    Value::Missing => false,
                };
                let first = start(&below) as usize;
                let same = self.values[first..]
                    .partition_point(|value| matches!(value, Value::Text(text) if text.starts_with(prefix.as_str())));
                let covered = (first..first + same).filter(|&place| cell.covers(&self.values[place]));
                ranges.extend(covered.map(|place| (place as u32, place as u32 + 1)));
            }
            Cover::Texts { first, last } => {
                let below = |value: &Value| match value {
                    Value::Number(_) => true,
                    Value::Text(text) => text < first,
                    Value::Missing => false,
                };
                let within = |value: &Value| match value {
                    Value::Number(_) => true,
                    Value::Text(text) => text <= last,
                    Value::Missing => false,
                };
                ranges.push((start(&below), start(&within)));
            }
        }
    }
}

fn merged(mut ranges: Ranges) -> Ranges {
    ranges.retain(|(start, end)| start < end);
    ranges.order();
    let mut merged: Ranges = Vec::with_capacity(ranges.len());
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// The places in both.
pub fn common(one: &[(u32, u32)], other: &[(u32, u32)]) -> Ranges {
    let (mut left, mut right, mut common) = (0, 0, Vec::new());
    while let (Some(&(start, end)), Some(&(other_start, other_end))) = (one.get(left), other.get(right)) {
        let (start, both) = (start.max(other_start), end.min(other_end));
        if start < both {
            common.push((start, both));
        }
        if end <= other_end {
            left += 1;
        } else {
            right += 1;
        }
    }
    common
}

/// The values that a cover names, and the bounds of its intervals.
fn name(cover: &Cover, named: &mut Vec<Value>, bounds: &mut Vec<f64>) {
    match cover {
        Cover::Everything => {}
        Cover::Exactly(value) => named.push(value.clone()),
        Cover::Leaves(leaves) => named.extend(leaves.iter().cloned()),
        Cover::Between(interval) => {
            bounds.extend([interval.low, interval.high].into_iter().filter(|bound| bound.is_finite()));
        }
        // A text that begins so and goes on like no other.
        Cover::Prefix { prefix, .. } => named.push(Value::Text(format!("{prefix}{LIKE_NO_OTHER}"))),
        Cover::Texts { first, last } => named.extend([first, last].map(|text| Value::Text(text.clone()))),
        Cover::AnyOf(cells) => cells.iter().for_each(|cell| name(&cell.cover, named, bounds)),
    }
}

/// The bounds themselves, and a number between each two neighbours and beyond the last: in a column of whole numbers a
/// whole one, if there is any.
fn stretches(mut bounds: Vec<f64>, named: &[Value]) -> Vec<Value> {
    if bounds.is_empty() {
        return Vec::new();
    }
    bounds.extend(named.iter().filter_map(|value| match value {
        Value::Number(number) => Some(*number),
        _ => None,
    }));
    bounds.order_by(f64::total_cmp);
    bounds.dedup();
    let whole = bounds.iter().all(|bound| bound.fract() == 0.0);
    let between = |pair: &[f64]| {
        let (low, high) = (pair[0], pair[1]);
        let middle = if whole { low + 1.0 } else { low + (high - low) / 2.0 };
        (low < middle && middle < high).then_some(middle)
    };
    let gaps = bounds.windows(2).filter_map(between);
    let ends = bounds.first().map(|first| first - 1.0).into_iter().chain(bounds.last().map(|last| last + 1.0));
    let numbers: Vec<f64> = gaps.chain(ends).collect();
    bounds.into_iter().chain(numbers).map(Value::Number).collect()
}

fn inside(interval: &Interval) -> f64 {
    match (interval.low.is_finite(), interval.high.is_finite()) {
        _ if interval.low_in => interval.low,
        _ if interval.high_in => interval.high,
        (true, true) => interval.low + (interval.high - interval.low) / 2.0,
        (true, false) => interval.low + 1.0,
        (false, true) => interval.high - 1.0,
        (false, false) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_cells_cover() {
        let texts = [
            "20-29",
            "[25,30[",
            "31",
            "≥ 40",
            "A*",
            "An*",
            "A01**",
            "A01.1",
            "{31,x,An}",
            "*",
            "?",
            "a … c",
            "b",
            "<20",
            "(29,31)",
            "90+",
            "1305*",
            "130**",
        ];
        let reader = Reader::new(None, std::iter::empty());
        let cells: Vec<Cell> = texts.iter().map(|text| reader.read(text).unwrap()).collect();
        let values = ["19", "20", "25", "29", "30", "31", "40", "13055", "A01", "A01.1", "An", "b", "NA", "90+", "zz"];
        let given = Domain::of_values(values.iter().map(|text| reader.value(text)));
        for domain in [given, Domain::of_cells(&reader, cells.iter())] {
            let within = |ranges: &Ranges, place: usize| {
                ranges.iter().any(|&(start, end)| (start as usize..end as usize).contains(&place))
            };
            for (cell, text) in cells.iter().zip(texts) {
                let ranges = domain.ranges(cell);
                for (place, value) in domain.values.iter().enumerate() {
                    assert_eq!(within(&ranges, place), cell.covers(value), "{text} {value:?}");
                }
                for other in &cells {
                    let others = domain.ranges(other);
                    let both = common(&ranges, &others);
                    for place in 0..domain.len() {
                        assert_eq!(within(&both, place), within(&ranges, place) && within(&others, place));
                    }
                }
            }
        }
        // Without an original, cells that share a value share a place.
        let domain = Domain::of_cells(&reader, cells.iter());
        let share = |one: &str, other: &str| {
            let ranges = |text: &str| domain.ranges(&reader.read(text).unwrap());
            !common(&ranges(one), &ranges(other)).is_empty()
        };
        assert!(share("20-29", "[25,30[") && share("A*", "An*") && share("A01**", "A*") && share("1305*", "130**"));
        assert!(share("130**", "≥ 40") && share("90+", "≥ 40") && !share("An*", "A01**"));
        // No whole number lies between 29 and 30, and one between 29 and 31.
        assert!(!share("(29,31)", "[25,30[") && !share("<20", "20-29") && !share("(29,31)", "31"));
    }
}
