//! What 1DLD and CLD make of the (τ,ℓ) that a release was made for ((τ,ℓ)-diversity, §IV).
//!
//! The outcome is measured, not released: nothing of it can be shown row by row or exported.

use serde::{Deserialize, Serialize};

use super::local_recoding::problem;
use super::sorted::Sorted;
use crate::algorithms::one_d::Curve;
use crate::algorithms::one_d::peers::{self, Until};
use crate::algorithms::sweep;
use crate::failure::Failure;
use crate::metrics::utility;
use crate::policy::Setup;
use crate::progress::Progress;
use crate::release::Released;
use crate::resolved_policy::ResolvedPolicy;
use crate::table::Table;

/// What a peer makes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peer {
    /// What it is called in the paper.
    pub name: String,
    /// Its best release that meets (τ,ℓ) and all else; `None` when it can publish nothing.
    pub found: Option<PeerRelease>,
    pub milliseconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerRelease {
    /// The ℓ, and for CLD the c, of its own model.
    pub l: u32,
    pub c: Option<f64>,
    pub utility: f64,
    pub excess: f64,
    pub classes: u64,
}

pub async fn compare(table: &Table, setup: &Setup, progress: &Progress<'_>) -> Result<Vec<Peer>, Failure> {
    let Sorted { table, checked, .. } = &Sorted::of(table, setup, &ResolvedPolicy::new(setup, table)?)?;
    let problem = problem(table, checked);
    let Some(asked) = sweep::asked(&problem) else {
        return Err(Failure::refused("This release was not made for (τ,ℓ)-diversity.", "Add it to the policy."));
    };
    let mut all = Vec::new();
    for name in ["1DLD", "CLD"] {
        let started = progress.now();
        let found = match name {
            "1DLD" => peers::one_d(&problem, &asked, Curve::Hilbert, Until::Best, progress).await?,
            _ => peers::lattice(&problem, &asked, Until::Best, progress).await?,
        };
        let milliseconds = progress.now() - started;
        let release = |found: peers::Found| {
            let released =
                Released { table, quasi: &checked.quasi, sensitive: &checked.sensitive, release: &found.release };
            PeerRelease {
                l: found.l,
                c: found.c,
                utility: utility::of(&released, &found.release.sizes()),
                excess: found.excess,
                classes: found.release.seen(&checked.quasi).1.sizes.len() as u64,
            }
        };
        all.push(Peer { name: name.to_owned(), found: found.map(release), milliseconds });
    }
    Ok(all)
}
