//! ID3 (Quinlan): a decision tree that splits on the attribute with the highest information gain, one branch a value.
//!
//! Values are nodes of hierarchies, so that a tree learned from generalized rows can be asked about original ones: a row
//! follows the branch of the most specific node that covers its value, and where there is none, the majority decides.
//! Rows with a generalized class count for base values by their induced frequencies. Not pruned. Deterministic: ties go
//! to the first attribute and the first value. Complexity: O(distinct tuples · attributes²).

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
struct Branching {
    /// The most frequent base value, as a place among the leaves.
    majority: usize,
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
        let mut branchings = vec![Branching { majority: 0, attribute: 0, branches: Vec::new() }];
        let attributes = (0..examples.tuples.len()).collect();
        let mut tasks = vec![Task { branching: 0, range: 0..count, attributes }];
        while let Some(Task { branching, range, attributes }) = tasks.pop() {
            let report = || Report {
                phase: "Learning a decision tree".into(),
                fraction: None,
                detail: counted(branchings.len() as u64, "branching"),
            };
            progress.checkpoint(report).await?;
            let own = learner.summarize(range.clone());
            branchings[branching].majority = own.majority;
            let Some((attribute, left)) = learner.best(&own, range.clone(), &attributes) else { continue };
            branchings[branching].attribute = attribute;
            for (value, part) in learner.divide(range, attribute) {
                let next = branchings.len();
                branchings.push(Branching { majority: own.majority, attribute: 0, branches: Vec::new() });
                branchings[branching].branches.push((value, next));
                tasks.push(Task { branching: next, range: part, attributes: left.clone() });
            }
        }
        Ok(DecisionTree { trees: examples.trees, branchings })
    }

    /// The base value that a row with these cells most likely has, as a place among the sensitive column's leaves.
    pub fn predict(&self, cell: impl Fn(usize) -> NodeId) -> usize {
        let mut at = &self.branchings[0];
        loop {
            let branch = |node: NodeId| at.branches.binary_search_by_key(&node, |branch| branch.0).ok();
            let covering = (!at.branches.is_empty())
                .then(|| self.trees[at.attribute].path(cell(at.attribute)).find_map(branch))
                .flatten();
            match covering {
                Some(place) => at = &self.branchings[at.branches[place].1],
                None => return at.majority,
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
    /// For each base value its weight in the examples being summarized; 0 in between.
    weights: Vec<f64>,
    touched: Vec<usize>,
    /// For each value of the attribute being looked at, how many examples have it; 0 in between.
    counts: Vec<Vec<u32>>,
}

/// The base values of some examples.
struct Summary {
    majority: usize,
    values: usize,
    /// Entropy × weight.
    disorder: f64,
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

    fn summarize(&mut self, range: Range<usize>) -> Summary {
        let Learner { examples, order, weights, touched, .. } = self;
        summary(examples, &order[range], weights, touched)
    }

    /// The attribute whose values leave the least disorder, and those that are left after it; `None` when examples can't or
    /// need not be told apart.
    fn best(&mut self, own: &Summary, range: Range<usize>, attributes: &[usize]) -> Option<(usize, Vec<usize>)> {
        if own.values < 2 {
            return None;
        }
        let mut best: Option<(usize, f64)> = None;
        let mut left = Vec::with_capacity(attributes.len());
        for &attribute in attributes {
            let parts = self.sort(range.clone(), attribute);
            if parts.len() < 2 {
                continue;
            }
            left.push(attribute);
            let Learner { examples, sorted, weights, touched, .. } = self;
            let part = |(_, part): &(NodeId, Range<usize>)| {
                summary(examples, &sorted[part.clone()], weights, touched).disorder
            };
            let disorder: f64 = parts.iter().map(part).sum();
            if best.is_none_or(|(_, least)| disorder + TOLERANCE * own.disorder < least) {
                best = Some((attribute, disorder));
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

fn summary(examples: &Examples<'_>, some: &[u32], weights: &mut [f64], touched: &mut Vec<usize>) -> Summary {
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
    let mut summary = Summary { majority: 0, values: touched.len(), disorder: weighted_logarithm(total) };
    let mut most = 0.0;
    touched.sort_unstable();
    for place in touched.drain(..) {
        if weights[place] > most * (1.0 + TOLERANCE) {
            (summary.majority, most) = (place, weights[place]);
        }
        summary.disorder -= weighted_logarithm(weights[place]);
        weights[place] = 0.0;
    }
    summary
}

fn weighted_logarithm(weight: f64) -> f64 {
    if weight == 1.0 { 0.0 } else { weight * libm::log(weight) }
}
