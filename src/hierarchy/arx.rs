//! Hierarchies as files in the format of ARX: no header, one line for each value, `value;group;…;*`.
//!
//! Import reads `;`, `,`, tab or `|`, quoted or not, in any encoding that tables may have, and says at once what does
//! not fit: values of the data that are missing from the file, values in the file that the data lacks, repeated lines and
//! likely slips. What contradicts itself is a [`Failure`] that names lines, never values. Empty cells are no groups, so
//! that a spreadsheet's ragged lines can be read; a line without the root gets it.
//! Export writes the same number of cells on each line, as ARX wants it: a value less deep than others repeats itself.
//! Guarantee: importing an export gives the same leaves on the same levels. Complexity: O(bytes).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::slips::{Slip, Slips, almost_equal};
use super::tree::{Hierarchy, NodeId, ROOT, TreeError};
use crate::failure::Failure;
use crate::io::Encoding;
use crate::io::encoding::Transcoder;
use crate::io::records::RecordReader;
use crate::io::sniff;
use crate::table::Column;

/// Delimiters that are tried; the format's own wins among equals.
const DELIMITERS: [u8; 4] = [b';', b',', b'\t', b'|'];

/// A tree from a file, and what a person should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub tree: Hierarchy,
    pub report: ImportReport,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// Lines that are not blank.
    pub lines: usize,
    /// Lines that say what another has said, or only that `*` is `*`; they change nothing.
    pub repeated_lines: Vec<usize>,
    /// Codes of the column's values that are missing from the tree (`add_leaves` repairs it).
    pub lacking: Vec<u32>,
    /// How many rows have them.
    pub lacking_rows: u64,
    /// Leaves that the data lacks (`remove_leaves` repairs it, or they stay: they do no harm).
    pub unused: usize,
    /// At most a hundred, the most certain first; for two groups `merge_groups` is the repair.
    pub slips: Vec<Slip>,
    /// How many more there were.
    pub slips_left_out: usize,
    /// Not all lines ended in one root, so `*` was put above.
    pub root_added: bool,
}

/// Lines of a file with their numbers.
#[derive(Default)]
struct Lines {
    rows: Vec<Vec<String>>,
    numbers: Vec<usize>,
}

/// The tree of a file, compared with the column it is for.
pub fn import(bytes: &[u8], column: Option<&Column>) -> Result<Imported, Failure> {
    let lines = read(bytes)?;
    let mut report = ImportReport { lines: lines.rows.len(), ..ImportReport::default() };
    let mut lines = without_repeated(lines, &mut report.repeated_lines)?;
    report.root_added = settle_root(&mut lines.rows);
    let tree = Hierarchy::from_rows(&lines.rows).map_err(|error| contradiction(&error, &lines))?;
    let tree = without_padding(tree);

    let first_lines = first_lines(&tree, &lines);
    let mut slips = Slips::default();
    if let Some(column) = column {
        let binding = tree.bind(&column.dictionary);
        let rows = |&code: &u32| column.counts.get(code as usize).copied().map_or(0, u64::from);
        report.lacking_rows = binding.lacking.iter().map(rows).sum();
        report.unused = binding.unused.len();
        slips.of_values(&tree, &first_lines, &column.dictionary, &binding.lacking);
        report.lacking = binding.lacking;
    }
    slips.of_groups(&tree, &first_lines);
    slips.of_intervals(&tree, &first_lines);
    report.slips = slips.found;
    report.slips_left_out = slips.left_out;
    Ok(Imported { tree, report })
}

fn read(bytes: &[u8]) -> Result<Lines, Failure> {
    const NEXT: &str = "Choose a file with one line for each value: value;group;…;*";
    let mark = Encoding::of_mark(bytes);
    // A value may begin like the signature of a binary file, so that only what can't be text is asked.
    if mark.is_none()
        && (bytes.contains(&0) || std::str::from_utf8(bytes).is_err())
        && let Some((what, next)) = sniff::not_text(bytes)
    {
        return Err(Failure::data(format!("The file is {what}."), next));
    }
    let (encoding, skipped) = mark.unwrap_or_else(|| (Encoding::guess(bytes), 0));
    let mut text = bytes.get(skipped..).unwrap_or_default().to_vec();
    Transcoder::new(encoding).decode(&mut text, 0, true);
    let reader = RecordReader::of(&text, delimiter(&text), true);
    reader.check(true).map_err(|error| error.into_failure("import"))?;
    let mut lines = Lines::default();
    for record in reader.records() {
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).enumerate();
        lines.rows.push(cells.filter(|(place, cell)| *place == 0 || !cell.is_empty()).map(|(_, cell)| cell).collect());
        lines.numbers.push(record.line() as usize);
    }
    if lines.rows.is_empty() {
        return Err(Failure::data("The file is empty.", NEXT));
    }
    Ok(lines)
}

/// The delimiter by which all lines have a group and end in one root; if none, the one by which most lines have the
/// same number of cells.
fn delimiter(text: &[u8]) -> u8 {
    let mut best = (false, 0.0, b';');
    for delimiter in DELIMITERS {
        let records = sniff::first_records(text, delimiter, true);
        let Some(first) = records.first() else { continue };
        let one_root = records.iter().all(|record| record.len() > 1 && record.last() == first.last());
        let mut widths: HashMap<usize, usize> = HashMap::new();
        for record in records.iter().filter(|record| record.len() > 1) {
            *widths.entry(record.len()).or_default() += 1;
        }
        let agreement = widths.values().copied().max().unwrap_or(0) as f64 / records.len() as f64;
        if (one_root, agreement) > (best.0, best.1) {
            best = (one_root, agreement, delimiter);
        }
    }
    best.2
}

/// Leaves out lines that add nothing; refuses two different lines for one value.
fn without_repeated(lines: Lines, repeated: &mut Vec<usize>) -> Result<Lines, Failure> {
    let mut kept = Lines::default();
    let mut place_of: HashMap<String, usize> = HashMap::new();
    let several = lines.rows.len() > 1;
    for (row, number) in lines.rows.into_iter().zip(lines.numbers) {
        let Some(value) = row.first() else { continue };
        if several && row.iter().all(|label| label == "*") {
            repeated.push(number);
            continue;
        }
        match place_of.get(value) {
            Some(&place) if kept.rows[place] == row => repeated.push(number),
            Some(&place) => {
                let what =
                    format!("The lines {} and {number} put one value under different groups.", kept.numbers[place]);
                let next = "Keep the right one of the two lines and import the file again.";
                return Err(Failure::data(what, next).at_line(number as u64));
            }
            None => {
                place_of.insert(value.clone(), kept.rows.len());
                kept.rows.push(row);
                kept.numbers.push(number);
            }
        }
    }
    if kept.rows.is_empty() {
        return Err(Failure::data(
            "The file names no value, only the root.",
            "Add a line for each value, value;group;…;*, and import the file again.",
        ));
    }
    Ok(kept)
}

/// Where some lines end in `*` and others do not, all shall. Gives whether a root had to be added.
fn settle_root(rows: &mut [Vec<String>]) -> bool {
    let root = rows.first().and_then(|row| row.last().cloned());
    if rows.iter().all(|row| row.len() > 1 && row.last() == root.as_ref()) {
        return false;
    }
    let has_star = |row: &[String]| row.len() > 1 && row.last().is_some_and(|label| label.trim() == "*");
    if rows.iter().any(|row| has_star(row)) {
        for row in rows {
            if has_star(row) {
                row.pop();
            }
            row.push("*".to_owned());
        }
    }
    true
}

/// What is wrong, in lines of the file.
fn contradiction(error: &TreeError, lines: &Lines) -> Failure {
    let number = |line: usize| lines.numbers.get(line.wrapping_sub(1)).copied().unwrap_or(line);
    match *error {
        TreeError::LeafTwice { first, second } => Failure::data(
            format!("The lines {} and {} put one value under different groups.", number(first), number(second)),
            "Keep the right one of the two lines and import the file again.",
        )
        .at_line(number(second) as u64),
        TreeError::LabelTwice { first, second } => {
            let next = if parents_almost_equal(lines, first, second) {
                "The groups above it look like two spellings of one: write them the same way and import the file again."
            } else {
                "Put the same groups above it on both lines, or give one of the two another name, and import the file \
                 again."
            };
            let what =
                format!("The lines {} and {} use one label in two places of the tree.", number(first), number(second));
            Failure::data(what, next).at_line(number(second) as u64)
        }
        TreeError::TooDeep { line } => Failure::data(
            "This line has more levels than can be read.",
            "Check that the file has one line for each value: value;group;…;*",
        )
        .at_line(number(line) as u64),
        TreeError::EmptyLine { line } => {
            Failure::data("This line is empty.", "Remove it and import the file again.").at_line(number(line) as u64)
        }
        TreeError::Empty => {
            Failure::data("The file is empty.", "Choose a file with one line for each value: value;group;…;*")
        }
    }
}

/// Whether the label that two lines share stands under two spellings of one group.
fn parents_almost_equal(lines: &Lines, first: usize, second: usize) -> bool {
    let row = |line: usize| lines.rows.get(line.wrapping_sub(1)).map(Vec::as_slice).unwrap_or_default();
    let (first, second) = (row(first), row(second));
    let above: HashMap<&str, &str> = first.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    second
        .windows(2)
        .any(|pair| above.get(pair[0].as_str()).is_some_and(|&label| label != pair[1] && almost_equal(label, &pair[1])))
}

/// The tree without groups that only repeat their one value: the format has them because its lines must be of one
/// length. Levels stay as they are.
fn without_padding(tree: Hierarchy) -> Hierarchy {
    let repeats =
        |leaf: NodeId, node: NodeId| node != ROOT && tree.leaf_count(node) == 1 && tree.label(node) == tree.label(leaf);
    let top = |&leaf: &NodeId| tree.path(leaf).take_while(|&node| repeats(leaf, node)).last();
    let padded: Vec<NodeId> = tree.leaves().iter().filter_map(top).filter(|&top| !tree.is_leaf(top)).collect();
    if padded.is_empty() {
        return tree;
    }
    let mut sketch = tree.sketch();
    for top in padded {
        sketch.children[top as usize].clear();
    }
    let shorter = sketch.finish(ROOT as usize);
    if shorter.levels() == tree.levels() { shorter } else { tree }
}

/// For each node the first line that names it.
fn first_lines(tree: &Hierarchy, lines: &Lines) -> Vec<usize> {
    let line_of: HashMap<&str, usize> = lines
        .rows
        .iter()
        .filter_map(|row| row.first())
        .map(String::as_str)
        .zip(lines.numbers.iter().copied())
        .collect();
    let mut first = vec![usize::MAX; tree.len()];
    for node in (0..tree.len() as NodeId).rev() {
        let place = node as usize;
        if tree.is_leaf(node) {
            first[place] = line_of.get(tree.label(node)).copied().unwrap_or(1);
        }
        if let Some(parent) = tree.parent(node) {
            first[parent as usize] = first[parent as usize].min(first[place]);
        }
    }
    first
}

/// The file of a tree.
pub fn export(tree: &Hierarchy) -> String {
    let cells = tree.levels();
    let mut text = String::new();
    for &leaf in tree.leaves() {
        for _ in tree.depth(leaf) + 1..cells {
            push_cell(&mut text, tree.label(leaf));
            text.push(';');
        }
        for node in tree.path(leaf) {
            push_cell(&mut text, tree.label(node));
            text.push(if node == ROOT { '\n' } else { ';' });
        }
    }
    // With zeros in it, text can be taken for UTF-16; a mark says that it is not.
    if text.contains('\0') {
        text.insert(0, '\u{FEFF}');
    }
    text
}

fn push_cell(text: &mut String, cell: &str) {
    // A mark at the start of the file would be taken for the encoding's.
    let special = |letter: char| matches!(letter, ';' | ',' | '\t' | '|' | '"' | '\n' | '\r' | '\u{FEFF}');
    if cell.contains(special) {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

// proptest is a native dependency.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
