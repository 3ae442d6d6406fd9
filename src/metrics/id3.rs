//! ID3 (Quinlan): a decision tree that splits on the attribute with the highest information gain, one branch a value.
//!
//! Values are nodes of hierarchies, so that a tree learned from generalized rows can be asked about original ones: a row
//! follows the branch of the most specific node that covers its value, and where there is none, the majority decides.
//! Rows with a generalized class count for base values by their induced frequencies. Not pruned. Deterministic: ties go
//! to the first attribute; values that are equally likely are all predicted. Complexity: O(distinct tuples · attributes²).

use std::ops::Range;

use crate::classes::Histograms;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::privacy::{Induced, TOLERANCE};
use crate::progress::{Progress, Report};
use crate::words::counted;

/// What a tree is learned from.
pub struct Examples<'a> {
    pub trees: Vec<&'a Hierarchy>,
    /// For each attribute the node of each distinct tuple.
    pub tuples: Vec<Vec<NodeId>>,
    /// The sensitive nodes of each tuple.
    pub histograms: Histograms,
    pub induced: &'a Induced,
}

pub struct DecisionTree<'a> {
    trees: Vec<&'a Hierarchy>,
    branchings: Vec<Branching>,
}

/// A node of the decision tree.
#[derive(Default)]
struct Branching {
    /// The most frequent base values, as places among the leaves: more than one where they are equally frequent.
    majority: Vec<usize>,
    attribute: usize,
    /// Branches by value, ascending; none at an end.
    branches: Vec<(NodeId, usize)>,
}

/// Examples that reach a place in the tree, as a range of the learner's order, and the attributes left to split on.
struct Task {
    branching: usize,
    range: Range<usize>,
    attributes: Vec<usize>,
}

impl<'a> DecisionTree<'a> {
    pub async fn learn(examples: Examples<'a>, progress: &Progress<'_>) -> Result<DecisionTree<'a>, Failure> {
        let count = examples.histograms.len();
        let mut learner = Learner::new(&examples);
        let mut branchings = vec![Branching::default()];
        let attributes = (0..examples.tuples.len()).collect();
        let mut tasks = vec![Task { branching: 0, range: 0..count, attributes }];
        while let Some(Task { branching, range, attributes }) = tasks.pop() {
            let report = || Report {
                phase: "Learning a decision tree".into(),
                fraction: None,
                detail: counted(branchings.len() as u64, "branching"),
            };
            progress.checkpoint(report).await?;
            let (majority, several) = learner.majority(range.clone());
            branchings[branching].majority = majority;
            let best = if several { learner.best(range.clone(), &attributes) } else { None };
            let Some((attribute, left)) = best else { continue };
            branchings[branching].attribute = attribute;
            for (value, part) in learner.divide(range, attribute) {
                let next = branchings.len();
                branchings.push(Branching::default());
                branchings[branching].branches.push((value, next));
                tasks.push(Task { branching: next, range: part, attributes: left.clone() });
            }
        }
        Ok(DecisionTree { trees: examples.trees, branchings })
    }

    /// The base values that a row with these cells most likely has, as places among the predicted column's leaves.
    pub fn predict(&self, cell: impl Fn(usize) -> NodeId) -> &[usize] {
        let mut at = &self.branchings[0];
        loop {
            let branch = |node: NodeId| at.branches.binary_search_by_key(&node, |branch| branch.0).ok();
            let covering = (!at.branches.is_empty())
                .then(|| self.trees[at.attribute].path(cell(at.attribute)).find_map(branch))
                .flatten();
            match covering {
                Some(place) => at = &self.branchings[at.branches[place].1],
                None => return &at.majority,
            }
        }
    }
}

/// Scratch space for one tree.
struct Learner<'a, 'e> {
    examples: &'e Examples<'a>,
    order: Vec<u32>,
    /// The examples of a range, sorted by the value of one attribute.
    sorted: Vec<u32>,
    /// For each base value its weight in the examples being weighed; 0 in between.
    weights: Vec<f64>,
    touched: Vec<usize>,
    /// For each value of the attribute being looked at, how many examples have it; 0 in between.
    counts: Vec<Vec<u32>>,
}

impl<'a, 'e> Learner<'a, 'e> {
    fn new(examples: &'e Examples<'a>) -> Self {
        Learner {
            examples,
            order: (0..examples.histograms.len() as u32).collect(),
            sorted: vec![0; examples.histograms.len()],
            weights: vec![0.0; examples.induced.leaves()],
            touched: Vec::new(),
            counts: examples.trees.iter().map(|tree| vec![0; tree.len()]).collect(),
        }
    }

    /// The most frequent base values of a range's examples, and whether there are others.
    fn majority(&mut self, range: Range<usize>) -> (Vec<usize>, bool) {
        let Learner { examples, order, weights, touched, .. } = self;
        weigh(examples, &order[range], weights, touched);
        let most = touched.iter().map(|&place| weights[place]).fold(0.0, f64::max);
        let is_most = |place: &usize| weights[*place] >= most * (1.0 - TOLERANCE);
        let majority = touched.iter().copied().filter(is_most).collect();
        let several = touched.len() > 1;
        touched.drain(..).for_each(|place| weights[place] = 0.0);
        (majority, several)
    }

    /// The attribute whose values leave the least disorder, and those that are left after it; `None` when examples can't be
    /// told apart.
    fn best(&mut self, range: Range<usize>, attributes: &[usize]) -> Option<(usize, Vec<usize>)> {
        let Learner { examples, order, weights, touched, .. } = self;
        let own = disorder(examples, &order[range.clone()], weights, touched);
        let mut best: Option<(usize, f64)> = None;
        let mut left = Vec::with_capacity(attributes.len());
        for &attribute in attributes {
            let parts = self.sort(range.clone(), attribute);
            if parts.len() < 2 {
                continue;
            }
            left.push(attribute);
            let Learner { examples, sorted, weights, touched, .. } = self;
            let of_part =
                |(_, part): &(NodeId, Range<usize>)| disorder(examples, &sorted[part.clone()], weights, touched);
            let left_over: f64 = parts.iter().map(of_part).sum();
            if best.is_none_or(|(_, least)| left_over + TOLERANCE * own < least) {
                best = Some((attribute, left_over));
            }
        }
        best.map(|(attribute, _)| (attribute, left.into_iter().filter(|&other| other != attribute).collect()))
    }

    /// Puts the examples of a range in order of an attribute's values and gives the part of each value.
    fn divide(&mut self, range: Range<usize>, attribute: usize) -> Vec<(NodeId, Range<usize>)> {
        let parts = self.sort(range.clone(), attribute);
        self.order[range.clone()].copy_from_slice(&self.sorted[range]);
        parts
    }

    /// The same, only into `sorted`: by counting, in time that depends on the examples alone.
    fn sort(&mut self, range: Range<usize>, attribute: usize) -> Vec<(NodeId, Range<usize>)> {
        let values = &self.examples.tuples[attribute];
        let counts = &mut self.counts[attribute];
        let mut present = Vec::new();
        for &example in &self.order[range.clone()] {
            let value = values[example as usize];
            if counts[value as usize] == 0 {
                present.push(value);
            }
            counts[value as usize] += 1;
        }
        present.sort_unstable();
        let mut parts = Vec::with_capacity(present.len());
        let mut start = range.start;
        for value in present {
            let end = start + counts[value as usize] as usize;
            parts.push((value, start..end));
            counts[value as usize] = start as u32;
            start = end;
        }
        for &example in &self.order[range] {
            let place = &mut counts[values[example as usize] as usize];
            self.sorted[*place as usize] = example;
            *place += 1;
        }
        for (value, _) in &parts {
            counts[*value as usize] = 0;
        }
        parts
    }
}

/// How much of each base value some examples have, and the base values they have, ascending, behind the total.
fn weigh(examples: &Examples<'_>, some: &[u32], weights: &mut [f64], touched: &mut Vec<usize>) -> f64 {
    let mut total = 0.0;
    for &example in some {
        for &(node, count) in examples.histograms.class(example as usize).counts {
            for (place, share) in examples.induced.spread(node, f64::from(count)) {
                let place = place as usize;
                if weights[place] == 0.0 {
                    touched.push(place);
                }
                weights[place] += share;
                total += share;
            }
        }
    }
    touched.sort_unstable();
    total
}

/// Entropy × weight of some examples. Leaves the scratch space as it was.
fn disorder(examples: &Examples<'_>, some: &[u32], weights: &mut [f64], touched: &mut Vec<usize>) -> f64 {
    let mut disorder = weighted_logarithm(weigh(examples, some, weights, touched));
    for place in touched.drain(..) {
        disorder -= weighted_logarithm(weights[place]);
        weights[place] = 0.0;
    }
    disorder
}

fn weighted_logarithm(weight: f64) -> f64 {
    if weight == 1.0 { 0.0 } else { weight * libm::log(weight) }
}
