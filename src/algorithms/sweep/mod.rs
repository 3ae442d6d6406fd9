//! (τ,ℓ)-diversity by sequential sweep ((τ,ℓ)-diversity, §III, Figure 4; docs/spec.md §3).
//!
//! Where all rows of the same limits do not meet (τ,ℓ) as one class, sensitive values are generalized until they do
//! ([`generalize`]). Then rows are swept through their classes in the order of what those retain ([`order`], [`classes`]);
//! in the last one, sensitive values are generalized again. Beyond the paper: limits of quasi-identifiers and of the
//! sensitive column, other requirements beside (τ,ℓ) ([`finish`] mends what the sweep can't see to), proof that nothing
//! can be released ([`feasible`]), and a search that raises um from there ([`refine`]).
//! Guarantee: every class of a release meets every requirement and every limit, and no more rows are suppressed than
//! allowed; the same problem and settings give the same release on every target. Where all rows of the same limits meet
//! everything together, after the first generalization, there always is a release, and it suppresses nothing.
//! Complexity: O((H + h) · n) steps for n rows, H combinations of levels and a sensitive hierarchy of height h, where
//! rows with the same cells are one; H is bounded (see [`MOST_MEETINGS`]).

mod classes;
mod closed;
pub mod feasible;
mod finish;
mod generalize;
mod levels;
mod masses;
pub mod order;
mod refine;
mod regions;
mod scout;
mod shown;
mod spare;
mod trace;
mod whole;

pub use feasible::Nearest;
pub use trace::{Event, Step, Trace, Vector};

use crate::algorithms::local::{Measure, Outcome, Problem};
use crate::classes::Histogram;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::metrics::Asked;
use crate::policy::Quasi;
pub use crate::policy::Refinement;
use crate::privacy::{Induced, Model, Requirement, TauL};
use crate::progress::Progress;
use crate::release::{Release, SUPPRESSED};

use crate::sorting::Sorting;
use classes::{Ground, Sweep};
use closed::Closed;
use feasible::Ways;
use generalize::Steps;
use masses::{Masses, Shares};
use order::{Order, Span};
use regions::Regions;
use shown::Shown;

/// Tuples times level vectors that the sweep may have to look at; levels are left out where there would be more.
const MOST_MEETINGS: u64 = 1 << 30;
const LEAST_VECTORS: u64 = 64;
const MOST_VECTORS: u64 = 1 << 18;

/// How to sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The importance of each quasi-identifier: of classes that retain equally much, those come first that keep the more
    /// important one finer. Without it, the earlier one is more important.
    pub importance: Option<Vec<f64>>,
    /// For each quasi-identifier a weight for each leaf, by which the information of levels is averaged; without it, 1
    /// for leaves that occur.
    pub weights: Option<Vec<Vec<f64>>>,
    pub refine: Refinement,
    /// How many rows the trace may name.
    pub trace: usize,
}

/// What came of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    pub outcome: Outcome,
    pub trace: Trace,
    /// Without a release, because (τ,ℓ) asks too much of the table: what could be asked instead.
    pub nearest: Option<Nearest>,
    /// Whether levels were left out, because their combinations are too many.
    pub thinned: bool,
}

/// What a problem's requirements ask: (τ,ℓ)-diversity of a sensitive column. Of several, the first that all rows together
/// do not meet as they are comes first: only one is generalized for.
pub fn all_asked(problem: &Problem<'_>) -> Vec<Asked> {
    let of = |requirement: &Requirement| {
        let model = requirement.model.as_tau_l().filter(|_| !requirement.jointly)?;
        let attribute = problem.sensitive.iter().position(|other| Some(other.column) == requirement.attribute)?;
        let column = &problem.table.columns[problem.sensitive[attribute].column];
        let counts: Vec<(u32, u32)> = (0..).zip(column.counts.iter().copied()).filter(|&(_, rows)| rows > 0).collect();
        let holds = model.holds(&Histogram { size: problem.table.rows as u32, counts: &counts });
        let TauL { tau, l, induced } = model;
        Some((holds, Asked { attribute, tau: *tau, l: *l, weights: Some(induced.weights().to_vec()) }))
    };
    let mut all: Vec<(bool, Asked)> = problem.requirements.iter().filter_map(of).collect();
    if let Some(first) = all.iter().position(|(holds, _)| !holds) {
        all[..=first].rotate_right(1);
    }
    all.into_iter().map(|(_, asked)| asked).collect()
}

/// The first of these.
pub fn asked(problem: &Problem<'_>) -> Option<Asked> {
    all_asked(problem).into_iter().next()
}

/// Makes a release in which every class meets (τ,ℓ) as asked, and all requirements of the problem.
pub async fn sweep(
    problem: &Problem<'_>,
    asked: &Asked,
    settings: &Settings,
    progress: &Progress<'_>,
) -> Result<Swept, Failure> {
    check(problem, asked, settings)?;
    let problem = &Problem { measure: Measure::Utility, ..*problem };
    let sensitive = &problem.sensitive[asked.attribute];
    let counts = &problem.table.columns[sensitive.column].counts;
    let weights = weights(problem, asked);
    let shown = Shown::new(problem, asked, &weights);
    let steps = Steps::new(sensitive, counts, problem.mode);
    // Cells that are generalized for one demand may break another of the same column, so all are held at once.
    let shares = all_asked(problem)
        .into_iter()
        .filter(|other| other.attribute == asked.attribute && other.weights.as_ref() == Some(&weights))
        .fold(Shares::new(sensitive, &weights, asked.tau, asked.l), |shares, other| shares.and(other.tau, other.l));
    let mut trace = Trace::new(settings.trace);
    let swept = |outcome, trace, nearest, thinned| Ok(Swept { outcome, trace, nearest, thinned });

    let mut regions = Regions::new(problem, &shown);
    let ways = Ways { sensitive, weights: &weights, shares: &shares, steps: &steps };
    let short = regions.generalize(&ways, asked, &mut trace, progress).await?;
    if problem.suppressible == 0 && !short.regions.is_empty() {
        let nearest = regions.nearest(&short, asked, &ways, progress).await?;
        let outcome = regions.refusal(asked, nearest, short.proved);
        let nearest = Some(nearest).filter(|nearest| nearest.is_less(asked) && regions.others_hold(asked));
        return swept(outcome, trace, nearest, false);
    }
    let (space, demands) = shown.look(&regions.nodes);
    let pieces = match regions.keep(&space, &demands, progress).await? {
        Ok(pieces) => pieces,
        Err(outcome) if !short.regions.is_empty() && regions.others_hold(asked) => {
            // Rows that may be suppressed do not help: this can be had without.
            let nearest = regions.nearest(&short, asked, &ways, progress).await?;
            return swept(outcome, trace, Some(nearest).filter(|nearest| nearest.is_less(asked)), false);
        }
        Err(outcome) => return swept(outcome, trace, None, false),
    };
    let ground = Ground {
        trees: problem.quasi.iter().map(|quasi| &quasi.tree).collect(),
        sensitive: &sensitive.tree,
        shares: &shares,
        node_of_item: space.row_of_item.iter().map(|&row| regions.nodes[row as usize]).collect(),
        rows: regions::rows_by_item(&space),
        space: &space,
        demands: &demands,
    };
    let information = information(problem, settings);
    let importance = importance(problem, settings);
    let mut closed = Closed::new(problem.table.rows, problem.quasi.len());
    let mut sweeping = Sweep::new(&ground);
    let mut thinned = false;
    let mut last = Vec::with_capacity(pieces.len());
    for (region, pieces) in (0..).zip(pieces) {
        let spans: Vec<Span> = spans(problem, &ground, &pieces);
        let most = (MOST_MEETINGS / pieces.len().max(1) as u64).clamp(LEAST_VECTORS, MOST_VECTORS);
        let only_ends = problem.mode == crate::algorithms::local::Mode::Suppression;
        let order = Order::new(&information, &spans, &importance, only_ends, most);
        trace.list(&order);
        thinned |= order.thinned;
        let rest = sweeping.sweep(region, pieces, &order, &mut closed, &mut trace, progress).await?;
        last.push(rest);
    }
    let mut masses = Masses::new(&shares);
    finish::last_classes(&ground, &steps, &mut masses, last, &mut regions, &mut closed, &mut trace, progress).await?;
    drop(sweeping);
    drop(ground);
    finish::join(problem, &shown, &mut regions, &mut closed, &mut trace);
    if settings.refine != Refinement::None {
        refine::refine(problem, &shown, &steps, settings.refine, &mut regions, &mut closed, progress).await?;
    }
    let release = release(problem, asked, regions, closed);
    swept(Outcome::Release(release), trace, None, thinned)
}

/// The weight p of each leaf of the sensitive column's tree.
fn weights(problem: &Problem<'_>, asked: &Asked) -> Vec<f64> {
    let sensitive = &problem.sensitive[asked.attribute];
    let counts = &problem.table.columns[sensitive.column].counts;
    let occurring = || sensitive.weights_of_occurring(counts);
    asked.weights.clone().unwrap_or_else(occurring)
}

fn check(problem: &Problem<'_>, asked: &Asked, settings: &Settings) -> Result<(), Failure> {
    let mistake = |what: &str, next: &str| Err(Failure::policy(what, next));
    if asked.attribute >= problem.sensitive.len() {
        return mistake("(τ,ℓ)-diversity is asked of a column that is not sensitive.", "Name a sensitive column.");
    }
    if !(asked.tau > 0.0 && asked.tau <= 1.0) || asked.l < 2 {
        return mistake("τ must be above 0 and at most 1, and ℓ at least 2.", "Give other numbers.");
    }
    let columns = problem.quasi.len();
    let of_columns = settings.importance.as_ref().is_none_or(|importance| importance.len() == columns)
        && settings.weights.as_ref().is_none_or(|weights| weights.len() == columns);
    if !of_columns {
        let next = "Give one for each, in the order of the columns, or leave it out.";
        return mistake("The importance of quasi-identifiers does not say one for each.", next);
    }
    Ok(())
}

/// What each level of each quasi-identifier retains.
fn information(problem: &Problem<'_>, settings: &Settings) -> Vec<Vec<f64>> {
    let of = |(place, quasi): (usize, &Quasi)| {
        let counts = &problem.table.columns[quasi.column].counts;
        let given = settings.weights.as_ref().map(|weights| weights[place].clone());
        let occurring = || Induced::weights_of_occurring(&quasi.tree, &quasi.leaf_of_code, counts);
        order::retained(&quasi.tree, &given.unwrap_or_else(occurring))
    };
    problem.quasi.iter().enumerate().map(of).collect()
}

/// The quasi-identifiers, the most important first.
fn importance(problem: &Problem<'_>, settings: &Settings) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.quasi.len()).collect();
    if let Some(importance) = &settings.importance {
        order.order_by(|&one, &other| importance[other].total_cmp(&importance[one]));
    }
    order
}

/// The levels of each quasi-identifier between which rows of the same limits may be.
fn spans(problem: &Problem<'_>, ground: &Ground<'_>, pieces: &[classes::Piece]) -> Vec<Span> {
    let of = |(place, quasi): (usize, &Quasi)| {
        let tree: &Hierarchy = &quasi.tree;
        let leaf = |piece: &classes::Piece| {
            let at = ground.space.places(piece.item)[place];
            ground.space.node(place, at, at)
        };
        let deepest = pieces.iter().map(|piece| tree.depth(leaf(piece))).max().unwrap_or(0);
        let limit = |piece: &classes::Piece| {
            let row = ground.space.row_of_item[piece.item as usize];
            regions::most_general(problem, quasi, row)
        };
        let least = pieces.first().map_or(deepest, |piece| tree.depth(limit(piece)));
        Span { least: least as u16, deepest: deepest as u16 }
    };
    problem.quasi.iter().enumerate().map(of).collect()
}

fn release(problem: &Problem<'_>, asked: &Asked, regions: Regions, closed: Closed) -> Release {
    let sensitive = &problem.sensitive[asked.attribute];
    let codes = &problem.table.columns[sensitive.column].codes;
    let as_they_were = |(row, &node): (usize, &NodeId)| {
        closed.class_of_row[row] == SUPPRESSED || sensitive.leaf_of_code[codes[row] as usize] == node
    };
    let unchanged = regions.nodes.iter().enumerate().all(as_they_were);
    let mut shown = vec![None; problem.sensitive.len()];
    shown[asked.attribute] = (!unchanged).then_some(regions.nodes);
    Release { class_of_row: closed.class_of_row, quasi: closed.quasi, sensitive: shown }
}
