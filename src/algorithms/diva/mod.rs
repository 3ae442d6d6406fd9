//! DIVA (diversity constraints, §4): classes that meet every requirement, and together show as many rows of certain
//! values as diversity constraints ask for.
//!
//! First [counting](counting) says whether that is possible at all. Then [DiverseClustering](colouring) chooses clusters
//! that meet the lower bounds, as a colouring of the [constraint graph](graph) whose colours are candidate clusterings:
//! [all of them](candidates) where there are few, else [the best first](lazy). The other rows are
//! [anonymized](complete), upper bounds [restored](integrate), and everything refined with the constraints kept. Where
//! bounds are too narrow for that, a [plan](plan) says how many rows hide what. On small tables an [exact search](exact)
//! has the last word.
//! Beyond the paper: hierarchies and limits, any class-local models, suppressed rows, targets of columns that are
//! released as they are.
//! Guarantee: a release meets every requirement, limit and constraint; *impossible* is said only when proved; the same
//! problem, seed and settings give the same result on every target. Complexity: about that of k-member with refinement
//! on the distinct tuples, times the colourings tried; see the modules.

mod board;
mod candidates;
mod colouring;
mod complete;
mod conflict;
mod counting;
mod exact;
mod graph;
mod ground;
mod integrate;
mod lazy;
mod moves;
mod plan;
mod polish;
mod repair;
mod trace;

pub use trace::{LedTo, Size, Step, Trace};

use crate::algorithms::greedy_cka::keepable;
use crate::algorithms::local::clusters::{Clusters, Part};
use crate::algorithms::local::draft::Draft;
use crate::algorithms::local::space::Cost;
use crate::algorithms::local::{Outcome, Problem, refused};
use crate::algorithms::refinement::{Effort, refine_since};
use crate::constraints::{Constraint, Distinct};
use crate::failure::{Failure, FailureKind};
pub use crate::policy::Strategy;
use crate::progress::Progress;
use crate::words::counted;
use colouring::{Colouring, Ended};
use counting::together;
use exact::{Exact, Search};
use ground::Ground;
use lazy::Way;

/// How much may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Candidate clusterings that are tried at most.
    pub budget: u64,
    /// Times at most that colouring starts anew in another order, where all else led nowhere; fewer on large tables.
    pub restarts: u64,
    /// Steps of the exact search at most; 0 for none.
    pub exact: u64,
    pub refine: Option<Effort>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { budget: 20_000, restarts: 16, exact: 20_000_000, refine: Some(Effort::default()) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    pub outcome: Outcome,
    /// Whether the release is known to be the cheapest there is.
    pub optimal: bool,
    pub trace: Trace,
}

/// Colourings that are completed at most; fewer on large tables, where each takes its time.
const COLOURINGS: u64 = 32;

/// Items times colourings that are completed at most.
const COMPLETED: u64 = 15_000;

/// Items times restarts at most.
const RESTARTED: u64 = 20_000;

/// Rounds of lowering and refining at most.
const ROUNDS: u32 = 4;

/// Recodes a table so that every class meets the requirements and all together the constraints. Of equal constraints only
/// the first is looked at.
pub async fn solve(
    problem: &Problem<'_>,
    constraints: &[Constraint],
    strategy: Strategy,
    settings: Settings,
    progress: &Progress<'_>,
) -> Result<Solved, Failure> {
    let distinct = Distinct::new(constraints);
    let once: Vec<Constraint> = distinct.first.iter().map(|&place| constraints[place].clone()).collect();
    let mut ground = Ground::new(problem, &once);
    ground.numbers.clone_from(&distinct.first);
    let solved = solve_on(&ground, problem, strategy, settings, progress).await?;
    Ok(Solved { trace: solved.trace.renumbered(&distinct), ..solved })
}

async fn solve_on(
    ground: &Ground<'_>,
    problem: &Problem<'_>,
    strategy: Strategy,
    settings: Settings,
    progress: &Progress<'_>,
) -> Result<Solved, Failure> {
    let impossible = |why: String, trace: Trace| Solved { outcome: Outcome::Impossible(why), optimal: false, trace };
    if let Some(why) = counting::prove(ground) {
        return Ok(impossible(why, Trace::default()));
    }
    let mut kept: Vec<Vec<Part>> = Vec::new();
    for region in &ground.regions {
        kept.push(keepable(&ground.demands, region.rows.clone(), progress).await?);
    }
    let lost = problem.table.rows as u64 - kept.iter().map(|region| ground::rows(region)).sum::<u64>();
    let (search, trace) = if lost > problem.suppressible {
        (Colourings::Failed(refused(problem, ground.demands.monotone, lost, kept.len())), Trace::default())
    } else {
        let mut colouring = Colouring::new(ground, &kept, strategy);
        let found = colour(ground, &kept, &mut colouring, &settings, progress).await?;
        (found, colouring.trace)
    };
    let found = match search {
        Colourings::Found(found) => Some(found),
        Colourings::Failed(Outcome::Impossible(why)) => return Ok(impossible(why, trace)),
        // Which of them, and which count can't be met, is told where all ways to divide the rows can be tried.
        Colourings::Proved(constraints) => {
            return Ok(impossible(conflict::explain(ground, &constraints, settings.exact, progress).await?, trace));
        }
        Colourings::Failed(outcome) => {
            return exactly(ground, None, outcome, settings, trace, progress).await;
        }
    };
    let not_found = Outcome::NotFound(String::new());
    exactly(ground, found, not_found, settings, trace, progress).await
}

/// What colourings led to.
enum Colourings<'s> {
    Found(Clusters<'s>),
    /// There are no clusters that meet these constraints.
    Proved(Vec<usize>),
    Failed(Outcome),
}

/// Colours the constraints and completes colourings until one becomes a release.
async fn colour<'s>(
    ground: &'s Ground<'_>,
    kept: &[Vec<Part>],
    colouring: &mut Colouring<'_, '_>,
    settings: &Settings,
    progress: &Progress<'_>,
) -> Result<Colourings<'s>, Failure> {
    let attempts = (COMPLETED / (ground.space.items() as u64 + 1)).clamp(1, COLOURINGS);
    let mut why = format!(
        "{} of clusters for the constraints were found, but none that leaves rows which can be anonymized.",
        counted(attempts, "combination")
    );
    let mut completed = None;
    for attempt in 0..attempts {
        let ended = colouring.next(settings.budget, progress).await?;
        let more = matches!(ended, Ended::Coloured);
        match ended {
            Ended::Coloured => {
                completed = complete::complete(ground, kept, colouring.board.classes(), progress).await?
            }
            Ended::Exhausted { proof: true, constraints } => {
                return Ok(Colourings::Proved(constraints));
            }
            Ended::Exhausted { proof: false, constraints } => {
                if !constraints.is_empty() {
                    why = format!("No clusters were found that meet {}.", together(ground, &constraints));
                }
            }
            Ended::OutOfBudget => {
                let tried = counted(colouring.trace.tried, "candidate");
                why = format!("No clusters that meet all constraints were found within {tried}.");
            }
        }
        // Where one colouring was not enough, a plan is likelier to be than the next.
        if completed.is_none() && attempt == 0 {
            completed = plan::plan(ground, kept, false, progress).await?;
            colouring.trace.led_to = if completed.is_some() { LedTo::Plan } else { LedTo::Release };
        }
        if completed.is_some() || !more {
            break;
        }
    }
    for (number, way) in [Way::FewestNeighbours, Way::MostNeighbours, Way::Drawn(1), Way::Drawn(2)].iter().enumerate() {
        if completed.is_none() {
            colouring.nearly(Strategy::MinChoice, *way, progress).await?;
            colouring.trace.led_to = LedTo::NearColouring;
            completed = complete::complete(ground, kept, colouring.board.classes(), progress).await?;
        }
        // It finds what there is, but hides more than what comes near does.
        if completed.is_none() && number == 0 {
            colouring.trace.led_to = LedTo::Plan;
            completed = plan::plan(ground, kept, true, progress).await?;
        }
    }
    // Another order, other rows: where one way led nowhere, the next may.
    let restarts = (RESTARTED / (ground.space.items() as u64 + 1)).min(settings.restarts);
    for restart in 1..=restarts {
        if completed.is_some() {
            break;
        }
        colouring.restart(restart);
        let coloured = matches!(colouring.next(settings.budget, progress).await?, Ended::Coloured);
        colouring.trace.led_to = if coloured { LedTo::Release } else { LedTo::NearColouring };
        if !coloured {
            colouring.nearly(Strategy::Naive, Way::Drawn(restart), progress).await?;
        }
        completed = complete::complete(ground, kept, colouring.board.classes(), progress).await?;
    }
    let Some(mut clusters) = completed else { return Ok(Colourings::Failed(Outcome::NotFound(why))) };
    if let Some(effort) = settings.refine {
        match refine_all(ground, &mut clusters, effort, progress).await {
            // What was found until a cancel is a release.
            Err(failure) if failure.kind == FailureKind::Cancelled => progress.finish(),
            refined => refined?,
        }
    }
    Ok(Colourings::Found(clusters))
}

/// Refines every region with the constraints kept, and shows more where they allow it, by turns.
async fn refine_all(
    ground: &Ground<'_>,
    clusters: &mut Clusters<'_>,
    effort: Effort,
    progress: &Progress<'_>,
) -> Result<(), Failure> {
    let mut since = 0;
    for _ in 0..ROUNDS {
        let mut costs = vec![0; ground.regions.len()];
        for cluster in clusters.used() {
            costs[ground.region_of_cluster(clusters, cluster) as usize] += clusters.cost(cluster);
        }
        for region in (0..ground.regions.len() as u32).filter(|&region| costs[region as usize] > 0) {
            let in_region = |clusters: &Clusters<'_>, cluster| ground.region_of_cluster(clusters, cluster) == region;
            refine_since(clusters, in_region, effort, since, progress).await?;
        }
        // Later rounds look at what showing more has changed.
        since = clusters.changes() + 1;
        if !polish::lower(ground, clusters, progress).await? {
            break;
        }
    }
    Ok(())
}

/// Lets the exact search have the last word, where it can.
async fn exactly(
    ground: &Ground<'_>,
    found: Option<Clusters<'_>>,
    otherwise: Outcome,
    settings: Settings,
    mut trace: Trace,
    progress: &Progress<'_>,
) -> Result<Solved, Failure> {
    let mut search = Search {
        bounds: &ground.targets.bounds,
        work: settings.exact,
        below: found.as_ref().map(|clusters| cost(ground, clusters)),
    };
    let searched = match settings.exact {
        0 => Ok(Exact::TooLarge),
        _ => exact::best(ground, &mut search, progress).await,
    };
    let searched = match searched {
        Err(failure) if failure.kind == FailureKind::Cancelled && found.is_some() => {
            progress.finish();
            Exact::TooLarge
        }
        searched => searched?,
    };
    let (outcome, optimal) = match (searched, found) {
        (Exact::Best(classes), _) => {
            trace.led_to = LedTo::ExactSearch;
            let mut clusters = Clusters::new(&ground.space, &ground.demands);
            for class in &classes {
                ground.open(&mut clusters, class);
            }
            (release(ground, &clusters), true)
        }
        (Exact::None, Some(clusters)) => (release(ground, &clusters), true),
        (Exact::TooLarge, Some(clusters)) => (release(ground, &clusters), false),
        (Exact::None, None) => {
            let all: Vec<usize> = (0..ground.targets.len()).collect();
            (Outcome::Impossible(conflict::explain(ground, &all, settings.exact, progress).await?), false)
        }
        (Exact::TooLarge, None) => (otherwise, false),
    };
    Ok(Solved { outcome, optimal, trace })
}

/// What a release costs, suppressed rows included.
fn cost(ground: &Ground<'_>, clusters: &Clusters<'_>) -> Cost {
    let kept: u64 = clusters.used().map(|cluster| u64::from(clusters.size(cluster))).sum();
    clusters.total_cost() + (ground.problem.table.rows as u64 - kept) as Cost * exact::suppressed_cost(ground)
}

fn release(ground: &Ground<'_>, clusters: &Clusters<'_>) -> Outcome {
    let mut draft = Draft::new(&ground.space);
    draft.add(clusters);
    Outcome::Release(draft.finish(ground.problem))
}
