//! Why a small table has no release, once all ways to divide its rows were tried: constraints of which none can be left
//! out, and the count that can't be met.
//!
//! Complexity: that of the exact search, about once a constraint and a few times more.

use super::counting::{Reason, capital, names};
use super::exact::{self, Exact, Search};
use super::ground::Ground;
use crate::algorithms::local::targets::Bounds;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::words::{counted, grouped};

const ANY: Bounds = Bounds { least: 0, most: u64::MAX };

/// What keeps a table without a release from having one.
pub async fn explain(ground: &Ground<'_>, work: u64, progress: &Progress<'_>) -> Result<Reason, Failure> {
    let mut bounds = ground.targets.bounds.clone();
    let mut needed: Vec<usize> = Vec::new();
    for constraint in 0..bounds.len() {
        let kept = std::mem::replace(&mut bounds[constraint], ANY);
        if is_possible(ground, &bounds, work, progress).await? {
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
    for least in (0..asked.least).rev() {
        bounds[last] = Bounds { least, most: u64::MAX };
        if is_possible(ground, &bounds, work, progress).await? {
            reached = Some(least);
            break;
        }
    }
    bounds[last] = Bounds { least: asked.least, most: u64::MAX };
    let never_fewer = asked.most < u64::MAX && is_possible(ground, &bounds, work, progress).await?;
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
    work: u64,
    progress: &Progress<'_>,
) -> Result<bool, Failure> {
    let mut search = Search { bounds, work, below: None };
    Ok(!matches!(exact::best(ground, &mut search, progress).await?, Exact::None))
}
