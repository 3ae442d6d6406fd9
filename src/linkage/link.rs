//! The linkage attack on everyone ((ℓ,δ)-diversity, Section 2.3; docs/spec.md §5): for each quasi-identifier its class in every
//! release, n(s) = the least count over the releases, and the diversity that is left.
//!
//! Where classes of one release overlap (local recoding), the person may be in any that covers them: the counts of all
//! are added. The population are the different quasi-identifiers of an original table, weighted by their rows, or, without
//! one, the cells of the finest common refinement: every combination of classes, one a release, that some person can
//! have. Only people who can be in all releases count.
//! Guarantee: no two rows are ever compared; a combination of classes is intersected once. Complexity: O(rows) and a
//! look-up for each different quasi-identifier, or in the number of combinations (at most [`MOST_CELLS`] are looked at).

mod covered;
mod names;
mod population;
mod tally;

use serde::{Deserialize, Serialize};

use super::releases::{NotUnderstood, Releases};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Role, Table};
use covered::Covered;
use names::Names;
use population::{common_cells, people_of};
use tally::Tally;
pub use tally::{least_counts, together};

/// As many combinations of classes as are looked at.
const MOST_CELLS: u64 = 2_000_000;
/// Steps between two checkpoints.
const STRIDE: u64 = 1024;

/// How many people have how many possible values: (ℓ, people), ascending. ℓ = 0 after linking means that nobody with
/// this quasi-identifier can be in all releases.
pub type Spread = Vec<(u32, u64)>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkView {
    pub quasi: Vec<String>,
    pub sensitive: String,
    /// Columns that not all releases have: they are not linked by.
    pub only_in_some: Vec<String>,
    /// Of releases with the class numbers of plans: whether the plan is the same, so that they are linked by them, too.
    pub same_plan: Option<bool>,
    /// Different sensitive values in all releases together.
    pub values: u64,
    pub releases: Vec<ReleaseView>,
    pub not_understood: Vec<NotUnderstood>,
    /// What was repaired while the releases were read: the release, and a sentence.
    pub repaired: Vec<(String, String)>,
    pub population: Population,
    /// The least that a single release leaves.
    pub before: Spread,
    pub after: Spread,
    pub exposed_before: u64,
    pub exposed_after: u64,
    /// After the first release, the first two, and so on.
    pub by_releases: Vec<Growth>,
    /// ℓ_[t] for the releases' least ℓ: nothing worse can be.
    pub worst_case: u32,
    /// The columns in common and what they are to the attack, class numbers of plans apart.
    pub common: Vec<(String, Role)>,
    /// Whether the attacker has the plan.
    pub with_plan: bool,
    /// For each quasi-identifier some values that somebody who can be in all releases may have.
    pub offers: Vec<Vec<String>>,
    /// People who are left with the fewest values, the worst off first.
    pub worst_off: Vec<WorstOff>,
}

/// Somebody who is left with few values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstOff {
    /// Their quasi-identifiers; nothing where the original table has not the column.
    pub cells: Vec<Option<String>>,
    /// The least that a single release leaves, and what is left after all.
    pub before: u32,
    pub after: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseView {
    pub name: String,
    pub rows: u64,
    /// Rows with a cell that was not understood.
    pub left_out: u64,
    pub classes: u64,
    /// The size of its smallest class, and the least number of different values in a class.
    pub k: u32,
    pub l: u32,
    /// ℓ of the people who can be in all releases, by this release alone.
    pub spread: Spread,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Whether they are people of an original table; else one for each cell of the common refinement.
    pub original: bool,
    /// Quasi-identifiers of the releases that the original table lacks.
    pub unknown: Vec<String>,
    /// Different quasi-identifiers.
    pub tuples: u64,
    pub people: u64,
    /// People whose quasi-identifiers have a class in all releases: only these are counted from here on.
    pub linked: u64,
    /// Whether all combinations of classes were looked at.
    pub complete: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    pub releases: u32,
    pub spread: Spread,
    pub exposed: u64,
}

/// Links everyone.
pub async fn link(releases: &Releases, original: Option<&Table>, progress: &Progress<'_>) -> Result<LinkView, Failure> {
    let covered = Covered::new(releases, original, progress).await?;
    let mut tally = Tally::new(releases);
    let population = match original {
        Some(table) => people_of(releases, table, &covered, &mut tally, progress).await?,
        None => common_cells(releases, &covered, &mut tally, progress).await?,
    };
    Ok(tally.view(releases, population, &Names::new(releases, &covered, original)))
}
