//! A release as a table: what its cells show, and that the order of its rows tells nothing but that.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::collections::BTreeSet;

use throng::hierarchy::{Hierarchy, NodeId, ROOT};
use throng::policy::{Quasi, Sensitive};
use throng::release::{Release, SUPPRESSED};
use throng::table::{Column, DictionaryBuilder, Table};

fn column(name: &str, texts: &[&str], missing: &[&str]) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = texts.iter().map(|text| builder.code(text.as_bytes()).unwrap().code).collect();
    Column::new(name.into(), builder.finish(), codes, &missing.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
}

fn texts(table: &Table) -> Vec<Vec<&str>> {
    (0..table.rows).map(|row| table.columns.iter().map(|column| column.text(row)).collect()).collect()
}

/// Every column's counts and codes must fit its dictionary, which has each text once and none in vain.
fn check_columns(table: &Table) {
    for column in &table.columns {
        assert_eq!(column.codes.len(), table.rows);
        let different: BTreeSet<&str> = column.dictionary.iter().collect();
        assert_eq!(different.len(), column.dictionary.len(), "{}", column.name);
        for (code, &count) in column.counts.iter().enumerate() {
            assert!(count > 0);
            assert_eq!(column.codes.iter().filter(|&&other| other as usize == code).count(), count as usize);
        }
    }
}

fn quasi(table: &Table, place: usize, tree: Hierarchy, leaf_of_code: Vec<NodeId>) -> Quasi {
    Quasi { column: place, limit_of_code: vec![ROOT; table.columns[place].dictionary.len()], tree, leaf_of_code }
}

fn bound(table: &Table, place: usize, tree: &Hierarchy) -> Vec<NodeId> {
    tree.bind(&table.columns[place].dictionary).leaves.into_iter().map(Option::unwrap).collect()
}

#[test]
fn cells_rows_and_columns() {
    let columns = vec![
        column("name", &["Ann", "Bob", "Cid", "Dan", "Eva", "Flo"], &[]),
        column("job", &["Nurse", "Other", "Cook", "Other", "Nurse", "Cook"], &[]),
        column("town", &["?", "Ulm", "n/a", "Bonn", "?", "Ulm"], &["?", "n/a"]),
        column("illness", &["Flu", "Cold", "Flu", "Gout", "Gout", "Cold"], &[]),
        column("ward", &["w1", "w1", "w2", "w1", "w9", "w2"], &[]),
    ];
    let table = Table { columns, rows: 6 };
    // `Other` is a value in a group of the same name.
    let jobs =
        Hierarchy::from_rows(&[vec!["Nurse", "Other", "*"], vec!["Other", "Other", "*"], vec!["Cook", "Food", "*"]])
            .unwrap();
    let other_value = jobs.find("Other").unwrap();
    let other_group = jobs.parent(other_value).unwrap();
    let job = quasi(&table, 1, jobs.clone(), bound(&table, 1, &jobs));
    // Both missing tokens have one leaf.
    let towns = Hierarchy::flat(["Bonn", "n/a", "Ulm"]);
    let leaf = |label: &str| towns.find(label).unwrap();
    let town = quasi(&table, 2, towns.clone(), vec![leaf("n/a"), leaf("Ulm"), leaf("n/a"), leaf("Bonn")]);
    let illnesses =
        Hierarchy::from_rows(&[vec!["Flu", "Viral", "*"], vec!["Cold", "Viral", "*"], vec!["Gout", "*"]]).unwrap();
    let illness = Sensitive::without_limits(3, illnesses.clone(), bound(&table, 3, &illnesses));
    let shown = ["Flu", "Viral", "Viral", "Gout", "*", "Cold"].map(|label| illnesses.find(label).unwrap());
    let release = Release {
        // Rows 0 and 4 show Other, n/a; rows 1 and 3 Other, *, once by the value and once by the group; row 5 Cook, Ulm.
        class_of_row: vec![0, 1, SUPPRESSED, 2, 0, 4],
        quasi: vec![
            vec![other_group, other_value, other_group, ROOT, jobs.find("Cook").unwrap()],
            vec![leaf("n/a"), ROOT, ROOT, ROOT, leaf("Ulm")],
        ],
        sensitive: vec![Some(shown.to_vec())],
    };
    let (output, rows) = release.to_table(&table, &[job, town], &[illness], &[0]).unwrap();
    check_columns(&output);
    assert_eq!(
        output.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(),
        ["job", "town", "illness", "ward"]
    );
    let expected = [
        ["Other", "n/a", "Flu", "w1"],
        ["Other", "*", "Viral", "w1"],
        ["", "", "", ""],
        ["Other", "*", "Gout", "w1"],
        ["Other", "n/a", "*", "w9"],
        ["Cook", "Ulm", "Cold", "w2"],
    ];
    for (cells, &row) in texts(&output).iter().zip(&rows) {
        assert_eq!(cells, &expected[row as usize]);
    }
    // Classes in the order of their texts: Cook, Ulm; Other, *; Other, n/a (the token that has the leaf).
    let by_class: Vec<BTreeSet<u32>> = [0..1, 1..3, 3..5].map(|range| rows[range].iter().copied().collect()).to_vec();
    assert_eq!(by_class, [BTreeSet::from([5]), BTreeSet::from([1, 3]), BTreeSet::from([0, 4])]);
    assert_eq!(output.columns[1].missing_rows(), 2);
}

/// 60 rows in 5 classes of 12, the value of a row telling its class.
fn sixty(order: impl Fn(usize) -> usize) -> (Table, Quasi, Release) {
    let place = |row: usize| order(row) / 12;
    let values: Vec<String> = (0..60).map(|row| format!("v{}", 4 - place(row))).collect();
    let rows: Vec<String> = (0..60).map(|row| order(row).to_string()).collect();
    let as_texts = |texts: &[String]| column("c", &texts.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    let table = Table { columns: vec![as_texts(&values), as_texts(&rows)], rows: 60 };
    // As a QI without a hierarchy has it: leaves in the order in which the input shows them.
    let tree = Hierarchy::flat(table.columns[0].dictionary.iter());
    let quasi = quasi(&table, 0, tree.clone(), bound(&table, 0, &tree));
    let class_of_row = table.columns[0].codes.clone();
    let release = Release { class_of_row, quasi: vec![quasi.leaf_of_code.clone()], sensitive: vec![] };
    (table, quasi, release)
}

#[test]
fn the_order_of_classes_does_not_depend_on_the_order_of_rows() {
    for order in [|row: usize| row, |row: usize| 59 - row, |row: usize| row * 7 % 60] {
        let (table, quasi, release) = sixty(order);
        let (output, _) = release.to_table(&table, &[quasi], &[], &[]).unwrap();
        let shown: Vec<&str> = (0..60).step_by(12).map(|row| output.columns[0].text(row)).collect();
        assert_eq!(shown, ["v0", "v1", "v2", "v3", "v4"]);
    }
}

/// Within a class by the texts of the other columns, whatever the order of the rows: `c` has 60 different texts, the order
/// of which is not that of the numbers.
#[test]
fn what_rows_show_alone_decides_their_order() {
    let mut expected: Option<Vec<Vec<String>>> = None;
    for order in [|row: usize| row, |row: usize| 59 - row, |row: usize| row * 7 % 60] {
        let (table, quasi, release) = sixty(order);
        let (output, rows) = release.to_table(&table, &[quasi], &[], &[]).unwrap();
        let shown: Vec<Vec<String>> =
            texts(&output).iter().map(|row| row.iter().map(|&text| text.to_owned()).collect()).collect();
        assert!(shown.is_sorted());
        assert_eq!(*expected.get_or_insert_with(|| shown.clone()), shown);
        // Each row is still that of the input.
        assert!((0..60).all(|row| output.columns[1].text(row) == table.columns[1].text(rows[row] as usize)));
    }
}

/// More different texts than are ranked: they are compared as they are, to the same order.
#[test]
fn many_different_texts_are_sorted_too() {
    let rows = 70_000usize;
    let values: Vec<String> = (0..rows).map(|row| format!("x{}", row * 7919 % rows)).collect();
    let halves: Vec<&str> = (0..rows).map(|row| ["a", "b"][row % 2]).collect();
    let ends: Vec<String> = (0..rows).map(|row| (row / 2 % 5).to_string()).collect();
    let as_texts = |texts: &[String]| column("c", &texts.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    let table = Table { columns: vec![column("q", &halves, &[]), as_texts(&ends), as_texts(&values)], rows };
    let tree = Hierarchy::flat(["a", "b"]);
    let quasi = quasi(&table, 0, tree.clone(), bound(&table, 0, &tree));
    let release = Release {
        class_of_row: table.columns[0].codes.clone(),
        quasi: vec![quasi.leaf_of_code.clone()],
        sensitive: vec![],
    };
    let (output, _) = release.to_table(&table, &[quasi], &[], &[]).unwrap();
    let shown: Vec<Vec<&str>> = texts(&output);
    assert!(shown.is_sorted());
}

#[test]
fn without_quasi_identifiers_and_without_rows() {
    let table = Table { columns: vec![column("a", &["x", "y", "x"], &[])], rows: 3 };
    let release = Release { class_of_row: vec![0, SUPPRESSED, 0], quasi: vec![], sensitive: vec![] };
    let (output, rows) = release.to_table(&table, &[], &[], &[]).unwrap();
    check_columns(&output);
    assert_eq!((texts(&output), rows.len()), (vec![vec!["x"], vec!["x"]], 2));
    let nothing = Release { class_of_row: vec![SUPPRESSED; 3], ..release };
    let (output, _) = nothing.to_table(&table, &[], &[], &[]).unwrap();
    assert_eq!((output.rows, output.columns[0].dictionary.len()), (0, 0));
}
