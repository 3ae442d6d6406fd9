//! GreedyCKA (constrained k-anonymity, Fig. 5): rows are clustered inside the classes of the maximum allowed microdata.
//!
//! A class of that microdata is a *region*: rows whose values have the same limits. Rows of different regions can't be
//! in one class (Property 1), and rows of one always can, so limits are kept by never leaving a region.
//! A region that fails a requirement can't be kept whole. For requirements that survive added rows (k, distinct ℓ, …) no
//! part of it can be kept either, so exactly its rows are suppressed, and nobody suppresses fewer (Properties 5 and 6).
//! For others, rows are taken out until the rest holds: the values whose loss helps most, one after the other.
//! Complexity: O(rows · columns) for the regions; O(rows · values) at worst for taking rows out.

use super::local::clusters::Part;
use super::local::demands::{Demands, Tally};
use super::local::space::{Item, Space};
use super::local::{Mode, Problem};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::{NodeId, ROOT};
use crate::policy::Quasi;
use crate::privacy::Monotone;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// Values that are tried when a row must go.
const TRIED: usize = 32;

/// The rows of each region.
pub fn regions(problem: &Problem<'_>, space: &Space<'_>) -> Vec<Vec<Part>> {
    let mut columns: Vec<(Vec<NodeId>, u32)> = Vec::with_capacity(space.axes());
    for quasi in problem.quasi {
        let limits = space.row_of_item.iter().map(|&row| most_general(problem, quasi, row)).collect();
        columns.push((limits, quasi.tree.len() as u32));
    }
    let keys: Vec<Keys> = columns.iter().map(|(codes, size)| Keys { codes, size: *size }).collect();
    let classes = Classes::group(space.items(), &keys);
    let mut regions: Vec<Vec<Part>> = vec![Vec::new(); classes.sizes.len()];
    for (item, &region) in classes.of_row.iter().enumerate() {
        regions[region as usize].push((item as Item, space.counts[item]));
    }
    regions
}

/// The most general node that a row may show in a column.
pub fn most_general(problem: &Problem<'_>, quasi: &Quasi, row: u32) -> NodeId {
    let code = problem.table.columns[quasi.column].codes[row as usize] as usize;
    match problem.mode {
        Mode::Suppression if quasi.limit_of_code[code] != ROOT => quasi.leaf_of_code[code],
        _ => quasi.limit_of_code[code],
    }
}

/// Of a region, rows that hold together: all, or as many as are found, or none.
pub async fn keepable(demands: &Demands<'_>, region: Vec<Part>, progress: &Progress<'_>) -> Result<Vec<Part>, Failure> {
    if demands.hold_for(&region) {
        return Ok(region);
    }
    if demands.monotone == Monotone::Growing {
        return Ok(Vec::new());
    }
    let mut kept = region;
    let mut tallies = demands.tally(&kept);
    let mut size: u32 = kept.iter().map(|&(_, count)| count).sum();
    while !demands.hold_now(size, &tallies) {
        progress.checkpoint(|| report(size)).await?;
        if !demands.hold_by_size(size) {
            return Ok(Vec::new());
        }
        let Some((view, value, rows)) = best_loss(demands, size, &tallies) else { return Ok(Vec::new()) };
        size -= take_out(demands, &mut kept, &mut tallies, view, value, rows);
    }
    Ok(kept)
}

fn report(size: u32) -> Report {
    let detail = format!("{size} rows of a class left");
    Report { phase: "Finding rows that can be kept".into(), fraction: None, detail }
}

/// The first view that fails, and which value of it should lose how many rows.
fn best_loss(demands: &Demands<'_>, size: u32, tallies: &[Tally]) -> Option<(usize, u32, u32)> {
    let failing = |place: &usize| !demands.views[*place].holds_changed(size, &tallies[*place], &[]);
    let place = (0..tallies.len()).find(failing)?;
    let (view, tally) = (&demands.views[place], &tallies[place]);
    let counts = &tally.counts;
    if let Some((value, count)) = view.in_failing_block(counts) {
        return Some((place, value, count));
    }
    // Large regions lose several rows at once, or this would take for ever.
    let step = (size / 512).max(1);
    let mut frequent = counts.clone();
    frequent.order_by_key(|&(value, count)| (std::cmp::Reverse(count), view.first_item(value)));
    let rare = frequent.len().saturating_sub(TRIED / 2).max(TRIED / 2);
    let tried = frequent.iter().take(TRIED / 2).chain(frequent.iter().skip(rare));
    let mut best: Option<(Vec<f64>, u32, u32)> = None;
    for &(value, count) in tried {
        let rows = step.min(count);
        if rows >= size {
            continue;
        }
        let achieved = view.achieved_changed(size - rows, tally, &[(value, -i64::from(rows))]);
        if best.as_ref().is_none_or(|(other, ..)| achieved > *other) {
            best = Some((achieved, value, rows));
        }
    }
    best.map(|(_, value, rows)| (place, value, rows))
}

/// Takes rows of a value out; gives how many.
fn take_out(
    demands: &Demands<'_>,
    kept: &mut Vec<Part>,
    tallies: &mut [Tally],
    view: usize,
    value: u32,
    rows: u32,
) -> u32 {
    let mut left = rows;
    for (item, count) in kept.iter_mut().filter(|(item, _)| demands.views[view].value(*item) == value) {
        let taken = left.min(*count);
        *count -= taken;
        left -= taken;
        for (view, tally) in demands.views.iter().zip(tallies.iter_mut()) {
            view.change(tally, (view.value(*item), -i64::from(taken)));
        }
        if left == 0 {
            break;
        }
    }
    kept.retain(|&(_, count)| count > 0);
    rows - left
}
