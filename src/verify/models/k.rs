//! k-anonymity: a class has at least k rows.

use super::{Class, Model, Verdict};
use crate::hierarchy::Hierarchy;

pub struct KAnonymity {
    pub k: u32,
}

impl Model for KAnonymity {
    fn judge(&self, _: &Hierarchy, class: &Class) -> Verdict {
        Verdict { holds: class.rows >= u64::from(self.k), achieved: class.rows as f64 }
    }

    fn more_is_better(&self) -> bool {
        true
    }
}
