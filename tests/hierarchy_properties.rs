//! Trees, their edits, limits and forced suppression against re-implementations that only follow the definitions:
//! recursive trees of labels, paths as lists of texts, every pair of rows compared. Nothing here calls the engine to
//! know what the engine should say.
//!
//! `THRONG_CASES=100000 cargo test --release --test hierarchy_properties` tries more than the 2,000 of each.

#![cfg(not(target_arch = "wasm32"))]

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};
use throng::classes::{Classes, Keys};
use throng::hierarchy::{EditError, Hierarchy, Limits, NodeId, ROOT, TreeError};
use throng::table::{Column, DictionaryBuilder};

fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> TestCaseResult) {
    let wanted = std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    let mut config = Config { failure_persistence: None, cases: wanted.unwrap_or(2_000), ..Config::default() };
    if wanted.is_none() {
        config.rng_seed = RngSeed::Fixed(4);
    }
    TestRunner::new(config).run(&strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

// --- the naive tree --------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Leaf(String),
    Group(String, Vec<Tree>),
}

impl Tree {
    fn label(&self) -> &str {
        let (Tree::Leaf(label) | Tree::Group(label, _)) = self;
        label
    }

    fn children(&self) -> &[Tree] {
        match self {
            Tree::Leaf(_) => &[],
            Tree::Group(_, children) => children,
        }
    }

    fn is_leaf(&self) -> bool {
        matches!(self, Tree::Leaf(_))
    }

    /// All nodes, a parent before its children and the children in order; a node's place is its number.
    fn nodes(&self) -> Vec<&Tree> {
        let mut nodes = vec![self];
        nodes.extend(self.children().iter().flat_map(Tree::nodes));
        nodes
    }

    fn leaf_labels(&self) -> Vec<String> {
        self.nodes().into_iter().filter(|node| node.is_leaf()).map(|leaf| leaf.label().to_owned()).collect()
    }

    fn height(&self) -> usize {
        self.children().iter().map(|child| child.height() + 1).max().unwrap_or(0)
    }

    fn contains(&self, label: &str) -> bool {
        self.nodes().iter().any(|node| node.label() == label)
    }

    /// Labels from the node up to the root.
    fn path(&self, label: &str) -> Option<Vec<String>> {
        if self.label() == label {
            return Some(vec![label.to_owned()]);
        }
        let mut path = self.children().iter().find_map(|child| child.path(label))?;
        path.push(self.label().to_owned());
        Some(path)
    }

    fn parent(&self, label: &str) -> Option<String> {
        self.path(label)?.get(1).cloned()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        self.leaf_labels().iter().map(|leaf| self.path(leaf).unwrap()).collect()
    }

    /// The same tree with one node's list of children (of the parent for `change`) rewritten.
    fn with_children(&self, label: &str, change: &dyn Fn(Vec<Tree>) -> Vec<Tree>) -> Tree {
        match self {
            Tree::Leaf(_) => self.clone(),
            Tree::Group(own, children) => {
                let children: Vec<Tree> = children.iter().map(|child| child.with_children(label, change)).collect();
                Tree::Group(own.clone(), if own == label { change(children) } else { children })
            }
        }
    }

    /// Without the nodes of these labels and what is below them, and without groups that lost all children.
    fn without(&self, labels: &[&str]) -> Option<Tree> {
        if labels.contains(&self.label()) {
            return None;
        }
        match self {
            Tree::Leaf(_) => Some(self.clone()),
            Tree::Group(label, children) => {
                let children: Vec<Tree> = children.iter().filter_map(|child| child.without(labels)).collect();
                (!children.is_empty()).then(|| Tree::Group(label.clone(), children))
            }
        }
    }

    fn renamed(&self, from: &str, to: &str) -> Tree {
        match self {
            Tree::Leaf(_) => self.clone(),
            Tree::Group(label, children) => {
                let label = if label == from { to } else { label };
                Tree::Group(label.to_owned(), children.iter().map(|child| child.renamed(from, to)).collect())
            }
        }
    }

    /// The node of a label.
    fn node(&self, label: &str) -> &Tree {
        self.nodes().into_iter().find(|node| node.label() == label).unwrap()
    }
}

/// Any shape: each node after the first hangs under one before it, at times under a recent one so that trees get deep.
fn tree(nodes: std::ops::Range<usize>) -> impl Strategy<Value = Tree> {
    let parents = prop::collection::vec((any::<u16>(), 0u8..3), nodes);
    let roots = prop::sample::select(vec!["*", "All", "", "*"]);
    (parents, roots).prop_map(|(choices, root)| {
        let mut children: Vec<Vec<usize>> = vec![Vec::new()];
        for (index, (choice, deep)) in choices.into_iter().enumerate() {
            let node = index + 1;
            let back = if deep == 0 { node.min(3) } else { node };
            children[node - 1 - usize::from(choice) % back].push(node);
            children.push(Vec::new());
        }
        grow(0, root, &children)
    })
}

fn grow(node: usize, root: &str, children: &[Vec<usize>]) -> Tree {
    let below: Vec<Tree> = children[node].iter().map(|&child| grow(child, root, children)).collect();
    if below.is_empty() {
        // Values as data has them: numbers, blanks, letters beyond ASCII. All differ.
        let value = [format!("{node}"), format!(" {node}"), format!("Zürich {node}"), format!("a;\"{node}\"")];
        return Tree::Leaf(value[node % 4].clone());
    }
    Tree::Group(if node == 0 { root.to_owned() } else { format!("group {node}") }, below)
}

fn built(tree: &Tree) -> Hierarchy {
    Hierarchy::from_rows(&tree.rows()).unwrap()
}

/// The engine's tree is this one, in every respect that can be asked.
fn check_same(engine: &Hierarchy, tree: &Tree) -> TestCaseResult {
    let nodes = tree.nodes();
    prop_assert_eq!(engine.len(), nodes.len());
    prop_assert!(!engine.is_empty());
    prop_assert_eq!(engine.rows(), tree.rows());
    prop_assert_eq!(engine.levels(), tree.height() + 1);
    let ids: Vec<NodeId> = (0..nodes.len() as NodeId).collect();
    let id_of = |label: &str| nodes.iter().position(|node| node.label() == label).unwrap() as NodeId;
    for (&id, node) in ids.iter().zip(&nodes) {
        let label = node.label();
        prop_assert_eq!(engine.label(id), label, "numbers are in pre-order");
        prop_assert_eq!(engine.find(label), Some(id));
        prop_assert_eq!(engine.is_leaf(id), node.is_leaf());
        prop_assert_eq!(engine.height(id), node.height());
        prop_assert_eq!(engine.leaf_count(id), node.leaf_labels().len());
        let leaves: Vec<&str> = engine.leaves_under(id).iter().map(|&leaf| engine.label(leaf)).collect();
        prop_assert_eq!(leaves, node.leaf_labels());
        let children: Vec<&str> = engine.children(id).map(|child| engine.label(child)).collect();
        prop_assert_eq!(children, node.children().iter().map(Tree::label).collect::<Vec<_>>());
        let path = tree.path(label).unwrap();
        prop_assert_eq!(engine.depth(id), path.len() - 1);
        prop_assert_eq!(engine.parent(id), path.get(1).map(|parent| id_of(parent)));
        prop_assert_eq!(engine.path(id).map(|node| engine.label(node)).collect::<Vec<_>>(), path);
    }
    let leaves: Vec<&str> = engine.leaves().iter().map(|&leaf| engine.label(leaf)).collect();
    prop_assert_eq!(leaves, tree.leaf_labels());
    prop_assert_eq!(engine.find("no such label"), None);
    Ok(())
}

// --- structure -------------------------------------------------------------------------------

#[test]
fn a_tree_is_what_its_rows_say() {
    check((tree(1..40), any::<u64>(), any::<bool>()), |(tree, seed, without_root)| {
        check_same(&built(&tree), &tree)?;
        // In another order, with lines that come twice: the same nodes under the same parents.
        let mut rows = tree.rows();
        rows.extend(tree.rows().into_iter().take(3));
        let count = rows.len() as u64;
        rows.sort_by_key(|row| (row[0].len() as u64 * 7 + row.len() as u64 * 13).wrapping_mul(seed | 1) % (count + 7));
        let engine = Hierarchy::from_rows(&rows).unwrap();
        prop_assert_eq!(engine.len(), tree.nodes().len());
        for node in tree.nodes() {
            let id = engine.find(node.label()).unwrap();
            let path: Vec<&str> = engine.path(id).map(|above| engine.label(above)).collect();
            prop_assert_eq!(path, tree.path(node.label()).unwrap());
        }
        // Without the root in the lines, `*` is put above, unless the lines end alike: then that is the root.
        if without_root && tree.children().len() > 1 {
            let bare: Vec<Vec<String>> = tree.rows().into_iter().map(|row| row[..row.len() - 1].to_vec()).collect();
            let Tree::Group(_, children) = tree else { return Ok(()) };
            check_same(&Hierarchy::from_rows(&bare).unwrap(), &Tree::Group("*".into(), children))?;
        }
        Ok(())
    });
}

#[test]
fn rows_that_are_no_tree_are_refused() {
    let rows = |lines: &[&str]| -> Vec<Vec<String>> {
        lines.iter().map(|line| line.split(';').map(str::to_owned).collect()).collect()
    };
    let refused = |lines: &[&str]| Hierarchy::from_rows(&rows(lines)).unwrap_err();
    assert_eq!(refused(&[]), TreeError::Empty);
    assert_eq!(refused(&["a;g;*", "b;h;*", "a;h;*"]), TreeError::LeafTwice { first: 1, second: 3 });
    assert_eq!(refused(&["a;g;x;*", "b;g;y;*"]), TreeError::LabelTwice { first: 1, second: 2 });
    assert_eq!(refused(&["a;g;*", "g;h;*"]), TreeError::LabelTwice { first: 1, second: 2 });
    assert_eq!(Hierarchy::from_rows(&[Vec::<String>::new()]).unwrap_err(), TreeError::EmptyLine { line: 1 });
    let deep: Vec<String> = (0..1001).map(|level| level.to_string()).collect();
    assert_eq!(Hierarchy::from_rows(&[deep]).unwrap_err(), TreeError::TooDeep { line: 1 });
    // A value may share its label with groups above it, and with nothing else.
    assert!(Hierarchy::from_rows(&rows(&["Other;Other;*", "rest;Other;*", "x;y;*"])).is_ok());
    assert!(Hierarchy::from_rows(&rows(&["a;a;g;*", "b;g;g;*"])).is_ok());
    assert_eq!(refused(&["Other;Other;*", "y;Other;z;*"]), TreeError::LabelTwice { first: 1, second: 2 });
    let chain = Hierarchy::from_rows(&rows(&["a;a;*", "b;*"])).unwrap();
    assert_eq!((chain.len(), chain.find("a")), (4, Some(2)), "the lowest of a chain");
}

#[test]
fn a_value_called_like_a_group_goes_into_that_group() {
    let tree = Hierarchy::from_rows(&[vec!["a", "Other", "*"], vec!["b", "c", "*"]]).unwrap();
    let grown = tree.add_leaves(["Other", "*", "new", "a"], 0).unwrap();
    let lines: Vec<String> = grown.rows().iter().map(|row| row.join(";")).collect();
    assert_eq!(lines, ["a;Other;*", "Other;Other;*", "b;c;*", "*;*", "new;*"]);
    assert_eq!(Hierarchy::from_rows(&grown.rows()).unwrap(), grown);
}

#[test]
fn lowest_common_ancestors_are_where_paths_meet() {
    // Large enough for the blocks and the table over blocks of the range minimum.
    check((tree(1..400), prop::collection::vec(any::<(u16, u16)>(), 12)), |(tree, pairs)| {
        let engine = built(&tree);
        let nodes = tree.nodes();
        for (one, other) in pairs {
            let (one, other) = (usize::from(one) % nodes.len(), usize::from(other) % nodes.len());
            let (up, other_up) = (tree.path(nodes[one].label()).unwrap(), tree.path(nodes[other].label()).unwrap());
            let meet = up.iter().find(|label| other_up.contains(label)).unwrap();
            let found = engine.lowest_common_ancestor(one as NodeId, other as NodeId);
            prop_assert_eq!(engine.label(found), meet);
            prop_assert_eq!(engine.lowest_common_ancestor(other as NodeId, one as NodeId), found);
            prop_assert_eq!(
                engine.covers(one as NodeId, other as NodeId),
                other_up.contains(&nodes[one].label().into())
            );
        }
        Ok(())
    });
}

#[test]
fn levels_are_columns_of_the_padded_rows() {
    check(tree(1..60), |tree| {
        let engine = built(&tree);
        let width = tree.rows().iter().map(Vec::len).max().unwrap();
        prop_assert_eq!(engine.levels(), width);
        for row in tree.rows() {
            // A leaf that is less deep stays itself on the levels it lacks.
            let mut padded = vec![row[0].clone(); width - row.len()];
            padded.extend(row);
            let leaf = engine.find(&padded[0]).unwrap();
            for (level, label) in padded.iter().enumerate() {
                prop_assert_eq!(engine.label(engine.at_level(leaf, level)), label);
            }
            prop_assert_eq!(engine.at_level(leaf, width + 3), ROOT);
        }
        Ok(())
    });
}

#[test]
fn values_are_bound_to_the_leaves_of_their_text() {
    check((tree(1..30), prop::collection::vec(0usize..45, 0..30)), |(tree, values)| {
        let engine = built(&tree);
        let nodes = tree.nodes();
        // Groups' labels and unknown texts are among the values too: no leaf has them.
        let texts: Vec<String> = values
            .iter()
            .map(|&value| nodes.get(value).map_or(format!("unknown {value}"), |node| node.label().to_owned()))
            .collect();
        let mut builder = DictionaryBuilder::default();
        for text in &texts {
            builder.code(text.as_bytes()).unwrap();
        }
        let dictionary = builder.finish();
        let binding = engine.bind(&dictionary);
        let leaf_labels = tree.leaf_labels();
        for (code, text) in dictionary.iter().enumerate() {
            let leaf = binding.leaves[code].map(|leaf| engine.label(leaf).to_owned());
            prop_assert_eq!(leaf, leaf_labels.iter().find(|label| *label == text).cloned());
            prop_assert_eq!(binding.lacking.contains(&(code as u32)), binding.leaves[code].is_none());
        }
        let unused: Vec<&str> = binding.unused.iter().map(|&leaf| engine.label(leaf)).collect();
        prop_assert_eq!(unused, leaf_labels.iter().filter(|label| !texts.contains(label)).collect::<Vec<_>>());
        Ok(())
    });
}

// --- edits -----------------------------------------------------------------------------------

/// An edit by numbers that are brought into range (and at times one beyond) when the tree is known.
#[derive(Clone, Debug)]
enum Edit {
    Rename(u16, String),
    Move(Vec<u16>, u16),
    Group(Vec<u16>, String),
    GroupSiblings(u16, u8, String),
    Ungroup(u16),
    Split(u16, Vec<u16>, String),
    SplitChildren(u16, u8, String),
    Add(Vec<String>, u16),
    Remove(Vec<u16>),
}

fn edit() -> impl Strategy<Value = Edit> {
    let label = || {
        prop_oneof![
            8 => (0u16..500).prop_map(|number| format!("new {number}")),
            1 => (0u16..30).prop_map(|number| format!("group {number}")),
            1 => prop::sample::select(vec!["", "  ", "*", "1", "Zürich 2"]).prop_map(str::to_owned),
        ]
    };
    let nodes = || prop::collection::vec(any::<u16>(), 0..4);
    prop_oneof![
        (any::<u16>(), label()).prop_map(|(node, label)| Edit::Rename(node, label)),
        (nodes(), any::<u16>()).prop_map(|(nodes, target)| Edit::Move(nodes, target)),
        (prop::collection::vec(any::<u16>(), 1..3), any::<u16>()).prop_map(|(nodes, target)| Edit::Move(nodes, target)),
        (nodes(), label()).prop_map(|(nodes, label)| Edit::Group(nodes, label)),
        (any::<u16>(), any::<u8>(), label()).prop_map(|(node, some, label)| Edit::GroupSiblings(node, some, label)),
        any::<u16>().prop_map(Edit::Ungroup),
        (any::<u16>(), nodes(), label()).prop_map(|(node, taken, label)| Edit::Split(node, taken, label)),
        (any::<u16>(), any::<u8>(), label()).prop_map(|(node, some, label)| Edit::SplitChildren(node, some, label)),
        (prop::collection::vec(label(), 0..4), any::<u16>()).prop_map(|(leaves, parent)| Edit::Add(leaves, parent)),
        nodes().prop_map(Edit::Remove),
    ]
}

/// Every error whose sentence is true of the edit; none: the tree it must give.
type Expected = Result<Tree, Vec<EditError>>;

fn label_errors(tree: &Tree, label: &str, except: Option<&str>) -> Vec<EditError> {
    let mut errors = Vec::new();
    if label.trim().is_empty() {
        errors.push(EditError::LabelEmpty);
    }
    if except != Some(label) && tree.contains(label) {
        errors.push(EditError::LabelTaken);
    }
    errors
}

fn unless(errors: Vec<EditError>, edit: impl FnOnce() -> Tree) -> Expected {
    if errors.is_empty() { Ok(edit()) } else { Err(errors) }
}

/// The chosen nodes in the tree's order, without those below another chosen one.
fn topmost<'a>(tree: &'a Tree, labels: &[&'a str]) -> Vec<&'a str> {
    let chosen = tree.nodes().into_iter().map(Tree::label).filter(|label| labels.contains(label));
    let below = |label: &str| tree.path(label).unwrap()[1..].iter().any(|above| labels.contains(&above.as_str()));
    chosen.filter(|label| !below(label)).collect()
}

fn renamed(tree: &Tree, node: &str, label: &str) -> Expected {
    let mut errors = label_errors(tree, label, Some(node));
    if tree.node(node).is_leaf() {
        errors.push(EditError::LeafLabel);
    }
    unless(errors, || tree.renamed(node, label))
}

fn moved(tree: &Tree, nodes: &[&str], target: &str) -> Expected {
    let mut errors = Vec::new();
    if nodes.contains(&tree.label()) {
        errors.push(EditError::Root);
    }
    let target_path = tree.path(target).unwrap();
    if tree.node(target).is_leaf() || nodes.iter().any(|&node| target_path.contains(&node.to_owned())) {
        errors.push(EditError::NotAGroup);
    }
    unless(errors, || {
        let nodes = topmost(tree, nodes);
        let taken: Vec<Tree> = nodes.iter().map(|node| tree.node(node).clone()).collect();
        // The target may be empty for a moment: hold its place with a leaf that no tree here has.
        let held = tree.with_children(target, &|mut children| {
            children.push(Tree::Leaf("held".into()));
            children
        });
        let bare = held.without(&nodes).unwrap();
        bare.with_children(target, &|mut children| {
            children.pop();
            children.extend(taken.clone());
            children
        })
    })
}

fn grouped(tree: &Tree, nodes: &[&str], label: &str) -> Expected {
    let nodes = topmost(tree, nodes);
    let mut errors = label_errors(tree, label, None);
    if nodes.contains(&tree.label()) {
        errors.push(EditError::Root);
    }
    let parents: HashSet<Option<String>> = nodes.iter().map(|node| tree.parent(node)).collect();
    if parents.len() != 1 {
        errors.push(EditError::NotSiblings);
    }
    unless(errors, || {
        let parent = tree.parent(nodes[0]).unwrap();
        tree.with_children(&parent, &|children| {
            let (inside, _): (Vec<Tree>, Vec<Tree>) =
                children.iter().cloned().partition(|child| nodes.contains(&child.label()));
            let mut after = Vec::new();
            for child in children {
                if child.label() == nodes[0] {
                    after.push(Tree::Group(label.to_owned(), inside.clone()));
                } else if !nodes.contains(&child.label()) {
                    after.push(child);
                }
            }
            after
        })
    })
}

fn ungrouped(tree: &Tree, node: &str) -> Expected {
    let mut errors = Vec::new();
    if tree.label() == node {
        errors.push(EditError::Root);
    }
    if tree.node(node).is_leaf() {
        errors.push(EditError::Leaf);
    }
    unless(errors, || {
        tree.with_children(&tree.parent(node).unwrap(), &|children| {
            let dissolve = |child: Tree| match child {
                Tree::Group(label, below) if label == node => below,
                other => vec![other],
            };
            children.into_iter().flat_map(dissolve).collect()
        })
    })
}

fn split(tree: &Tree, node: &str, taken: &[&str], label: &str) -> Expected {
    let mut errors = label_errors(tree, label, None);
    if tree.label() == node {
        errors.push(EditError::Root);
    }
    let children: Vec<&str> = tree.node(node).children().iter().map(Tree::label).collect();
    let strangers = taken.iter().any(|child| !children.contains(child));
    if taken.is_empty() || strangers || children.iter().all(|child| taken.contains(child)) {
        errors.push(EditError::NotSiblings);
    }
    unless(errors, || {
        tree.with_children(&tree.parent(node).unwrap(), &|siblings| {
            let mut after = Vec::new();
            for sibling in siblings {
                match sibling {
                    Tree::Group(own, children) if own == node => {
                        let (gone, kept) = children.into_iter().partition(|child| taken.contains(&child.label()));
                        after.push(Tree::Group(own, kept));
                        after.push(Tree::Group(label.to_owned(), gone));
                    }
                    other => after.push(other),
                }
            }
            after
        })
    })
}

fn added(tree: &Tree, leaves: &[String], parent: &str) -> Expected {
    if tree.node(parent).is_leaf() {
        return Err(vec![EditError::NotAGroup]);
    }
    let mut after = tree.clone();
    for leaf in leaves {
        if !after.contains(leaf) {
            after = after.with_children(parent, &|mut children| {
                children.push(Tree::Leaf(leaf.clone()));
                children
            });
        }
    }
    Ok(after)
}

fn removed(tree: &Tree, leaves: &[&str]) -> Expected {
    let mut errors = Vec::new();
    if leaves.iter().any(|leaf| !tree.node(leaf).is_leaf()) {
        errors.push(EditError::NotAGroup);
    }
    if tree.leaf_labels().iter().all(|leaf| leaves.contains(&leaf.as_str())) {
        errors.push(EditError::Root);
    }
    unless(errors, || tree.without(leaves).unwrap())
}

/// What the engine makes of an edit, and what it should; with `unknown` one number is past the last node.
fn both(engine: &Hierarchy, tree: &Tree, edit: &Edit) -> (Result<Hierarchy, EditError>, Expected) {
    let nodes = tree.nodes();
    // Once in a while a number that no node has.
    let id = |number: &u16| {
        if *number > 64_000 { nodes.len() as NodeId } else { NodeId::from(*number) % nodes.len() as NodeId }
    };
    let ids = |numbers: &[u16]| numbers.iter().map(id).collect::<Vec<NodeId>>();
    let label = |id: NodeId| nodes.get(id as usize).map(|node| node.label());
    let labels = |ids: &[NodeId]| ids.iter().map(|&id| label(id)).collect::<Option<Vec<&str>>>();
    let unknown = || Err(vec![EditError::Unknown]);
    let some_children = |node: &str, some: u8| -> Vec<NodeId> {
        let children = tree.node(node).children().iter().enumerate();
        let chosen = children.filter(|(place, _)| some >> (place % 8) & 1 == 1).map(|(_, child)| child.label());
        chosen.map(|child| nodes.iter().position(|node| node.label() == child).unwrap() as NodeId).collect()
    };
    match edit {
        Edit::Rename(node, to) => {
            let node = id(node);
            (engine.rename(node, to), label(node).map_or_else(unknown, |node| renamed(tree, node, to)))
        }
        Edit::Move(from, target) => {
            let (from, target) = (ids(from), id(target));
            let expected = labels(&from).zip(label(target));
            (engine.move_to(&from, target), expected.map_or_else(unknown, |(from, target)| moved(tree, &from, target)))
        }
        Edit::Group(members, name) => {
            let members = ids(members);
            let expected = labels(&members).map_or_else(unknown, |members| grouped(tree, &members, name));
            (engine.group(&members, name), expected)
        }
        Edit::GroupSiblings(parent, some, name) => {
            let members = label(id(parent)).map_or_else(Vec::new, |parent| some_children(parent, *some));
            let expected = labels(&members).map_or_else(unknown, |members| grouped(tree, &members, name));
            (engine.group(&members, name), expected)
        }
        Edit::Ungroup(node) => {
            let node = id(node);
            (engine.ungroup(node), label(node).map_or_else(unknown, |node| ungrouped(tree, node)))
        }
        Edit::Split(node, taken, name) => {
            let (node, taken) = (id(node), ids(taken));
            let expected = label(node).zip(labels(&taken));
            let expected = expected.map_or_else(unknown, |(node, taken)| split(tree, node, &taken, name));
            (engine.split(node, &taken, name), expected)
        }
        Edit::SplitChildren(node, some, name) => {
            let node = id(node);
            let taken = label(node).map_or_else(Vec::new, |node| some_children(node, *some));
            let expected = label(node).zip(labels(&taken));
            let expected = expected.map_or_else(unknown, |(node, taken)| split(tree, node, &taken, name));
            (engine.split(node, &taken, name), expected)
        }
        Edit::Add(leaves, parent) => {
            let parent = id(parent);
            // These trees tell nodes apart by their labels, so values called like a group have a test of their own.
            let leaves: Vec<String> =
                leaves.iter().filter(|leaf| !tree.contains(leaf) || tree.node(leaf).is_leaf()).cloned().collect();
            let expected = label(parent).map_or_else(unknown, |parent| added(tree, &leaves, parent));
            (engine.add_leaves(leaves.iter().map(String::as_str), parent), expected)
        }
        Edit::Remove(leaves) => {
            // Any node at times, mostly leaves.
            let pick = |number: &u16| match number % 8 {
                0 => id(number),
                _ => engine.leaves()[usize::from(*number) % engine.leaves().len()],
            };
            let leaves: Vec<NodeId> = leaves.iter().map(pick).collect();
            let expected = labels(&leaves).map_or_else(unknown, |leaves| removed(tree, &leaves));
            (engine.remove_leaves(&leaves), expected)
        }
    }
}

fn sorted(mut labels: Vec<String>) -> Vec<String> {
    labels.sort();
    labels
}

#[test]
fn edits_do_what_they_say_and_lose_no_leaf() {
    check((tree(1..25), prop::collection::vec(edit(), 1..12)), |(mut tree, edits)| {
        let mut engine = built(&tree);
        for edit in edits {
            let before = engine.clone();
            let (made, expected) = both(&engine, &tree, &edit);
            prop_assert_eq!(&engine, &before, "the old tree is kept for undo");
            match (made, expected) {
                (Ok(made), Ok(expected)) => {
                    check_same(&made, &expected)?;
                    let (old, new) = (sorted(tree.leaf_labels()), sorted(expected.leaf_labels()));
                    match &edit {
                        Edit::Add(leaves, _) => {
                            prop_assert!(old.iter().all(|leaf| new.contains(leaf)));
                            prop_assert!(new.iter().all(|leaf| old.contains(leaf) || leaves.contains(leaf)));
                            prop_assert!(leaves.iter().all(|leaf| tree.contains(leaf) || new.contains(leaf)));
                        }
                        Edit::Remove(_) => prop_assert!(new.iter().all(|leaf| old.contains(leaf)) && !new.is_empty()),
                        _ => prop_assert_eq!(old, new, "leaves are kept by {:?}", edit),
                    }
                    // Nothing inside is left from before the edit.
                    prop_assert_eq!(&Hierarchy::from_rows(&made.rows()).unwrap(), &made);
                    (engine, tree) = (made, expected);
                }
                (Err(error), Err(errors)) => {
                    prop_assert!(errors.contains(&error), "{:?}: {:?}, expected one of {:?}", edit, error, errors);
                }
                (made, expected) => {
                    return Err(TestCaseError::fail(format!("{edit:?} of {tree:?}: {made:?}, expected {expected:?}")));
                }
            }
        }
        Ok(())
    });
}

// --- limits ----------------------------------------------------------------------------------

/// Definition 3: the first marked node on the path from the leaf to the root; without one, the root.
fn naive_limit(tree: &Tree, marks: &[String], leaf: &str) -> String {
    let path = tree.path(leaf).unwrap();
    path.iter().find(|label| marks.contains(label)).unwrap_or(&path[path.len() - 1]).clone()
}

fn marked(tree: &Tree, choices: &[u16]) -> (Vec<NodeId>, Vec<String>) {
    let nodes = tree.nodes();
    let marks: Vec<NodeId> = choices.iter().map(|&choice| NodeId::from(choice) % nodes.len() as NodeId).collect();
    let labels = marks.iter().map(|&mark| nodes[mark as usize].label().to_owned()).collect();
    (marks, labels)
}

#[test]
fn limits_are_those_of_definition_3() {
    check((tree(1..50), prop::collection::vec(any::<u16>(), 0..10)), |(tree, choices)| {
        let engine = built(&tree);
        let (marks, labels) = marked(&tree, &choices);
        let limits = Limits::new(&engine, &marks);
        let all = limits.of_all(&engine);
        for (id, node) in tree.nodes().into_iter().enumerate() {
            prop_assert_eq!(limits.is_marked(id as NodeId), labels.contains(&node.label().to_owned()));
        }
        for leaf in tree.leaf_labels() {
            let id = engine.find(&leaf).unwrap();
            let limit = naive_limit(&tree, &labels, &leaf);
            prop_assert_eq!(engine.label(limits.of(&engine, id)), &limit);
            prop_assert_eq!(engine.label(all[id as usize]), &limit);
            // Allowed: the leaf itself and what lies on the way to the limit, the limit included.
            let path = tree.path(&leaf).unwrap();
            let end = path.iter().position(|label| *label == limit).unwrap();
            for node in tree.nodes() {
                let allowed = path[..=end].contains(&node.label().to_owned());
                prop_assert_eq!(limits.allow(&engine, id, engine.find(node.label()).unwrap()), allowed);
            }
        }
        Ok(())
    });
}

// --- forced suppression ----------------------------------------------------------------------

/// A quasi-identifier: its tree, the marked labels, and a leaf's label for each row.
#[derive(Clone, Debug)]
struct Quasi {
    tree: Tree,
    marks: Vec<NodeId>,
    mark_labels: Vec<String>,
    cells: Vec<String>,
}

fn quasi(rows: usize) -> impl Strategy<Value = Quasi> {
    let marks = prop::collection::vec(any::<u16>(), 0..6);
    (tree(1..16), marks, prop::collection::vec(any::<u16>(), rows)).prop_map(|(tree, marks, cells)| {
        let leaves = tree.leaf_labels();
        let cells = cells.into_iter().map(|cell| leaves[usize::from(cell) % leaves.len()].clone()).collect();
        let (marks, mark_labels) = marked(&tree, &marks);
        Quasi { tree, marks, mark_labels, cells }
    })
}

fn table(rows: std::ops::Range<usize>) -> impl Strategy<Value = (usize, Vec<Quasi>)> {
    (rows, 0usize..4).prop_flat_map(|(rows, columns)| (Just(rows), prop::collection::vec(quasi(rows), columns)))
}

/// The engine's way: codes to leaves, leaves to limits, limits to classes.
fn classes_at_limits(rows: usize, table: &[Quasi]) -> Classes {
    let mut keys: Vec<(Vec<NodeId>, u32)> = Vec::new();
    for quasi in table {
        let engine = built(&quasi.tree);
        let mut builder = DictionaryBuilder::default();
        let codes = quasi.cells.iter().map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
        let column = Column::new("column".into(), builder.finish(), codes, &[]);
        let leaves = engine.bind(&column.dictionary).leaves;
        let limits = Limits::new(&engine, &quasi.marks).of_all(&engine);
        let at_limit = column.codes.iter().map(|&code| limits[leaves[code as usize].unwrap() as usize]).collect();
        keys.push((at_limit, engine.len() as u32));
    }
    let keys: Vec<Keys> = keys.iter().map(|(codes, size)| Keys { codes, size: *size }).collect();
    Classes::group(rows, &keys)
}

#[test]
fn forced_suppression_is_a_count_of_rows_that_are_too_few_at_their_limits() {
    check(table(0..40), |(rows, table)| {
        let classes = classes_at_limits(rows, &table);
        // The maximum allowed microdata as texts; every row is compared with every row.
        let at_limits: Vec<Vec<String>> = (0..rows)
            .map(|row| {
                table.iter().map(|quasi| naive_limit(&quasi.tree, &quasi.mark_labels, &quasi.cells[row])).collect()
            })
            .collect();
        let equals = |row: usize| at_limits.iter().filter(|other| **other == at_limits[row]).count();
        for row in 0..rows {
            prop_assert_eq!(classes.sizes[classes.of_row[row] as usize] as usize, equals(row));
            for other in 0..rows {
                prop_assert_eq!(classes.of_row[row] == classes.of_row[other], at_limits[row] == at_limits[other]);
            }
        }
        for k in 0..=rows + 2 {
            let forced = (0..rows).filter(|&row| equals(row) < k).count();
            prop_assert_eq!(classes.rows_in_classes_below(k as u32), forced as u64, "k = {}", k);
        }
        Ok(())
    });
}

/// All ways to divide `rows` rows into clusters.
fn partitions(rows: usize) -> Vec<Vec<Vec<usize>>> {
    let Some(row) = rows.checked_sub(1) else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for smaller in partitions(row) {
        for cluster in 0..=smaller.len() {
            let mut larger = smaller.clone();
            match larger.get_mut(cluster) {
                Some(cluster) => cluster.push(row),
                None => larger.push(vec![row]),
            }
            all.push(larger);
        }
    }
    all
}

/// Properties 4 to 6: no masking whatever keeps more rows than the classes at the limits allow. Tried over every way to
/// divide up to six rows, where a cluster is released if it has k rows that meet at or below all their limits.
#[test]
fn no_clustering_needs_fewer_suppressed_rows() {
    check(table(0..7), |(rows, table)| {
        let classes = classes_at_limits(rows, &table);
        let released = |cluster: &[usize]| {
            table.iter().all(|quasi| {
                let paths: Vec<Vec<String>> =
                    cluster.iter().map(|&row| quasi.tree.path(&quasi.cells[row]).unwrap()).collect();
                let meet = paths[0].iter().find(|label| paths.iter().all(|path| path.contains(label))).unwrap();
                cluster.iter().zip(&paths).all(|(&row, path)| {
                    let limit = naive_limit(&quasi.tree, &quasi.mark_labels, &quasi.cells[row]);
                    let place = |label: &String| path.iter().position(|other| other == label);
                    place(meet) <= place(&limit)
                })
            })
        };
        let all = partitions(rows);
        for k in 1..=rows + 1 {
            let suppressed = |clusters: &Vec<Vec<usize>>| -> usize {
                clusters.iter().filter(|cluster| cluster.len() < k || !released(cluster)).map(Vec::len).sum()
            };
            let least = all.iter().map(suppressed).min().unwrap();
            prop_assert_eq!(classes.rows_in_classes_below(k as u32), least as u64, "k = {}", k);
        }
        Ok(())
    });
}
