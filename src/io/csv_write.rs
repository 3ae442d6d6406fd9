//! CSV out: what [`super::csv::read`] reads back as the same table, given the same delimiter and a header; of what was
//! protected from being taken for formulas, if it is told that this is a release.
//!
//! UTF-8 without a byte-order mark, lines end in `\n`, quotes only where they are needed. Complexity: O(bytes).

use std::borrow::Cow;

use ::csv::{QuoteStyle, Writer, WriterBuilder};
use serde::{Deserialize, Serialize};

use super::protection;
use crate::table::Table;

/// What somebody chose of how a release is written: all that changes its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// No cell is a formula to a spreadsheet.
    pub protected: bool,
    /// With the input's row numbers as a first column: for audits, never for publishing.
    pub row_numbers: bool,
}

impl Default for Written {
    fn default() -> Self {
        Written { protected: true, row_numbers: false }
    }
}

/// The header line and all rows of `table`. A table without columns has no line.
pub fn write(table: &Table, delimiter: u8) -> Vec<u8> {
    write_as(table, delimiter, Cow::Borrowed)
}

/// Like [`write`], but what a spreadsheet would take for a formula is made text, names of columns, too.
pub fn write_protected(table: &Table, delimiter: u8) -> Vec<u8> {
    write_as(table, delimiter, protection::protected)
}

fn write_as<'a>(table: &'a Table, delimiter: u8, shown: impl Fn(&'a str) -> Cow<'a, str>) -> Vec<u8> {
    if table.columns.is_empty() {
        return Vec::new();
    }
    let writer = |quotes: QuoteStyle, text: Vec<u8>| {
        WriterBuilder::new().delimiter(delimiter).quote_style(quotes).from_writer(text)
    };
    // U+FEFF at the very beginning would be read as a byte-order mark; behind a quote it is text.
    let marked = table.columns[0].name.starts_with('\u{FEFF}');
    let mut header = writer(if marked { QuoteStyle::Always } else { QuoteStyle::Necessary }, Vec::new());
    record(&mut header, table.columns.iter().map(|column| shown(&column.name)));
    let mut rows = writer(QuoteStyle::Necessary, finished(header));
    for row in 0..table.rows {
        record(&mut rows, table.columns.iter().map(|column| shown(column.text(row))));
    }
    finished(rows)
}

fn record<'a>(writer: &mut Writer<Vec<u8>>, cells: impl Iterator<Item = Cow<'a, str>>) {
    // Memory takes every byte, and all records have the table's width: there is nothing that could fail.
    let written = writer.write_record(cells.map(|cell| match cell {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }));
    debug_assert!(written.is_ok());
}

fn finished(writer: Writer<Vec<u8>>) -> Vec<u8> {
    writer.into_inner().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, DictionaryBuilder};

    fn column(name: &str, cells: &[&str]) -> Column {
        let mut builder = DictionaryBuilder::default();
        let codes = cells.iter().map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
        Column::new(name.to_owned(), builder.finish(), codes, &[])
    }

    fn written(columns: Vec<Column>, delimiter: u8) -> String {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        String::from_utf8(write(&Table { columns, rows }, delimiter)).unwrap()
    }

    #[test]
    fn quotes_only_what_needs_them() {
        let columns = vec![column("a;b", &["1", "x\"y", "l\nm"]), column("c", &["", " 2 ", "\r"])];
        assert_eq!(written(columns.clone(), b';'), "\"a;b\";c\n1;\n\"x\"\"y\"; 2 \n\"l\nm\";\"\r\"\n");
        assert_eq!(written(columns, b','), "a;b,c\n1,\n\"x\"\"y\", 2 \n\"l\nm\",\"\r\"\n");
    }

    #[test]
    fn an_empty_cell_alone_is_no_blank_line() {
        assert_eq!(written(vec![column("a", &["", "1", ""])], b','), "a\n\"\"\n1\n\"\"\n");
    }

    #[test]
    fn a_name_that_begins_with_a_byte_order_mark_is_quoted() {
        assert_eq!(written(vec![column("\u{FEFF}a", &["1"]), column("b", &["2"])], b','), "\"\u{FEFF}a\",\"b\"\n1,2\n");
    }

    #[test]
    fn without_rows_or_columns() {
        assert_eq!(written(vec![column("a", &[]), column("b", &[])], b'|'), "a|b\n");
        assert_eq!(written(vec![], b','), "");
    }
}
