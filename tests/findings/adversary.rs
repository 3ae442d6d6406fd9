//! What else could publish an identifier with exit 0.

use super::*;

/// The policy drops `name`; beside it the table has one more, that only looks the same, and `others` keep the rest.
#[test]
fn a_column_whose_name_only_looks_like_a_protected_one_is_not_kept_silently() {
    let folder = Folder::new("alike");
    for double in ["Name", "NAME", "name ", " name", "name\u{a0}", "na\u{200b}me", "_name_", "ｎａｍｅ", "nam\u{e9}"]
    {
        let table = format!("name,age,ill,{double}\n") + &rows(|row| plain_line(row).replace("ward", "Person"));
        let (said, _) = folder.release(&table, &policy(""), &[]);
        assert!(said.code == 2 && said.err.contains(&format!("“{double}”")), "{double:?}: {}", said.err);
        assert!(said.err.contains("is that of “name”") && !said.err.contains("Person"), "{}", said.err);
        // Nor where the policy lets the table lack its own.
        let optional = policy("").replace(r#""name": {"#, r#""name": {"optional": true, "#);
        let table = format!("{double},age,ill,ward\n") + &rows(plain_line);
        assert_eq!(folder.release(&table, &optional, &[]).0.code, 2, "{double:?}");
        // Said to be something of its own, it is that.
        let named = policy("").replace(r#""age": {"#, &format!(r#""{double}": {{"role": "identifier"}}, "age": {{"#));
        let table = format!("name,age,ill,{double}\n") + &rows(|row| plain_line(row).replace("ward", "Person"));
        let (said, out) = folder.release(&table, &named, &[]);
        assert_eq!(said.code, 0, "{double:?}: {}", said.err);
        assert!(!out.unwrap().contains("Person"));
    }
    // Accents as signs of their own.
    let table = "prénom,age,ill,pre\u{301}nom\n".to_owned() + &rows(|row| plain_line(row).replace("ward", "Person"));
    assert_eq!(folder.release(&table, &policy("").replacen("\"name\"", "\"prénom\"", 1), &[]).0.code, 2);
}

#[test]
fn a_column_that_looks_like_an_identifier_is_told_whatever_keeps_it() {
    let folder = Folder::new("kept");
    let table = "name,age,ill,email\n".to_owned()
        + &rows(|row| plain_line(row).replace("ward", "p") + &format!("{row}@example.org"));
    for (role, found) in [("insensitive", true), ("sensitive", true), ("identifier", false)] {
        let kept = policy("").replace(r#""age": {"#, &format!(r#""email": {{"role": "{role}"}}, "age": {{"#));
        let (said, _) = folder.release(&table, &kept, &[]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert_eq!(said.err.contains("[identifier-pattern] Column “email”"), found, "{role}: {}", said.err);
        assert!(!said.err.contains("example.org"));
    }
    // A quasi-identifier is recoded, unless nothing is asked of the classes.
    let asked = policy("").replace(r#""role": "identifier""#, r#""role": "quasi""#);
    assert!(!folder.release(&table, &asked, &[]).0.err.contains("Column “name”"));
    let nothing = asked.replace(r#"{"model": "k-anonymity", "k": 3}"#, "");
    let (said, _) = folder.release(&table, &nothing, &[]);
    assert!(said.err.contains("[identifier-pattern] Column “name”"), "{}", said.err);
    assert_eq!(folder.release(&table, &nothing, &["--strict"]).0.code, 3);
}

/// A hierarchy's file never stands in for the table, nor the table for a hierarchy.
#[test]
fn files_of_hierarchies_are_not_taken_for_the_table() {
    let folder = Folder::new("files");
    let with = |file: &str| {
        let hierarchy = format!(r#"{{"role": "quasi", "hierarchy": {{"file": "{file}"}}}}"#);
        policy("").replace(r#""age": {"role": "quasi"}"#, &format!(r#""age": {hierarchy}"#))
    };
    let tree = "30;young;*\n31;young;*\n32;old;*\n33;old;*\n";
    folder.put("age.csv", tree);
    let (said, out) = folder.release(plain_table(), &with("age.csv"), &[]);
    assert!(said.code == 0 && !out.unwrap().contains("Person"), "{}", said.err);
    // The table itself, or another, named as the hierarchy.
    folder.put("other.csv", plain_table());
    for file in ["table.csv", "other.csv", "policy.json", "none.csv"] {
        let (said, _) = folder.release(plain_table(), &with(file), &[]);
        assert!(said.code == 2 && !said.err.contains("Person"), "{file}: {}", said.err);
    }
    // A table whose lines all end in a star looks like a hierarchy; the hierarchy that looks like a table is none of it.
    let stars = rows(|row| format!("Person{row},{},flu,*", 30 + row % 4));
    folder.put("age.csv", "name,age,ill,ward\nAnn,30,flu,w\n");
    assert_eq!(folder.release(stars, &with("age.csv"), &[]).0.code, 2);
}

#[test]
fn row_numbers_and_kept_columns_stay_beside_what_is_dropped() {
    let folder = Folder::new("numbers");
    let (said, out) = folder.release(plain_table(), &policy(""), &["--row-numbers"]);
    let out = out.unwrap();
    assert!(said.code == 0 && out.starts_with("_row,age,ill,ward\n") && !out.contains("Person"), "{}", said.err);
    // A script recodes, keeps and drops the same columns.
    let script = folder.throng(&["sql", "policy.json", "table.csv"]).out;
    assert!(!script.contains("Person") && !script.contains("\"name\""), "{script}");
    // A plan releases what it names, and no other column.
    let plan = ["plan", "make", "policy.json", "table.csv", "-o", "plan.json", "--l", "2", "--delta", "0.1"];
    assert_eq!(folder.throng(&plan).code, 0);
    let said = folder.throng(&["plan", "apply", "plan.json", "table.csv", "-o", "planned.csv", "--early"]);
    let out = folder.read("planned.csv").unwrap_or_else(|| panic!("{}", said.err));
    assert!(out.starts_with("_class,age,ill\n") && !out.contains("Person") && !out.contains("ward"), "{out}");
    // Of a table in which a name differs, it releases nothing.
    folder.put("named.csv", plain_table().replacen("age", "Age", 1));
    let said = folder.throng(&["plan", "apply", "plan.json", "named.csv", "-o", "never.csv", "--early"]);
    assert!(said.code == 2 && folder.read("never.csv").is_none(), "{}", said.err);
}

/// Delimiters, encodings and a first line that a policy reads otherwise give other columns, and those it does not name.
#[test]
fn a_file_read_otherwise_than_its_policy_means_is_refused() {
    let folder = Folder::new("otherwise");
    for reading in [r#"{"delimiter": ";"}"#, r#"{"header": false}"#, r#"{"encoding": "utf-16-le"}"#] {
        let (said, _) = folder.release(plain_table(), &policy(&format!(r#", "reading": {reading}"#)), &[]);
        assert!(said.code == 2 && !said.err.contains("Person"), "{reading}: {}", said.err);
    }
}

#[test]
fn a_quote_that_never_closes_is_refused() {
    let folder = Folder::new("quote");
    let (said, _) = folder.release(plain_table() + "Ann,41,flu,\"ward1\nBob,42,flu,ward1\n", &policy(""), &[]);
    assert!(said.code == 2 && !said.err.contains("Bob"), "{}", said.err);
}
