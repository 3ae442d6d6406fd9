//! What the engine tells of constraints as they are typed, generated constraints, conflict rates, and SQL on a database.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use throng::constraints::Dialect;
use throng::constraints::generate::{Class, Wish, generate};
use throng::constraints::sql::validations;
use throng::constraints::view::{ConstraintView, Method, Scope, Verdict};
use throng::constraints::{Binder, Constraint, ConstraintsView, conflict, count, parse};
use throng::engine::Engine;
use throng::failure::FailureKind;
use throng::policy::Edit;
use throng::progress::{Progress, block_on};
use throng::protocol::{Request, Response, decode, encode};

use crate::reasoning::Dice;
use crate::support::{Still, ask, edit, file, open_files, setup, text};
use crate::{bind, people_policy, records, records_policy, run, setup_of, table_of};

pub fn told(engine: &Engine, lines: &[&str]) -> ConstraintsView {
    let lines = lines.iter().map(|line| line.to_string()).collect();
    let response = ask(engine, Request::Constraints { lines, faultless: false }, vec![]);
    // It survives the way to the page.
    assert_eq!(decode::<Result<Response, throng::failure::Failure>>(&encode(&response)), Ok(response.clone()));
    match response {
        Ok(Response::Constraints(view)) => *view,
        other => panic!("{other:?}"),
    }
}

fn of_records(k: u32) -> Engine {
    let engine = Engine::default();
    let policy = records_policy(k, "lattice", &[]);
    open_files(&engine, vec![file("table.csv", records()), file("policy.json", policy)]).unwrap();
    engine
}

pub fn at(view: &ConstraintsView, line: usize) -> &ConstraintView {
    view.lines[line].constraint.as_ref().unwrap()
}

#[test]
fn lines_are_told_as_they_are_typed() {
    let engine = of_records(2);
    let lines = [
        "ETH=Asian: 2..5",
        "ETH=",
        "ETH=African: 1..3",
        "CTY=Vancouver: 2..4",
        "CTY=Vancouver: ..6",
        "town=x: 1",
        "ETH=Asian & GEN=Female: 2..",
        "DIAG=Migraine: 1..",
    ];
    let view = told(&engine, &lines);
    assert_eq!(view.k, 2);
    let texts: Vec<&str> = view.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, lines);
    // Faults at their places, and no constraint.
    for (line, place) in [(1, (4, 4)), (5, (0, 4))] {
        let fault = &view.lines[line].faults[0];
        assert_eq!((fault.at.start, fault.at.end), place, "{fault:?}");
        assert_eq!(view.lines[line].constraint, None);
    }
    let figures = |line| (at(&view, line).today, at(&view, line).certain, at(&view, line).possible);
    assert_eq!([0, 2, 3, 6, 7].map(figures), [(3, 0, 3), (2, 0, 2), (4, 0, 4), (3, 0, 3), (2, 2, 2)]);
    assert!([0, 2, 3, 6, 7].iter().all(|&line| at(&view, line).k_allows && at(&view, line).holds_today));
    // The wider of two on one city, the part of another, and what no release can break.
    let implied = |line: usize| {
        at(&view, line).implied.as_ref().map(|implied| (implied.by.clone(), implied.scope, implied.method))
    };
    assert_eq!(implied(4), Some((vec![3], Scope::Alone, Method::Axioms)));
    assert_eq!(implied(7), Some((vec![], Scope::Table, Method::Exact)));
    assert_eq!((implied(0), implied(3), implied(6)), (None, None, None));
    let sentences =
        at(&view, 4).implied.as_ref().unwrap().derivation.as_ref().unwrap().sentences(|line| format!("line {line}"));
    assert_eq!(sentences, ["Step 1: by Axiom 1 from line 3: 2 to 4.", "Step 2: by Axiom 1 from step 1: at most 6."]);
    assert_eq!((view.cover.as_slice(), view.cover_by_axioms.as_slice()), (&[0, 2, 3, 6, 7][..], &[0, 2, 3, 6, 7][..]));
    assert_eq!((view.verdicts, view.proved), ([Verdict::Possible; 3], true));
    assert!(view.contradictions.is_empty());
    // Asians and those in Vancouver share two of five rows.
    let rate = |one, other| view.conflicts.iter().find(|pair| (pair.one, pair.other) == (one, other)).unwrap().rate;
    assert_eq!((rate(0, 3), rate(0, 2), rate(0, 6)), (0.4, 0.0, 1.0));
    let mean = view.conflicts.iter().map(|pair| pair.rate).sum::<f64>() / 15.0;
    assert!(view.conflicts.len() == 15 && (view.conflict - mean).abs() < 1e-12);
    assert!(at(&view, 6).sql.starts_with("SELECT 6 AS diversity") && view.sql.matches("UNION ALL").count() == 5);
}

#[test]
fn contradictions_are_told_in_the_first_scope_that_has_them() {
    let engine = of_records(3);
    let view = told(
        &engine,
        &[
            "PRV=AB & ETH=Caucasian: 3..", // two of these for the upper bound of line 2, by no axiom
            "PRV=AB & ETH=African: ..2",
            "CTY=Calgary & GEN=Female: 2..",
            "CTY=Calgary & GEN=Male: 1..",
            "CTY=Calgary: ..2",
            "ETH=African: 1..3",
            "ETH=Asian: 2..5",
            "CTY=Vancouver: 2..4",
            "GEN=Male: 1..2",
            "PRV=BC: 3..",
            "PRV=BC: ..2",
        ],
    );
    let found: Vec<(Vec<usize>, Scope, Method)> = view
        .contradictions
        .iter()
        .map(|contradiction| (contradiction.lines.clone(), contradiction.scope, contradiction.method))
        .collect();
    assert!(found.contains(&(vec![2, 3, 4], Scope::Alone, Method::Exact)), "{found:?}");
    assert!(found.contains(&(vec![9, 10], Scope::Alone, Method::Axioms)), "{found:?}");
    // Three to be a class: one or two men can't be.
    assert!(found.contains(&(vec![8], Scope::Classes, Method::Exact)), "{found:?}");
    // Two Africans are no class of three, whatever is done to the table.
    assert!(found.contains(&(vec![5], Scope::Table, Method::Exact)), "{found:?}");
    assert_eq!(view.verdicts, [Verdict::Impossible; 3]);
    assert!(!view.proved);
    let sum = view.contradictions.iter().find(|contradiction| contradiction.lines == [2, 3, 4]).unwrap();
    assert_eq!((sum.least.as_slice(), sum.most.as_slice()), (&[(2, 1), (3, 1)][..], &[(4, 1)][..]));
    let (line, derivation) =
        view.contradictions.iter().find_map(|contradiction| contradiction.derivation.clone()).unwrap();
    assert!(derivation.range().is_empty() && [9, 10].contains(&line));
    assert_eq!(derivation.premises(), [9, 10]);
    // What is in one is not said to be implied or redundant; in the cover is what other tables can keep.
    for (place, contradiction) in view.contradictions.iter().enumerate() {
        assert!(contradiction.minimal);
        for &line in &contradiction.lines {
            assert_eq!(at(&view, line).contradiction, Some(place));
            assert!(at(&view, line).implied.is_none() && !at(&view, line).undecided);
            assert_eq!(view.cover.contains(&line), contradiction.scope != Scope::Alone);
        }
    }
    let allowed: Vec<bool> = (0..11).map(|line| at(&view, line).k_allows).collect();
    assert_eq!(allowed, [true, true, false, false, true, false, true, true, false, true, true]);
}

#[test]
fn the_papers_table_is_decided() {
    let sigma = ["ETH=Asian: 2..5", "ETH=African: 1..3", "CTY=Vancouver: 2..4"];
    let view = told(&of_records(2), &sigma);
    assert_eq!((view.verdicts, view.proved), ([Verdict::Possible; 3], true));
    // Example 1.1: "there is no 3-anonymized version of R that satisfies σ2".
    let view = told(&of_records(3), &sigma);
    assert_eq!(view.verdicts, [Verdict::Possible, Verdict::Possible, Verdict::Impossible]);
    // Example 4.1: nor one of σ1 and σ3 together.
    assert_eq!(view.contradictions.iter().map(|found| found.lines.clone()).collect::<Vec<_>>(), [vec![1], vec![0, 2]]);
    assert_eq!(told(&of_records(3), &[sigma[0]]).verdicts, [Verdict::Possible; 3]);
    assert_eq!(told(&of_records(3), &[sigma[2]]).verdicts, [Verdict::Possible; 3]);
}

#[test]
fn constraints_are_edited_saved_and_undone() {
    let engine = of_records(2);
    let lines = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    let typed = |text: &str| Edit::Diversity { lines: lines(&[text]), typing: true };
    for text in ["E", "ETH", "ETH=Asian", "ETH=Asian: 2.."] {
        assert_eq!(edit(&engine, typed(text)).unwrap().diversity, [text]);
    }
    assert!(text(&engine, Request::SavePolicy).contains("ETH=Asian: 2.."));
    // What was typed is one step.
    assert_eq!(setup(&engine, Request::Undo).unwrap().diversity, lines(&[]));
    assert_eq!(setup(&engine, Request::Redo).unwrap().diversity, ["ETH=Asian: 2.."]);
    edit(&engine, Edit::Diversity { lines: lines(&["ETH=Asian: x"]), typing: false }).unwrap();
    let failure = ask(&engine, Request::Run, vec![]).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Policy);
    assert!(failure.what.contains("diversity[0], character 12"), "{failure}");
}

#[test]
fn conflict_rates_are_jaccard_over_relevant_rows() {
    let table = table_of("a,b\nx,1\nx,2\ny,1\ny,2\nx,1\nz,3");
    let policy = r#"{"throng": 1, "columns": {"a": {"role": "quasi", "hierarchy": {"rows": [["x","xy","*"],["y","xy","*"],["z","zz","*"]]}},
        "b": {"role": "quasi"}}, "privacy": []}"#;
    let setup = setup_of(policy, &table);
    let binder = Binder::new(&setup, &table);
    let lines = ["a=x: 0..", "b=1: 0..", "a=x & b=1: 0..", "a=xy: 0..", "a=z & b=1: 0.."];
    let constraints: Vec<Constraint> = lines.iter().map(|line| bind(line, &setup, &table).unwrap()).collect();
    let sets = block_on(conflict::relevant(&binder, &constraints, &Progress::new(&Still))).unwrap();
    assert_eq!(sets.iter().map(|set| set.len()).collect::<Vec<_>>(), [3, 3, 2, 5, 0]);
    let expected = [2.0 / 4.0, 2.0 / 3.0, 3.0 / 5.0, 0.0, 2.0 / 3.0, 3.0 / 5.0, 0.0, 2.0 / 5.0, 0.0, 0.0];
    let rates = conflict::rates(&sets);
    assert_eq!(rates, expected);
    assert_eq!(conflict::total(&rates), expected.iter().sum::<f64>() / 10.0);
    // Full overlap of all is 1, as the paper says (its formula as printed would give 2/3).
    let same = [sets[0].clone(), sets[0].clone(), sets[0].clone()];
    assert_eq!(conflict::total(&conflict::rates(&same)), 1.0);
    assert_eq!((conflict::total(&[]), conflict::rate(&sets[4], &sets[4])), (0.0, 0.0));
}

// --- generators ------------------------------------------------------------------------------

/// Ten rows with six different tuples: U = 4. Of `a`, x has 5 rows, y 3, z 2.
const TEN: &str = "a,b,s\nx,1,p\nx,1,q\nx,1,p\nx,2,q\nx,2,p\ny,1,q\ny,1,p\ny,2,q\nz,1,p\nz,3,q";

fn generated(csv: &str, class: Class, on: &[&[u32]], count: Option<u32>, seed: u64, k: u64) -> Vec<String> {
    let table = table_of(csv);
    let roles =
        r#"{"throng": 1, "columns": {"a": {"role": "quasi"}, "b": {"role": "quasi"}, "s": {"role": "sensitive"}}}"#;
    let setup = setup_of(roles, &table);
    let on = on.iter().map(|set| set.to_vec()).collect();
    let wish = Wish { class, on, count, seed, k };
    let made = block_on(generate(&Binder::new(&setup, &table), &wish, &Progress::new(&Still))).unwrap();
    for constraint in &made {
        // What is generated can be typed.
        assert_eq!(bind(&constraint.text(&table), &setup, &table).as_ref(), Ok(constraint));
    }
    made.iter().map(|constraint| constraint.text(&table)).collect()
}

/// Many rows of few tuples: x and y with 1 and with 2.
fn wide() -> String {
    "a,b,s\n".to_owned() + &["x,1,p\n", "x,2,p\n", "y,1,p\n", "y,2,p\n"].concat().repeat(9)
}

#[test]
fn the_three_classes_are_as_in_the_paper() {
    let on_a = |class, seed| generated(TEN, class, &[&[0]], None, seed, 1);
    // U = 4 > d = 3: 1..1 each, and w = 1 more for one value with at least 2 rows, which all have.
    let mut raised = Vec::new();
    for seed in 0..40 {
        let lines = on_a(Class::Minimum, seed);
        let bare: Vec<String> = lines.iter().map(|line| line.replace("1..2", "1..1")).collect();
        assert_eq!(bare, ["a=x: 1..1", "a=y: 1..1", "a=z: 1..1"]);
        raised.push(lines.iter().position(|line| line.ends_with("1..2")).unwrap());
        assert_eq!(lines.iter().filter(|line| line.ends_with("1..2")).count(), 1);
    }
    assert!((0..3).all(|value| raised.contains(&value)));
    // ⌊4/3⌋ = 1 to ⌈4/3⌉ = 2 each: together 6, more than U.
    assert_eq!(on_a(Class::Average, 1), ["a=x: 1..2", "a=y: 1..2", "a=z: 1..2"]);
    // 4·5/10 = 2, 4·3/10 = 1.2, 4·2/10 = 0.8.
    assert_eq!(on_a(Class::Proportion, 1), ["a=x: 2..2", "a=y: 1..2", "a=z: ..1"]);
    // On tuples d = 6 > U = 4: four of them 1..1, the others 0..0.
    for class in Class::ALL {
        let lines = generated(TEN, class, &[&[0, 1]], None, 5, 1);
        assert_eq!(lines.iter().filter(|line| line.ends_with(": 1..1")).count(), 4, "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.ends_with(": ..0")).count(), 2, "{lines:?}");
        assert!(lines[0].starts_with("a=x & b=1:"), "{lines:?}");
    }
    // Bounds of an average are not above what a value has: U = 12 of d = 2, y has 2, and w = 12 − (6 + 2) goes to x.
    let uneven = "a,b,s\n".to_owned() + &"x,1,p\n".repeat(12) + "y,1,p\ny,1,p";
    assert_eq!(generated(&uneven, Class::Average, &[&[0]], None, 3, 1), ["a=x: 6..10", "a=y: 2..2"]);
    // Beyond the paper: bounds that k rules out become k, and a value without k rows gets none.
    assert_eq!(generated(TEN, Class::Proportion, &[&[0]], None, 1, 3), ["a=x: 3..3", "a=y: 3..3"]);
    // x, and x with 1 and with 2, once each: that can't be, so one of the three is left out. Which, the seed says.
    for seed in 0..10 {
        let lines = generated(&wide(), Class::Minimum, &[&[0], &[0, 1]], None, seed, 1);
        let of_x: Vec<&String> = lines.iter().filter(|line| line.contains("a=x") && line.ends_with("1..1")).collect();
        assert!(of_x.len() < 3, "{lines:?}");
        assert!(lines.len() >= 4, "{lines:?}");
    }
    // Every quasi-identifier by itself; as many as asked, the same for the same seed.
    assert_eq!(generated(TEN, Class::Average, &[], None, 1, 1).len(), 6);
    let some = |seed| generated(TEN, Class::Average, &[], Some(3), seed, 1);
    assert_eq!((some(4).len(), some(4)), (3, some(4)));
    assert!((0..20).any(|seed| some(seed) != some(4)));
}

/// Bounds of different columns can be more than the rows can show together.
#[test]
fn what_is_generated_is_not_impossible_for_the_table() {
    let (mut dice, mut made) = (Dice::new(7), 0);
    for seed in 0..200 {
        let mut csv = String::from("a,b,s\n");
        for _ in 0..6 + dice.below(12) {
            csv += &format!("x{},{},p\n", dice.below(3), dice.below(3));
        }
        let class = Class::ALL[seed as usize % 3];
        let lines = generated(&csv, class, &[], None, seed, 3);
        let policy = r#"{"throng": 1, "columns": {"a": {"role": "quasi"}, "b": {"role": "quasi"},
            "s": {"role": "sensitive"}}, "privacy": [{"model": "k-anonymity", "k": 3}]}"#;
        let table = table_of(&csv);
        let view =
            block_on(ConstraintsView::of(&setup_of(policy, &table), &table, &lines, false, &Progress::new(&Still)));
        assert_eq!(view.unwrap().verdicts[2], Verdict::Possible, "{csv}{lines:?}");
        made += lines.len();
    }
    assert!(made > 400, "{made}");
}

#[test]
fn generated_constraints_are_asked_of_the_engine() {
    let engine = of_records(2);
    let wish = |on, k| Wish { class: Class::Proportion, on, count: None, seed: 1, k };
    // All rows of Table 1 differ by age, so U = 0 and nothing may be shown.
    let lines = match ask(&engine, Request::GenerateConstraints { wish: wish(vec![vec![1]], 0) }, vec![]) {
        Ok(Response::Lines(lines)) => lines,
        other => panic!("{other:?}"),
    };
    assert_eq!(lines, ["GEN=Female: ..0", "GEN=Male: ..0"]);
    // No such column, an identifier, a sensitive column, none.
    for on in [vec![vec![99]], vec![vec![0]], vec![vec![6]], vec![vec![]]] {
        assert!(ask(&engine, Request::GenerateConstraints { wish: wish(on, 0) }, vec![]).is_err());
    }
}

// --- SQL -------------------------------------------------------------------------------------

/// Loads rows as text into SQLite and runs a query there; with DuckDB's module installed, there as well.
const ENGINES: &str = r#"
import json, sqlite3, sys
job = json.load(sys.stdin)
def load(connection, kind):
    quoted = ", ".join('"%s" %s' % (name.replace('"', '""'), kind) for name in job["names"])
    connection.execute('CREATE TABLE "release" (%s)' % quoted)
    marks = "(%s)" % ", ".join("?" for _ in job["names"])
    for first in range(0, len(job["rows"]), 500):
        part = job["rows"][first:first + 500]
        cells = [cell for row in part for cell in row]
        connection.execute('INSERT INTO "release" VALUES ' + ", ".join([marks] * len(part)), cells)
    return [list(row) for row in connection.execute(job["sql"]).fetchall()]
found = {"sqlite": load(sqlite3.connect(":memory:"), "TEXT")}
try:
    import duckdb
    found["duckdb"] = load(duckdb.connect(":memory:"), "VARCHAR")
except ImportError:
    pass
print(json.dumps(found))
"#;

/// `[place, count, holds]` for every constraint, by each database there is; `None` without Python.
fn in_databases(csv: &str, sql: &str, null_for: Option<&str>) -> Option<Vec<Vec<[u64; 3]>>> {
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let cell = |text: &str| if Some(text) == null_for { Value::Null } else { json!(text) };
    let rows: Vec<Vec<Value>> = reader.records().map(|row| row.unwrap().iter().map(cell).collect()).collect();
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let started = Command::new(&python).args(["-c", ENGINES]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = started else {
        eprintln!("SKIPPED: the SQL was not run, because there is no {python} (THRONG_PYTHON names another).");
        return None;
    };
    let job = json!({"names": names, "rows": rows, "sql": sql}).to_string();
    child.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{sql}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let engines = found.as_object().unwrap();
    assert!(engines.contains_key("sqlite"));
    println!("run on {}", engines.keys().cloned().collect::<Vec<_>>().join(" and "));
    Some(engines.values().map(|rows| serde_json::from_value(rows.clone()).unwrap()).collect())
}

fn same_in_databases(
    constraints: &[Constraint],
    counts: &[u64],
    original: &throng::table::Table,
    csv: &str,
    null_for: Option<&str>,
) {
    let sql = validations(constraints.iter().enumerate(), original, "release", Dialect::Standard);
    let expected: Vec<[u64; 3]> = (0..)
        .zip(constraints.iter().zip(counts))
        .map(|(place, (constraint, &count))| [place, count, u64::from(constraint.holds(count))])
        .collect();
    for found in in_databases(csv, &sql, null_for).unwrap_or_default() {
        assert_eq!(found, expected, "{sql}");
    }
}

#[test]
fn sql_counts_as_the_engine_does_on_adult_and_on_a_release() {
    let sample = throng::samples::table("adult-like", 3000, 11).unwrap();
    // Some rows lack their workclass and their country, by two tokens.
    let with_missing = |(row, line): (usize, &str)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        let token = if row % 3 == 0 { "?" } else { "NA" };
        if row > 0 && row % 10 == 0 {
            cells[1] = token;
        }
        if row > 0 && row % 14 == 0 {
            cells[7] = token;
        }
        cells.join(",") + "\n"
    };
    let csv: String = std::str::from_utf8(&sample.bytes).unwrap().lines().enumerate().map(with_missing).collect();
    let engine = Engine::default();
    open_files(&engine, vec![file("adult.csv", csv.as_str())]).unwrap();
    let policy = text(&engine, Request::SavePolicy);
    // The engine's own table, read again here.
    let mut policy: Value = serde_json::from_str(&policy).unwrap();
    let diversity = [
        "sex=Female & race=Black: 1..",
        "salary_class=<=50K: 100..",
        "workclass=?: ..3000",
        "native_country=? & sex=Male: 0..",
        "sex=*: ..3000",
        "marital_status=Never-married & race=White & sex=Male: 0..",
    ];
    policy["privacy"] = json!([{"model": "k-anonymity", "k": 3}]);
    policy["algorithm"] = json!({"name": "mondrian"});
    policy["diversity"] = json!(diversity);
    let view = told_of(&csv, &policy);
    let table = table_of_csv(&csv);
    let setup = setup_of(&policy.to_string(), &table);
    let constraints: Vec<Constraint> = diversity.iter().map(|line| bind(line, &setup, &table).unwrap()).collect();
    let counts: Vec<u64> = constraints.iter().map(|constraint| count::count(constraint, &table, &table)).collect();
    let today: Vec<u64> = (0..diversity.len()).map(|line| at(&view, line).today).collect();
    assert_eq!(counts, today);
    assert!(counts[0] > 10 && counts[2] > 10 && counts[5] > 10 && counts[4] == 0);
    same_in_databases(&constraints, &counts, &table, &csv, None);
    same_in_databases(&constraints, &counts, &table, &csv, Some("?"));
    // The bounds tell apart what holds.
    let tight: Vec<Constraint> = constraints
        .iter()
        .zip(&counts)
        .flat_map(|(constraint, &count)| {
            let with = |least, most| Constraint { least, most, ..constraint.clone() };
            [with(count, Some(count)), with(count + 1, None), with(0, Some(count.saturating_sub(1)))]
        })
        .collect();
    let tight_counts: Vec<u64> = counts.iter().flat_map(|&count| [count; 3]).collect();
    same_in_databases(&tight, &tight_counts, &table, &csv, None);
    // A release.
    let engine = Engine::default();
    open_files(&engine, vec![file("adult.csv", csv.as_str()), file("policy.json", policy.to_string())]).unwrap();
    let Ok(Response::Ran(run)) = ask(&engine, Request::Run, vec![]) else { panic!() };
    let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: false }, vec![])
    else {
        panic!()
    };
    let released = String::from_utf8(bytes).unwrap();
    same_in_databases(&constraints, &run.verified.diversity, &table, &released, None);
    let recounted: Vec<u64> =
        constraints.iter().map(|constraint| count::count(constraint, &table, &table_of_csv(&released))).collect();
    assert_eq!(recounted, run.verified.diversity);
}

/// Issue 7, point 3: the real Adult, and a release of it by levels.
#[test]
fn sql_counts_as_the_engine_does_on_the_real_adult() {
    let folder = std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".to_owned());
    let Ok(csv) = std::fs::read_to_string(format!("{folder}/adult_45222.csv")) else {
        eprintln!("SKIPPED: {folder}/adult_45222.csv is not there (THRONG_DATA names another folder).");
        return;
    };
    let quasi = [("age", "age"), ("sex", "sex"), ("race", "race"), ("marital_status", "marital-status")];
    let mut columns = json!({"occupation": {"role": "sensitive"}});
    for (column, name) in quasi {
        let rows = std::fs::read_to_string(format!("{folder}/arx_adult/adult_hierarchy_{name}.csv")).unwrap();
        let rows: Vec<Vec<&str>> = rows.lines().map(|line| line.split(';').collect()).collect();
        columns[column] = json!({"role": "quasi", "hierarchy": {"rows": rows}});
    }
    let diversity = [
        "sex=Female & race=Black: 0..",
        "salary_class=>50K & sex=Male: 0..",
        "marital_status=Never-married: 0..",
        "age=20-39 & race=White: 0..",
        "occupation=Sales & workclass=Private: 10..",
    ];
    let policy = json!({
        "throng": 1, "columns": columns, "others": "insensitive", "diversity": diversity, "suppression_limit": 0.04,
        "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "distinct-l-diversity", "attribute": "occupation", "l": 3}],
    });
    let table = table_of_csv(&csv);
    let setup = setup_of(&policy.to_string(), &table);
    let constraints: Vec<Constraint> = diversity.iter().map(|line| bind(line, &setup, &table).unwrap()).collect();
    let today: Vec<u64> = constraints.iter().map(|constraint| count::count(constraint, &table, &table)).collect();
    assert!(today.iter().enumerate().all(|(place, &count)| (place == 3) == (count == 0)), "{today:?}");
    same_in_databases(&constraints, &today, &table, &csv, None);
    let engine = Engine::default();
    open_files(&engine, vec![file("adult.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    let Ok(Response::Ran(run)) = ask(&engine, Request::Run, vec![]) else { panic!() };
    let request = Request::Export { protected: false, row_numbers: false };
    let Ok(Response::File(bytes)) = ask(&engine, request, vec![]) else { panic!() };
    let released = String::from_utf8(bytes).unwrap();
    same_in_databases(&constraints, &run.verified.diversity, &table, &released, None);
    assert_ne!(run.verified.diversity, today);
}

fn told_of(csv: &str, policy: &Value) -> ConstraintsView {
    let engine = Engine::default();
    open_files(&engine, vec![file("adult.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    let lines: Vec<&str> = policy["diversity"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    told(&engine, &lines)
}

fn table_of_csv(csv: &str) -> throng::table::Table {
    let mut source = throng::io::MemorySource { name: "t.csv".into(), bytes: csv.as_bytes().to_vec() };
    let options = throng::io::csv::ReadOptions { header: Some(true), ..Default::default() };
    block_on(throng::io::csv::read(&mut source, &options, &Progress::new(&Still))).unwrap().table
}

/// Databases bound the queries of one UNION.
#[test]
fn sql_of_very_many_constraints_runs() {
    let csv = "a\n".to_owned() + &(0..1400).map(|row| format!("v{}\n", row % 700)).collect::<String>();
    let table = table_of_csv(&csv);
    let constraint = |value: u64| Constraint {
        target: vec![throng::constraints::Target { column: 0, value: format!("v{value}") }],
        least: value % 4,
        most: None,
    };
    let constraints: Vec<Constraint> = (0..700).map(constraint).collect();
    same_in_databases(&constraints, &[2; 700], &table, &csv, None);
}

#[test]
fn sql_keeps_nasty_names_and_values_in_their_quotes() {
    let pieces = ["'", "\"", "\\", "`", ";", "--", "x", " ", "é", "''", "\\'", "%", "/*", "\n", "*", "="];
    let mut dice = Dice::new(3);
    let mut word = |least: u64| -> String {
        (0..least + dice.below(4)).map(|_| pieces[dice.below(pieces.len() as u64) as usize]).collect()
    };
    for _ in 0..6 {
        let mut names: Vec<String> = (0..3).map(|at| format!("{}{at}", word(1))).collect();
        names.dedup();
        let rows: Vec<Vec<String>> = (0..30).map(|_| (0..names.len()).map(|_| word(1)).collect()).collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&names).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let csv = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let column = |(at, name): (usize, &String)| {
            let mut builder = throng::table::DictionaryBuilder::default();
            let codes = rows.iter().map(|row| builder.code(row[at].as_bytes()).unwrap().code).collect();
            throng::table::Column::new(name.clone(), builder.finish(), codes, &[])
        };
        let table = throng::table::Table { columns: names.iter().enumerate().map(column).collect(), rows: rows.len() };
        let target =
            |column: usize, row: &Vec<String>| throng::constraints::Target { column, value: row[column].clone() };
        let constraints: Vec<Constraint> = rows
            .iter()
            .take(10)
            .map(|row| Constraint { target: vec![target(0, row), target(2, row)], least: 1, most: None })
            .collect();
        let counts: Vec<u64> = constraints.iter().map(|constraint| count::count(constraint, &table, &table)).collect();
        assert!(counts.iter().all(|&count| count > 0));
        same_in_databases(&constraints, &counts, &table, &csv, None);
        for constraint in &constraints {
            let line = constraint.text(&table);
            let read = parse::parse(&line).unwrap();
            assert_eq!(read.parts[1].1.text, constraint.target[1].value, "{line:?}");
        }
    }
}

#[test]
fn sql_of_both_dialects() {
    let table = table_of("it's,b`c\na\\b,NA\no'k,?");
    let constraint = |column: usize, value: &str| Constraint {
        target: vec![throng::constraints::Target { column, value: value.into() }],
        least: 1,
        most: Some(2),
    };
    let sql = |constraint, dialect| validations([(7, &constraint)].into_iter(), &table, "my table", dialect);
    assert_eq!(
        sql(constraint(0, "a\\b"), Dialect::Standard),
        "SELECT 7 AS diversity, COUNT(*) AS shown, CASE WHEN COUNT(*) >= 1 AND COUNT(*) <= 2 THEN 1 ELSE 0 END AS holds\n\
         FROM \"my table\"\nWHERE CAST(\"it's\" AS VARCHAR) = 'a\\b';\n"
    );
    assert!(
        sql(constraint(0, "a\\b"), Dialect::Spark)
            .ends_with("FROM `my table`\nWHERE CAST(`it's` AS STRING) = 'a\\\\b';\n")
    );
    assert!(sql(constraint(0, "o'k"), Dialect::Standard).ends_with("= 'o''k';\n"));
    assert!(sql(constraint(0, "o'k"), Dialect::Spark).ends_with("= 'o\\'k';\n"));
    let missing = sql(constraint(1, "NA"), Dialect::Spark);
    assert!(missing.ends_with("WHERE (`b``c` IS NULL OR CAST(`b``c` AS STRING) IN ('NA', '?'));\n"), "{missing}");
}

// --- the runner ------------------------------------------------------------------------------

/// Runs `throng` in a folder of its own; gives its exit code, what it printed and what it complained of.
pub fn throng(policy: &str, table: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("throng-constraints-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("policy.json"), policy).unwrap();
    std::fs::write(folder.join("table.csv"), table).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_throng")).args(arguments).current_dir(&folder).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_runner_tells_of_constraints() {
    let lines =
        ["ETH=Asian: 2..5", "ETH=Asian: ..6", "PRV=AB & GEN=Male: 1..", "PRV=AB & GEN=Female: 2..", "PRV=AB: ..2"];
    let policy = records_policy(2, "lattice", &lines);
    let (code, out, _) = throng(&policy, &records(), &["constraints", "policy.json", "table.csv"]);
    assert_eq!(code, Some(0));
    for expected in [
        "[0] ETH=Asian: 2..5\n    now 3 (holds); a release can show 0 to 3\n",
        "    implied by [0] (by the paper's axioms)\n      Step 1: by Axiom 1 from [0]: 2 to 5.\n",
        "  alone: no\n",
        "  [2] [3] [4] can't hold together (exact)\n    At least 1 of [2] + 2 of [3] is more than at most 2 of [4].\n",
        "minimal cover\n  by the paper's axioms: [0]\n  exact: [0]\n",
        "WHERE CAST(\"GEN\" AS VARCHAR) = 'Male' AND CAST(\"PRV\" AS VARCHAR) = 'AB'\n",
    ] {
        assert!(out.contains(expected), "{expected}\n---\n{out}");
    }
    let (code, out, _) = throng(&policy, &records(), &["constraints", "policy.json", "table.csv", "--json"]);
    let view: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &view["lines"][0]["constraint"]["today"]), (Some(0), &json!(3)));
    let arguments = ["constraints", "policy.json", "table.csv", "--generate", "average", "--on", "GEN", "--spark"];
    let (code, out, _) = throng(&policy, &records(), &arguments);
    assert!(code == Some(0) && out.contains("[1] GEN=Male: ..0") && out.contains("FROM `release`"), "{out}");
    // A bad line is an error at its place, without what was typed there.
    let policy = records_policy(2, "lattice", &["ETH=Asian: 2..5", "ETH=Inuit: 1.."]);
    for arguments in
        [&["constraints", "policy.json", "table.csv"][..], &["run", "policy.json", "table.csv", "-o", "out.csv"]]
    {
        let (code, _, complaint) = throng(&policy, &records(), arguments);
        assert_eq!(code, Some(2));
        assert!(complaint.contains("policy.json: The policy's diversity[1], characters 5 to 9: "), "{complaint}");
        assert!(!complaint.contains("Inuit"), "{complaint}");
    }
    // What an algorithm did not happen to keep was not found.
    let policy = records_policy(5, "k-member", &["AGE=80: 1.."]);
    let (code, _, complaint) = throng(&policy, &records(), &["run", "policy.json", "table.csv", "-o", "out.csv"]);
    assert_eq!(code, Some(3));
    assert!(complaint.contains("Not found: k-member does not aim at diversity constraints"), "{complaint}");
}

#[test]
fn a_bad_line_of_a_policy_file_is_found_by_the_runner_and_by_a_run() {
    let policy = people_policy(
        r#""privacy": [{"model": "k-anonymity", "k": 2}], "diversity": ["city=Bern: 1..", "city=Basel: 1.."]"#,
    );
    let failure = run(crate::PEOPLE, &policy).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Policy);
    assert!(failure.what.contains("diversity[1], characters 6 to 10: Column “city” has no such value"), "{failure}");
}
