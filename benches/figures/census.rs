//! The census data at scale: 299,285 rows and six quasi-identifiers whose values are kept or become `*`, by k-member and
//! Mondrian, for k = 10..50 and for growing numbers of rows.

use throng::algorithms::local::{Algorithm, Measure, Mode, Outcome, Problem, recode};
use throng::algorithms::refinement::Effort;
use throng::metrics::loss;
use throng::policy::Quasi;
use throng::privacy::{KAnonymity, Requirement};
use throng::progress::{Progress, block_on};
use throng::release::Release;
use throng::table::Table;

use super::census_file::QUASI;
use super::clock::least_seconds;
use super::data::{Quiet, census, chosen, flat_quasi, group_by};
use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};

const TIMES: usize = 3;
const RUNS: [(&str, Algorithm, bool); 4] = [
    ("k-member", Algorithm::KMember, false),
    ("Mondrian", Algorithm::Mondrian, false),
    ("k-member, refined", Algorithm::KMember, true),
    ("Mondrian, refined", Algorithm::Mondrian, true),
];

fn solve(table: &Table, quasi: &[Quasi], k: u32, algorithm: Algorithm, refined: bool) -> Result<Release, String> {
    let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k }) }];
    let problem = Problem {
        table,
        quasi,
        sensitive: &[],
        requirements: &requirements,
        suppressible: 0,
        seed: 1,
        measure: Measure::Loss,
        mode: Mode::Generalization,
    };
    let effort = refined.then(Effort::default);
    match block_on(recode(&problem, algorithm, effort, &Progress::new(&Quiet))) {
        Ok(Outcome::Release(release)) => Ok(release),
        other => Err(format!("{other:?}")),
    }
}

/// Seconds and loss of every run.
fn measure(table: &Table, quasi: &[Quasi], k: u32) -> Result<Vec<(f64, f64)>, String> {
    let run = |&(_, algorithm, refined): &(&str, Algorithm, bool)| {
        let release = solve(table, quasi, k, algorithm, refined)?;
        let sizes = release.sizes();
        assert!(sizes.iter().all(|&size| size >= k) && release.suppressed() == 0);
        let of_column = |(quasi, nodes): (&Quasi, &Vec<_>)| loss::of_column(&quasi.tree, nodes, &sizes, 0);
        let loss = loss::arithmetic(&quasi.iter().zip(&release.quasi).map(of_column).collect::<Vec<f64>>());
        Ok((least_seconds(TIMES, || solve(table, quasi, k, algorithm, refined).is_ok()), loss))
    };
    RUNS.iter().map(run).collect()
}

fn series(points: &[Vec<(f64, f64)>], value: impl Fn(&(f64, f64)) -> f64) -> Vec<Series> {
    let of = |(place, (name, ..)): (usize, &(&str, Algorithm, bool))| Series {
        name: (*name).to_owned(),
        values: points.iter().map(|point| point.get(place).map(&value)).collect(),
    };
    RUNS.iter().enumerate().map(of).collect()
}

pub fn scale() -> Result<(), String> {
    let table = census()?;
    let quasi = flat_quasi(&table, &QUASI)?;
    let unit = group_by(&table, &quasi);
    let ks = [10, 20, 30, 40, 50];
    let counts: Vec<usize> = (1..=5).map(|fifths| table.rows * fifths / 5).collect();
    // All before the first is measured: what an allocation costs depends on what lies around it.
    let tables: Vec<Table> =
        counts.iter().map(|&rows| chosen(&table, &(0..rows as u32).collect::<Vec<u32>>())).collect();
    let by_rows: Vec<_> = tables.iter().map(|table| measure(table, &quasi, 10)).collect::<Result<_, _>>()?;
    let by_k: Vec<_> = ks.into_iter().map(|k| measure(&tables[4], &quasi, k)).collect::<Result<_, _>>()?;
    let line = |rows: usize, k: u32, point: &Vec<(f64, f64)>| {
        let times = point.iter().map(|(seconds, _)| format!("{:.2}", seconds / unit));
        let losses = point.iter().map(|(_, loss)| format!("{loss:.4}"));
        [rows.to_string(), k.to_string()].into_iter().chain(times).chain(losses).collect::<Vec<String>>()
    };
    let mut rows: Vec<_> = ks.iter().zip(&by_k).map(|(&k, point)| line(table.rows, k, point)).collect();
    rows.extend(counts[..4].iter().zip(&by_rows).map(|(&count, point)| line(count, 10, point)));
    let slowest = by_k.iter().flatten().map(|&(seconds, _)| seconds).fold(0.0, f64::max);
    let growth = |run: usize| by_rows[4][run].0 / by_rows[0][run].0;
    let most_growth = (0..RUNS.len()).map(growth).fold(0.0, f64::max);
    let names = RUNS.iter().map(|(name, ..)| *name);
    let header = ["rows", "k"].into_iter().map(str::to_owned);
    let header = header.chain(names.clone().map(|name| format!("time, {name}")));
    let panel = |title: &str, across: &'static str, up: &'static str, places: Vec<String>, series: Vec<Series>| Panel {
        title: title.to_owned(),
        across,
        up,
        kind: Kind::Lines,
        places,
        series,
    };
    let ks_shown = || ks.iter().map(u32::to_string).collect();
    let thousands = |rows: &usize| format!("{}k", (rows + 500) / 1000);
    let time = "time, in hash group-bys of all rows";
    Sheet {
        name: "census",
        title: "Local recoding of census_kdd: 299,285 rows, six quasi-identifiers, kept or *".into(),
        header: header.chain(names.map(|name| format!("loss, {name}"))).collect(),
        rows,
        columns: 3,
        panels: vec![
            panel("all rows", "k", time, ks_shown(), series(&by_k, |(seconds, _)| seconds / unit)),
            panel("all rows", "k", "loss (the share of stars)", ks_shown(), series(&by_k, |(_, loss)| *loss)),
            panel(
                "growth, k = 10",
                "rows",
                time,
                counts.iter().map(thousands).collect(),
                series(&by_rows, |(seconds, _)| seconds / unit),
            ),
        ],
        claims: vec![
            Claim {
                says: "seconds, where the DIVA paper's k-member takes minutes on a server of 32 cores",
                shows: Shows::when(slowest < 10.0),
                because: format!("at most {slowest:.2} s of one core, refinement included"),
            },
            Claim {
                says: "work on distinct tuples, without growth by the square of the rows",
                shows: Shows::when(most_growth < 10.0),
                because: format!("five times the rows take at most {most_growth:.2} times as long"),
            },
        ],
        notes: vec![format!(
            "One group-by took {:.1} ms in this run; times are the least of {TIMES}. Growth takes the first rows of the file.",
            unit * 1000.0
        )],
    }
    .finish()
}
