//! A threshold of risk is one function, ⌈1/r⌉, and every count of rows above one comes from it (issue 20, point 14).
//!
//! The oracle is arithmetic with whole numbers: a decimal a/10^d allows classes of ⌈10^d/a⌉ rows.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::BTreeMap;
use std::process::Command;

use support::{ask, file, open_files, text};
use throng::classes::risk::{IN_PRACTICE, PUBLIC, TAKEN_FOR_PUBLIC, smallest_class};
use throng::engine::Engine;
use throng::protocol::{Request, Response};
use throng::report::Audience;

#[test]
fn a_threshold_is_the_smallest_class_as_whole_numbers_have_it() {
    assert_eq!((PUBLIC, smallest_class(PUBLIC), TAKEN_FOR_PUBLIC), (0.09, 12, 11));
    for (threshold, expected) in [(0.2, 5), (0.05, 20), (0.1, 10), (0.33, 4), (1.0 / 3.0, 3), (0.5, 2), (0.0909, 12)] {
        assert_eq!(smallest_class(threshold), expected, "{threshold}");
    }
    for rows in 1..200_000u32 {
        assert_eq!(smallest_class(1.0 / f64::from(rows)), rows);
    }
    for digits in 1..=5u32 {
        let whole = 10u64.pow(digits);
        for part in 1..=whole {
            let threshold: f64 = format!("0.{part:0width$}", width = digits as usize).parse().unwrap();
            let threshold = if part == whole { 1.0 } else { threshold };
            assert_eq!(u64::from(smallest_class(threshold)), whole.div_ceil(part), "{part}/{whole}");
        }
    }
    for part in [9_090_909u64, 9_090_910, 33_333_333, 33_333_334, 1, 99_999_999] {
        let threshold: f64 = format!("0.{part:08}").parse().unwrap();
        assert_eq!(u64::from(smallest_class(threshold)), 100_000_000u64.div_ceil(part), "{part}");
    }
    assert_eq!((smallest_class(0.0), smallest_class(-1.0), smallest_class(f64::NAN)), (u32::MAX, u32::MAX, u32::MAX));
    assert_eq!((smallest_class(2.0), smallest_class(f64::INFINITY)), (1, 1));
    assert!(IN_PRACTICE.contains("0.09") && IN_PRACTICE.contains("at least 12") && IN_PRACTICE.contains("at least 11"));
}

const POLICY: &str = r#"{"throng": 1, "columns": {"a": {"role": "quasi"}, "b": {"role": "quasi"},
    "s": {"role": "sensitive"}}, "privacy": [{"model": "k-anonymity", "k": 2}], "suppression_limit": 1,
    "algorithm": {"name": "lattice"}}"#;

/// Classes of 1 to 14 rows; the counts above 0.09 (below 12) and below 11 differ by the 11 rows of one class.
fn table() -> String {
    let rows = (1..=14u32).flat_map(|size| (0..size).map(move |row| format!("v{size},w,s{}\n", row % 3)));
    std::iter::once("a,b,s\n".to_owned()).chain(rows).collect()
}

fn ran() -> (Engine, throng::run::RunView) {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", table()), file("policy.json", POLICY)]).unwrap();
    match ask(&engine, Request::Run, vec![]).unwrap() {
        Response::Ran(view) => (engine, *view),
        other => panic!("{other:?}"),
    }
}

/// Rows in classes below so many, of the release.
fn naive(engine: &Engine, least: usize) -> u64 {
    let Ok(Response::File(bytes)) = ask(engine, Request::Export { protected: false, row_numbers: false }, vec![])
    else {
        panic!()
    };
    let csv = String::from_utf8(bytes).unwrap();
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    csv.lines().skip(1).for_each(|line| *classes.entry(line.rsplit_once(',').unwrap().0).or_default() += 1);
    classes.values().filter(|&&size| size < least).sum::<usize>() as u64
}

#[test]
fn all_counts_above_the_threshold_agree() {
    let (engine, view) = ran();
    let (below_11, above) = (naive(&engine, 11), naive(&engine, 12));
    assert_eq!(above, below_11 + 11);
    assert_eq!((view.risk_after.below_11, view.risk_after.above_public), (below_11, above));
    assert_eq!((view.risk_before.below_11, view.risk_before.above_public), (55, 66));
    // The bands of class sizes add up to the count below 11.
    let banded: u64 = view.sizes.iter().filter(|band| band.from < 11).map(|band| band.rows).sum();
    assert_eq!(banded, below_11);
    let Ok(Response::Exposure(exposure)) = ask(&engine, Request::Exposure { column: None }, vec![]) else { panic!() };
    assert_eq!((exposure.after.prosecutor.above, exposure.after.prosecutor.below_11), (above, below_11));
    assert_eq!((exposure.before.prosecutor.above, exposure.before.prosecutor.below_11), (66, 55));
    let measure = throng::compare::RISKS.iter().find(|measure| measure.name == "share_above_0.09").unwrap();
    assert_eq!((measure.of)(&view), Some(above as f64 / view.verified.rows as f64));
    // The report has both, and says why they are two.
    let html = text(
        &engine,
        Request::Report { audience: Audience::Internal, date: String::new(), written: Default::default() },
    );
    let cells = |name: &str| -> Vec<u64> {
        let row = html.split_once(&format!("<th scope=\"row\">{name}")).unwrap_or_else(|| panic!("{name}")).1;
        let cells = row.split_once("</tr>").unwrap().0.split("<td>").skip(1);
        cells.map(|cell| cell.split(' ').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(cells("records of a risk above 0.09 (in classes below 12)"), [66, above]);
    assert_eq!(cells("records in classes below 11 (taken for 0.09)"), [55, below_11]);
    assert_eq!(cells("records of a risk above 0.33 (in classes below 4)"), [6, naive(&engine, 4)]);
    assert_eq!(cells("records of a risk above 0.2 (in classes below 5)"), [10, naive(&engine, 5)]);
    assert!(html.contains(IN_PRACTICE));
}

#[test]
fn the_runner_tells_both_counts() {
    let folder = std::env::temp_dir().join(format!("throng-risk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("table.csv"), table()).unwrap();
    std::fs::write(folder.join("policy.json"), POLICY).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(["columns", "table.csv", "--policy", "policy.json"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(told.contains("55 rows in classes below 11"), "{told}");
    assert!(told.contains("66 rows of a risk above 0.09, in classes below 12"), "{told}");
    assert!(told.contains(IN_PRACTICE), "{told}");
}
