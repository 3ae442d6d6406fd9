//! DIVA beside the reasoning about its constraints, which decides exactly where only k is asked and cells are kept or
//! suppressed: what is proved possible there is released, and what is proved impossible is said to be that.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use throng::constraints::view::Verdict;
use throng::engine::Engine;
use throng::failure::FailureKind;
use throng::protocol::{Request, Response};

use crate::run;
use crate::support::{ask, file, open_files};

/// A table with four columns, low values frequent, and a policy with narrow bounds of which small groups are part.
fn case(seed: u64) -> (String, String) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |bound: u32| random.next_u32() % bound;
    let rows = 200 + below(600);
    let mut csv = String::from("a,b,c,d\n");
    let mut cells: Vec<[u32; 4]> = Vec::new();
    for _ in 0..rows {
        let mut low = |count: u32| below(count).min(below(count));
        let row = [low(3), low(5), low(6), low(4)];
        csv += &format!("a{},b{},c{},d{}\n", row[0], row[1], row[2], row[3]);
        cells.push(row);
    }
    let k = 3 + below(rows / 20);
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    for _ in 0..3 + below(6) {
        let row = cells[below(rows) as usize];
        let columns = [&[0usize][..], &[1], &[0, 1], &[2], &[1, 2]][below(5) as usize];
        let shown = cells.iter().filter(|other| columns.iter().all(|&column| other[column] == row[column])).count();
        let shown = shown as u32;
        let part = |&column: &usize| {
            let letter = ["a", "b", "c", "d"][column];
            format!("{letter}={letter}{}", row[column])
        };
        // Shares of the group, all of it, or most of it.
        let least = match below(12) {
            0 => shown,
            1 => shown.saturating_sub(1 + below(4)),
            _ => shown * (60 + below(35)) / 100,
        };
        let target = columns.iter().map(part).collect::<Vec<_>>().join(" & ");
        lines.insert(target.clone(), format!("{target}: {least}..{}", least + below(3)));
    }
    let lines: Vec<String> = lines.into_values().collect();
    let strategy = ["min-choice", "max-fan-out", "naive"][below(3) as usize];
    let policy = format!(
        r#"{{"throng": 1, "columns": {{"a": {{"role": "quasi"}}, "b": {{"role": "quasi"}}, "c": {{"role": "quasi"}}, "d": {{"role": "quasi"}}}},
            "privacy": [{{"model": "k-anonymity", "k": {k}}}], "diversity": {lines:?},
            "algorithm": {{"name": "diva", "strategy": "{strategy}", "refine": false}}, "seed": {seed}}}"#
    );
    (csv, policy)
}

/// A smaller one with groups of values, lines that name groups and a column that is kept as it is, and rows to spare.
fn case_with_groups(seed: u64) -> (String, String) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |bound: u32| random.next_u32() % bound;
    let rows = 20 + below(100);
    let mut csv = String::from("a,b,s\n");
    let mut cells: Vec<[u32; 3]> = Vec::new();
    for _ in 0..rows {
        let row = [below(6).min(below(6)), below(4), below(3)];
        csv += &format!("a{},b{},s{}\n", row[0], row[1], row[2]);
        cells.push(row);
    }
    let k = 2 + below(6);
    // Values in groups of two, these in groups of four.
    let shown = |column: usize, value: u32, level: u32| match column {
        2 => format!("s{value}"),
        _ => format!("{}{}{}", ["a", "b"][column], ["", "g", "h"][level as usize], value >> level),
    };
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    for _ in 0..2 + below(6) {
        let row = cells[below(rows) as usize];
        let columns = [&[0usize][..], &[1], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]][below(6) as usize];
        let levels = [below(3), below(3), 0];
        let part =
            |&column: &usize| format!("{}={}", ["a", "b", "s"][column], shown(column, row[column], levels[column]));
        let same = |other: &&[u32; 3]| {
            columns.iter().all(|&column| other[column] >> levels[column] == row[column] >> levels[column])
        };
        let able = cells.iter().filter(same).count() as u32;
        let least = able * below(101) / 100;
        let target = columns.iter().map(part).collect::<Vec<_>>().join(" & ");
        lines.insert(target.clone(), format!("{target}: {least}..{}", least + below(4)));
    }
    let lines: Vec<String> = lines.into_values().collect();
    let tree = |column: usize, values: u32| {
        let path = |value: u32| {
            let path: Vec<String> = (0..3).map(|level| shown(column, value, level)).chain(["*".into()]).collect();
            format!("{path:?}")
        };
        format!(
            r#"{{"role": "quasi", "hierarchy": {{"rows": [{}]}}}}"#,
            (0..values).map(path).collect::<Vec<_>>().join(", ")
        )
    };
    let spared = ["0", "0", "0.1"][below(3) as usize];
    let policy = format!(
        r#"{{"throng": 1, "columns": {{"a": {}, "b": {}, "s": {{"role": "insensitive"}}}}, "suppression_limit": {spared},
            "privacy": [{{"model": "k-anonymity", "k": {k}}}], "diversity": {lines:?}, "algorithm": {{"name": "diva"}}}}"#,
        tree(0, 6),
        tree(1, 4)
    );
    (csv, policy)
}

#[test]
fn diva_agrees_with_what_is_proved_of_its_constraints() {
    agrees(case, 400);
}

#[test]
fn diva_agrees_with_what_is_proved_of_constraints_on_groups() {
    agrees(case_with_groups, 1500);
}

fn agrees(case: fn(u64) -> (String, String), seeds: u64) {
    let (mut released, mut impossible, mut open, mut missed) = (0, 0, 0, Vec::new());
    for seed in 1..=seeds {
        let (csv, policy) = case(seed);
        let engine = Engine::default();
        // Bounds that the table can't hold are mistakes, told where they were typed.
        if open_files(&engine, vec![file("table.csv", csv.as_str()), file("policy.json", policy.as_str())]).is_err() {
            continue;
        }
        let lines: serde_json::Value = serde_json::from_str(&policy).unwrap();
        let lines = lines["diversity"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned());
        let Ok(Response::Constraints(view)) =
            ask(&engine, Request::Constraints { lines: lines.collect(), faultless: false }, vec![])
        else {
            panic!("no answer")
        };
        let outcome = run(&csv, &policy);
        match (view.verdicts[2], outcome) {
            (Verdict::Impossible, Ok(_)) => panic!("seed {seed}: released, but proved impossible"),
            (Verdict::Impossible, Err(failure)) => {
                assert_eq!(failure.kind, FailureKind::Impossible, "seed {seed}: {failure}");
                assert!(failure.what.starts_with("Proved impossible: "), "seed {seed}: {failure}");
                impossible += 1;
            }
            (Verdict::Possible, outcome) => {
                assert!(view.proved, "seed {seed}: only k is asked");
                match outcome {
                    Ok(_) => released += 1,
                    Err(failure) => {
                        assert!(failure.what.starts_with("Not found: "), "seed {seed}: {failure}");
                        missed.push(seed);
                    }
                }
            }
            (Verdict::Undecided, _) => open += 1,
        }
    }
    println!("{released} released, {impossible} proved impossible, {open} not decided, not found: {missed:?}");
    assert!(released > 30 && impossible > 30);
    assert!(missed.is_empty(), "possible, but not found: {missed:?}");
}

/// All rows of one value must be shown and some of the other hidden, too few for a class: no count alone tells.
#[test]
fn what_no_count_proves_the_integer_program_does() {
    let mut csv = String::from("a,b,c\n");
    for row in 0..80 {
        csv += &format!("{},b{},c{}\n", if row < 30 { "x" } else { "y" }, row % 11, row % 7);
    }
    let policy = r#"{"throng": 1, "columns": {"a": {"role": "quasi"}, "b": {"role": "quasi"}, "c": {"role": "quasi"}},
        "privacy": [{"model": "k-anonymity", "k": 10}], "diversity": ["a=x: 25..25", "a=y: 50..50"],
        "algorithm": {"name": "diva"}}"#;
    let failure = run(&csv, policy).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Impossible);
    assert!(failure.what.contains("Proved impossible: Constraints 1 and 2 can't be met together"), "{failure}");
    // With one row of the other value less to show, there are enough to hide.
    assert!(run(&csv, &policy.replace("50..50", "45..50")).is_ok());
}

/// (τ,ℓ)-diversity lets sensitive values be generalized: what algorithms that keep them don't find is not impossible.
#[test]
fn what_needs_generalized_values_is_not_called_impossible() {
    let columns = r#""columns": {"a": {"role": "quasi"},
        "s": {"role": "sensitive", "hierarchy": {"rows": [["p", "g", "*"], ["q", "g", "*"]]}}}"#;
    let asked = r#""privacy": [{"model": "tau-l-diversity", "attribute": "s", "tau": 0.6, "l": 2}]"#;
    let policy = |line: &str, algorithm: &str| {
        format!(
            r#"{{"throng": 1, {columns}, {asked}, "diversity": [{line:?}], "algorithm": {{"name": {algorithm:?}}}}}"#
        )
    };
    let uneven = "a,s\nx,p\nx,p\ny,p\ny,q\n";
    assert!(run(uneven, &policy("a=x: 1..", "sweep")).is_ok());
    for (table, line) in [(uneven, "a=x: 1.."), (EVEN, "s=g: 1.."), (EVEN, "s=p: ..1")] {
        for algorithm in ["diva", "k-member", "mondrian", "greedy-cka"] {
            let failure = run(table, &policy(line, algorithm)).unwrap_err();
            assert!(failure.what.starts_with("Not found: "), "{algorithm}, {line}: {failure}");
        }
    }
}

const EVEN: &str = "a,s\nx,p\nx,q\ny,p\ny,q\n";

/// Constraints that hold anyway are not part of the reason, however long it would take to find it out.
#[test]
fn reasons_name_only_what_is_proved_to_matter() {
    let mut csv = String::from("GEN,ETH,AGE,PRV,CTY\n");
    for (row, eth) in ["Caucasian", "Caucasian", "African", "Asian"].iter().cycle().take(17).enumerate() {
        let city = ["Calgary", "Vancouver", "Toronto"][row % 3];
        csv += &format!("{},{eth},{},{},{city}\n", ["Male", "Female"][row % 2], 20 + row, ["AB", "BC", "QC"][row % 3]);
    }
    let policy = r#"{"throng": 1, "columns": {"GEN": {"role": "quasi"}, "ETH": {"role": "quasi"}, "AGE": {"role": "quasi"},
        "PRV": {"role": "quasi"}, "CTY": {"role": "quasi"}}, "privacy": [{"model": "k-anonymity", "k": 4}],
        "diversity": ["GEN=Male: 0..", "ETH=African: 3..", "CTY=Toronto: 4..4", "PRV=QC: 5..", "CTY=Calgary: 0.."],
        "algorithm": {"name": "diva"}}"#;
    let failure = run(&csv, policy).unwrap_err();
    assert!(failure.what.starts_with("Proved impossible: "), "{failure}");
    assert!(
        !failure.what.contains("18,446") && !failure.what.contains(" 1 ") && !failure.what.contains('5'),
        "{failure}"
    );
}
