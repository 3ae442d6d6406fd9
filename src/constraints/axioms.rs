//! The paper's Axioms 1–4 and Algorithm 1 (§3.2): what follows from constraints about one target, with its derivation.
//!
//! - Axiom 1: a range may be widened. Axiom 4: two ranges of one target may be intersected.
//! - Axiom 2: an extension of σ's target has at most λr rows. Axiom 3: a part of σ's target has at least λl.
//!
//! The paper's Algorithm 1 has lines 4 and 5 swapped against Axioms 2 and 3; here an extension gives a *lower* bound and a
//! part an *upper* one. Guarantee: sound. Not complete, against the paper's Theorem 3.3: that different values of one
//! column are different rows, whose counts add up, follows from none of the axioms ([`super::exact`] decides it).
//! Complexity: O(|Σ|) comparisons of targets for an implication, O(|Σ|²) for satisfiability.

use serde::{Deserialize, Serialize};

use super::{Constraint, Target};
use crate::sorting::Sorting;

/// Rows at least and at most; empty if at least is more than at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub least: u64,
    pub most: Option<u64>,
}

impl Range {
    pub const ANY: Range = Range { least: 0, most: None };

    pub fn is_empty(self) -> bool {
        self.most.is_some_and(|most| most < self.least)
    }

    /// Whether every number in it is in `other`.
    pub fn is_within(self, other: Range) -> bool {
        let below = match (self.most, other.most) {
            (_, None) => true,
            (Some(most), Some(other)) => most <= other,
            (None, Some(_)) => false,
        };
        self.is_empty() || (self.least >= other.least && below)
    }

    fn intersect(self, other: Range) -> Range {
        let most = self.most.into_iter().chain(other.most).min();
        Range { least: self.least.max(other.least), most }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.least, self.most) {
            (least, Some(most)) if most < least => {
                write!(out, "at least {least} and at most {most}, which is impossible")
            }
            (0, None) => write!(out, "any number of rows"),
            (least, None) => write!(out, "at least {least}"),
            (0, Some(most)) => write!(out, "at most {most}"),
            (least, Some(most)) => write!(out, "{least} to {most}"),
        }
    }
}

impl Constraint {
    pub fn range(&self) -> Range {
        Range { least: self.least, most: self.most }
    }

    /// Whether every row of this target is one of the other's, too: it names all that the other names.
    pub fn extends(&self, other: &[Target]) -> bool {
        other.iter().all(|target| self.target.contains(target))
    }
}

/// What a step of a derivation starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Premise {
    /// A constraint, by its place.
    Given(usize),
    /// An earlier step, by its place.
    Step(usize),
}

/// One axiom applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// 1 to 4.
    pub axiom: u8,
    pub from: Vec<Premise>,
    /// How many rows show the target, by this step.
    pub range: Range,
}

/// What follows about one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derivation {
    pub steps: Vec<Step>,
}

impl Derivation {
    /// The constraints that it uses, in ascending order.
    pub fn premises(&self) -> Vec<usize> {
        let given = self.steps.iter().flat_map(|step| &step.from).filter_map(|premise| match premise {
            Premise::Given(place) => Some(*place),
            Premise::Step(_) => None,
        });
        let mut places: Vec<usize> = given.collect();
        places.order();
        places.dedup();
        places
    }

    /// The same with other numbers for the constraints.
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Derivation {
        for premise in self.steps.iter_mut().flat_map(|step| &mut step.from) {
            if let Premise::Given(place) = premise {
                *place = number(*place);
            }
        }
        self
    }

    /// One sentence a step; `name` is what a constraint is called.
    pub fn sentences(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let premise = |premise: &Premise| match premise {
            Premise::Given(place) => name(*place),
            Premise::Step(step) => format!("step {}", step + 1),
        };
        let sentence = |(at, step): (usize, &Step)| {
            let from: Vec<String> = step.from.iter().map(premise).collect();
            let from = if from.is_empty() { "nothing".to_owned() } else { from.join(" and ") };
            format!("Step {}: by Axiom {} from {from}: {}.", at + 1, step.axiom, step.range)
        };
        self.steps.iter().enumerate().map(sentence).collect()
    }

    pub fn range(&self) -> Range {
        self.steps.last().map_or(Range::ANY, |step| step.range)
    }
}

/// The first of the constraints that bound a target best from below, and from above.
#[derive(Default)]
struct Best {
    lower: Option<Step>,
    upper: Option<Step>,
}

impl Best {
    fn of<'a>(given: impl Iterator<Item = (usize, &'a Constraint)>, target: &[Target]) -> Best {
        let mut best = Best::default();
        for (place, constraint) in given {
            let (axiom, range) = match (constraint.extends(target), is_part(&constraint.target, target)) {
                (true, true) => (1, constraint.range()),
                (true, false) => (3, Range { least: constraint.least, most: None }),
                (false, true) => (2, Range { least: 0, most: constraint.most }),
                (false, false) => continue,
            };
            let step = Step { axiom, from: vec![Premise::Given(place)], range };
            if range.least > best.lower.as_ref().map_or(0, |step| step.range.least) {
                best.lower = Some(step.clone());
            }
            let before = best.upper.as_ref().and_then(|step| step.range.most);
            if range.most.is_some_and(|most| before.is_none_or(|before| most < before)) {
                best.upper = Some(step);
            }
        }
        best
    }

    fn derivation(self) -> Derivation {
        let steps = match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower == upper => vec![lower],
            (Some(lower), Some(upper)) => {
                let range = lower.range.intersect(upper.range);
                vec![lower, upper, Step { axiom: 4, from: vec![Premise::Step(0), Premise::Step(1)], range }]
            }
            (lower, upper) => lower.into_iter().chain(upper).collect(),
        };
        Derivation { steps }
    }
}

/// What the axioms say of `target`, from constraints and their places. Of all that bound it, only the first that gives
/// the best lower bound and the first that gives the best upper one are in the derivation.
pub fn bounds<'a>(given: impl Iterator<Item = (usize, &'a Constraint)>, target: &[Target]) -> Derivation {
    Best::of(given, target).derivation()
}

fn is_part(part: &[Target], of: &[Target]) -> bool {
    part.iter().all(|target| of.contains(target))
}

/// Algorithm 1: how `wanted` follows by the axioms, if it does; from one constraint, if one is enough. From what contradicts
/// itself everything follows.
pub fn implies<'a>(given: impl Iterator<Item = (usize, &'a Constraint)>, wanted: &Constraint) -> Option<Derivation> {
    let given: Vec<(usize, &Constraint)> = given.collect();
    given.chunks(1).chain([given.as_slice()]).find_map(|some| implied_by(some, wanted))
}

fn implied_by(given: &[(usize, &Constraint)], wanted: &Constraint) -> Option<Derivation> {
    let best = Best::of(given.iter().copied(), &wanted.target);
    let needed = Best {
        lower: best.lower.clone().filter(|_| wanted.least > 0),
        upper: best.upper.clone().filter(|_| wanted.most.is_some()),
    };
    let mut derivation = needed.derivation();
    if !derivation.range().is_within(wanted.range()) {
        derivation = Some(best.derivation()).filter(|all| all.range().is_empty())?;
    }
    if derivation.range() != wanted.range() {
        let from = derivation.steps.len().checked_sub(1).map(Premise::Step).into_iter().collect();
        derivation.steps.push(Step { axiom: 1, from, range: wanted.range() });
    }
    Some(derivation)
}

/// The first constraint whose target the axioms allow no number of rows, with the derivation of that.
pub fn contradiction(constraints: &[Constraint]) -> Option<(usize, Derivation)> {
    let derived = |constraint: &Constraint| bounds(constraints.iter().enumerate(), &constraint.target);
    constraints.iter().map(derived).enumerate().find(|(_, derivation)| derivation.range().is_empty())
}
