//! Mondrian (LeFevre, DeWitt and Ramakrishnan), strict, over hierarchies: a partition of the rows is split where that
//! saves most, as long as all pieces hold.
//!
//! On every axis a partition shows the lowest node above its values. It can be split into all children of that node,
//! or into one child and the rest; numbers are cut likewise, along the intervals of their hierarchy, since cells must be
//! nodes. Of all splits whose pieces hold, the one that saves most cost on its own axis is taken.
//! Guarantee: if all rows hold together, every class does, for any class-local models. Complexity: O(n · axes) a level
//! of splits (n distinct tuples), so O(n · axes · log n) when splits are even.

use super::local::clusters::{Clusters, Part};
use super::local::space::{Cost, Space};
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;

/// How many children of one node are tried alone against the rest, the largest first.
const ALONE: usize = 8;

/// Divides rows that hold together into clusters that hold.
pub async fn divide(clusters: &mut Clusters<'_>, rows: Vec<Part>, progress: &Progress<'_>) -> Result<(), Failure> {
    let all = rows.len();
    let mut done = 0;
    let mut partitions = vec![rows];
    while let Some(partition) = partitions.pop() {
        progress.checkpoint(|| report(done, all)).await?;
        match best_split(clusters, &partition) {
            Some(pieces) => partitions.extend(pieces),
            None => {
                done += partition.len();
                clusters.open(&partition);
            }
        }
    }
    Ok(())
}

fn report(done: usize, all: usize) -> Report {
    let fraction = Some(done as f64 / all.max(1) as f64);
    Report { phase: "Splitting classes".into(), fraction, detail: format!("{done} of {all} tuples") }
}

/// The rows of one child of a node.
struct Child {
    first: u32,
    last: u32,
    rows: u64,
    /// What a row of it would save if it were a class of its own.
    saves: Cost,
}

impl Child {
    fn saved(&self) -> Cost {
        self.saves.saturating_mul(self.rows as Cost)
    }
}

/// The pieces of the split that saves most.
fn best_split(clusters: &Clusters<'_>, partition: &[Part]) -> Option<Vec<Vec<Part>>> {
    let (space, demands) = (clusters.space, clusters.demands);
    let least = u64::from(demands.least_size);
    let rows: u64 = partition.iter().map(|&(_, count)| u64::from(count)).sum();
    if rows < 2 * least {
        return None;
    }
    // What each split would save, its axis and the child that stands alone, or none for all children.
    let mut splits: Vec<(Cost, usize, Option<usize>)> = Vec::new();
    let mut children_of: Vec<Vec<Child>> = Vec::with_capacity(space.axes());
    for axis in 0..space.axes() {
        let children = children(space, partition, axis);
        if children.len() > 1 {
            if children.iter().all(|child| child.rows >= least) {
                splits.push((children.iter().map(Child::saved).sum(), axis, None));
            }
            let fits = |child: &Child| child.rows >= least && rows - child.rows >= least;
            let mut alone: Vec<(Cost, usize, Option<usize>)> = (0..children.len())
                .filter(|&place| fits(&children[place]))
                .map(|place| (children[place].saved(), axis, Some(place)))
                .collect();
            alone.order_by_key(|&(saved, _, place)| (-saved, place));
            splits.extend(alone.into_iter().take(ALONE));
        }
        children_of.push(children);
    }
    splits.retain(|&(saved, ..)| saved > 0);
    splits.order_by_key(|&(saved, axis, place)| (-saved, axis, place));
    splits.into_iter().find_map(|(_, axis, alone)| {
        let pieces = pieces(space, partition, axis, &children_of[axis], alone);
        let hold = pieces.iter().all(|piece| demands.hold_for(piece));
        hold.then_some(pieces)
    })
}

/// The children, with rows, of the node that the partition shows on an axis.
fn children(space: &Space<'_>, partition: &[Part], axis: usize) -> Vec<Child> {
    let place = |part: &Part| space.places(part.0)[axis];
    let (low, high) =
        partition.iter().fold((u32::MAX, 0), |(low, high), part| (low.min(place(part)), high.max(place(part))));
    if low >= high {
        return Vec::new();
    }
    let mut rows_at: Vec<u64> = vec![0; (high - low + 1) as usize];
    for part in partition {
        rows_at[(place(part) - low) as usize] += u64::from(part.1);
    }
    let whole = space.cell_cost(axis, low, high);
    let node = space.node(axis, low, high);
    let mut children: Vec<Child> = Vec::new();
    let mut branch = None;
    for place in (low..=high).filter(|&place| rows_at[(place - low) as usize] > 0) {
        let rows = rows_at[(place - low) as usize];
        let of = space.branch(axis, node, place);
        match children.last_mut() {
            Some(child) if branch == Some(of) => {
                child.last = place;
                child.rows += rows;
            }
            _ => children.push(Child { first: place, last: place, rows, saves: 0 }),
        }
        branch = Some(of);
    }
    for child in &mut children {
        child.saves = whole - space.cell_cost(axis, child.first, child.last);
    }
    children
}

fn pieces(
    space: &Space<'_>,
    partition: &[Part],
    axis: usize,
    children: &[Child],
    alone: Option<usize>,
) -> Vec<Vec<Part>> {
    let mut pieces = vec![Vec::new(); if alone.is_some() { 2 } else { children.len() }];
    for &part in partition {
        let place = space.places(part.0)[axis];
        let child = children.partition_point(|child| child.last < place);
        pieces[alone.map_or(child, |alone| usize::from(child != alone))].push(part);
    }
    pieces
}
