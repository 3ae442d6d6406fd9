//! Small sets of columns that single out many rows: what an attacker would want to know.
//!
//! For each size, the set with the most unique rows. All sets of a size are tried while they are few; beyond that only
//! extensions of the best sets one smaller, and the answer says so.

use serde::{Deserialize, Serialize};

use super::{Classes, Keys};
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use crate::words::counted;

/// The largest set looked at: four columns known about someone is a lot already.
const LARGEST: usize = 4;
/// As many sets as are tried for one size.
const MOST_SETS: usize = 2_000;
/// How many of the best sets are extended when not all can be tried.
const BEAM: usize = 40;

/// A set of columns and how many rows it makes unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinglingSet {
    /// Places of the columns among those that were given.
    pub columns: Vec<usize>,
    pub unique: u64,
    /// Whether every set of this size was tried.
    pub exact: bool,
}

/// The best set of each size from 1 on, until one makes nearly every row unique.
pub async fn singling_out(
    rows: usize,
    columns: &[Keys<'_>],
    progress: &Progress<'_>,
) -> Result<Vec<SinglingSet>, Failure> {
    let mut best_of_sizes = Vec::new();
    let mut previous: Vec<Vec<usize>> = vec![Vec::new()];
    let mut exact = true;
    for size in 1..=LARGEST.min(columns.len()) {
        let mut sets = extensions(&previous, columns.len(), exact);
        if sets.len() > MOST_SETS {
            exact = false;
            previous.truncate(BEAM);
            sets = extensions(&previous, columns.len(), exact);
        }
        let mut tried: Vec<(u64, Vec<usize>)> = Vec::with_capacity(sets.len());
        let total = sets.len();
        for set in sets {
            let keys: Vec<Keys> =
                set.iter().map(|&column| Keys { codes: columns[column].codes, size: columns[column].size }).collect();
            tried.push((Classes::group(rows, &keys).rows_in_classes_below(2), set));
            let report = || Report {
                phase: format!("Looking for {} that single out rows", counted(size as u64, "column")),
                fraction: Some(tried.len() as f64 / total as f64),
                detail: format!("{} of {}", tried.len(), counted(total as u64, "set")),
            };
            progress.checkpoint(report).await?;
        }
        tried.order_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let Some((unique, set)) = tried.first().cloned() else { break };
        best_of_sizes.push(SinglingSet { columns: set, unique, exact });
        if unique as f64 >= 0.95 * rows as f64 {
            break;
        }
        previous = tried.into_iter().map(|(_, set)| set).collect();
    }
    Ok(best_of_sizes)
}

/// Sets one larger: each set with a column added; of exact lists only with a later column, so that none comes twice.
fn extensions(sets: &[Vec<usize>], columns: usize, exact: bool) -> Vec<Vec<usize>> {
    let mut extended = Vec::new();
    for set in sets {
        let from = if exact { set.last().map_or(0, |last| last + 1) } else { 0 };
        for column in (from..columns).filter(|column| !set.contains(column)) {
            let mut larger = set.clone();
            larger.push(column);
            larger.order();
            extended.push(larger);
        }
    }
    extended.order();
    extended.dedup();
    extended
}
