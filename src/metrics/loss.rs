//! Loss (docs/spec.md §6): how much of its column's domain a cell covers, from 0 for a value left as it is to 1 for `*`.
//!
//! A cell v loses (leaves(v) − 1) ÷ (leaves(root) − 1), and 0 where the root has only one leaf; a column's loss x_j is
//! the mean over all rows, a suppressed row counting 1. The table's figure is the arithmetic mean over the q columns,
//! and beside it the geometric form Π(1 + x_j)^(1/q) − 1. [`ncp`](super::ncp) is the unscaled sibling.

use crate::exact_sum::ExactSums;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};

pub fn of_cell(tree: &Hierarchy, node: NodeId) -> f64 {
    let most = tree.leaf_count(ROOT).saturating_sub(1);
    if most == 0 { 0.0 } else { (tree.leaf_count(node) - 1) as f64 / most as f64 }
}

/// What a class loses: the losses of all its cells. A suppressed row loses as many as there are columns.
pub fn of_class<'a>(size: u32, cells: impl Iterator<Item = (&'a Hierarchy, NodeId)>) -> f64 {
    f64::from(size) * cells.map(|(tree, node)| of_cell(tree, node)).sum::<f64>()
}

/// One column's loss, from each class's node and size.
pub fn of_column(tree: &Hierarchy, nodes: &[NodeId], sizes: &[u32], suppressed: u64) -> f64 {
    let of_class = |(&node, &size): (&NodeId, &u32)| of_class(size, std::iter::once((tree, node)));
    mean(nodes.iter().zip(sizes).map(of_class).exact_sum(), sizes, suppressed)
}

/// The mean over all rows when kept ones sum up to `kept_loss` and a suppressed one counts 1; 0 without rows.
pub(super) fn mean(kept_loss: f64, sizes: &[u32], suppressed: u64) -> f64 {
    let rows = sizes.iter().map(|&size| u64::from(size)).sum::<u64>() + suppressed;
    if rows == 0 { 0.0 } else { (kept_loss + suppressed as f64) / rows as f64 }
}

/// 0 without columns.
pub fn arithmetic(columns: &[f64]) -> f64 {
    columns.iter().sum::<f64>() / columns.len().max(1) as f64
}

/// 0 without columns.
pub fn geometric(columns: &[f64]) -> f64 {
    let logarithms = columns.iter().map(|&loss| libm::log1p(loss)).sum::<f64>();
    libm::expm1(logarithms / columns.len().max(1) as f64)
}
