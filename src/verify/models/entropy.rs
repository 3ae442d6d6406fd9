//! Entropy ℓ-diversity: e^H of the worst counts is at least ℓ.
//!
//! With a don't-care set, H is the adjusted entropy of the ℓ-diversity paper (Algorithm 1): the highest that comes out if
//! some of the don't-care rows are left out. An entropy is highest where no don't-care value has more rows than e to the
//! log-entropic mean of the others.

use super::worst_counts::worst_counts;
use super::{Class, Model, Verdict, at_least};
use crate::hierarchy::{Hierarchy, NodeId};
use crate::sorting::Sorting;

pub struct Entropy {
    pub l: f64,
    pub dont_care: Vec<NodeId>,
}

impl Model for Entropy {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        if self.dont_care.is_empty() {
            let counts: Vec<f64> = worst_counts(tree, class).into_iter().map(|count| count as f64).collect();
            return self.verdict(e_to_entropy(&counts));
        }
        if !class.only_values(tree) {
            return Verdict { holds: false, achieved: 0.0 };
        }
        let is_open = |node: NodeId| self.dont_care.iter().any(|&named| tree.covers(named, node));
        let counts = |open: bool| {
            let same = class.known.iter().filter(move |cell| is_open(cell.0) == open);
            same.map(|&(_, count)| count as f64).collect::<Vec<f64>>()
        };
        self.verdict(adjusted(counts(false), counts(true)))
    }

    fn more_is_better(&self) -> bool {
        true
    }
}

impl Entropy {
    fn verdict(&self, achieved: f64) -> Verdict {
        Verdict { holds: at_least(achieved, self.l), achieved }
    }
}

/// e^H.
fn e_to_entropy(counts: &[f64]) -> f64 {
    let rows: f64 = counts.iter().sum();
    let terms = counts.iter().map(|&count| count / rows).filter(|&share| share > 0.0).map(|p| -p * libm::log(p));
    libm::exp(terms.sum())
}

/// The same of counts that must stay and of don't-care counts, which may be lowered.
fn adjusted(mut kept: Vec<f64>, mut dont_care: Vec<f64>) -> f64 {
    // All can be lowered to the same count.
    if kept.is_empty() {
        return dont_care.len() as f64;
    }
    dont_care.order_by(f64::total_cmp);
    for count in dont_care {
        let rows: f64 = kept.iter().sum();
        let log_entropic_mean = kept.iter().map(|count| count * libm::log(*count)).sum::<f64>() / rows;
        // One that was lowered to the mean leaves the mean as it is, for those after it.
        kept.push(count.min(libm::exp(log_entropic_mean)));
    }
    e_to_entropy(&kept)
}
