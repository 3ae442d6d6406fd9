//! Edits of a tree: each gives a new tree with the same leaves, or says why not; undo is keeping the old one.

use super::tree::{Hierarchy, NodeId, ROOT, Sketch};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("that label is taken by another group or value")]
    LabelTaken,
    #[error("a label can't be empty")]
    LabelEmpty,
    #[error("a value keeps its own text: only groups can be renamed")]
    LeafLabel,
    #[error("a group can't be moved into itself or into a value")]
    NotAGroup,
    #[error("the top of the tree stays where it is")]
    Root,
    #[error("values can't be dissolved, only groups")]
    Leaf,
    #[error("choose at least one value or group, all under one parent")]
    NotSiblings,
    #[error("there is no such value or group")]
    Unknown,
}

impl Hierarchy {
    pub fn rename(&self, node: NodeId, label: &str) -> Result<Hierarchy, EditError> {
        self.known(&[node])?;
        if self.is_leaf(node) {
            return Err(EditError::LeafLabel);
        }
        self.free_label(label, Some(node))?;
        let mut sketch = self.sketch();
        sketch.labels[node as usize] = label.to_owned();
        Ok(sketch.finish(ROOT as usize))
    }

    /// Puts nodes under another group; groups left empty go.
    pub fn move_to(&self, nodes: &[NodeId], target: NodeId) -> Result<Hierarchy, EditError> {
        self.known(nodes)?;
        self.known(&[target])?;
        if nodes.contains(&ROOT) {
            return Err(EditError::Root);
        }
        if self.is_leaf(target) || nodes.iter().any(|&node| self.covers(node, target)) {
            return Err(EditError::NotAGroup);
        }
        let mut sketch = self.sketch();
        for node in self.topmost(nodes) {
            detach(&mut sketch, self, node);
            sketch.children[target as usize].push(node as usize);
        }
        Ok(without_empty_groups(sketch, self))
    }

    /// A new group of some siblings, in the place of the first.
    pub fn group(&self, nodes: &[NodeId], label: &str) -> Result<Hierarchy, EditError> {
        self.known(nodes)?;
        let nodes = self.topmost(nodes);
        let parent = match nodes.first().map(|&node| self.parent(node)) {
            Some(Some(parent)) => parent,
            Some(None) => return Err(EditError::Root),
            None => return Err(EditError::NotSiblings),
        };
        if nodes.iter().any(|&node| self.parent(node) != Some(parent)) {
            return Err(EditError::NotSiblings);
        }
        self.free_label(label, None)?;
        let mut sketch = self.sketch();
        let group = sketch.node(label);
        let siblings = &mut sketch.children[parent as usize];
        let place = siblings.iter().position(|&child| child == nodes[0] as usize).unwrap_or(0);
        siblings.insert(place, group);
        siblings.retain(|&child| !nodes.contains(&(child as NodeId)));
        sketch.children[group] = nodes.iter().map(|&node| node as usize).collect();
        Ok(sketch.finish(ROOT as usize))
    }

    /// Dissolves a group: its children take its place.
    pub fn ungroup(&self, node: NodeId) -> Result<Hierarchy, EditError> {
        self.known(&[node])?;
        let parent = self.parent(node).ok_or(EditError::Root)?;
        if self.is_leaf(node) {
            return Err(EditError::Leaf);
        }
        let mut sketch = self.sketch();
        let children = std::mem::take(&mut sketch.children[node as usize]);
        let siblings = &mut sketch.children[parent as usize];
        let place = siblings.iter().position(|&child| child == node as usize).unwrap_or(0);
        siblings.splice(place..=place, children);
        Ok(sketch.finish(ROOT as usize))
    }

    /// Splits a group in two: the chosen children go into a new sibling beside it.
    pub fn split(&self, node: NodeId, taken: &[NodeId], label: &str) -> Result<Hierarchy, EditError> {
        self.known(taken)?;
        self.known(&[node])?;
        let parent = self.parent(node).ok_or(EditError::Root)?;
        let kept = self.children(node).filter(|child| !taken.contains(child)).count();
        if taken.is_empty() || kept == 0 || taken.iter().any(|&child| self.parent(child) != Some(node)) {
            return Err(EditError::NotSiblings);
        }
        self.free_label(label, None)?;
        let mut sketch = self.sketch();
        let sibling = sketch.node(label);
        let taken: Vec<usize> =
            self.children(node).filter(|child| taken.contains(child)).map(|child| child as usize).collect();
        sketch.children[node as usize].retain(|child| !taken.contains(child));
        sketch.children[sibling] = taken;
        let siblings = &mut sketch.children[parent as usize];
        let place = siblings.iter().position(|&child| child == node as usize).unwrap_or(0);
        siblings.insert(place + 1, sibling);
        Ok(sketch.finish(ROOT as usize))
    }

    /// Adds leaves under a group (values of the data that the tree lacks); those already there are left.
    pub fn add_leaves<'a>(
        &self,
        leaves: impl IntoIterator<Item = &'a str>,
        parent: NodeId,
    ) -> Result<Hierarchy, EditError> {
        self.known(&[parent])?;
        if self.is_leaf(parent) && self.len() > 1 {
            return Err(EditError::NotAGroup);
        }
        let taken: std::collections::HashSet<&str> = (0..self.len() as NodeId).map(|node| self.label(node)).collect();
        let mut sketch = self.sketch();
        let mut added = std::collections::HashSet::new();
        for leaf in leaves {
            if !taken.contains(leaf) && added.insert(leaf) {
                let leaf = sketch.node(leaf);
                sketch.children[parent as usize].push(leaf);
            }
        }
        Ok(sketch.finish(ROOT as usize))
    }

    /// Removes leaves that no data needs, and groups left empty. The last leaf stays.
    pub fn remove_leaves(&self, leaves: &[NodeId]) -> Result<Hierarchy, EditError> {
        self.known(leaves)?;
        if leaves.iter().any(|&leaf| !self.is_leaf(leaf)) {
            return Err(EditError::NotAGroup);
        }
        if self.leaves().iter().all(|leaf| leaves.contains(leaf)) {
            return Err(EditError::Root);
        }
        let mut sketch = self.sketch();
        for &leaf in leaves {
            detach(&mut sketch, self, leaf);
        }
        Ok(without_empty_groups(sketch, self))
    }

    fn known(&self, nodes: &[NodeId]) -> Result<(), EditError> {
        if nodes.iter().all(|&node| (node as usize) < self.len()) { Ok(()) } else { Err(EditError::Unknown) }
    }

    fn free_label(&self, label: &str, except: Option<NodeId>) -> Result<(), EditError> {
        if label.trim().is_empty() {
            return Err(EditError::LabelEmpty);
        }
        let taken = (0..self.len() as NodeId).any(|node| Some(node) != except && self.label(node) == label);
        if taken { Err(EditError::LabelTaken) } else { Ok(()) }
    }

    /// The nodes in order, without those that lie under another of them.
    fn topmost(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut topmost: Vec<NodeId> = Vec::new();
        for node in sorted {
            if !topmost.last().is_some_and(|&above| self.covers(above, node)) {
                topmost.push(node);
            }
        }
        topmost
    }
}

fn detach(sketch: &mut Sketch, tree: &Hierarchy, node: NodeId) {
    if let Some(parent) = tree.parent(node) {
        sketch.children[parent as usize].retain(|&child| child != node as usize);
    }
}

/// Finishes a sketch of `tree`'s nodes, leaving out what was a group and has no children any more.
fn without_empty_groups(mut sketch: Sketch, tree: &Hierarchy) -> Hierarchy {
    // Children have larger numbers than their parents had, so one pass from the back meets them first.
    for node in (1..tree.len() as NodeId).rev() {
        if !tree.is_leaf(node) && sketch.children[node as usize].is_empty() {
            for children in &mut sketch.children {
                children.retain(|&child| child != node as usize);
            }
        }
    }
    sketch.finish(ROOT as usize)
}
