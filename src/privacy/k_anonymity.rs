//! k-anonymity: every class has at least k rows.

use super::{Better, Model, Monotone};
use crate::classes::Histogram;
use crate::words::counted;

#[derive(Clone, Debug, PartialEq)]
pub struct KAnonymity {
    pub k: u32,
}

impl Model for KAnonymity {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        class.size >= self.k
    }

    fn monotone(&self) -> Monotone {
        Monotone::Growing
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        f64::from(class.size)
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn least_rows(&self) -> u32 {
        self.k
    }

    fn explain(&self, class: &Histogram<'_>, _: &dyn Fn(u32) -> String) -> Option<String> {
        let needed = counted(u64::from(self.k), "row");
        (!self.holds(class)).then(|| format!("It has {}; {needed} are needed.", counted(u64::from(class.size), "row")))
    }
}
