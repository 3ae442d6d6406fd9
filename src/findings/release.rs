//! Rows of a release that a kept column singles out within their class, and values that only one of its rows shows.
//!
//! Rows are walked class by class, so that a value's rows are counted in an array that is marked with the class instead
//! of being cleared: O(rows) for each column, without hashing. All columns together are grouped as classes are. Values are
//! judged once each.

use std::collections::BTreeSet;

use super::{Finding, Subject, is_most_of, judged};
use crate::classes::{Classes, Keys};
use crate::grouped::Grouped;
use crate::policy::FindingKind;
use crate::policy::Setup;
use crate::table::{Role, Table};
use crate::words::counted;

/// What is found in a release, or in a table taken for one. `setup` is of its columns, `grouped` are its rows; columns in
/// `alone` are told of by [`super::of_table`] already, and single out rows as a matter of course.
pub fn of_release(table: &Table, setup: &Setup, grouped: &Grouped, alone: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = unchanged(table, setup, alone);
    let classes = &grouped.classes;
    let told = |place: usize| alone.contains(&table.columns[place].name);
    let kept: Vec<usize> = (0..table.columns.len())
        .filter(|&place| setup.columns[place].role == Role::Insensitive && table.columns[place].distinct() > 1)
        .filter(|&place| !told(place))
        .collect();
    if kept.is_empty() {
        return judged(findings, &setup.decisions);
    }
    let order = class_by_class(classes);
    let mut most = 0;
    for &place in &kept {
        let column = &table.columns[place];
        let rows = singled_out(classes, &order, &column.class_codes(), column.dictionary.len());
        most = rows.max(most);
        if rows > 0 {
            let name = &column.name;
            let verb = if rows == 1 { "is the only one" } else { "are the only ones" };
            let sentence = format!(
                "{} {verb} of their class with their value in the kept column “{name}”, so that who knows it finds them.",
                counted(rows, "row")
            );
            findings.push(Finding::of_column(FindingKind::SinglesOut, name, rows, sentence));
        }
    }
    if kept.len() > 1 {
        let codes: Vec<_> = kept.iter().map(|&place| table.columns[place].class_codes()).collect();
        let of_class = Keys { codes: &classes.of_row, size: classes.sizes.len() as u32 };
        let of_columns = codes
            .iter()
            .zip(&kept)
            .map(|(codes, &place)| Keys { codes, size: table.columns[place].dictionary.len() as u32 });
        let keys: Vec<Keys<'_>> = std::iter::once(of_class).chain(of_columns).collect();
        let together = Classes::group(table.rows, &keys);
        let alone = |row: &usize| {
            together.sizes[together.of_row[*row] as usize] == 1 && classes.sizes[classes.of_row[*row] as usize] > 1
        };
        let rows = (0..table.rows).filter(alone).count() as u64;
        if rows > most {
            let verb = if rows == 1 { "is the only one" } else { "are the only ones" };
            let columns = counted(kept.len() as u64, "kept column");
            let sentence = format!(
                "{} {verb} of their class with their values in the {columns} together, so that who knows them finds them.",
                counted(rows, "row")
            );
            let subject = Subject::Column(FindingKind::SinglesOut);
            findings.push(Finding { subject, column: None, count: rows, first_line: None, sentence, accepted: None });
        }
    }
    judged(findings, &setup.decisions)
}

/// Quasi-identifiers with values that are not generalized and that one row only shows.
fn unchanged(table: &Table, setup: &Setup, alone: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let columns = setup.columns.iter().zip(&table.columns);
    let quasi = columns.filter(|(column, data)| column.role == Role::Quasi && !alone.contains(&data.name));
    for (column, data) in quasi {
        let tree = column.template.as_ref().map(|template| &template.tree);
        let nodes = tree.map(|tree| tree.nodes_of_labels()).unwrap_or_default();
        let is_group = |text: &str| tree.zip(nodes.get(text)).is_some_and(|(tree, &node)| !tree.is_leaf(node));
        let mut missing = vec![false; data.dictionary.len()];
        data.missing.iter().for_each(|&code| missing[code as usize] = true);
        let own = (data.dictionary.iter().zip(&data.counts).zip(&missing))
            .filter(|&((text, &count), &missing)| count == 1 && !missing && !is_group(text))
            .count() as u64;
        if is_most_of(own, table.rows) || (own > 0 && column.guess.role == Role::Identifier) {
            let (name, verb) = (&data.name, if own == 1 { "shows" } else { "show" });
            let rows = counted(own, "row");
            let sentence = format!(
                "{rows} {verb} an unchanged value of the quasi-identifier “{name}” that no other row shows, so that who \
                 knows it finds them."
            );
            findings.push(Finding::of_column(FindingKind::ShownUnchanged, name, own, sentence));
        }
    }
    findings
}

/// The rows in the order of their classes.
fn class_by_class(classes: &Classes) -> Vec<u32> {
    let mut next: Vec<u32> = classes
        .sizes
        .iter()
        .scan(0, |start, &size| {
            *start += size;
            Some(*start - size)
        })
        .collect();
    let mut order = vec![0; classes.of_row.len()];
    for (row, &class) in (0..).zip(&classes.of_row) {
        let place = &mut next[class as usize];
        order[*place as usize] = row;
        *place += 1;
    }
    order
}

/// Rows that are the only ones of their class with their code, in classes of more than one row.
fn singled_out(classes: &Classes, order: &[u32], codes: &[u32], values: usize) -> u64 {
    // The class (counted from 1) that last had a value, and whether once.
    let mut last = vec![(0u32, false); values];
    let mut alone = 0u64;
    for &row in order {
        let class = classes.of_row[row as usize];
        if classes.sizes[class as usize] < 2 {
            continue;
        }
        let (seen, once) = &mut last[codes[row as usize] as usize];
        if *seen != class + 1 {
            (*seen, *once) = (class + 1, true);
            alone += 1;
        } else if *once {
            *once = false;
            alone -= 1;
        }
    }
    alone
}
