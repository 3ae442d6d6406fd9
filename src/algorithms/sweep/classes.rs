//! The sweep itself ((τ,ℓ)-diversity, Figure 4, lines 3–17), for rows of the same limits.
//!
//! Level vector by level vector, the rows that are still on their way and may stop there meet in classes. As long as a
//! class fails, the row leaves whose removal lowers the dominant induced frequency most: one of the least general cell
//! that covers the dominant value (§III D). Rows whose class holds stay; the others go on to the next vector that they
//! reach, which is their next class (Definition 7). A class that meets (τ,ℓ) but not the other requirements goes on as a
//! whole. What is left at the last vector is the last class.
//! Only classes that rows are in are ever met, and where nobody watches only those that may hold ([`super::scout`]). Of rows that are equally good, the first leaves: rows with the same
//! cells are next to each other, in the order in which their cells first appear in the table.
//! Complexity: O(rows on their way · columns) for a vector; O(leaves present) for a row that leaves a class.

use super::closed::Closed;
use super::levels::{Blocks, NONE, by_class, group};
use super::masses::{Masses, Shares};
use super::order::Order;
use super::scout::{Scout, Sight};
use super::trace::{Event, Trace};
use crate::algorithms::local::demands::Demands;
use crate::algorithms::local::space::{Item, Space};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::progress::{Progress, Report};
use crate::words::counted;

/// What the sweep looks at and never changes.
pub struct Ground<'a> {
    pub space: &'a Space<'a>,
    pub demands: &'a Demands<'a>,
    pub trees: Vec<&'a Hierarchy>,
    /// The sensitive column's.
    pub sensitive: &'a Hierarchy,
    pub shares: &'a Shares,
    /// What each item shows in the sensitive column.
    pub node_of_item: Vec<NodeId>,
    /// The rows, item by item.
    pub rows: Vec<u32>,
}

/// Rows of one item that are on their way: a part of [`Ground::rows`].
#[derive(Clone, Copy)]
pub struct Piece {
    pub item: Item,
    pub start: u32,
    pub count: u32,
}

/// The rows of a piece that leave a class, and those that stay.
type Halves<'g> = (&'g [u32], &'g [u32]);

impl Ground<'_> {
    /// The rows of a piece that come first, and those after them.
    fn split(&self, piece: Piece, first: u32) -> (&[u32], &[u32]) {
        self.rows[piece.start as usize..][..piece.count as usize].split_at(first as usize)
    }
}

pub struct Sweep<'g> {
    ground: &'g Ground<'g>,
    masses: Masses<'g>,
    /// Whether a row of each node holds alone.
    alone: Vec<bool>,
    /// Of the class being looked at: the rows of each node, and the first of `by_node` that has some left.
    count_of_node: Vec<u64>,
    first_of_node: Vec<u32>,
    by_node: Vec<(NodeId, u32)>,
}

impl<'g> Sweep<'g> {
    pub fn new(ground: &'g Ground<'g>) -> Self {
        let nodes = ground.sensitive.len();
        let mut masses = Masses::new(ground.shares);
        let mut alone = |node: NodeId| {
            masses.clear();
            masses.add(node, 1);
            masses.holds()
        };
        let alone = (0..nodes as NodeId).map(&mut alone).collect();
        Sweep {
            ground,
            masses,
            alone,
            count_of_node: vec![0; nodes],
            first_of_node: vec![0; nodes],
            by_node: Vec::new(),
        }
    }

    /// Sweeps the rows of one region; gives those that reach the last class.
    pub async fn sweep(
        &mut self,
        region: u32,
        mut pending: Vec<Piece>,
        order: &Order,
        closed: &mut Closed,
        trace: &mut Trace,
        progress: &Progress<'_>,
    ) -> Result<Vec<Piece>, Failure> {
        let ground = self.ground;
        // The tuples on their way.
        let mut waiting: Vec<u32> = (0..pending.len() as u32).collect();
        if !trace.is_open() && self.too_few_values(&waiting, &pending) {
            trace.cut();
            return Ok(pending);
        }
        let blocks = Blocks::new(ground, order, &pending);
        let mut scout = Scout::new(ground, &blocks, &pending);
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        // Of each tuple, the rows from its first that go on.
        let mut leaving: Vec<u32> = pending.iter().map(|piece| piece.count).collect();
        let mut ready: Vec<u32> = Vec::new();
        let mut changed = true;
        for vector in 0..order.len() - 1 {
            let seen = !trace.is_open();
            if changed {
                // Where nobody watches, rows that no class can hold go to the last one at once.
                if waiting.is_empty() || (seen && self.too_few_values(&waiting, &pending)) {
                    break;
                }
                if let Some(scout) = &mut scout {
                    scout.forget(ground, &blocks, &pending);
                }
                changed = false;
            }
            progress.checkpoint(|| report(vector, order.len(), waiting.len())).await?;
            let at = blocks.at(order, vector);
            let reaches = |tuple: u32| {
                at.iter().zip(blocks.places(tuple)).all(|(codes, &place)| codes.codes[place as usize] != NONE)
            };
            ready.clear();
            match scout.as_mut().filter(|_| seen).map_or(Sight::Unknown, |scout| scout.look(&at)) {
                Sight::Nobody => {
                    trace.cut();
                    continue;
                }
                Sight::Some => {
                    let may_stay =
                        |tuple: &u32| scout.as_ref().is_some_and(|scout| scout.may_stay(&at, blocks.places(*tuple)));
                    ready.extend(waiting.iter().copied().filter(may_stay));
                }
                Sight::Unknown => {
                    let all_reach = at.iter().all(|codes| codes.all_reach);
                    ready.extend(waiting.iter().copied().filter(|&tuple| all_reach || reaches(tuple)));
                }
            }
            let classes = group(&blocks, &ready, &at, &mut columns);
            let (starts, members) = by_class(&classes, &ready);
            for (nth, bounds) in starts.windows(2).enumerate() {
                if nth % 4096 == 4095 {
                    progress.checkpoint(|| report(vector, order.len(), waiting.len())).await?;
                }
                let members = &members[bounds[0] as usize..bounds[1] as usize];
                let stays = self.look_at(members, &pending, &mut leaving);
                changed |= stays;
                if !trace.is_open() {
                    trace.cut();
                    if !stays {
                        continue;
                    }
                }
                let node = |(attribute, &level): (usize, &u16)| {
                    let place = ground.space.places(pending[members[0] as usize].item)[attribute];
                    let leaf = ground.space.node(attribute, place, place);
                    order.node(attribute, ground.trees[attribute], leaf, level).unwrap_or(leaf)
                };
                let nodes: Vec<NodeId> = order.levels(vector).iter().enumerate().map(node).collect();
                let parts = |&member: &u32| ground.split(pending[member as usize], leaving[member as usize]);
                if trace.is_open() {
                    let rows = |of: fn(Halves<'g>) -> Halves<'g>| {
                        members.iter().map(parts).map(of).flat_map(|(one, other)| one.iter().chain(other).copied())
                    };
                    trace.note(Some(&nodes), Event::Opened, rows(|parts| parts));
                    trace.note(Some(&nodes), Event::Moved, rows(|(leaving, _)| (leaving, &[])));
                    trace.note(Some(&nodes), Event::Closed, rows(|(_, staying)| (staying, &[])));
                }
                if stays {
                    closed.close(region, &nodes, members.iter().flat_map(|member| parts(member).1));
                }
            }
            if changed {
                ready.iter().for_each(|&tuple| pending[tuple as usize].count = leaving[tuple as usize]);
                waiting.retain(|&tuple| pending[tuple as usize].count > 0);
            }
        }
        pending.retain(|piece| piece.count > 0);
        Ok(pending)
    }

    /// Whether the rows on their way have too few values for any class of them to hold.
    fn too_few_values(&mut self, waiting: &[u32], pending: &[Piece]) -> bool {
        let Sweep { ground, masses, count_of_node, .. } = self;
        masses.clear();
        let node = |&tuple: &u32| ground.node_of_item[pending[tuple as usize].item as usize];
        for node in waiting.iter().map(node) {
            if count_of_node[node as usize] == 0 {
                count_of_node[node as usize] = 1;
                masses.add(node, 1);
            }
        }
        waiting.iter().for_each(|tuple| count_of_node[node(tuple) as usize] = 0);
        masses.hopeless()
    }

    /// Decides which rows of a class leave it; says whether any stay.
    fn look_at(&mut self, members: &[u32], pending: &[Piece], leaving: &mut [u32]) -> bool {
        let node = |member: u32| self.ground.node_of_item[pending[member as usize].item as usize];
        if let [only] = *members {
            if !self.alone[node(only) as usize] {
                return false;
            }
            leaving[only as usize] = 0;
        } else {
            self.by_node.clear();
            self.by_node.extend(members.iter().map(|&member| (node(member), member)));
            if !self.let_leave(pending, leaving) {
                return false;
            }
        }
        let staying = members.iter().map(|&member| {
            let piece = pending[member as usize];
            (piece.item, piece.count - leaving[member as usize])
        });
        let staying: Vec<(Item, u32)> = staying.filter(|&(_, count)| count > 0).collect();
        let stays = self.ground.demands.hold_for(&staying);
        if !stays {
            members.iter().for_each(|&member| leaving[member as usize] = pending[member as usize].count);
        }
        stays
    }

    /// Lets rows of `by_node` leave until the rest meets (τ,ℓ); without a rest, nothing is changed.
    fn let_leave(&mut self, pending: &[Piece], leaving: &mut [u32]) -> bool {
        let Sweep { ground, masses, count_of_node, first_of_node, by_node, .. } = self;
        masses.clear();
        for &(node, member) in by_node.iter() {
            let rows = u64::from(pending[member as usize].count);
            masses.add(node, rows);
            count_of_node[node as usize] += rows;
        }
        let mut sorted = false;
        while !masses.holds() && !masses.hopeless() {
            if !sorted {
                // Which rows leave matters only now.
                by_node.sort_unstable();
                for (place, &(node, member)) in by_node.iter().enumerate().rev() {
                    first_of_node[node as usize] = place as u32;
                    leaving[member as usize] = 0;
                }
                sorted = true;
            }
            let tree = ground.sensitive;
            let covering =
                |leaf: u32| tree.path(tree.leaves()[leaf as usize]).find(|&node| count_of_node[node as usize] > 0);
            let Some(node) = masses.dominant().and_then(covering) else { break };
            masses.remove(node, 1);
            count_of_node[node as usize] -= 1;
            let first = &mut first_of_node[node as usize];
            let member = by_node[*first as usize].1 as usize;
            leaving[member] += 1;
            if leaving[member] == pending[member].count {
                *first += 1;
            }
        }
        let holds = masses.size > 0 && masses.holds();
        for &(node, member) in by_node.iter() {
            count_of_node[node as usize] = 0;
            if !holds {
                leaving[member as usize] = pending[member as usize].count;
            } else if !sorted {
                leaving[member as usize] = 0;
            }
        }
        holds
    }
}

fn report(vector: usize, vectors: usize, pieces: usize) -> Report {
    let fraction = Some(vector as f64 / vectors as f64);
    Report { phase: "Sweeping".into(), fraction, detail: format!("{} on the way", counted(pieces as u64, "tuple")) }
}
