//! Distributions to measure classes against, of codes that are all values (or, on a tree, nodes): what tests write down in a line.
#![allow(dead_code, reason = "each test program uses its part")]

use throng::hierarchy::{Hierarchy, NodeId};
use throng::privacy::{OnTree, Reference};

/// A tree with a leaf for each code, the node of each, and the counts by nodes.
fn flat(counts: &[u32]) -> (Hierarchy, Vec<Option<NodeId>>, Vec<u32>) {
    let tree = Hierarchy::flat((0..counts.len()).map(|code| code.to_string()));
    let nodes: Vec<Option<NodeId>> = (1..=counts.len() as NodeId).map(Some).collect();
    let by_node = std::iter::once(0).chain(counts.iter().copied()).collect();
    (tree, nodes, by_node)
}

/// `counts`: how often the original table has each code.
pub fn equal(counts: &[u32]) -> Reference {
    let (tree, nodes, counts) = flat(counts);
    Reference::equal_on(OnTree { tree: &tree, counts: &counts, no_value: None, nodes: &nodes })
}

/// `ranks`: what the codes are ordered by.
pub fn ordered(counts: &[u32], ranks: &[u32]) -> Reference {
    let (tree, nodes, counts) = flat(counts);
    let ranks: Vec<u32> = std::iter::once(0).chain(ranks.iter().copied()).collect();
    Reference::ordered_on(OnTree { tree: &tree, counts: &counts, no_value: None, nodes: &nodes }, &ranks)
}

/// `nodes`: the node of each code.
pub fn hierarchical(counts: &[u32], tree: &Hierarchy, nodes: &[NodeId]) -> Reference {
    let mut by_node = vec![0; tree.len()];
    nodes.iter().zip(counts).for_each(|(&node, &count)| by_node[node as usize] += count);
    let nodes: Vec<Option<NodeId>> = nodes.iter().copied().map(Some).collect();
    Reference::hierarchical_on(OnTree { tree, counts: &by_node, no_value: None, nodes: &nodes })
}
