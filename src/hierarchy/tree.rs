//! The one tree type: leaves are a column's base values, inner nodes what they may be generalized to.
//!
//! Nodes are numbered in pre-order, so a subtree is a range of numbers and the root is 0. Ragged trees are allowed; for
//! full-domain recoding they are padded: a leaf that is less deep than others stays itself on the levels it lacks.
//! A label belongs to one node, or to a value and groups above it (`Other` in the group `Other`), so that on the way up
//! from a value every label has one meaning or the same one again.
//! Guarantee: lowest common ancestors in O(1) after an O(n) set-up.

use std::collections::HashMap;

use super::range_minimum::RangeMinimum;
use crate::table::Dictionary;

/// Number of a node in pre-order.
pub type NodeId = u32;

/// The root's number.
pub const ROOT: NodeId = 0;

/// Trees deeper than this are refused: nobody publishes so many levels, and depths fit their type.
const DEEPEST: usize = 1000;

/// Why rows are not a tree. Labels are a person's own words for groups, but may be cell values: lines are named instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    #[error("there are no lines")]
    Empty,
    #[error("the lines {first} and {second} put one value under different groups")]
    LeafTwice { first: usize, second: usize },
    #[error("the lines {first} and {second} use one label for groups of different values")]
    LabelTwice { first: usize, second: usize },
    #[error("line {line} has more than {DEEPEST} levels")]
    TooDeep { line: usize },
    #[error("line {line} is empty")]
    EmptyLine { line: usize },
}

/// A tree over a column's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy {
    labels: Vec<String>,
    parents: Vec<NodeId>,
    depths: Vec<u16>,
    heights: Vec<u16>,
    /// One past the last node of the subtree.
    ends: Vec<NodeId>,
    /// Number of leaves before the node, with one entry more for the end.
    leaves_before: Vec<u32>,
    leaves: Vec<NodeId>,
    minimum: RangeMinimum,
}

/// Where each code of a column stands in its hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The leaf of each code; `None` for values that the tree lacks.
    pub leaves: Vec<Option<NodeId>>,
    /// Codes that the tree lacks.
    pub lacking: Vec<u32>,
    /// Leaves that no code has.
    pub unused: Vec<NodeId>,
}

/// A tree while it is put together: nodes in any order, children in the order they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Sketch {
    pub labels: Vec<String>,
    pub children: Vec<Vec<usize>>,
}

impl Sketch {
    pub fn node(&mut self, label: impl Into<String>) -> usize {
        self.labels.push(label.into());
        self.children.push(Vec::new());
        self.labels.len() - 1
    }

    /// The tree below `root`.
    pub fn finish(mut self, root: usize) -> Hierarchy {
        let mut tree = Hierarchy {
            labels: Vec::with_capacity(self.labels.len()),
            parents: Vec::new(),
            depths: Vec::new(),
            heights: Vec::new(),
            ends: Vec::new(),
            leaves_before: Vec::new(),
            leaves: Vec::new(),
            minimum: RangeMinimum::default(),
        };
        // An explicit stack: a tree may be as deep as its file likes.
        let mut stack = vec![(root, ROOT, 0u16)];
        while let Some((sketched, parent, depth)) = stack.pop() {
            let id = tree.labels.len() as NodeId;
            tree.labels.push(std::mem::take(&mut self.labels[sketched]));
            tree.parents.push(parent);
            tree.depths.push(depth);
            stack.extend(self.children[sketched].iter().rev().map(|&child| (child, id, depth + 1)));
        }
        let count = tree.labels.len();
        tree.heights = vec![0; count];
        tree.ends = (1..=count as NodeId).collect();
        for id in (1..count).rev() {
            let parent = tree.parents[id] as usize;
            tree.heights[parent] = tree.heights[parent].max(tree.heights[id] + 1);
            tree.ends[parent] = tree.ends[parent].max(tree.ends[id]);
        }
        tree.leaves = (0..count as NodeId).filter(|&id| tree.is_leaf(id)).collect();
        let mut before = 0;
        for id in 0..count as NodeId {
            tree.leaves_before.push(before);
            before += u32::from(tree.is_leaf(id));
        }
        tree.leaves_before.push(before);
        tree.minimum = RangeMinimum::new(&tree.depths);
        tree
    }
}

impl Hierarchy {
    /// A tree from lines `leaf, level 1, …, root`, as the ARX format has them. Lines may differ in length; when they do
    /// not all end in one label, a root `*` is put above. A line that repeats another is ignored.
    pub fn from_rows<S: AsRef<str>>(rows: &[Vec<S>]) -> Result<Hierarchy, TreeError> {
        let root_label = match rows {
            [] => return Err(TreeError::Empty),
            [first, rest @ ..] => {
                let root = first.last().map(AsRef::as_ref);
                let common =
                    first.len() > 1 && rest.iter().all(|row| row.len() > 1 && row.last().map(AsRef::as_ref) == root);
                root.filter(|_| common)
            }
        };
        let mut sketch = Sketch::default();
        let root = sketch.node(root_label.unwrap_or("*"));
        // Each label on the way down belongs to one parent; `line_of` remembers where it came first.
        let mut child_of: HashMap<(usize, &str), usize> = HashMap::new();
        let mut line_of = vec![1];
        let mut leaf_of_line = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let line = index + 1;
            if row.is_empty() {
                return Err(TreeError::EmptyLine { line });
            }
            if row.len() > DEEPEST {
                return Err(TreeError::TooDeep { line });
            }
            let mut at = root;
            for label in row.iter().rev().skip(usize::from(root_label.is_some())) {
                at = *child_of.entry((at, label.as_ref())).or_insert_with(|| {
                    let child = sketch.node(label.as_ref());
                    sketch.children[at].push(child);
                    line_of.push(line);
                    child
                });
            }
            leaf_of_line.push(at);
        }
        // A line may be the upper part of another, which would make a group of its value.
        for (index, &leaf) in leaf_of_line.iter().enumerate() {
            if let Some(&child) = sketch.children[leaf].first() {
                let (one, other) = (index + 1, line_of[child]);
                return Err(TreeError::LabelTwice { first: one.min(other), second: one.max(other) });
            }
        }
        check_labels(&sketch, &line_of, rows)?;
        Ok(sketch.finish(root))
    }

    /// A root with the given leaves below: a value is kept or becomes `*`.
    pub fn flat<S: AsRef<str>>(leaves: impl IntoIterator<Item = S>) -> Hierarchy {
        let mut sketch = Sketch::default();
        let root = sketch.node("*");
        for leaf in leaves {
            let leaf = sketch.node(leaf.as_ref());
            sketch.children[root].push(leaf);
        }
        sketch.finish(root)
    }

    /// Lines `leaf, …, root`, one for every leaf, in order.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let line = |&leaf: &NodeId| self.path(leaf).map(|node| self.label(node).to_owned()).collect();
        self.leaves.iter().map(line).collect()
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub fn label(&self, node: NodeId) -> &str {
        &self.labels[node as usize]
    }

    /// `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node != ROOT).then(|| self.parents[node as usize])
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.ends[node as usize];
        let first = (node + 1 < end).then_some(node + 1);
        std::iter::successors(first, move |&child| Some(self.ends[child as usize]).filter(|&next| next < end))
    }

    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.ends[node as usize] == node + 1
    }

    /// Steps from the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.depths[node as usize].into()
    }

    /// Height of the subtree under the node; 0 for a leaf.
    pub fn height(&self, node: NodeId) -> usize {
        self.heights[node as usize].into()
    }

    /// One past the last node of the subtree.
    pub fn end(&self, node: NodeId) -> NodeId {
        self.ends[node as usize]
    }

    /// All leaves, in order.
    pub fn leaves(&self) -> &[NodeId] {
        &self.leaves
    }

    /// The leaves under a node (the node itself if it is one).
    pub fn leaves_under(&self, node: NodeId) -> &[NodeId] {
        let before = |id: NodeId| self.leaves_before[id as usize] as usize;
        &self.leaves[before(node)..before(self.ends[node as usize])]
    }

    /// Number of leaves under a node: `leaves(v)` of docs/spec.md §0.
    pub fn leaf_count(&self, node: NodeId) -> usize {
        self.leaves_under(node).len()
    }

    /// Whether `node` is `leaf` or a generalization of it.
    pub fn covers(&self, node: NodeId, leaf: NodeId) -> bool {
        (node..self.ends[node as usize]).contains(&leaf)
    }

    /// The node, its parent, and so on up to the root.
    pub fn path(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |&node| self.parent(node))
    }

    /// The lowest common ancestor, in O(1).
    pub fn lowest_common_ancestor(&self, one: NodeId, other: NodeId) -> NodeId {
        if one == other {
            return one;
        }
        let (first, last) = (one.min(other), one.max(other));
        // Among the nodes after `first` up to `last`, the least deep is a child of the ancestor.
        let child = self.minimum.place(&self.depths, first as usize + 1, last as usize);
        self.parents[child]
    }

    /// Number of levels for full-domain recoding: 0 keeps the leaves, the last is the root.
    pub fn levels(&self) -> usize {
        self.height(ROOT) + 1
    }

    /// What `leaf` becomes on a level of full-domain recoding.
    pub fn at_level(&self, leaf: NodeId, level: usize) -> NodeId {
        let depth = self.height(ROOT).saturating_sub(level);
        self.path(leaf).find(|&node| self.depth(node) <= depth).unwrap_or(ROOT)
    }

    /// The tree whose leaves are what values become on `level`, and the new number of each node (of one that is gone,
    /// that of the leaf it became).
    pub fn from_level(&self, level: usize) -> (Hierarchy, Vec<NodeId>) {
        let deepest = self.height(ROOT).saturating_sub(level);
        let mut sketch = Sketch::default();
        let mut numbers: Vec<NodeId> = Vec::with_capacity(self.len());
        // Pre-order is kept, so numbers are given in the order of the nodes.
        for node in 0..self.len() as NodeId {
            let above = self.parent(node).map(|parent| numbers[parent as usize]);
            match above {
                Some(above) if self.depth(node) > deepest => numbers.push(above),
                _ => {
                    let number = sketch.node(self.label(node));
                    if let Some(above) = above {
                        sketch.children[above as usize].push(number);
                    }
                    numbers.push(number as NodeId);
                }
            }
        }
        (sketch.finish(ROOT as usize), numbers)
    }

    /// The node that a text of a release stands for (docs/models.md), and what a limit, a constraint or a name in a policy means by it: of
    /// nodes above each other that share the label, the highest, as a reader can't tell which is meant.
    pub fn node_of_label(&self, label: &str) -> Option<NodeId> {
        // Nodes come after those above them.
        self.labels.iter().position(|other| other == label).map(|place| place as NodeId)
    }

    /// [`Hierarchy::node_of_label`] of all labels at once.
    pub fn nodes_of_labels(&self) -> HashMap<&str, NodeId> {
        self.last_of_labels((0..self.len() as NodeId).rev())
    }

    /// The leaf that a value of the original table is. Not for texts of a release: the value may share its label with a
    /// group that is shown.
    pub fn leaf_of_value(&self, value: &str) -> Option<NodeId> {
        self.leaves.iter().copied().find(|&leaf| self.label(leaf) == value)
    }

    /// [`Hierarchy::leaf_of_value`] of all values at once.
    pub fn leaves_of_values(&self) -> HashMap<&str, NodeId> {
        self.last_of_labels(self.leaves.iter().copied())
    }

    fn last_of_labels(&self, nodes: impl Iterator<Item = NodeId>) -> HashMap<&str, NodeId> {
        nodes.map(|node| (self.label(node), node)).collect()
    }

    /// What each node's own label is read as.
    pub fn read_as(&self) -> Vec<NodeId> {
        let by_label = self.nodes_of_labels();
        self.labels.iter().map(|label| by_label[label.as_str()]).collect()
    }

    /// The node of a label; of several above each other, the lowest.
    pub fn find(&self, label: &str) -> Option<NodeId> {
        self.labels.iter().rposition(|other| other == label).map(|place| place as NodeId)
    }

    /// Which leaf each value of a column is.
    pub fn bind(&self, dictionary: &Dictionary) -> Binding {
        let leaf_of_value = self.leaves_of_values();
        let leaves: Vec<Option<NodeId>> = dictionary.iter().map(|text| leaf_of_value.get(text).copied()).collect();
        let lacking = (0..leaves.len() as u32).filter(|&code| leaves[code as usize].is_none()).collect();
        let mut used = vec![false; self.len()];
        for leaf in leaves.iter().flatten() {
            used[*leaf as usize] = true;
        }
        let unused = self.leaves.iter().copied().filter(|&leaf| !used[leaf as usize]).collect();
        Binding { leaves, lacking, unused }
    }

    /// The same tree as a sketch, for an edit; node numbers are kept.
    pub(super) fn sketch(&self) -> Sketch {
        let children = |node: NodeId| self.children(node).map(|child| child as usize).collect();
        Sketch { labels: self.labels.clone(), children: (0..self.len() as NodeId).map(children).collect() }
    }
}

/// Two nodes may share a label only when one is above the other.
fn check_labels<S: AsRef<str>>(sketch: &Sketch, line_of: &[usize], rows: &[Vec<S>]) -> Result<(), TreeError> {
    let mut parent = vec![usize::MAX; sketch.labels.len()];
    for (node, children) in sketch.children.iter().enumerate() {
        for &child in children {
            parent[child] = node;
        }
    }
    let mut first_with: HashMap<&str, usize> = HashMap::new();
    for (node, label) in sketch.labels.iter().enumerate() {
        let Some(&other) = first_with.get(label.as_str()) else {
            first_with.insert(label, node);
            continue;
        };
        // Parents come before their children, so `other` is above `node` if either is.
        let above = |node: usize| Some(parent[node]).filter(|&parent| parent != usize::MAX);
        let chain = std::iter::successors(above(node), |&node| above(node)).any(|node| node == other);
        if !chain {
            let (first, second) = (line_of[other], line_of[node]);
            let is_leaf_line = |line: usize| rows[line - 1].first().is_some_and(|leaf| leaf.as_ref() == label);
            let leaves = sketch.children[node].is_empty() && sketch.children[other].is_empty();
            return Err(if leaves && is_leaf_line(first) && is_leaf_line(second) {
                TreeError::LeafTwice { first, second }
            } else {
                TreeError::LabelTwice { first, second }
            });
        }
    }
    Ok(())
}
