//! Normalized certainty penalty, for categories: a cell v costs leaves(v) ÷ leaves(root), or 0 when it is a single value.
//!
//! [`loss`](super::loss) differs in that it counts the leaves beyond the first, so that it grows from 0 without a jump.
//! A column's NCP is the mean over all rows, a suppressed row counting 1; the table's is the mean over columns.

use super::loss;
use crate::exact_sum::ExactSums;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};

pub fn of_cell(tree: &Hierarchy, node: NodeId) -> f64 {
    let leaves = tree.leaf_count(node);
    if leaves > 1 { leaves as f64 / tree.leaf_count(ROOT) as f64 } else { 0.0 }
}

/// One column's NCP, from each class's node and size.
pub fn of_column(tree: &Hierarchy, nodes: &[NodeId], sizes: &[u32], suppressed: u64) -> f64 {
    let of_class = |(&node, &size): (&NodeId, &u32)| f64::from(size) * of_cell(tree, node);
    loss::mean(nodes.iter().zip(sizes).map(of_class).exact_sum(), sizes, suppressed)
}
