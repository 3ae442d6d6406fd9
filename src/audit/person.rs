//! One person as an attacker sees them who knows their quasi-identifiers: their class, and what is left to rule out.

use serde::{Deserialize, Serialize};

use super::Grouped;
use crate::attack::background::{self, Person};
use crate::table::{Table, shortened};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonView {
    /// The row's place in the file, from 1.
    pub row: u64,
    pub class_size: u32,
    /// What is known of the person: column and cell.
    pub known: Vec<(String, String)>,
    pub value: String,
    /// How sure an attacker is of the value who knows the class only.
    pub certainty: f64,
    /// The other values of the class, in the order that makes the attacker sure soonest.
    pub others: Vec<PersonValue>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonValue {
    pub value: String,
    pub count: u32,
    /// How sure the attacker is of the person's value once this one and those before are ruled out.
    pub certainty: f64,
}

impl PersonView {
    /// The person of a row (from 0) and one of the grouped sensitive columns.
    pub fn of(table: &Table, grouped: &Grouped, place: usize, row: usize) -> Option<PersonView> {
        let (_, histograms) = grouped.sensitive.iter().find(|(other, _)| *other == place)?;
        let class = *grouped.classes.of_row.get(row)? as usize;
        let column = &table.columns[place];
        let histogram = histograms.class(class);
        let Person { value, certainty, others } = background::person(&histogram, column.class_codes()[row])?;
        let text = |code: u32| shortened(column.dictionary.text(code));
        let known = |&quasi: &usize| {
            let column = &table.columns[quasi];
            (column.name.clone(), shortened(column.text(row)))
        };
        Some(PersonView {
            row: row as u64 + 1,
            class_size: histogram.size,
            known: grouped.quasi.iter().map(known).collect(),
            value: text(value),
            certainty,
            others: others
                .into_iter()
                .map(|other| PersonValue { value: text(other.value), count: other.count, certainty: other.certainty })
                .collect(),
        })
    }
}
