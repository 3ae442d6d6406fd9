//! Whether a release keeps the policy's diversity constraints: recounted here on its texts, with the parser of
//! [`crate::constraints`] and none of its counting.

use std::collections::{HashMap, HashSet};

use super::cells::missing_texts;
use super::{Offence, STRIDE, Unverified, report};
use crate::constraints::{Constraint, Target, bind};
use crate::policy::Setup;
use crate::progress::Progress;
use crate::table::{Column, Table};

/// Rows that show each constraint's values, in the order of the policy. `released` has the output's columns with the
/// places of their originals.
pub(super) async fn check(
    original: &Table,
    setup: &Setup,
    released: &[(usize, &Column)],
    rows: usize,
    progress: &Progress<'_>,
) -> Result<Vec<u64>, Unverified> {
    let mut counts = Vec::with_capacity(setup.diversity.len());
    // Lines that name the same values count the same rows.
    let mut known: HashMap<Vec<Target>, u64> = HashMap::new();
    for (place, constraint) in bind::all(setup, original)?.into_iter().enumerate() {
        if let Some(&count) = known.get(&constraint.target) {
            counts.push(within(place, &constraint, count)?);
            continue;
        }
        // Row by row, the columns that do not show their value yet; nothing but the text of a cell decides.
        let mut open = vec![constraint.target.len(); rows];
        for target in &constraint.target {
            progress.checkpoint(|| report("Verifying constraints", place, setup.diversity.len())).await?;
            let Some((_, column)) = released.iter().find(|(place, _)| *place == target.column) else { continue };
            let tokens = missing_texts(&original.columns[target.column]);
            let one_of: HashSet<&str> = if tokens.contains(&target.value.as_str()) {
                tokens.into_iter().collect()
            } else {
                HashSet::from([target.value.as_str()])
            };
            let shows: Vec<bool> = column.dictionary.iter().map(|text| one_of.contains(text)).collect();
            for (open, codes) in open.chunks_mut(STRIDE).zip(column.codes.chunks(STRIDE)) {
                progress.checkpoint(|| report("Verifying constraints", place, setup.diversity.len())).await?;
                for (open, &code) in open.iter_mut().zip(codes) {
                    *open -= usize::from(shows[code as usize]);
                }
            }
        }
        let count = open.iter().filter(|&&open| open == 0).count() as u64;
        counts.push(within(place, &constraint, count)?);
        known.insert(constraint.target, count);
    }
    Ok(counts)
}

/// The count, if the bounds allow it.
fn within(place: usize, constraint: &Constraint, count: u64) -> Result<u64, Unverified> {
    let (least, most) = (constraint.least, constraint.most);
    if count < least || most.is_some_and(|most| most < count) {
        return Err(Offence::Constraint { constraint: place, count, least, most }.into());
    }
    Ok(count)
}
