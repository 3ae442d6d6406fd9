//! Worst counts: how a class with groups and unknown cells may be filled worst (docs/models.md).
//!
//! The heaviest path from the root to a leaf, by the rows that show exactly its nodes, is given to its leaf and set aside,
//! again and again. After a path is set aside, what is left are the subtrees that hang from it, each with its own heaviest
//! path; so the paths are those of a heavy-path decomposition: every shown node goes on to the child under which the
//! heaviest path is, and a path begins at every node to which its parent does not go on.
//! Why they are the worst: j leaves catch at most the cells on the union of their paths. Each path taken adds the most that
//! any leaf can add to the union, and what a leaf can add only shrinks as the union grows; the union of j heaviest paths
//! is heaviest (the decomposition of a tree into longest paths). So r1 + … + rj is the most that any filling gives to j
//! values, and for every j it is reached by the same filling.
//! Complexity: O(n · log n) for n shown values.

use super::cells::Cells;
use crate::classes::{Histogram, Histograms};
use crate::hierarchy::NodeId;

/// A node that a class shows, below those of its nodes that cover it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub code: u32,
    pub node: NodeId,
    pub rows: u32,
    /// The place of the lowest shown node above it; its own place if there is none.
    pub above: usize,
}

/// The nodes that a class shows, each once, those above before those below.
pub(super) fn shown(cells: &Cells, class: &Histogram<'_>) -> Vec<Shown> {
    let mut shown: Vec<Shown> =
        class.counts.iter().map(|&(code, rows)| Shown { code, node: cells.of(code).node, rows, above: 0 }).collect();
    shown.sort_unstable_by_key(|shown| (shown.node, shown.code));
    shown.dedup_by(|next, kept| {
        let same = next.node == kept.node;
        if same {
            kept.rows += next.rows;
        }
        same
    });
    // The shown nodes that cover the place being looked at.
    let mut covering: Vec<(usize, NodeId)> = Vec::new();
    for (place, shown) in shown.iter_mut().enumerate() {
        while covering.last().is_some_and(|&(_, end)| end <= shown.node) {
            covering.pop();
        }
        shown.above = covering.last().map_or(place, |&(above, _)| above);
        covering.push((place, cells.of(shown.code).end));
    }
    shown
}

/// The worst counts of a class, each with the code of the lowest node on its path, ascending by code.
pub fn worst_counts(cells: &Cells, class: &Histogram<'_>) -> Vec<(u32, u32)> {
    let shown = shown(cells, class);
    // Of every node the heaviest path from it down: its weight, and the last node on it.
    let mut paths: Vec<(u32, usize)> = shown.iter().enumerate().map(|(place, shown)| (shown.rows, place)).collect();
    // The heaviest path below each node, of equal ones the first.
    let mut below: Vec<Option<usize>> = vec![None; shown.len()];
    for place in (0..shown.len()).rev() {
        if let Some(child) = below[place] {
            paths[place] = (shown[place].rows + paths[child].0, paths[child].1);
        }
        let above = shown[place].above;
        if above != place && below[above].is_none_or(|other| paths[other].0 <= paths[place].0) {
            below[above] = Some(place);
        }
    }
    let begins = |&place: &usize| {
        let above = shown[place].above;
        above == place || below[above] != Some(place)
    };
    let count = |place: usize| (shown[paths[place].1].code, paths[place].0);
    let mut counts: Vec<(u32, u32)> = (0..shown.len()).filter(begins).map(count).collect();
    counts.sort_unstable();
    counts
}

// proptest is a native dependency.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Path by path, as the definition has it: on the whole tree, with nothing remembered.
        #[test]
        fn are_those_of_paths_taken_one_by_one(rows in prop::collection::vec(0u32..5, 13), unknown in 0u32..4) {
            let lines = [["a", "1", "x", "*"], ["b", "1", "x", "*"], ["c", "2", "x", "*"], ["d", "3", "y", "*"], ["e", "3", "y", "*"],
                ["f", "3", "y", "*"]];
            let tree = Hierarchy::from_rows(&lines.map(|line| line.to_vec())).unwrap();
            let mut nodes: Vec<Option<NodeId>> = (0..tree.len() as NodeId).map(Some).collect();
            nodes.push(None);
            let counts: Vec<(u32, u32)> =
                (0..).zip(rows.iter().copied().take(tree.len()).chain([unknown])).filter(|&(_, rows)| rows > 0).collect();
            let class = Histogram { size: counts.iter().map(|&(_, rows)| rows).sum(), counts: &counts };
            let cells = Cells::new(&tree, &nodes).unwrap();
            let mut found: Vec<u32> = worst_counts(&cells, &class).into_iter().map(|(_, rows)| rows).collect();
            found.sort_unstable_by(|one, other| other.cmp(one));
            let mut left = vec![0; tree.len()];
            for &(code, rows) in &counts {
                left[nodes[code as usize].unwrap_or(0) as usize] += rows;
            }
            let mut naive = Vec::new();
            while left.iter().any(|&rows| rows > 0) {
                let weight = |leaf: &NodeId| tree.path(*leaf).map(|node| left[node as usize]).sum::<u32>();
                let heaviest = tree.leaves().iter().copied().max_by_key(weight).unwrap();
                naive.push(weight(&heaviest));
                tree.path(heaviest).for_each(|node| left[node as usize] = 0);
            }
            prop_assert_eq!(found, naive);
        }
    }
}
/// The worst histograms of the same classes, where some cells are groups or unknown.
pub fn worst_histograms(histograms: &Histograms, cells: &Cells) -> Histograms {
    histograms.map(|class, counts| match cells.are_open_in(class) {
        true => counts.extend(worst_counts(cells, class)),
        false => counts.extend_from_slice(class.counts),
    })
}
