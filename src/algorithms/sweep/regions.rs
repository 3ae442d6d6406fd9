//! Rows of the same limits, which may share classes with each other only: the first generalization of their sensitive
//! values, and which of them can be kept.

use super::classes::Piece;
use super::feasible::{Nearest, Ways, breaks, most_even, nearest};
use super::generalize::{choose, generalize};
use super::masses::Masses;
use super::shown::Shown;
use super::trace::{Event, Trace};
use crate::algorithms::greedy_cka;
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::demands::Demands;
use crate::algorithms::local::space::Space;
use crate::algorithms::local::{Mode, Outcome, Problem};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::{NodeId, ROOT};
use crate::metrics::Asked;
use crate::policy::{Quasi, Sensitive};
use crate::privacy::{Requirement, TauL, check};
use crate::progress::Progress;
use crate::sorting::Sorting;
use crate::words::{counted, figure_at_least, figure_of_tau};

pub struct Regions<'a> {
    problem: &'a Problem<'a>,
    /// The rows of each region, in the order of their quasi-identifiers.
    rows: Vec<Vec<u32>>,
    /// What each row shows in the sensitive column.
    pub nodes: Vec<NodeId>,
    /// What it showed when the sweep began.
    at_start: Vec<NodeId>,
}

/// Regions that do not meet (τ,ℓ) however their sensitive values are generalized, as far as was found.
#[derive(Default)]
pub struct Short {
    pub regions: Vec<usize>,
    /// Whether one surely can't.
    pub proved: bool,
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

    /// A region's rows of each node of the sensitive column, as they came.
    fn counts(&self, region: usize, asked: &Asked) -> Vec<u64> {
        let Sensitive { column, tree, leaf_of_code, .. } = &self.problem.sensitive[asked.attribute];
        let codes = &self.problem.table.columns[*column].codes;
        let mut counts = vec![0u64; tree.len()];
        for &row in &self.rows[region] {
            counts[leaf_of_code[codes[row as usize] as usize] as usize] += 1;
        }
        counts
    }

    /// Generalizes sensitive values until each region meets (τ,ℓ), and the column's other ones, as one class. Where one does not and nothing may be
    /// suppressed, there is nothing to sweep.
    pub async fn generalize(
        &mut self,
        ways: &Ways<'_>,
        asked: &Asked,
        trace: &mut Trace,
        progress: &Progress<'_>,
    ) -> Result<Short, Failure> {
        let &Ways { sensitive, weights, shares, steps } = ways;
        let tree = &sensitive.tree;
        let may_suppress = self.problem.suppressible > 0;
        let straight = steps.straight();
        let mut masses = Masses::new(shares);
        let mut holds = |masses: &mut Masses<'_>| masses.holds();
        let mut short = Short::default();
        for region in 0..self.rows.len() {
            let before = self.counts(region, asked);
            let breaks = breaks(asked.tau, asked.l, &most_even(sensitive, weights, steps, &before));
            short.proved |= breaks;
            if breaks && !may_suppress {
                short.regions.push(region);
                continue;
            }
            // By way of every group, as the paper does; limits or unequal weights may make that miss what is met with the
            // same rows generalized at once.
            let (mut counts, mut used) = (before.clone(), steps);
            let mut generalized = generalize(tree, steps, &mut counts, &mut masses, &mut holds, progress).await?;
            if !generalized.holds && !breaks {
                counts.clone_from(&before);
                let again = generalize(tree, &straight, &mut counts, &mut masses, &mut holds, progress).await?;
                if again.holds {
                    (used, generalized) = (&straight, again);
                }
            }
            if !generalized.holds {
                short.regions.push(region);
                if !may_suppress {
                    continue;
                }
            }
            let shown: Vec<(u32, NodeId)> =
                self.rows[region].iter().map(|&row| (row, self.nodes[row as usize])).collect();
            for (row, node) in choose(used, &generalized.sequence, &shown) {
                self.nodes[row as usize] = node;
            }
            note(trace, None, &shown, &self.nodes);
        }
        self.at_start.clone_from(&self.nodes);
        Ok(short)
    }

    /// What all regions that fall short can meet.
    pub async fn nearest(
        &self,
        short: &Short,
        asked: &Asked,
        ways: &Ways<'_>,
        progress: &Progress<'_>,
    ) -> Result<Nearest, Failure> {
        let mut all = Nearest { tau: asked.tau, l: Some(asked.l), proved: true };
        for &region in &short.regions {
            all = all.and(nearest(ways, asked.tau, asked.l, &self.counts(region, asked), progress).await?);
        }
        Ok(all)
    }

    /// Why there is nothing to sweep.
    pub fn refusal(&self, asked: &Asked, nearest: Nearest, proved: bool) -> Outcome {
        let name = &self.problem.table.columns[self.problem.sensitive[asked.attribute].column].name;
        let (tau, l) = (figure_of_tau(asked.tau), asked.l);
        let whom = if self.rows.len() > 1 { "rows with the same limits" } else { "all rows together" };
        if !nearest.is_less(asked) {
            return Outcome::NotFound(format!(
                "No way was found to generalize the values of “{name}” so that {whom} meet every τ with its ℓ that is asked \
                 of them at once."
            ));
        }
        let least = figure_at_least(nearest.tau);
        let instead = match (nearest.proved, nearest.l) {
            (true, Some(most)) => {
                format!("With ℓ = {l}, τ must be at least {least}; with τ = {tau}, ℓ can be at most {most}.")
            }
            (true, None) => format!("With ℓ = {l}, τ must be at least {least}; with τ = {tau}, no ℓ can be met."),
            (false, Some(most)) => {
                format!("Found were τ = {least} with ℓ = {l}, and ℓ = {most} with τ = {tau}; nearer ones may exist.")
            }
            (false, None) => format!("Found was τ = {least} with ℓ = {l}; nearer ones may exist."),
        };
        if proved {
            Outcome::Impossible(format!(
                "Even with the values of “{name}” generalized as far as they may be, {whom} do not meet τ = {tau} with \
                 ℓ = {l}. {instead}"
            ))
        } else {
            Outcome::NotFound(format!(
                "No way was found to generalize the values of “{name}” so that {whom} meet τ = {tau} with ℓ = {l}. \
                 {instead}"
            ))
        }
    }

    /// Whether all rows of the same limits meet everything but the (τ,ℓ) that is asked, as they are.
    pub fn others_hold(&self, asked: &Asked) -> bool {
        let Problem { table, sensitive, requirements, .. } = self.problem;
        let mut of_row = vec![0; table.rows];
        for (region, rows) in (0..).zip(&self.rows) {
            rows.iter().for_each(|&row| of_row[row as usize] = region);
        }
        let classes = Classes { of_row, sizes: self.rows.iter().map(|rows| rows.len() as u32).collect() };
        let places = || sensitive.iter().map(|sensitive| sensitive.column);
        let codes: Vec<_> = places().map(|place| (place, table.columns[place].class_codes())).collect();
        let keys: Vec<(usize, Keys<'_>)> = codes
            .iter()
            .map(|(place, codes)| (*place, Keys { codes, size: table.columns[*place].dictionary.len() as u32 }))
            .collect();
        let is_asked = |requirement: &&Requirement| {
            let same = |model: &TauL| (model.tau, model.l) == (asked.tau, asked.l);
            requirement.attribute == Some(sensitive[asked.attribute].column)
                && requirement.model.as_tau_l().is_some_and(same)
        };
        requirements.iter().filter(|other| !is_asked(other)).all(|other| check(other, &classes, &keys).holds)
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
                "No way was found for {whom} to meet the requirements even as one class. A rest that does was found only \
                 without {rows}, and {allowed}."
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
