//! Nothing leaves that should not (issue 20, "Fail closed", points 1 to 4): what a policy says that the table does not
//! bear out is refused, what reading had to repair holds a release back, and what else a person must know is told by run,
//! check, page and report, without any cell's value.
#![cfg(not(target_arch = "wasm32"))]

#[path = "findings/adversary.rs"]
mod adversary;
#[path = "findings/decisions.rs"]
mod decisions;
#[path = "findings/keys.rs"]
mod keys;
#[path = "findings/safe_harbor.rs"]
mod safe_harbor;
mod support;

use std::path::PathBuf;
use std::process::{Command, Output};

use support::{ask, edit, file, open_files, setup, text};
use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::findings::Finding;
use throng::io::csv_write::Written;
use throng::policy::Decisions;
use throng::policy::Edit;
use throng::protocol::{Request, Response};
use throng::report::Audience;
use throng::setup_view::SetupView;

/// A folder of its own, removed at the end, with the runner in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("throng-findings-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(name)).ok()
    }

    fn throng(&self, arguments: &[&str]) -> Said {
        let output = Command::new(env!("CARGO_BIN_EXE_throng")).args(arguments).current_dir(&self.0).output().unwrap();
        Said::of(output)
    }

    /// Runs a policy on a table; the release, if there is one.
    fn release(&self, table: impl AsRef<[u8]>, policy: &str, more: &[&str]) -> (Said, Option<String>) {
        let _ = std::fs::remove_file(self.0.join("out.csv"));
        self.put("table.csv", table);
        self.put("policy.json", policy);
        let said = self.throng(&[&["run", "policy.json", "table.csv", "-o", "out.csv"], more].concat());
        let out = self.read("out.csv");
        assert_eq!(said.code == 0, out.is_some(), "a release if and only if it ended well: {}", said.err);
        (said, out)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the runner said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    fn of(output: Output) -> Said {
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Said { code: output.status.code().unwrap_or(-1), out, err }
    }
}

/// Rows that nothing is wrong with: 24 people in four classes, every value of a kept column at least twice in its class.
fn rows(line: impl Fn(usize) -> String) -> String {
    (0..24).map(|row| line(row) + "\n").collect()
}

fn plain_line(row: usize) -> String {
    format!("Person{row},{},{},ward{}", 30 + row % 4, ["flu", "cold", "gout"][row / 4 % 3], row / 12)
}

fn plain_table() -> String {
    "name,age,ill,ward\n".to_owned() + &rows(plain_line)
}

/// Roles of `name`, `age` and `ill`; what else there is, is kept.
fn policy(rest: &str) -> String {
    format!(
        r#"{{"throng": 1, "columns": {{"name": {{"role": "identifier"}}, "age": {{"role": "quasi"}},
            "ill": {{"role": "sensitive"}}}}, "others": "insensitive",
            "privacy": [{{"model": "k-anonymity", "k": 3}}]{rest}}}"#
    )
}

/// An engine with a table and a policy.
fn opened(table: &str, policy: &str) -> Result<(Engine, SetupView), Failure> {
    let engine = Engine::default();
    let opened = open_files(&engine, vec![file("table.csv", table), file("policy.json", policy)])?;
    Ok((engine, opened.setup))
}

fn export() -> Request {
    Request::Export { protected: true, row_numbers: false }
}

fn names(findings: &[Finding]) -> Vec<(&'static str, Option<&str>, u64)> {
    findings.iter().map(|finding| (finding.name(), finding.column.as_deref(), finding.count)).collect()
}

#[test]
fn a_table_that_nothing_is_wrong_with_has_no_findings() {
    let folder = Folder::new("plain");
    let (said, out) = folder.release(plain_table(), &policy(r#", "findings": "stop""#), &["--strict"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.err);
    let out = out.unwrap();
    assert!(out.starts_with("age,ill,ward\n") && !out.contains("Person"));
}

/// Point 1: `Name` in the policy, `name` in the table.
#[test]
fn an_identifier_that_the_table_lacks_is_refused_and_the_nearest_name_is_told() {
    let folder = Folder::new("lacking");
    for (in_policy, in_table) in [
        ("Name", "name"),
        ("name", "Name"),
        ("name", "name "),
        ("name", "\u{feff}name"),
        ("pre\u{301}nom", "prénom"),
        ("surname", "sur_name"),
        ("naem", "name"),
    ] {
        let table = plain_table().replacen("name", in_table, 1);
        let policy = policy("").replacen("\"name\"", &format!("{in_policy:?}"), 1).replace("\\u{301}", "\u{301}");
        // Two marks: of one, every reader takes the first away.
        let table = if in_table.starts_with('\u{feff}') { format!("\u{feff}{table}") } else { table };
        let (said, out) = folder.release(&table, &policy, &[]);
        assert_eq!((said.code, out), (2, None), "{in_policy} {in_table}");
        assert!(said.err.contains(&format!("“{in_policy}”")), "{}", said.err);
        assert!(said.err.contains(&format!("“{in_table}”")), "the nearest: {}", said.err);
        assert!(said.err.contains("column names") && !said.err.contains("Person"), "{}", said.err);
    }
}

#[test]
fn names_that_are_a_rows_cells_are_not_told_as_nearest() {
    // No line of names: a policy always expects one, so that the first person's cells are taken for names.
    let table = rows(plain_line);
    let folder = Folder::new("headless");
    for policy in [
        policy(""),
        policy("").replace("\"name\"", "\"Person\""),
        policy("").replace("\"role\"", "\"optional\": true, \"role\"").replace("\"others\": \"insensitive\",", ""),
        r#"{"throng": 1, "columns": {}}"#.to_owned(),
    ] {
        let (said, _) = folder.release(&table, &policy, &[]);
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(!said.err.contains("Person0") && !said.err.contains("ward0"), "{}", said.err);
        assert!(said.err.contains("first line"), "{}", said.err);
    }
}

#[test]
fn a_column_that_may_be_lacking_is_lacking() {
    let lacking = policy("").replace(r#""name": {"#, r#""name": {"optional": true, "#);
    let folder = Folder::new("optional");
    let (said, out) = folder.release(plain_table(), &lacking, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!out.unwrap().contains("Person"), "where it is there, it is what the policy says");
    let without = "age,ill,ward\n".to_owned() + &rows(|row| plain_line(row).split_once(',').unwrap().1.to_owned());
    let (said, out) = folder.release(&without, &lacking, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(out.unwrap().starts_with("age,ill,ward\n"));
    assert_eq!(folder.release(&without, &policy(""), &[]).0.code, 2);
}

#[test]
fn the_second_of_two_columns_of_one_name_holds_the_release_back() {
    let table = "name,age,ill,name\n".to_owned() + &rows(|row| plain_line(row).replace("ward", "Person"));
    held_until_accepted("doubled", &table, "duplicate-names", "name already taken");
}

#[test]
fn a_line_with_a_cell_too_many_holds_the_release_back() {
    let table = plain_table() + "Smith, Ann,41,flu,ward1\n";
    held_until_accepted("long", &table, "long-rows", "1 row had too many cells");
}

/// The last cell is empty, so that the line only seems to end in a delimiter too many, and the name stands in `age`.
#[test]
fn a_line_that_ends_in_a_delimiter_too_many_holds_the_release_back() {
    let table = plain_table() + "Smith, Ann,41,flu,\n";
    held_until_accepted("trailing", &table, "trailing-delimiters", "1 row ended in extra delimiters");
}

/// A quote left over before a cell makes lines a part of it, up to the next one.
#[test]
fn quotes_that_swallow_lines_hold_the_release_back() {
    let behind = plain_table() + "Smith,41,\"flu\" x,ward\n";
    held_until_accepted("behind", &behind, "stray-quotes", "text behind a closing quote");
    let swallowed = plain_table() + "Smith,41,flu,\"ward\nMiller,42,flu,ward\nJones,43,flu,ward\"\n";
    held_until_accepted("swallowed", &swallowed, "stray-quotes", "a whole line within quotes");
    let folder = Folder::new("address");
    let address = plain_table() + "Smith,41,flu,\"Ward 1,\nHouse 2\"\n";
    assert_eq!(folder.release(address, &policy(""), &[]).0.code, 0);
}

#[test]
fn all_other_repairs_hold_the_release_back_but_blank_lines() {
    held_until_accepted("short", &(plain_table() + "Smith,41\n"), "short-rows", "1 row had too few cells");
    held_until_accepted("nul", &(plain_table() + "Smith,41,flu,w\0\n"), "nul-characters", "NUL");
    let unnamed = plain_table().replacen("ward", "", 1);
    held_until_accepted("unnamed", &unnamed, "empty-names", "1 column had no name");
    let folder = Folder::new("blank");
    let (said, _) = folder.release(plain_table() + "\n\n", &policy(""), &["--strict"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("finding: [blank-lines] 2 blank lines skipped"), "{}", said.err);
}

/// In the runner and through the page's door: told, held, and released once the policy accepts it.
fn held_until_accepted(name: &str, table: &str, kind: &str, told: &str) {
    let folder = Folder::new(name);
    let (said, _) = folder.release(table, &policy(""), &[]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains(&format!("finding: [{kind}]")) && said.err.contains(told), "{}", said.err);
    assert!(said.err.contains("\"repairs\": \"accept\"") && !said.err.contains("Ann"), "{}", said.err);
    // Scripts and plans come of the same table.
    assert_eq!(folder.throng(&["sql", "policy.json", "table.csv"]).code, 3);
    let plan = ["plan", "make", "policy.json", "table.csv", "-o", "plan.json", "--l", "2", "--delta", "0.1"];
    assert_eq!(folder.throng(&plan).code, 3);
    assert_eq!(folder.read("plan.json"), None);
    let checked = folder.throng(&["check", "policy.json", "table.csv"]);
    assert!(checked.code == 0 && checked.err.contains(&format!("finding: [{kind}]")), "{}", checked.err);
    assert_eq!(folder.throng(&["check", "policy.json", "table.csv", "--strict"]).code, 3);
    let accepting = policy(r#", "repairs": "accept""#);
    let report = ["--report", "report.json", "--report-page", "report.html"];
    let (said, out) = folder.release(table, &accepting, &report);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("Accepted: the policy accepts repairs") && out.is_some(), "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&folder.read("report.json").unwrap()).unwrap();
    let entry = json["findings"].as_array().unwrap().iter().find(|entry| entry["finding"] == kind).unwrap();
    assert_eq!(entry["accepted"], "the policy accepts repairs");
    let html = folder.read("report.html").unwrap();
    assert!(html.contains(told) && html.contains("Accepted: the policy accepts repairs"));

    let (engine, view) = opened(table, &policy("")).unwrap();
    assert!(view.findings.iter().any(|finding| finding.name() == kind && finding.open(&view.decisions)));
    let held = ask(&engine, Request::Run, vec![]).unwrap_err();
    assert!(held.kind == FailureKind::Held && held.what.contains(told), "{held}");
    let accepted = Decisions { repairs_accepted: true, ..view.decisions.clone() };
    let view = edit(&engine, Edit::Decisions(accepted)).unwrap();
    assert!(view.findings.iter().all(|finding| !finding.is_repair() || finding.accepted.is_some()));
    ask(&engine, Request::Run, vec![]).unwrap();
    ask(&engine, export(), vec![]).unwrap();
    // Taken back, nothing leaves of the release that was made meanwhile.
    setup(&engine, Request::Undo).unwrap();
    for request in [export(), Request::Sql { table: "t".into(), dialect: Default::default() }, Request::Run] {
        assert_eq!(ask(&engine, request, vec![]).unwrap_err().kind, FailureKind::Held);
    }
}

#[test]
fn a_plan_is_not_applied_to_a_repaired_table_unless_told_to() {
    let folder = Folder::new("apply");
    folder.put("table.csv", plain_table());
    folder.put("policy.json", policy(""));
    let plan = ["plan", "make", "policy.json", "table.csv", "-o", "plan.json", "--l", "2", "--delta", "0.1"];
    let made = folder.throng(&plan);
    assert_eq!(made.code, 0, "{}", made.err);
    folder.put("new.csv", plain_table() + "Smith, Ann,30,flu,ward1\n");
    let apply = ["plan", "apply", "plan.json", "new.csv", "-o", "out.csv", "--early", "--unseen", "order"];
    let said = folder.throng(&apply);
    assert!(said.code == 3 && said.err.contains("--accept-repairs") && !said.err.contains("Ann"), "{}", said.err);
    assert_eq!(folder.read("out.csv"), None);
    let said = folder.throng(&[&apply[..], &["--accept-repairs"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!folder.read("out.csv").unwrap().contains("Person"));
}

#[test]
fn repairs_of_one_file_are_not_accepted_for_the_next() {
    let table = plain_table() + "Smith, Ann,41,flu,ward1\n";
    let (engine, view) = opened(&table, &policy(r#", "repairs": "accept""#)).unwrap();
    assert!(view.decisions.repairs_accepted);
    let kept = text(&engine, Request::SavePolicy);
    assert!(kept.contains("\"repairs\": \"accept\""));
    // The page keeps the policy, and puts it back where the next file has the same columns.
    open_files(&engine, vec![file("next.csv", table.replace("Ann", "Bob"))]).unwrap();
    let restored = setup(&engine, Request::RestorePolicy { text: kept }).unwrap();
    assert!(!restored.decisions.repairs_accepted);
    assert_eq!(ask(&engine, Request::Run, vec![]).unwrap_err().kind, FailureKind::Held);
}

/// Point 2, with its four findings, each where the runner, the page, the check and the report tell it.
#[test]
fn kept_columns_and_tokens_are_told_everywhere() {
    // `code`: a number of its own for half of the rows. `mrn`: an identifier by name. `note`: singles out rows of a class.
    // `years`: 9999 for not known. `ill`: missing cells that count as a value.
    let line = |row: usize| {
        let code = if row < 12 { 100_000 + 7_919 * row } else { 5 };
        let note = if row == 3 { "Zorg" } else { "usual" };
        let years = if row.is_multiple_of(6) { 9999 } else { 1 + row % 5 };
        let ill = if row.is_multiple_of(8) { "NA" } else { ["flu", "cold", "gout"][row / 4 % 3] };
        format!("Person{row},{},{ill},{code},M{},{note},{years}", 30 + row % 4, row / 2)
    };
    let table = "name,age,ill,code,mrn,note,years\n".to_owned() + &rows(line);
    let expected = [
        ("missing-value", Some("ill"), 3),
        ("nearly-unique", Some("code"), 12),
        ("identifier-pattern", Some("mrn"), 24),
        ("missing-token", Some("years"), 4),
    ];
    let (engine, view) = opened(&table, &policy("")).unwrap();
    assert_eq!(names(&view.findings), expected, "the page");
    let Ok(Response::Ran(run)) = ask(&engine, Request::Run, vec![]) else { panic!() };
    let singled = |findings: &[Finding], column: Option<&str>| {
        findings.iter().find(|finding| finding.is_of_release() && finding.column.as_deref() == column).cloned()
    };
    assert_eq!(names(&run.findings)[..4], expected, "the run");
    assert_eq!(singled(&run.findings, Some("note")).unwrap().count, 1);
    assert!(singled(&run.findings, Some("mrn")).is_none() && singled(&run.findings, Some("code")).is_none());
    let html = text(
        &engine,
        Request::Report { audience: Audience::Internal, date: "2026-11-19".into(), written: Written::default() },
    );
    let figures = text(&engine, Request::SaveFigures { written: Written::default(), read_milliseconds: None });
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    let folder = Folder::new("told");
    let (said, _) = folder.release(&table, &policy(""), &[]);
    assert_eq!(said.code, 0, "they are told, and stop nothing unless that is asked for: {}", said.err);
    let checked = folder.throng(&["check", "policy.json", "table.csv"]);
    let audit = folder.throng(&["check", "policy.json", "table.csv", "--json"]);
    let audit: serde_json::Value = serde_json::from_str(&audit.out).unwrap();
    for finding in &run.findings {
        let (named, sentence) = (finding.named(), &finding.sentence);
        assert!(said.err.contains(&named), "run: {named} in {}", said.err);
        assert!(html.contains(sentence), "report: {sentence}");
        let told = |list: &serde_json::Value| {
            list.as_array().unwrap().iter().any(|entry| {
                entry["finding"] == finding.name() && entry["sentence"] == *sentence && entry["accepted"].is_null()
            })
        };
        assert!(told(&figures["findings"]), "figures: {sentence}");
        assert!(sentence.ends_with('.') && sentence.matches(". ").count() == 0, "a sentence: {sentence}");
        for value in ["Zorg", "Person", "9999", "NA", "100000", "M0", "M1"] {
            assert!(!sentence.contains(value), "{sentence}");
        }
        if !finding.is_of_release() {
            assert!(checked.err.contains(&named), "check: {named} in {}", checked.err);
            assert!(audit["findings"].to_string().contains(finding.name()));
        }
    }
    let external = text(
        &engine,
        Request::Report { audience: Audience::External, date: "2026-11-19".into(), written: Written::default() },
    );
    assert!(run.findings.iter().all(|finding| !external.contains(&finding.sentence)), "its counts are not for readers");
    assert_eq!(folder.release(&table, &policy(""), &["--strict"]).0.code, 3);
}

#[test]
fn missing_cells_that_are_unknown_are_no_value_and_no_finding() {
    let table = plain_table().replace("gout", "");
    let (_, view) = opened(&table, &policy("")).unwrap();
    assert_eq!(names(&view.findings), [("missing-value", Some("ill"), 8)]);
    let unknown = policy("").replace(r#""role": "sensitive""#, r#""role": "sensitive", "missing": "unknown""#);
    assert_eq!(names(&opened(&table, &unknown).unwrap().1.findings), []);
}

/// What is too little to be nearly unique in the table, but is in the release, is told of the release.
#[test]
fn a_column_is_told_by_one_of_table_and_release() {
    // 60 rows of which 29 have a code of their own, and 4 that share theirs are left out.
    let line = |row: usize| {
        let age = if row < 56 { 30 + row % 4 } else { row };
        let code = if row < 29 { 100_000 + 7_919 * row } else { 5 };
        format!("Person{row},{age},flu,{code}\n")
    };
    let table = "name,age,ill,code\n".to_owned() + &(0..60).map(line).collect::<String>();
    let rest = r#", "suppression_limit": 0.1"#;
    let (engine, view) = opened(&table, &policy(rest)).unwrap();
    assert_eq!(names(&view.findings), []);
    let Ok(Response::Ran(run)) = ask(&engine, Request::Run, vec![]) else { panic!() };
    assert_eq!(run.verified.rows, 56);
    assert_eq!(names(&run.findings), [("singles-out", Some("code"), 29)]);
}

/// A release is held by what was found under its own set-up, however the columns are set up since.
#[test]
fn a_release_made_under_another_set_up_is_held_by_its_own_findings() {
    let line = |row: usize| format!("{},mail{row}@example.org", plain_line(row));
    let table = "name,age,ill,ward,email\n".to_owned() + &rows(line);
    let (engine, view) = opened(&table, &policy("")).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let stop = Decisions { stop: true, ..view.decisions };
    edit(&engine, Edit::Decisions(stop.clone())).unwrap();
    let sql = Request::Sql { table: "t".into(), dialect: Default::default() };
    for request in [export(), sql.clone()] {
        assert_eq!(ask(&engine, request, vec![]).unwrap_err().kind, FailureKind::Held);
    }
    // Not run again: the release still has the column.
    let view = edit(&engine, Edit::Roles { columns: vec![4], role: throng::table::Role::Identifier }).unwrap();
    assert_eq!(names(&view.findings), []);
    for request in [export(), sql] {
        let held = ask(&engine, request, vec![]).unwrap_err();
        assert!(held.kind == FailureKind::Held && held.what.contains("“email”"), "{held}");
    }
    // What is decided now counts.
    let accept = |finding| throng::policy::Acceptance { finding, column: Some("email".into()), why: "Made up.".into() };
    let kinds = [throng::policy::FindingKind::NearlyUnique, throng::policy::FindingKind::IdentifierPattern];
    edit(&engine, Edit::Decisions(Decisions { accept: kinds.map(accept).to_vec(), ..stop })).unwrap();
    ask(&engine, export(), vec![]).unwrap();
    // A new release has a set-up of its own, which keeps nothing of the sort.
    edit(&engine, Edit::Decisions(Decisions { stop: true, ..Decisions::default() })).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    ask(&engine, export(), vec![]).unwrap();
}

/// What the report says of missing cells is what the models made of them.
#[test]
fn the_report_says_what_missing_sensitive_cells_were_taken_for() {
    let value = "In the sensitive “ill” a missing cell counts as one value of its own";
    let unknown = "In the sensitive “ill” a missing cell is not known";
    let as_unknown = policy("").replace(r#""role": "sensitive""#, r#""role": "sensitive", "missing": "unknown""#);
    for (policy, told, other) in [(policy(""), value, unknown), (as_unknown, unknown, value)] {
        let (engine, _) = opened(&plain_table().replace("gout", ""), &policy).unwrap();
        ask(&engine, Request::Run, vec![]).unwrap();
        for audience in [Audience::Internal, Audience::External] {
            let request = Request::Report { audience, date: "2026-11-19".into(), written: Written::default() };
            let html = text(&engine, request);
            assert!(html.contains(told) && !html.contains(other), "{html}");
            assert!(html.contains("of quasi-identifiers are one value of their own"));
        }
    }
}

/// Whatever the policy asks: a quasi-identifier that goes out as it is, unique, is told like a kept column.
#[test]
fn a_quasi_identifier_that_is_released_unique_and_unchanged_is_told() {
    let line = |row: usize| format!("{},mail{row}@example.org,{}", plain_line(row), 100_000 + 7_919 * row);
    let table = "name,age,ill,ward,email,points\n".to_owned() + &rows(line);
    let with = |privacy: &str| {
        let quasi = r#""email": {"role": "quasi"}, "points": {"role": "quasi"}, "ill": {"role": "sensitive"}"#;
        policy("")
            .replace(r#""ill": {"role": "sensitive"}"#, quasi)
            .replace(r#"{"model": "k-anonymity", "k": 3}"#, privacy)
    };
    let weak = [
        r#"{"model": "k-anonymity", "k": 1}"#,
        r#"{"model": "t-closeness", "attribute": "ill", "t": 1}"#,
        r#"{"model": "alpha-k", "attribute": "ill", "alpha": 1}"#,
        r#"{"model": "distinct-l-diversity", "attribute": "ill", "l": 1}"#,
        "",
    ];
    let folder = Folder::new("unchanged");
    for privacy in weak {
        let (engine, _) = opened(&table, &with(privacy)).unwrap();
        let Ok(Response::Ran(run)) = ask(&engine, Request::Run, vec![]) else { panic!() };
        let told: Vec<_> = names(&run.findings).into_iter().filter(|(name, ..)| *name == "shown-unchanged").collect();
        // Where nothing is asked, what looks like an identifier is told before the run.
        let expected = ["email", "points"].map(|column| ("shown-unchanged", Some(column), 24));
        let before = names(&run.findings).contains(&("identifier-pattern", Some("email"), 24));
        assert_eq!((told.as_slice(), before), (&expected[usize::from(privacy.is_empty())..], privacy.is_empty()));
        let (said, _) = folder.release(&table, &with(privacy), &[]);
        assert!(said.err.contains("[shown-unchanged] 24 rows show") && !said.err.contains("mail1"), "{}", said.err);
        assert_eq!(folder.release(&table, &with(privacy), &["--strict"]).0.code, 3, "{privacy}");
    }
    // Where no row is alone there is nothing of the sort.
    let (said, out) = folder.release(&table, &with(r#"{"model": "k-anonymity", "k": 3}"#), &["--strict"]);
    assert_eq!((said.code, out.is_some()), (0, true), "{}", said.err);
}

/// A policy that demands nothing says so wherever findings stand.
#[test]
fn that_no_model_is_demanded_is_told_everywhere() {
    let sentence = "No privacy model is demanded: nothing bounds what a release tells of a person.";
    let without = policy("").replace(r#"[{"model": "k-anonymity", "k": 3}]"#, "[]");
    let (engine, view) = opened(&plain_table(), &without).unwrap();
    assert_eq!(names(&view.findings), [("no-model", None, 24)]);
    ask(&engine, Request::Run, vec![]).unwrap();
    let report =
        Request::Report { audience: Audience::Internal, date: "2026-11-19".into(), written: Written::default() };
    assert!(text(&engine, report).contains(sentence));
    let figures = text(&engine, Request::SaveFigures { written: Written::default(), read_milliseconds: None });
    assert!(figures.contains(sentence));
    let folder = Folder::new("model");
    let (said, _) = folder.release(plain_table(), &without, &[]);
    assert!(said.code == 0 && said.err.contains(&format!("[no-model] {sentence}")), "{}", said.err);
    assert!(folder.throng(&["check", "policy.json", "table.csv"]).err.contains(sentence));
    assert_eq!(folder.release(plain_table(), &without, &["--strict"]).0.code, 3);
    let accepting = without.replacen("1,", r#"1, "accept": [{"finding": "no-model", "why": "A test."}],"#, 1);
    assert_eq!(folder.release(plain_table(), &accepting, &["--strict"]).0.code, 0);
    let of_column = accepting.replace(r#""no-model","#, r#""no-model", "column": "age","#);
    assert_eq!(folder.release(plain_table(), &of_column, &[]).0.code, 2);
}
