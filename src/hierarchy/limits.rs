//! Limits of generalization: the maximum allowed generalization values (MAGVals) of constrained k-anonymity, Def. 3.
//!
//! A person marks nodes. A value may be generalized up to the first marked node on its path to the root, that node
//! included; without a mark on the path, up to the root.

use super::tree::{Hierarchy, NodeId, ROOT};

/// Marked nodes of one hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    marked: Vec<bool>,
}

impl Limits {
    pub fn new(tree: &Hierarchy, marks: &[NodeId]) -> Self {
        let mut marked = vec![false; tree.len()];
        for &mark in marks {
            if let Some(marked) = marked.get_mut(mark as usize) {
                *marked = true;
            }
        }
        Limits { marked }
    }

    /// Whether a person marked this node.
    pub fn is_marked(&self, node: NodeId) -> bool {
        self.marked.get(node as usize).copied().unwrap_or(false)
    }

    /// The most general node a value may become.
    pub fn of(&self, tree: &Hierarchy, leaf: NodeId) -> NodeId {
        tree.path(leaf).find(|&node| self.is_marked(node)).unwrap_or(ROOT)
    }

    /// The limits of all nodes at once, by node number. O(nodes).
    pub fn of_all(&self, tree: &Hierarchy) -> Vec<NodeId> {
        let mut limits = vec![ROOT; tree.len()];
        // Pre-order: a parent is met before its children. `below` is the lowest mark so far, the first seen from below.
        for node in 1..tree.len() as NodeId {
            let above = tree.parent(node).map_or(ROOT, |parent| limits[parent as usize]);
            limits[node as usize] = if self.is_marked(node) { node } else { above };
        }
        limits
    }

    /// Whether `node` is an allowed generalization of `leaf`.
    pub fn allow(&self, tree: &Hierarchy, leaf: NodeId, node: NodeId) -> bool {
        tree.covers(node, leaf) && tree.depth(node) >= tree.depth(self.of(tree, leaf))
    }
}
