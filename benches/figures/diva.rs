//! The DIVA paper's experiments (§5.2–5.5) in kind: how releases are measured. Sheets are in `diva_sheets`, what is varied
//! in `diva_inputs`.
//!
//! The paper compares the plain algorithms, so times, discernibility and accuracy are those of DIVA and k-member without
//! refinement; what refinement makes of them is shown beside.

use throng::algorithms::diva::Strategy;
use throng::constraints::{Constraint, Target};
use throng::hierarchy::ROOT;
use throng::metrics::{discernibility, stars};
use throng::progress::Progress;
use throng::release::Release;

use super::clock::least_seconds;
use super::data::Quiet;
use super::diva_case::{Ask, BUDGET, Case};

/// Runs of each that is timed after the first, the least counts.
const TIMES: usize = 4;

/// Seeds among whose plain releases the best is looked for.
const SEEDS: u64 = 2;

/// Name, the strategy or k-member, and whether refined.
pub const RUNS: [(&str, Option<Strategy>, bool); 6] = [
    ("DIVA-Naive", Some(Strategy::Naive), false),
    ("DIVA-MinChoice", Some(Strategy::MinChoice), false),
    ("DIVA-MaxFanOut", Some(Strategy::MaxFanOut), false),
    ("k-member", None, false),
    ("DIVA-MinChoice, refined", Some(Strategy::MinChoice), true),
    ("k-member, refined", None, true),
];

/// Places in `RUNS`.
pub const NAIVE: usize = 0;
pub const MIN_CHOICE: usize = 1;
pub const MAX_FAN_OUT: usize = 2;
pub const K_MEMBER: usize = 3;
pub const REFINED: usize = 4;
pub const K_MEMBER_REFINED: usize = 5;

/// What one run gave.
#[derive(Clone, Copy)]
pub struct Run {
    /// disc(R′,k) ÷ |R′|², see [`disc`].
    pub disc: f64,
    pub stars: u64,
    /// Of the processor; the least of some where time is what the figure is about.
    pub seconds: f64,
}

/// Where a point is, and how its constraints were found.
pub struct Place {
    /// What is varied, as the panel shows it.
    pub place: String,
    /// cf(Σ).
    pub conflict: f64,
    /// Sets of constraints before these that DIVA-MinChoice found no release for, nor a proof that there is none.
    pub refused: u64,
}

/// One place of a figure.
pub struct Point {
    pub place: String,
    pub conflict: f64,
    pub refused: u64,
    pub rows: usize,
    pub k: u32,
    pub constraints: usize,
    /// One for each of `RUNS`; `None` if there was no release.
    pub runs: Vec<Option<Run>>,
    /// The least disc of any release that meets the constraints: of all strategies and seeds, and refined.
    pub best: Option<f64>,
}

impl Point {
    pub fn accuracy(&self, run: usize) -> Option<f64> {
        Some(self.best? / self.runs[run]?.disc)
    }

    pub fn seconds(&self, run: usize) -> Option<f64> {
        self.runs[run].map(|run| run.seconds)
    }

    pub fn disc(&self, run: usize) -> Option<f64> {
        self.runs[run].map(|run| run.disc)
    }

    /// How much longer than k-member it took, refined ones beside refined.
    pub fn overhead(&self, run: usize) -> Option<f64> {
        let beside = if RUNS[run].2 { K_MEMBER_REFINED } else { K_MEMBER };
        Some(self.seconds(run)? / self.seconds(beside)? - 1.0)
    }
}

/// The paper's score: a row pays for those that look like it, and a suppressed one for all. By its estimate of the rows
/// "published (unsuppressed)", which counts those whose tuple survives, a row with a star is a suppressed one.
fn disc(case: &Case, release: &Release) -> f64 {
    let rows = case.table.rows as u64;
    let has_star = |class: u32| release.quasi.iter().any(|nodes| nodes[class as usize] == ROOT);
    let (kept, seen) = release.seen(&case.quasi);
    let mut whole = vec![false; seen.sizes.len()];
    for (&row, &class) in kept.iter().zip(&seen.of_row) {
        whole[class as usize] = !has_star(release.class_of_row[row as usize]);
    }
    let sizes: Vec<u32> = seen.sizes.iter().zip(whole).filter(|(_, whole)| *whole).map(|(&size, _)| size).collect();
    let suppressed = rows - sizes.iter().map(|&size| u64::from(size)).sum::<u64>();
    discernibility::normalized(discernibility::of(&sizes, suppressed, rows), rows)
}

/// Rows of a release that show a constraint's values.
fn shown(case: &Case, release: &Release, sizes: &[u32], constraint: &Constraint) -> u64 {
    let shows = |class: usize| {
        let label = |target: &Target| case.quasi[target.column].tree.label(release.quasi[target.column][class]);
        constraint.target.iter().all(|target| label(target) == target.value)
    };
    (0..sizes.len()).filter(|&class| shows(class)).map(|class| u64::from(sizes[class])).sum()
}

fn solve(case: &Case, ask: Ask, constraints: &[Constraint]) -> Result<Run, String> {
    let mut solved = Err(String::new());
    let seconds = least_seconds(1, || solved = case.solve(ask, constraints, &Progress::new(&Quiet)));
    let release = solved?;
    let sizes = release.sizes();
    assert!(
        sizes.iter().all(|&size| size >= ask.k) && release.suppressed() == 0,
        "the release is not {}-anonymous",
        ask.k
    );
    if ask.strategy.is_some() {
        let holds = |constraint: &Constraint| {
            let count = shown(case, &release, &sizes, constraint);
            constraint.least <= count && constraint.most.is_none_or(|most| count <= most)
        };
        assert!(constraints.iter().all(holds), "a constraint does not hold");
    }
    Ok(Run { disc: disc(case, &release), stars: stars::of(&release.quasi, &sizes, 0), seconds })
}

/// Makes all releases of a place, `timed` ones again, by turns, so that what disturbs one disturbs all.
pub fn measure(at: Place, case: &Case, k: u32, constraints: &[Constraint], timed: bool) -> Point {
    let Place { place, conflict, refused } = at;
    let ask = |run: usize| Ask { k, strategy: RUNS[run].1, refined: RUNS[run].2, seed: 1, budget: BUDGET };
    let mut runs: Vec<Option<Run>> = Vec::new();
    for (number, (name, ..)) in RUNS.iter().enumerate() {
        let run = solve(case, ask(number), constraints);
        if let Err(why) = &run {
            println!("  {place}, k = {k}, {} constraints, {name}: {why}", constraints.len());
        }
        runs.push(run.ok());
    }
    let mut all: Vec<f64> =
        [NAIVE, MIN_CHOICE, MAX_FAN_OUT, REFINED].iter().filter_map(|&run| Some(runs[run]?.disc)).collect();
    if !all.is_empty() {
        for strategy in [Strategy::Naive, Strategy::MinChoice, Strategy::MaxFanOut] {
            for seed in 2..=SEEDS {
                let ask = Ask { k, strategy: Some(strategy), refined: false, seed, budget: BUDGET };
                all.extend(solve(case, ask, constraints).ok().map(|run| run.disc));
            }
        }
    }
    if timed {
        for _ in 0..TIMES {
            for (number, run) in runs.iter_mut().enumerate() {
                if let Some(run) = run {
                    let work = || case.solve(ask(number), constraints, &Progress::new(&Quiet)).is_ok();
                    run.seconds = run.seconds.min(least_seconds(1, work));
                }
            }
        }
    }
    let best = all.into_iter().reduce(f64::min);
    let point =
        Point { place, rows: case.table.rows, k, constraints: constraints.len(), conflict, refused, runs, best };
    print(&point);
    point
}

/// A line while the others are still made.
fn print(point: &Point) {
    let of = |run: usize| match point.runs[run] {
        Some(Run { disc, stars, seconds }) => format!("{}: {disc:.5} {stars}* {seconds:.3} s", RUNS[run].0),
        None => format!("{}: none", RUNS[run].0),
    };
    let all: Vec<String> = (0..RUNS.len()).map(of).collect();
    println!(
        "  {}, k = {}, |Σ| = {}, {} rows | {}",
        point.place,
        point.k,
        point.constraints,
        point.rows,
        all.join(" | ")
    );
}
