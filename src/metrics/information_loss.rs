//! Information loss of constrained k-anonymity (Definitions 10 and 11): IL(cl) = |cl| · Σ_j height(gen(cl)[Q_j]) ÷
//! height(H_Qj), summed over classes. A suppressed row costs the number of quasi-identifiers.
//!
//! A column whose tree has no height costs nothing: its only value is its root.

use crate::exact_sum::ExactSums;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::Quasi;

pub fn of_cell(tree: &Hierarchy, node: NodeId) -> f64 {
    let height = tree.height(ROOT);
    if height == 0 { 0.0 } else { tree.height(node) as f64 / height as f64 }
}

pub fn of_class<'a>(size: u32, cells: impl Iterator<Item = (&'a Hierarchy, NodeId)>) -> f64 {
    f64::from(size) * cells.map(|(tree, node)| of_cell(tree, node)).sum::<f64>()
}

pub fn of_suppressed(suppressed: u64, columns: usize) -> f64 {
    suppressed as f64 * columns as f64
}

/// `nodes` has, for every quasi-identifier, the node of each class.
pub fn of(quasi: &[Quasi], nodes: &[Vec<NodeId>], sizes: &[u32], suppressed: u64) -> f64 {
    let cells = |class: usize| quasi.iter().zip(nodes).map(move |(quasi, nodes)| (&quasi.tree, nodes[class]));
    let kept = (0..sizes.len()).map(|class| of_class(sizes[class], cells(class))).exact_sum();
    kept + of_suppressed(suppressed, quasi.len())
}
