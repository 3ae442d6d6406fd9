//! Edits of a tree: each gives a new tree with the same leaves, or says why not; undo is keeping the old one.

use std::collections::{HashMap, HashSet};

use super::tree::{Hierarchy, NodeId, ROOT, Sketch};
use crate::sorting::Sorting;

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
        let nodes = self.topmost(nodes);
        detach(&mut sketch, self, &nodes);
        sketch.children[target as usize].extend(nodes.iter().map(|&node| node as usize));
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
        let grouped: HashSet<usize> = nodes.iter().map(|&node| node as usize).collect();
        siblings.retain(|child| !grouped.contains(child));
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
        let chosen: HashSet<usize> = taken.iter().map(|&child| child as usize).collect();
        let all = chosen.len() == self.children(node).count();
        if chosen.is_empty() || all || taken.iter().any(|&child| self.parent(child) != Some(node)) {
            return Err(EditError::NotSiblings);
        }
        self.free_label(label, None)?;
        let mut sketch = self.sketch();
        let sibling = sketch.node(label);
        let children = std::mem::take(&mut sketch.children[node as usize]);
        let (taken, kept) = children.into_iter().partition(|child| chosen.contains(child));
        sketch.children[node as usize] = kept;
        sketch.children[sibling] = taken;
        let siblings = &mut sketch.children[parent as usize];
        let place = siblings.iter().position(|&child| child == node as usize).unwrap_or(0);
        siblings.insert(place + 1, sibling);
        Ok(sketch.finish(ROOT as usize))
    }

    /// Puts what is under `merged` under `kept`, too: two spellings of one group become one.
    pub fn merge_groups(&self, kept: NodeId, merged: NodeId) -> Result<Hierarchy, EditError> {
        self.known(&[kept, merged])?;
        if kept == ROOT || merged == ROOT {
            return Err(EditError::Root);
        }
        let nested = self.covers(kept, merged) || self.covers(merged, kept);
        if self.is_leaf(kept) || self.is_leaf(merged) || nested {
            return Err(EditError::NotAGroup);
        }
        let children: Vec<NodeId> = self.children(merged).collect();
        self.move_to(&children, kept)
    }

    /// Adds leaves under a group (values of the data that the tree lacks); those already there are left. A value called like a group goes into that group.
    pub fn add_leaves<'a>(
        &self,
        leaves: impl IntoIterator<Item = &'a str>,
        parent: NodeId,
    ) -> Result<Hierarchy, EditError> {
        self.known(&[parent])?;
        if self.is_leaf(parent) && self.len() > 1 {
            return Err(EditError::NotAGroup);
        }
        // The lowest node of a label comes last, so it is the one that stays in the map.
        let taken: HashMap<&str, NodeId> = (0..self.len() as NodeId).map(|node| (self.label(node), node)).collect();
        let mut sketch = self.sketch();
        let mut added = HashSet::new();
        for label in leaves {
            let under = match taken.get(label) {
                Some(&node) if self.is_leaf(node) => continue,
                // A value may share its label only with groups above it.
                Some(&group) => group,
                None => parent,
            };
            if added.insert(label) {
                let leaf = sketch.node(label);
                sketch.children[under as usize].push(leaf);
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
        let removed: HashSet<NodeId> = leaves.iter().copied().collect();
        if removed.len() == self.leaves().len() {
            return Err(EditError::Root);
        }
        let mut sketch = self.sketch();
        detach(&mut sketch, self, leaves);
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
        sorted.order();
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

/// Takes nodes out from under their parents.
fn detach(sketch: &mut Sketch, tree: &Hierarchy, nodes: &[NodeId]) {
    let taken: HashSet<usize> = nodes.iter().map(|&node| node as usize).collect();
    let parents: HashSet<NodeId> = nodes.iter().filter_map(|&node| tree.parent(node)).collect();
    for parent in parents {
        sketch.children[parent as usize].retain(|child| !taken.contains(child));
    }
}

/// Finishes a sketch of `tree`'s nodes, leaving out what was a group and has no children any more.
fn without_empty_groups(mut sketch: Sketch, tree: &Hierarchy) -> Hierarchy {
    // Children have larger numbers than their parents, so one pass from the back meets them first. Where a moved node
    // has a smaller number than its new parent it is not empty.
    let mut empty = vec![false; sketch.labels.len()];
    for node in (0..tree.len()).rev() {
        if !tree.is_leaf(node as NodeId) {
            sketch.children[node].retain(|&child| !empty[child]);
            empty[node] = sketch.children[node].is_empty();
        }
    }
    sketch.finish(ROOT as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Hierarchy {
        let rows = [["a", "A", "*"], ["b", "A", "*"], ["c", "B", "*"], ["d", "C", "*"]];
        Hierarchy::from_rows(&rows.map(|row| row.to_vec())).unwrap()
    }

    fn lines(tree: Hierarchy) -> Vec<String> {
        tree.rows().iter().map(|row| row.join(";")).collect()
    }

    #[test]
    fn merging_keeps_the_leaves_and_one_name() {
        let tree = tree();
        let node = |label| tree.find(label).unwrap();
        assert_eq!(lines(tree.merge_groups(node("A"), node("C")).unwrap()), ["a;A;*", "b;A;*", "d;A;*", "c;B;*"]);
        assert_eq!(lines(tree.merge_groups(node("C"), node("A")).unwrap()), ["c;B;*", "d;C;*", "a;C;*", "b;C;*"]);
        assert_eq!(tree.merge_groups(node("A"), node("c")), Err(EditError::NotAGroup));
        assert_eq!(tree.merge_groups(node("A"), node("A")), Err(EditError::NotAGroup));
        assert_eq!(tree.merge_groups(node("A"), ROOT), Err(EditError::Root));
    }

    #[test]
    fn groups_left_empty_go() {
        let tree = tree();
        let node = |label| tree.find(label).unwrap();
        assert_eq!(lines(tree.remove_leaves(&[node("c"), node("a")]).unwrap()), ["b;A;*", "d;C;*"]);
        assert_eq!(tree.remove_leaves(tree.leaves()), Err(EditError::Root));
        // The moved node has a smaller number than its new parent.
        let moved = tree.move_to(&[node("A"), node("c")], node("C")).unwrap();
        assert_eq!(lines(moved), ["d;C;*", "a;A;C;*", "b;A;C;*", "c;C;*"]);
    }

    #[test]
    fn splitting_needs_children_on_both_sides() {
        let tree = tree();
        let node = |label| tree.find(label).unwrap();
        let split = tree.split(node("A"), &[node("b"), node("b")], "new").unwrap();
        assert_eq!(lines(split), ["a;A;*", "b;new;*", "c;B;*", "d;C;*"]);
        assert_eq!(tree.split(node("A"), &[node("a"), node("b")], "new"), Err(EditError::NotSiblings));
        assert_eq!(tree.split(node("A"), &[node("c")], "new"), Err(EditError::NotSiblings));
    }

    #[test]
    fn many_leaves_are_removed_in_no_time() {
        let rows: Vec<Vec<String>> =
            (0..200_000).map(|i| vec![i.to_string(), format!("group {}", i / 2), "*".into()]).collect();
        let tree = Hierarchy::from_rows(&rows).unwrap();
        let removed = tree.remove_leaves(&tree.leaves()[1..]).unwrap();
        assert_eq!(lines(removed), ["0;group 0;*"]);
        let groups: Vec<NodeId> = tree.children(ROOT).collect();
        let moved = tree.move_to(&tree.leaves()[2..], groups[0]).unwrap();
        assert_eq!(moved.children(ROOT).count(), 1);
    }
}
