//! Minimal covers (§3.4): constraints that say as much as all, and of which none can be left out.
//!
//! Constraints are tried from the last to the first, so that of two that say the same the earlier one stays.
//! Complexity: |Σ| implications.

use super::exact::{Fewest, Implication, Reasoner};
use super::{Constraint, axioms};
use crate::failure::Failure;
use crate::progress::Progress;

/// The places of those that stay, as far as the axioms see it.
pub fn by_axioms(constraints: &[Constraint]) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..constraints.len()).collect();
    for place in (0..constraints.len()).rev() {
        let others = kept.iter().filter(|&&other| other != place).map(|&other| (other, &constraints[other]));
        if axioms::implies(others, &constraints[place]).is_some() {
            kept.retain(|&other| other != place);
        }
    }
    kept
}

/// The places of those that stay; one that can't be decided does, and then it is not proved that none can be left out.
/// Only `asked` are tried: what does not follow from all others follows from no fewer.
pub async fn exact(reasoner: &Reasoner<'_>, asked: &[usize], progress: &Progress<'_>) -> Result<Fewest, Failure> {
    let constraints = reasoner.constraints;
    // What the axioms remove is implied, and what implies it stays until something else does.
    let (mut kept, mut proved) = (by_axioms(constraints), true);
    for place in kept.clone().into_iter().rev().filter(|place| asked.contains(place)) {
        let others: Vec<usize> = kept.iter().copied().filter(|&other| other != place).collect();
        match reasoner.implies(&others, &constraints[place], progress).await? {
            Implication::Implied => kept = others,
            Implication::Undecided => proved = false,
            Implication::Counterexample(_) => {}
        }
    }
    Ok((kept, proved))
}
