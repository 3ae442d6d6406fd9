//! Lines that say the same are one constraint, however they are written: spaces, quotes, the order of columns, `2` for `2..2`.
//!
//! Reasoning and search take time for each pair of constraints, so they are given each once. Complexity: O(constraints).

use std::collections::{BTreeMap, HashMap};

use super::Constraint;
use super::parse::{Said, parse};
use crate::words::{capital, counted, numbered};

/// Lines that are named one by one; more are counted.
const NAMED: usize = 20;

/// Which of some constraints are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// The places of those that none before says, ascending.
    pub first: Vec<usize>,
    /// For each constraint the place in `first` of the one it is.
    pub of: Vec<usize>,
}

impl Distinct {
    pub fn new(constraints: &[Constraint]) -> Distinct {
        let mut places: HashMap<&Constraint, usize> = HashMap::with_capacity(constraints.len());
        let mut distinct = Distinct { first: Vec::new(), of: Vec::with_capacity(constraints.len()) };
        for (place, constraint) in constraints.iter().enumerate() {
            let next = distinct.first.len();
            let at = *places.entry(constraint).or_insert(next);
            if at == next {
                distinct.first.push(place);
            }
            distinct.of.push(at);
        }
        distinct
    }

    /// The place of the constraint before that says the same, if there is one.
    pub fn same_as(&self, place: usize) -> Option<usize> {
        let first = *self.first.get(*self.of.get(place)?)?;
        (first != place).then_some(first)
    }

    /// Something of each different constraint, given back to all.
    pub fn spread<T: Clone>(&self, of_first: &[T]) -> Vec<T> {
        self.of.iter().filter_map(|&at| of_first.get(at).cloned()).collect()
    }
}

/// For each line the first one before that says the same, without a look at the table.
pub fn said_before<'l>(lines: impl Iterator<Item = &'l String>) -> Vec<Option<usize>> {
    let mut first: HashMap<Said, usize> = HashMap::new();
    let before = |(place, line): (usize, &String)| {
        let first = *first.entry(parse(line).ok()?.said()).or_insert(place);
        (first != place).then_some(first)
    };
    lines.enumerate().map(before).collect()
}

/// A sentence for each line that others repeat: `Lines 5 and 7 say the same as line 3.`
pub fn repeats(same_as: impl Iterator<Item = Option<usize>>) -> Vec<String> {
    let mut again: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, first) in same_as.enumerate() {
        if let Some(first) = first {
            again.entry(first).or_default().push(place);
        }
    }
    let sentence = |(first, places): (usize, Vec<usize>)| {
        let first = numbered("line", &[first]);
        match places.len() {
            1 => format!("{} says the same as {first}.", capital(&numbered("line", &places))),
            few if few <= NAMED => format!("{} say the same as {first}.", capital(&numbered("line", &places))),
            many => {
                let some: Vec<String> = places[..NAMED].iter().map(|place| (place + 1).to_string()).collect();
                let others = counted((many - NAMED) as u64, "other");
                format!("Lines {} and {others} say the same as {first}.", some.join(", "))
            }
        }
    };
    again.into_iter().map(sentence).collect()
}
