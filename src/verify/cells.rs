//! Whether cells are true: what a value may be called, and every released cell held against its original.
//!
//! Complexity: each pair of an original and a released value of a column is judged once, in O(depth of the tree).

use std::collections::{HashMap, HashSet};

use super::classes::Numbers;
use super::{Offence, STRIDE, Unverified, report};
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::ColumnSetup;
use crate::progress::Progress;
use crate::table::Column;

/// What is wrong with a cell.
#[derive(Clone, Copy)]
pub(super) enum Wrong {
    Untrue,
    AboveLimit,
    BelowLevel,
    Changed,
    Unknown,
}

pub(super) fn unchanged(original: &str, released: &str) -> Option<Wrong> {
    (original != released).then_some(Wrong::Changed)
}

/// The texts of a column's missing values: one value, whichever of them is shown.
pub(super) fn missing_texts(column: &Column) -> Vec<&str> {
    column.missing.iter().map(|&code| column.dictionary.text(code)).collect()
}

/// The steps of generalization of a column's values, from each one's own text to the root's label.
pub(super) struct Steps<'a> {
    column: &'a Column,
    tree: Option<&'a Hierarchy>,
    /// Where a text stands in the tree. A value and groups above it may share one: then it is the value.
    node_of: HashMap<&'a str, NodeId>,
    /// Steps from the root to the deepest value.
    height: usize,
    /// Values are shown at least as general as on this level.
    from_level: usize,
    /// Labels that end the way up.
    limits: HashSet<&'a str>,
    missing: HashSet<&'a str>,
    /// Whether each of the column's codes is one of them.
    is_missing: Vec<bool>,
    /// The text by which missing values stand in the tree.
    missing_as: Option<&'a str>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(policy: &'a ColumnSetup, column: &'a Column, from_level: u32) -> Self {
        let template = policy.template.as_deref();
        let tree = template.map(|template| &template.tree);
        // A node comes after those above it, so the lowest of a label is the one that stays in the map.
        let labels = tree.into_iter().flat_map(|tree| (0..tree.len() as NodeId).map(|node| (tree.label(node), node)));
        let node_of: HashMap<&str, NodeId> = labels.collect();
        let depth = |tree: &Hierarchy, leaf: NodeId| up(tree, leaf).count() - 1;
        let deepest = |tree: &Hierarchy| tree.leaves().iter().map(|&leaf| depth(tree, leaf)).max();
        let missing = missing_texts(column);
        let is_value = |text: &&str| match (tree, node_of.get(text)) {
            (Some(tree), Some(&node)) => tree.is_leaf(node),
            _ => false,
        };
        let missing_as = missing.iter().copied().find(is_value).or(missing.first().copied());
        let all_missing: HashSet<&str> = missing.into_iter().collect();
        Steps {
            column,
            tree,
            height: tree.and_then(deepest).unwrap_or(1),
            from_level: from_level as usize,
            limits: template.into_iter().flat_map(|template| &template.limits).map(String::as_str).collect(),
            node_of,
            is_missing: column.dictionary.iter().map(|text| all_missing.contains(text)).collect(),
            missing: all_missing,
            missing_as,
        }
    }

    /// What a missing cell may be called: it is a leaf of its own, also where a group has its label.
    fn of_missing(&self) -> Option<Vec<&'a str>> {
        let text = self.missing_as?;
        let is_group = matches!((self.tree, self.node_of.get(text)), (Some(tree), Some(&node)) if !tree.is_leaf(node));
        Some(is_group.then_some(text).into_iter().chain(self.of(text)).collect())
    }

    /// What a value may be called. One that the tree lacks stands right under the root.
    fn of(&self, text: &'a str) -> Vec<&'a str> {
        match (self.tree, self.node_of.get(text)) {
            (Some(tree), Some(&node)) => up(tree, node).map(|node| tree.label(node)).collect(),
            (Some(tree), None) => vec![text, tree.label(ROOT)],
            (None, _) => vec![text, "*"],
        }
    }

    /// Of a sensitive column: an unknown cell that is shown as a group would count as known, and a value that is shown as a missing
    /// token as missing.
    pub(super) fn missing_stays(&self, code: u32, released: &str, unknown: bool) -> Option<Wrong> {
        match (self.is_missing[code as usize], self.missing.contains(released)) {
            (true, false) if unknown => Some(Wrong::Unknown),
            (false, true) => Some(Wrong::Untrue),
            _ => None,
        }
    }

    /// Whether a cell whose original is `code` may show `released`.
    pub(super) fn judge(&self, code: u32, released: &str) -> Option<Wrong> {
        let is_missing = self.is_missing[code as usize];
        let as_missing = if is_missing { self.of_missing() } else { None };
        let steps = as_missing.unwrap_or_else(|| self.of(self.column.dictionary.text(code)));
        let root = steps.len() - 1;
        // The first step is for full-domain recoding on the level from which values are shown: shallow ones stay as they
        // are on the levels that they lack.
        let first = root.saturating_sub(self.height.saturating_sub(self.from_level));
        // Of several steps with the label of a limit, the highest is the limit.
        let is_limit = |&step: &usize| self.limits.contains(steps[step]) && !steps[step + 1..].contains(&steps[step]);
        let last = (0..root).find(is_limit).unwrap_or(root);
        let shown =
            |step: &usize| steps[*step] == released || (*step == 0 && is_missing && self.missing.contains(released));
        let mut shown_at = (0..=root).filter(shown);
        match shown_at.next() {
            None => Some(Wrong::Untrue),
            Some(step) if step > last => Some(Wrong::AboveLimit),
            // A label may come again further up.
            Some(step) if step >= first || shown_at.any(|step| (first..=last).contains(&step)) => None,
            Some(_) => Some(Wrong::BelowLevel),
        }
    }
}

/// A node and those above it.
fn up(tree: &Hierarchy, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(Some(node), |&node| tree.parent(node))
}

/// Has every cell of a column judged by its original's code and its own text.
pub(super) async fn check(
    original: &Column,
    released: &Column,
    row_of: &[u32],
    judge: impl Fn(u32, &str) -> Option<Wrong>,
    progress: &Progress<'_>,
) -> Result<(), Unverified> {
    // Most values are shown by one text: what each was shown by last spares the look into the pairs that were judged.
    let mut last = vec![u32::MAX; original.dictionary.len()];
    let mut judged = Numbers::default();
    let mut wrong = |(&input, &shown): (&u32, &u32)| {
        let code = original.codes[input as usize];
        let before = std::mem::replace(&mut last[code as usize], shown);
        if before == shown || (before != u32::MAX && !judged.insert(code, shown)) {
            return None;
        }
        judge(code, released.dictionary.text(shown))
    };
    for (number, (inputs, shown)) in row_of.chunks(STRIDE).zip(released.codes.chunks(STRIDE)).enumerate() {
        progress.checkpoint(|| report("Verifying cells", number * STRIDE, row_of.len())).await?;
        let mut cells = inputs.iter().zip(shown).enumerate();
        let first = cells.find_map(|(place, cell)| wrong(cell).map(|wrong| (place, wrong)));
        let Some((place, wrong)) = first else { continue };
        let (column, row) = (original.name.clone(), (number * STRIDE + place) as u64 + 1);
        let offence = match wrong {
            Wrong::Untrue => Offence::Untrue { column, row },
            Wrong::AboveLimit => Offence::AboveLimit { column, row },
            Wrong::BelowLevel => Offence::BelowLevel { column, row },
            Wrong::Changed => Offence::Changed { column, row },
            Wrong::Unknown => Offence::Unknown { column, row },
        };
        return Err(offence.into());
    }
    Ok(())
}
