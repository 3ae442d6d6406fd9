//! A release in which all rows of the same limits are on the same levels: where no class must let rows leave.
//!
//! The sweep closes the first class that holds, and may take from others the rows without which they can't be mended: of
//! a table whose rows fail by one column alone it loses more than by giving that column up. So from the most general
//! level vector down, the quasi-identifier that retains most by it goes one level deeper, as long as every class holds as
//! a whole. One that can't go deeper never can again, since merging classes keeps every requirement.
//! Guarantee: every class holds. Complexity: O(rows · columns) for each of at most as many looks as there are levels.

use super::closed::Closed;
use super::levels::by_class;
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

/// One level of a quasi-identifier: the nodes there, and which of them each tuple shows.
struct Level {
    nodes: Vec<NodeId>,
    of_tuple: Vec<u32>,
}

/// The levels of one quasi-identifier, the most general first.
type Ladder = Vec<Level>;

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
    let item_starts = regions::starts(&space);
    let rows_by_item = regions::rows_by_item(&space);
    let mut made = Closed::new(closed.class_of_row.len(), closed.quasi.len());
    for region in 0..regions.len() {
        let kept = |row: &u32| closed.class_of_row[*row as usize] != SUPPRESSED;
        let mut kept_of_item = vec![0u32; space.items()];
        let rows = regions.rows(region).iter().filter(|row| kept(row));
        rows.for_each(|&row| kept_of_item[space.item_of_row[row as usize] as usize] += 1);
        let tuples: Vec<Part> = (0..).zip(kept_of_item).filter(|&(_, count)| count > 0).collect();
        if tuples.is_empty() {
            continue;
        }
        let Some((ladders, levels)) = deepest(problem, &space, &demands, regions, &tuples, progress).await? else {
            return Ok(None);
        };
        let at: Vec<&Level> = ladders.iter().zip(&levels).map(|(ladder, &level)| &ladder[level]).collect();
        let (starts, members) = classes(&at, tuples.len());
        for bounds in starts.windows(2) {
            let members = &members[bounds[0] as usize..bounds[1] as usize];
            let node = |level: &&Level| level.nodes[level.of_tuple[members[0] as usize] as usize];
            let nodes: Vec<NodeId> = at.iter().map(node).collect();
            let of_item = |&member: &u32| {
                let item = tuples[member as usize].0 as usize;
                let all = &rows_by_item[item_starts[item] as usize..][..space.counts[item] as usize];
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
        let on = |level: usize| {
            let mut made = Level { nodes: Vec::new(), of_tuple: Vec::with_capacity(tuples.len()) };
            let mut number_of_node: Vec<Option<u32>> = vec![None; tree.len()];
            for leaf in tuples.iter().map(leaf) {
                let node = node(level, leaf);
                let number = *number_of_node[node as usize].get_or_insert_with(|| {
                    made.nodes.push(node);
                    made.nodes.len() as u32 - 1
                });
                made.of_tuple.push(number);
            }
            made
        };
        levels.map(on).collect()
    };
    let ladders: Vec<Ladder> = top.iter().enumerate().map(ladder).collect();
    let retains = |attribute: usize, level: &Level| -> f64 {
        let mut rows = vec![0u64; level.nodes.len()];
        level.of_tuple.iter().zip(tuples).for_each(|(&node, &(_, count))| rows[node as usize] += u64::from(count));
        let tree = &problem.quasi[attribute].tree;
        level.nodes.iter().zip(rows).map(|(&node, rows)| utility::of_cell(tree, node) * rows as f64).sum()
    };
    let retains =
        |(attribute, ladder): (usize, &Ladder)| ladder.iter().map(|level| retains(attribute, level)).collect();
    let retains: Vec<Vec<f64>> = ladders.iter().enumerate().map(retains).collect();
    let mut levels = vec![0usize; ladders.len()];
    let mut stuck = vec![false; ladders.len()];
    if !hold(demands, &ladders, &levels, tuples) {
        return Ok(None);
    }
    loop {
        progress.checkpoint(report).await?;
        let deeper = (0..ladders.len()).filter(|&at| !stuck[at] && levels[at] + 1 < ladders[at].len());
        let gain = |attribute: usize| retains[attribute][levels[attribute] + 1] - retains[attribute][levels[attribute]];
        // Of equal ones the first.
        let best = deeper
            .map(|attribute| (gain(attribute), attribute))
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, attribute)) = best else { return Ok(Some((ladders, levels))) };
        levels[attribute] += 1;
        if !hold(demands, &ladders, &levels, tuples) {
            levels[attribute] -= 1;
            stuck[attribute] = true;
        }
    }
}

/// Whether every class of some levels holds.
fn hold(demands: &Demands<'_>, ladders: &[Ladder], levels: &[usize], tuples: &[Part]) -> bool {
    let at: Vec<&Level> = ladders.iter().zip(levels).map(|(ladder, &level)| &ladder[level]).collect();
    let (ends, members) = classes(&at, tuples.len());
    let mut parts: Vec<Part> = Vec::new();
    ends.windows(2).all(|ends| {
        parts.clear();
        parts.extend(members[ends[0] as usize..ends[1] as usize].iter().map(|&member| tuples[member as usize]));
        demands.hold_for(&parts)
    })
}

/// The tuples of each class.
fn classes(at: &[&Level], tuples: usize) -> (Vec<u32>, Vec<u32>) {
    let keys: Vec<Keys<'_>> =
        at.iter().map(|level| Keys { codes: &level.of_tuple, size: level.nodes.len() as u32 }).collect();
    let grouped = Classes::group(tuples, &keys);
    let all: Vec<u32> = (0..tuples as u32).collect();
    by_class(&grouped, &all)
}

fn report() -> Report {
    Report { phase: "Looking for levels that all rows can be on".into(), fraction: None, detail: String::new() }
}
