//! Diversity constraints and DIVA: the medical records of Table 1 with the constraints of Examples 1.1 and 4.1.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::algorithms::diva::{Settings, Solved, Step, Strategy, solve};
use throng::algorithms::local::{Measure, Mode, Outcome, Problem};
use throng::constraints::{Constraint, Target};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::policy::{Quasi, Sensitive};
use throng::privacy::{KAnonymity, Requirement};
use throng::progress::{NativeSink, Progress, block_on};
use throng::release::Release;
use throng::table::{Column, DictionaryBuilder, Table};

const STRATEGIES: [Strategy; 3] = [Strategy::Naive, Strategy::MinChoice, Strategy::MaxFanOut];

/// Table 1, with the identifier.
const MEDICAL_RECORDS: &str = "\
ID,GEN,ETH,AGE,PRV,CTY,DIAG
t1,Female,Caucasian,80,AB,Calgary,Hypertension
t2,Female,Caucasian,32,AB,Calgary,Tuberculosis
t3,Male,Caucasian,59,AB,Calgary,Osteoarthritis
t4,Male,Caucasian,46,MB,Winnipeg,Migraine
t5,Male,African,31,MB,Winnipeg,Hypertension
t6,Male,African,43,BC,Vancouver,Seizure
t7,Male,Caucasian,29,BC,Vancouver,Hypertension
t8,Female,Asian,58,BC,Vancouver,Seizure
t9,Female,Asian,47,MB,Winnipeg,Influenza
t10,Female,Asian,71,BC,Vancouver,Migraine
";

/// The columns of Table 1 that are quasi-identifiers: all but ID and the diagnosis.
const QUASI: std::ops::RangeInclusive<usize> = 1..=5;

struct Records {
    table: Table,
    quasi: Vec<Quasi>,
    sensitive: Vec<Sensitive>,
}

fn records() -> Records {
    let mut lines = MEDICAL_RECORDS.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |place: usize| {
        let mut builder = DictionaryBuilder::default();
        let codes = rows.iter().map(|row| builder.code(row[place].as_bytes()).unwrap().code).collect();
        Column::new(names[place].to_owned(), builder.finish(), codes, &[])
    };
    let columns: Vec<Column> = (0..names.len()).map(column).collect();
    let flat = |place: usize| {
        let tree = Hierarchy::flat(columns[place].dictionary.iter());
        let leaf_of_code: Vec<u32> = columns[place].dictionary.iter().map(|text| tree.find(text).unwrap()).collect();
        (tree, leaf_of_code)
    };
    let quasi = QUASI.map(|place| {
        let (tree, leaf_of_code) = flat(place);
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Quasi { column: place, tree, leaf_of_code, limit_of_code }
    });
    let quasi = quasi.collect();
    let (tree, leaf_of_code) = flat(6);
    let sensitive = vec![Sensitive::without_limits(6, tree, leaf_of_code)];
    Records { table: Table { rows: rows.len(), columns }, quasi, sensitive }
}

fn constraint(column: usize, value: &str, least: u64, most: u64) -> Constraint {
    Constraint { target: vec![Target { column, value: value.into() }], least, most: Some(most) }
}

/// σ1, σ2 and σ3 of Example 4.1.
fn sigma() -> Vec<Constraint> {
    vec![constraint(2, "Asian", 2, 5), constraint(2, "African", 1, 3), constraint(5, "Vancouver", 2, 4)]
}

fn with_sigma_4() -> Vec<Constraint> {
    [sigma(), vec![constraint(1, "Male", 1, 3)]].concat()
}

fn run(records: &Records, k: u32, constraints: &[Constraint], strategy: Strategy, settings: Settings) -> Solved {
    run_by(1, records, k, constraints, strategy, settings)
}

/// The same by a seed.
fn run_by(
    seed: u64,
    records: &Records,
    k: u32,
    constraints: &[Constraint],
    strategy: Strategy,
    settings: Settings,
) -> Solved {
    let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k }) }];
    let problem = Problem {
        table: &records.table,
        quasi: &records.quasi,
        sensitive: &records.sensitive,
        requirements: &requirements,
        suppressible: 0,
        seed,
        measure: Measure::Stars,
        mode: Mode::Suppression,
    };
    let sink = NativeSink::new(|_| {});
    block_on(solve(&problem, constraints, strategy, settings, &Progress::new(&sink))).unwrap()
}

/// The released cells, row by row.
fn texts(records: &Records, release: &Release) -> Vec<Vec<String>> {
    let cell = |row: usize, (quasi, nodes): (&Quasi, &Vec<u32>)| {
        quasi.tree.label(nodes[release.class_of_row[row] as usize]).to_owned()
    };
    let row = |row: usize| records.quasi.iter().zip(&release.quasi).map(|pair| cell(row, pair)).collect();
    (0..records.table.rows).map(row).collect()
}

fn stars(texts: &[Vec<String>]) -> usize {
    texts.iter().flatten().filter(|text| *text == "*").count()
}

/// Rows with the same texts, as numbers from 1.
fn classes(texts: &[Vec<String>]) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (row, cells) in texts.iter().enumerate() {
        match classes.iter_mut().find(|class| texts[class[0] - 1] == *cells) {
            Some(class) => class.push(row + 1),
            None => classes.push(vec![row + 1]),
        }
    }
    classes
}

/// Checks a release by its texts alone.
fn check(texts: &[Vec<String>], k: usize, constraints: &[Constraint]) {
    assert!(classes(texts).iter().all(|class| class.len() >= k));
    for Constraint { target, least, most } in constraints {
        let shows = |cells: &&Vec<String>| target.iter().all(|part| cells[part.column - 1] == part.value);
        let count = texts.iter().filter(shows).count() as u64;
        assert!((*least..=most.unwrap()).contains(&count), "{count}");
    }
}

fn released(
    records: &Records,
    k: u32,
    constraints: &[Constraint],
    strategy: Strategy,
    settings: Settings,
) -> Vec<Vec<String>> {
    match run(records, k, constraints, strategy, settings).outcome {
        Outcome::Release(release) => {
            let texts = texts(records, &release);
            check(&texts, k as usize, constraints);
            texts
        }
        other => panic!("{other:?}"),
    }
}

/// Item 35, Example 1.1: no 3-anonymous version of Table 1 keeps an African patient, as there are only two.
#[test]
fn diva_example_1_1_no_3_anonymous_version() {
    let records = records();
    for strategy in STRATEGIES {
        let solved = run(&records, 3, &sigma()[1..2], strategy, Settings::default());
        assert!(matches!(solved.outcome, Outcome::Impossible(_)), "{solved:?}");
        let solved = run(&records, 3, &sigma(), strategy, Settings::default());
        assert!(matches!(solved.outcome, Outcome::Impossible(_)), "{solved:?}");
        assert_eq!(stars(&released(&records, 3, &[], strategy, Settings::default())), 27);
        assert_eq!(stars(&released(&records, 2, &[], strategy, Settings::default())), 20);
    }
}

/// Item 41, Example 4.1: with Σ and k = 2 the best release has 22 stars, four fewer than Table 3; with σ4 at most 24.
#[test]
fn diva_example_4_1_optimum() {
    let records = records();
    for strategy in STRATEGIES {
        let texts = released(&records, 2, &sigma(), strategy, Settings::default());
        assert_eq!(stars(&texts), 22);
        assert_eq!(classes(&texts), [vec![1, 2], vec![3, 7], vec![4, 9], vec![5, 6], vec![8, 10]]);
        assert!(stars(&released(&records, 2, &with_sigma_4(), strategy, Settings::default())) <= 24);
    }
}

/// Item 42, Example 4.4: {{t5,t6}} for σ2 and {{t6,t7}} for σ3 are not consistent: as one cluster they show no Vancouver.
#[test]
fn diva_example_4_4_inconsistent_clusterings() {
    let records = records();
    let city = |row: usize| records.table.columns[5].text(row);
    assert!(city(4) != "Vancouver" && city(5) == "Vancouver" && city(6) == "Vancouver");
    let of_sigma_2 = vec![vec![4, 5]];
    let mut seen = 0;
    for seed in 0..40 {
        let solved = run_by(seed, &records, 2, &sigma(), Strategy::Naive, Settings::default());
        let mut has_colour = false;
        for step in &solved.trace.steps {
            match step {
                Step::Coloured { constraint: 1, clusters, .. } => {
                    assert_eq!(*clusters, of_sigma_2);
                    has_colour = true;
                }
                Step::Coloured { constraint: 2, clusters, .. } if has_colour => {
                    assert!(clusters.iter().flatten().all(|&row| row != 5), "t6 is in two clusters");
                }
                Step::Rejected { constraint: 2, clusters, because, .. } if has_colour => {
                    seen += u32::from(*clusters == [vec![5, 6]] && *because == Some(1));
                }
                Step::Rejected { constraint: 1, clusters, because, .. } => {
                    assert_eq!((clusters, *because), (&of_sigma_2, Some(2)));
                    seen += 1;
                }
                Step::Backtracked { constraint: 1 } => has_colour = false,
                _ => {}
            }
        }
    }
    assert!(seen > 0, "no run met them");
}

/// Item 43, Examples 4.5–4.6: the graph of Figure 1 and its 4, 1 and 13 candidate clusterings (the paper says 12);
/// MinChoice starts with σ2, MaxFanOut with σ3.
#[test]
fn diva_examples_4_5_and_4_6_candidates() {
    let records = records();
    for (strategy, first) in [(Strategy::Naive, None), (Strategy::MinChoice, Some(1)), (Strategy::MaxFanOut, Some(2))] {
        let trace = run(&records, 2, &sigma(), strategy, Settings::default()).trace;
        assert_eq!(trace.candidates, [Some(4), Some(1), Some(13)]);
        assert_eq!(trace.neighbours, [vec![2], vec![2], vec![0, 1]]);
        let Some(Step::Coloured { constraint, .. }) = trace.steps.first() else { panic!("{:?}", trace.steps) };
        assert!(first.is_none_or(|first| first == *constraint), "{strategy:?} starts with {constraint}");
    }
}
