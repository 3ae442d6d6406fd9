//! The exact answer for small tables: the cheapest release that meets everything, or the proof that there is none.
//!
//! Dynamic programming over what is left of the rows: the first row left is suppressed or is in some class of rows left,
//! raised in some way. For every rest, and every way how many rows show each target so far, the cheapest beginning is
//! kept. Rows that nothing distinguishes are counted, not listed, so what matters is the number of different rests.
//! Guarantee: complete. A class is any set of rows with the same limits that holds, showing on every axis that a
//! constraint names any node that its rows may; on other axes more than the least is never of use. (Models under which
//! two classes that hold may fail together would need classes to differ, too; then a release is not promised, but that
//! there is none is still true.)
//! Complexity: O(pairs of a rest and a class in it, times different counts).

mod rests;
mod tally;

use super::ground::{Class, Ground};
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::space::{Cost, WHOLE};
use crate::algorithms::local::targets::Bounds;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use rests::Rests;
use tally::Tally;

/// Beginnings of a rest from which on it is worth to look for those that others beat.
const CROWDED: usize = 4096;

pub enum Exact {
    /// The classes of the cheapest release; all other rows are suppressed.
    Best(Vec<Class>),
    /// There is none, or none below the limit.
    None,
    /// There are too many ways to look at.
    TooLarge,
}

/// How much may be looked at, and what is already known.
pub struct Search<'b> {
    /// The bounds to keep, one for each constraint.
    pub bounds: &'b [Bounds],
    /// Ways to show a class, and pairs of a beginning and a class, that may still be tried.
    pub work: u64,
    /// A cost to get below.
    pub below: Option<Cost>,
}

/// Finds the cheapest release.
pub async fn best(ground: &Ground<'_>, search: &mut Search<'_>, progress: &Progress<'_>) -> Result<Exact, Failure> {
    let Some(rests) = Rests::new(ground) else { return Ok(Exact::TooLarge) };
    let Some(tally) = Tally::new(ground, search.bounds) else { return Ok(Exact::TooLarge) };
    let Some(options) = options(ground, &rests, &tally, search, progress).await? else { return Ok(Exact::TooLarge) };
    let least = least_costs(ground, &rests, &options);
    let mut beginnings: Vec<Vec<Beginning>> = vec![Vec::new(); rests.len];
    let mut crowded = vec![CROWDED; rests.len];
    let mut kept: Vec<Step> = vec![Step { from: u32::MAX, by: None, taken: 0 }];
    beginnings[rests.len - 1].push(Beginning { key: 0, cost: 0, from: 0, by: None, taken: 0 });
    let (suppressed_cost, largest) = (suppressed_cost(ground), ground.largest_needed());
    for rest in (1..rests.len).rev() {
        let now = cheapest(std::mem::take(&mut beginnings[rest]));
        if now.is_empty() {
            continue;
        }
        progress.checkpoint(|| report(rests.len - rest, rests.len)).await?;
        let first_kept = kept.len() as u32;
        kept.extend(now.iter().map(|beginning| Step {
            from: beginning.from,
            by: beginning.by,
            taken: beginning.taken,
        }));
        let too_dear = |cost: Cost, rest: usize| search.below.is_some_and(|below| cost + least[rest] >= below);
        let first = rests.first_item(rest);
        for taken in rests.within(rest, first, largest) {
            let left = rest - taken;
            search.work = search.work.saturating_sub((now.len() * options[taken].len()) as u64 + 1);
            if search.work == 0 {
                return Ok(Exact::TooLarge);
            }
            for (number, option) in (0..).zip(&options[taken]) {
                for (from, beginning) in (first_kept..).zip(&now) {
                    let cost = beginning.cost + option.cost;
                    if let Some(key) = tally.add(beginning.key, option.key).filter(|_| !too_dear(cost, left)) {
                        let by = Some(number);
                        beginnings[left].push(Beginning { key, cost, from, by, taken: taken as u32 });
                    }
                }
            }
            if beginnings[left].len() > crowded[left] {
                beginnings[left] = cheapest(std::mem::take(&mut beginnings[left]));
                crowded[left] = CROWDED.max(2 * beginnings[left].len());
            }
        }
        let left = rest - rests.steps[first];
        for (from, beginning) in (first_kept..).zip(&now) {
            let cost = beginning.cost + suppressed_cost;
            if let Some(key) = tally.suppress(beginning.key).filter(|_| !too_dear(cost, left)) {
                let taken = rests.steps[first] as u32;
                beginnings[left].push(Beginning { key, cost, from, by: None, taken });
            }
        }
    }
    let ends = beginnings.first_mut().map(std::mem::take).unwrap_or_default().into_iter();
    let best = ends.filter(|end| tally.is_met(end.key)).min_by_key(|end| (end.cost, end.key, end.from));
    let Some(best) = best else { return Ok(Exact::None) };
    let mut classes = Vec::new();
    let mut step = Step { from: best.from, by: best.by, taken: best.taken };
    while step.from != u32::MAX {
        if let Some(number) = step.by {
            let rows = rests.rows(step.taken as usize);
            classes.push(Class { raised: options[step.taken as usize][number as usize].raised.clone(), rows });
        }
        step = kept[step.from as usize];
    }
    Ok(Exact::Best(classes))
}

fn report(done: usize, all: usize) -> Report {
    Report {
        phase: "Trying all ways to divide the rows".into(),
        fraction: Some(done as f64 / all.max(1) as f64),
        detail: String::new(),
    }
}

/// What a suppressed row costs: all its cells, and a trifle, so that of equally cheap releases the fuller one wins.
pub fn suppressed_cost(ground: &Ground<'_>) -> Cost {
    ground.space.axes() as Cost * WHOLE + 1
}

/// Some rows divided: how many show each target, what they cost, and how it came to that.
#[derive(Clone, Copy)]
struct Beginning {
    key: u64,
    cost: Cost,
    /// The step before.
    from: u32,
    /// Which way to show the class, or none for a suppressed row.
    by: Option<u32>,
    taken: u32,
}

#[derive(Clone, Copy)]
struct Step {
    from: u32,
    by: Option<u32>,
    taken: u32,
}

/// Of beginnings with the same counts the cheapest.
fn cheapest(mut beginnings: Vec<Beginning>) -> Vec<Beginning> {
    beginnings.order_by_key(|beginning| (beginning.key, beginning.cost, beginning.from, beginning.taken));
    beginnings.dedup_by_key(|beginning| beginning.key);
    beginnings
}

/// A way to show a class.
struct Shown {
    key: u64,
    cost: Cost,
    raised: Vec<(usize, NodeId)>,
}

/// The ways to show every set of rows that can be a class; `None` if there are too many to look at.
async fn options(
    ground: &Ground<'_>,
    rests: &Rests,
    tally: &Tally,
    search: &mut Search<'_>,
    progress: &Progress<'_>,
) -> Result<Option<Vec<Vec<Shown>>>, Failure> {
    let mut options = Vec::with_capacity(rests.len);
    let (axes, largest) = (ground.targets.axes(), ground.largest_needed());
    for rest in 0..rests.len {
        progress.checkpoint(|| report(0, rests.len)).await?;
        let rows = rests.rows(rest);
        let too_large = super::ground::rows(&rows) > u64::from(largest);
        let region = |&(item, _): &Part| ground.region_of_item[item as usize];
        let apart = rows.windows(2).any(|pair| region(&pair[0]) != region(&pair[1]));
        options.push(if rows.is_empty() || too_large || apart || !ground.demands.hold_for(&rows) {
            Vec::new()
        } else {
            match ways_to_show(ground, tally, &axes, &rows, &mut search.work) {
                Some(ways) => ways,
                None => return Ok(None),
            }
        });
    }
    Ok(Some(options))
}

/// The cheapest way for each combination of counts; `None` if there are too many to look at.
fn ways_to_show(
    ground: &Ground<'_>,
    tally: &Tally,
    axes: &[usize],
    rows: &[Part],
    work: &mut u64,
) -> Option<Vec<Shown>> {
    let space = &ground.space;
    let region = ground.region_of(rows[0].0);
    let size = Cost::from(super::ground::rows(rows) as u32);
    let natural: Vec<NodeId> = (0..space.axes()).map(|axis| ground.natural(rows, axis)).collect();
    let mut bounds = vec![0; 2 * space.axes()];
    crate::algorithms::local::clusters::cover(space, rows.iter().map(|&(item, _)| item), &mut bounds);
    let (lows, highs) = bounds.split_at(space.axes());
    let cell = |axis: usize, node: NodeId| match space.place_of(axis, node) {
        Some(place) if node != natural[axis] => space.cell_cost(axis, place.min(lows[axis]), highs[axis]),
        _ => space.cell_cost(axis, lows[axis], highs[axis]),
    };
    // Of nodes on an axis that show the same targets, the cheapest is as good as all.
    let cheapest_of_each = |&axis: &usize| {
        let mut nodes: Vec<(Vec<usize>, Cost, NodeId)> = Vec::new();
        for node in ground.upwards(region, axis, natural[axis]) {
            let (shows, cost) = (ground.targets.shown_on(axis, node), cell(axis, node));
            match nodes.iter_mut().find(|other| other.0 == shows) {
                Some(other) if other.1 <= cost => {}
                Some(other) => *other = (shows, cost, node),
                None => nodes.push((shows, cost, node)),
            }
        }
        nodes
    };
    let chains: Vec<Vec<(Vec<usize>, Cost, NodeId)>> = axes.iter().map(cheapest_of_each).collect();
    let combinations = chains.iter().fold(1u64, |product, chain| product.saturating_mul(chain.len() as u64));
    *work = work.checked_sub(combinations).filter(|&work| work > 0)?;
    let elsewhere: Cost =
        (0..space.axes()).filter(|axis| !axes.contains(axis)).map(|axis| cell(axis, natural[axis])).sum();
    // Which node of each chain, the first one counting fastest.
    let chosen = |mut number: u64| {
        chains.iter().map(move |chain| {
            let place = number % chain.len() as u64;
            number /= chain.len() as u64;
            &chain[place as usize]
        })
    };
    let raised = |number: u64| -> Vec<(usize, NodeId)> {
        let nodes = axes.iter().zip(chosen(number)).map(|(&axis, (.., node))| (axis, *node));
        nodes.filter(|&(axis, node)| node != natural[axis]).collect()
    };
    let mut ways: Vec<(u64, Cost, u64)> = Vec::new();
    let mut nodes = natural.clone();
    for number in 0..combinations {
        let mut cost = elsewhere;
        for (&axis, (_, own, node)) in axes.iter().zip(chosen(number)) {
            nodes[axis] = *node;
            cost += own;
        }
        if let Some(key) = tally.key_of(ground, |axis| nodes[axis], rows) {
            ways.push((key, size * cost, number));
        }
    }
    ways.order();
    ways.dedup_by_key(|way| way.0);
    Some(ways.into_iter().map(|(key, cost, number)| Shown { key, cost, raised: raised(number) }).collect())
}

/// What the rows of every rest cost at least.
fn least_costs(ground: &Ground<'_>, rests: &Rests, options: &[Vec<Shown>]) -> Vec<Cost> {
    let suppressed = if ground.problem.suppressible > 0 { suppressed_cost(ground) } else { Cost::MAX / 1024 };
    let mut of_item = vec![suppressed; rests.counts.len()];
    for (rest, ways) in options.iter().enumerate() {
        let Some(cheapest) = ways.iter().map(|way| way.cost).min() else { continue };
        let rows = rests.rows(rest);
        let row_cost = cheapest / super::ground::rows(&rows).max(1) as Cost;
        for (item, _) in rows {
            of_item[item as usize] = of_item[item as usize].min(row_cost);
        }
    }
    let of_rest = |rest: usize| {
        let costs =
            rests.rows(rest).into_iter().map(|(item, count)| of_item[item as usize].saturating_mul(count.into()));
        costs.fold(0, Cost::saturating_add)
    };
    (0..rests.len).map(of_rest).collect()
}
