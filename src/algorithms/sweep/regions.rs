//! Rows of the same limits, which may share classes with each other only: the first generalization of their sensitive
//! values, and which of them can be kept.

use super::classes::Piece;
use super::feasible::{Nearest, breaks, most_even, nearest};
use super::generalize::{Steps, choose, generalize};
use super::masses::{Masses, Shares};
use super::shown::Shown;
use super::trace::{Event, Trace};
use crate::algorithms::greedy_cka;
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::demands::Demands;
use crate::algorithms::local::space::Space;
use crate::algorithms::local::{Mode, Outcome, Problem};
use crate::failure::Failure;
use crate::hierarchy::{NodeId, ROOT};
use crate::metrics::Asked;
use crate::privacy::{Induced, TauL};
use crate::progress::Progress;
use crate::release::Quasi;
use crate::sorting::Sorting;
use crate::words::{counted, figure, figure_at_least};

pub struct Regions<'a> {
    problem: &'a Problem<'a>,
    /// The rows of each region, in the order of their quasi-identifiers.
    rows: Vec<Vec<u32>>,
    /// What each row shows in the sensitive column.
    pub nodes: Vec<NodeId>,
    /// What it showed when the sweep began.
    at_start: Vec<NodeId>,
}

/// The most general node that a row may show.
pub fn most_general(problem: &Problem<'_>, quasi: &Quasi, row: u32) -> NodeId {
    let code = problem.table.columns[quasi.column].codes[row as usize] as usize;
    match quasi.limit_of_code[code] {
        limit if limit != ROOT && problem.mode == Mode::Suppression => quasi.leaf_of_code[code],
        limit => limit,
    }
}

/// All rows, item by item.
pub fn rows_by_item(space: &Space<'_>) -> Vec<u32> {
    let mut at: Vec<u32> = starts(space);
    let mut rows = vec![0; space.item_of_row.len()];
    for (row, &item) in (0..).zip(&space.item_of_row) {
        rows[at[item as usize] as usize] = row;
        at[item as usize] += 1;
    }
    rows
}

/// Where the rows of each item start.
pub fn starts(space: &Space<'_>) -> Vec<u32> {
    let mut sum = 0;
    let start = |&count: &u32| {
        sum += count;
        sum - count
    };
    space.counts.iter().map(start).collect()
}

impl<'a> Regions<'a> {
    pub fn new(problem: &'a Problem<'a>, shown: &Shown<'_>) -> Self {
        let codes = &problem.table.columns[shown.sensitive.column].codes;
        let nodes: Vec<NodeId> = codes.iter().map(|&code| shown.sensitive.leaf_of_code[code as usize]).collect();
        let (space, _) = shown.look(&nodes);
        let (by_item, starts) = (rows_by_item(&space), starts(&space));
        let rows = |mut region: Vec<Part>| -> Vec<u32> {
            region.order_by(|one, other| space.places(one.0).cmp(space.places(other.0)).then(one.0.cmp(&other.0)));
            let rows = |&(item, count): &Part| &by_item[starts[item as usize] as usize..][..count as usize];
            region.iter().flat_map(rows).copied().collect()
        };
        let regions = greedy_cka::regions(problem, &space).into_iter().map(rows).collect();
        Regions { problem, rows: regions, at_start: nodes.clone(), nodes }
    }

    /// Generalizes sensitive values until each region meets (τ,ℓ) as one class. Where one does not and nothing may be
    /// suppressed, says what is nearest.
    pub async fn generalize(
        &mut self,
        steps: &Steps,
        shares: &Shares,
        asked: &Asked,
        weights: &[f64],
        trace: &mut Trace,
        progress: &Progress<'_>,
    ) -> Result<Option<(Outcome, Nearest)>, Failure> {
        let tree = &self.problem.sensitive[asked.attribute].tree;
        let model = TauL { tau: asked.tau, l: asked.l, induced: Induced::of_nodes(tree, weights) };
        let mut masses = Masses::new(shares);
        let mut refused: Option<Nearest> = None;
        let mut proved = false;
        for rows in &self.rows {
            let shown: Vec<(u32, NodeId)> = rows.iter().map(|&row| (row, self.nodes[row as usize])).collect();
            let mut counts = vec![0u64; tree.len()];
            shown.iter().for_each(|&(_, node)| counts[node as usize] += 1);
            let before = counts.clone();
            let generalized = generalize(tree, steps, &mut counts, &mut masses, progress).await?;
            if !generalized.holds && self.problem.suppressible == 0 {
                let mut topmost = vec![0; tree.len()];
                (0..).zip(&before).for_each(|(node, &count)| topmost[steps.top(node) as usize] += count);
                proved |= breaks(&model, &most_even(tree, weights, steps, &before));
                let here = nearest(&model, &[before, counts, topmost]);
                // What all regions can do.
                refused = Some(refused.map_or(here, |other| other.stricter(here)));
                continue;
            }
            for (row, node) in choose(steps, &generalized.sequence, &shown) {
                self.nodes[row as usize] = node;
            }
            note(trace, None, &shown, &self.nodes);
        }
        self.at_start.clone_from(&self.nodes);
        Ok(refused.map(|nearest| (self.refusal(asked, nearest, proved), nearest)))
    }

    fn refusal(&self, asked: &Asked, nearest: Nearest, proved: bool) -> Outcome {
        let name = &self.problem.table.columns[self.problem.sensitive[asked.attribute].column].name;
        let (tau, l) = (figure(asked.tau), asked.l);
        let whom = if self.rows.len() > 1 { "rows with the same limits" } else { "all rows together" };
        let instead = match nearest.l {
            Some(l) => format!("with τ = {tau}, ℓ can be at most {l}"),
            None => format!("with τ = {tau}, no ℓ can be met"),
        };
        let why = format!(
            "Even with the values of “{name}” generalized as far as they may be, {whom} do not meet τ = {tau} with \
             ℓ = {l}. With ℓ = {l}, τ must be at least {}; {instead}.",
            figure_at_least(nearest.tau)
        );
        if proved { Outcome::Impossible(why) } else { Outcome::NotFound(why) }
    }

    /// Rows of each region that meet all requirements together: all, or as many as are found. An answer when more would
    /// have to go than may.
    pub async fn keep(
        &self,
        space: &Space<'_>,
        demands: &Demands<'_>,
        progress: &Progress<'_>,
    ) -> Result<Result<Vec<Vec<Piece>>, Outcome>, Failure> {
        let starts = starts(space);
        let mut kept = Vec::new();
        let (mut suppressed, mut proved) = (0u64, 0u64);
        for region in greedy_cka::regions(self.problem, space) {
            let rows = |parts: &[Part]| parts.iter().map(|&(_, count)| u64::from(count)).sum::<u64>();
            let before = rows(&region);
            if before < u64::from(demands.least_size) {
                proved += before;
            }
            let parts = greedy_cka::keepable(demands, region, progress).await?;
            suppressed += before - rows(&parts);
            let piece = |&(item, count): &Part| Piece { item, start: starts[item as usize], count };
            let mut pieces: Vec<Piece> = parts.iter().map(piece).collect();
            pieces.order_by_key(|piece| piece.item);
            kept.push(pieces);
        }
        if suppressed <= self.problem.suppressible {
            return Ok(Ok(kept));
        }
        let allowed = match self.problem.suppressible {
            0 => "none may be suppressed".to_owned(),
            rows => format!("at most {} may be suppressed", counted(rows, "row")),
        };
        let whom = if kept.len() > 1 { "rows with the same limits" } else { "all rows together" };
        Ok(Err(if proved > self.problem.suppressible {
            let rows = counted(proved, "row");
            Outcome::Impossible(format!("Even as one class, {whom} are too few: {rows} must go, and {allowed}."))
        } else {
            let rows = counted(suppressed, "row");
            Outcome::NotFound(format!(
                "Even as one class, {whom} do not meet the requirements. A rest that does was found only without {rows}, \
                 and {allowed}."
            ))
        }))
    }

    /// Number of regions.
    pub fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The most general nodes that a row may show.
    pub fn most_general(&self, row: u32) -> Vec<NodeId> {
        self.problem.quasi.iter().map(|quasi| most_general(self.problem, quasi, row)).collect()
    }

    /// All rows of a region.
    pub fn rows(&self, region: u32) -> &[u32] {
        &self.rows[region as usize]
    }

    /// What each row showed in the sensitive column when the sweep began.
    pub fn at_start(&self) -> &[NodeId] {
        &self.at_start
    }

    /// Takes back what a region's rows show to what they showed when the sweep began.
    pub fn take_back(&mut self, region: u32) {
        for &row in &self.rows[region as usize] {
            self.nodes[row as usize] = self.at_start[row as usize];
        }
    }
}

/// Notes which rows show something else than before, step by step of one kind.
pub fn note(trace: &mut Trace, class: Option<&[NodeId]>, before: &[(u32, NodeId)], nodes: &[NodeId]) {
    if !trace.is_open() {
        return;
    }
    let changed = |&&(row, from): &&(u32, NodeId)| from != nodes[row as usize];
    let mut kinds: Vec<(NodeId, NodeId)> =
        before.iter().filter(changed).map(|&(row, from)| (from, nodes[row as usize])).collect();
    kinds.order();
    kinds.dedup();
    for (from, to) in kinds {
        let rows = before.iter().filter(|&&(row, shown)| shown == from && nodes[row as usize] == to);
        trace.note(class, Event::Generalized { from, to }, rows.map(|&(row, _)| row));
    }
}
