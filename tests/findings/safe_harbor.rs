//! Point 3: each of the 18 kinds of the HIPAA Safe Harbor rule is told as done, not there, or not done, because.

use throng::policy::{Provision, Standing};

use super::*;

fn told(table: &str) -> (Engine, Vec<Provision>) {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", table)]).unwrap();
    edit(&engine, Edit::SafeHarbor).unwrap();
    let provisions = provisions(&engine);
    (engine, provisions)
}

fn provisions(engine: &Engine) -> Vec<Provision> {
    match ask(engine, Request::SafeHarbor, vec![]) {
        Ok(Response::SafeHarbor(provisions)) => provisions,
        other => panic!("{other:?}"),
    }
}

fn of(provisions: &[Provision], letter: char) -> &Provision {
    provisions.iter().find(|provision| provision.letter == letter).unwrap()
}

/// A column of each kind, all of them such that something can be done.
fn all_kinds() -> String {
    let names = "name,zip,birth_date,age,phone,fax,email,ssn,mrn,health_plan_number,account_number,license_number,\
                 license_plate,device_serial,url,ip_address,fingerprint,photo,record_id,diagnosis\n";
    let line = |row: usize| {
        let (digit, two) = (row % 10, 10 + row);
        format!(
            "Person{row},130{two},19{:02}-0{}-1{digit},{},555-01{two},555-02{two},p{row}@example.org,123-45-67{two},M{two}77,\
             H{two}55,A{two}33,L{two}22,ABC-{two}1,D{two}99,https://example.org/{row},192.0.2.{row},F{two},p{row}.jpg,R{two}11,{}",
            40 + row,
            1 + row % 9,
            60 + row,
            ["flu", "cold"][row % 2]
        )
    };
    names.to_owned() + &(0..24).map(|row| line(row) + "\n").collect::<String>()
}

#[test]
fn each_of_the_18_kinds_is_told_as_done() {
    let (_, provisions) = told(&all_kinds());
    let letters: String = provisions.iter().map(|provision| provision.letter).collect();
    assert_eq!(letters, "ABCDEFGHIJKLMNOPQR");
    for provision in &provisions {
        assert_eq!(provision.standing, Standing::Done, "{}", provision.sentence());
        assert!(!provision.columns.is_empty());
    }
    assert!(of(&provisions, 'C').sentence().contains("“birth_date” shows years at most; “age” shows ages from 90 on"));
    assert!(of(&provisions, 'B').sentence().contains("“zip” shows 3 digits at most"));
    assert!(of(&provisions, 'A').sentence().contains("“name” is removed"));
}

#[test]
fn each_of_the_18_kinds_is_told_as_not_there() {
    let (_, provisions) = told("ward,diagnosis\na,flu\nb,cold\na,flu\nb,cold\n");
    assert_eq!(provisions.len(), 18);
    for provision in &provisions {
        assert_eq!(provision.standing, Standing::NotThere, "{}", provision.sentence());
        assert!(provision.sentence().ends_with("not there."), "{}", provision.sentence());
    }
}

#[test]
fn each_of_the_18_kinds_is_told_as_not_done_because() {
    let (engine, _) = told(&all_kinds());
    let columns = 19;
    for column in 0..columns {
        edit(&engine, Edit::Roles { columns: vec![column], role: throng::table::Role::Insensitive }).unwrap();
    }
    for provision in provisions(&engine) {
        assert_eq!(provision.standing, Standing::NotDone, "{}", provision.sentence());
        assert!(provision.sentence().contains(": not done, because “"), "{}", provision.sentence());
        for value in ["Person", "130", "example.org", "192.", "555", "flu"] {
            assert!(!provision.sentence().contains(value), "{}", provision.sentence());
        }
    }
}

/// The case of the issue: two tokens in a column of dates keep it from being one.
#[test]
fn a_date_column_with_tokens_in_it_is_not_done_because_of_them() {
    let line = |row: usize| match row {
        3 | 9 => "k.A.".to_owned(),
        17 => "9999".to_owned(),
        _ => format!("{:02}.{:02}.20{:02}", 1 + row % 20, 1 + row % 4, row % 20),
    };
    let table = "admission,diagnosis\n".to_owned() + &(0..60).map(|row| line(row) + ",flu\n").collect::<String>();
    let (engine, provisions) = told(&table);
    let dates = of(&provisions, 'C');
    assert_eq!(dates.standing, Standing::NotDone);
    let sentence = dates.sentence();
    assert!(sentence.contains("“admission” has 3 cells that can't be read as a date"), "{sentence}");
    assert!(!sentence.contains("k.A.") && !sentence.contains("9999") && sentence.contains("missing_tokens"));
    assert!(provisions.iter().filter(|other| other.letter != 'C').all(|other| other.standing == Standing::NotThere));
    // Nor is the column shown as done once it is sensitive or kept; only if it goes, or its tokens are named.
    for (role, standing) in [
        (throng::table::Role::Sensitive, Standing::NotDone),
        (throng::table::Role::Insensitive, Standing::NotDone),
        (throng::table::Role::Identifier, Standing::Done),
    ] {
        edit(&engine, Edit::Roles { columns: vec![0], role }).unwrap();
        assert_eq!(of(&self::provisions(&engine), 'C').standing, standing, "{role:?}");
    }
    let folder = Folder::new("harbor");
    folder.put("table.csv", &table);
    let said = folder.throng(&["columns", "table.csv", "--safe-harbor"]);
    assert!(said.code == 0 && said.out.contains(&sentence), "{}", said.out);
    assert_eq!(said.out.lines().filter(|line| line.starts_with("  (")).count(), 18, "{}", said.out);
    let json = folder.throng(&["columns", "table.csv", "--safe-harbor", "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["safe_harbor"].as_array().unwrap().len(), 18);
    assert_eq!(json["safe_harbor"][2]["standing"], "not-done");
    // With the tokens named it is a date column, and done.
    folder.put(
        "policy.json",
        r#"{"throng": 1, "reading": {"missing_tokens": ["", "k.A."]},
            "columns": {"admission": {"role": "quasi", "missing_tokens": ["9999"]}, "diagnosis": {"role": "sensitive"}}}"#,
    );
    let said = folder.throng(&["columns", "table.csv", "--safe-harbor", "--policy", "policy.json"]);
    assert!(said.out.contains("done: “admission” shows years at most"), "{}", said.out);
}

/// A place is judged by what is shown at least of it: the advice can be followed.
#[test]
fn a_place_is_done_once_states_or_nothing_are_shown() {
    let folder = Folder::new("places");
    folder.put("table.csv", "city,diagnosis\nAlbany,flu\nBuffalo,cold\nDallas,flu\nAustin,cold\n");
    let told = |group: [&str; 2], role: &str, level: u32| {
        let policy = serde_json::json!({"throng": 1, "columns": {
            "city": {"role": role, "from_level": level, "hierarchy": {"rows": [
                ["Albany", group[0], "*"], ["Buffalo", group[0], "*"], ["Dallas", group[1], "*"], ["Austin", group[1], "*"],
            ]}},
            "diagnosis": {"role": "sensitive"},
        }});
        folder.put("policy.json", policy.to_string());
        let said = folder.throng(&["columns", "table.csv", "--safe-harbor", "--policy", "policy.json"]);
        assert_eq!(said.code, 0, "{}", said.err);
        said.out.lines().find(|line| line.trim_start().starts_with("(B)")).unwrap().trim().to_owned()
    };
    let states = ["New York", "TX"];
    for (group, role, level, what) in [
        (states, "quasi", 0, "not done, because “city” may show a place smaller than a state"),
        (states, "quasi", 1, "done: “city” shows states at most"),
        (states, "quasi", 2, "done: “city” shows nothing but *"),
        (["Upstate", "TX"], "quasi", 1, "not done, because"),
        (["Upstate", "TX"], "quasi", 2, "done: “city” shows nothing but *"),
        (states, "insensitive", 0, "not done, because"),
    ] {
        let line = told(group, role, level);
        assert!(line.contains(what), "{group:?} {role} {level}: {line}");
        assert!(!line.contains("Albany") && !line.contains("Upstate"), "{line}");
    }
}
