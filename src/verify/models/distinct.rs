//! Distinct ℓ-diversity and p-sensitivity: whatever the truth is, a class has at least so many different values.

use super::worst_counts::worst_counts;
use super::{Class, Model, Verdict};
use crate::hierarchy::Hierarchy;

pub struct Distinct {
    pub least: u32,
}

impl Model for Distinct {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        let different = worst_counts(tree, class).len();
        Verdict { holds: different >= self.least as usize, achieved: different as f64 }
    }

    fn more_is_better(&self) -> bool {
        true
    }
}
