//! The order of QI values that the sweep follows ((τ,ℓ)-diversity, §III A, Definitions 6 and 7).
//!
//! A level is a depth: the root is level 0. What a level of a quasi-identifier retains is the mean of I(v) = 1 ÷ leaves(v)
//! over its nodes v, each weighted by the leaves below it that occur (or by given weights); what a QI value retains is
//! the mean over its levels. QI values come in falling order of that, and of equal ones those first whose most important
//! quasi-identifier is on the deeper level. A value that is less deep than others stays itself on the levels it lacks when
//! the mean is taken, so that in ragged trees, too, what is more general never comes earlier (and the root last).
//! A tuple's next class is the next QI value in this order that covers it, which is unique (Theorem 2).
//! Guarantee: retained information is compared in whole numbers, so equal ones tie on every target.
//! Complexity: O(H · log H) for H combinations of levels, which is bounded: where there are more, levels are left out.

use std::cmp::Ordering;

use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::sorting::Sorting;

/// Retained information is rounded to one part in 2⁴⁰, and sums of it to one in 2³⁰: that they are the same is not lost
/// in the rounding.
const FINE: f64 = (1u64 << 40) as f64;
const COARSER: u32 = 10;

/// What each level of a tree retains, from the root's (0) to the deepest. `weights`: one a leaf, in order; leaves without
/// one count nothing, and when all do, they count alike.
pub fn retained(tree: &Hierarchy, weights: &[f64]) -> Vec<f64> {
    let all = tree.leaves().iter().zip(weights.iter().copied().chain(std::iter::repeat(0.0)));
    let mut weighted: Vec<(NodeId, f64)> =
        all.map(|(&leaf, weight)| (leaf, weight)).filter(|leaf| leaf.1 > 0.0).collect();
    if weighted.is_empty() {
        weighted = tree.leaves().iter().map(|&leaf| (leaf, 1.0)).collect();
    }
    let total: f64 = weighted.iter().map(|&(_, weight)| weight).sum();
    let mut retained = vec![0.0; tree.levels()];
    for (leaf, weight) in weighted {
        let deepest = tree.depth(leaf);
        retained[deepest..].iter_mut().for_each(|sum| *sum += weight);
        for node in tree.path(leaf).skip(1) {
            retained[tree.depth(node)] += weight / tree.leaf_count(node) as f64;
        }
    }
    retained.iter_mut().for_each(|sum| *sum /= total);
    retained
}

/// The levels between which one quasi-identifier may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The most general: a limit's, or the root's.
    pub least: u16,
    /// That of the deepest value.
    pub deepest: u16,
}

/// Quasi-identifiers that go up together, and the levels they stop at, deepest first.
struct Ladder {
    attributes: Vec<usize>,
    rungs: Vec<Vec<u16>>,
}

/// The level vectors in the order of the sweep.
#[derive(Debug)]
pub struct Order {
    attributes: usize,
    /// The levels of every vector, vector after vector.
    levels: Vec<u16>,
    information: Vec<u64>,
    /// Of every quasi-identifier, the levels that occur in a vector, ascending.
    pub stops: Vec<Vec<u16>>,
    /// Whether levels were left out.
    pub thinned: bool,
}

impl Order {
    /// `retained`: what each level of each quasi-identifier retains. `importance`: the quasi-identifiers, the most
    /// important first. With `only_ends`, values stay as they are or become the most general at once. No more than `most`
    /// vectors are listed.
    pub fn new(retained: &[Vec<f64>], spans: &[Span], importance: &[usize], only_ends: bool, most: u64) -> Order {
        let mut ladders: Vec<Ladder> =
            importance.iter().map(|&attribute| ladder(attribute, spans[attribute])).collect();
        if only_ends {
            ladders.iter_mut().filter(|ladder| ladder.rungs.len() > 2).for_each(|ladder| {
                ladder.rungs.drain(1..ladder.rungs.len() - 1);
            });
        }
        let thinned = thin(&mut ladders, retained, most);
        let fine: Vec<Vec<u64>> = retained
            .iter()
            .map(|levels| levels.iter().map(|information| (information * FINE).round() as u64).collect())
            .collect();
        let mut vectors: Vec<(u64, Vec<u16>)> = vec![(0, vec![0; spans.len()])];
        for ladder in &ladders {
            let mut longer = Vec::with_capacity(vectors.len() * ladder.rungs.len());
            for (information, levels) in vectors {
                for rung in &ladder.rungs {
                    let (mut information, mut levels) = (information, levels.clone());
                    for (&attribute, &level) in ladder.attributes.iter().zip(rung) {
                        information += fine[attribute][usize::from(level)];
                        levels[attribute] = level;
                    }
                    longer.push((information, levels));
                }
            }
            vectors = longer;
        }
        for (information, _) in &mut vectors {
            *information = (*information + (1 << (COARSER - 1))) >> COARSER;
        }
        vectors.order_by(|one, other| compare(one, other, importance));
        let mut stops: Vec<Vec<u16>> = vec![Vec::new(); spans.len()];
        for ladder in &ladders {
            for (place, &attribute) in ladder.attributes.iter().enumerate() {
                stops[attribute] = ladder.rungs.iter().rev().map(|rung| rung[place]).collect();
                stops[attribute].dedup();
            }
        }
        Order {
            attributes: spans.len(),
            information: vectors.iter().map(|&(information, _)| information).collect(),
            levels: vectors.into_iter().flat_map(|(_, levels)| levels).collect(),
            stops,
            thinned,
        }
    }

    /// Number of vectors: at least one.
    pub fn len(&self) -> usize {
        self.information.len()
    }

    pub fn is_empty(&self) -> bool {
        self.information.is_empty()
    }

    /// The levels of a vector, in the order of the quasi-identifiers.
    pub fn levels(&self, vector: usize) -> &[u16] {
        &self.levels[vector * self.attributes..][..self.attributes]
    }

    /// The mean information that a vector retains.
    pub fn information(&self, vector: usize) -> f64 {
        let sum = (self.information[vector] << COARSER) as f64 / FINE;
        if self.attributes == 0 { 1.0 } else { sum / self.attributes as f64 }
    }

    /// What a leaf becomes on a level, or nothing when it does not reach so deep. One whose own level was left out is
    /// itself on the deepest.
    pub fn node(&self, attribute: usize, tree: &Hierarchy, leaf: NodeId, level: u16) -> Option<NodeId> {
        let (depth, level) = (tree.depth(leaf), usize::from(level));
        if depth >= level {
            return Some(tree.path(leaf).find(|&node| tree.depth(node) == level).unwrap_or(ROOT));
        }
        let stops = &self.stops[attribute];
        let left_out = stops.binary_search(&(depth as u16)).is_err();
        (left_out && stops.last().is_some_and(|&deepest| usize::from(deepest) == level)).then_some(leaf)
    }

    /// The QI value of a tuple's next class (Definition 7): its nodes there, and the place of their vector. `leaves` is
    /// the tuple; it is in a class of the vector `after`, or in none yet.
    pub fn next(&self, trees: &[&Hierarchy], leaves: &[NodeId], after: Option<usize>) -> Option<(usize, Vec<NodeId>)> {
        let first = after.map_or(0, |vector| vector + 1);
        (first..self.len()).find_map(|vector| {
            let levels = self.levels(vector).iter().enumerate();
            let nodes = levels.map(|(place, &level)| self.node(place, trees[place], leaves[place], level));
            Some((vector, nodes.collect::<Option<Vec<NodeId>>>()?))
        })
    }
}

/// Every level of a span is a rung.
fn ladder(attribute: usize, span: Span) -> Ladder {
    Ladder { attributes: vec![attribute], rungs: (span.least..=span.deepest).rev().map(|level| vec![level]).collect() }
}

/// Which of two vectors comes first.
fn compare(one: &(u64, Vec<u16>), other: &(u64, Vec<u16>), importance: &[usize]) -> Ordering {
    let levels = || importance.iter().map(|&attribute| other.1[attribute].cmp(&one.1[attribute]));
    other.0.cmp(&one.0).then_with(|| levels().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
}

/// Leaves levels out until there are at most `most` vectors: of the longest ladder the level that says least more than
/// the next; when all have two, the two least important ladders become one.
fn thin(ladders: &mut Vec<Ladder>, retained: &[Vec<f64>], most: u64) -> bool {
    let vectors = |ladders: &[Ladder]| {
        ladders.iter().fold(1u64, |product, ladder| product.saturating_mul(ladder.rungs.len() as u64))
    };
    let mut thinned = false;
    while vectors(ladders) > most.max(2) {
        thinned = true;
        let longest = ladders.iter().map(|ladder| ladder.rungs.len()).max().unwrap_or(0);
        if longest > 2 {
            // Of equally long ones the least important.
            let Some(ladder) = ladders.iter_mut().rfind(|ladder| ladder.rungs.len() == longest) else { break };
            let attribute = ladder.attributes[0];
            let says = |rung: &Vec<u16>| retained[attribute][usize::from(rung[0])];
            let more = |place: &usize| says(&ladder.rungs[*place]) - says(&ladder.rungs[*place + 1]);
            let least = (1..longest - 1).min_by(|one, other| more(one).total_cmp(&more(other)));
            ladder.rungs.remove(least.unwrap_or(1));
            continue;
        }
        let mut two = (0..ladders.len()).rev().filter(|&place| ladders[place].rungs.len() == 2);
        let (Some(last), Some(before)) = (two.next(), two.next()) else { break };
        let joined = ladders.remove(last);
        ladders[before].attributes.extend(joined.attributes);
        for (rung, more) in ladders[before].rungs.iter_mut().zip(joined.rungs) {
            rung.extend(more);
        }
    }
    thinned
}
