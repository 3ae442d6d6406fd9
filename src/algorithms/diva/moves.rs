//! Moves single rows between classes, so that just those counts change that must.
//!
//! All that matters of a row is its *cell*: where it stands on the axes that constraints name; and of a class its *face*:
//! what it shows there. Moving rows of one cell from one face to another changes the counts in a known way, so short
//! chains of such moves are sought that bring the constraints nearer together, even where each alone would only trade
//! one miss for another; only then are the rows and classes chosen.
//! Guarantee: constraints are missed by ever fewer rows, and all classes hold. Complexity: O(members) to look at the
//! classes, then at most [`LOOKED_AT`] moves a chain.
//! What counts of a move is what it changes, so of those that change the same only one is looked at.

mod chains;
mod rows;

use std::collections::BTreeMap;

use super::ground::Ground;
use crate::algorithms::local::clusters::{ClusterId, Clusters};
use crate::algorithms::local::space::Item;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use chains::Chains;

/// Moves in a chain at most.
const LONGEST: usize = 5;

/// Moves that are looked at for one chain at most.
const LOOKED_AT: u32 = 60_000;

/// Pairs of a cell and a face at most: where constraints name many columns, there are as many as rows and classes.
const PAIRS: usize = 300_000;

/// How often classes are made one to have rows to spare.
const ROOMS: u32 = 6;

/// Moves rows as long as that helps.
pub async fn move_rows(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    // Steps that looked good and could not be done.
    let mut failed: Vec<Step> = Vec::new();
    let mut rooms = ROOMS;
    let cells = Cells::new(ground);
    while clusters.targets_missed() > 0 {
        let missed = clusters.targets_missed();
        progress.checkpoint(|| report(missed)).await?;
        let Some(sight) = Sight::new(ground, &cells, clusters) else { break };
        let Some((chain, rows)) = sight.chain(clusters, &failed) else {
            if rooms == 0 || !sight.make_room(clusters) {
                break;
            }
            rooms -= 1;
            failed.clear();
            continue;
        };
        let mut halves = std::iter::successors(Some(rows), |&rows| (rows > 1).then_some(rows / 2));
        let mut in_the_way = Vec::new();
        match halves.any(|rows| sight.follow(clusters, &chain, rows, &mut in_the_way)) {
            true => failed.clear(),
            false => failed.extend(in_the_way),
        }
    }
    Ok(())
}

fn report(missed: u64) -> Report {
    let detail = format!("{missed} rows too many or too few");
    Report { phase: "Moving rows between classes".into(), fraction: None, detail }
}

/// Rows of a cell that go from classes of one face to classes of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    cell: usize,
    from: usize,
    to: usize,
}

/// What moving one row changes in the counts that it changes.
type Changes = Vec<(usize, i64)>;

/// Rows that clusters can spare, by their cell and face.
type Spare = BTreeMap<(usize, usize), Vec<(ClusterId, Item, u32)>>;

/// The classes, as far as constraints can tell them apart.
struct Sight<'s, 'a> {
    ground: &'s Ground<'a>,
    cells: &'s Cells,
    faces: Vec<Face>,
    /// For each cell and face with rows to spare: the clusters, the items and how many rows.
    spare: Spare,
    /// The faces that each cell may be shown by.
    fitting: Vec<Vec<usize>>,
}

/// Rows of a region that stand at the same place on all axes that constraints name, and whose own cells show the same of
/// what each constraint asks of other columns.
struct Cell {
    region: u32,
    places: Vec<u32>,
    own: Vec<bool>,
}

/// The cells of all rows, which no move changes.
struct Cells {
    all: Vec<Cell>,
    of_item: Vec<usize>,
}

impl Cells {
    fn new(ground: &Ground<'_>) -> Self {
        let mut numbers: BTreeMap<(u32, Vec<u32>, Vec<bool>), usize> = BTreeMap::new();
        let mut cells = Cells { all: Vec::new(), of_item: Vec::with_capacity(ground.space.items()) };
        for item in 0..ground.space.items() as Item {
            let region = ground.region_of_item[item as usize];
            let places: Vec<u32> = ground.axes.iter().map(|&axis| ground.space.places(item)[axis]).collect();
            let own: Vec<bool> =
                (0..ground.targets.len()).map(|one| ground.targets.own_cells_show(one, item)).collect();
            let cell = *numbers.entry((region, places, own)).or_insert_with_key(|(region, places, own)| {
                cells.all.push(Cell { region: *region, places: places.clone(), own: own.clone() });
                cells.all.len() - 1
            });
            cells.of_item.push(cell);
        }
        cells
    }
}

struct Face {
    shows: Vec<bool>,
    clusters: Vec<ClusterId>,
}

impl<'s, 'a> Sight<'s, 'a> {
    /// `None` if there is too much to look at.
    fn new(ground: &'s Ground<'a>, cells: &'s Cells, clusters: &Clusters<'_>) -> Option<Self> {
        let axes = &ground.axes;
        let mut face_numbers: BTreeMap<(u32, Vec<NodeId>), usize> = BTreeMap::new();
        let mut faces: Vec<Face> = Vec::new();
        let mut spare = Spare::new();
        for cluster in clusters.used() {
            let region = ground.region_of_cluster(clusters, cluster);
            let node =
                |axis: usize| ground.space.node(axis, clusters.lows(cluster)[axis], clusters.highs(cluster)[axis]);
            let nodes: Vec<NodeId> = axes.iter().map(|&axis| node(axis)).collect();
            let face = *face_numbers.entry((region, nodes)).or_insert_with(|| {
                let shows = (0..ground.targets.len()).map(|one| ground.targets.shown_by(one, node)).collect();
                faces.push(Face { shows, clusters: Vec::new() });
                faces.len() - 1
            });
            faces[face].clusters.push(cluster);
            let left = clusters.size(cluster).saturating_sub(clusters.demands.least_size);
            for &(item, count) in clusters.members(cluster).iter().filter(|_| left > 0) {
                let cell = cells.of_item[item as usize];
                spare.entry((cell, face)).or_default().push((cluster, item, count.min(left)));
            }
        }
        if cells.all.len().saturating_mul(faces.len()) > PAIRS {
            return None;
        }
        let mut fitting = vec![Vec::new(); cells.all.len()];
        for (cell, fitting) in cells.all.iter().zip(&mut fitting) {
            for ((region, nodes), &face) in &face_numbers {
                let covers = |((&axis, &place), &node): ((&usize, &u32), &NodeId)| {
                    let leaf = ground.space.node(axis, place, place);
                    ground.problem.quasi[axis].tree.covers(node, leaf)
                };
                if cell.region == *region && axes.iter().zip(&cell.places).zip(nodes).all(covers) {
                    fitting.push(face);
                }
            }
        }
        Some(Sight { ground, cells, faces, spare, fitting })
    }

    /// The shortest chain found that helps, and how many rows each of its steps may move.
    fn chain(&self, clusters: &Clusters<'_>, failed: &[Step]) -> Option<(Vec<Step>, u32)> {
        let counts: Vec<i64> = clusters.shown().iter().map(|&count| count as i64).collect();
        let steps = self.steps(failed);
        let mut changing = vec![[Vec::new(), Vec::new()]; counts.len()];
        for (number, (_, changes)) in steps.iter().enumerate() {
            for &(constraint, change) in changes {
                changing[constraint][usize::from(change > 0)].push(number);
            }
        }
        for longest in 1..=LONGEST {
            for constraint in (0..counts.len()).filter(|&one| self.miss(one, counts[one]) > 0) {
                let mut search = Chains {
                    sight: self,
                    steps: &steps,
                    changing: &changing,
                    change: 0,
                    looked_at: LOOKED_AT,
                    chain: Vec::new(),
                    counts: counts.clone(),
                };
                if search.extend(constraint, longest) {
                    let chain: Vec<Step> = search.chain.iter().map(|&number| steps[number].0).collect();
                    let rows = self.rows(&chain, &counts);
                    return Some((chain, rows));
                }
            }
        }
        None
    }

    /// Of all steps that change the counts in the same way, the one with most rows to spare; and what it changes. Those
    /// that change little come first.
    fn steps(&self, failed: &[Step]) -> Vec<(Step, Changes)> {
        let mut best: BTreeMap<Changes, (u64, Step)> = BTreeMap::new();
        for (&(cell, from), rows) in &self.spare {
            let spare: u64 = rows.iter().map(|&(_, _, count)| u64::from(count)).sum();
            for &to in self.fitting[cell].iter().filter(|&&to| to != from) {
                let step = Step { cell, from, to };
                if failed.contains(&step) {
                    continue;
                }
                let changes = (0..self.ground.targets.len()).map(|one| (one, self.change(step, one)));
                let kept = best.entry(changes.filter(|&(_, change)| change != 0).collect()).or_insert((spare, step));
                if spare > kept.0 {
                    *kept = (spare, step);
                }
            }
        }
        let mut steps: Vec<(Step, Changes)> = best.into_iter().map(|(changes, (_, step))| (step, changes)).collect();
        steps.order_by_key(|(_, changes)| changes.len());
        steps
    }

    fn miss(&self, constraint: usize, count: i64) -> i64 {
        self.ground.targets.bounds[constraint].missed_by(count.max(0) as u64) as i64
    }

    /// What moving one row changes in a constraint's count.
    fn change(&self, step: Step, constraint: usize) -> i64 {
        let (before, after) = (self.faces[step.from].shows[constraint], self.faces[step.to].shows[constraint]);
        if self.cells.all[step.cell].own[constraint] { i64::from(after) - i64::from(before) } else { 0 }
    }

    /// How many rows can be moved along a chain, each helping as much as the first.
    fn rows(&self, chain: &[Step], counts: &[i64]) -> u32 {
        let available = |step: &Step| {
            let rows = self.spare.get(&(step.cell, step.from)).into_iter().flatten();
            rows.map(|&(_, _, count)| i64::from(count)).sum::<i64>() / chain.len() as i64
        };
        let mut most = chain.iter().map(available).min().unwrap_or(0);
        for (constraint, &count) in counts.iter().enumerate() {
            let change: i64 = chain.iter().map(|&step| self.change(step, constraint)).sum();
            let bounds = self.ground.targets.bounds[constraint];
            let (least, limit) = (bounds.least.min(i64::MAX as u64) as i64, bounds.most.min(i64::MAX as u64) as i64);
            // Up to the next bound in that direction.
            let room = match change {
                0 => continue,
                1.. if count < least => least - count,
                1.. => limit - count,
                _ if count > limit => count - limit,
                _ => count - least,
            };
            if room > 0 {
                most = most.min(room / change.abs());
            }
        }
        most.clamp(1, i64::from(u32::MAX)) as u32
    }
}
