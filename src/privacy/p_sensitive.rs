//! p-sensitivity, the second half of p-sensitive k-anonymity (Truta and Vinay): every class has at least p different
//! values. It is distinct ℓ-diversity under its other name.

use super::{Better, DistinctL, Model, Monotone};
use crate::classes::Histogram;

#[derive(Clone, Debug, PartialEq)]
pub struct PSensitive {
    pub p: u32,
}

impl PSensitive {
    fn as_distinct(&self) -> DistinctL {
        DistinctL { l: self.p }
    }
}

impl Model for PSensitive {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        self.as_distinct().holds(class)
    }

    fn monotone(&self) -> Monotone {
        self.as_distinct().monotone()
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        self.as_distinct().achieved(class)
    }

    fn better(&self) -> Better {
        self.as_distinct().better()
    }

    fn least_rows(&self) -> u32 {
        self.p
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        self.as_distinct().explain(class, name)
    }
}
