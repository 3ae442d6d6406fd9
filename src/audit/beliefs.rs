//! The Bayes-optimal attacker against a table whose original is not known: what the shares of the whole table make him
//! believe before, and the shares of a class after.

use serde::{Deserialize, Serialize};

use super::Grouped;
use crate::attack::belief::{self, Count, Evidence, Knowledge, Thresholds};
use crate::table::{Table, shortened};

/// Breaches that are listed.
const MOST_BREACHES: usize = 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeliefAudit {
    pub rows: u64,
    pub positive: Count,
    pub negative: Count,
    pub breaches: Count,
    pub worst: Vec<BreachView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreachView {
    pub class: u32,
    /// Rows of the class.
    pub rows: u32,
    pub value: String,
    pub prior: f64,
    pub observed: f64,
}

impl BeliefAudit {
    pub fn of(table: &Table, grouped: &Grouped, place: usize, thresholds: &Thresholds) -> BeliefAudit {
        let column = &table.columns[place];
        let values = column.class_codes().into_owned();
        let knowledge = Knowledge::of_values(&values);
        let evidence = Evidence::without_original(grouped.classes.clone(), values);
        let audit = belief::audit(&evidence, &knowledge, thresholds, MOST_BREACHES);
        let breach = |breach: &belief::Breach| BreachView {
            class: breach.class,
            rows: breach.rows,
            value: shortened(column.dictionary.text(breach.belief.value)),
            prior: breach.belief.prior,
            observed: breach.belief.observed,
        };
        BeliefAudit {
            rows: table.rows as u64,
            positive: audit.positive,
            negative: audit.negative,
            breaches: audit.breaches,
            worst: audit.worst.iter().map(breach).collect(),
        }
    }
}
