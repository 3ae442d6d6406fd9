//! The audit against figures worked out row by row from the definitions, through the engine's door.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use support::{ask, edit, file, open_files};
use throng::audit::{Audit, ClassOrder, Listing};
use throng::engine::Engine;
use throng::policy::{Demand, Distance, Edit, Missing, ModelDemand};
use throng::protocol::{Request, Response, Subject};
use throng::table::Role;

fn audit(engine: &Engine) -> Audit {
    match ask(engine, Request::Audit, vec![]) {
        Ok(Response::Audit(audit)) => audit,
        other => panic!("{other:?}"),
    }
}

/// An engine with a table of two quasi-identifiers and a sensitive number.
fn engine_of(rows: &[(u8, u8, u8)], demands: Vec<Demand>) -> Engine {
    let lines: String = rows.iter().map(|(a, b, s)| format!("a{a},b{b},{s}\n")).collect();
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", format!("one,two,secret\n{lines}"))]).unwrap();
    edit(&engine, Edit::Roles { columns: vec![0, 1], role: Role::Quasi }).unwrap();
    edit(&engine, Edit::Roles { columns: vec![2], role: Role::Sensitive }).unwrap();
    edit(&engine, Edit::Privacy { demands, typing: false }).unwrap();
    engine
}

type Counts = BTreeMap<u8, u32>;

fn classes_of(rows: &[(u8, u8, u8)]) -> BTreeMap<(u8, u8), Counts> {
    let mut classes: BTreeMap<(u8, u8), Counts> = BTreeMap::new();
    for &(a, b, s) in rows {
        *classes.entry((a, b)).or_default().entry(s).or_default() += 1;
    }
    classes
}

fn size(counts: &Counts) -> u32 {
    counts.values().sum()
}

fn close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-9 * one.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn figures_are_those_of_the_definitions(rows in prop::collection::vec((0u8..3, 0u8..3, 0u8..6), 1..40), k in 1u32..6, l in 1.0f64..5.0, t in 0.0f64..1.0) {
        let on = |model| Demand { model, attribute: Some("secret".into()), jointly: false };
        let distinct_values = rows.iter().map(|row| row.2).collect::<std::collections::BTreeSet<_>>().len();
        let l = l.min(distinct_values as f64);
        let k = k.min(rows.len() as u32);
        let demands = vec![
            Demand::of_rows(k),
            on(ModelDemand::EntropyL { l, dont_care: vec![] }),
            on(ModelDemand::TCloseness { t, distance: Distance::Ordered }),
        ];
        let audit = audit(&engine_of(&rows, demands));
        let classes = classes_of(&rows);
        let mut whole = Counts::new();
        for &(_, _, s) in &rows {
            *whole.entry(s).or_default() += 1;
        }
        let values: Vec<u8> = whole.keys().copied().collect();
        let share = |counts: &Counts, value: u8| f64::from(counts.get(&value).copied().unwrap_or(0)) / f64::from(size(counts));
        let entropy_l = |counts: &Counts| {
            let h: f64 = counts.values().map(|&count| f64::from(count) / f64::from(size(counts))).map(|p| -p * p.ln()).sum();
            h.exp()
        };
        let equal = |counts: &Counts| values.iter().map(|&v| (share(counts, v) - share(&whole, v)).abs()).sum::<f64>() / 2.0;
        let ordered = |counts: &Counts| {
            let mut sum = 0.0;
            let mut total: f64 = 0.0;
            for &v in &values {
                sum += share(counts, v) - share(&whole, v);
                total += sum.abs();
            }
            if values.len() < 2 { 0.0 } else { total / (values.len() - 1) as f64 }
        };
        let c_for = |counts: &Counts, l: usize| {
            let mut sorted: Vec<u32> = counts.values().copied().collect();
            sorted.sort_by(|one, other| other.cmp(one));
            (sorted.len() >= l).then(|| f64::from(sorted[0]) / f64::from(sorted[l - 1..].iter().sum::<u32>()))
        };
        let most = |figure: &dyn Fn(&Counts) -> f64| classes.values().map(figure).fold(0.0, f64::max);
        prop_assert_eq!(audit.rows, rows.len() as u64);
        prop_assert_eq!(audit.classes, classes.len() as u64);
        prop_assert_eq!(audit.k, classes.values().map(size).min().unwrap());
        prop_assert_eq!(audit.sizes.iter().map(|band| band.rows).sum::<u64>(), rows.len() as u64);
        for band in &audit.sizes {
            let within = |count: &&Counts| size(count) >= band.from && band.to.is_none_or(|to| size(count) <= to);
            prop_assert_eq!(band.classes, classes.values().filter(within).count() as u64);
        }
        let column = &audit.sensitive[0];
        prop_assert_eq!(column.distinct, values.len() as u64);
        prop_assert_eq!(column.distinct_l, classes.values().map(|counts| counts.len() as u32).min().unwrap());
        prop_assert!(close(column.entropy_l, classes.values().map(entropy_l).fold(f64::INFINITY, f64::min)));
        prop_assert!(close(column.t_equal, most(&equal)));
        prop_assert!(close(column.t_ordered.unwrap(), most(&ordered)));
        let largest = |counts: &Counts| f64::from(*counts.values().max().unwrap()) / f64::from(size(counts));
        prop_assert!(close(column.largest_share, most(&largest)));
        for l in 2..=values.len() {
            let of_classes: Option<Vec<f64>> = classes.values().map(|counts| c_for(counts, l)).collect();
            let expected = of_classes.map(|all| all.into_iter().fold(0.0, f64::max));
            match (column.recursive_c.get(l - 2), expected) {
                (Some(&c), Some(expected)) => prop_assert!(close(c, expected)),
                (None, None) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
        let exposed = |share: f64| {
            let classes = classes.values().filter(|counts| largest(counts) >= share);
            classes.fold((0, 0), |(number, rows), counts| (number + 1, rows + u64::from(size(counts))))
        };
        prop_assert_eq!((column.homogeneous.classes, column.homogeneous.rows), exposed(1.0));
        prop_assert_eq!((column.nearly_homogeneous.classes, column.nearly_homogeneous.rows), exposed(0.95));
        for fallen in &column.fallen {
            let falls = |counts: &&Counts| counts.len() as u32 <= fallen.ruled_out + 1;
            let rows: u64 = classes.values().filter(falls).map(|counts| u64::from(size(counts))).sum();
            prop_assert_eq!(fallen.rows, rows);
        }
        let violating = |holds: &dyn Fn(&Counts) -> bool| {
            classes.values().filter(|counts| !holds(counts)).map(|counts| u64::from(size(counts))).sum::<u64>()
        };
        let expected = [
            violating(&|counts| size(counts) >= k),
            violating(&|counts| entropy_l(counts) >= l * (1.0 - 1e-9)),
            violating(&|counts| ordered(counts) <= t + 1e-9),
        ];
        for (demand, expected) in audit.demands.iter().zip(expected) {
            let outcome = demand.outcome.as_ref().unwrap();
            prop_assert_eq!(outcome.violating_rows, expected);
            prop_assert_eq!(outcome.holds, expected == 0);
            prop_assert_eq!(outcome.example.is_some(), expected > 0);
        }
    }

    #[test]
    fn classes_and_people_are_those_of_the_table(rows in prop::collection::vec((0u8..3, 0u8..2, 0u8..5), 1..30), pick in any::<prop::sample::Index>()) {
        let engine = engine_of(&rows, vec![]);
        let classes = classes_of(&rows);
        for order in [ClassOrder::LeastDiverse, ClassOrder::LargestShare, ClassOrder::Smallest, ClassOrder::Largest] {
            let mut seen = BTreeMap::new();
            // In pages of two, as a person turns them.
            for first in (0..classes.len() as u64).step_by(2) {
                let Ok(Response::Classes(page)) = ask(&engine, Request::Classes { of: Subject::Table, column: 2, listing: Listing { order, near: false, first, count: 2 } }, vec![]) else { panic!() };
                prop_assert_eq!(page.total, classes.len() as u64);
                for row in page.rows {
                    let counts: BTreeMap<String, u32> =
                        page.values.iter().map(|value| value.value.clone()).zip(row.counts).filter(|&(_, count)| count > 0).collect();
                    seen.insert(row.cells, counts);
                }
            }
            let expected: BTreeMap<Vec<String>, BTreeMap<String, u32>> = classes.iter().map(|((a, b), counts)| {
                (vec![format!("a{a}"), format!("b{b}")], counts.iter().map(|(s, &count)| (s.to_string(), count)).collect())
            }).collect();
            prop_assert_eq!(seen, expected);
        }
        let row = pick.index(rows.len());
        let Ok(Response::Person(person)) = ask(&engine, Request::Person { column: 2, row: row as u64 + 1 }, vec![]) else { panic!() };
        let (a, b, s) = rows[row];
        let counts = &classes[&(a, b)];
        prop_assert_eq!(person.class_size, size(counts));
        prop_assert_eq!(person.value, s.to_string());
        prop_assert!(close(person.certainty, f64::from(counts[&s]) / f64::from(size(counts))));
        prop_assert_eq!(person.others.len(), counts.len() - 1);
        prop_assert!(person.others.last().is_none_or(|last| close(last.certainty, 1.0)));
    }
}

#[test]
fn missing_values_are_one_value_and_no_row_is_dropped() {
    let engine = Engine::default();
    let table = "q,s\na,x\na,?\n?,x\n,y\nNA,\n";
    open_files(&engine, vec![file("table.csv", table)]).unwrap();
    edit(&engine, Edit::Roles { columns: vec![0], role: Role::Quasi }).unwrap();
    edit(&engine, Edit::Roles { columns: vec![1], role: Role::Sensitive }).unwrap();
    let unknown = audit(&engine);
    assert_eq!((unknown.rows, unknown.classes, unknown.k), (5, 2, 2));
    // x, and one that may be x, too; x, y, and one that may be either.
    assert_eq!((unknown.sensitive[0].distinct, unknown.sensitive[0].distinct_l), (3, 1));
    edit(&engine, Edit::Missing { column: 1, missing: Missing::Value }).unwrap();
    let value = audit(&engine);
    // x and missing; x, y and missing.
    assert_eq!((value.sensitive[0].distinct, value.sensitive[0].distinct_l), (3, 2));
}

/// A named value need not be in the table that is looked at: its share is 0 there, which is not "any value's".
#[test]
fn a_value_that_no_row_has_is_neither_frequent_nor_there() {
    let engine = Engine::default();
    let policy = r#"{"throng": 1, "columns": {"q": {"role": "quasi"},
        "s": {"role": "sensitive", "hierarchy": {"rows": [["x", "*"], ["y", "*"], ["z", "*"]]}}}, "privacy": [
        {"model": "alpha-k", "attribute": "s", "alpha": 0.1, "values": ["z"]},
        {"model": "recursive-cl-diversity", "attribute": "s", "c": 3.0, "l": 2, "no_negative": ["z"], "c2": 1.0}]}"#;
    open_files(&engine, vec![file("table.csv", "q,s\na,x\na,y\n"), file("policy.json", policy)]).unwrap();
    let demands = audit(&engine).demands;
    let [frequent, there] = [0, 1].map(|place| demands[place].outcome.as_ref().unwrap());
    assert!(frequent.holds && frequent.achieved == 0.0);
    assert!(!there.holds && there.example.as_ref().unwrap().1.contains("“z”"));
}

#[test]
fn bad_asks_are_refused_and_tables_without_rows_or_roles_are_told() {
    let engine = engine_of(&[(0, 0, 1), (0, 0, 2)], vec![]);
    for request in [
        Request::Person { column: 2, row: 0 },
        Request::Person { column: 2, row: 3 },
        Request::Person { column: 0, row: 1 },
        Request::Person { column: 9, row: 1 },
        Request::Classes { of: Subject::Table, column: 0, listing: Listing { count: 5, ..Listing::default() } },
        Request::Values { column: 7, contains: String::new() },
    ] {
        assert!(ask(&engine, request, vec![]).is_err());
    }
    assert!(ask(&Engine::default(), Request::Audit, vec![]).is_err());
    let empty = Engine::default();
    open_files(&empty, vec![file("table.csv", "a,b\n")]).unwrap();
    edit(&empty, Edit::Roles { columns: vec![0], role: Role::Quasi }).unwrap();
    edit(&empty, Edit::Roles { columns: vec![1], role: Role::Sensitive }).unwrap();
    let nothing = audit(&empty);
    assert_eq!((nothing.rows, nothing.classes, nothing.k), (0, 0, 0));
    assert!(nothing.to_json().contains("\"k\": 0"));
}
