//! A release in which all rows of the same limits are on the same levels: where no class must let rows leave.
//!
//! The sweep closes the first class that holds, and may take from others the rows without which they can't be mended: of
//! a table whose rows fail by one column alone it loses more than by giving that column up. So from the most general
//! level vector down, the quasi-identifier that retains most by it goes one level deeper, as long as every class holds as
//! a whole. One that can't go deeper never can again, since merging classes keeps every requirement.
//! Guarantee: every class holds. Complexity: O(rows · columns) for each of at most as many looks as there are levels.

use super::closed::Closed;
use super::regions::{self, Regions};
use super::shown::Shown;
use crate::algorithms::local::Problem;
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::demands::Demands;
use crate::algorithms::local::space::Space;
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::metrics::utility;
use crate::progress::{Progress, Report};
use crate::release::SUPPRESSED;
use crate::sorting::Sorting;

/// The levels of one quasi-identifier, the most general first: the node of each tuple there.
type Ladder = Vec<Vec<NodeId>>;

/// Classes of the rows that `closed` keeps, with what they showed when the sweep began; nothing where all of a region do
/// not hold together.
pub async fn whole(
    problem: &Problem<'_>,
    shown: &Shown<'_>,
    regions: &Regions<'_>,
    closed: &Closed,
    progress: &Progress<'_>,
) -> Result<Option<Closed>, Failure> {
    let (space, demands) = shown.look(regions.at_start());
    let starts = regions::starts(&space);
    let rows_by_item = regions::rows_by_item(&space);
    let mut made = Closed::new(closed.class_of_row.len(), closed.quasi.len());
    for region in 0..regions.len() {
        let kept = |row: &u32| closed.class_of_row[*row as usize] != SUPPRESSED;
        let mut items: Vec<u32> =
            regions.rows(region).iter().copied().filter(kept).map(|row| space.item_of_row[row as usize]).collect();
        items.order();
        let tuples: Vec<Part> =
            items.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u32)).collect();
        if tuples.is_empty() {
            continue;
        }
        let Some((ladders, levels)) = deepest(problem, &space, &demands, regions, &tuples, progress).await? else {
            return Ok(None);
        };
        let at: Vec<&Vec<NodeId>> = ladders.iter().zip(&levels).map(|(ladder, &level)| &ladder[level]).collect();
        for members in classes(problem, &at, tuples.len()) {
            let nodes: Vec<NodeId> = at.iter().map(|nodes| nodes[members[0] as usize]).collect();
            let of_item = |&member: &u32| {
                let item = tuples[member as usize].0 as usize;
                let all = &rows_by_item[starts[item] as usize..][..space.counts[item] as usize];
                all.iter().filter(|row| kept(row))
            };
            made.close(region, &nodes, members.iter().flat_map(of_item));
        }
    }
    Ok(Some(made))
}

/// The level of each quasi-identifier, on its ladder, that can't be deeper.
async fn deepest(
    problem: &Problem<'_>,
    space: &Space<'_>,
    demands: &Demands<'_>,
    regions: &Regions<'_>,
    tuples: &[Part],
    progress: &Progress<'_>,
) -> Result<Option<(Vec<Ladder>, Vec<usize>)>, Failure> {
    let top = regions.most_general(space.row_of_item[tuples[0].0 as usize]);
    let ladder = |(attribute, &limit): (usize, &NodeId)| -> Ladder {
        let tree = &problem.quasi[attribute].tree;
        let leaf = |&(item, _): &Part| {
            let place = space.places(item)[attribute];
            space.node(attribute, place, place)
        };
        let least = tree.depth(limit);
        let deepest = tuples.iter().map(|tuple| tree.depth(leaf(tuple))).max().unwrap_or(least);
        let only_ends = problem.mode == crate::algorithms::local::Mode::Suppression;
        let levels = (least..=deepest).filter(|&level| !only_ends || level == least || level == deepest);
        let node = |level: usize, leaf: NodeId| tree.path(leaf).find(|&node| tree.depth(node) <= level).unwrap_or(leaf);
        levels.map(|level| tuples.iter().map(|tuple| node(level, leaf(tuple))).collect()).collect()
    };
    let ladders: Vec<Ladder> = top.iter().enumerate().map(ladder).collect();
    let retains = |attribute: usize, level: usize| -> f64 {
        let tree = &problem.quasi[attribute].tree;
        let nodes = ladders[attribute][level].iter().zip(tuples);
        nodes.map(|(&node, &(_, count))| utility::of_cell(tree, node) * f64::from(count)).sum()
    };
    let mut levels = vec![0usize; ladders.len()];
    let mut stuck = vec![false; ladders.len()];
    if !hold(problem, demands, &ladders, &levels, tuples) {
        return Ok(None);
    }
    loop {
        progress.checkpoint(report).await?;
        let deeper = (0..ladders.len()).filter(|&at| !stuck[at] && levels[at] + 1 < ladders[at].len());
        let gain = |attribute: usize| retains(attribute, levels[attribute] + 1) - retains(attribute, levels[attribute]);
        // Of equal ones the first.
        let best = deeper
            .map(|attribute| (gain(attribute), attribute))
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, attribute)) = best else { return Ok(Some((ladders, levels))) };
        levels[attribute] += 1;
        if !hold(problem, demands, &ladders, &levels, tuples) {
            levels[attribute] -= 1;
            stuck[attribute] = true;
        }
    }
}

/// Whether every class of some levels holds.
fn hold(problem: &Problem<'_>, demands: &Demands<'_>, ladders: &[Ladder], levels: &[usize], tuples: &[Part]) -> bool {
    let at: Vec<&Vec<NodeId>> = ladders.iter().zip(levels).map(|(ladder, &level)| &ladder[level]).collect();
    let parts = |members: &Vec<u32>| members.iter().map(|&member| tuples[member as usize]).collect::<Vec<Part>>();
    classes(problem, &at, tuples.len()).iter().all(|members| demands.hold_for(&parts(members)))
}

/// The tuples of each class.
fn classes(problem: &Problem<'_>, at: &[&Vec<NodeId>], tuples: usize) -> Vec<Vec<u32>> {
    let size = |attribute: usize| problem.quasi[attribute].tree.len() as u32;
    let keys: Vec<Keys<'_>> =
        at.iter().enumerate().map(|(attribute, codes)| Keys { codes, size: size(attribute) }).collect();
    let grouped = Classes::group(tuples, &keys);
    let mut members: Vec<Vec<u32>> = grouped.sizes.iter().map(|&size| Vec::with_capacity(size as usize)).collect();
    (0..).zip(&grouped.of_row).for_each(|(tuple, &class)| members[class as usize].push(tuple));
    members
}

fn report() -> Report {
    Report { phase: "Looking for levels that all rows can be on".into(), fraction: None, detail: String::new() }
}
