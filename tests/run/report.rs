//! The report of a run: what it says, that it reproduces, and what its external version keeps to itself.

use throng::engine::Engine;
use throng::io::csv_write::Written;
use throng::protocol::Request;
use throng::report::Audience;

use crate::support::{ask, file, open_files, text};

const SMALL: &str = "name,town,job,ill\nAnn,A<b>,x,flu\nBob,A<b>,y,flu\nCid,C,x,cold\nDee,C,y,flu\n";
/// By sha256sum.
const SMALL_DIGEST: &str = "8621af2b2abeaa6dd8834cac9600e3b2759432e6f1ba270e3330712a5cd3e1e0";

fn small() -> Engine {
    let policy = r#"{"throng": 1, "columns": {"name": {"role": "identifier"}, "town": {"role": "quasi"},
        "job": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 2}], "diversity": ["town=C: 2.."], "seed": 4}"#;
    let engine = Engine::default();
    open_files(&engine, vec![file("folder/<i>small&.csv", SMALL), file("policy.json", policy)]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    engine
}

fn report(engine: &Engine, audience: Audience) -> String {
    text(engine, Request::Report { audience, date: "2026-11-16".into(), written: Written::default() })
}

/// The text of the table cell behind a heading.
fn fact<'a>(html: &'a str, name: &str) -> &'a str {
    let start = html.split_once(&format!("<th scope=\"row\">{name}</th><td>")).expect(name).1;
    start.split_once("</td>").unwrap().0
}

fn unescaped(html: &str) -> String {
    let quotes = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    quotes.replace("&amp;", "&")
}

#[test]
fn the_report_tells_where_it_came_from_and_escapes_it() {
    let engine = small();
    let html = report(&engine, Audience::Internal);
    assert_eq!(fact(&html, "SHA-256 of the file"), format!("<code>{SMALL_DIGEST}</code>"));
    assert_eq!(fact(&html, "Shape before"), "4 rows, 4 columns");
    assert_eq!(fact(&html, "Shape after"), "4 rows, 3 columns");
    assert_eq!(fact(&html, "Made on"), "2026-11-16");
    assert_eq!(fact(&html, "Seed"), "4");
    assert_eq!(fact(&html, "File"), "&lt;i&gt;small&amp;.csv", "without the folder");
    assert!(!html.contains("<i>") && !html.contains("A<b>") && !html.contains("<script"));
    // All four are unique before; one quasi-identifier had to go.
    assert_eq!(fact(&html, "records that are unique"), "4 (100 %)</td><td>0 (0 %)".split("</td>").next().unwrap());
    assert!(html.contains("<th scope=\"row\">records that are unique</th><td>4 (100 %)</td><td>0 (0 %)</td>"));
    assert!(html.contains("<th scope=\"row\">k: size of the smallest class</th><td>1</td><td>2</td>"));
    assert!(html.contains("<th scope=\"row\">town=C</th><td>at least 2</td><td>2</td><td>2</td>"));
    // 1 ÷ 2 is above every threshold.
    for (threshold, least) in [("0.05", 20), ("0.09", 12), ("0.2", 5), ("0.33", 4)] {
        let row = format!(
            "records of a risk above {threshold} (in classes below {least})</th><td>4 (100 %)</td><td>4 (100 %)</td>"
        );
        assert!(html.contains(&row), "{threshold}");
    }
    assert_eq!(report(&engine, Audience::Internal), html, "it can be made again");
}

/// On Unix a backslash is a letter of a file's name.
#[cfg(unix)]
#[test]
fn a_backslash_is_part_of_a_name() {
    let engine = Engine::default();
    let policy = r#"{"throng": 1, "columns": {"name": {"role": "identifier"}, "town": {"role": "quasi"},
        "job": {"role": "quasi"}, "ill": {"role": "sensitive"}}, "privacy": [{"model": "k-anonymity", "k": 2}]}"#;
    open_files(&engine, vec![file("folder/a\\b.csv", SMALL), file("policy.json", policy)]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let html = report(&engine, Audience::Internal);
    assert_eq!(fact(&html, "File"), "a\\b.csv");
    assert!(unescaped(&html).contains("throng run policy.json 'a\\b.csv' -o release.csv"));
}

#[test]
fn the_policy_in_the_report_gives_the_same_release() {
    let engine = small();
    let html = report(&engine, Audience::Internal);
    let policy = html.split_once("<pre id=\"policy\">").unwrap().1.split_once("</pre>").unwrap().0;
    let again = Engine::default();
    open_files(&again, vec![file("elsewhere/<i>small&.csv", SMALL), file("policy.json", unescaped(policy))]).unwrap();
    ask(&again, Request::Run, vec![]).unwrap();
    assert_eq!(report(&again, Audience::Internal), html);
}

#[test]
fn a_sample_has_a_digest_too_and_a_report_needs_a_run() {
    let engine = Engine::default();
    let sample = Request::OpenSample { id: "adult-like".into(), rows: 300, seed: 5 };
    ask(&engine, sample, vec![]).unwrap();
    let wanted = Request::Report { audience: Audience::Internal, date: String::new(), written: Written::default() };
    let failure = ask(&engine, wanted, vec![]).unwrap_err();
    assert!(failure.what.contains("no release yet"), "{}", failure.what);
    ask(&engine, Request::Run, vec![]).unwrap();
    let html = report(&engine, Audience::Internal);
    let bytes = throng::samples::table("adult-like", 300, 5).unwrap().bytes;
    let other = Engine::default();
    let policy = text(&engine, Request::SavePolicy);
    open_files(&other, vec![file("same.csv", bytes), file("policy.json", policy)]).unwrap();
    ask(&other, Request::Run, vec![]).unwrap();
    assert_eq!(fact(&report(&other, Audience::Internal), "SHA-256 of the file"), fact(&html, "SHA-256 of the file"));
}

/// Counts of persons are shares in steps of ten percent, and no value of the table or policy is quoted. What follows from
/// them is attacked in `tests/external_report.rs`.
#[test]
fn the_external_version_has_no_small_cells_and_no_values() {
    let engine = Engine::default();
    ask(&engine, Request::OpenSample { id: "adult-like".into(), rows: 3003, seed: 5 }, vec![]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let (internal, external) = (report(&engine, Audience::Internal), report(&engine, Audience::External));
    assert!(internal.contains("3,003 rows") && external.contains("about 3,000 rows") && !external.contains("3,003"));
    assert!(internal.contains("SHA-256 of the file") && !external.contains("SHA-256 of the file"));
    assert!(internal.contains("id=\"policy\"") && !external.contains("id=\"policy\""));
    let mut told = 0;
    for row in external.split("<tr><th scope=\"row\">records ").skip(1) {
        for cell in row.split("</tr>").next().unwrap().split("<td>").skip(1) {
            let cell = cell.split("</td>").next().unwrap();
            let tens = cell.strip_prefix("about ").and_then(|rest| rest.strip_suffix("0 %"));
            let step = tens.is_some_and(|tens| (1..10).contains(&tens.parse::<u32>().unwrap()));
            assert!(step || ["0 (demanded)", "less than 5 %", "95 % or more"].contains(&cell), "{row}");
            told += 1;
        }
    }
    assert!(told > 10, "{told}");
    for value in ["Married-civ-spouse", "Bachelors", "Private"] {
        assert!(internal.contains(value) && !external.contains(value), "{value}");
    }
}

/// Of a small table, no share is told at all.
#[test]
fn the_external_version_of_a_small_table_tells_what_was_demanded() {
    let external = report(&small(), Audience::External);
    assert_eq!(fact(&external, "Shape before"), "4 columns");
    assert_eq!(fact(&external, "Shape after"), "fewer than 1,000 rows, 3 columns");
    assert_eq!(fact(&external, "Records left out"), "not told");
    assert!(external.contains("<th scope=\"row\">records that are unique</th><td>not told</td><td>0 (demanded)</td>"));
    assert!(!external.contains("town=C"), "a constraint names a value");
}
