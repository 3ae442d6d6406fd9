//! From a plan (values in a row, and where the groups of each level end) to a tree with unambiguous labels.

use std::collections::{HashMap, HashSet};

use super::super::tree::{Hierarchy, Sketch};
use super::super::values::Natural;
use crate::sorting::Sorting;
use crate::table::{Column, Dictionary};

/// A group: the values from where the one before it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub label: String,
    /// One past its last value.
    pub end: usize,
}

/// What a builder decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Codes in the order of the leaves. All others go under the root.
    pub placed: Vec<u32>,
    /// The lowest level first. Each covers all placed values, and a group never crosses the border of one above.
    pub levels: Vec<Vec<Group>>,
}

/// The groups of neighbours with the same key, among `count` values in a row. `label` is told the group's first
/// place, its end and its key.
pub fn runs<K: PartialEq>(
    count: usize,
    key: impl Fn(usize) -> K,
    label: impl Fn(usize, usize, K) -> String,
) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut start = 0;
    while start < count {
        let this = key(start);
        let mut end = start + 1;
        while end < count && key(end) == this {
            end += 1;
        }
        groups.push(Group { label: label(start, end, this), end });
        start = end;
    }
    groups
}

/// The codes that are not missing.
pub fn present(column: &Column) -> impl Iterator<Item = u32> {
    let mut missing = vec![false; column.dictionary.len()];
    for &code in &column.missing {
        if let Some(missing) = missing.get_mut(code as usize) {
            *missing = true;
        }
    }
    (0..column.dictionary.len() as u32).filter(move |&code| !missing[code as usize])
}

/// Codes in the natural order of their texts.
pub fn in_natural_order(column: &Column, codes: impl Iterator<Item = u32>) -> Vec<u32> {
    let natural = |code: u32| (Natural::in_column(column, column.dictionary.text(code)), code);
    let mut keyed: Vec<(Natural<'_>, u32)> = codes.map(natural).collect();
    keyed.order_by(|one, other| one.0.compare(&other.0));
    keyed.into_iter().map(|(_, code)| code).collect()
}

impl Plan {
    pub fn tree(self, column: &Column) -> Hierarchy {
        let dictionary = &column.dictionary;
        let mut labels = Labels::new(dictionary);
        let mut sketch = Sketch::default();
        let mut outside = vec![true; dictionary.len()];
        let mut row: Vec<(usize, usize)> = Vec::with_capacity(self.placed.len());
        for (place, &code) in self.placed.iter().enumerate() {
            outside[code as usize] = false;
            row.push((sketch.node(dictionary.text(code)), place + 1));
        }
        for level in self.levels {
            let mut above = Vec::with_capacity(level.len());
            let mut below = row.into_iter().peekable();
            for Group { label, end } in level {
                let mut members = Vec::new();
                while let Some((node, _)) = below.next_if(|&(_, member_end)| member_end <= end) {
                    members.push(node);
                }
                let only = match members[..] {
                    [] => continue,
                    [only] => Some(only).filter(|&only| sketch.labels[only] == label),
                    _ => None,
                };
                let node = match only {
                    // The value itself says as much. Leaves less deep than others are padded with themselves.
                    Some(only) if sketch.children[only].is_empty() => only,
                    // Left out, a group in the middle would shift the levels of the values below it.
                    Some(only) => chained(&mut sketch, label, vec![only]),
                    None => chained(&mut sketch, labels.free(label), members),
                };
                above.push((node, end));
            }
            above.extend(below);
            row = above;
        }
        let unplaced = in_natural_order(column, present(column).filter(|&code| outside[code as usize]));
        let missing = in_natural_order(column, column.missing.iter().copied());
        let missing = missing.into_iter().filter(|&code| outside.get(code as usize).copied().unwrap_or(false));
        let mut children: Vec<usize> = row.into_iter().map(|(node, _)| node).collect();
        for code in unplaced.into_iter().chain(missing) {
            children.push(sketch.node(dictionary.text(code)));
        }
        let star = "*".to_owned();
        let only_a_star = dictionary.len() == 1 && dictionary.text(0) == star;
        let label = if only_a_star { star } else { labels.free(star) };
        let root = chained(&mut sketch, label, children);
        sketch.finish(root)
    }
}

fn chained(sketch: &mut Sketch, label: String, children: Vec<usize>) -> usize {
    let node = sketch.node(label);
    sketch.children[node] = children;
    node
}

/// Labels taken so far.
struct Labels<'a> {
    values: HashSet<&'a str>,
    groups: HashSet<String>,
    /// How often a label was asked for when it was taken already.
    again: HashMap<String, u64>,
}

impl<'a> Labels<'a> {
    fn new(dictionary: &'a Dictionary) -> Self {
        Labels { values: dictionary.iter().collect(), groups: HashSet::new(), again: HashMap::new() }
    }

    fn take(&mut self, label: &str) -> bool {
        !self.values.contains(label) && self.groups.insert(label.to_owned())
    }

    /// The label itself if nothing has it, or else one that says that it is a group's.
    fn free(&mut self, label: String) -> String {
        if self.take(&label) {
            return label;
        }
        loop {
            let again = self.again.entry(label.clone()).or_default();
            *again += 1;
            let other = if *again == 1 { format!("{label} (group)") } else { format!("{label} (group {again})") };
            if self.take(&other) {
                return other;
            }
        }
    }
}
