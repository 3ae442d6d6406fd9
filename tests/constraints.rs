//! Diversity constraints: their text form, bad ones told at their place, and what can be reasoned about sets of them.
#![cfg(not(target_arch = "wasm32"))]

#[path = "constraints/limits.rs"]
mod limits;
#[path = "constraints/reasoning.rs"]
mod reasoning;
mod support;
#[path = "constraints/told.rs"]
mod told;

use proptest::prelude::*;
use support::{ask, file, open_files};
use throng::constraints::parse::{Word, parse, text};
use throng::constraints::{Binder, Constraint, Fault, count};
use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::policy::{PolicyFile, Setup};
use throng::protocol::{Request, Response};
use throng::run::RunView;
use throng::table::{Column, DictionaryBuilder, Table};

// --- the text form ---------------------------------------------------------------------------

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Names and values of any characters, with many of those that mean something in a line.
    #[test]
    fn text_is_the_inverse_of_parse(
        words in prop::collection::vec(("[ \t\n\"&=:.0-9aé東]{0,6}|\\PC{0,4}|.{0,3}", "[ \"&=:.\r\n\u{85}\u{a0}x]{0,6}|\\PC{0,8}"), 1..5),
        least in 0u64..2000, span in prop::option::of(0u64..2000),
    ) {
        let mut words = words;
        words.sort();
        words.dedup_by(|one, other| one.0 == other.0);
        let most = span.map(|span| least + span);
        let line = text(words.iter().map(|(column, value)| (column.as_str(), value.as_str())), least, most);
        let read = parse(&line).map_err(|fault| TestCaseError::fail(format!("{line:?}: {fault:?}")))?;
        let read_words: Vec<(String, String)> = read.parts.iter().map(|(a, b)| (a.text.clone(), b.text.clone())).collect();
        prop_assert_eq!(&read_words, &words, "{:?}", line);
        prop_assert_eq!((read.least, read.most), (least, most));
        // The places are those of the words: what is cut out there is read as the same word.
        let characters: Vec<char> = line.chars().collect();
        for (column, value) in &read.parts {
            let cut = |word: &Word| characters[word.at.start..word.at.end].iter().collect::<String>();
            let again = parse(&format!("{}={}: 1", cut(column), cut(value))).unwrap();
            prop_assert_eq!((&again.parts[0].0.text, &again.parts[0].1.text), (&column.text, &value.text));
        }
    }

    /// Whatever is typed, there is an answer, and a fault's place is inside the line.
    #[test]
    fn any_line_is_answered(line in "[ETH=Asian&:\"0-9. ]{0,24}|\\PC{0,24}") {
        match parse(&line) {
            Ok(read) => {
                let words = read.parts.iter().map(|(column, value)| (column.text.as_str(), value.text.as_str()));
                let again = parse(&text(words, read.least, read.most)).unwrap();
                prop_assert_eq!(again.parts.len(), read.parts.len());
                prop_assert_eq!((again.least, again.most), (read.least, read.most));
            }
            Err(fault) => {
                let length = line.chars().count();
                prop_assert!(fault.at.start <= fault.at.end && fault.at.end <= length, "{:?}: {:?}", line, fault);
            }
        }
    }
}

// --- lines held against a table --------------------------------------------------------------

const PEOPLE: &str = "name,age,zip,sex,city,diagnosis,ward\n\
    Ann,21,1011, f,Zürich,Flu,north\nBea,22,1012, f,Zürich,Flu,south\nCid,25,1011, m,Bern,Cough,north\n\
    Dan,31,1021, m,Bern,Cough,east\nEve,35,2011, f,NA,Ulcer,north\nFay,61,2021, f,?,Ulcer,?\n";

fn people_policy(rest: &str) -> String {
    format!(
        r#"{{"throng": 1, "columns": {{
            "name": {{"role": "identifier"}},
            "age": {{"role": "quasi", "hierarchy": {{"rows": [["21","20-29","20-39","*"],["22","20-29","20-39","*"],["25","20-29","20-39","*"],
                ["31","30-39","20-39","*"],["35","30-39","20-39","*"],["61","60-69","60-79","*"],["70","70-79","60-79","*"]]}}, "limits": ["20-39", "60-69"]}},
            "zip": {{"role": "quasi", "hierarchy": {{"rows": [["1011","101*","1***","*"],["1012","101*","1***","*"],["1021","102*","1***","*"],
                ["2011","201*","2***","*"],["2021","202*","2***","*"]]}}, "from_level": 1}},
            "sex": {{"role": "quasi"}},
            "city": {{"role": "quasi"}},
            "diagnosis": {{"role": "sensitive", "hierarchy": {{"rows": [["Flu","Respiratory","*"],["Cough","Respiratory","*"],["Ulcer","Digestive","*"]]}}}},
            "ward": {{"role": "insensitive"}}}}, {rest}}}"#
    )
}

fn table_of(csv: &str) -> Table {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |(place, name): (usize, &&str)| {
        let mut builder = DictionaryBuilder::default();
        let codes = rows.iter().map(|row| builder.code(row[place].as_bytes()).unwrap().code).collect();
        Column::new(name.to_string(), builder.finish(), codes, &["?".into(), "NA".into()])
    };
    Table { columns: names.iter().enumerate().map(column).collect(), rows: rows.len() }
}

fn setup_of(policy: &str, table: &Table) -> Setup {
    PolicyFile::parse(policy).unwrap().apply(table, &mut |_| unreachable!()).unwrap()
}

fn bind(line: &str, setup: &Setup, table: &Table) -> Result<Constraint, Vec<Fault>> {
    let binder = Binder::new(setup, table);
    parse(line).map_err(|fault| vec![fault]).and_then(|statement| binder.bind(&statement))
}

#[test]
fn bad_constraints_are_told_at_their_place() {
    let table = table_of(PEOPLE);
    let setup = setup_of(&people_policy(r#""privacy": [], "suppression_limit": 0.17"#), &table);
    // The place is marked by carets below the line.
    let cases = [
        ("town=Bern: 1..", "^^^^", "no column of this name", "as it is spelled there"),
        ("City=Bern: 1..", "^^^^", "no column of this name", "a column “city”"),
        ("name=Ann: 1..", "^^^^", "“name” is an identifier and will be dropped", "another role"),
        ("city=Basel: 1..", "     ^^^^^", "“city” has no such value", "as it stands in the table"),
        ("city=bern: 1..", "     ^^^^", "“city” has no such value", "upper or lower case"),
        ("sex=f: 1..", "    ^", "“sex” has no such value", "in double quotes"),
        ("city=Bern & age=40-49: 1..", "                ^^^^^", "“age” has no such value", "can show"),
        ("age=*: 1..", "    ^", "limits of column “age” forbid this group", "within the limits"),
        ("age=60-79: ..3", "    ^^^^^", "limits of column “age” forbid this group", "within the limits"),
        ("zip=1011: 1..", "    ^^^^", "“zip” hides this", "lower the level"),
        (
            "diagnosis=Respiratory: 1..",
            "          ^^^^^^^^^^^",
            "“diagnosis” is released as it is",
            "a value of the data",
        ),
        ("age=20-29: 4..", "           ^", "only 3 rows that can show this", "at most 3"),
        ("age=70: 1..", "        ^", "only 0 rows", "at most 0"),
        ("sex=\" f\" & city=Bern: 1..3", "                      ^", "only 0 rows", "at most 0"),
        ("city=NA: 3", "         ^", "only 2 rows", "at most 2"),
        ("city=Zürich & age=20-39: 2..9 ", "", "", ""),
        ("city=Zürich & age=20-39: 3..9 ", "                         ^", "only 2 rows", "at most 2"),
        (
            "ward=north: ..1",
            "              ^",
            "3 rows can't but show this in every release; only 1 may be suppressed",
            "Raise",
        ),
        ("ward=north & diagnosis=Flu: ..0", "", "", ""),
        ("age=61: 1..1 & x", "        ^^^^^^^^", "no bounds", "2..5"),
    ];
    for (line, marks, what, next) in cases {
        let found = bind(line, &setup, &table);
        if marks.is_empty() {
            assert!(found.is_ok(), "{line}: {found:?}");
            continue;
        }
        let faults = found.unwrap_err();
        assert_eq!(faults.len(), 1, "{line}: {faults:?}");
        let fault = &faults[0];
        assert!(fault.what.contains(what) && fault.next.contains(next), "{line}: {fault:?}");
        assert_eq!((fault.at.start, fault.at.end), (marks.find('^').unwrap(), marks.len()), "{line}: {fault:?}");
        // What was typed and what the data has are not repeated, only the names of columns.
        let told = format!("{} {}", fault.what, fault.next);
        for value in ["Bern", "Basel", "1011", "Respiratory", "Ann", "Zürich", "40-49"] {
            assert!(!told.contains(value), "{told}");
        }
    }
    // Everything that is wrong with a line is told at once.
    let places: Vec<usize> = bind("town=x & name=Ann & city=Basel: 1", &setup, &table)
        .unwrap_err()
        .iter()
        .map(|fault| fault.at.start)
        .collect();
    assert_eq!(places, [0, 9, 25]);
}

#[test]
fn values_are_found_as_a_release_shows_them() {
    let table = table_of(PEOPLE);
    let rest = r#""privacy": [], "suppression_limit": 0.17"#;
    let setup = setup_of(&people_policy(rest), &table);
    let value = |line: &str, setup: &Setup| {
        let found = bind(line, setup, &table).unwrap_or_else(|faults| panic!("{line}: {faults:?}"));
        found.target.into_iter().map(|target| (target.column, target.value)).collect::<Vec<_>>()
    };
    let one = |column: usize, value: &str| vec![(column, value.to_owned())];
    assert_eq!(value("age=21: 1..", &setup), one(1, "21"));
    assert_eq!(value("age=20-39: 5..", &setup), one(1, "20-39"));
    assert_eq!(value("zip=1***: 4..", &setup), one(2, "1***"));
    assert_eq!(value("zip=*: 6..", &setup), one(2, "*"));
    assert_eq!(value("sex=\" f\": 4..", &setup), one(3, " f"));
    assert_eq!(value("sex=*: ..3", &setup), one(3, "*"));
    // Whichever token is typed, it is the one that a release shows; of "NA" and "?" that is the first by their text.
    assert_eq!(value("city=?: 2..", &setup), one(4, "?"));
    assert_eq!(value("city=NA: 2..", &setup), one(4, "?"));
    assert_eq!(value("ward=?: 1..", &setup), one(6, "?"));
    // By ascending column.
    let two = vec![(1, "21".to_owned()), (4, "Zürich".to_owned())];
    assert_eq!(value("city=Zürich & age=21: 1..", &setup), two);
    // (τ,ℓ)-diversity may show groups of the sensitive column.
    let tau = r#""privacy": [{"model": "tau-l-diversity", "tau": 0.9, "l": 2}]"#;
    let setup = setup_of(&people_policy(tau), &table);
    assert_eq!(value("diagnosis=Respiratory: ..4", &setup), one(5, "Respiratory"));
    // A column that can't be released is told at its name.
    let lacking = people_policy(rest).replace(r#"["22","20-29","20-39","*"],"#, "");
    let setup = setup_of(&lacking, &table);
    let faults = bind("age=21: 1..", &setup, &table).unwrap_err();
    assert!(faults[0].what.contains("lacks 1 value") && faults[0].at.end == 3, "{faults:?}");
}

#[test]
fn rows_are_counted_by_their_texts() {
    let table = table_of(PEOPLE);
    let setup = setup_of(&people_policy(r#""privacy": []"#), &table);
    let released = table_of(
        "age,zip,sex,city,diagnosis,ward\n20-29,101*, f,Zürich,Flu,north\n20-29,101*, f,Zürich,Flu,south\n\
         20-39,1***, m,Bern,Cough,north\n20-39,1***, m,Bern,Cough,east\n35,201*,*,NA,Ulcer,north\n61,202*,*,?,Ulcer,?\n",
    );
    for (line, today, after) in [
        ("age=21: 0..", 1, 0),
        ("age=20-29: 0..", 0, 2),
        ("age=20-39 & sex=\" m\": 0..", 0, 2),
        ("sex=\" f\": 0..", 4, 2),
        ("city=?: 0..", 2, 2),
        ("city=? & diagnosis=Ulcer: 0..", 2, 2),
        ("city=Bern & ward=north: 0..", 1, 1),
        ("sex=*: 0..", 0, 2),
    ] {
        let constraint = bind(line, &setup, &table).unwrap();
        assert_eq!(count::count(&constraint, &table, &table), today, "{line}");
        assert_eq!(count::count(&constraint, &table, &released), after, "{line}");
    }
}

// --- runs ------------------------------------------------------------------------------------

fn run(table: &str, policy: &str) -> Result<RunView, Failure> {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", table), file("policy.json", policy)])?;
    match ask(&engine, Request::Run, vec![])? {
        Response::Ran(view) => Ok(*view),
        other => panic!("{other:?}"),
    }
}

/// Table 1 of the paper.
fn records_policy(k: u32, algorithm: &str, diversity: &[&str]) -> String {
    let lines = serde_json::to_string(diversity).unwrap();
    format!(
        r#"{{"throng": 1, "columns": {{"ID": {{"role": "identifier"}}, "GEN": {{"role": "quasi"}}, "ETH": {{"role": "quasi"}},
            "AGE": {{"role": "quasi"}}, "PRV": {{"role": "quasi"}}, "CTY": {{"role": "quasi"}}, "DIAG": {{"role": "sensitive"}}}},
            "privacy": [{{"model": "k-anonymity", "k": {k}}}], "algorithm": {{"name": "{algorithm}"}}, "diversity": {lines}}}"#
    )
}

fn records() -> String {
    let sample = throng::samples::table("medical-records", 0, 0).unwrap();
    String::from_utf8(sample.bytes).unwrap()
}

#[test]
fn algorithms_that_do_not_aim_at_constraints_say_so() {
    for algorithm in ["lattice", "k-member", "mondrian"] {
        // Stars for all are no more than there are rows: kept by any release.
        let kept = ["AGE=*: ..10", "DIAG=Migraine: 2..2", "ETH=Asian: ..3"];
        let view = run(&records(), &records_policy(2, algorithm, &kept)).unwrap();
        let texts: Vec<&str> = view.diversity.iter().map(|run| run.text.as_str()).collect();
        assert_eq!(texts, kept);
        assert_eq!(view.verified.diversity[1], 2);
        let report: serde_json::Value = view.to_value(&view.findings, None);
        for (place, line) in kept.iter().enumerate() {
            let entry = &report["diversity"][place];
            let count = view.verified.diversity[place];
            assert_eq!(*entry, serde_json::json!({"constraint": line, "count": count, "holds": true}));
        }
        // Classes of at least five can't leave all ages apart: the count of one age is 0.
        let failure =
            run(&records(), &records_policy(5, algorithm, &["DIAG=Migraine: 2..2", "AGE=80: 1.."])).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Impossible, "{failure}");
        let expected =
            format!("Not found: {algorithm} does not aim at diversity constraints. 0 rows of the release show");
        assert!(failure.what.starts_with(&expected), "{failure}");
        assert!(failure.what.contains("diversity[1], which asks for at least 1."), "{failure}");
        assert!(failure.next.contains("diva"));
    }
    // A bad line stops any run before it starts, at its place.
    let failure = run(&records(), &records_policy(2, "lattice", &["ETH=Asian: 1..", "ETH=Inuit: 1.."])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Policy);
    assert!(failure.what.contains("diversity[1], characters 5 to 9"), "{failure}");
}
