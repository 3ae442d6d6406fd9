//! The end of a sweep: sensitive values of the last classes are generalized ((τ,ℓ)-diversity, Figure 4, lines 18–22), and
//! where a last class still fails something, finished classes join it.
//!
//! Classes that hold still do after merging, for every model of [`crate::privacy`], and the last class holds once all
//! rows of its limits are in it; so the fewest classes that help, those first that lose least by it, are found by
//! halving. Complexity: O(n · log) for n rows.

use super::classes::{Ground, Piece};
use super::closed::Closed;
use super::generalize::{Steps, choose, generalize};
use super::masses::Masses;
use super::regions::{self, Regions, note};
use super::shown::Shown;
use super::trace::{Event, Trace};
use crate::algorithms::local::Problem;
use crate::algorithms::local::clusters::Part;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::metrics::utility;
use crate::progress::Progress;
use crate::release::SUPPRESSED;
use crate::sorting::Sorting;

/// Closes the last class of every region, with sensitive values generalized where that makes it meet (τ,ℓ).
#[expect(clippy::too_many_arguments, reason = "the whole state of a sweep comes together here")]
pub async fn last_classes(
    ground: &Ground<'_>,
    steps: &Steps,
    masses: &mut Masses<'_>,
    last: Vec<Vec<Piece>>,
    regions: &mut Regions<'_>,
    closed: &mut Closed,
    trace: &mut Trace,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    for (region, pieces) in (0..).zip(last) {
        let Some(first) = pieces.first() else { continue };
        let any = ground.space.row_of_item[first.item as usize];
        let class = regions.most_general(any);
        let rows = pieces.iter().flat_map(|piece| &ground.rows[piece.start as usize..][..piece.count as usize]);
        let shown: Vec<(u32, NodeId)> = rows.map(|&row| (row, regions.nodes[row as usize])).collect();
        trace.note(Some(&class), Event::Opened, shown.iter().map(|&(row, _)| row));
        let mut counts = vec![0u64; ground.sensitive.len()];
        shown.iter().for_each(|&(_, node)| counts[node as usize] += 1);
        let mut holds = |masses: &mut Masses<'_>| masses.holds();
        let generalized = generalize(ground.sensitive, steps, &mut counts, masses, &mut holds, progress).await?;
        if generalized.holds {
            for (row, node) in choose(steps, &generalized.sequence, &shown) {
                regions.nodes[row as usize] = node;
            }
            note(trace, Some(&class), &shown, &regions.nodes);
        }
        trace.note(Some(&class), Event::Closed, shown.iter().map(|&(row, _)| row));
        closed.close(region, &class, shown.iter().map(|(row, _)| row));
    }
    Ok(())
}

/// Lets finished classes join a last one that fails.
pub fn join(
    problem: &Problem<'_>,
    shown: &Shown<'_>,
    regions: &mut Regions<'_>,
    closed: &mut Closed,
    trace: &mut Trace,
) {
    let (space, demands) = shown.look(&regions.nodes);
    let parts_of_class = closed.parts(&space, &regions::rows_by_item(&space));
    // A class that was last is the only one of its region that may fail.
    let failing: Vec<usize> =
        (0..parts_of_class.len()).filter(|&class| !demands.hold_for(&parts_of_class[class])).collect();
    for last in failing {
        let region = closed.region_of_class[last];
        let retains = |class: usize| -> f64 {
            problem
                .quasi
                .iter()
                .zip(&closed.quasi)
                .map(|(quasi, nodes)| utility::of_cell(&quasi.tree, nodes[class]))
                .sum()
        };
        let rows = |class: usize| parts_of_class[class].iter().map(|&(_, count)| f64::from(count)).sum::<f64>();
        let loses = |class: usize| rows(class) * (retains(class) - retains(last));
        let mut others: Vec<(f64, usize)> = (0..parts_of_class.len())
            .filter(|&class| class != last && closed.region_of_class[class] == region)
            .map(|class| (loses(class), class))
            .collect();
        others.order_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let holds_with = |joining: usize| {
            let joined = others[..joining].iter().map(|&(_, class)| class).chain([last]);
            let parts: Vec<Part> = joined.flat_map(|class| parts_of_class[class].iter().copied()).collect();
            demands.hold_for(&parts)
        };
        let (mut fails, mut holds) = (0, others.len());
        let whole = holds_with(holds);
        while whole && holds - fails > 1 {
            let middle = fails + (holds - fails) / 2;
            if holds_with(middle) { holds = middle } else { fails = middle }
        }
        if !whole {
            // All rows of the region held together when the sweep began.
            regions.take_back(region);
        }
        let mut joins = vec![false; parts_of_class.len()];
        others[..holds].iter().for_each(|&(_, class)| joins[class] = true);
        let nodes: Vec<NodeId> = closed.quasi.iter().map(|nodes| nodes[last]).collect();
        let moved = |&&row: &&u32| {
            let class = closed.class_of_row[row as usize];
            class != SUPPRESSED && joins[class as usize]
        };
        let moved: Vec<u32> = regions.rows(region).iter().filter(moved).copied().collect();
        moved.iter().for_each(|&row| closed.class_of_row[row as usize] = last as u32);
        trace.note(Some(&nodes), Event::Joined, moved.into_iter());
    }
    closed.renumber();
}
