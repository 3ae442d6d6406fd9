//! Stars: how many quasi-identifier cells say nothing any more, being the root `*`. A suppressed row has as many as there
//! are quasi-identifiers.

use crate::hierarchy::{NodeId, ROOT};

/// The stars of one row of a class with these nodes.
pub fn of_row(nodes: impl Iterator<Item = NodeId>) -> u64 {
    nodes.filter(|&node| node == ROOT).count() as u64
}

/// `quasi` has, for every quasi-identifier, the node of each class.
pub fn of(quasi: &[Vec<NodeId>], sizes: &[u32], suppressed: u64) -> u64 {
    let of_class = |class: usize| u64::from(sizes[class]) * of_row(quasi.iter().map(|nodes| nodes[class]));
    (0..sizes.len()).map(of_class).sum::<u64>() + suppressed * quasi.len() as u64
}
