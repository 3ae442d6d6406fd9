//! Raises um of a release that holds, while everything still does (beyond the paper).
//!
//! Sensitive cells are shown finer again where their classes can bear it; then classes show the lowest nodes above their
//! rows and give rows to new classes ([`spare`]); then sensitive cells once more. It starts from the sweep's classes or,
//! where those retain more, from classes of whole levels ([`whole`]). That is quick. Thoroughly, classes also exchange rows
//! ([`crate::algorithms::refinement`], with what um misses as the cost), from both starts, and the better of the two
//! stays. Cells are never made more general: um alone would rather keep every quasi-identifier and blank the sensitive
//! column, which tells nobody anything.
//! Guarantee: um never falls; it may be stopped at any time, and what was reached by then stays.
//! Complexity: O(rows · columns) for each level that is looked at and each column along which new classes are made, and
//! O(classes · kinds of cells · log rows) checks for the cells; thoroughly, beside that of the refinement.

use super::closed::Closed;
use super::generalize::Steps;
use super::regions::{self, Regions};
use super::shown::Shown;
use super::whole;
use super::{Refinement, spare};
use crate::algorithms::local::Problem;
use crate::algorithms::local::clusters::{Clusters, Part};
use crate::algorithms::local::demands::{Counts, View, decrease, increase};
use crate::algorithms::refinement::{self, Effort};
use crate::failure::{Failure, FailureKind};
use crate::hierarchy::{Hierarchy, NodeId};
use crate::metrics::utility;
use crate::progress::{Progress, Report};
use crate::release::SUPPRESSED;
use crate::sorting::Sorting;

/// Rounds of giving rows to new classes, where there is time.
const ROUNDS: u32 = 8;

/// Classes, and what each row shows in the sensitive column.
type Start = (Closed, Vec<NodeId>);

pub async fn refine(
    problem: &Problem<'_>,
    shown: &Shown<'_>,
    steps: &Steps,
    how: Refinement,
    regions: &mut Regions<'_>,
    closed: &mut Closed,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    let retained = |closed: &Closed, nodes: &[NodeId]| retained(problem, shown, closed, nodes);
    let mut other: Option<Start> = None;
    let refined = async {
        let whole = whole::whole(problem, shown, regions, closed, progress).await?;
        let whole = whole.map(|whole| (whole, regions.at_start().to_vec()));
        let better = |(other, nodes): &Start| retained(other, nodes) > retained(closed, &regions.nodes);
        match (whole.filter(better), how) {
            (Some(whole), Refinement::Quick) => (*closed, regions.nodes) = whole,
            (whole, _) => other = whole,
        }
        raise(shown, steps, how, regions, closed, progress).await?;
        if let Some(other) = &mut other {
            exchange_starts(other, closed, regions);
            raise(shown, steps, how, regions, closed, progress).await?;
        }
        Ok::<(), Failure>(())
    };
    let refined = match refined.await {
        Err(failure) if failure.kind == FailureKind::Cancelled => {
            progress.finish();
            Ok(())
        }
        refined => refined,
    };
    if let Some(mut other) = other
        && retained(&other.0, &other.1) >= retained(closed, &regions.nodes)
    {
        exchange_starts(&mut other, closed, regions);
    }
    refined
}

fn exchange_starts(other: &mut Start, closed: &mut Closed, regions: &mut Regions<'_>) {
    std::mem::swap(&mut other.0, closed);
    std::mem::swap(&mut other.1, &mut regions.nodes);
}

/// Raises um from one start.
async fn raise(
    shown: &Shown<'_>,
    steps: &Steps,
    how: Refinement,
    regions: &mut Regions<'_>,
    closed: &mut Closed,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    lower(shown, steps, regions, closed, progress).await?;
    exchange(shown, how, regions, closed, progress).await?;
    lower(shown, steps, regions, closed, progress).await
}

/// What all cells retain, the sum that um is a part of.
fn retained(problem: &Problem<'_>, shown: &Shown<'_>, closed: &Closed, nodes: &[NodeId]) -> f64 {
    let of_class = |class: usize| -> f64 {
        let cells = problem.quasi.iter().zip(&closed.quasi);
        cells.map(|(quasi, nodes)| utility::of_cell(&quasi.tree, nodes[class])).sum()
    };
    let of_class: Vec<f64> = (0..closed.region_of_class.len()).map(of_class).collect();
    let rows = closed.class_of_row.iter().zip(nodes).filter(|&(&class, _)| class != SUPPRESSED);
    rows.map(|(&class, &node)| of_class[class as usize] + utility::of_cell(&shown.sensitive.tree, node)).sum()
}

/// Lets classes of a region exchange rows, or give them to new ones.
async fn exchange(
    shown: &Shown<'_>,
    how: Refinement,
    regions: &Regions<'_>,
    closed: &mut Closed,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    let (space, demands) = shown.look(&regions.nodes);
    let rows = regions::rows_by_item(&space);
    let mut parts_of_class = closed.parts(&space, &rows);
    let mut refined = Closed::new(closed.class_of_row.len(), closed.quasi.len());
    let mut next_of_item = regions::starts(&space);
    let mut stopped = Ok(());
    for region in 0..regions.len() {
        let mut clusters = Clusters::new(&space, &demands);
        let of_region = (0..parts_of_class.len()).filter(|&class| closed.region_of_class[class] == region);
        for class in of_region {
            clusters.open(&std::mem::take(&mut parts_of_class[class]));
        }
        if stopped.is_ok() && !clusters.is_empty() {
            stopped = exchange_of(&mut clusters, how, progress).await;
        }
        for cluster in clusters.used() {
            let bounds = clusters.lows(cluster).iter().zip(clusters.highs(cluster)).enumerate();
            let nodes: Vec<NodeId> = bounds.map(|(axis, (&low, &high))| space.node(axis, low, high)).collect();
            let mut take = |&(item, count): &Part| {
                let start = next_of_item[item as usize] as usize;
                next_of_item[item as usize] += count;
                &rows[start..start + count as usize]
            };
            let members: Vec<&[u32]> = clusters.members(cluster).iter().map(&mut take).collect();
            refined.close(region, &nodes, members.into_iter().flatten());
        }
    }
    *closed = refined;
    stopped
}

async fn exchange_of(clusters: &mut Clusters<'_>, how: Refinement, progress: &Progress<'_>) -> Result<(), Failure> {
    if how == Refinement::Quick {
        spare::regroup(clusters, 1, progress).await?;
        let all = clusters.used().collect();
        refinement::unite_same_boxes(clusters, all);
        return Ok(());
    }
    let effort = Effort::default();
    refinement::refine(clusters, |_, _| true, effort, progress).await?;
    let since = clusters.changes() + 1;
    if spare::regroup(clusters, ROUNDS, progress).await? {
        refinement::refine_since(clusters, |_, _| true, effort, since, progress).await?;
    }
    Ok(())
}

/// A kind of generalized cells in one class: what they show and what they are.
type Kind = (NodeId, NodeId);

/// Shows sensitive cells finer, those first that gain most, as far as their class still holds.
async fn lower(
    shown: &Shown<'_>,
    steps: &Steps,
    regions: &mut Regions<'_>,
    closed: &Closed,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    if (0..).zip(&regions.nodes).all(|(row, &node)| shown.original(row) == node) {
        return Ok(());
    }
    let (_, demands) = shown.look(&regions.nodes);
    // What is looked at jointly falls into blocks by these cells: it is left as it is.
    let Some(view) = demands.view_of(shown.sensitive.column) else { return Ok(()) };
    let tree = &shown.sensitive.tree;
    let rows_of_class = closed.rows();
    for rows in rows_of_class {
        progress.checkpoint(report).await?;
        let leaf = |row: u32| shown.original(row);
        let mut generalized: Vec<(Kind, u32)> = rows
            .iter()
            .map(|&row| ((regions.nodes[row as usize], leaf(row)), row))
            .filter(|((node, leaf), _)| node != leaf)
            .collect();
        if generalized.is_empty() {
            continue;
        }
        generalized.order();
        let mut counts = Counts::new();
        for &row in &rows {
            increase(&mut counts, shown.code(row, regions.nodes[row as usize]), 1);
        }
        let mut kinds: Vec<&[(Kind, u32)]> = generalized.chunk_by(|one, other| one.0 == other.0).collect();
        kinds.order_by(|one, other| gain(tree, other[0].0).total_cmp(&gain(tree, one[0].0)));
        for kind in kinds {
            let (node, leaf) = kind[0].0;
            let mut left = kind;
            for target in steps.way(leaf).take_while(|&target| target != node) {
                let codes = (shown.code(kind[0].1, node), shown.code(kind[0].1, target));
                let lowered = most_lowered(view, rows.len() as u32, &mut counts, codes, left.len() as u32);
                let (now, later) = left.split_at(lowered as usize);
                now.iter().for_each(|&(_, row)| regions.nodes[row as usize] = target);
                left = later;
            }
        }
    }
    Ok(())
}

/// What a cell gains when it is shown as it was.
fn gain(tree: &Hierarchy, (node, leaf): Kind) -> f64 {
    utility::of_cell(tree, leaf) - utility::of_cell(tree, node)
}

/// How many of `most` rows may show one code instead of another; `counts` is changed for them.
fn most_lowered(view: &View<'_>, size: u32, counts: &mut Counts, (from, to): (u32, u32), most: u32) -> u32 {
    if most == 0 {
        return 0;
    }
    let holds = |lowered: u32| {
        let mut counts = counts.clone();
        decrease(&mut counts, from, lowered);
        increase(&mut counts, to, lowered);
        view.holds(size, &counts)
    };
    let (mut lowered, mut fails) = if holds(most) { (most, most + 1) } else { (0, most) };
    while fails - lowered > 1 {
        let middle = lowered + (fails - lowered) / 2;
        if holds(middle) { lowered = middle } else { fails = middle }
    }
    if lowered > 0 {
        decrease(counts, from, lowered);
        increase(counts, to, lowered);
    }
    lowered
}

fn report() -> Report {
    Report { phase: "Showing sensitive values finer".into(), fraction: None, detail: String::new() }
}
