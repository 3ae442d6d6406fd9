//! What would happen without the limits (the point of constrained k-anonymity, §5), or without the diversity constraints
//! (that of DIVA, §1): the same algorithm knowing no limits, or k-member knowing no constraints.
//!
//! The outcome is counted, not released: nothing of it can be shown row by row or exported.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::local_recoding::clustered;
use super::sorted::Sorted;
use crate::constraints::count;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::metrics::{limit_violations, loss};
use crate::policy::{Algorithm, Method, Setup};
use crate::progress::Progress;
use crate::release::Released;
use crate::resolved_policy::ResolvedPolicy;
use crate::table::Table;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unconstrained {
    /// The quasi-identifiers with limits, and how many cells pass theirs.
    pub violations: Vec<(String, u64)>,
    /// Rows that would show the values of each diversity constraint.
    pub counts: Vec<u64>,
    pub loss: f64,
    pub classes: u64,
    pub suppressed: u64,
    pub milliseconds: f64,
}

/// Runs without the limits an algorithm that recodes locally; in place of DIVA, k-member within the limits.
pub async fn unconstrained(table: &Table, setup: &Setup, progress: &Progress<'_>) -> Result<Unconstrained, Failure> {
    let (method, refine, free) = match setup.algorithm {
        Algorithm::Local { method, refine } => (method, refine, without_limits(setup)),
        Algorithm::Diva { refine, .. } => (Method::KMember, refine, setup.clone()),
        Algorithm::Lattice { .. } | Algorithm::Sweep { .. } => {
            let what = "This is for algorithms that recode locally.";
            return Err(Failure::refused(what, "Choose k-member, GreedyCKA, Mondrian or DIVA."));
        }
    };
    let started = progress.now();
    let limited = ResolvedPolicy::new(setup, table)?;
    let checked = ResolvedPolicy::new(&free, table)?;
    let sorted = Sorted::of(table, &free, &checked)?;
    let release = sorted.back(clustered(&sorted.table, &sorted.checked, method, refine, progress).await?);
    let milliseconds = progress.now() - started;
    let released = Released { table, quasi: &checked.quasi, sensitive: &checked.sensitive, release: &release };
    let limits: Vec<Vec<NodeId>> = limited.quasi.iter().map(|quasi| quasi.limit_of_code.clone()).collect();
    let violations = limit_violations::of(&released, &limits);
    let (sizes, suppressed) = (release.sizes(), release.suppressed() as u64);
    let losses = checked.quasi.iter().zip(&release.quasi);
    let losses: Vec<f64> =
        losses.map(|(quasi, nodes)| loss::of_column(&quasi.tree, nodes, &sizes, suppressed)).collect();
    let counts = if limited.constraints.is_empty() {
        Vec::new()
    } else {
        let (output, _) = release.to_table(table, &checked.quasi, &checked.sensitive, &checked.identifiers)?;
        count::of_all(&limited.constraints, table, &output)
    };
    let is_limited = |place: usize| setup.columns[place].template.as_ref().is_some_and(|tree| !tree.limits.is_empty());
    let named = checked.quasi.iter().zip(violations).filter(|(quasi, _)| is_limited(quasi.column));
    Ok(Unconstrained {
        violations: named.map(|(quasi, cells)| (table.columns[quasi.column].name.clone(), cells)).collect(),
        counts,
        loss: loss::arithmetic(&losses),
        classes: sizes.len() as u64,
        suppressed,
        milliseconds,
    })
}

fn without_limits(setup: &Setup) -> Setup {
    let mut free = setup.clone();
    for column in &mut free.columns {
        if let Some(template) = &mut column.template {
            Rc::make_mut(template).limits.clear();
        }
    }
    free
}
