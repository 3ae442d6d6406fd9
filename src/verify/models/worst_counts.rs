//! The worst counts of a class: the heaviest path from the root to a leaf goes to that leaf, then the heaviest of what is
//! left, and so on.
//!
//! On the way up, a node's cells go with the heaviest path that arrives from below; the others that arrive there end.
//! Only nodes that are shown weigh anything, so the others are left out. Complexity: O(v log v) for v shown nodes.

use super::Class;
use crate::hierarchy::Hierarchy;
use crate::sorting::Sorting;

/// r1 ≥ r2 ≥ …, of all cells.
pub fn worst_counts(tree: &Hierarchy, class: &Class) -> Vec<u64> {
    let shown = class.cells();
    // The next shown node above each. Nodes come after those above them: `open` are those that may have more below.
    let mut above: Vec<Option<usize>> = Vec::with_capacity(shown.len());
    let mut open: Vec<usize> = Vec::new();
    for (place, &(node, _)) in shown.iter().enumerate() {
        while open.last().is_some_and(|&last| !tree.covers(shown[last].0, node)) {
            open.pop();
        }
        above.push(open.last().copied());
        open.push(place);
    }
    let mut heaviest_below = vec![0; shown.len()];
    let mut counts = Vec::new();
    for (place, &(_, cells)) in shown.iter().enumerate().rev() {
        let path = cells + heaviest_below[place];
        let ended = match above[place] {
            Some(above) => {
                let heaviest = &mut heaviest_below[above];
                let ended = path.min(*heaviest);
                *heaviest = path.max(*heaviest);
                ended
            }
            None => path,
        };
        // The first path to arrive has none to end.
        counts.extend((ended > 0).then_some(ended));
    }
    counts.order();
    counts.reverse();
    counts
}
