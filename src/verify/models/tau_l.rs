//! (τ,ℓ)-diversity: no j values together have more than ψ(j) of a class, where a group counts for the values under it in
//! proportion to their weights (Definitions 2 to 4 of the paper), and unknown cells for whichever values have most.
//!
//! Only the ℓ − 1 most frequent values of a class are bound, so no more are looked at: between the shown nodes the leaves are
//! frequent as they are heavy. Complexity: O((v + ℓ) · (depth + log leaves)) a class of v different cells.

use std::collections::{BTreeMap, BinaryHeap};

use super::values::Values;
use super::{Class, Model, Verdict, at_most};
use crate::hierarchy::{Hierarchy, NodeId};

pub struct TauL {
    tau: f64,
    l: u32,
    /// p(v) of every leaf, in the order of the leaves.
    weights: Heaviest,
    /// The weights of all leaves under each node.
    weight_under: Vec<f64>,
}

impl TauL {
    /// Weights are 1 for values that occur in the original table and 0 for others, unless they are `given`.
    pub fn new(tau: f64, l: u32, given: &BTreeMap<String, f64>, values: &Values) -> TauL {
        let tree = &values.tree;
        let mut weight = vec![0.0; tree.len()];
        for &(leaf, _) in &values.original {
            weight[leaf as usize] = 1.0;
        }
        for (value, &own) in given {
            if let Some(leaf) = values.leaf(value) {
                weight[leaf as usize] = own;
            }
        }
        let under = |node: NodeId| tree.leaves_under(node).iter().map(|&leaf| weight[leaf as usize]).sum();
        let weight_under = (0..tree.len() as NodeId).map(under).collect();
        let weights = Heaviest::new(tree.leaves().iter().map(|&leaf| weight[leaf as usize]).collect());
        TauL { tau, l, weights, weight_under }
    }
}

/// The heaviest of neighbouring leaves.
struct Heaviest {
    weights: Vec<f64>,
    /// The place of the heaviest leaf of each stretch: of stretch n those of 2n and 2n + 1; the leaves come last.
    of_stretch: Vec<usize>,
}

impl Heaviest {
    fn new(weights: Vec<f64>) -> Heaviest {
        let leaves = weights.len();
        let mut heaviest = Heaviest { weights, of_stretch: [vec![0; leaves], (0..leaves).collect()].concat() };
        for stretch in (1..leaves).rev() {
            let [one, other] = [0, 1].map(|half| heaviest.of_stretch[2 * stretch + half]);
            heaviest.of_stretch[stretch] = heaviest.heavier(one, other);
        }
        heaviest
    }

    fn heavier(&self, one: usize, other: usize) -> usize {
        if self.weights[other] > self.weights[one] { other } else { one }
    }

    /// Of the leaves from one place to before another.
    fn between(&self, from: usize, to: usize) -> Option<usize> {
        let (mut low, mut high) = (from + self.weights.len(), to + self.weights.len());
        let mut found = None;
        while low < high {
            let mut look = |stretch: usize| {
                let place = self.of_stretch[stretch];
                found = Some(found.map_or(place, |other| self.heavier(other, place)));
            };
            if low % 2 == 1 {
                look(low);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                look(high);
            }
            (low, high) = (low / 2, high / 2);
        }
        found
    }
}

/// Leaves from one place to before another that the same shown cells stand for.
#[derive(Clone)]
struct Stretch {
    from: usize,
    to: usize,
    /// Of each of these cells, from the root down: the share of the class, and the weights under the node; none for a leaf.
    cells: Vec<(f64, Option<f64>)>,
}

impl Stretch {
    /// The induced frequency of a leaf of this weight.
    fn frequency(&self, weight: f64) -> f64 {
        self.cells.iter().map(|&(share, under)| under.map_or(share, |under| share * weight / under)).sum()
    }
}

/// A stretch by its most frequent leaf.
struct Candidate {
    frequency: f64,
    place: usize,
    stretch: Stretch,
}

impl Candidate {
    fn of(weights: &Heaviest, stretch: Stretch) -> Option<Candidate> {
        let place = weights.between(stretch.from, stretch.to)?;
        let frequency = stretch.frequency(weights.weights[place]);
        (frequency > 0.0).then_some(Candidate { frequency, place, stretch })
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.frequency.total_cmp(&other.frequency).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

/// The leaves under the shown nodes in stretches, and how many cells say nothing.
struct Stretches {
    found: Vec<Stretch>,
    unknown: u64,
}

impl Stretches {
    fn of(model: &TauL, tree: &Hierarchy, class: &Class) -> Stretches {
        let first_leaf = |node: NodeId| tree.leaves().partition_point(|&leaf| leaf < node);
        let mut stretches = Stretches { found: Vec::new(), unknown: class.unknown };
        // The shown nodes above the place that is looked at, each with the place behind its leaves.
        let mut open: Vec<(usize, (f64, Option<f64>))> = Vec::new();
        let mut at = 0;
        for &(node, cells) in &class.known {
            let under = self::under(model, tree, node);
            if under.is_some_and(|under| under <= 0.0) {
                // A group of values that cannot be says nothing.
                stretches.unknown += cells;
                continue;
            }
            let from = first_leaf(node);
            stretches.close(&mut open, &mut at, from);
            stretches.stretch(&open, &mut at, from);
            open.push((from + tree.leaf_count(node), (class.share(cells), under)));
        }
        stretches.close(&mut open, &mut at, tree.leaves().len());
        stretches
    }

    /// Ends what is open of nodes whose leaves end up to here.
    fn close(&mut self, open: &mut Vec<(usize, (f64, Option<f64>))>, at: &mut usize, to: usize) {
        while let Some(&(end, _)) = open.last().filter(|(end, _)| *end <= to) {
            self.stretch(open, at, end);
            open.pop();
        }
    }

    fn stretch(&mut self, open: &[(usize, (f64, Option<f64>))], at: &mut usize, to: usize) {
        if *at < to && !open.is_empty() {
            self.found.push(Stretch { from: *at, to, cells: open.iter().map(|&(_, cell)| cell).collect() });
        }
        *at = to.max(*at);
    }
}

/// The weights under a group; none for a leaf.
fn under(model: &TauL, tree: &Hierarchy, node: NodeId) -> Option<f64> {
    (!tree.is_leaf(node)).then(|| model.weight_under[node as usize])
}

impl Model for TauL {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        let Stretches { found, unknown } = Stretches::of(self, tree, class);
        let candidate = |stretch| Candidate::of(&self.weights, stretch);
        let mut open: BinaryHeap<Candidate> = found.into_iter().filter_map(candidate).collect();
        let mut frequencies: Vec<f64> = Vec::new();
        while frequencies.len() + 1 < self.l as usize
            && let Some(Candidate { frequency, place, stretch }) = open.pop()
        {
            frequencies.push(frequency);
            let before = Stretch { to: place, ..stretch.clone() };
            let behind = Stretch { from: place + 1, ..stretch };
            open.extend([before, behind].into_iter().filter_map(candidate));
        }
        // From ℓ on ψ is 1, which no sum of shares exceeds.
        let (mut cumulative, mut holds, mut achieved) = (class.share(unknown), true, 0.0f64);
        for j in 1..self.l {
            cumulative += frequencies.get(j as usize - 1).copied().unwrap_or(0.0);
            let along = f64::from(j - 1) / f64::from(self.l - 1);
            holds &= at_most(cumulative, self.tau + (1.0 - self.tau) * along);
            // The τ at which ψ(j) is just this.
            achieved = achieved.max((cumulative - along) / (1.0 - along));
        }
        Verdict { holds, achieved }
    }

    fn more_is_better(&self) -> bool {
        false
    }
}
