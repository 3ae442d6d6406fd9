//! Sensitive values are generalized where the frequencies of rows as they are can't be allowed: of all rows at the start,
//! and of those in the last class ((τ,ℓ)-diversity, §III C; Figure 4, lines 1–2 and 20–21).
//!
//! Again and again one row that covers the most frequent value, of such rows one with the least general cell, shows what
//! is next above it. Rows with the same cell are alike here, so counts are enough; which rows they are is chosen after. Where limits leave no row that covers the most frequent value, the next most frequent is taken.
//! Guarantee: with equal weights and no limits, rows hold in the end if any release does. Complexity: O(rows · height)
//! steps, each O(leaves present).

use std::collections::{HashMap, VecDeque};

use super::masses::Masses;
use crate::algorithms::local::Mode;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::Sensitive;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use crate::words::grouped;

/// What a cell may show instead of what it shows.
#[derive(Debug)]
pub struct Steps {
    up: Vec<Option<NodeId>>,
}

impl Steps {
    /// The way from each value that occurs up to its limit. A group that has the label of something below it is left
    /// out: a reader could not tell them apart.
    pub fn new(sensitive: &Sensitive, counts: &[u32], mode: Mode) -> Steps {
        let Sensitive { tree, leaf_of_code, limit_of_code, .. } = sensitive;
        // A node comes after those above it, so of one label the lowest stays.
        let lowest: HashMap<&str, NodeId> = (0..tree.len() as NodeId).map(|node| (tree.label(node), node)).collect();
        let mut up = vec![None; tree.len()];
        let mut ends = vec![false; tree.len()];
        let occurring = leaf_of_code.iter().zip(limit_of_code).zip(counts).filter(|&(_, &count)| count > 0);
        for ((&start, &limit), _) in occurring {
            let mut at = start;
            let within = tree.path(start).skip(1).take_while(|&node| tree.covers(limit, node));
            let possible = within.filter(|&node| mode == Mode::Generalization || node == ROOT);
            for node in possible.filter(|&node| lowest.get(tree.label(node)) == Some(&node)) {
                up[at as usize] = Some(node);
                at = node;
            }
            ends[at as usize] = true;
        }
        for (up, _) in up.iter_mut().zip(ends).filter(|(_, ends)| *ends) {
            *up = None;
        }
        Steps { up }
    }

    /// The same ways in one step: from everywhere to the limit.
    pub fn straight(&self) -> Steps {
        let up = |node: NodeId| Some(self.top(node)).filter(|&top| top != node);
        Steps { up: (0..self.up.len() as NodeId).map(up).collect() }
    }

    /// What is next above a node; nothing at a limit.
    pub fn up(&self, node: NodeId) -> Option<NodeId> {
        self.up[node as usize]
    }

    /// All that a cell may show, from what it shows up.
    pub fn way(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |&node| self.up(node))
    }

    /// The most general that a cell may show.
    pub fn top(&self, node: NodeId) -> NodeId {
        self.way(node).last().unwrap_or(node)
    }
}

/// The nodes of which a row, one after the other, goes to what is next above, and whether the rows then hold.
pub struct Generalized {
    pub sequence: Vec<NodeId>,
    pub holds: bool,
}

/// Generalizes rows, `counts` of each node, until they hold or nothing more can be done. What they are on the way does not
/// depend on when they hold.
pub async fn generalize(
    tree: &Hierarchy,
    steps: &Steps,
    counts: &mut [u64],
    masses: &mut Masses<'_>,
    holds: &mut dyn FnMut(&mut Masses<'_>) -> bool,
    progress: &Progress<'_>,
) -> Result<Generalized, Failure> {
    masses.clear();
    for (node, &count) in (0..).zip(counts.iter()).filter(|&(_, &count)| count > 0) {
        masses.add(node, count);
    }
    let mut sequence = Vec::new();
    while !holds(masses) {
        if sequence.len().is_multiple_of(256) {
            progress.checkpoint(|| report(sequence.len() as u64)).await?;
        }
        let candidate = |leaf: u32| {
            let may_move = |node: &NodeId| counts[*node as usize] > 0 && steps.up(*node).is_some();
            tree.path(tree.leaves()[leaf as usize]).find(may_move)
        };
        let dominant = masses.dominant().and_then(candidate);
        let Some(node) = dominant.or_else(|| masses.by_frequency().into_iter().find_map(candidate)) else {
            return Ok(Generalized { sequence, holds: false });
        };
        let Some(up) = steps.up(node) else { continue };
        masses.remove(node, 1);
        masses.add(up, 1);
        counts[node as usize] -= 1;
        counts[up as usize] += 1;
        sequence.push(node);
    }
    Ok(Generalized { sequence, holds: true })
}

fn report(done: u64) -> Report {
    let detail = format!("{} steps", grouped(done));
    Report { phase: "Generalizing sensitive values".into(), fraction: None, detail }
}

/// Chooses the rows that show something more general, and says what they show now: (row, node) for every row that
/// changed, in the order given. `rows` are all rows with what they show. Of those with the same cell, the one that has
/// shown it longest is next; of those that did from the beginning, one after the other so that those chosen always are
/// spread evenly over the order given.
pub fn choose(steps: &Steps, sequence: &[NodeId], rows: &[(u32, NodeId)]) -> Vec<(u32, NodeId)> {
    let mut shown: Vec<NodeId> = rows.iter().map(|&(_, node)| node).collect();
    let mut places_at: Vec<Vec<u32>> = vec![Vec::new(); steps.up.len()];
    for (place, &node) in (0..).zip(&shown) {
        places_at[node as usize].push(place);
    }
    let queue = |places: Vec<u32>| {
        // Numbers with their bits reversed jump: 0, half, a quarter, three quarters, …
        let mut spread: Vec<(u32, u32)> =
            (0..).zip(places).map(|(nth, place): (u32, _)| (nth.reverse_bits(), place)).collect();
        spread.order();
        spread.into_iter().map(|(_, place)| place).collect::<VecDeque<u32>>()
    };
    let mut queues: Vec<VecDeque<u32>> = places_at.into_iter().map(queue).collect();
    for &node in sequence {
        let (Some(up), Some(place)) = (steps.up(node), queues[node as usize].pop_front()) else { continue };
        shown[place as usize] = up;
        queues[up as usize].push_back(place);
    }
    let changed = rows.iter().zip(shown).filter(|((_, before), now)| before != now);
    changed.map(|(&(row, _), now)| (row, now)).collect()
}
