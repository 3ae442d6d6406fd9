//! `sweep` and `one-d` from a policy to a released file, through the engine's door; what comes out is judged by its texts.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use support::{ask, edit, file, open_files};
use throng::algorithms::sweep::Refinement;
use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::policy::{Algorithm, Attributes, Demand, Edit, ModelDemand};
use throng::protocol::{Request, Response};
use throng::run::{Happened, InducedView, Peer, RunView};
use throng::table::Role;

struct Ran {
    view: RunView,
    /// Rows of cells, the first the input's row number.
    rows: Vec<Vec<String>>,
    engine: Engine,
}

fn run(files: Vec<(&str, String)>) -> Result<Ran, Failure> {
    let engine = Engine::default();
    open_files(&engine, files.into_iter().map(|(name, text)| file(name, text)).collect())?;
    release(engine)
}

fn release(engine: Engine) -> Result<Ran, Failure> {
    let Response::Ran(view) = ask(&engine, Request::Run, vec![])? else { panic!("no run") };
    let Response::File(bytes) = ask(&engine, Request::Export { protected: false, row_numbers: true }, vec![])? else {
        panic!("no file")
    };
    let text = String::from_utf8(bytes).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    Ok(Ran { view: *view, rows, engine })
}

fn induced(engine: &Engine, class: Option<u32>) -> InducedView {
    match ask(engine, Request::Induced { class }, vec![]) {
        Ok(Response::Induced(view)) => *view,
        other => panic!("{other:?}"),
    }
}

fn peers(engine: &Engine) -> Vec<Peer> {
    match ask(engine, Request::Peers, vec![]) {
        Ok(Response::Peers(peers)) => peers,
        other => panic!("{other:?}"),
    }
}

/// Definition 2 by the texts: the frequencies that the cells of a class induce, highest first. `covered` gives the values
/// that occur under a text.
fn frequencies(cells: &[&str], covered: &dyn Fn(&str) -> Vec<String>) -> Vec<f64> {
    let mut of_value: BTreeMap<String, f64> = BTreeMap::new();
    for cell in cells {
        let values = covered(cell);
        for value in &values {
            *of_value.entry(value.clone()).or_default() += 1.0 / (values.len() * cells.len()) as f64;
        }
    }
    let mut falling: Vec<f64> = of_value.into_values().collect();
    falling.sort_by(|one, other| other.total_cmp(one));
    falling
}

/// Definition 4.
fn meets(frequencies: &[f64], tau: f64, l: u32) -> bool {
    let mut sum = 0.0;
    (1..).zip(frequencies).all(|(k, frequency): (u32, _)| {
        sum += frequency;
        let limit = if k >= l { 1.0 } else { tau + (1.0 - tau) * f64::from(k - 1) / f64::from(l - 1) };
        sum <= limit + 1e-9
    })
}

/// Five values in two groups under one root.
const VALUES: [[&str; 3]; 5] =
    [["s0", "x", "*"], ["s1", "x", "*"], ["s2", "y", "*"], ["s3", "y", "*"], ["s4", "y", "*"]];

fn tree(rows: &[[&str; 3]]) -> String {
    serde_json::to_string(rows).unwrap()
}

const QUASI: [[&str; 3]; 4] = [["v0", "g", "*"], ["v1", "g", "*"], ["v2", "h", "*"], ["v3", "h", "*"]];

fn policy(tau: f64, l: u32, algorithm: &str, rest: &str) -> String {
    format!(
        r#"{{"throng": 1, "columns": {{"a": {{"role": "quasi", "hierarchy": {{"rows": {quasi}}}}},
            "b": {{"role": "quasi", "hierarchy": {{"rows": {quasi}}}}},
            "s": {{"role": "sensitive", "hierarchy": {{"rows": {values}}}}}}},
            "privacy": [{{"model": "tau-l-diversity", "attribute": "s", "tau": {tau}, "l": {l}}}{rest}],
            "algorithm": {algorithm}}}"#,
        quasi = tree(&QUASI),
        values = tree(&VALUES)
    )
}

fn csv(cells: &[(usize, usize, usize)]) -> String {
    let lines: String = cells.iter().map(|(a, b, s)| format!("v{a},v{b},s{s}\n")).collect();
    format!("a,b,s\n{lines}")
}

fn shows(rows: &[[&str; 3]], value: usize, text: &str) -> bool {
    rows[value].contains(&text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every release is true and meets (τ,ℓ) by its texts, where nothing is released nothing could be, and then the
    /// nearest τ and ℓ that are told can be had.
    #[test]
    fn every_release_is_true_and_none_is_missed(
        cells in prop::collection::vec((0usize..4, 0usize..4, 0usize..5), 2..30),
        tau in 15u32..95, l in 2u32..6, refine in prop::sample::select(&["true", "false", "\"quick\""][..]), k in prop::option::of(2u32..4),
    ) {
        let occurring: Vec<usize> = (0..5).filter(|value| cells.iter().any(|cell| cell.2 == *value)).collect();
        prop_assume!(l as usize <= occurring.len() && k.is_none_or(|k| k as usize <= cells.len()));
        let tau = f64::from(tau) / 100.0;
        let covered = |text: &str| -> Vec<String> {
            let under = occurring.iter().filter(|&&value| shows(&VALUES, value, text));
            under.map(|value| format!("s{value}")).collect()
        };
        let rest = k.map_or(String::new(), |k| format!(r#", {{"model": "k-anonymity", "k": {k}}}"#));
        let algorithm = format!(r#"{{"name": "sweep", "refine": {refine}}}"#);
        let go = |tau: f64, l: u32| run(vec![("t.csv", csv(&cells)), ("p.json", policy(tau, l, &algorithm, &rest))]);
        // All at the root: the most even there is.
        let feasible = meets(&frequencies(&vec!["*"; cells.len()], &covered), tau, l);
        match go(tau, l) {
            Err(failure) => {
                prop_assert!(!feasible, "{}", failure);
                prop_assert_eq!(failure.kind, FailureKind::Impossible);
                let number = |key: &str| {
                    let at = failure.next.find(key)? + key.len();
                    failure.next[at..].split([' ', ',']).next()?.parse::<f64>().ok()
                };
                let nearest = number("privacy[0].tau to ").expect("a τ");
                prop_assert!(nearest > tau && go(nearest, l).is_ok(), "{}", failure);
                if let Some(nearest) = number("privacy[0].l to ") {
                    prop_assert!((nearest as u32) < l && go(tau, nearest as u32).is_ok(), "{}", failure);
                }
            }
            Ok(Ran { view, rows, engine }) => {
                prop_assert!(feasible);
                prop_assert_eq!(rows.len(), cells.len());
                let mut classes: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
                let mut changed = 0;
                for row in &rows {
                    let (a, b, s) = cells[row[0].parse::<usize>().unwrap() - 1];
                    prop_assert!(shows(&QUASI, a, &row[1]) && shows(&QUASI, b, &row[2]) && shows(&VALUES, s, &row[3]));
                    changed += u64::from(row[3] != VALUES[s][0]);
                    classes.entry((&row[1], &row[2])).or_default().push(&row[3]);
                }
                prop_assert_eq!(view.verified.classes, classes.len() as u64);
                let mut worst = 0.0f64;
                for class in classes.values() {
                    let falling = frequencies(class, &covered);
                    prop_assert!(meets(&falling, tau, l), "{:?}", class);
                    prop_assert!(k.is_none_or(|k| class.len() >= k as usize));
                    worst = worst.max(falling[0]);
                }
                // What is told of the classes is what the texts say.
                let told = induced(&engine, None);
                prop_assert_eq!((told.total, told.changed, told.values), (classes.len() as u64, changed, occurring.len() as u32));
                prop_assert_eq!(told.changes.iter().map(|change| change.2).sum::<u64>(), changed);
                let mut highest = 0.0f64;
                for class in &told.classes {
                    let shown = induced(&engine, Some(class.class)).shown;
                    prop_assert_eq!(&shown.class, class);
                    let texts = &classes[&(class.cells[0].as_str(), class.cells[1].as_str())];
                    let expected = frequencies(texts, &covered);
                    prop_assert_eq!(shown.frequencies.len(), expected.len());
                    for (told, expected) in shown.frequencies.iter().zip(&expected) {
                        prop_assert!((told.1 - expected).abs() < 1e-9);
                    }
                    prop_assert_eq!(shown.cells.iter().map(|cell| cell.1).sum::<u32>() as usize, texts.len());
                    highest = highest.max(shown.cumulative[0]);
                }
                prop_assert!((highest - worst).abs() < 1e-9);
                prop_assert!(told.classes.windows(2).all(|pair| pair[0].tau >= pair[1].tau));
            }
        }
    }

    /// 1-D groups along both curves: the same, with sensitive values as they are.
    #[test]
    fn groups_along_a_line_hold(
        cells in prop::collection::vec((0usize..4, 0usize..4, 0usize..5), 2..30),
        l in 2u32..5, refine in any::<bool>(), hilbert in any::<bool>(),
    ) {
        let mut counts = [0u32; 5];
        cells.iter().for_each(|cell| counts[cell.2] += 1);
        prop_assume!(counts.iter().filter(|&&count| count > 0).count() >= l as usize);
        let curve = if hilbert { "hilbert" } else { "lexicographic" };
        let algorithm = format!(r#"{{"name": "one-d", "curve": "{curve}", "refine": {refine}}}"#);
        let alpha = 1.0 / f64::from(l);
        let asked = policy(1.0, 2, &algorithm, &format!(r#", {{"model": "alpha-k", "attribute": "s", "alpha": {alpha}}}"#));
        let eligible = counts.iter().all(|&count| f64::from(count) <= alpha * cells.len() as f64 + 1e-9);
        match run(vec![("t.csv", csv(&cells)), ("p.json", asked)]) {
            Err(failure) => prop_assert!(!eligible && failure.kind == FailureKind::Impossible, "{}", failure),
            Ok(Ran { rows, view, .. }) => {
                prop_assert!(eligible);
                prop_assert_eq!(view.algorithm.name(), "one-d");
                let mut classes: BTreeMap<(&str, &str), BTreeMap<&str, u32>> = BTreeMap::new();
                for row in &rows {
                    let (a, b, s) = cells[row[0].parse::<usize>().unwrap() - 1];
                    prop_assert!(shows(&QUASI, a, &row[1]) && shows(&QUASI, b, &row[2]));
                    prop_assert_eq!(&row[3], VALUES[s][0]);
                    *classes.entry((&row[1], &row[2])).or_default().entry(&row[3]).or_default() += 1;
                }
                for class in classes.values() {
                    let size: u32 = class.values().sum();
                    prop_assert!(class.values().all(|&count| f64::from(count) <= alpha * f64::from(size) + 1e-9));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Two demands on one column: released wherever both can be met, in whatever order they stand.
    #[test]
    fn demands_are_met_in_every_order(
        cells in prop::collection::vec((0usize..4, 0usize..4, 0usize..5), 2..25),
        taus in (15u32..95, 15u32..95), ls in (2u32..6, 2u32..6),
    ) {
        let occurring: Vec<usize> = (0..5).filter(|value| cells.iter().any(|cell| cell.2 == *value)).collect();
        prop_assume!(ls.0.max(ls.1) as usize <= occurring.len());
        let even = vec![1.0 / occurring.len() as f64; occurring.len()];
        let one = (f64::from(taus.0) / 100.0, ls.0);
        let two = (f64::from(taus.1) / 100.0, ls.1);
        let feasible = [one, two].iter().all(|&(tau, l)| meets(&even, tau, l));
        for ((tau, l), (other, m)) in [(one, two), (two, one)] {
            let rest = format!(r#", {{"model": "tau-l-diversity", "attribute": "s", "tau": {other}, "l": {m}}}"#);
            let asked = policy(tau, l, r#"{"name": "sweep"}"#, &rest);
            let ran = run(vec![("t.csv", csv(&cells)), ("p.json", asked)]);
            prop_assert_eq!(ran.is_ok(), feasible, "{:?}", ran.err());
        }
    }
}

/// As they are, the values meet the lower τ but not the higher ℓ; generalizing one of them for the one breaks the other.
#[test]
fn generalizing_for_one_demand_keeps_the_other() {
    let cells = [0, 2, 3, 1, 2, 4, 3].map(|value| (0, 0, value));
    for [(tau, l), (other, m)] in [[(0.34, 4), (0.29, 2)], [(0.29, 2), (0.34, 4)]] {
        let rest = format!(r#", {{"model": "tau-l-diversity", "attribute": "s", "tau": {other}, "l": {m}}}"#);
        let asked = policy(tau, l, r#"{"name": "sweep"}"#, &rest);
        assert!(run(vec![("t.csv", csv(&cells)), ("p.json", asked)]).is_ok());
    }
}

/// Limits keep towns apart, and in each t has one value: t must be generalized, though all rows together meet both. Where
/// both columns must be, it is said that only one can.
#[test]
fn the_column_that_needs_it_is_generalized() {
    let text = |demands: &str| {
        format!(
            r#"{{"throng": 1, "columns": {{"q": {{"role": "quasi", "hierarchy": {{"rows": [["x", "X", "*"],
                ["y", "Y", "*"]]}}, "limits": ["X", "Y"]}}, "s": {{"role": "sensitive"}}, "t": {{"role": "sensitive"}}}},
                "privacy": [{demands}], "algorithm": {{"name": "sweep"}}}}"#
        )
    };
    let on = |column: &str| format!(r#"{{"model": "tau-l-diversity", "attribute": "{column}", "tau": 0.5, "l": 2}}"#);
    let table = "q,s,t\nx,a,c\nx,b,c\ny,a,d\ny,b,d\n";
    for (one, other) in [("s", "t"), ("t", "s")] {
        let demands = on(one) + ", " + &on(other);
        let ran = run(vec![("t.csv", table.into()), ("p.json", text(&demands))]).unwrap();
        assert_eq!(ran.view.sweep.unwrap().column, "t");
        let both = table.replace("b,c", "a,c");
        let failure = run(vec![("t.csv", both), ("p.json", text(&demands))]).err().unwrap();
        assert!(failure.what.contains("Only one sensitive column can be generalized"), "{failure}");
    }
}

/// `throng check` finds in a verified release what its policy asks, though the values that occurred are not all shown.
#[test]
fn a_release_meets_its_policy_without_the_original() {
    let mut generalized = 0;
    for (with_hierarchy, weights) in [(true, false), (false, false), (true, true), (false, true)] {
        for (tau, l) in [(0.25, 4), (0.2, 5), (0.4, 3), (0.5, 2)] {
            let cells: Vec<(usize, usize, usize)> =
                (0..14).map(|row| (row % 4, row % 3, 0)).chain((1..5).map(|value| (value - 1, 0, value))).collect();
            let mut text = policy(tau, l, r#"{"name": "sweep"}"#, "");
            if !with_hierarchy {
                text = text.replace(&format!(r#", "hierarchy": {{"rows": {}}}"#, tree(&VALUES)), "");
            }
            if weights {
                let of_all = r#""weights": {"s0": 2, "s1": 2, "s2": 2, "s3": 2, "s4": 2}, "tau""#;
                text = text.replace(r#""tau""#, of_all);
            }
            let ran = run(vec![("t.csv", csv(&cells)), ("p.json", text.clone())]).unwrap();
            generalized += u32::from(induced(&ran.engine, None).changed > 0);
            let lines: String = ran.rows.iter().map(|row| row[1..].join(",") + "\n").collect();
            // Shown as it is, or with s1 to s4 hidden in groups that are true as well.
            for hidden in [false, true] {
                let mut lines = lines.clone();
                if hidden {
                    let group = |value: &str| if with_hierarchy { value } else { "*" }.to_owned();
                    for (value, above) in [("s1", "x"), ("s2", "y"), ("s3", "y"), ("s4", "y")] {
                        lines = lines.replace(value, &group(above));
                    }
                }
                let engine = Engine::default();
                open_files(&engine, vec![file("t.csv", format!("a,b,s\n{lines}")), file("p.json", text.clone())])
                    .unwrap();
                let Ok(Response::Audit(audit)) = ask(&engine, Request::Audit, vec![]) else { panic!("no audit") };
                let standing = audit.demands[0].outcome.as_ref().unwrap_or_else(|mistake| panic!("{mistake:?}"));
                // Without a hierarchy or weights nobody can tell what * stands for.
                assert!(standing.holds || hidden, "{standing:?}");
            }
        }
    }
    assert!(generalized > 8, "{generalized}");
}

/// A quasi-identifier of very many values costs refining no more than other work.
#[test]
fn many_values_are_refined_in_about_the_time_of_the_sweep() {
    let lines: String = (0..200_000).map(|row| format!("v{row},{},{}\n", row % 4, row % 7 % 4)).collect();
    let seconds = |refine: &str| {
        let text = format!(
            r#"{{"throng": 1, "columns": {{"a": {{"role": "quasi"}}, "b": {{"role": "quasi"}}, "s": {{"role": "sensitive"}}}},
                "privacy": [{{"model": "tau-l-diversity", "tau": 0.5, "l": 3}}],
                "algorithm": {{"name": "sweep", "refine": {refine}}}}}"#
        );
        let started = std::time::Instant::now();
        run(vec![("t.csv", format!("a,b,s\n{lines}")), ("p.json", text)]).unwrap();
        started.elapsed().as_secs_f64()
    };
    let (plain, quick) = (seconds("false"), seconds("\"quick\""));
    // It was forty times as long when nodes were looked for one by one.
    assert!(quick < 20.0 * plain, "{plain} s, refined {quick} s");
}

#[test]
fn steps_of_a_small_sweep_lead_to_its_release() {
    let cells = [(0, 0, 0), (0, 0, 0), (0, 1, 0), (1, 1, 1), (2, 2, 0), (2, 3, 2), (3, 3, 0), (3, 2, 3)];
    let algorithm = r#"{"name": "sweep", "refine": false}"#;
    let Ran { view, rows, .. } = run(vec![("t.csv", csv(&cells)), ("p.json", policy(0.5, 3, algorithm, ""))]).unwrap();
    let sweep = view.sweep.unwrap();
    let steps = sweep.steps.unwrap();
    assert_eq!((sweep.column.as_str(), sweep.thinned, steps.cut), ("s", false, false));
    assert_eq!(steps.names, ["a", "b", "s"]);
    assert_eq!(steps.rows[3], ["v1", "v1", "s1"]);
    // From the finest to the coarsest, and each vector retains no more than the one before.
    assert_eq!(steps.vectors.len(), 9);
    assert!(steps.vectors.windows(2).all(|pair| pair[0].0 >= pair[1].0));
    // Replayed, the steps give what was released.
    let mut replayed: Vec<(Vec<String>, String)> = steps.rows.iter().map(|row| (Vec::new(), row[2].clone())).collect();
    for step in &steps.steps {
        for &row in &step.rows {
            let (class, shown) = &mut replayed[row as usize];
            match &step.event {
                Happened::Stayed | Happened::Joined => class.clone_from(&step.class),
                Happened::Generalized { from, to } => {
                    assert_eq!(shown, from);
                    shown.clone_from(to);
                }
                Happened::Met | Happened::Left | Happened::Passed => {}
            }
        }
    }
    for row in &rows {
        let (class, shown) = &replayed[row[0].parse::<usize>().unwrap() - 1];
        assert_eq!((&class[..], shown), (&row[1..3], &row[3]));
    }
    // A larger table has none.
    let many: Vec<(usize, usize, usize)> = cells.iter().cycle().take(80).copied().collect();
    let larger = run(vec![("t.csv", csv(&many)), ("p.json", policy(0.5, 3, algorithm, ""))]).unwrap();
    assert_eq!(larger.view.sweep.unwrap().steps, None);
}

#[test]
fn importance_decides_between_equals_and_mistakes_are_placed() {
    let cells = [(0, 0, 0), (0, 2, 1), (2, 0, 1), (2, 2, 0)];
    let shown = |importance: &str| {
        let algorithm = format!(r#"{{"name": "sweep", "refine": false, "importance": {{{importance}}}}}"#);
        let ran = run(vec![("t.csv", csv(&cells)), ("p.json", policy(0.5, 2, &algorithm, ""))]).unwrap();
        (ran.rows[0][1].clone(), ran.rows[0][2].clone())
    };
    let by_order = shown("");
    assert_ne!(by_order.0, "*");
    assert_eq!(by_order.1, "*");
    assert_eq!(shown(r#""a": 1"#), by_order);
    assert_eq!(shown(r#""b": 1"#), (by_order.1, by_order.0));
    for (algorithm, expected) in [
        (r#"{"name": "sweep", "importance": {"s": 1}}"#, "algorithm.importance names a column (entry 1)"),
        (r#"{"name": "sweep", "weights": {"c": {"v0": 1}}}"#, "algorithm.weights names a column (entry 1)"),
        (r#"{"name": "sweep", "weights": {"a": {"v0": 1, "v9": 1}}}"#, "entry of “a” (2 in order)"),
    ] {
        let failure = run(vec![("t.csv", csv(&cells)), ("p.json", policy(0.5, 2, algorithm, ""))]).err().unwrap();
        assert_eq!(failure.kind, FailureKind::Policy);
        assert!(failure.what.contains(expected), "{failure}");
    }
    let weighted = r#"{"name": "sweep", "weights": {"a": {"v0": 3, "v1": 0}}}"#;
    assert!(run(vec![("t.csv", csv(&cells)), ("p.json", policy(0.5, 2, weighted, ""))]).is_ok());
    let other = policy(0.5, 2, r#"{"name": "sweep"}"#, "").replace(
        r#""model": "tau-l-diversity", "attribute": "s", "tau": 0.5, "l": 2"#,
        r#""model": "k-anonymity", "k": 2"#,
    );
    let failure = run(vec![("t.csv", csv(&cells)), ("p.json", other)]).err().unwrap();
    assert!(failure.what.contains("does not ask for (τ,ℓ)-diversity"), "{failure}");
}

#[test]
fn limits_of_the_sensitive_column_are_kept() {
    // Twelve of one value beside one each of the others: only the root could level that.
    let cells: Vec<(usize, usize, usize)> =
        (0..12).map(|row| (row % 4, row % 3, 0)).chain((1..5).map(|value| (value - 1, 0, value))).collect();
    let algorithm = r#"{"name": "sweep"}"#;
    let free = policy(0.4, 4, algorithm, "");
    let ran = run(vec![("t.csv", csv(&cells)), ("p.json", free.clone())]).unwrap();
    assert!(ran.rows.iter().any(|row| row[3] == "*"));
    let limited = free.replace(r#"["s4","y","*"]]}}"#, r#"["s4","y","*"]]}, "limits": ["x", "y"]}"#);
    assert_ne!(limited, free);
    let failure = run(vec![("t.csv", csv(&cells)), ("p.json", limited.clone())]).err().unwrap();
    assert_eq!(failure.kind, FailureKind::Impossible, "{failure}");
    let weaker = limited.replace(r#""tau": 0.4, "l": 4"#, r#""tau": 0.5, "l": 2"#);
    let ran = run(vec![("t.csv", csv(&cells)), ("p.json", weaker)]).unwrap();
    assert!(ran.rows.iter().all(|row| row[3] != "*") && ran.rows.iter().any(|row| row[3] == "x"));
}

/// The range on the policy card is what runs can have.
#[test]
fn the_range_before_a_run_is_what_runs_can_have() {
    let cells: Vec<(usize, usize, usize)> =
        (0..9).map(|row| (row % 4, row % 3, 0)).chain((0..6).map(|row| (row % 4, row % 2, 1 + row % 4))).collect();
    let engine = Engine::default();
    let text = policy(0.3, 4, r#"{"name": "sweep"}"#, "");
    let opened = open_files(&engine, vec![file("t.csv", csv(&cells)), file("p.json", text)]).unwrap();
    let range = opened.setup.privacy[0].range.clone().unwrap();
    assert_eq!(range.values, 5);
    assert!((range.exact[0] - 0.6).abs() < 1e-9 && (range.generalized[0] - 0.2).abs() < 1e-9, "{range:?}");
    for (tau, l) in [(0.3, 4), (0.2, 5), (0.15, 5), (0.6, 2), (0.6, 3), (0.55, 3), (0.9, 5)] {
        let demand = ModelDemand::TauL { tau, l, weights: BTreeMap::new() };
        let demands = vec![Demand { model: demand, attribute: Some("s".into()), jointly: false }];
        edit(&engine, Edit::Privacy { demands, typing: false }).unwrap();
        for (algorithm, cumulative) in [
            (Algorithm::Sweep { refine: Refinement::Thorough, attributes: Attributes::default() }, &range.generalized),
            (Algorithm::Local { method: throng::policy::Method::Mondrian, refine: false }, &range.exact),
        ] {
            edit(&engine, Edit::Algorithm(algorithm)).unwrap();
            let ran = ask(&engine, Request::Run, vec![]).is_ok();
            assert_eq!(ran, throng::setup_view::TauLRange::allows(cumulative, tau, l), "({tau}, {l})");
        }
    }
}

/// On a sample a person can open: peers publish nothing where the sweep does, and lose to it where they do.
#[test]
fn the_sweep_beside_its_peers_on_the_census_sample() {
    let engine = Engine::default();
    let sample = Request::OpenSample { id: "adult-like".into(), rows: 2_000, seed: 1 };
    let Ok(Response::Opened(opened)) = ask(&engine, sample, vec![]) else { panic!("no sample") };
    let names: Vec<String> = opened.table.unwrap().columns.into_iter().map(|column| column.name).collect();
    for (place, name) in names.iter().enumerate() {
        let role = match name.as_str() {
            "occupation" => Role::Sensitive,
            "age" | "sex" | "race" | "education" => Role::Quasi,
            _ => Role::Insensitive,
        };
        edit(&engine, Edit::Roles { columns: vec![place as u32], role }).unwrap();
    }
    edit(
        &engine,
        Edit::Algorithm(Algorithm::Sweep { refine: Refinement::Thorough, attributes: Attributes::default() }),
    )
    .unwrap();
    let mut engine = Some(engine);
    for (tau, l, all) in [(0.4, 3, true), (0.1, 12, false)] {
        let demand = ModelDemand::TauL { tau, l, weights: BTreeMap::new() };
        let demands = vec![Demand { model: demand, attribute: Some("occupation".into()), jointly: false }];
        let with = engine.take().unwrap();
        edit(&with, Edit::Privacy { demands, typing: false }).unwrap();
        let ran = release(with).unwrap();
        let compared = peers(&ran.engine);
        assert_eq!(compared.iter().map(|peer| peer.name.as_str()).collect::<Vec<_>>(), ["1DLD", "CLD"]);
        for peer in &compared {
            match &peer.found {
                Some(found) => {
                    assert!(all && found.utility < ran.view.metrics.utility, "{peer:?} {}", ran.view.metrics.utility);
                }
                None => assert!(!all, "{peer:?}"),
            }
        }
        // Even where nothing had to be generalized at the start, the last class may need it.
        assert!(all || induced(&ran.engine, None).changed > 0);
        engine = Some(ran.engine);
    }
}

fn data(name: &str) -> Option<String> {
    let folder = PathBuf::from(std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".to_owned()));
    let text = std::fs::read_to_string(folder.join(name)).ok();
    if text.is_none() {
        eprintln!("skipped: there is no {name} in {} (set THRONG_DATA)", folder.display());
    }
    text
}

#[test]
fn nursery_and_adult_are_released_and_verified() {
    let cases = [
        (
            "nursery.csv",
            "class",
            ["parents", "has_nurs", "form", "children", "housing", "finance", "social", "health"].as_slice(),
            (0.3, 5),
        ),
        ("adult_45222.csv", "occupation", ["age", "sex", "race", "marital_status", "education"].as_slice(), (0.1, 12)),
    ];
    for (name, attribute, quasi, (tau, l)) in cases {
        let Some(table) = data(name) else { continue };
        let columns: Vec<String> = quasi.iter().map(|column| format!(r#""{column}": {{"role": "quasi"}}"#)).collect();
        let text = format!(
            r#"{{"throng": 1, "columns": {{{}, "{attribute}": {{"role": "sensitive"}}}}, "others": "insensitive",
                "privacy": [{{"model": "tau-l-diversity", "tau": {tau}, "l": {l}}}],
                "algorithm": {{"name": "sweep", "refine": false}}}}"#,
            columns.join(", ")
        );
        let rows = table.lines().count() - 1;
        let ran = run(vec![("t.csv", table.clone()), ("p.json", text.clone())]).unwrap();
        assert_eq!((ran.view.verified.rows as usize, ran.rows.len()), (rows, rows));
        let told = induced(&ran.engine, None);
        assert!(told.changed > 0 && told.classes[0].tau <= tau + 1e-9);
        // What the values as they are can't meet, no other algorithm releases.
        let other = text.replace(r#""name": "sweep""#, r#""name": "one-d""#);
        let failure = run(vec![("t.csv", table), ("p.json", other)]).err().unwrap();
        assert_eq!(failure.kind, FailureKind::Impossible, "{failure}");
    }
}
