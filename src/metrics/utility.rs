//! Utility of (τ,ℓ)-diversity (Definition 5): um(G) = Σ_t Σ_A 1 ÷ leaves(t[A]), over kept rows t and all
//! quasi-identifiers and sensitive columns A, divided by what the original has: rows × columns.
//!
//! 1 for a table left as it is. A suppressed row keeps nothing. 1 when there is nothing to keep.

use crate::exact_sum::ExactSums;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::release::{Released, SUPPRESSED};

/// The information of a cell.
pub fn of_cell(tree: &Hierarchy, node: NodeId) -> f64 {
    1.0 / tree.leaf_count(node) as f64
}

pub fn of(released: &Released<'_>, sizes: &[u32]) -> f64 {
    let Released { quasi, sensitive, release, table } = released;
    let cells = table.rows as f64 * (quasi.len() + sensitive.len()) as f64;
    if cells == 0.0 {
        return 1.0;
    }
    let mut kept = 0.0;
    for (quasi, nodes) in quasi.iter().zip(&release.quasi) {
        let of_class = |(&node, &size): (&NodeId, &u32)| f64::from(size) * of_cell(&quasi.tree, node);
        kept += nodes.iter().zip(sizes).map(of_class).exact_sum();
    }
    for (attribute, sensitive) in sensitive.iter().enumerate() {
        let rows = released.sensitive_nodes(attribute).into_iter().zip(&release.class_of_row);
        let shown = rows.filter(|&(_, &class)| class != SUPPRESSED);
        kept += shown.map(|(node, _)| of_cell(&sensitive.tree, node)).exact_sum();
    }
    kept / cells
}
