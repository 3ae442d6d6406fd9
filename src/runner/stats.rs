//! `throng stats`.

use std::fmt::Write;
use std::path::Path;

use super::open_quietly;
use crate::failure::Failure;
use crate::io::csv::ReadOptions;
use crate::protocol::Summary;
use crate::words::{counted, grouped};

pub fn run(data: &Path, json: bool) -> Result<String, Failure> {
    let (_, mut opened, _) = open_quietly(data, Vec::new(), ReadOptions::default())?;
    if !json {
        return Ok(table(&opened));
    }
    // The page knows a file's name, not its path.
    opened.name = data.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(opened.to_json())
}

fn table(opened: &Summary) -> String {
    let mut text = String::new();
    let columns = opened.columns.len() as u64;
    let _ = writeln!(text, "{}: {}, {}", opened.name, counted(opened.rows, "row"), counted(columns, "column"));
    for repair in &opened.repairs {
        let _ = writeln!(text, "note: {}", repair.sentence());
    }
    let width = opened.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).max(6);
    let _ = writeln!(text, "\n{:width$}  {:>12}  {:>12}  {:>12}", "column", "distinct", "missing", "entropy bits");
    for column in &opened.columns {
        let (distinct, missing) = (grouped(column.distinct), grouped(column.missing));
        let _ = writeln!(text, "{:width$}  {distinct:>12}  {missing:>12}  {:>12.4}", column.name, column.entropy_bits);
    }
    text
}
