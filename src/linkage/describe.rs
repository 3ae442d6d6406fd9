//! What a class of a plan shows in a column, in a notation that [`super::cells`] reads back: a value, `low..high` for
//! values that are all numbers (or dates) from one to another, `{a,b}` for several, `*` for all, and for values that have no
//! name (a place behind the last).
//!
//! Guarantee: read back, it covers the values that it describes and none of the column's others. A value that looks like
//! a notation, or has a comma in it, is in quotes inside braces.

use super::cells::{Cover, Reader, Value};
use crate::sorting::Sorting;

pub struct Describer<'a> {
    values: &'a [String],
    reader: Reader,
    /// Where each value stands among the numbers of the column; `None` for texts, and where numbers are not unique.
    places: Vec<Option<u32>>,
}

impl<'a> Describer<'a> {
    pub fn new(values: &'a [String]) -> Self {
        let reader = Reader::new(None, values.iter().map(String::as_str));
        let number = |text: &String| match reader.value(text) {
            Value::Number(number) if !text.contains([',', '"']) => Some(number),
            _ => None,
        };
        let numbers: Vec<Option<f64>> = values.iter().map(number).collect();
        let mut sorted: Vec<f64> = numbers.iter().flatten().copied().collect();
        sorted.order_by(f64::total_cmp);
        let unique = sorted.windows(2).all(|pair| pair[0] < pair[1]);
        // A number that could not be used above would lie between others.
        let all = values
            .iter()
            .zip(&numbers)
            .all(|(text, number)| number.is_some() || !matches!(reader.value(text), Value::Number(_)));
        let place = |number: &Option<f64>| {
            let number = number.filter(|_| unique && all)?;
            sorted.binary_search_by(|other| other.total_cmp(&number)).ok().map(|place| place as u32)
        };
        Describer { values, places: numbers.iter().map(place).collect(), reader }
    }

    /// The values in some half-open ranges of places, ascending and apart.
    pub fn describe(&self, ranges: &[(u32, u32)]) -> String {
        if ranges.iter().any(|&(_, end)| end as usize > self.values.len()) {
            return "*".to_owned();
        }
        if ranges.iter().map(|(start, end)| (end - start) as usize).sum::<usize>() == self.values.len() {
            return if self.values.len() == 1 { self.alone(0) } else { "*".to_owned() };
        }
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for place in ranges.iter().flat_map(|&(start, end)| start as usize..end as usize) {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == place && self.follows(*end, place) => *end = place,
                _ => runs.push((place, place)),
            }
        }
        let run = |&(first, last): &(usize, usize)| {
            if first == last {
                self.in_set(first)
            } else {
                format!("{}..{}", self.values[first].trim(), self.values[last].trim())
            }
        };
        match runs[..] {
            [(first, last)] if first == last => self.alone(first),
            [ref only] => run(only),
            _ => format!("{{{}}}", runs.iter().map(run).collect::<Vec<_>>().join(",")),
        }
    }

    /// Whether the next place has the next number.
    fn follows(&self, one: usize, next: usize) -> bool {
        matches!((self.places[one], self.places[next]), (Some(one), Some(next)) if one + 1 == next)
    }

    fn alone(&self, place: usize) -> String {
        let text = &self.values[place];
        let plain = match self.reader.read(text).map(|cell| cell.cover) {
            Some(Cover::Exactly(_)) => true,
            // An interval as a value covers itself, but must not cover another value.
            Some(Cover::Between(_)) => {
                let cell = self.reader.read(text);
                let covers = |other: &String| cell.as_ref().is_some_and(|cell| cell.covers(&self.reader.value(other)));
                self.values.iter().filter(|other| covers(other)).count() == 1
            }
            _ => false,
        };
        if plain { text.clone() } else { format!("{{{}}}", quoted(text)) }
    }

    fn in_set(&self, place: usize) -> String {
        let text = &self.values[place];
        let exact = matches!(self.reader.read(text), Some(cell) if matches!(cell.cover, Cover::Exactly(_)));
        let plain = exact && text.trim() == text && !text.contains([',', '"', '{', '}']) && !text.contains(" or ");
        if plain { text.clone() } else { quoted(text) }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(values: &[&str], ranges: &[(u32, u32)]) -> String {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        Describer::new(&values).describe(ranges)
    }

    #[test]
    fn notations() {
        let ages = ["17", "18", "20", "25", "90+", "?"];
        assert_eq!(described(&ages, &[(0, 6)]), "*");
        assert_eq!(described(&ages, &[(1, 4)]), "18..25");
        assert_eq!(described(&ages, &[(2, 3)]), "20");
        assert_eq!(described(&ages, &[(0, 1), (3, 5)]), "{17,25,\"90+\"}");
        assert_eq!(described(&ages, &[(4, 5)]), "90+");
        assert_eq!(described(&ages, &[(5, 6)]), "?");
        // By groups, not by size: no range would be right.
        assert_eq!(described(&["1", "3", "2", "4"], &[(0, 2)]), "{1,3}");
        assert_eq!(described(&["2020-01-01", "2020-02-01", "2021-01-01"], &[(0, 2)]), "2020-01-01..2020-02-01");
        assert_eq!(described(&["a,b", "*", "c"], &[(0, 2)]), "{\"a,b\",\"*\"}");
        assert_eq!(described(&["a,b", "*", "c"], &[(1, 2)]), "{\"*\"}");
    }

    #[test]
    fn what_is_read_back_is_what_was_described() {
        let columns: [&[&str]; 7] = [
            &["17", "18", "20", "25", "90+", "?"],
            &["30", "10", "20", "1.5", "-3", "1,5", "x"],
            &["a,b", "a", "{", "[20-", "a or b", "*", "\"q\"", "5*", "50", "57"],
            &["2020-01-01", "2020-02-01", "2019-12-31", "2021-06-01", ""],
            &["01067", "01069", "10115", "1067"],
            &["20-29", "25", "30-39", "<20", "15"],
            &["Zürich", "東京", "a … c", "b", "~", "x~y", " y "],
        ];
        for values in columns {
            let owned: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
            let describer = Describer::new(&owned);
            for mask in 1u32..1 << values.len() {
                let ranges: Vec<(u32, u32)> = (0..values.len() as u32)
                    .filter(|place| mask >> place & 1 == 1)
                    .map(|place| (place, place + 1))
                    .collect();
                let text = describer.describe(&ranges);
                let cell = describer.reader.read(&text).unwrap_or_else(|| panic!("{text}"));
                for (place, value) in values.iter().enumerate() {
                    let base = describer.reader.value(value);
                    let described = values
                        .iter()
                        .enumerate()
                        .any(|(other, text)| mask >> other & 1 == 1 && describer.reader.value(text) == base);
                    assert_eq!(cell.covers(&base), described, "{text} for {value} ({place})");
                }
            }
        }
    }
}
