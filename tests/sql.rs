//! Scripts of SQL on what every machine has: Python's SQLite. `./x test sql` runs them on DuckDB, PostgreSQL and Spark.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{ask, file, open_files, text};
use throng::engine::Engine;
use throng::failure::Failure;
use throng::protocol::{Request, Response, decode, encode};
use throng::sql::Dialect;

/// Loads the table, runs the script, and gives the rows of the release, sorted, and those of the checks.
const SQLITE: &str = r#"
import json, sqlite3, sys
job = json.load(sys.stdin)
connection = sqlite3.connect(":memory:")
names = ", ".join('"%s" TEXT' % name.replace('"', '""') for name in job["names"])
connection.execute('CREATE TABLE "my data" (%s)' % names)
marks = ", ".join("?" for _ in job["names"])
connection.executemany('INSERT INTO "my data" VALUES (%s)' % marks, job["rows"])
connection.executescript(job["script"])
left = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
print(json.dumps({
    "release": sorted(connection.execute('SELECT * FROM "release"').fetchall()),
    "checks": connection.execute("SELECT asked, found, fail, holds FROM throng_checks ORDER BY place").fetchall(),
    "left": sorted(left)}))
"#;

fn records(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn in_sqlite(csv: &str, script: &str) -> Option<Value> {
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let started = Command::new(&python).args(["-c", SQLITE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = started else {
        eprintln!("SKIPPED: the script was not run, because there is no {python} (THRONG_PYTHON names another).");
        return None;
    };
    let mut rows = records(csv);
    let names = rows.remove(0);
    let job = json!({"names": names, "rows": rows, "script": script}).to_string();
    child.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{script}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// What was released, and the script for it.
fn scripted(csv: &str, policy: &Value) -> Result<(Vec<Vec<String>>, String), Failure> {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())])?;
    ask(&engine, Request::Run, vec![])?;
    let request = Request::Sql { table: "my data".into(), dialect: Dialect::Standard };
    assert_eq!(decode(&encode(&request)), Ok(request.clone()));
    let script = match ask(&engine, request, vec![])? {
        Response::Text(script) => script,
        other => panic!("{other:?}"),
    };
    let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: false }, vec![])
    else {
        panic!()
    };
    let mut rows = records(std::str::from_utf8(&bytes).unwrap());
    rows.remove(0);
    rows.sort();
    Ok((rows, script))
}

/// Without the rows that have a rare age, which a script does not name.
fn adult() -> (String, Value) {
    let sample = throng::samples::table("adult-like", 1400, 3).unwrap();
    let csv = String::from_utf8(sample.bytes).unwrap();
    let (header, rows) = csv.split_once('\n').unwrap();
    let place = |name: &str| header.split(',').position(|other| other.trim() == name).unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    let value = |row: &str, place: usize| row.split(',').nth(place).unwrap().to_owned();
    // Twice: a value may become rare by the first.
    for name in ["age", "race", "sex", "age", "race", "sex"] {
        let mut counts = std::collections::BTreeMap::<String, u32>::new();
        rows.iter().for_each(|row| *counts.entry(value(row, place(name))).or_default() += 1);
        rows.retain(|row| counts[&value(row, place(name))] >= 8);
    }
    rows.truncate(1200);
    let csv = format!("{header}\n{}\n", rows.join("\n"));
    let quasi = |column: &str| {
        let found = throng::samples::hierarchies("adult-like").into_iter().find(|(name, _)| name == column).unwrap();
        let rows: Vec<Vec<String>> = found.1.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
        json!({"role": "quasi", "hierarchy": {"rows": rows}})
    };
    let policy = json!({
        "throng": 1, "others": "insensitive", "suppression_limit": 0.2,
        "columns": {"age": quasi("age"), "race": quasi("race"), "sex": {"role": "quasi"},
            "education": {"role": "identifier"}, "occupation": {"role": "sensitive"}},
        // No logarithm, which not every SQLite has.
        "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "distinct-l-diversity", "attribute": "occupation", "l": 3},
            {"model": "recursive-cl-diversity", "attribute": "occupation", "c": 2, "l": 2}],
        "diversity": ["sex=Male: ..1200"],
    });
    (csv, policy)
}

#[test]
fn a_script_gives_the_release_and_its_checks() {
    for algorithm in [json!({"name": "lattice"}), json!({"name": "mondrian", "refine": false})] {
        let (csv, mut policy) = adult();
        policy["algorithm"] = algorithm;
        let (released, script) = scripted(&csv, &policy).unwrap();
        assert!(released.len() >= 960);
        let Some(found) = in_sqlite(&csv, &script) else { return };
        assert_eq!(found["release"], json!(released));
        assert_eq!(found["left"], json!(["my data", "release", "throng_checks"]));
        let checks: Vec<(String, f64, u64, u64)> = serde_json::from_value(found["checks"].clone()).unwrap();
        assert_eq!(checks.len(), 8);
        assert!(checks.iter().all(|&(_, _, fail, holds)| (fail, holds) == (0, 1)), "{checks:?}");
        assert_eq!((checks[0].1, checks[1].1), (1200.0, released.len() as f64));
        assert_eq!(checks[5].0, "privacy[1] distinct-l-diversity of occupation");
    }
}

#[test]
fn checks_fail_where_the_whole_table_is_not_like_the_sample() {
    let policy = json!({
        "throng": 1, "columns": {"a": {"role": "quasi"}, "s": {"role": "sensitive"}}, "suppression_limit": 0.2,
        "privacy": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}], "diversity": ["a=x: ..3"],
    });
    let sample = "a,s\nx,1\nx,2\nx,3\ny,1\ny,2\n";
    let (released, script) = scripted(sample, &policy).unwrap();
    assert_eq!((released.len(), released[0][0].as_str()), (5, "x"));
    // Two rows of x more, three of a z that the sample has not, shown as *, and a y that would be alone with its value if y
    // were kept.
    let whole = "a,s\nx,1\nx,2\nx,3\nx,4\nx,5\nz,1\nz,2\nz,3\ny,1\ny,1\n";
    let Some(found) = in_sqlite(whole, &script) else { return };
    let expected =
        json!([["*", "1"], ["*", "2"], ["*", "3"], ["x", "1"], ["x", "2"], ["x", "3"], ["x", "4"], ["x", "5"]]);
    assert_eq!(found["release"], expected);
    let expected = json!([
        ["rows", 10.0, 0, 1],
        ["rows released", 8.0, 0, 1],
        ["rows with unknown values", 0.0, 0, 1],
        ["rows suppressed", 2.0, 0, 1],
        ["privacy[0] k-anonymity", 3.0, 0, 1],
        ["privacy[1] distinct-l-diversity of s", 3.0, 0, 1],
        ["diversity[0]", 5.0, 1, 0],
    ]);
    assert_eq!(found["checks"], expected);
}

#[test]
fn what_sql_can_not_say_is_refused() {
    let (csv, mut policy) = adult();
    policy["algorithm"] = json!({"name": "k-member"});
    let failure = scripted(&csv, &policy).unwrap_err();
    assert!(failure.what.contains("were released differently"), "{failure}");
    policy["algorithm"] = json!({"name": "lattice"});
    policy["privacy"][1] = json!({"model": "tau-l-diversity", "attribute": "occupation", "tau": 0.9, "l": 2});
    let failure = scripted(&csv, &policy).unwrap_err();
    assert!(failure.what.contains("privacy[1] (tau-l-diversity of this kind) is not told in SQL"), "{failure}");
    // Nothing was run yet.
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv.as_str())]).unwrap();
    let request = Request::Sql { table: "data".into(), dialect: Dialect::Spark };
    assert!(ask(&engine, request, vec![]).is_err());
    assert!(!text(&engine, Request::SavePolicy).is_empty());
}

/// Issue 20, point 9: values of fewer than k rows are not named, neither those that were released nor those that were left
/// out; on the sample itself they show the top of the hierarchy, and what is lost by it is in the checks.
#[test]
fn rare_values_are_not_named() {
    let mut csv = String::from("a,b,s\n");
    (0..8).for_each(|row| csv += &format!("x,m,{}\ny,m,{}\n", row % 3, row % 4));
    // A rare value whose class is large enough, one that was left out, and a leaf of the hierarchy that nobody has.
    csv += "Quonx,m,0\nQuonx,m,1\nVembo,n,2\n";
    let rows = json!([["x", "G", "*"], ["y", "G", "*"], ["Quonx", "H", "*"], ["Vembo", "H", "*"], ["Zrox", "G", "*"]]);
    let mut policy = json!({
        "throng": 1, "suppression_limit": 0.2, "algorithm": {"name": "lattice"},
        "columns": {"a": {"role": "quasi", "hierarchy": {"rows": rows}}, "b": {"role": "quasi"}, "s": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 3}],
    });
    let unnamed = |script: &str| {
        ["Quonx", "Vembo", "Zrox"].iter().for_each(|value| assert!(!script.contains(value), "{value}: {script}"));
        let start: Vec<&str> = script.lines().take(2).collect();
        assert!(start[0].contains("keep it as safe as the data itself"), "{}", start[0]);
        assert!(start[1].contains("fewer than 3 rows of the sample have are not listed"), "{}", start[1]);
    };
    let (released, script) = scripted(&csv, &policy).unwrap();
    unnamed(&script);
    assert_eq!(released.len(), 16, "the run leaves the three rows out: {released:?}");
    let Some(found) = in_sqlite(&csv, &script) else { return };
    // With the top of the hierarchy they are a class of two, which is too small.
    assert_eq!(found["release"], json!(released));
    assert_eq!(found["checks"][3], json!(["rows suppressed", 3.0, 0, 1]));
    // With more of them in the whole table, they are released as *, and never as anything that is not so.
    let whole = csv.clone() + "Quonx,m,2\nZrox,m,2\n";
    let found = in_sqlite(&whole, &script).unwrap();
    let tops = found["release"].as_array().unwrap().iter().filter(|row| row[0] == "*").count();
    assert_eq!((tops, found["release"].as_array().unwrap().len()), (4, 20));
    assert_eq!(found["release"][0], json!(["*", "m", "0"]));
    // Where a limit forbids the top, they are unknown and left out.
    policy["columns"]["a"]["limits"] = json!(["G", "H"]);
    let (released, script) = scripted(&csv, &policy).unwrap();
    unnamed(&script);
    let found = in_sqlite(&csv, &script).unwrap();
    assert_eq!((found["release"].as_array().unwrap().len(), released.len()), (16, 16));
    // Tuples of local recoding likewise.
    policy["columns"]["a"]["limits"] = json!([]);
    policy["suppression_limit"] = json!(0.5);
    policy["algorithm"] = json!({"name": "mondrian", "refine": false});
    let (_, script) = scripted(&csv, &policy).unwrap();
    unnamed(&script);
    let found = in_sqlite(&csv, &script).unwrap();
    let holds = found["checks"].as_array().unwrap().iter().all(|check| check[3] == 1);
    assert!(holds && !found["release"].as_array().unwrap().is_empty(), "{found}");
}

/// Issue 20, point 9, as an attacker reads a script: of all texts in it, none is a value of the sample that fewer than k rows
/// have; whatever missing tokens, limits, constraints and hierarchies bring in.
#[test]
fn no_text_of_a_script_is_a_rare_value() {
    let texts = |script: &str| -> Vec<String> {
        let quotes = script.split('\'').collect::<Vec<&str>>();
        let mut texts: Vec<String> = Vec::new();
        for (place, part) in quotes.iter().enumerate().filter(|(place, _)| place % 2 == 1) {
            // A doubled quote is one of the text.
            match quotes[place - 1].is_empty() && place > 1 {
                true => *texts.last_mut().unwrap() += &format!("'{part}"),
                false => texts.push((*part).to_owned()),
            }
        }
        texts
    };
    let k = 4;
    let mut state = 9u64;
    let mut below = |most: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % most
    };
    for case in 0..24 {
        // Of each column frequent values, rare ones, and missing cells by tokens that may be rare, too.
        let mut csv = String::from("town,street,ward,illness,note\n");
        for row in 0..120 {
            let mut cell = |name: &str| match below(12) {
                0 => format!("rare {name} {row}"),
                1 => ["?", "NA", "n/a", "NULL"][below(4) as usize].to_owned(),
                2 => format!("seldom {name} {}", below(12)),
                _ => format!("{name} {}'s", below(3)),
            };
            csv +=
                &format!("{},{},{},{},{}\n", cell("town"), cell("street"), cell("ward"), cell("illness"), cell("note"));
        }
        let cells = records(&csv);
        let groups = |column: usize| {
            let mut values: Vec<&String> = cells[1..].iter().map(|row| &row[column]).collect();
            values.sort();
            values.dedup();
            let row = |value: &&String| json!([value, format!("{} of {column}", &value[..1]), "*"]);
            let mut rows: Vec<Value> = values.iter().map(row).collect();
            rows.push(json!(["a leaf that nobody has", "r of 0", "*"]));
            json!({"rows": rows})
        };
        let algorithm = match case % 3 {
            0 => json!({"name": "mondrian", "refine": false}),
            _ => json!({"name": "lattice"}),
        };
        // Tokens that occur, so that the policy may name them.
        let token = |column: usize| {
            let tokens = ["?", "NA", "n/a", "NULL"];
            tokens.iter().find(|token| cells[1..].iter().any(|row| row[column] == **token)).copied().unwrap_or("*")
        };
        let policy = json!({
            "throng": 1, "suppression_limit": 0.9, "algorithm": algorithm,
            "columns": {
                "town": {"role": "quasi", "hierarchy": groups(0), "limits": if case % 2 == 0 { json!(["t of 0"]) } else { json!([]) }},
                "street": {"role": "quasi", "hierarchy": groups(1)},
                "ward": {"role": "quasi"},
                "illness": {"role": "sensitive"}, "note": {"role": "insensitive"}
            },
            "privacy": [{"model": "k-anonymity", "k": k}, {"model": "distinct-l-diversity", "attribute": "illness", "l": 2}],
            "diversity": ["illness=\"illness 0's\": 0..", format!("ward={}: 0..", token(2)), format!("note=\"{}\": 0..", token(4)), "town=\"town 1's\" & street=*: .."
                .replace(": ..", ": ..200")]
        });
        let (_, script) = scripted(&csv, &policy).unwrap();
        assert!(!script.contains("rare "), "case {case}: {script}");
        assert!(!script.contains("a leaf that nobody has"), "case {case}: {script}");
        let found = texts(&script);
        assert!(found.iter().any(|text| text == "illness 0's"), "case {case}: the attacker reads texts: {found:?}");
        for text in &found {
            for column in 0..5 {
                let rows = cells[1..].iter().filter(|row| row[column] == *text).count();
                let token = ["?", "NA", "n/a", "NULL", ""].contains(&text.as_str());
                assert!(rows == 0 || rows >= k || token, "case {case}: {rows} rows have {text} in column {column}");
            }
        }
    }
}
