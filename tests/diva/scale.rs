//! The census of the paper's experiments (299,285 rows), in time and quality:
//! `CARGO_PROFILE_TEST_OPT_LEVEL=3 cargo test --test diva -- --ignored --nocapture`. The table is taken from the folder
//! `THRONG_DATA`, or `../shared/data`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use throng::algorithms::diva::{Settings, Strategy, solve};
use throng::algorithms::local::{Algorithm, Measure, Mode, Outcome, Problem, recode};
use throng::algorithms::refinement::Effort;
use throng::constraints::{Constraint, Target};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::metrics::stars;
use throng::privacy::{KAnonymity, Requirement};
use throng::progress::{NativeSink, Progress, block_on};
use throng::release::{Quasi, Release};
use throng::table::{Column, DictionaryBuilder, Table};

const QUASI: [&str; 6] =
    ["sex", "class_of_worker", "marital_stat", "detailed_household_and_family_stat", "race", "country_of_birth_self"];

fn census() -> Option<Table> {
    let folder = std::env::var_os("THRONG_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let bytes = Command::new("zcat").arg(folder.join("census_kdd.csv.gz")).output().ok()?.stdout;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
    let mut builders: Vec<DictionaryBuilder> = QUASI.iter().map(|_| DictionaryBuilder::default()).collect();
    let places: Vec<usize> =
        QUASI.iter().map(|name| names.iter().position(|other| other == name)).collect::<Option<_>>()?;
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); QUASI.len()];
    for record in reader.records() {
        let record = record.ok()?;
        for ((builder, codes), &place) in builders.iter_mut().zip(&mut codes).zip(&places) {
            codes.push(builder.code(record[place].as_bytes()).ok()?.code);
        }
    }
    let rows = codes[0].len();
    let columns = QUASI.iter().zip(builders).zip(codes);
    let columns = columns.map(|((name, builder), codes)| Column::new((*name).into(), builder.finish(), codes, &[]));
    let table = Table { columns: columns.collect(), rows };
    (rows > 0).then_some(table)
}

/// The first rows of a table.
fn first(table: &Table, rows: usize) -> Table {
    let column = |column: &Column| {
        let mut builder = DictionaryBuilder::default();
        let codes = (0..rows).map(|row| builder.code(column.text(row).as_bytes()).unwrap().code).collect();
        Column::new(column.name.clone(), builder.finish(), codes, &[])
    };
    Table { columns: table.columns.iter().map(column).collect(), rows }
}

fn quasi(table: &Table) -> Vec<Quasi> {
    let of_column = |place: usize| {
        let tree = Hierarchy::flat(table.columns[place].dictionary.iter());
        let leaf_of_code: Vec<u32> =
            table.columns[place].dictionary.iter().map(|text| tree.find(text).unwrap()).collect();
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Quasi { column: place, tree, leaf_of_code, limit_of_code }
    };
    (0..table.columns.len()).map(of_column).collect()
}

/// Proportion constraints (§5.1) on the values of some sets of columns, the most frequent first: each value keeps its
/// share of the rows that are likely to be published unsuppressed, give or take `slack`.
fn proportion(table: &Table, sets: &[&[usize]], wanted: usize, distinct: usize, slack: u64) -> Vec<Constraint> {
    let mut counted: Vec<(u64, Vec<Target>)> = Vec::new();
    for &columns in sets {
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for row in 0..table.rows {
            let codes = columns.iter().map(|&column| table.columns[column].codes[row]).collect();
            *counts.entry(codes).or_default() += 1;
        }
        for (codes, count) in counts {
            let part = |(&column, &code): (&usize, &u32)| Target {
                column,
                value: table.columns[column].dictionary.text(code).to_owned(),
            };
            counted.push((count, columns.iter().zip(&codes).map(part).collect()));
        }
    }
    counted.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    counted.truncate(wanted);
    let published = (table.rows - distinct) as u64;
    let constraint = |(count, target): (u64, Vec<Target>)| {
        let share = published * count / table.rows as u64;
        Constraint { target, least: share.saturating_sub(slack), most: Some(share + 1 + slack) }
    };
    counted.into_iter().map(constraint).collect()
}

/// Time on the processor, which others may use as well.
fn now() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(times.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0))
}

fn show(release: &Release) -> String {
    let sizes = release.sizes();
    let stars = stars::of(&release.quasi, &sizes, release.suppressed() as u64);
    let squares: u64 = sizes.iter().map(|&size| u64::from(size) * u64::from(size)).sum();
    format!("{} classes, {stars} stars, DM {squares}", release.classes())
}

fn count(table: &Table, quasi: &[Quasi], release: &Release, constraint: &Constraint) -> u64 {
    let shows = |class: usize| {
        let shown = |part: &Target| quasi[part.column].tree.label(release.quasi[part.column][class]) == part.value;
        constraint.target.iter().all(shown)
    };
    let shown: Vec<bool> = (0..release.classes()).map(shows).collect();
    (0..table.rows).filter(|&row| shown[release.class_of_row[row] as usize]).count() as u64
}

#[test]
#[ignore = "needs the census data and time"]
fn census_in_seconds() {
    let Some(all) = census() else {
        println!("census_kdd.csv.gz is not there: skipped");
        return;
    };
    let sink = NativeSink::new(|_| {});
    let cases: [(usize, u32, usize, u64); 12] = [
        (299_285, 10, 8, 0),
        (299_285, 10, 8, 500),
        (299_285, 20, 8, 0),
        (299_285, 30, 8, 0),
        (299_285, 40, 8, 0),
        (299_285, 50, 8, 0),
        (299_285, 20, 4, 0),
        (299_285, 20, 12, 0),
        (299_285, 20, 16, 0),
        (299_285, 20, 20, 0),
        (60_000, 20, 8, 0),
        (150_000, 20, 8, 0),
    ];
    let only: Option<Vec<u64>> =
        std::env::var("THRONG_CENSUS").ok().map(|only| only.split(',').map(|number| number.parse().unwrap()).collect());
    let cases = match only.as_deref() {
        Some(&[rows, k, constraints, slack]) => vec![(rows as usize, k as u32, constraints as usize, slack)],
        _ => cases.to_vec(),
    };
    for (rows, k, constraints, slack) in cases {
        let table = first(&all, rows);
        let quasi = quasi(&table);
        let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k }) }];
        let problem = Problem {
            table: &table,
            quasi: &quasi,
            sensitive: &[],
            requirements: &requirements,
            suppressible: 0,
            seed: 1,
            measure: Measure::Stars,
            mode: Mode::Suppression,
        };
        let sigma = proportion(&table, &[&[0], &[4], &[0, 4], &[2]], constraints, 7439 * rows / 299_285, slack);
        println!("{rows} rows, k = {k}, {} constraints, slack {slack}", sigma.len());
        for effort in [None, Some(Effort::default())] {
            let started = now();
            let outcome = block_on(recode(&problem, Algorithm::KMember, effort, &Progress::new(&sink))).unwrap();
            let Outcome::Release(release) = outcome else { panic!("{outcome:?}") };
            println!("  k-member, refined {}: {:.2?}; {}", effort.is_some(), now() - started, show(&release));
            for strategy in [Strategy::Naive, Strategy::MinChoice, Strategy::MaxFanOut] {
                let started = now();
                let settings = Settings { refine: effort, ..Settings::default() };
                let solved = block_on(solve(&problem, &sigma, strategy, settings, &Progress::new(&sink))).unwrap();
                let time = now() - started;
                match solved.outcome {
                    Outcome::Release(release) => {
                        for constraint in &sigma {
                            let count = count(&table, &quasi, &release, constraint);
                            assert!((constraint.least..=constraint.most.unwrap()).contains(&count));
                        }
                        assert!(release.sizes().iter().all(|&size| size >= k));
                        println!("  {strategy:?}: {time:.2?}; {}; {} tried", show(&release), solved.trace.tried);
                    }
                    Outcome::Impossible(why) | Outcome::NotFound(why) => println!("  {strategy:?}: {time:.2?}; {why}"),
                }
            }
        }
    }
}
