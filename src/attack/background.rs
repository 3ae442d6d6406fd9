//! The background-knowledge attack (ℓ-diversity paper, §1.1 and §4): an attacker who knows that a person does not have some
//! of the values of their class is left with fewer.
//!
//! A class with d values falls to everyone who can rule out d − 1 of them. Complexity: O(entries of the histograms).

use serde::{Deserialize, Serialize};

use crate::classes::Histogram;
use crate::classes::Histograms;
use crate::sorting::Sorting;

/// How many values must be ruled out to be sure of a person in the class: all but theirs.
pub fn values_to_rule_out(class: &Histogram<'_>) -> u32 {
    (class.counts.len() as u32).saturating_sub(1)
}

/// A value that an attacker rules out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuledOut {
    pub value: u32,
    /// Rows of the class that have it.
    pub count: u32,
    /// How sure the attacker is of the person's value after this one and those before are ruled out.
    pub certainty: f64,
}

/// One person as the attacker sees them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// The value that the person has.
    pub value: u32,
    /// How sure an attacker is of it who knows the class only.
    pub certainty: f64,
    /// The other values of the class, in the order that makes the attacker sure soonest: the frequent ones first, of
    /// equally frequent ones the lower code.
    pub others: Vec<RuledOut>,
}

/// A person of the class who has `value`; `None` when no one in it does.
pub fn person(class: &Histogram<'_>, value: u32) -> Option<Person> {
    let &(_, own) = class.counts.iter().find(|&&(other, _)| other == value)?;
    let mut others: Vec<(u32, u32)> = class.counts.iter().copied().filter(|&(other, _)| other != value).collect();
    others.order_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    let mut left = class.size;
    let certainty = |left: u32| f64::from(own) / f64::from(left);
    let rule_out = |(value, count): (u32, u32)| {
        left -= count;
        RuledOut { value, count, certainty: certainty(left) }
    };
    Some(Person { value, certainty: certainty(class.size), others: others.into_iter().map(rule_out).collect() })
}

/// What falls to an attacker who can rule out a number of values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallen {
    pub ruled_out: u32,
    pub classes: u64,
    pub rows: u64,
}

/// For 0, 1, 2, … values ruled out, until every class has fallen.
pub fn fallen(histograms: &Histograms) -> Vec<Fallen> {
    let needed = |class: &Histogram<'_>| values_to_rule_out(class) as usize;
    let Some(most) = histograms.iter().map(|class| needed(&class)).max() else { return Vec::new() };
    let mut fallen: Vec<Fallen> =
        (0..=most as u32).map(|ruled_out| Fallen { ruled_out, classes: 0, rows: 0 }).collect();
    for class in histograms.iter() {
        let fallen = &mut fallen[needed(&class)];
        fallen.classes += 1;
        fallen.rows += u64::from(class.size);
    }
    for place in 1..fallen.len() {
        let (classes, rows) = (fallen[place - 1].classes, fallen[place - 1].rows);
        fallen[place].classes += classes;
        fallen[place].rows += rows;
    }
    fallen
}
