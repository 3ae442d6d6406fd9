//! The peers of (τ,ℓ)-diversity, §IV: releases by other ℓ-diversity that happen to meet a (τ,ℓ).
//!
//! "For CLD and 1DLD, finding the best anonymous data that satisfies a given (τ,ℓ)-diversity often requires a brute force
//! search": for 1DLD over ℓ, for CLD (the lattice with recursive (c,ℓ)-diversity) over ℓ and c. Of the releases that meet
//! (τ,ℓ), all other requirements of the problem included, the one with the least excessive protection is taken.
//! Complexity: a run of the peer for every ℓ (and c).

use super::Curve;
use crate::algorithms::lattice::{self, Budget, Lattice, Metric, Question, Values};
use crate::algorithms::local::{self, Outcome, Problem};
use crate::classes::Keys;
use crate::failure::Failure;
use crate::metrics::{Asked, excessive_protection};
use crate::privacy::{Alpha, RecursiveCL, Requirement, TauL, check};
use crate::progress::Progress;
use crate::release::{Release, Released};

/// The c of recursive (c,ℓ)-diversity that are tried.
pub const C: [f64; 10] = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0];
/// Nodes computed at most of lattices that are too large to decide.
const MOST_NODES: u64 = 20_000;

/// A release of a peer.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub l: u32,
    /// Of recursive (c,ℓ)-diversity.
    pub c: Option<f64>,
    pub release: Release,
    pub excess: f64,
}

/// How far to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The first release that meets (τ,ℓ), from the weakest requirement on.
    First,
    /// All of them, for the one with the least excess.
    Best,
}

/// 1DLD: simple ℓ-diversity, by which no value has more than the ℓ-th part of a class.
pub async fn one_d(
    problem: &Problem<'_>,
    asked: &Asked,
    curve: Curve,
    until: Until,
    progress: &Progress<'_>,
) -> Result<Option<Found>, Failure> {
    let judge = Judge::new(problem, asked);
    let column = problem.sensitive[asked.attribute].column;
    let mut best: Option<Found> = None;
    for l in 2..=judge.values {
        let alpha = Alpha { alpha: 1.0 / f64::from(l), values: Vec::new() };
        let requirements = [Requirement { attribute: Some(column), jointly: false, model: Box::new(alpha) }];
        let simple = Problem { requirements: &requirements, suppressible: 0, ..*problem };
        let outcome = local::recode(&simple, local::Algorithm::OneD(curve), None, progress).await?;
        // What can't be had of one ℓ can't of any higher.
        let Outcome::Release(release) = outcome else { break };
        judge.keep_better(&mut best, l, None, release);
        if best.is_some() && until == Until::First {
            break;
        }
    }
    Ok(best)
}

/// CLD: the lattice with recursive (c,ℓ)-diversity, by the least loss.
pub async fn lattice(
    problem: &Problem<'_>,
    asked: &Asked,
    until: Until,
    progress: &Progress<'_>,
) -> Result<Option<Found>, Failure> {
    let judge = Judge::new(problem, asked);
    let columns = &problem.table.columns;
    let codes: Vec<&[u32]> = problem.quasi.iter().map(|quasi| columns[quasi.column].codes.as_slice()).collect();
    let sensitive = &problem.sensitive[asked.attribute];
    let values = columns[sensitive.column].class_codes();
    let leaves = sensitive.tree.leaves().len() as u32;
    let all = [Values { column: sensitive.column, codes: &values, leaves }];
    let input = lattice::Input { rows: problem.table.rows, quasi: problem.quasi, codes: &codes, sensitive: &all };
    let mut prepared: Option<Lattice> = None;
    let mut best: Option<Found> = None;
    let mut seen: Vec<Vec<u16>> = Vec::new();
    for l in 2..=judge.values {
        // The weakest first.
        for &c in C.iter().rev() {
            let model = Box::new(RecursiveCL { c, l });
            let requirements = [Requirement { attribute: Some(sensitive.column), jointly: false, model }];
            let question =
                Question { requirements: &requirements, least_rows: l, suppression_limit: 0, metric: Metric::Loss };
            let lattice = match &mut prepared {
                Some(lattice) => lattice,
                none => none.insert(Lattice::new(&input, &question, progress).await?),
            };
            let listed = lattice.nodes() <= lattice::MOST_LISTED;
            let budget = Budget { nodes: (!listed).then_some(MOST_NODES), milliseconds: None };
            let Some(found) = lattice.best(&question, budget, progress).await?.best else { break };
            if seen.contains(&found.node) {
                continue;
            }
            let mut release = lattice.release(&question, &found.node, progress).await?;
            release.sensitive = vec![None; problem.sensitive.len()];
            seen.push(found.node);
            judge.keep_better(&mut best, l, Some(c), release);
            if best.is_some() && until == Until::First {
                return Ok(best);
            }
        }
    }
    Ok(best)
}

/// Says of releases whether they are what is asked for.
struct Judge<'a> {
    problem: &'a Problem<'a>,
    asked: &'a Asked,
    own: Requirement,
    /// Values that occur.
    values: u32,
}

impl<'a> Judge<'a> {
    fn new(problem: &'a Problem<'a>, asked: &'a Asked) -> Self {
        let sensitive = &problem.sensitive[asked.attribute];
        let column = &problem.table.columns[sensitive.column];
        let occurring = || sensitive.weights_of_occurring(&column.counts);
        let weights = asked.weights.clone().unwrap_or_else(occurring);
        let induced = sensitive.induced_of_codes(&weights);
        let model = Box::new(TauL { tau: asked.tau, l: asked.l, induced });
        let own = Requirement { attribute: Some(sensitive.column), jointly: false, model };
        Judge { problem, asked, own, values: column.distinct() as u32 }
    }

    fn keep_better(&self, best: &mut Option<Found>, l: u32, c: Option<f64>, release: Release) {
        if !self.meets(&release) {
            return;
        }
        let Problem { table, quasi, sensitive, .. } = *self.problem;
        let released = Released { table, quasi, sensitive, release: &release };
        let Some(excess) = excessive_protection::of(&released, self.asked) else { return };
        if best.as_ref().is_none_or(|best| excess < best.excess) {
            *best = Some(Found { l, c, release, excess });
        }
    }

    /// Whether every class meets (τ,ℓ) and all requirements.
    fn meets(&self, release: &Release) -> bool {
        let (kept, classes) = release.seen(self.problem.quasi);
        let columns = &self.problem.table.columns;
        let codes: Vec<(usize, u32, Vec<u32>)> = self
            .problem
            .sensitive
            .iter()
            .map(|sensitive| {
                let column = &columns[sensitive.column];
                let codes = column.class_codes();
                let kept = kept.iter().map(|&row| codes[row as usize]).collect();
                (sensitive.column, column.dictionary.len() as u32, kept)
            })
            .collect();
        let keys: Vec<(usize, Keys<'_>)> =
            codes.iter().map(|(column, size, codes)| (*column, Keys { codes, size: *size })).collect();
        let mut all = std::iter::once(&self.own).chain(self.problem.requirements);
        all.all(|requirement| check(requirement, &classes, &keys).holds)
    }
}
