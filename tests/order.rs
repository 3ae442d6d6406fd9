//! The order of the input's rows is in no output (issue 20, point 7).
//!
//! What an output is for a table, it must be, byte by byte, for the same rows in any other order and, where no search draws
//! lots, for any seed: then nothing of that order can be read from it, whoever knows policy and seed. Beside that, rows of a
//! release stand in the order of their texts, so that two rows that show the same could be swapped and no byte would differ.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value, json};
use support::{ask, file, open_files, text};
use throng::constraints::generate::{Class, Wish as GeneratedWish};
use throng::engine::Engine;
use throng::linkage::apply::{ApplySettings, Unseen};
use throng::linkage::door::LinkQuestion;
use throng::linkage::mechanism::Wish;
use throng::linkage::plan::PlanSettings;
use throng::linkage::simulate::{Anonymizer, SimulateSettings};
use throng::protocol::{Request, Response};
use throng::report::Audience;
use throng::sql::Dialect;
use throng::table::Role;

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

const HEADER: &str = "name,age,zip,job,sex,illness,note\n";

/// Rows with what could give an order away: missing cells by several tokens, a quasi-identifier without a hierarchy, values
/// that the given hierarchy lacks, equal numbers in several spellings, an unprotected column of many texts.
fn rows(count: u64, seed: u64) -> Vec<String> {
    let mut dice = Dice(seed);
    let mut pick = |texts: &[&str]| texts[dice.below(texts.len() as u64) as usize].to_owned();
    let mut row = |number: u64| {
        let digits: Vec<String> = (0..3).map(|_| pick(&["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])).collect();
        let age = format!("{}{}", pick(&["2", "3", "4", "5"]), digits[0]);
        let zip = format!("13{}{}", pick(&["0", "1", "2"]), digits[1]);
        let job = pick(&["Nurse", "Cook", "Clerk", "?", "NA", "N/A", "Baker"]);
        let illness = pick(&["Flu", "Cold", "Gout", "Fever", "?", "NA", "Angina"]);
        let note = pick(&["", "x", "1", "1.0", "01", "zz", "é", &digits[2]]);
        format!("p{number},{age},{zip},{job},{},{illness},{note}\n", pick(&["F", "M", "?"]))
    };
    (0..count).map(&mut row).collect()
}

fn shuffled(rows: &[String], seed: u64) -> String {
    let (mut rows, mut dice) = (rows.to_vec(), Dice(seed));
    for last in (1..rows.len()).rev().filter(|_| seed > 0) {
        rows.swap(last, dice.below(last as u64 + 1) as usize);
    }
    HEADER.to_owned() + &rows.concat()
}

fn policy(algorithm: Value, seed: u64) -> Value {
    json!({
        "throng": 1, "seed": seed, "suppression_limit": 0.1, "algorithm": algorithm,
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi", "hierarchy": {"recipe": {"intervals": {"width": 5, "factors": [2]}}}},
            "zip": {"role": "quasi", "hierarchy": {"recipe": {"mask": {"keep_at_least": 2}}}},
            "job": {"role": "quasi", "hierarchy": {"rows":
                [["Nurse", "Care", "*"], ["Cook", "Food", "*"], ["Baker", "Food", "*"], ["Clerk", "Office", "*"]]}},
            "sex": {"role": "quasi"},
            "illness": {"role": "sensitive"},
            "note": {"role": "insensitive"}
        },
        "privacy": [{"model": "k-anonymity", "k": 4},
            {"model": "distinct-l-diversity", "attribute": "illness", "l": 2}],
    })
}

fn opened(csv: &str, policy: &Value) -> Engine {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    engine
}

fn bytes(engine: &Engine, request: Request) -> String {
    match ask(engine, request, vec![]).unwrap() {
        Response::File(bytes) => String::from_utf8(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Without the digest of the input's file, which is another file.
fn report(engine: &Engine, audience: Audience) -> String {
    let html = text(engine, Request::Report { audience, date: "2026-11-19".into(), written: Default::default() });
    match html.split_once("SHA-256 of the file</th>") {
        Some((before, rest)) => before.to_owned() + rest.split_once("</tr>").unwrap().1,
        None => html,
    }
}

/// Everything that a run can leave behind, by its name.
fn outputs(csv: &str, policy: &Value) -> Vec<(&'static str, String)> {
    let engine = opened(csv, policy);
    let view = match ask(&engine, Request::Run, vec![]) {
        Ok(Response::Ran(view)) => *view,
        Ok(other) => panic!("{other:?}"),
        Err(failure) => return vec![("failure", failure.to_string())],
    };
    let sql = ask(&engine, Request::Sql { table: "data".into(), dialect: Dialect::Standard }, vec![]);
    let Ok(Response::Audit(audit)) = ask(&engine, Request::Audit, vec![]) else { panic!() };
    // What the page draws of the run; but which rows a step took is told by their numbers in the input.
    let shown = throng::run::RunView { colouring: None, sweep: None, ..view.clone() };
    let without = match policy["algorithm"]["name"].as_str() {
        Some("lattice" | "sweep") => String::new(),
        _ => format!("{:?}", ask(&engine, Request::Unconstrained, vec![])),
    };
    vec![
        ("release", bytes(&engine, Request::Export { protected: false, row_numbers: false })),
        ("policy", text(&engine, Request::SavePolicy)),
        (
            "sql",
            match sql {
                Ok(Response::Text(script)) => script,
                other => format!("{other:?}"),
            },
        ),
        ("external report", report(&engine, Audience::External)),
        ("internal report", report(&engine, Audience::Internal)),
        ("report", view.to_value(&view.findings, None).to_string()),
        ("view of the run", format!("{shown:?}")),
        ("audit", audit.to_json()),
        ("without limits or constraints", without),
    ]
}

fn the_same_for_any_order(algorithm: Value, count: u64, orders: u64) {
    the_same_by(&policy(algorithm, 3), count, orders);
}

fn the_same_by(policy: &Value, count: u64, orders: u64) {
    let (rows, algorithm) = (rows(count, 5), &policy["algorithm"]);
    let expected = outputs(&shuffled(&rows, 0), policy);
    assert!(expected.len() > 1, "{algorithm}: {expected:?}");
    for order in 1..=orders {
        for ((name, expected), (_, found)) in expected.iter().zip(outputs(&shuffled(&rows, order), policy)) {
            let different = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
            assert_eq!(different, None, "{algorithm}, order {order}: {name}");
            assert_eq!(*expected, found, "{algorithm}, order {order}: {name}");
        }
    }
}

#[test]
fn full_domain_recoding_does_not_tell_the_order_of_the_rows() {
    the_same_for_any_order(json!({"name": "lattice"}), 400, 12);
    the_same_for_any_order(json!({"name": "lattice", "metric": "kl-divergence"}), 150, 12);
}

#[test]
fn mondrian_does_not_tell_the_order_of_the_rows() {
    the_same_for_any_order(json!({"name": "mondrian", "refine": false}), 400, 12);
    the_same_for_any_order(json!({"name": "mondrian"}), 200, 6);
}

#[test]
fn other_algorithms_do_not_tell_the_order_of_the_rows() {
    for algorithm in [
        json!({"name": "k-member"}),
        json!({"name": "k-member", "refine": false}),
        json!({"name": "greedy-cka"}),
        json!({"name": "one-d", "curve": "hilbert"}),
        json!({"name": "one-d", "curve": "lexicographic", "refine": false}),
        json!({"name": "greedy-generalize"}),
        json!({"name": "diva"}),
    ] {
        the_same_for_any_order(algorithm, 150, 6);
    }
}

/// Sums of fractions and what decides between equals must not follow the numbers that values got as they came: models that
/// look at many values, of which many are equally frequent.
fn policy_of_many_values(algorithm: Value) -> Value {
    let mut policy = policy(algorithm.clone(), 3);
    policy["suppression_limit"] = json!(0.5);
    policy["columns"]["note"] = json!({"role": "sensitive"});
    policy["columns"]["illness"] = json!({"role": "sensitive", "hierarchy": {"rows": [["Flu", "Lung", "*"],
        ["Cold", "Lung", "*"], ["Angina", "Heart", "*"], ["Gout", "Other", "*"], ["Fever", "Other", "*"]]}});
    let mut demands = vec![
        json!({"model": "k-anonymity", "k": 4}),
        json!({"model": "entropy-l-diversity", "attribute": "illness", "l": 1.7}),
        json!({"model": "recursive-cl-diversity", "attribute": "illness", "c": 4.0, "l": 2}),
        json!({"model": "alpha-k", "attribute": "illness", "alpha": 0.8}),
        json!({"model": "t-closeness", "attribute": "illness", "t": 0.5, "distance": "hierarchical"}),
        json!({"model": "t-closeness", "attribute": "note", "t": 0.55, "distance": "equal"}),
        json!({"model": "entropy-l-diversity", "attribute": "note", "l": 2.1}),
    ];
    if algorithm["name"] == "one-d" {
        demands.truncate(2);
    }
    policy["privacy"] = json!(demands);
    if algorithm["name"] == "diva" {
        policy["diversity"] = json!(["sex=F: 5..", "sex=M & zip=13**: ..140"]);
    }
    policy
}

#[test]
fn no_figure_tells_the_order_of_the_rows() {
    for algorithm in [
        json!({"name": "lattice"}),
        json!({"name": "mondrian"}),
        json!({"name": "k-member"}),
        json!({"name": "greedy-cka"}),
        json!({"name": "greedy-generalize"}),
        json!({"name": "one-d", "curve": "hilbert"}),
        json!({"name": "diva"}),
    ] {
        the_same_by(&policy_of_many_values(algorithm), 180, 5);
    }
}

/// Where limits make regions that fail, rows of some value must go: which, the order of the rows must not say.
#[test]
fn what_is_left_out_does_not_tell_the_order_of_the_rows() {
    for algorithm in [json!({"name": "greedy-cka"}), json!({"name": "k-member"}), json!({"name": "diva"})] {
        let mut policy = policy_of_many_values(algorithm.clone());
        policy["columns"]["job"]["limits"] = json!(["Care", "Food", "Office"]);
        policy["suppression_limit"] = json!(0.9);
        policy["privacy"][2] = json!({"model": "recursive-cl-diversity", "attribute": "illness", "c": 1.0, "l": 3});
        policy["privacy"][6] = json!({"model": "entropy-l-diversity", "attribute": "note", "l": 5.5});
        policy["diversity"] = json!([]);
        the_same_by(&policy, 160, 5);
    }
}

/// Rows of a class stand in the order of all that they show, column by column.
#[test]
fn rows_stand_in_the_order_of_their_texts() {
    for algorithm in [json!({"name": "lattice"}), json!({"name": "mondrian"}), json!({"name": "k-member"})] {
        let engine = opened(&shuffled(&rows(300, 8), 9), &policy(algorithm, 2));
        ask(&engine, Request::Run, vec![]).unwrap();
        let csv = bytes(&engine, Request::Export { protected: false, row_numbers: false });
        let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert!(rows.len() > 200);
        // age, zip, job, sex, illness, note: the quasi-identifiers are the first four.
        assert!(rows.is_sorted_by(|one, other| (&one[..4], &one[4..]) <= (&other[..4], &other[4..])));
    }
}

/// Neither is there a seed that the order of the release depends on.
#[test]
fn the_seed_orders_nothing() {
    let csv = shuffled(&rows(300, 8), 0);
    for algorithm in [json!({"name": "lattice"}), json!({"name": "mondrian", "refine": false})] {
        let release = |seed: u64| outputs(&csv, &policy(algorithm.clone(), seed)).swap_remove(0).1;
        let expected = release(1);
        (2..8).for_each(|seed| assert_eq!(release(seed), expected));
    }
}

/// Row numbers are there for audits, and still those of the input.
#[test]
fn row_numbers_are_those_of_the_input() {
    let csv = shuffled(&rows(300, 8), 4);
    let engine = opened(&csv, &policy(json!({"name": "lattice"}), 2));
    ask(&engine, Request::Run, vec![]).unwrap();
    let numbered = bytes(&engine, Request::Export { protected: false, row_numbers: true });
    let plain = bytes(&engine, Request::Export { protected: false, row_numbers: false });
    let input: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mut seen = vec![false; input.len()];
    for (line, expected) in numbered.lines().zip(plain.lines()).skip(1) {
        let (number, rest) = line.split_once(',').unwrap();
        assert_eq!(rest, expected);
        let number: usize = number.parse().unwrap();
        assert!(!std::mem::replace(&mut seen[number - 1], true));
        let kept: Vec<&str> = rest.split(',').collect();
        assert_eq!(kept[4..], input[number - 1][5..], "what is not recoded is the row's own");
    }
}

#[test]
fn plans_and_what_they_give_do_not_tell_the_order_of_the_rows() {
    let rows = rows(1500, 6);
    let policy = policy(json!({"name": "lattice"}), 1);
    let made = |order: u64| {
        let engine = opened(&shuffled(&rows, order), &policy);
        let settings = PlanSettings {
            order: vec!["age".into(), "sex".into()],
            sensitive: None,
            l: 3,
            delta: 0.05,
            wish: Some(Wish::Rows(1200)),
            smoothing: 50.0,
        };
        let Ok(Response::Plan(plan)) = ask(&engine, Request::MakePlan(settings), vec![]) else { panic!() };
        let applied = ask(
            &engine,
            Request::ApplyPlan(ApplySettings { unseen: Unseen::Refuse, early: false, accept_repairs: false }),
            vec![],
        );
        let Ok(Response::Applied(applied)) = applied else { panic!("{applied:?}") };
        let release = bytes(&engine, Request::ExportApplied { protected: false });
        let simulated = SimulateSettings {
            releases: 2,
            trials: 3,
            rows: Some(300),
            common: 4,
            seed: 1,
            anonymizers: Anonymizer::ALL.to_vec(),
        };
        let simulated = format!("{:?}", ask(&engine, Request::Simulate(simulated), vec![]).unwrap());
        (plan.text.clone(), format!("{plan:?}"), format!("{applied:?}"), release, simulated)
    };
    let expected = made(0);
    let lines: Vec<Vec<&str>> = expected.3.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let key = |line: &[&str]| (line[0].parse::<u32>().unwrap(), (*line.last().unwrap()).to_owned());
    assert!(lines.len() > 1000 && lines.is_sorted_by(|one, other| key(one) <= key(other)));
    for order in 1..6 {
        let found = made(order);
        assert_eq!(found.0, expected.0, "the plan");
        assert_eq!(found.1, expected.1, "its view");
        assert_eq!(found.2, expected.2, "what is told of its release");
        assert_eq!(found.3, expected.3, "its release");
        assert_eq!(found.4, expected.4, "the simulation");
    }
}

/// Constraints that are drawn for a seed are those of the table, not of its first rows.
#[test]
fn generated_constraints_do_not_tell_the_order_of_the_rows() {
    let rows = rows(300, 12);
    let policy = policy(json!({"name": "diva"}), 1);
    let sets: [&[&[u32]]; 3] = [&[], &[&[3, 4]], &[&[1], &[1, 4], &[2]]];
    for ((class, on), (count, k)) in Class::ALL
        .into_iter()
        .flat_map(|class| sets.map(|on| (class, on)))
        .flat_map(|of| [(None, 1), (Some(4), 3)].map(|how| (of, how)))
    {
        let made = |order: u64| {
            let on = on.iter().map(|set| set.to_vec()).collect();
            let wish = GeneratedWish { class, on, count, seed: 5, k };
            format!(
                "{:?}",
                ask(&opened(&shuffled(&rows, order), &policy), Request::GenerateConstraints { wish }, vec![]).unwrap()
            )
        };
        let expected = made(0);
        (1..5).for_each(|order| assert_eq!(made(order), expected, "{class:?} {on:?}"));
    }
}

/// What is told of releases that are linked, whatever the order of their rows.
#[test]
fn linking_does_not_tell_the_order_of_the_rows() {
    let release = |seed: u64, order: u64| {
        let mut dice = Dice(seed);
        let mut row = |_| {
            let age = ["20-29", "30-39", "20-39", "25", "NA"][dice.below(5) as usize];
            let town = ["Rome", "Oslo", "*"][dice.below(3) as usize];
            format!("{age},{town},{}\n", ["flu", "cold", "gout", "?"][dice.below(4) as usize])
        };
        let rows: Vec<String> = (0..60).map(&mut row).collect();
        shuffled(&rows, order).replace(HEADER, "age,town,illness\n")
    };
    let linked = |order: u64| {
        let roles = [("age", Role::Quasi), ("town", Role::Quasi), ("illness", Role::Sensitive)];
        let roles = roles.map(|(name, role)| (name.to_owned(), role)).to_vec();
        let question = LinkQuestion { roles, ..LinkQuestion::default() };
        let releases = [1, 2, 3].map(|seed| file(&format!("{seed}.csv"), release(seed, order * seed)));
        format!("{:?}", ask(&Engine::default(), Request::Link(question), releases.into()).unwrap())
    };
    let expected = linked(0);
    (1..8).for_each(|order| assert_eq!(linked(order), expected));
}
