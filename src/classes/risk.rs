//! How exposed rows are when nothing has been done yet: the sizes of their classes on the quasi-identifiers.

use serde::{Deserialize, Serialize};

use super::Classes;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    pub rows: u64,
    pub classes: u64,
    /// Rows that are the only one of their kind.
    pub unique: u64,
    pub below_5: u64,
    /// Eleven is the smallest class that keeps the risk under 0.09.
    pub below_11: u64,
}

impl Risk {
    pub fn of(classes: &Classes) -> Self {
        Risk {
            rows: classes.of_row.len() as u64,
            classes: classes.sizes.len() as u64,
            unique: classes.rows_in_classes_below(2),
            below_5: classes.rows_in_classes_below(5),
            below_11: classes.rows_in_classes_below(11),
        }
    }
}
