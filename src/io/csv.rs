//! CSV in: any bytes become a table or a located failure, and no row is dropped in silence.
//!
//! What can be repaired without losing anything is repaired, counted and shown ([`Repair`]); the rest is refused with
//! its line and cell. Streams: memory beyond the table itself is one piece of the file and the hash indexes.
//! Complexity: O(bytes).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::encoding::{Encoding, Transcoder};
use super::protection;
use super::records::{Record, RecordReader};
use super::sniff;
use super::source::Source;
use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use crate::table::{
    BATCH, Cell, Coded, Column, DecimalMark, Dictionary, DictionaryBuilder, MISSING_TOKENS, Misfits, Said, SaidKind,
    Table, TooManyValues,
};
use crate::words::{counted, grouped};

/// Bytes read at a time: well under 100 ms of work.
const PIECE: usize = 1 << 20;
/// Bytes looked at for the guesses.
const SAMPLE: usize = 1 << 18;
/// As many columns as a spreadsheet can have; more means that the delimiter is wrong.
const MOST_COLUMNS: usize = 16_384;
/// Empty cells that are added to rows shorter than others: a small file must not become a table that fills the memory.
const MOST_ADDED_CELLS: u64 = 1 << 26;

/// How a file is read: all that decides which table its bytes are. What nobody has said is guessed.
///
/// It is part of the policy (`crate::policy::reading` has its JSON): [`ReadOptions::settled`] has every guess in it and
/// gives the same table again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadOptions {
    pub delimiter: Option<u8>,
    pub encoding: Option<Encoding>,
    pub header: Option<bool>,
    /// How numbers are written; if it is not said, each column's values tell.
    pub decimal: Option<DecimalMark>,
    /// Texts that are missing values in every column; [`MISSING_TOKENS`] if none are said.
    pub missing: Option<Vec<String>>,
    /// What is said of columns, by their names.
    pub columns: BTreeMap<String, ColumnOptions>,
    /// The file may be a release of the one that this was said of: delimiter, encoding, header and kinds hold where they
    /// fit, and the protection of formulas is taken off.
    pub released: bool,
}

/// What is said of one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnOptions {
    /// More texts that are missing values, in this column only.
    pub missing: Vec<String>,
    pub kind: Option<SaidKind>,
}

impl ReadOptions {
    pub fn missing_tokens(&self) -> Vec<String> {
        self.missing.clone().unwrap_or_else(|| MISSING_TOKENS.map(str::to_owned).to_vec())
    }

    /// The options with what they leave open as `others` have it.
    pub fn or(self, others: ReadOptions) -> ReadOptions {
        let mut columns = others.columns;
        for (name, said) in self.columns {
            let other = columns.remove(&name).unwrap_or_default();
            let missing = if said.missing.is_empty() { other.missing } else { said.missing };
            columns.insert(name, ColumnOptions { missing, kind: said.kind.or(other.kind) });
        }
        ReadOptions {
            delimiter: self.delimiter.or(others.delimiter),
            encoding: self.encoding.or(others.encoding),
            header: self.header.or(others.header),
            decimal: self.decimal.or(others.decimal),
            missing: self.missing.or(others.missing),
            columns,
            released: self.released || others.released,
        }
    }

    /// The same with all that was guessed.
    pub fn settled(&self, ingested: &Ingested) -> ReadOptions {
        let Dialect { delimiter, encoding, header } = ingested.dialect;
        let column = |column: &Column| {
            let missing = self.columns.get(&column.name).map(|said| said.missing.clone()).unwrap_or_default();
            (column.name.clone(), ColumnOptions { missing, kind: Some(column.kind.kind.into()) })
        };
        ReadOptions {
            delimiter: Some(delimiter),
            encoding: Some(encoding),
            header: Some(header),
            decimal: self.decimal,
            missing: Some(self.missing_tokens()),
            columns: ingested.table.columns.iter().map(column).collect(),
            released: self.released,
        }
    }

    /// Whether a file that was read as `asked`, which came to `settled`, would be read in the same way by these options.
    pub fn agree(&self, asked: &ReadOptions, settled: &ReadOptions) -> bool {
        fn same<T: PartialEq>(new: &Option<T>, asked: &Option<T>, settled: &Option<T>) -> bool {
            if new.is_some() { new == settled } else { asked.is_none() || asked == settled }
        }
        let none = ColumnOptions::default();
        let of = |options: &ReadOptions, name: &String| options.columns.get(name).unwrap_or(&none).clone();
        same(&self.delimiter, &asked.delimiter, &settled.delimiter)
            && same(&self.encoding, &asked.encoding, &settled.encoding)
            && same(&self.header, &asked.header, &settled.header)
            && self.decimal == settled.decimal
            && self.missing_tokens() == settled.missing_tokens()
            && self.released == asked.released
            && settled.columns.iter().all(|(name, settled)| {
                let (new, asked) = (of(self, name), of(asked, name));
                new.missing == settled.missing && same(&new.kind, &asked.kind, &settled.kind)
            })
    }

    /// What is said of the cells: delimiter, encoding and header are to be guessed.
    pub fn without_structure(self) -> ReadOptions {
        ReadOptions { delimiter: None, encoding: None, header: None, ..self }
    }

    /// The same with the kinds of columns to be guessed.
    pub fn without_kinds(mut self) -> ReadOptions {
        self.columns.values_mut().for_each(|said| said.kind = None);
        self
    }
}

/// How the file was read in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    pub delimiter: u8,
    pub encoding: Encoding,
    pub header: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairKind {
    ShortRows,
    LongRows,
    TrailingDelimiters,
    BlankLines,
    StrayQuotes,
    UnreadableText,
    NulCharacters,
    EmptyNames,
    DuplicateNames,
}

impl RepairKind {
    /// Whether no release may be made of a file that was repaired so, until a person accepts it. The rule: a repair that
    /// can't have lost or moved anything is only told (blank lines). What may have put a cell into another column than the
    /// file's maker meant, added or invented a cell or a name, or could not read a text, stops: a name may so have become a
    /// quasi-identifier, or an identifier have lost the name that the policy drops it by. Extra delimiters at the end stop,
    /// too: `Smith, Ann,41,` is a row whose last cell is empty and whose others have all moved.
    pub fn stops(self) -> bool {
        match self {
            RepairKind::BlankLines => false,
            RepairKind::ShortRows
            | RepairKind::LongRows
            | RepairKind::TrailingDelimiters
            | RepairKind::StrayQuotes
            | RepairKind::UnreadableText
            | RepairKind::NulCharacters
            | RepairKind::EmptyNames
            | RepairKind::DuplicateNames => true,
        }
    }

    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            RepairKind::ShortRows => "short-rows",
            RepairKind::LongRows => "long-rows",
            RepairKind::TrailingDelimiters => "trailing-delimiters",
            RepairKind::BlankLines => "blank-lines",
            RepairKind::StrayQuotes => "stray-quotes",
            RepairKind::UnreadableText => "unreadable-text",
            RepairKind::NulCharacters => "nul-characters",
            RepairKind::EmptyNames => "empty-names",
            RepairKind::DuplicateNames => "duplicate-names",
        }
    }
}

/// Something in the file that was not as it should be, how often, and where first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    pub kind: RepairKind,
    pub count: u64,
    pub first_line: Option<u64>,
}

impl Repair {
    /// One sentence for a person.
    pub fn sentence(&self) -> String {
        let count = self.count;
        let what = match self.kind {
            RepairKind::ShortRows => format!("{} had too few cells; the rest are empty", counted(count, "row")),
            RepairKind::LongRows => {
                format!("{} had too many cells; they are kept in added columns", counted(count, "row"))
            }
            RepairKind::TrailingDelimiters => format!("{} ended in extra delimiters, left out", counted(count, "row")),
            RepairKind::BlankLines => format!("{} skipped", counted(count, "blank line")),
            RepairKind::StrayQuotes => {
                format!("{} had text behind a closing quote, or a whole line within quotes", counted(count, "row"))
            }
            RepairKind::UnreadableText => {
                format!("{} could not be read in this encoding and show �", counted(count, "cell"))
            }
            RepairKind::NulCharacters => format!("{} NUL characters, kept as they are", counted_verb(count)),
            RepairKind::EmptyNames => format!("{} had no name and got its number", counted(count, "column")),
            RepairKind::DuplicateNames => {
                format!("{} had a name already taken and got a number", counted(count, "column"))
            }
        };
        match self.first_line {
            Some(line) => format!("{what} (first at line {}).", grouped(line)),
            None => format!("{what}."),
        }
    }
}

fn counted_verb(count: u64) -> String {
    format!("{} {}", counted(count, "cell"), if count == 1 { "contains" } else { "contain" })
}

/// A table and how it was got.
#[derive(Debug, PartialEq)]
pub struct Ingested {
    pub table: Table,
    pub dialect: Dialect,
    pub repairs: Vec<Repair>,
}

/// Reads all of `source`.
pub async fn read(
    source: &mut dyn Source,
    options: &ReadOptions,
    progress: &Progress<'_>,
) -> Result<Ingested, Failure> {
    let name = source.name().to_owned();
    let fitting = match options.released {
        // A release by Throng has commas and a header whatever its original had.
        true => {
            let known = |names: &[String]| names.iter().any(|name| options.columns.contains_key(name));
            let named = ReadOptions { header: Some(true), ..options.clone().without_structure() };
            &ReadOptions { released: true, ..fitting(source, options, &known)?.unwrap_or(named) }
        }
        false => options,
    };
    let dialect = dialect(source, fitting)?;
    let mut reader = RecordReader::new(dialect.delimiter);
    let mut transcoder = Transcoder::new(dialect.encoding);
    let mut ingest = Ingest::new(dialect.header);
    let size = source.size();
    let mut offset = 0;
    loop {
        let text = reader.buffer();
        let before = text.len();
        let count = source.read_full(offset, PIECE, text).map_err(|error| error.into_failure(&name))?;
        if count == 0 && offset < size {
            return Err(super::ReadError::Vanished.into_failure(&name));
        }
        if offset == 0 {
            text.drain(..dialect.encoding.mark_length(text));
        }
        offset += count as u64;
        let last = count == 0;
        transcoder.decode(text, before, last);
        reader.split(last);
        ingest.records(&reader).map_err(|failure| failure.in_file(&name))?;
        reader.check(last).map_err(|error| error.into_failure("load").in_file(&name))?;
        if last {
            break;
        }
        ingest.expect_rows(offset, size);
        let report = || Report {
            phase: format!("Reading {name}"),
            fraction: Some(offset as f64 / size.max(1) as f64),
            detail: counted(ingest.rows as u64, "row"),
        };
        progress.checkpoint(report).await?;
    }
    ingest.finish(&reader, &transcoder, options, dialect).map_err(|failure| failure.in_file(&name))
}

/// The options as far as the beginning of the file fits them: its encoding can be theirs, and its names, read by their
/// delimiter and header, are such as are `known`. None if its names are not.
pub fn fitting(
    source: &mut dyn Source,
    options: &ReadOptions,
    known: &dyn Fn(&[String]) -> bool,
) -> Result<Option<ReadOptions>, Failure> {
    let mut start = Vec::new();
    source.read_full(0, SAMPLE, &mut start).map_err(|error| error.into_failure(source.name()))?;
    let encoding = options.encoding.filter(|encoding| encoding.fits(&start));
    let options = ReadOptions { encoding, ..options.clone() };
    let Dialect { delimiter, encoding, header } = dialect(source, &options)?;
    let mut text = start[encoding.mark_length(&start)..].to_vec();
    let whole_file = start.len() as u64 >= source.size();
    Transcoder::new(encoding).decode(&mut text, 0, whole_file);
    let first = sniff::first_records(&text, delimiter, whole_file).into_iter().next().unwrap_or_default();
    let width = first.len();
    let given = if header { first } else { vec![String::new(); width] };
    Ok(known(&unique_names(given, width).0).then_some(options))
}

/// What the person said, completed by guesses from the file's beginning.
fn dialect(source: &mut dyn Source, options: &ReadOptions) -> Result<Dialect, Failure> {
    let name = source.name().to_owned();
    let mut start = Vec::new();
    source.read_full(0, SAMPLE, &mut start).map_err(|error| error.into_failure(&name))?;
    if start.is_empty() && source.size() == 0 {
        return Err(
            Failure::data("The file is empty.", "Choose a CSV file with a header line and rows.").in_file(&name)
        );
    }
    if let Some((what, next)) = sniff::not_text(&start)
        && options.encoding.is_none()
    {
        return Err(Failure::data(format!("The file is {what}."), next).in_file(&name));
    }
    let encoding = options.encoding.unwrap_or_else(|| Encoding::guess(&start));
    let text = &start[encoding.mark_length(&start)..];
    let sample = sniff::Sample::new(text, encoding, start.len() as u64 >= source.size());
    let delimiter = options.delimiter.unwrap_or_else(|| sample.delimiter());
    let header = options.header.unwrap_or_else(|| sample.header(delimiter));
    Ok(Dialect { delimiter, encoding, header })
}

#[derive(Default)]
struct ColumnBuilder {
    dictionary: DictionaryBuilder,
    codes: Vec<u32>,
}

impl ColumnBuilder {
    fn add_empty(&mut self, rows: usize) -> Result<(), TooManyValues> {
        let Coded { code, .. } = self.dictionary.code(b"")?;
        self.codes.resize(self.codes.len() + rows, code);
        Ok(())
    }
}

fn too_many(_: TooManyValues, line: u64, index: usize) -> Failure {
    Failure::data("This column holds more than 4 GB of different texts.", "Leave the column out of the file.")
        .at_line(line)
        .at_cell(index as u64 + 1)
}

/// How often something was seen, and on which line first.
#[derive(Default)]
struct Seen {
    count: u64,
    first_line: u64,
}

impl Seen {
    fn at(&mut self, line: u64) {
        self.count += 1;
        if self.count == 1 {
            self.first_line = line;
        }
    }

    fn repair(&self, kind: RepairKind) -> Option<Repair> {
        let first_line = (self.first_line > 0).then_some(self.first_line);
        (self.count > 0).then_some(Repair { kind, count: self.count, first_line })
    }
}

/// The table while it is read.
struct Ingest {
    header: bool,
    names: Option<Vec<String>>,
    /// Cells of the first record; columns beyond were added for long rows.
    width: usize,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    /// Cells that no row had: of short rows, and of all rows before a long one.
    added_cells: u64,
    short: Seen,
    long: Seen,
    trailing: Seen,
    unreadable: Seen,
}

impl Ingest {
    fn new(header: bool) -> Self {
        Ingest {
            header,
            names: None,
            width: 0,
            columns: Vec::new(),
            rows: 0,
            added_cells: 0,
            short: Seen::default(),
            long: Seen::default(),
            trailing: Seen::default(),
            unreadable: Seen::default(),
        }
    }

    /// Takes in the records that the reader found last.
    fn records(&mut self, reader: &RecordReader) -> Result<(), Failure> {
        // Rows of as many cells, one after another, are put into their columns together.
        let (mut from, mut cells) = (0, 0);
        for place in 0..reader.len() {
            let record = reader.record(place);
            if self.names.is_none() {
                self.first_record(&record)?;
                if self.header {
                    from = place + 1;
                    continue;
                }
            }
            if record.cells() != cells || place - from == BATCH || self.adds_columns(&record) {
                self.put(reader, from..place, cells)?;
                (from, cells) = (place, record.cells());
            }
            self.count_row(&record)?;
        }
        self.put(reader, from..reader.len(), cells)
    }

    fn first_record(&mut self, record: &Record) -> Result<(), Failure> {
        check_width(record)?;
        self.width = record.cells();
        self.columns.resize_with(self.width, ColumnBuilder::default);
        if !self.header {
            self.names = Some(vec![String::new(); self.width]);
            return Ok(());
        }
        for _ in record.iter().filter(|cell| std::str::from_utf8(cell).is_err()) {
            self.unreadable.at(record.line());
        }
        self.names = Some(record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect());
        Ok(())
    }

    /// Whether this is a long row, longer than any before it. The rows before it must be in place when it comes.
    fn adds_columns(&self, record: &Record) -> bool {
        record.cells() > self.columns.len() && !record.iter().skip(self.width).all(<[u8]>::is_empty)
    }

    fn count_row(&mut self, record: &Record) -> Result<(), Failure> {
        if record.cells() != self.width {
            self.ragged_row(record)?;
        }
        self.added_cells += self.columns.len().saturating_sub(record.cells()) as u64;
        self.check_added_cells(record)?;
        if self.rows == u32::MAX as usize {
            return Err(Failure::data("The file has more than 4,294,967,295 rows.", "Split it.").at_line(record.line()));
        }
        self.rows += 1;
        Ok(())
    }

    /// Puts some rows of this many cells each into the columns, column by column.
    fn put(&mut self, reader: &RecordReader, rows: Range<usize>, cells: usize) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        let line = |row: usize| reader.record(rows.start + row).line();
        let mut unreadable: Vec<u64> = Vec::new();
        let mut places = [Cell::default(); BATCH];
        let places = &mut places[..rows.len()];
        for (index, column) in self.columns.iter_mut().enumerate() {
            let done = if index < cells {
                for (place, cell) in places.iter_mut().zip(reader.column(rows.clone(), index)) {
                    *place = cell;
                }
                let repaired = |row| unreadable.push(line(row));
                column.dictionary.code_all(reader.text(), places, &mut column.codes, repaired)
            } else {
                column.add_empty(rows.len())
            };
            done.map_err(|error| too_many(error, line(0), index))?;
        }
        unreadable.order();
        for line in unreadable {
            self.unreadable.at(line);
        }
        Ok(())
    }

    fn ragged_row(&mut self, record: &Record) -> Result<(), Failure> {
        let cells = record.cells();
        if cells < self.width {
            self.short.at(record.line());
            return Ok(());
        }
        if record.iter().skip(self.width).all(<[u8]>::is_empty) {
            self.trailing.at(record.line());
            return Ok(());
        }
        check_width(record)?;
        self.long.at(record.line());
        self.added_cells += cells.saturating_sub(self.columns.len()) as u64 * self.rows as u64;
        self.check_added_cells(record)?;
        while self.columns.len() < cells {
            let mut added = ColumnBuilder::default();
            if self.rows > 0 {
                // An empty dictionary has room for the empty text.
                let empty = added.dictionary.code(b"").map_or(0, |coded| coded.code);
                added.codes = vec![empty; self.rows];
            }
            self.columns.push(added);
        }
        Ok(())
    }

    fn check_added_cells(&self, record: &Record) -> Result<(), Failure> {
        if self.added_cells <= MOST_ADDED_CELLS {
            return Ok(());
        }
        let what = format!(
            "The rows up to here differ so much in length that more than {} would have to be added.",
            counted(MOST_ADDED_CELLS, "empty cell")
        );
        Err(Failure::data(what, "Check the delimiter and the first line, and look for a row that is far too long.")
            .at_line(record.line()))
    }

    /// Makes room for all rows at once, judging from those read so far: growing by doubling would hold two copies.
    fn expect_rows(&mut self, read: u64, size: u64) {
        let expected = (self.rows as f64 * size as f64 / read as f64 * 1.02) as usize + 16;
        // A cell takes a byte at least, unless it is added.
        let most = (size + MOST_ADDED_CELLS) / self.columns.len().max(1) as u64 + 16;
        let expected = expected.min(most as usize);
        for column in &mut self.columns {
            if column.codes.capacity() < expected {
                column.codes.reserve_exact(expected - column.codes.len());
                // A column that numbers its rows.
                if column.dictionary.len() as f64 > 0.99 * self.rows as f64 {
                    column.dictionary.expect_new(expected);
                }
            }
        }
    }

    fn finish(
        self,
        reader: &RecordReader,
        transcoder: &Transcoder,
        options: &ReadOptions,
        dialect: Dialect,
    ) -> Result<Ingested, Failure> {
        let Some(names) = self.names else {
            return Err(Failure::data(
                "The file has no columns: only blank lines.",
                "Choose a CSV file with a header line and rows.",
            ));
        };
        let (names, unnamed, renamed) = unique_names(names, self.columns.len());
        let finish = |column: ColumnBuilder| {
            let ColumnBuilder { mut dictionary, mut codes } = column;
            dictionary.settle(&mut codes);
            codes.shrink_to_fit();
            (dictionary.finish(), codes)
        };
        let mut read: Vec<(String, Dictionary, Vec<u32>)> = Vec::with_capacity(names.len());
        for (name, column) in names.into_iter().zip(self.columns) {
            let (dictionary, codes) = finish(column);
            read.push((name, dictionary, codes));
        }
        if options.released {
            protection::take_off(&mut read);
        }
        let everywhere = options.missing_tokens();
        let mut columns = Vec::with_capacity(read.len());
        for (name, dictionary, codes) in read {
            let said = options.columns.get(&name);
            let more = said.map(|said| said.missing.as_slice()).unwrap_or_default();
            let kind = said.and_then(|said| said.kind);
            let tokens = [everywhere.as_slice(), more].concat();
            let said = Said { kind, decimal: options.decimal };
            let (column, misfits) = Column::read(name, dictionary, codes, &tokens, said);
            if let (Some(misfits), Some(kind), false) = (misfits, kind, options.released) {
                return Err(not_of_kind(&column.name, kind, misfits));
            }
            columns.push(column);
        }
        let unreadable = Seen { count: self.unreadable.count + transcoder.replaced, ..self.unreadable };
        let blank = Seen { count: reader.blank_lines, first_line: reader.first_blank_line };
        let misquoted = Seen { count: reader.misquoted, first_line: reader.first_misquoted };
        let plain = |count| Seen { count, first_line: 0 };
        let repairs = [
            self.short.repair(RepairKind::ShortRows),
            self.long.repair(RepairKind::LongRows),
            self.trailing.repair(RepairKind::TrailingDelimiters),
            blank.repair(RepairKind::BlankLines),
            misquoted.repair(RepairKind::StrayQuotes),
            unreadable.repair(RepairKind::UnreadableText),
            plain(nul_cells(&columns)).repair(RepairKind::NulCharacters),
            plain(if dialect.header { unnamed } else { 0 }).repair(RepairKind::EmptyNames),
            plain(renamed).repair(RepairKind::DuplicateNames),
        ];
        Ok(Ingested {
            table: Table { columns, rows: self.rows },
            dialect,
            repairs: repairs.into_iter().flatten().collect(),
        })
    }
}

fn not_of_kind(column: &str, kind: SaidKind, misfits: Misfits) -> Failure {
    let kind = match kind {
        SaidKind::Integer => "whole numbers",
        SaidKind::Decimal => "numbers",
        SaidKind::Date(_) => "dates in that order",
        SaidKind::Text => "text",
    };
    let (values, rows) = (counted(misfits.values, "value"), counted(misfits.rows, "row"));
    let what = format!("Column “{column}” is said to be of {kind}, but {values} of it ({rows}) can't be read so.");
    Failure::policy(
        what,
        "Name the texts that stand for a missing cell in its “missing_tokens”, or correct its “kind”.",
    )
}

fn check_width(record: &Record) -> Result<(), Failure> {
    if record.cells() <= MOST_COLUMNS {
        return Ok(());
    }
    let what = format!(
        "This row has {}; at most {} can be read.",
        counted(record.cells() as u64, "cell"),
        grouped(MOST_COLUMNS as u64)
    );
    Err(Failure::data(what, "Check the delimiter, or leave columns out of the file.")
        .at_line(record.line())
        .at_cell(MOST_COLUMNS as u64 + 1))
}

fn nul_cells(columns: &[Column]) -> u64 {
    let in_column = |column: &Column| -> u64 {
        let with_nul = column.dictionary.iter().zip(&column.counts).filter(|(text, _)| text.contains('\0'));
        with_nul.map(|(_, &count)| u64::from(count)).sum()
    };
    columns.iter().filter(|column| column.dictionary.contains('\0')).map(in_column).sum()
}

/// Names for all columns, none empty, none twice, and how many were empty and how many were taken already.
fn unique_names(given: Vec<String>, columns: usize) -> (Vec<String>, u64, u64) {
    let named = given.len();
    let mut taken: HashSet<String> = given.iter().filter(|name| !name.is_empty()).cloned().collect();
    let mut used = HashSet::new();
    // Where to look on for a stem's next free number: thousands of columns may share one name.
    let mut next_number: HashMap<String, usize> = HashMap::new();
    let (mut unnamed, mut renamed) = (0, 0);
    let mut names = Vec::with_capacity(columns);
    for index in 0..columns {
        let given = given.get(index).map_or("", String::as_str);
        let free = !given.is_empty() && used.insert(given.to_owned());
        if free {
            names.push(given.to_owned());
            continue;
        }
        let (stem, first) = if given.is_empty() {
            // Columns beyond the given names were added for long rows, which are counted as such.
            unnamed += u64::from(index < named);
            (format!("column {}", index + 1), 1)
        } else {
            renamed += 1;
            (given.to_owned(), 2)
        };
        let number = next_number.entry(stem.clone()).or_insert(first);
        let name = loop {
            let name = if *number == 1 { stem.clone() } else { format!("{stem} ({number})") };
            *number += 1;
            // Every name that was given or made is in here.
            if taken.insert(name.clone()) {
                break name;
            }
        };
        used.insert(name.clone());
        names.push(name);
    }
    (names, unnamed, renamed)
}
