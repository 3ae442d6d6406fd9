//! From a policy to a released file, through the engine's door: outcomes, files, and what a reader can check.
#![cfg(not(target_arch = "wasm32"))]

#[path = "run/compare.rs"]
mod compare;
#[path = "run/outcomes.rs"]
mod outcomes;
#[path = "run/report.rs"]
mod report;
mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use support::{ask, file, open_files};
use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::policy::{Algorithm, Demand, Edit, Method, ModelDemand};
use throng::protocol::{Request, Response};
use throng::run::RunView;

const TABLE: &str = "name,age,zip,disease,note\n\
    Ann,21,13053,flu,a\nBob,23,13068,flu,b\nCid,35,13053,cold,c\nDot,38,14850,cancer,d\n\
    Eve,52,14850,cold,e\nFay,57,14853,flu,f\nGil,?,14853,cold,g\nHal,,14850,flu,h\n";

fn policy(rest: &str) -> String {
    format!(
        r#"{{"throng": 1, "columns": {{
            "name": {{"role": "identifier"}},
            "age": {{"role": "quasi", "hierarchy": {{"rows": [["21","20-39","*"],["23","20-39","*"],["35","20-39","*"],
                ["38","20-39","*"],["52","40-59","*"],["57","40-59","*"]]}}}},
            "zip": {{"role": "quasi", "hierarchy": {{"recipe": {{"mask": {{"keep_at_least": 3}}}}}}}},
            "disease": {{"role": "sensitive"}},
            "note": {{"role": "insensitive"}}}}, {rest}}}"#
    )
}

fn run(table: &str, policy: &str) -> Result<(RunView, String), Failure> {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", table), file("policy.json", policy)])?;
    let view = match ask(&engine, Request::Run, vec![])? {
        Response::Ran(view) => *view,
        other => panic!("{other:?}"),
    };
    match ask(&engine, Request::Export { protected: false, row_numbers: true }, vec![])? {
        Response::File(bytes) => Ok((view, String::from_utf8(bytes).unwrap())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_release_is_what_the_policy_asks() {
    let asked = policy(r#""privacy": [{"model": "k-anonymity", "k": 2}], "suppression_limit": 0.25"#);
    let (view, csv) = run(TABLE, &asked).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "_row,age,zip,disease,note");
    assert_eq!(lines.len() as u64 - 1, view.verified.rows);
    assert_eq!(view.verified.rows + view.verified.suppressed, 8);
    assert!(view.verified.suppressed <= 2);
    // Same table, policy and seed: the same bytes; full-domain recoding has no use for a seed.
    assert_eq!(run(TABLE, &asked).unwrap().1, csv);
    let other = run(TABLE, &asked.replacen(r#""privacy""#, r#""seed": 7, "privacy""#, 1)).unwrap().1;
    assert_eq!(csv, other);
    let report: serde_json::Value = view.to_value(&view.findings, Some(1.0));
    assert_eq!(report["verified"], true);
    assert_eq!(report["privacy"][0]["holds"], true);
    assert_eq!(report["privacy"][0]["achieved"], f64::from(view.smallest));
    assert!(
        report["levels"]["age"].is_u64() && report["metrics"]["loss"].is_f64() && report["seconds"]["search"].is_f64()
    );
}

#[test]
fn impossible_is_said_with_what_was_decided() {
    // With limits the two oldest can't join anyone, and no row may go.
    let limited = policy(r#""privacy": [{"model": "k-anonymity", "k": 5}]"#).replacen(
        r#"["57","40-59","*"]]}}"#,
        r#"["57","40-59","*"]]}, "limits": ["20-39", "40-59"]}"#,
        1,
    );
    let failure = run(TABLE, &limited).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Impossible, "{failure}");
    assert!(failure.what.contains("all ") && failure.what.contains("decided"), "{failure}");
    for (rest, expected) in [
        (r#""privacy": [{"model": "k-anonymity", "k": 9}]"#, "privacy[0].k"),
        (r#""privacy": [{"model": "k-anonymity", "k": 2}], "diversity": ["zip=13053: 3.."]"#, "diversity[0]"),
        (r#""privacy": [{"model": "k-anonymity", "k": 2}], "algorithm": {"name": "magic"}"#, "algorithm.name"),
    ] {
        let failure = run(TABLE, &policy(rest)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Policy);
        assert!(failure.what.contains(expected), "{failure}");
    }
    let none = policy(r#""privacy": []"#).replace(r#""role": "quasi""#, r#""role": "insensitive""#);
    assert!(run(TABLE, &none).unwrap_err().what.contains("quasi-identifier"));
    let lacking = policy(r#""privacy": []"#).replace(r#"["57","40-59","*"]"#, r#"["58","40-59","*"]"#);
    let failure = run(TABLE, &lacking).unwrap_err();
    assert!(failure.what.contains("lacks 1 value of the data (1 row)"), "{failure}");
    assert!(ask(&Engine::default(), Request::Export { protected: true, row_numbers: false }, vec![]).is_err());
}

#[test]
fn a_spreadsheet_gets_no_formulas_unless_asked() {
    let table = "q,s,note\n1,x,=1+1\n1,y,-5\n1,x,@cmd\n1,y,plain\n";
    let text = r#"{"throng": 1, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}, "note": {"role": "insensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 4}]}"#;
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", table), file("policy.json", text)]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let notes = |protected| {
        let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected, row_numbers: false }, vec![]) else {
            panic!()
        };
        let text = String::from_utf8(bytes).unwrap();
        let mut notes: Vec<String> =
            text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect();
        notes.sort();
        notes
    };
    assert_eq!(notes(true), ["'=1+1", "'@cmd", "-5", "plain"]);
    assert_eq!(notes(false), ["-5", "=1+1", "@cmd", "plain"]);
}

/// Two levels over at most nine values: value, group, root.
fn rows_of(groups: &[u8]) -> Vec<Vec<String>> {
    groups.iter().enumerate().map(|(value, group)| vec![format!("v{value}"), format!("g{group}"), "*".into()]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever comes out is checked here on texts alone; what does not is proved by trying every pair of levels.
    #[test]
    fn every_release_keeps_its_policy_and_none_is_missed(
        groups in prop::collection::vec(prop::collection::vec(0u8..3, 4), 2),
        cells in prop::collection::vec((0usize..5, 0usize..4, 0u8..4), 1..24),
        k in 1usize..5, l in 1usize..4, percent in 0u32..40, from in 0u32..2, limited in any::<bool>(),
    ) {
        // The fifth value of the first column is missing, in two spellings.
        let first = |cell: usize, row: usize| match cell { 4 if row.is_multiple_of(2) => "?".to_owned(), 4 => "NA".to_owned(), cell => format!("v{cell}") };
        let lines: String = cells.iter().enumerate().map(|(row, (a, b, s))| format!("{},v{b},s{s}\n", first(*a, row))).collect();
        let distinct = cells.iter().map(|cell| cell.2).collect::<std::collections::BTreeSet<_>>().len();
        let (k, l) = (k.min(cells.len()), l.min(distinct));
        let limits = if limited { format!(r#", "limits": ["g{}"]"#, groups[1][0]) } else { String::new() };
        let text = format!(
            r#"{{"throng": 1, "columns": {{
                "a": {{"role": "quasi", "hierarchy": {{"rows": {}}}, "from_level": {from}}},
                "b": {{"role": "quasi", "hierarchy": {{"rows": {}}}{limits}}}, "s": {{"role": "sensitive"}}}},
                "privacy": [{{"model": "k-anonymity", "k": {k}}}, {{"model": "distinct-l-diversity", "l": {l}}}],
                "suppression_limit": {}}}"#,
            serde_json::to_string(&rows_of(&groups[0])).unwrap(), serde_json::to_string(&rows_of(&groups[1])).unwrap(), f64::from(percent) / 100.0
        );
        let shown = |column: usize, cell: usize, level: u32| match (cell, level) {
            (_, 2) => "*".to_owned(),
            (4, _) if column == 0 => "missing".to_owned(),
            (cell, 0) => format!("v{cell}"),
            (cell, _) => format!("g{}", groups[column][cell]),
        };
        let allowed = cells.len() * percent as usize / 100;
        // Level 2 of b is allowed only if no row is under the limit.
        let cut = limited && cells.iter().any(|cell| groups[1][cell.1] == groups[1][0]);
        let mut feasible = false;
        for a in from..3 {
            for b in 0..if cut { 2 } else { 3 } {
                let mut classes: BTreeMap<(String, String), Vec<u8>> = BTreeMap::new();
                for &(one, two, s) in &cells {
                    classes.entry((shown(0, one, a), shown(1, two, b))).or_default().push(s);
                }
                let holds = |class: &Vec<u8>| class.len() >= k && class.iter().collect::<std::collections::BTreeSet<_>>().len() >= l;
                let gone: usize = classes.values().filter(|class| !holds(class)).map(Vec::len).sum();
                feasible |= gone <= allowed;
            }
        }
        match run(&format!("a,b,s\n{lines}"), &text) {
            Err(failure) => {
                prop_assert_eq!(failure.kind, FailureKind::Impossible, "{}", failure);
                prop_assert!(!feasible);
            }
            Ok((view, csv)) => {
                prop_assert!(feasible);
                let released: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
                prop_assert!(cells.len() - released.len() <= allowed);
                prop_assert_eq!(view.verified.suppressed as usize, cells.len() - released.len());
                let mut classes: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
                for row in &released {
                    let (a, b, s) = cells[row[0].parse::<usize>().unwrap() - 1];
                    let as_shown = |text: &str| if ["?", "NA"].contains(&text) { "missing".to_owned() } else { text.to_owned() };
                    prop_assert!((from..3).any(|level| shown(0, a, level) == as_shown(row[1])), "{} is no {}", row[1], a);
                    let levels = if limited && groups[1][b] == groups[1][0] { 2 } else { 3 };
                    prop_assert!((0..levels).any(|level| shown(1, b, level) == row[2]));
                    prop_assert_eq!(row[3], format!("s{s}"));
                    classes.entry((row[1], row[2])).or_default().push(row[3]);
                }
                for class in classes.values() {
                    prop_assert!(class.len() >= k);
                    prop_assert!(class.iter().collect::<std::collections::BTreeSet<_>>().len() >= l);
                }
                prop_assert_eq!(view.verified.classes as usize, classes.len());
            }
        }
    }
}

#[test]
fn how_far_values_went_adds_up_to_the_released_cells() {
    for algorithm in ["k-member", "mondrian", "lattice"] {
        let asked = policy(&format!(
            r#""privacy": [{{"model": "k-anonymity", "k": 2}}], "suppression_limit": 0.25, "algorithm": {{"name": "{algorithm}"}}"#
        ));
        let engine = Engine::default();
        open_files(&engine, vec![file("table.csv", TABLE), file("policy.json", asked.as_str())]).unwrap();
        ask(&engine, Request::Run, vec![]).unwrap();
        let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: true }, vec![])
        else {
            panic!("no file")
        };
        let csv = String::from_utf8(bytes).unwrap();
        for (column, place) in [(1, 1), (2, 2)] {
            let Ok(Response::Spread(spread)) = ask(&engine, Request::Spread { column }, vec![]) else { panic!("none") };
            let cells = csv.lines().skip(1).map(|line| line.split(',').nth(place).unwrap());
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            cells.for_each(|cell| *counts.entry(cell).or_default() += 1);
            let shown: BTreeMap<&str, u64> = spread
                .nodes
                .iter()
                .filter(|node| node.shown > 0)
                .map(|node| (node.label.as_str(), node.shown))
                .collect();
            // Two tokens of missing values are two texts of the same place in the tree.
            let of_tokens = |counts: &BTreeMap<&str, u64>| counts.values().sum::<u64>();
            assert_eq!(of_tokens(&shown), of_tokens(&counts), "{algorithm} {column}");
            for (label, count) in &shown {
                assert!(counts.get(label).is_some_and(|cells| cells <= count) || label.is_empty(), "{label}");
            }
            assert_eq!(spread.steps.iter().sum::<u64>() + spread.suppressed, 8);
            assert_eq!(spread.nodes[0].rows, 8, "the root has all rows");
            let untouched = csv.lines().skip(1).filter(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                let row: usize = cells[0].parse().unwrap();
                TABLE.lines().nth(row).unwrap().split(',').nth(place) == Some(cells[place])
            });
            assert!(spread.steps[0] >= untouched.count() as u64);
        }
        assert!(ask(&engine, Request::Spread { column: 3 }, vec![]).is_err(), "not a quasi-identifier");
    }
}

#[test]
fn without_the_limits_the_seven_patients_pass_them() {
    let engine = Engine::default();
    let sample = Request::OpenSample { id: "seven-patients".into(), rows: 0, seed: 1 };
    let Ok(Response::Opened(opened)) = ask(&engine, sample, vec![]) else { panic!("no sample") };
    let names: Vec<String> = opened.table.unwrap().columns.into_iter().map(|column| column.name).collect();
    let location = names.iter().position(|name| name == "Location").unwrap() as u32;
    let edits = [
        Edit::Privacy {
            demands: vec![Demand { attribute: None, jointly: false, model: ModelDemand::KAnonymity { k: 2 } }],
            typing: false,
        },
        Edit::Algorithm(Algorithm::Local { method: Method::GreedyCka, refine: false }),
    ];
    for edit in edits {
        ask(&engine, Request::Edit(edit), vec![]).unwrap();
    }
    let Ok(Response::Tree(tree)) = ask(&engine, Request::Tree { column: location }, vec![]) else { panic!("no tree") };
    for label in ["California", "Midwest", "Kansas"] {
        let node = tree.nodes.iter().find(|node| node.label == label).unwrap();
        if !node.marked {
            ask(&engine, Request::Edit(Edit::Limit { column: location, node: node.id, marked: true }), vec![]).unwrap();
        }
    }
    let Ok(Response::Ran(within)) = ask(&engine, Request::Run, vec![]) else { panic!("no run") };
    assert_eq!(within.verified.suppressed, 0);
    let Ok(Response::Unconstrained(without)) = ask(&engine, Request::Unconstrained, vec![]) else { panic!("none") };
    // Figure 4: a) is cheaper and passes limits.
    assert_eq!(without.violations.len(), 1);
    assert!(without.violations[0].0 == "Location" && without.violations[0].1 > 0, "{without:?}");
    assert!(without.loss <= within.metrics.loss);
}

#[test]
fn diva_keeps_the_constraints_of_the_paper_and_says_when_it_cannot() {
    let table = throng::samples::table("medical-records", 0, 1).unwrap();
    let table = String::from_utf8(table.bytes).unwrap();
    let asked = |k: u32, diversity: &str, strategy: &str| {
        format!(
            r#"{{"throng": 1, "columns": {{"GEN": {{"role": "quasi"}}, "ETH": {{"role": "quasi"}},
                "AGE": {{"role": "quasi"}}, "PRV": {{"role": "quasi"}}, "CTY": {{"role": "quasi"}},
                "DIAG": {{"role": "sensitive"}}}}, "others": "insensitive",
                "privacy": [{{"model": "k-anonymity", "k": {k}}}], "diversity": [{diversity}],
                "algorithm": {{"name": "diva", "strategy": "{strategy}"}}}}"#
        )
    };
    let three = r#""ETH=Asian: 2..5", "ETH=African: 1..3", "CTY=Vancouver: 2..4""#;
    for strategy in ["naive", "min-choice", "max-fan-out"] {
        let (view, csv) = run(&table, &asked(2, three, strategy)).unwrap();
        assert_eq!((view.metrics.stars, view.verified.suppressed), (22, 0), "{strategy}");
        let shows = |value: &str| csv.lines().filter(|line| line.split(',').any(|cell| cell == value)).count() as u64;
        for (constraint, value) in view.diversity.iter().zip(["Asian", "African", "Vancouver"]) {
            assert_eq!(constraint.after, shows(value));
            assert!(constraint.least <= constraint.after && constraint.after <= constraint.most.unwrap());
        }
        let report: serde_json::Value = view.to_value(&view.findings, None);
        assert_eq!(report["diversity"][0]["constraint"], "ETH=Asian: 2..5");
        assert_eq!(report["diversity"][2]["count"], shows("Vancouver"));
        let with_men = format!(r#"{three}, "GEN=Male: 1..3""#);
        assert!(run(&table, &asked(2, &with_men, strategy)).unwrap().0.metrics.stars <= 24);
        let failure = run(&table, &asked(3, three, strategy)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Impossible, "{failure}");
        assert_eq!(run(&table, &asked(2, "", strategy)).unwrap().0.metrics.stars, 20);
        assert_eq!(run(&table, &asked(3, "", strategy)).unwrap().0.metrics.stars, 27);
    }
}

/// Of a column's missing values every token is the same value, in columns that are released as they are, too.
#[test]
fn diva_counts_every_token_of_missing_values() {
    let table = "A,S\na,?\na,NA\nb,x\nb,x\n";
    let asked = |role: &str, line: &str| {
        format!(
            r#"{{"throng": 1, "columns": {{"A": {{"role": "quasi"}}, "S": {{"role": "{role}"}}}},
                "privacy": [{{"model": "k-anonymity", "k": 2}}], "diversity": ["{line}"],
                "algorithm": {{"name": "diva"}}}}"#
        )
    };
    for (role, line, stars) in [
        ("sensitive", "A=a & S=?: 2..", 0),
        ("sensitive", "S=NA: 2..", 0),
        ("sensitive", "A=a & S=?: ..1", 2),
        ("insensitive", "A=a & S=NA: ..1", 2),
    ] {
        let (view, _) = run(table, &asked(role, line)).unwrap_or_else(|failure| panic!("{line}: {failure}"));
        assert_eq!((view.metrics.stars, view.verified.suppressed), (stars, 0), "{line}");
    }
}

/// Ways to show a class are as many as differ in what constraints count, however tall the hierarchies are: with all of
/// them, this would take hours.
#[test]
fn diva_proves_the_optimum_under_tall_hierarchies() {
    let digit = |row: u64, column: u64| (row * 7 + column * 5 + row * row * column) % 3;
    let table: String = std::iter::once("Q0,Q1,Q2,Q3,Q4,Q5\n".to_owned())
        .chain((0..14).map(|row| {
            let cells: Vec<String> = (0..6).map(|column| format!("w{}", digit(row, column))).collect();
            cells.join(",") + "\n"
        }))
        .collect();
    let path = |leaf: u32| format!(r#"["w{leaf}","n0","n1","n2","n3","n4","n5","n6","n7","*"]"#);
    let rows = format!("{},{},{}", path(0), path(1), path(2));
    let column = |number| format!(r#""Q{number}": {{"role": "quasi", "hierarchy": {{"rows": [{rows}]}}}}"#);
    let columns: Vec<String> = (0..6).map(column).collect();
    let lines: Vec<String> = (0..6).map(|number| format!(r#""Q{number}=n0: 1..""#)).collect();
    let policy = format!(
        r#"{{"throng": 1, "columns": {{{}}}, "privacy": [{{"model": "k-anonymity", "k": 2}}], "diversity": [{}],
            "algorithm": {{"name": "diva"}}}}"#,
        columns.join(","),
        lines.join(",")
    );
    let (view, _) = run(&table, &policy).unwrap();
    assert!(view.colouring.is_some_and(|colouring| colouring.optimal));
}

/// Where classes are large and the constraints cut the rows into many small cells, a release shows little but what the
/// constraints name.
#[test]
fn diva_finds_large_classes_among_many_small_cells() {
    let mut state = 36u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let mut table = String::from("A,B,C,D,E\n");
    for _ in 0..1000 {
        let mut cells = Vec::new();
        for (name, values) in [("A", 4), ("B", 2), ("C", 3), ("D", 5), ("E", 4)] {
            cells.push(format!("{name}{}", below(values).min(below(values))));
        }
        table += &(cells.join(",") + "\n");
    }
    let policy = r#"{"throng": 1, "columns": {"A": {"role": "quasi"}, "B": {"role": "quasi"}, "C": {"role": "quasi"},
        "D": {"role": "quasi"}, "E": {"role": "quasi"}}, "privacy": [{"model": "k-anonymity", "k": 50}],
        "diversity": ["B=B0 & C=C1 & D=D1: 33..", "A=A3: 32..63", "A=A1 & B=B0: 151..", "A=A1 & E=E1: 68..94",
            "D=D1: 146..215", "A=A0: 295.."],
        "algorithm": {"name": "diva"}}"#;
    let (view, _) = run(&table, policy).unwrap();
    assert!(view.smallest >= 50 && view.diversity.iter().all(|constraint| constraint.after >= constraint.least));
}

/// c_avg is the average class over the k that is demanded: of several, the largest holds.
#[test]
fn the_average_class_is_measured_by_the_largest_k() {
    let table = "age,ill\n".to_owned() + &"30,flu\n31,flu\n".repeat(20);
    let c_avg = |privacy: &str| {
        let policy = format!(
            r#"{{"throng": 1, "columns": {{"age": {{"role": "quasi"}}, "ill": {{"role": "sensitive"}}}}, "privacy": [{privacy}]}}"#
        );
        run(&table, &policy).unwrap().0.metrics.c_avg
    };
    let [two, ten] = [2, 10].map(|k| format!(r#"{{"model": "k-anonymity", "k": {k}}}"#));
    assert_eq!([c_avg(&two), c_avg(&ten)], [Some(10.0), Some(2.0)]);
    assert_eq!([c_avg(&format!("{two}, {ten}")), c_avg(&format!("{ten}, {two}"))], [Some(2.0); 2]);
}
