//! Generalization height (ℓ-diversity paper §6): the number of generalization steps, summed over quasi-identifiers.
//!
//! For full-domain recoding that is the sum of the levels, height = Σ_j level_j, where level_j is the lowest level that
//! gives every kept cell of the column. Where no one level does (local recoding) the column counts with the mean over
//! kept rows of the cell's own level: 0 for a leaf, else height(tree) − depth(node). When nothing is kept, every column
//! counts as generalized to its root.

use crate::hierarchy::{Hierarchy, NodeId, ROOT};

/// The level of a cell: the lowest on which some value becomes this node.
pub fn of_cell(tree: &Hierarchy, node: NodeId) -> usize {
    if tree.is_leaf(node) { 0 } else { tree.height(ROOT) - tree.depth(node) }
}

/// Whether some value is this node on a level of full-domain recoding: a leaf less deep than others stays itself for long.
fn is_on(tree: &Hierarchy, node: NodeId, level: usize) -> bool {
    let highest = tree.height(ROOT) - tree.depth(node);
    (of_cell(tree, node)..=highest).contains(&level)
}

/// The height of one quasi-identifier, from each class's node and size.
pub fn of_column(tree: &Hierarchy, nodes: &[NodeId], sizes: &[u32]) -> f64 {
    let kept = || nodes.iter().zip(sizes).filter(|&(_, &size)| size > 0);
    let Some(lowest) = kept().map(|(&node, _)| of_cell(tree, node)).max() else {
        return tree.height(ROOT) as f64;
    };
    if kept().all(|(&node, _)| is_on(tree, node, lowest)) {
        return lowest as f64;
    }
    let sum: f64 = kept().map(|(&node, &size)| f64::from(size) * of_cell(tree, node) as f64).sum();
    sum / kept().map(|(_, &size)| f64::from(size)).sum::<f64>()
}
