//! What tuples become on the levels of a sweep, and the classes in which they meet there.
//!
//! Complexity: O(leaves · height) to know what leaves become; O(tuples · columns) for the classes of a level vector.

use super::classes::{Ground, Piece};
use super::order::Order;
use crate::classes::{Classes, Keys};
use crate::hierarchy::NodeId;

/// What the leaves of one quasi-identifier become on one level.
pub struct Level {
    /// The code of each place's node, [`u32::MAX`] where a leaf does not reach so deep.
    pub codes: Vec<u32>,
    pub nodes: Vec<NodeId>,
    pub all_reach: bool,
}

impl Level {
    fn new(ground: &Ground<'_>, order: &Order, attribute: usize, level: u16, used: &[bool]) -> Level {
        let mut code_of_node = vec![u32::MAX; ground.trees[attribute].len()];
        let mut made = Level { codes: Vec::with_capacity(used.len()), nodes: Vec::new(), all_reach: true };
        for (place, &used) in (0..).zip(used) {
            let leaf = ground.space.node(attribute, place, place);
            let node = order.node(attribute, ground.trees[attribute], leaf, level).filter(|_| used);
            made.all_reach &= node.is_some() || !used;
            made.codes.push(node.map_or(u32::MAX, |node| {
                let code = &mut code_of_node[node as usize];
                if *code == u32::MAX {
                    *code = made.nodes.len() as u32;
                    made.nodes.push(node);
                }
                *code
            }));
        }
        made
    }
}

/// What the leaves that occur become, for each quasi-identifier on each of its levels.
pub fn levels(ground: &Ground<'_>, order: &Order, pending: &[Piece]) -> Vec<Vec<Level>> {
    let of = |attribute: usize| {
        let places = |piece: &Piece| ground.space.places(piece.item)[attribute] as usize;
        let mut used = vec![false; pending.iter().map(places).max().map_or(0, |last| last + 1)];
        pending.iter().map(places).for_each(|place| used[place] = true);
        let level = |&level: &u16| Level::new(ground, order, attribute, level, &used);
        order.stops[attribute].iter().map(level).collect()
    };
    (0..ground.trees.len()).map(of).collect()
}

/// The classes of the pieces that are ready.
pub fn group(
    ground: &Ground<'_>,
    pending: &[Piece],
    ready: &[u32],
    at: &[&Level],
    columns: &mut [Vec<u32>],
) -> Classes {
    for ((attribute, column), level) in columns.iter_mut().enumerate().zip(at) {
        column.clear();
        if level.nodes.len() > 1 {
            let place = |&piece: &u32| ground.space.places(pending[piece as usize].item)[attribute];
            column.extend(ready.iter().map(|piece| level.codes[place(piece) as usize]));
        }
    }
    let distinguishing = columns.iter().zip(at).filter(|(_, level)| level.nodes.len() > 1);
    let keys: Vec<Keys<'_>> =
        distinguishing.map(|(codes, level)| Keys { codes, size: level.nodes.len() as u32 }).collect();
    Classes::group(ready.len(), &keys)
}

/// The pieces of each class, and where each class's start, with one entry more for the end.
pub fn by_class(classes: &Classes, ready: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut ends: Vec<u32> = Vec::with_capacity(classes.sizes.len() + 1);
    let mut end = 0;
    for &size in &classes.sizes {
        ends.push(end);
        end += size;
    }
    let mut members = vec![0; ready.len()];
    for (&class, &piece) in classes.of_row.iter().zip(ready) {
        members[ends[class as usize] as usize] = piece;
        ends[class as usize] += 1;
    }
    // Where a class ends, the next one starts.
    let starts = std::iter::once(0).chain(ends).collect();
    (starts, members)
}
