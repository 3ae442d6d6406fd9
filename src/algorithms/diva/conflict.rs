//! Why a small table has no release, once all ways to divide its rows were tried: constraints of which none can be left
//! out, and the count that can't be met.
//!
//! Complexity: that of the exact search, about once a constraint and a few times more, but at most [`SEARCHES`] times the
//! work that one may take: what is not decided by then is taken for possible, so that more may be named than needed.

use super::counting::{Reason, names};
use super::exact::{self, Exact, Search};
use super::ground::Ground;
use crate::algorithms::local::targets::Bounds;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::words::{capital, counted, grouped};

const SEARCHES: u64 = 2;

const ANY: Bounds = Bounds { least: 0, most: u64::MAX };

/// What keeps a table without a release from having one.
pub async fn explain(ground: &Ground<'_>, work: u64, progress: &Progress<'_>) -> Result<Reason, Failure> {
    let mut work = work.saturating_mul(SEARCHES);
    let mut bounds = ground.targets.bounds.clone();
    let mut needed: Vec<usize> = Vec::new();
    for constraint in 0..bounds.len() {
        let kept = std::mem::replace(&mut bounds[constraint], ANY);
        if is_possible(ground, &bounds, &mut work, progress).await? {
            bounds[constraint] = kept;
            needed.push(constraint);
        }
    }
    let Some((&last, others)) = needed.split_last() else {
        let text = "Even without constraints, no way to divide the rows meets the requirements; all were tried.".into();
        return Ok(Reason { text, constraints: needed });
    };
    let asked = ground.targets.bounds[last];
    // The highest count up to the lower bound, and the lowest one from the upper bound on.
    let mut reached = None;
    let (mut below, mut from) = (0, asked.least);
    while below < from {
        let least = below + (from - below) / 2;
        bounds[last] = Bounds { least, most: u64::MAX };
        if is_possible(ground, &bounds, &mut work, progress).await? {
            (reached, below) = (Some(least), least + 1);
        } else {
            from = least;
        }
    }
    bounds[last] = Bounds { least: asked.least, most: u64::MAX };
    let never_fewer = asked.most < u64::MAX && is_possible(ground, &bounds, &mut work, progress).await?;
    let given = match others {
        [] => "whatever the classes".to_owned(),
        others => format!("with {} met", names(others)),
    };
    let count = match (never_fewer, reached) {
        (false, Some(most)) => {
            format!(
                "{given}, at most {} can show {}, which asks for {}",
                counted(most, "row"),
                names(&[last]),
                grouped(asked.least)
            )
        }
        _ => format!(
            "{given}, no number of rows from {} to {} can show {}",
            grouped(asked.least),
            grouped(asked.most),
            names(&[last])
        ),
    };
    let text = format!(
        "{}: {count}. All ways to divide the rows were tried.",
        match needed.len() {
            1 => format!("{} can't be met", capital(&names(&needed))),
            _ => format!("{} can't be met together", capital(&names(&needed))),
        }
    );
    Ok(Reason { text, constraints: needed })
}

/// Whether there is a release under other bounds; what could not be decided counts as yes.
async fn is_possible(
    ground: &Ground<'_>,
    bounds: &[Bounds],
    work: &mut u64,
    progress: &Progress<'_>,
) -> Result<bool, Failure> {
    let mut search = Search { bounds, work: *work, below: None };
    let found = exact::best(ground, &mut search, progress).await?;
    *work = search.work;
    Ok(!matches!(found, Exact::None))
}
