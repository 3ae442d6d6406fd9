//! The requirements, as the search uses them: which classes fail, and what a failure proves.
//!
//! Rows are suppressed class by class. What can be proved about a finer node from a coarser one:
//! - a class that fails a requirement of which [`Monotone::Growing`] is true is made of classes that fail, too. So the
//!   rows that *surely* are suppressed (by such requirements, or because a class is smaller than any class may be) never
//!   get fewer on finer nodes;
//! - when every requirement is at least [`Monotone::Merging`], a class that fails has a part that fails: if some row is
//!   suppressed, some row is on every finer node.
//!
//! Other requirements prove nothing and are checked on each node.

use super::grouping::Grouping;
use super::tuples::{Entries, Members, Sum};
use super::{Input, Metric, Question};
use crate::classes::Histogram;
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::privacy::{Model, Monotone, Requirement};
use crate::sorting::Sorting;

/// Classes that are judged between two looks at the clock.
const AT_ONCE: usize = 1 << 14;

/// What requirements and metrics look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Column(usize),
    /// The values of a column within each combination of the other sensitive columns.
    Jointly(usize),
    /// The combinations of all sensitive columns.
    Everything,
}

#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub subject: Subject,
    /// For features taken jointly, block and value of each code.
    meaning: Vec<(u32, u32)>,
}

impl Subject {
    fn of(requirement: &Requirement) -> Option<Subject> {
        let subject = if requirement.jointly { Subject::Jointly } else { Subject::Column };
        requirement.attribute.map(subject)
    }
}

impl Feature {
    /// The features that a question needs, and the code of each row.
    pub fn all(input: &Input<'_>, question: &Question<'_>) -> Result<Vec<(Feature, Vec<u32>)>, Failure> {
        let mut subjects: Vec<Subject> = question.requirements.iter().filter_map(Subject::of).collect();
        subjects.extend((question.metric == Metric::KlDivergence).then_some(Subject::Everything));
        let mut features: Vec<(Feature, Vec<u32>)> = Vec::new();
        for subject in subjects {
            if features.iter().all(|(feature, _)| feature.subject != subject) {
                features.push(Feature::new(input, subject)?);
            }
        }
        Ok(features)
    }

    fn new(input: &Input<'_>, subject: Subject) -> Result<(Feature, Vec<u32>), Failure> {
        let values = |column: usize| input.sensitive.iter().find(|values| values.column == column);
        let combinations = |but: Option<usize>| {
            let others = input.sensitive.iter().filter(|values| Some(values.column) != but);
            let size = |codes: &[u32]| codes.iter().max().map_or(0, |&code| code + 1);
            let keys: Vec<Keys> = others.map(|values| Keys { codes: values.codes, size: size(values.codes) }).collect();
            Classes::group(input.rows, &keys).of_row
        };
        Ok(match subject {
            Subject::Column(column) => {
                let codes = values(column).ok_or_else(unknown_column)?.codes.to_vec();
                (Feature { subject, meaning: Vec::new() }, codes)
            }
            Subject::Everything => (Feature { subject, meaning: Vec::new() }, combinations(None)),
            Subject::Jointly(column) => {
                let codes = values(column).ok_or_else(unknown_column)?.codes;
                let blocks = combinations(Some(column));
                let pairs = || blocks.iter().copied().zip(codes.iter().copied());
                let mut meaning: Vec<(u32, u32)> = pairs().collect();
                meaning.order();
                meaning.dedup();
                let place = |pair: (u32, u32)| meaning.binary_search(&pair).map_or(0, |place| place as u32);
                let codes = pairs().map(place).collect();
                (Feature { subject, meaning }, codes)
            }
        })
    }
}

fn unknown_column() -> Failure {
    Failure::policy("A requirement is about a column that is not sensitive.", "Mark the column as sensitive.")
}

pub(super) fn unprepared() -> Failure {
    Failure::refused("The lattice was prepared for another question.", "Prepare it again for this one.")
}

/// One requirement that needs more than the size of a class.
struct Check<'a> {
    /// `None`: nothing but the size.
    feature: Option<usize>,
    jointly: bool,
    growing: bool,
    model: &'a dyn Model,
}

pub(super) struct Rules<'a> {
    /// Smaller classes surely fail.
    pub least: u32,
    checks: Vec<Check<'a>>,
    /// A row suppressed here means one suppressed on every finer node.
    merging: bool,
    growing: bool,
    features: &'a [Feature],
}

/// What becomes of the classes of a node.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Whether each class is suppressed.
    pub fails: Vec<bool>,
    pub suppressed: u64,
    /// Rows that are suppressed on every finer node, too, or fewer than that.
    pub surely: u64,
}

/// Memory for checks.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    members: Members,
    sums: Vec<Sum>,
    block: Vec<(u32, u32)>,
}

impl<'a> Rules<'a> {
    pub fn new(question: &Question<'a>, rows: usize, features: &'a [Feature]) -> Result<Self, Failure> {
        let mut rules =
            Rules { least: question.least_rows.max(1), checks: Vec::new(), merging: true, growing: true, features };
        for requirement in question.requirements {
            let model = requirement.model.as_ref();
            let monotone = requirement.monotone();
            rules.growing &= monotone == Monotone::Growing;
            rules.merging &= monotone != Monotone::Never;
            let feature = match Subject::of(requirement) {
                None if monotone == Monotone::Growing => {
                    rules.least = rules.least.max(least_size(model, rows));
                    continue;
                }
                None => None,
                Some(subject) => {
                    let place = features.iter().position(|feature| feature.subject == subject);
                    Some(place.ok_or_else(unprepared)?)
                }
            };
            let growing = monotone == Monotone::Growing;
            rules.checks.push(Check { feature, jointly: requirement.jointly, growing, model });
        }
        // A class that fails surely should be known as one, so those that prove something come first.
        rules.checks.order_by_key(|check| !check.growing);
        Ok(rules)
    }

    /// Whether whatever is coarser than a feasible node is feasible.
    pub fn monotone(&self, limit: u64) -> bool {
        self.growing || self.merging && limit == 0
    }

    /// Whether classes that fail, other than small ones, prove that finer nodes need more than `cap` suppressed rows.
    pub fn prove(&self, cap: u64) -> bool {
        self.merging && cap == 0 || self.checks.iter().any(|check| check.growing)
    }

    /// Whether sizes decide everything.
    pub fn only_sizes(&self) -> bool {
        self.checks.is_empty()
    }

    /// Suppresses the classes that are too small.
    pub fn judge_sizes(&self, sizes: &[u32], verdict: &mut Verdict) {
        verdict.fails.clear();
        verdict.fails.extend(sizes.iter().map(|&size| size < self.least));
        let small = sizes.iter().map(|&size| if size < self.least { u64::from(size) } else { 0 });
        verdict.suppressed = small.sum();
        verdict.surely = verdict.suppressed;
    }

    /// Suppresses the other classes that fail, from class `start` on; stops when more than `cap` rows are suppressed,
    /// or after some classes. Gives where to go on. `entries` are the features of the tuples that were grouped.
    pub fn judge(
        &self,
        start: usize,
        classes: &Grouping,
        entries: &[Entries],
        cap: u64,
        verdict: &mut Verdict,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if start == 0 {
            scratch.members.sort(&classes.class_of, classes.sizes.len());
            scratch.sums.resize_with(self.features.len(), Sum::default);
        }
        let end = classes.sizes.len().min(start + AT_ONCE);
        for class in start..end {
            if verdict.fails[class] {
                continue;
            }
            if verdict.suppressed > cap {
                break;
            }
            let size = classes.sizes[class];
            let Scratch { members, sums, block } = scratch;
            let mut holds = |check: &Check| check.holds(size, members.of(class), entries, self.features, sums, block);
            if let Some(check) = self.checks.iter().find(|check| !holds(check)) {
                verdict.fails[class] = true;
                verdict.suppressed += u64::from(size);
                verdict.surely += if check.growing { u64::from(size) } else { 0 };
            }
        }
        if self.merging && verdict.suppressed > 0 {
            verdict.surely = verdict.surely.max(1);
        }
        (end < classes.sizes.len() && verdict.suppressed <= cap).then_some(end)
    }
}

impl Check<'_> {
    fn holds(
        &self,
        size: u32,
        members: &[u32],
        entries: &[Entries],
        features: &[Feature],
        sums: &mut [Sum],
        block: &mut Vec<(u32, u32)>,
    ) -> bool {
        let Some(feature) = self.feature else { return self.model.holds(&Histogram { size, counts: &[] }) };
        let sum = &mut sums[feature];
        let counts = match members {
            &[tuple] => entries[feature].of(tuple),
            tuples => {
                for &tuple in tuples {
                    entries[feature].of(tuple).iter().for_each(|&(value, count)| sum.add(value, count));
                }
                sum.take()
            }
        };
        if !self.jointly {
            return self.model.holds(&Histogram { size, counts });
        }
        let meaning = &features[feature].meaning;
        let same_block =
            |one: &(u32, u32), other: &(u32, u32)| meaning[one.0 as usize].0 == meaning[other.0 as usize].0;
        counts.chunk_by(same_block).all(|run| {
            block.clear();
            block.extend(run.iter().map(|&(code, count)| (meaning[code as usize].1, count)));
            self.model.holds(&Histogram { size: run.iter().map(|&(_, count)| count).sum(), counts: block })
        })
    }
}

/// The smallest class that a model of sizes accepts, or one more than there are rows.
fn least_size(model: &dyn Model, rows: usize) -> u32 {
    let (mut fails, mut holds) = (0, rows as u32 + 1);
    while holds - fails > 1 {
        let middle = fails + (holds - fails) / 2;
        let middle_holds = model.holds(&Histogram { size: middle, counts: &[] });
        *(if middle_holds { &mut holds } else { &mut fails }) = middle;
    }
    holds
}
