//! What the codes of a sensitive column stand for, where some of its cells are groups or unknown (docs/models.md).
//!
//! A code stands for a node of the column's tree; an unknown cell is read as the root. Nodes are numbered in pre-order, so
//! of a node only its number and the end of its subtree are kept. Memory: O(codes).

use crate::classes::Histogram;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};

/// The node of each code, and whether a cell that shows it may be any of several values.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    of_code: Vec<Cell>,
}

/// What a code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub node: NodeId,
    /// One past the last node of its subtree.
    pub end: NodeId,
    /// A group or unknown: the person has any one of the leaves below.
    pub is_open: bool,
}

impl Cells {
    /// `nodes`: the node of each code, `None` for unknown cells. Nothing where every code is a value.
    pub fn new(tree: &Hierarchy, nodes: &[Option<NodeId>]) -> Option<Cells> {
        let cell = |&node: &Option<NodeId>| {
            let Some(node) = node else { return Cell { node: ROOT, end: NodeId::MAX, is_open: true } };
            // A number that no node has is a value that the tree lacks: it stands under the root, too.
            let end = match node {
                ROOT => NodeId::MAX,
                node if (node as usize) < tree.len() => tree.end(node),
                _ => node + 1,
            };
            Cell { node, end, is_open: (node as usize) < tree.len() && !tree.is_leaf(node) }
        };
        let of_code: Vec<Cell> = nodes.iter().map(cell).collect();
        of_code.iter().any(|cell| cell.is_open).then_some(Cells { of_code })
    }

    /// A code that is none of the column's is a value of its own, behind all nodes.
    pub fn of(&self, code: u32) -> Cell {
        let behind = Cell { node: NodeId::MAX - 1, end: NodeId::MAX, is_open: false };
        self.of_code.get(code as usize).copied().unwrap_or(behind)
    }

    /// Whether the class shows a group or an unknown cell.
    pub fn are_open_in(&self, class: &Histogram<'_>) -> bool {
        class.counts.iter().any(|&(code, _)| self.of(code).is_open)
    }
}
