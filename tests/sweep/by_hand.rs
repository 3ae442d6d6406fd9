//! Sweeps that can be followed by hand, and what else a sweep must do.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Value, json};
use throng::algorithms::local::{Mode, Outcome, Problem};
use throng::algorithms::one_d::{Curve, peers};
use throng::algorithms::sweep::order::{Order, Span};
use throng::algorithms::sweep::{Event, Settings, Swept, sweep};
use throng::failure::FailureKind;
use throng::hierarchy::{NodeId, ROOT};
use throng::metrics::{Asked, Metrics, excessive_protection};
use throng::progress::{Progress, Report, Sink, block_on};
use throng::release::Released;
use throng::table::Table;

use crate::cases::{Case, Dice, Kind, column, random_case};
use crate::support::Still;
use crate::{PLAIN, refined};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Columns `name: values` with what the policy says of each.
fn case(columns: &[(&str, &[&str], Value)], demands: Value) -> Case {
    let texts = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<String>>();
    let table = Table {
        columns: columns.iter().map(|(name, values, _)| column(name, &texts(values))).collect(),
        rows: columns[0].1.len(),
    };
    let rules: serde_json::Map<String, Value> =
        columns.iter().map(|(name, _, rule)| ((*name).to_owned(), rule.clone())).collect();
    Case::new(table, json!({"throng": 1, "columns": rules, "privacy": demands, "algorithm": {"name": "sweep"}}))
}

fn illnesses() -> Value {
    json!({"role": "sensitive", "hierarchy": {"rows": [["flu", "viral", "*"], ["cold", "viral", "*"], ["gout", "*"]]}})
}

/// Flu has 4 of 6 rows, and τ is a half. At the start two of them must show *viral*, which is flu and cold by halves: then
/// flu has 2 + 2 · ½ = 3 of 6. In Ulm, one of the three flus was left: with two virals, flu has 1 + 2 · ½ = 2 of 3 rows, so
/// the flu leaves, and flu and cold have a half each. In Bonn each illness has a third. The one that left is alone in the
/// last class; it must show *viral*, too.
#[test]
fn a_class_whose_values_were_generalized() {
    let towns: &[&str] = &["Ulm", "Ulm", "Ulm", "Bonn", "Bonn", "Bonn"];
    let values: &[&str] = &["flu", "flu", "flu", "flu", "cold", "gout"];
    let demand = json!([{"model": "tau-l-diversity", "attribute": "illness", "tau": 0.5, "l": 2}]);
    let in_order = json!({"role": "quasi", "hierarchy": {"rows": [["Ulm", "*"], ["Bonn", "*"]]}});
    let case = case(&[("town", towns, in_order), ("illness", values, illnesses())], demand);
    let Swept { outcome, trace, .. } = case.sweep(&Settings { trace: 100, ..Settings::default() });
    let Outcome::Release(release) = outcome else { panic!("{outcome:?}") };
    let label = |place: usize, node: NodeId| match place {
        0 => case.checked.quasi[0].tree.label(node).to_owned(),
        _ => case.checked.sensitive[0].tree.label(node).to_owned(),
    };
    let row = |row: usize| {
        let town = release.quasi[0][release.class_of_row[row] as usize];
        label(0, town) + " " + &label(1, case.value(&release, 0, row))
    };
    let rows: Vec<String> = (0..6).map(row).collect();
    assert_eq!(rows, ["Ulm viral", "* viral", "Ulm viral", "Bonn flu", "Bonn cold", "Bonn gout"]);
    // (1 + ½) + (½ + ½) + (1 + ½) + 3 · 2 of 12.
    assert!((case.um(&release) - 10.0 / 12.0).abs() < 1e-12);
    let (flu, viral) =
        (case.checked.sensitive[0].tree.find("flu").unwrap(), case.checked.sensitive[0].tree.find("viral").unwrap());
    let steps: Vec<(Option<String>, Event, Vec<u32>)> = trace
        .steps
        .into_iter()
        .map(|step| (step.class.map(|nodes| label(0, nodes[0])), step.event, step.rows))
        .collect();
    let (ulm, bonn, all) = (Some("Ulm".to_owned()), Some("Bonn".to_owned()), Some("*".to_owned()));
    let generalized = Event::Generalized { from: flu, to: viral };
    assert_eq!(
        steps,
        [
            (None, generalized, vec![0, 2]),
            (ulm.clone(), Event::Opened, vec![0, 2, 1]),
            (ulm.clone(), Event::Moved, vec![1]),
            (ulm, Event::Closed, vec![0, 2]),
            (bonn.clone(), Event::Opened, vec![3, 4, 5]),
            (bonn, Event::Closed, vec![3, 4, 5]),
            (all.clone(), Event::Opened, vec![1]),
            (all.clone(), generalized, vec![1]),
            (all, Event::Closed, vec![1]),
        ]
    );
    assert!(!trace.cut);
    let order: Vec<(f64, Vec<u16>)> =
        trace.orders[0].iter().map(|vector| (vector.information, vector.levels.clone())).collect();
    assert_eq!(order, [(1.0, vec![1]), (0.5, vec![0])]);
}

/// With a limit at *viral*, flu and cold can't show anything more general, and five of six rows are viral: 5/12 each.
#[test]
fn a_limit_of_the_sensitive_column() {
    let towns: &[&str] = &["Ulm", "Ulm", "Ulm", "Bonn", "Bonn", "Bonn"];
    let values: &[&str] = &["flu", "flu", "flu", "flu", "cold", "gout"];
    let mut rule = illnesses();
    rule["limits"] = json!(["viral"]);
    let demand = |tau: f64| json!([{"model": "tau-l-diversity", "attribute": "illness", "tau": tau, "l": 3}]);
    let asking = |tau: f64| {
        case(&[("town", towns, json!({"role": "quasi"})), ("illness", values, rule.clone())], demand(tau))
            .sweep(&Settings::default())
    };
    // F(2) = 5/6 may be at most (1 + τ)/2, so τ is at least 2/3.
    assert!(matches!(asking(0.67).outcome, Outcome::Release(_)));
    let Swept { outcome: Outcome::Impossible(why), nearest: Some(nearest), .. } = asking(0.66) else {
        panic!("possible")
    };
    assert!((nearest.tau - 2.0 / 3.0).abs() < 1e-9 && nearest.l == Some(2), "{nearest:?}");
    assert!(why.contains("“illness”") && why.contains("0.6667") && why.contains("ℓ can be at most 2"), "{why}");
}

/// What came of a sweep of one class of these values.
fn of_one_class(values: &[&str], rule: Value, demands: Value) -> Swept {
    let towns = vec!["Ulm"; values.len()];
    let case = case(&[("town", &towns, json!({"role": "quasi"})), ("s", values, rule)], demands);
    block_on(sweep(&case.problem(), &case.asked(), &Settings::default(), &Progress::new(&Still))).unwrap()
}

fn tau_l(tau: f64, l: u32, weights: Value) -> Value {
    json!({"model": "tau-l-diversity", "attribute": "s", "tau": tau, "l": l, "weights": weights})
}

/// The best (τ,ℓ) is met on the way: with b kept by its limit, one of three a as * levels both; more of them tilt it.
#[test]
fn the_nearest_is_found_on_the_way() {
    let rule = json!({"role": "sensitive", "hierarchy": {"rows": [["a", "A", "*"], ["b", "B", "*"]]}, "limits": ["B"]});
    let limited = of_one_class(&["a", "a", "a", "b", "b"], rule, json!([tau_l(0.2, 2, json!({}))]));
    // * is b three times as often as a: with one a and the b as *, each has 1 + ¼ + ¼ or 2 · ¾; with all as *, b has ¾.
    let rule = json!({"role": "sensitive"});
    let weighted = of_one_class(&["a", "a", "b"], rule, json!([tau_l(0.2, 2, json!({"a": 1, "b": 3}))]));
    for (swept, tau) in [(limited, 0.5), (weighted, 0.5)] {
        let nearest = swept.nearest.unwrap();
        assert!((nearest.tau - tau).abs() < 1e-9 && nearest.l.is_none(), "{nearest:?}");
        assert!(matches!(swept.outcome, Outcome::Impossible(_)), "{:?}", swept.outcome);
    }
}

/// b can't be generalized, and a by its group counts for b: only straight to * it counts for c, too.
#[test]
fn what_a_group_on_the_way_would_miss() {
    let rows = json!([["a", "ab", "*"], ["b", "B", "ab", "*"], ["c", "*"]]);
    let rule = json!({"role": "sensitive", "hierarchy": {"rows": rows}, "limits": ["B"]});
    let values = ["a", "a", "a", "b", "b", "c"];
    let swept = of_one_class(&values, rule, json!([tau_l(0.4, 2, json!({}))]));
    assert!(matches!(swept.outcome, Outcome::Release(_)), "{:?}", swept.outcome);
}

/// Weights mean what they are to each other: tenths, huge or tiny ones are exact where whole ones are.
#[test]
fn weights_of_any_size_are_exact() {
    let values = ["a", "b", "c", "d", "e", "f"];
    let leaves: Vec<[&str; 2]> = values.iter().map(|&value| [value, "*"]).collect();
    let rule = || json!({"role": "sensitive", "hierarchy": {"rows": leaves}});
    let all_a = ["a"; 7];
    for unit in [1.0, 0.1, 0.2, 0.7, 1.0 / 3.0, 1e300, 1e-300] {
        let equal: Value = values.iter().map(|&value| (value.to_owned(), json!(unit))).collect();
        let swept = of_one_class(&all_a, rule(), json!([tau_l(1.0 / 6.0, 6, equal)]));
        assert!(matches!(swept.outcome, Outcome::Release(_)), "{unit}: {:?}", swept.outcome);
        // 2, 3 and 5 of 20, each twice: F(5) = 18/20 may be at most τ + (1 − τ) · ⅘.
        let parts = [2.0, 3.0, 5.0, 2.0, 3.0, 5.0].map(|part| json!(part / 10.0 * unit));
        let unequal: Value = values.iter().map(|&value| value.to_owned()).zip(parts).collect();
        let swept = of_one_class(&all_a, rule(), json!([tau_l(0.5, 6, unequal)]));
        assert!(matches!(swept.outcome, Outcome::Release(_)), "{unit}: {:?}", swept.outcome);
    }
}

/// Where rows may be suppressed but not enough, the nearest is told all the same; where something else fails, it is not.
#[test]
fn the_nearest_is_told_where_it_helps() {
    let values: Vec<&str> = [vec!["a"; 19], vec!["b"]].concat();
    let towns = vec!["Ulm"; 20];
    let nearest = |limit: f64, other: Value| {
        let table = [("town", &towns), ("s", &values)]
            .map(|(name, values)| column(name, &values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>()));
        let columns = json!({"town": {"role": "quasi"}, "s": {"role": "sensitive"}});
        let demands = json!([tau_l(0.3, 2, json!({})), other]);
        let policy = json!({"throng": 1, "columns": columns, "privacy": demands, "suppression_limit": limit,
            "algorithm": {"name": "sweep"}});
        let swept = Case::new(Table { columns: table.into(), rows: 20 }, policy).sweep(&Settings::default());
        assert!(!matches!(swept.outcome, Outcome::Release(_)));
        swept.nearest.map(|nearest| (nearest.tau, nearest.l, nearest.proved))
    };
    for limit in [0.0, 0.05] {
        assert_eq!(nearest(limit, json!({"model": "k-anonymity", "k": 20})), Some((0.5, None, true)));
        assert_eq!(nearest(limit, json!({"model": "entropy-l-diversity", "l": 2})), None);
    }
}

/// That twenty thousand values are too few for a τ is known before any is generalized, and told with the τ.
#[test]
fn impossible_is_said_at_once() {
    let values: Vec<String> = (0..20_000).map(|value| value.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let towns = vec!["Ulm"; values.len()];
    let demands = json!([tau_l(0.00001, 20_000, json!({}))]);
    let case =
        case(&[("town", &towns, json!({"role": "quasi"})), ("s", &values, json!({"role": "sensitive"}))], demands);
    let looks = Hasty(Cell::new(10));
    let swept = block_on(sweep(&case.problem(), &case.asked(), &Settings::default(), &Progress::new(&looks))).unwrap();
    let Outcome::Impossible(why) = swept.outcome else { panic!("{:?}", swept.outcome) };
    assert!(why.contains("τ = 1e-5 with ℓ = 20000") && swept.nearest.unwrap().proved, "{why}");
}

/// The trace names no more rows than allowed, and says when it left some out.
#[test]
fn a_trace_is_bounded() {
    let mut dice = Dice(7);
    for _ in 0..200 {
        let case = random_case(&mut dice, PLAIN);
        let all = case.sweep(&Settings { trace: usize::MAX, ..Settings::default() }).trace;
        assert!(!all.cut);
        let room = 1 + dice.below(40) as usize;
        let some = case.sweep(&Settings { trace: room, ..Settings::default() }).trace;
        assert!(some.steps.iter().map(|step| step.rows.len()).sum::<usize>() <= room);
        assert_eq!(some.steps, all.steps[..some.steps.len()]);
        assert_eq!(some.cut, some.steps.len() < all.steps.len());
        assert_eq!(case.sweep(&Settings::default()).trace.steps, []);
    }
}

/// Of classes that retain equally much, those come first that keep the more important column finer.
#[test]
fn importance_orders_equal_classes() {
    let (one, two): (&[&str], &[&str]) = (&["a1", "a2"], &["b1", "b2"]);
    let demand = json!([{"model": "tau-l-diversity", "attribute": "s", "tau": 0.5, "l": 2}]);
    let quasi = || json!({"role": "quasi"});
    let flat = json!({"role": "sensitive"});
    let case = case(&[("a", one, quasi()), ("b", two, quasi()), ("s", &["x", "y"], flat)], demand);
    let levels = |importance: Option<Vec<f64>>, weights: Option<Vec<Vec<f64>>>| {
        let swept = case.sweep(&Settings { importance, weights, trace: 100, ..Settings::default() });
        swept.trace.orders[0].iter().map(|vector| vector.levels.clone()).collect::<Vec<_>>()
    };
    assert_eq!(levels(None, None), [[1, 1], [1, 0], [0, 1], [0, 0]]);
    assert_eq!(levels(Some(vec![1.0, 2.0]), None), [[1, 1], [0, 1], [1, 0], [0, 0]]);
    assert_eq!(
        levels(Some(vec![2.0, 2.0]), Some(vec![vec![1.0, 3.0], vec![1.0, 1.0]])),
        [[1, 1], [1, 0], [0, 1], [0, 0]]
    );
    let settings = Settings { importance: Some(vec![1.0]), ..Settings::default() };
    let refused = block_on(sweep(&case.problem(), &case.asked(), &settings, &Progress::new(&Still)));
    assert_eq!(refused.unwrap_err().kind, FailureKind::Policy);
}

/// Where there are too many combinations of levels, some are left out, never the ends.
#[test]
fn levels_are_left_out() {
    let retained: Vec<Vec<f64>> = (0..6).map(|_| vec![0.1, 0.2, 0.25, 1.0]).collect();
    let spans = [Span { least: 0, deepest: 3 }; 6];
    for most in [1 << 12, 1000, 64, 10, 2] {
        let order = Order::new(&retained, &spans, &[0, 1, 2, 3, 4, 5], false, most);
        assert!(order.len() as u64 <= most && order.len() > 1 && order.thinned == (most < 1 << 12));
        assert_eq!(order.levels(0), [3; 6]);
        assert_eq!(order.levels(order.len() - 1), [0; 6]);
    }
    // 2²⁴ combinations.
    let mut dice = Dice(8);
    let names: Vec<String> = (0..24).map(|place| format!("q{place}")).collect();
    let texts: Vec<Vec<String>> = (0..25).map(|_| (0..60).map(|_| format!("v{}", dice.below(3))).collect()).collect();
    let values: Vec<Vec<&str>> = texts.iter().map(|column| column.iter().map(String::as_str).collect()).collect();
    let mut columns: Vec<(&str, &[&str], Value)> = names
        .iter()
        .zip(&values)
        .map(|(name, values)| (name.as_str(), values.as_slice(), json!({"role": "quasi"})))
        .collect();
    columns.push(("s", &values[24], json!({"role": "sensitive"})));
    let case = case(&columns, json!([{"model": "tau-l-diversity", "attribute": "s", "tau": 0.5, "l": 3}]));
    let swept = case.sweep(&Settings::default());
    assert!(swept.thinned && matches!(swept.outcome, Outcome::Release(_)));
}

/// No rows, no quasi-identifiers: nothing panics. Where cells may only be kept or suppressed, that is all that happens.
#[test]
fn small_things_and_suppression() {
    let mut dice = Dice(9);
    let asked = |case: &Case| case.asked();
    for _ in 0..200 {
        let case = random_case(&mut dice, Kind { limits: true, ..PLAIN });
        let run = |problem: &Problem<'_>| {
            block_on(sweep(problem, &asked(&case), &refined(), &Progress::new(&Still))).unwrap()
        };
        let suppression = Problem { mode: Mode::Suppression, ..case.problem() };
        if let Outcome::Release(release) = run(&suppression).outcome {
            case.check(&release);
            for (row, &class) in release.class_of_row.iter().enumerate() {
                for (quasi, nodes) in case.checked.quasi.iter().zip(&release.quasi) {
                    let leaf = quasi.leaf_of_code[case.table.columns[quasi.column].codes[row] as usize];
                    assert!([leaf, ROOT].contains(&nodes[class as usize]));
                }
                let sensitive = &case.checked.sensitive[0];
                let leaf = sensitive.leaf_of_code[case.table.columns[sensitive.column].codes[row] as usize];
                assert!([leaf, ROOT].contains(&case.value(&release, 0, row)));
            }
        }
        let without = Problem { quasi: &[], ..case.problem() };
        if let Outcome::Release(release) = run(&without).outcome {
            assert_eq!((release.classes(), release.quasi.len()), (1, 0));
        }
        let mut table = case.table.clone();
        table.rows = 0;
        for column in &mut table.columns {
            column.codes.clear();
            column.counts.fill(0);
        }
        let Outcome::Release(release) = run(&Problem { table: &table, ..case.problem() }).outcome else {
            panic!("no rows")
        };
        assert!(release.class_of_row.is_empty());
    }
}

/// A host that cancels after so many looks.
struct Hasty(Cell<u32>);

impl Sink for Hasty {
    fn now(&self) -> f64 {
        0.0
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// Whoever has n is refused, and nobody else. Swept, those with r and with p are classes over both towns, and those with
/// n are left alone: one must show nothing. On whole levels every class has r, p and n of a town, which costs six times
/// ⅔. Of these the two with r can be spared for a class over both towns: that costs twice ½ instead of twice ⅔.
#[test]
fn refining_starts_from_whole_levels_and_uses_rows_to_spare() {
    let towns: &[&str] = &["Ulm", "Ulm", "Ulm", "Bonn", "Bonn", "Bonn"];
    let health: &[&str] = &["r", "p", "n", "r", "p", "n"];
    let values: &[&str] = &["first", "first", "refused", "second", "second", "refused"];
    let demand = json!([{"model": "tau-l-diversity", "attribute": "class", "tau": 0.7, "l": 2}]);
    let quasi = || json!({"role": "quasi"});
    let columns =
        [("town", towns, quasi()), ("health", health, quasi()), ("class", values, json!({"role": "sensitive"}))];
    let case = case(&columns, demand);
    let um = |settings: &Settings| match case.sweep(settings).outcome {
        Outcome::Release(release) => case.um(&release),
        other => panic!("{other:?}"),
    };
    assert!((um(&Settings::default()) - (1.0 - 5.0 / 18.0)).abs() < 1e-9);
    assert!(um(&refined()) > 1.0 - (4.0 - 1.0 / 3.0) / 18.0 - 1e-6, "{}", um(&refined()));
}

/// Cancelled while it refines, a sweep keeps what it has; before, there is nothing to keep.
#[test]
fn refining_may_be_stopped_at_any_time() {
    let mut dice = Dice(10);
    let mut kept = 0;
    for _ in 0..60 {
        let case = random_case(&mut dice, PLAIN);
        let Outcome::Release(plain) = case.sweep(&Settings::default()).outcome else { continue };
        for looks in 2..60 {
            let swept =
                block_on(sweep(&case.problem(), &case.asked(), &refined(), &Progress::new(&Hasty(Cell::new(looks)))));
            match swept {
                Ok(Swept { outcome: Outcome::Release(release), .. }) => {
                    case.check(&release);
                    assert!(case.um(&release) > case.um(&plain) - 1e-9);
                    kept += 1;
                }
                Ok(other) => panic!("{other:?}"),
                Err(failure) => assert_eq!(failure.kind, FailureKind::Cancelled),
            }
        }
    }
    assert!(kept > 500, "{kept}");
}

/// The peers' releases meet what is asked, and of all their ℓ none has less excess.
#[test]
fn peers_meet_what_is_asked_with_the_least_excess() {
    let mut dice = Dice(11);
    let (mut lines, mut lattices, mut best) = (0, 0, 0);
    for _ in 0..400 {
        let case = random_case(&mut dice, Kind { rows: 40, ..PLAIN });
        let (problem, asked) = (case.problem(), case.asked());
        let excess = |release: &throng::release::Release, asked: &Asked| {
            let Problem { table, quasi, sensitive, .. } = problem;
            excessive_protection::of(&Released { table, quasi, sensitive, release }, asked).unwrap()
        };
        let progress = Progress::new(&Still);
        for curve in [Curve::Hilbert, Curve::Lexicographic] {
            let first = block_on(peers::one_d(&problem, &asked, curve, peers::Until::First, &progress)).unwrap();
            let least = block_on(peers::one_d(&problem, &asked, curve, peers::Until::Best, &progress)).unwrap();
            assert_eq!(first.is_some(), least.is_some());
            if let (Some(first), Some(least)) = (first, least) {
                lines += 1;
                best += u32::from(first.l != least.l);
                case.check(&least.release);
                assert_eq!(least.excess, excess(&least.release, &asked));
                assert!(least.excess <= first.excess && first.l <= least.l);
            }
        }
        if let Some(found) = block_on(peers::lattice(&problem, &asked, peers::Until::Best, &progress)).unwrap() {
            lattices += 1;
            case.check(&found.release);
            assert_eq!(found.excess, excess(&found.release, &asked));
        }
    }
    println!("{lines} on a line, {best} not the first; {lattices} in the lattice");
    assert!(lines > 50 && lattices > 30);
}

/// The measures of a run know what was asked.
#[test]
fn measures_take_what_was_swept() {
    let mut dice = Dice(12);
    for _ in 0..50 {
        let case = random_case(&mut dice, PLAIN);
        let Outcome::Release(release) = case.sweep(&refined()).outcome else { continue };
        let Problem { table, quasi, sensitive, .. } = case.problem();
        let released = Released { table, quasi, sensitive, release: &release };
        let settings = throng::metrics::Settings { tau_l: Some(case.asked()), ..Default::default() };
        let metrics = block_on(Metrics::of(&released, &settings, &Progress::new(&Still))).unwrap();
        assert!((metrics.utility - case.um(&release)).abs() < 1e-12);
        assert!(metrics.excessive_protection.is_some_and(|excess| excess >= 0.0));
    }
}
