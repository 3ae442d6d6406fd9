//! The privacy models as the verifier understands them: `docs/models.md` written down once more, a file for each model.
//!
//! Nothing here is shared with [`crate::privacy`], so that a mistake in one of the two shows as a release that is refused.
//! Only what is given is common to both: the tree, the policy as it was parsed, and how numbers and dates are read.
//! Plain goes before fast, but a class costs no more than its different values and their paths to the root.

mod alpha;
mod distinct;
mod entropy;
mod k;
mod recursive;
mod t_closeness;
mod tau_l;
mod values;
mod worst_counts;

use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::{Distance, ModelDemand};
use crate::sorting::Sorting;

pub(super) use values::Values;

/// A class, or a block of one, as a model sees it.
#[derive(Debug, PartialEq)]
pub(super) struct Class {
    /// n.
    pub rows: u64,
    /// Cells by the node that they stand for, in the order of the nodes.
    pub known: Vec<(NodeId, u64)>,
    pub unknown: u64,
}

impl Class {
    /// All cells by the node that they stand for: an unknown one for the root.
    fn cells(&self) -> Vec<(NodeId, u64)> {
        let unknown = (self.unknown > 0).then_some((ROOT, self.unknown));
        summed(unknown.into_iter().chain(self.known.iter().copied()).collect())
    }

    /// Whether every cell shows a value.
    fn only_values(&self, tree: &Hierarchy) -> bool {
        self.unknown == 0 && self.known.iter().all(|&(node, _)| tree.is_leaf(node))
    }

    /// A number of rows as a share of the class.
    fn share(&self, rows: u64) -> f64 {
        rows as f64 / self.rows as f64
    }
}

/// Amounts of the same node added up, in the order of the nodes.
fn summed(mut amounts: Vec<(NodeId, u64)>) -> Vec<(NodeId, u64)> {
    amounts.order();
    let of_node = |same: &[(NodeId, u64)]| (same[0].0, same.iter().map(|&(_, amount)| amount).sum());
    amounts.chunk_by(|one, other| one.0 == other.0).map(of_node).collect()
}

/// What a model says of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    pub holds: bool,
    /// The strictest parameter that the class would still meet.
    pub achieved: f64,
}

/// A definition of privacy.
pub(super) trait Model {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict;

    /// Whether more is better: of ℓ, but not of a distance.
    fn more_is_better(&self) -> bool;

    /// What a release without classes achieves.
    fn best(&self) -> f64 {
        if self.more_is_better() { f64::INFINITY } else { 0.0 }
    }

    /// Of what two classes achieve, what both do.
    fn worse(&self, one: f64, other: f64) -> f64 {
        if self.more_is_better() { one.min(other) } else { one.max(other) }
    }
}

/// The model that a demand asks for.
pub(super) fn model(demand: &ModelDemand, values: &Values) -> Result<Box<dyn Model>, Failure> {
    Ok(match demand {
        ModelDemand::KAnonymity { k } => of_rows(*k),
        ModelDemand::DistinctL { l } => Box::new(distinct::Distinct { least: *l }),
        ModelDemand::PSensitive { p } => Box::new(distinct::Distinct { least: *p }),
        ModelDemand::EntropyL { l, dont_care } => {
            Box::new(entropy::Entropy { l: *l, dont_care: values.named(dont_care)? })
        }
        ModelDemand::RecursiveCL { c, l, dont_care, no_negative, c2 } => Box::new(recursive::Recursive {
            c: *c,
            l: *l,
            dont_care: values.named(dont_care)?,
            no_negative: values.named(no_negative)?,
            c2: c2.unwrap_or(0.0),
        }),
        ModelDemand::AlphaK { alpha, values: named } => {
            Box::new(alpha::Alpha { alpha: *alpha, named: values.named(named)? })
        }
        ModelDemand::TauL { tau, l, weights } => Box::new(tau_l::TauL::new(*tau, *l, weights, values)),
        ModelDemand::TCloseness { t, distance } => match distance {
            Distance::Equal => Box::new(t_closeness::Equal::new(*t, values)?),
            Distance::Ordered => Box::new(t_closeness::Ordered::new(*t, values)?),
            Distance::Hierarchical => Box::new(t_closeness::Hierarchical::new(*t, values)?),
        },
    })
}

/// k-anonymity, which knows no values.
pub(super) fn of_rows(k: u32) -> Box<dyn Model> {
    Box::new(k::KAnonymity { k })
}

/// What a figure may be off its bound by rounding.
fn slack(bound: f64) -> f64 {
    1e-9 * bound.max(1.0)
}

fn at_least(figure: f64, bound: f64) -> bool {
    figure >= bound - slack(bound)
}

fn at_most(figure: f64, bound: f64) -> bool {
    figure <= bound + slack(bound)
}

fn strictly_below(figure: f64, bound: f64) -> bool {
    figure < bound - slack(bound)
}
