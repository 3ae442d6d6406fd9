//! The runner's commands: what they print, what they write, and how they end.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("throng-linkage-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_throng")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn sample(&self, id: &str, name: &str) {
        std::fs::write(self.0.join(name), self.run(&["sample", id, "--rows", "3000"]).stdout).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

#[test]
fn link_from_the_command_line() {
    let folder = Folder::new("link");
    folder.sample("hospital-a", "a.csv");
    folder.sample("hospital-b", "b.csv");
    let woman = "Gender=Female,Postal Code=560010";
    let said = folder.run(&["link", "a.csv", "b.csv", "--person", woman]);
    assert_eq!(code(&said), 0);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(
        text.contains("together: l = 1: Cervical cancer (1)") && text.contains("exposed after linking: 1"),
        "{text}"
    );
    let said = folder.run(&["link", "a.csv", "b.csv", "--person", woman, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((json["exposed_before"].as_u64(), json["exposed_after"].as_u64()), (Some(0), Some(1)));
    assert_eq!(json["person"]["left"], serde_json::json!([{"value": "Cervical cancer", "count": 1}]));
    assert_eq!(json["after"], serde_json::json!({"1": 1}));
    folder.sample("five-patients", "original.csv");
    folder.put(
        "policy.json",
        r#"{"throng": 1, "columns": {"Gender": {"role": "quasi"}, "Disease": {"role": "sensitive"}, "Postal Code":
            {"role": "quasi", "hierarchy": {"file": "code.csv"}}}}"#,
    );
    folder.put("code.csv", "560012;560012 or 560011;*\n560011;560012 or 560011;*\n560010;560010;*\n");
    let said =
        folder.run(&["link", "a.csv", "b.csv", "--policy", "policy.json", "--original", "original.csv", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(json["population"]["people"], 5);
    assert_eq!((&json["population"]["linked"], &json["exposed_after"]), (&3.into(), &3.into()));
    for arguments in [
        &["link", "a.csv"][..],
        &["link", "a.csv", "nowhere.csv"],
        &["link", "a.csv", "b.csv", "--person", "Female"],
        &["link", "a.csv", "b.csv", "--person", "Sex=Female"],
        &["link", "a.csv", "b.csv", "--policy", "code.csv"],
        &["link", "a.csv", "code.csv"],
    ] {
        let failed = folder.run(arguments);
        assert_eq!(code(&failed), 2, "{arguments:?}");
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(!said.is_empty() && !said.contains("560010"), "{said}");
    }
}

#[test]
fn plans_from_the_command_line() {
    let folder = Folder::new("plan");
    folder.sample("adult-like", "past.csv");
    folder.put(
        "policy.json",
        r#"{"throng": 1, "others": "insensitive", "columns": {"age": {"role": "quasi", "hierarchy": {"recipe": "ages"}},
            "sex": {"role": "quasi"}, "occupation": {"role": "sensitive"}}}"#,
    );
    let make = |more: &[&str]| {
        let first = ["plan", "make", "policy.json", "past.csv", "-o", "plan.json", "--delta", "0.05"];
        folder.run(&[&first[..], more].concat())
    };
    let made = make(&["--l", "3", "--classes", "10", "--order", "sex,age", "--json"]);
    assert_eq!(code(&made), 0, "{}", String::from_utf8_lossy(&made.stderr));
    let json: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    assert!(json["classes"].as_u64().unwrap() >= 10);
    assert_eq!(json["order"], serde_json::json!(["sex", "age"]));
    let apply =
        |more: &[&str]| folder.run(&[&["plan", "apply", "plan.json", "past.csv", "-o", "out.csv"][..], more].concat());
    let applied = apply(&[]);
    assert_eq!(code(&applied), 0, "{}", String::from_utf8_lossy(&applied.stderr));
    let out = std::fs::read_to_string(folder.0.join("out.csv")).unwrap();
    assert!(out.starts_with("_class,sex,age,occupation\n1,Female,"), "{}", &out[..60]);
    assert_eq!(out.lines().count(), 3001);
    // Who has the plan knows the class of a person.
    std::fs::copy(folder.0.join("out.csv"), folder.0.join("other.csv")).unwrap();
    let linked = |more: &[&str]| {
        let first = ["link", "out.csv", "other.csv", "--original", "past.csv", "--policy", "policy.json", "--json"];
        let output = folder.run(&[&first[..], &["--person", "sex=Female,age=34"], more].concat());
        assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json
    };
    let (with, without) = (linked(&["--plan", "plan.json"]), linked(&[]));
    assert_eq!(with["person"]["releases"][0]["classes"], 1);
    assert!(with["person"]["known"]["_class"].is_string() && without["person"]["known"]["_class"].is_null());
    assert!(with["person"]["l"].as_u64() <= without["person"]["l"].as_u64());
    // Rows are missing: nothing is written unless asked.
    assert_eq!(code(&make(&["--l", "3", "--rows", "50000"])), 0);
    std::fs::remove_file(folder.0.join("out.csv")).unwrap();
    let early = apply(&[]);
    assert_eq!(code(&early), 3);
    assert!(String::from_utf8_lossy(&early.stderr).contains("rows missing"));
    assert!(!folder.0.join("out.csv").exists());
    let early = apply(&["--early"]);
    assert_eq!(code(&early), 0);
    assert!(String::from_utf8_lossy(&early.stdout).contains("promise does not hold"));
    // Impossible is 3, wrong is 2.
    assert_eq!(code(&make(&["--l", "99"])), 3);
    assert_eq!(code(&make(&["--l", "3", "--rows", "2"])), 3);
    assert_eq!(code(&make(&["--l", "3", "--p", "0.1", "--rows", "2"])), 2);
    assert_eq!(code(&make(&["--l", "0"])), 2);
    assert_eq!(code(&make(&["--l", "3", "--order", "shoe"])), 2);
    folder.put("plan.json", "{\"throng_plan\": 1}");
    let failed = apply(&[]);
    assert_eq!(code(&failed), 2);
    assert!(String::from_utf8_lossy(&failed.stderr).contains("plan.json"));
}

/// A number of rows that a sample can't have is refused, not another one taken.
#[test]
fn samples_have_the_rows_that_are_asked_for() {
    let folder = Folder::new("sample");
    for rows in ["0", "999", "1000001"] {
        let failed = folder.run(&["sample", "hospital", "--rows", rows]);
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(code(&failed) == 2 && failed.stdout.is_empty(), "{said}");
        assert!(said.contains("1,000 to 1,000,000"), "{said}");
    }
    let made = folder.run(&["sample", "hospital", "--rows", "1000"]);
    assert_eq!((code(&made), String::from_utf8_lossy(&made.stdout).lines().count()), (0, 1001));
    // Those that are printed have the rows that they have.
    assert_eq!(code(&folder.run(&["sample", "inpatients", "--rows", "5"])), 0);
}

/// What a plan took for missing is told, as everywhere.
#[test]
fn applying_a_plan_tells_of_missing_cells() {
    let folder = Folder::new("missing");
    let csv = |rows: &str| "q,d\n".to_owned() + &rows.repeat(100);
    folder.put("past.csv", &csv("a,Flu\na,HIV\nb,Flu\nb,HIV\n"));
    folder.put("new.csv", &csv("a,\na,HIV\nb,Flu\nb,unknown\n"));
    let policy =
        r#"{"throng": 1, "columns": {"q": {"role": "quasi"}, "d": {"role": "sensitive", "missing": "value"}}}"#;
    folder.put("policy.json", policy);
    let made = ["plan", "make", "policy.json", "past.csv", "-o", "plan.json", "--l", "2", "--delta", "0.05"];
    assert_eq!(code(&folder.run(&made)), 0);
    let applied = folder.run(&["plan", "apply", "plan.json", "new.csv", "-o", "out.csv", "--json"]);
    let said = String::from_utf8_lossy(&applied.stderr).into_owned();
    assert!(code(&applied) == 0 && said.contains("[missing-token]") && said.contains("[missing-value]"), "{said}");
    let json: serde_json::Value = serde_json::from_slice(&applied.stdout).unwrap();
    let names: Vec<&str> =
        json["findings"].as_array().unwrap().iter().map(|one| one["finding"].as_str().unwrap()).collect();
    assert_eq!(names, ["missing-token", "missing-value"]);
}
