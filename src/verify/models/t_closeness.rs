//! t-closeness: how far a class may be from the original table, in the worst filling.
//!
//! Complexity: O(p log p) a class for the p nodes on the paths from its cells to the root; `ordered` O(v log m) for v
//! different cells and m places. What the table alone decides is added up once.

use super::values::Values;
use super::{Class, Model, Verdict, at_most, summed};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::sorting::Sorting;

/// Q(leaf), by node. Without a single known value there is nothing to compare with.
fn reference(values: &Values) -> Result<Vec<f64>, Failure> {
    let rows: u64 = values.original.iter().map(|&(_, rows)| rows).sum();
    if rows == 0 {
        let what =
            format!("No value of column “{}” is known, so t-closeness has nothing to compare with.", values.name);
        return Err(Failure::policy(what, "Ask for another model."));
    }
    let mut reference = vec![0.0; values.tree.len()];
    for &(leaf, own) in &values.original {
        reference[leaf as usize] = own as f64 / rows as f64;
    }
    Ok(reference)
}

/// What a distance needs to mean something.
fn needs(holds: bool, what: &str, values: &Values) -> Result<(), Failure> {
    let told = || format!("The distance that is asked of column “{}” needs {what}, and it has none.", values.name);
    if holds { Ok(()) } else { Err(Failure::policy(told(), "Give it a hierarchy, or use “equal”.")) }
}

fn verdict(distance: f64, t: f64) -> Verdict {
    let achieved = distance.clamp(0.0, 1.0);
    Verdict { holds: at_most(achieved, t), achieved }
}

/// Cells and the nodes above them.
fn with_paths(tree: &Hierarchy, cells: &[(NodeId, u64)], amount: impl Fn(bool, u64) -> u64) -> Vec<(NodeId, u64)> {
    let path = |&(cell, count): &(NodeId, u64)| tree.path(cell).map(move |node| (node, cell, count));
    summed(cells.iter().flat_map(path).map(|(node, cell, count)| (node, amount(node == cell, count))).collect())
}

/// All values are equally far apart. Exact: D = max over sets A of leaves of (cells that may be in A)/n − Q(A).
pub struct Equal {
    t: f64,
    /// Of the leaves under each node, the least Q.
    least: Vec<f64>,
}

impl Equal {
    pub fn new(t: f64, values: &Values) -> Result<Equal, Failure> {
        let tree = &values.tree;
        let mut least = reference(values)?;
        for node in (0..tree.len() as NodeId).rev().filter(|&node| !tree.is_leaf(node)) {
            least[node as usize] = tree.children(node).map(|child| least[child as usize]).fold(1.0, f64::min);
        }
        Ok(Equal { t, least })
    }
}

impl Model for Equal {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        let nodes = with_paths(tree, &class.cells(), |own, cells| if own { cells } else { 0 });
        let place = |node: NodeId| nodes.binary_search_by_key(&node, |node| node.0).unwrap_or(0);
        // Of a node's children that no cell is under, none has a positive h, and the largest is that of the least Q. For
        // the others h is at least that, so it is a start for all.
        let mut positive = vec![0.0; nodes.len()];
        let mut largest: Vec<f64> = nodes.iter().map(|&(node, _)| -self.least[node as usize]).collect();
        let mut distance = 0.0;
        for (at, &(node, cells)) in nodes.iter().enumerate().rev() {
            let best = if positive[at] > 0.0 { positive[at] } else { largest[at] };
            let h = class.share(cells) + best;
            match tree.parent(node).map(place) {
                Some(above) => {
                    positive[above] += f64::max(h, 0.0);
                    largest[above] = largest[above].max(h);
                }
                None => distance = h,
            }
        }
        verdict(distance, self.t)
    }

    fn more_is_better(&self) -> bool {
        false
    }
}

/// Values lie on a line. A bound: L(i) and U(i) are the shares of cells that are surely and possibly at places up to i.
pub struct Ordered {
    t: f64,
    /// The least and the greatest place of the leaves under each node.
    range: Vec<(u32, u32)>,
    /// Q(1..i) of each place.
    cumulative: Vec<f64>,
    /// Of all places before each, the sum of Q(1..i).
    before: Vec<f64>,
}

impl Ordered {
    pub fn new(t: f64, values: &Values) -> Result<Ordered, Failure> {
        needs(values.are_ordered(), "an order", values)?;
        let tree = &values.tree;
        let reference = reference(values)?;
        let places = values.places();
        let mut range: Vec<(u32, u32)> = vec![(u32::MAX, 0); tree.len()];
        let mut cumulative = vec![0.0; places.iter().map(|&(_, place)| place as usize + 1).max().unwrap_or(0)];
        for (leaf, place) in places {
            range[leaf as usize] = (place, place);
            cumulative[place as usize] += reference[leaf as usize];
        }
        for node in (1..tree.len() as NodeId).rev() {
            let (least, greatest) = range[node as usize];
            let above = &mut range[tree.parent(node).unwrap_or(ROOT) as usize];
            *above = (above.0.min(least), above.1.max(greatest));
        }
        // Where no value under a node occurs, nothing is known of its place.
        let last = cumulative.len().saturating_sub(1) as u32;
        range.iter_mut().filter(|range| range.0 > range.1).for_each(|range| *range = (0, last));
        let mut before = vec![0.0];
        let (mut sum, mut sum_of_sums) = (0.0, 0.0);
        for own in &mut cumulative {
            sum += *own;
            *own = sum;
            sum_of_sums += sum;
            before.push(sum_of_sums);
        }
        Ok(Ordered { t, range, cumulative, before })
    }

    /// Σ max(|L − Q(1..i)|, |U − Q(1..i)|) over places between which no cell begins or ends.
    fn stretch(&self, first: usize, end: usize, surely: f64, possibly: f64) -> f64 {
        // The further of two ends is half their distance further than the middle.
        let (middle, half) = ((surely + possibly) / 2.0, (possibly - surely) / 2.0);
        let turn = first + self.cumulative[first..end].partition_point(|&cumulative| cumulative < middle);
        let below = middle * (turn - first) as f64 - (self.before[turn] - self.before[first]);
        let above = (self.before[end] - self.before[turn]) - middle * (end - turn) as f64;
        below + above + half * (end - first) as f64
    }
}

impl Model for Ordered {
    fn judge(&self, _: &Hierarchy, class: &Class) -> Verdict {
        let places = self.cumulative.len();
        if places < 2 {
            return verdict(0.0, self.t);
        }
        // Where cells begin to be possible, and where they become sure.
        let mut turns: Vec<(u32, u64, u64)> = Vec::new();
        for (node, cells) in class.cells() {
            let (least, greatest) = self.range[node as usize];
            turns.extend([(least, cells, 0), (greatest, 0, cells)]);
        }
        turns.order();
        let (mut sum, mut from, mut possibly, mut surely) = (0.0, 0, 0, 0);
        for same in turns.chunk_by(|one, other| one.0 == other.0) {
            let place = same[0].0 as usize;
            sum += self.stretch(from, place, class.share(surely), class.share(possibly));
            from = place;
            possibly += same.iter().map(|turn| turn.1).sum::<u64>();
            surely += same.iter().map(|turn| turn.2).sum::<u64>();
        }
        sum += self.stretch(from, places, class.share(surely), class.share(possibly));
        verdict(sum / (places - 1) as f64, self.t)
    }

    fn more_is_better(&self) -> bool {
        false
    }
}

/// Moving from one leaf to another costs the height of their lowest common node. A bound: groups stand at their nodes,
/// and each costs once more what moving it down costs.
pub struct Hierarchical {
    t: f64,
    /// Q of the leaves under each node.
    under: Vec<f64>,
    /// What it costs to move a row into a node from the one above it or back, so that a way up to a node and down costs its
    /// height.
    edge: Vec<f64>,
    /// What moving down from a node costs.
    down: Vec<f64>,
    /// The distance of a class that has no rows at all.
    empty: f64,
}

impl Hierarchical {
    pub fn new(t: f64, values: &Values) -> Result<Hierarchical, Failure> {
        needs(values.has_hierarchy, "a hierarchy", values)?;
        let tree = &values.tree;
        let mut under = reference(values)?;
        for node in (1..tree.len() as NodeId).rev() {
            under[tree.parent(node).unwrap_or(ROOT) as usize] += under[node as usize];
        }
        let root = tree.height(ROOT).max(1) as f64;
        let down: Vec<f64> = (0..tree.len() as NodeId).map(|node| tree.height(node) as f64 / root).collect();
        let edge = |node: NodeId| {
            let above = tree.parent(node).map_or(0.0, |above| down[above as usize] - down[node as usize]);
            above / 2.0
        };
        let edge: Vec<f64> = (0..tree.len() as NodeId).map(edge).collect();
        let empty = under.iter().zip(&edge).map(|(under, edge)| under * edge).sum();
        Ok(Hierarchical { t, under, edge, down, empty })
    }
}

impl Model for Hierarchical {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        let cells = class.cells();
        let mut distance = self.empty;
        for (node, below) in with_paths(tree, &cells, |_, cells| cells) {
            let (under, edge) = (self.under[node as usize], self.edge[node as usize]);
            distance += ((class.share(below) - under).abs() - under) * edge;
        }
        // A group stands at its node as a leaf that hangs from it: half of the way down is already its way out. The other
        // half and the way of the bound follow here.
        let groups = cells.iter().map(|&(node, count)| class.share(count) * self.down[node as usize]).sum::<f64>();
        verdict(distance + groups / 2.0 + groups, self.t)
    }

    fn more_is_better(&self) -> bool {
        false
    }
}
