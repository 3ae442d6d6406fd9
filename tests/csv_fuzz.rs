//! Any bytes become a table or a located failure; a table that is written is read as the same table; how the bytes
//! arrive changes nothing. The oracle is a CSV parser of a few lines, written here from the rules, and the plain
//! `csv` crate.
//!
//! `THRONG_FUZZ=1000000 cargo test --release --test csv_fuzz` tries a million inputs, others on each run
//! (`PROPTEST_RNG_SEED` fixes them). Without it a plain `cargo test` tries the same 20,000 each time.

#![cfg(not(target_arch = "wasm32"))]

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestCaseResult, TestRunner};
use throng::failure::{Failure, FailureKind};
use throng::io::csv::{Ingested, ReadOptions, Repair, RepairKind, read};
use throng::io::{Encoding, MemorySource, ReadError, Source, csv_write};
use throng::progress::{NativeSink, Progress, block_on};
use throng::table::{Column, DictionaryBuilder, Table};

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
const FILE: &str = "fuzz.csv";

/// Runs `test` on this share of all inputs.
fn fuzz<S: Strategy>(percent: u32, strategy: S, test: impl Fn(S::Value) -> TestCaseResult) {
    let wanted = std::env::var("THRONG_FUZZ").ok().and_then(|cases| cases.parse::<u32>().ok());
    let mut config = Config { failure_persistence: None, ..Config::default() };
    config.cases = (u64::from(wanted.unwrap_or(20_000)) * u64::from(percent) / 100) as u32;
    if wanted.is_none() {
        config.rng_seed = RngSeed::Fixed(3);
    }
    TestRunner::new(config).run(&strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

fn read_from(source: &mut dyn Source, options: &ReadOptions) -> Result<Ingested, Failure> {
    let sink = NativeSink::new(|_| {});
    block_on(read(source, options, &Progress::new(&sink)))
}

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Ingested, Failure> {
    read_from(&mut MemorySource { name: FILE.into(), bytes: bytes.to_vec() }, options)
}

// --- inputs ----------------------------------------------------------------------------------

/// Short texts of which most mean something in CSV, or come close.
fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        ",",
        ",",
        ",",
        ";",
        ";",
        "\t",
        "|",
        "|",
        "\"",
        "\"",
        "\"",
        "\"\"",
        "\n",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\r\n",
        "a",
        "b",
        "1",
        "2.5",
        " ",
        "NA",
        "",
        "\0",
        "é",
        "東",
        "😀",
        "\u{FEFF}",
        "\u{FFFD}",
        "\u{2028}",
        "#",
        "'",
        "\\",
        "*",
        "column 2",
        "a (2)",
        "PK\u{3}\u{4}",
        "lorem ipsum dolor",
    ])
}

fn text(tokens: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(token(), 0..tokens).prop_map(|tokens| tokens.concat())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let broken = prop::collection::vec(
        prop_oneof![
            8 => token().prop_map(|token| token.as_bytes().to_vec()),
            2 => prop::sample::select(vec![b"\xFF".to_vec(), b"\xC3".to_vec(), b"\xF0\x9F".to_vec(), b"\x80".to_vec()]),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ],
        0..50,
    );
    let utf16 = (text(40), any::<[bool; 3]>(), prop::collection::vec(any::<(u16, u16)>(), 0..2)).prop_map(
        |(text, [little, marked, odd], broken)| {
            let text = if marked { format!("\u{FEFF}{text}") } else { text };
            let mut units: Vec<u16> = text.encode_utf16().collect();
            for (place, unit) in broken {
                units.insert(usize::from(place) % (units.len() + 1), unit);
            }
            let mut bytes: Vec<u8> = units
                .into_iter()
                .flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
                .collect();
            bytes.extend(odd.then_some(b'x'));
            bytes
        },
    );
    prop_oneof![
        6 => text(60).prop_map(String::into_bytes),
        2 => text(40).prop_map(|text| format!("\u{FEFF}{text}").into_bytes()),
        4 => broken.prop_map(|pieces| pieces.concat()),
        2 => utf16,
        1 => prop::collection::vec(any::<u8>(), 0..80),
    ]
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let delimiter = prop::option::of(prop::sample::select(DELIMITERS.to_vec()));
    let encoding = prop::option::of(prop::sample::select(Encoding::ALL.to_vec()));
    let header = prop::option::of(any::<bool>());
    (delimiter, encoding, header).prop_map(|(delimiter, encoding, header)| ReadOptions {
        delimiter,
        encoding,
        header,
        ..ReadOptions::default()
    })
}

// --- the oracle ------------------------------------------------------------------------------

/// What a plain reading of a CSV text finds.
#[derive(Default)]
struct Naive {
    /// The line a record starts on, and its cells.
    records: Vec<(u64, Vec<Vec<u8>>)>,
    blank_lines: Vec<u64>,
    /// The line on which the record starts whose quote is never closed.
    open_quote: Option<u64>,
    /// The lines on which records start that have text behind a closing quote, or within quotes a line, from one end to the
    /// next, of as many cells as the record has.
    misquoted: Vec<u64>,
}

/// Whether a line inside a quoted cell, not its first and not its last, is like a line of the file.
fn has_line_of_file(cell: &[u8], delimiter: u8, cells: usize) -> bool {
    let lines: Vec<&[u8]> = cell.split(|&byte| byte == b'\n').collect();
    let whole = lines.get(1..lines.len() - 1).unwrap_or_default();
    cells > 2 && whole.iter().any(|line| line.iter().filter(|&&byte| byte == delimiter).count() >= cells - 1)
}

/// One byte after another: a quote counts at the start of a cell only; inside quotes two of them are one; what follows
/// a closing quote belongs to the cell. `\n`, `\r` and `\r\n` end a line.
fn naive(text: &[u8], delimiter: u8) -> Naive {
    let mut found = Naive::default();
    let (mut line, mut at) = (1, 0);
    while at < text.len() {
        let starts_on = line;
        let mut cells = vec![Vec::new()];
        let (mut behind, mut quoted_cells) = (false, Vec::new());
        if matches!(text[at], b'\n' | b'\r') {
            found.blank_lines.push(line);
        } else {
            loop {
                // The start of a cell.
                let mut cell = Vec::new();
                if text.get(at) == Some(&b'"') {
                    at += 1;
                    loop {
                        match (text.get(at), text.get(at + 1)) {
                            (None, _) => {
                                found.open_quote = Some(starts_on);
                                return found;
                            }
                            (Some(b'"'), Some(b'"')) => {
                                cell.push(b'"');
                                at += 2;
                            }
                            (Some(b'"'), next) => {
                                at += 1;
                                behind |= next.is_some_and(|&next| next != delimiter && next != b'\n' && next != b'\r');
                                quoted_cells.push(cell.clone());
                                break;
                            }
                            (Some(&byte), _) => {
                                line += u64::from(byte == b'\n');
                                cell.push(byte);
                                at += 1;
                            }
                        }
                    }
                }
                while let Some(&byte) =
                    text.get(at).filter(|&&byte| byte != delimiter && byte != b'\n' && byte != b'\r')
                {
                    cell.push(byte);
                    at += 1;
                }
                if let Some(last) = cells.last_mut() {
                    *last = cell;
                }
                if text.get(at) != Some(&delimiter) {
                    break;
                }
                cells.push(Vec::new());
                at += 1;
            }
            let swallowed = quoted_cells.iter().any(|cell| has_line_of_file(cell, delimiter, cells.len()));
            if behind || swallowed {
                found.misquoted.push(starts_on);
            }
            found.records.push((starts_on, cells));
        }
        // The line's end.
        at += if text[at..].starts_with(b"\r\n") { 2 } else { 1 };
        line += 1;
    }
    found
}

/// The file's text as UTF-8, without its byte-order mark.
fn naive_text(bytes: &[u8], encoding: Encoding) -> Vec<u8> {
    let units = |read: fn([u8; 2]) -> u16| {
        let (pairs, odd) = bytes.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|&pair| read(pair)).collect();
        if units.first() == Some(&0xFEFF) {
            units.remove(0);
        }
        let mut text = String::from_utf16_lossy(&units);
        // Half a unit at the end can't be read, with the half of a pair before it if there is one.
        let half_a_pair = units.last().is_some_and(|unit| (0xD800..0xDC00).contains(unit));
        if !odd.is_empty() && !half_a_pair {
            text.push('\u{FFFD}');
        }
        text.into_bytes()
    };
    match encoding {
        Encoding::Utf8 => bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).to_vec(),
        Encoding::Utf16le => units(u16::from_le_bytes),
        Encoding::Utf16be => units(u16::from_be_bytes),
        Encoding::Windows1252 => {
            const UPPER: [u16; 32] = [
                0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
                0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
                0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
            ];
            let character = |&byte: &u8| match byte {
                0x80..=0x9F => char::from_u32(u32::from(UPPER[usize::from(byte - 0x80)])).unwrap(),
                _ => char::from(byte),
            };
            bytes.iter().map(character).collect::<String>().into_bytes()
        }
    }
}

/// How often U+FFFD itself is in a file of UTF-16.
fn genuine_replacements(bytes: &[u8], encoding: Encoding) -> usize {
    let unit = if encoding == Encoding::Utf16le { [0xFD, 0xFF] } else { [0xFF, 0xFD] };
    bytes.as_chunks::<2>().0.iter().filter(|&&pair| pair == unit).count()
}

fn lossy(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}

/// A failure is allowed only where the oracle sees why.
fn check_failure(bytes: &[u8], options: &ReadOptions, failure: &Failure) -> TestCaseResult {
    prop_assert_eq!(failure.kind, FailureKind::Data);
    prop_assert_eq!(failure.place.file.as_deref(), Some(FILE));
    prop_assert!(!failure.what.is_empty() && !failure.next.is_empty());
    if failure.what.contains("is empty") {
        prop_assert!(bytes.is_empty());
    } else if failure.what.contains("no columns") || failure.what.contains("never closed") {
        // The guesses are not told with a failure; one of those possible must explain it.
        let no_columns = failure.what.contains("no columns");
        let encodings = options.encoding.map_or(Encoding::ALL.to_vec(), |encoding| vec![encoding]);
        let delimiters = options.delimiter.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
        let explained = encodings.iter().any(|&encoding| {
            let text = naive_text(bytes, encoding);
            delimiters.iter().any(|&delimiter| {
                let naive = naive(&text, delimiter);
                if no_columns {
                    naive.records.is_empty() && naive.open_quote.is_none()
                } else {
                    naive.open_quote.is_some() && naive.open_quote == failure.place.line
                }
            })
        });
        prop_assert!(explained, "{} {:?}", failure, options);
    } else {
        let what = ["not text", "Excel", "gzip", "bzip2", "xz", "zstd", "Parquet", "PDF", "SQLite"];
        prop_assert!(what.iter().any(|what| failure.what.contains(what)), "{}", failure);
        prop_assert!(options.encoding.is_none(), "{} though the person knows better", failure);
    }
    Ok(())
}

fn check_table(bytes: &[u8], options: &ReadOptions, ingested: &Ingested) -> TestCaseResult {
    let Ingested { table, dialect, repairs } = ingested;
    prop_assert_eq!(options.delimiter.unwrap_or(dialect.delimiter), dialect.delimiter);
    prop_assert_eq!(options.encoding.unwrap_or(dialect.encoding), dialect.encoding);
    prop_assert_eq!(options.header.unwrap_or(dialect.header), dialect.header);

    let names: HashSet<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    prop_assert_eq!(names.len(), table.columns.len(), "names are unique");
    prop_assert!(!names.contains(""));
    for column in &table.columns {
        prop_assert_eq!(column.codes.len(), table.rows);
        prop_assert_eq!(column.counts.iter().map(|&count| count as usize).sum::<usize>(), table.rows);
        prop_assert!(column.counts.iter().all(|&count| count > 0), "every value occurs");
        let texts: HashSet<&str> = column.dictionary.iter().collect();
        prop_assert_eq!(texts.len(), column.dictionary.len(), "no value has two codes");
    }

    let text = naive_text(bytes, dialect.encoding);
    let naive = naive(&text, dialect.delimiter);
    prop_assert_eq!(naive.open_quote, None, "an open quote was accepted");
    if dialect.encoding == Encoding::Utf8 {
        let mut plain = ::csv::ReaderBuilder::new();
        plain.delimiter(dialect.delimiter).has_headers(false).flexible(true);
        let records = plain.from_reader(bytes).into_byte_records().map(Result::unwrap).count();
        prop_assert_eq!(records, table.rows + usize::from(dialect.header), "records of the csv crate");
    }
    prop_assert_eq!(naive.records.len(), table.rows + usize::from(dialect.header));
    let Some((_, first)) = naive.records.first() else {
        return Err(TestCaseError::fail("a table without a record"));
    };
    let rows = &naive.records[usize::from(dialect.header)..];
    for (row, (line, cells)) in rows.iter().enumerate() {
        for (index, column) in table.columns.iter().enumerate() {
            let cell = cells.get(index).map_or(String::new(), |cell| lossy(cell));
            prop_assert_eq!(column.text(row), cell, "line {}, cell {}", line, index + 1);
        }
        let beyond = cells.iter().skip(table.columns.len());
        prop_assert!(beyond.into_iter().all(Vec::is_empty), "a cell of line {} was dropped", line);
    }

    // What was repaired, counted again.
    let width = first.len();
    let count = |kind: RepairKind| repairs.iter().find(|repair| repair.kind == kind).map_or(0, |repair| repair.count);
    let line =
        |kind: RepairKind| repairs.iter().find(|repair| repair.kind == kind).and_then(|repair| repair.first_line);
    let short = |cells: &[Vec<u8>]| cells.len() < width;
    let trailing = |cells: &[Vec<u8>]| cells.len() > width && cells[width..].iter().all(Vec::is_empty);
    let long = |cells: &[Vec<u8>]| cells.len() > width && cells[width..].iter().any(|cell| !cell.is_empty());
    let kinds = [RepairKind::ShortRows, RepairKind::TrailingDelimiters, RepairKind::LongRows];
    for (place, kind) in kinds.into_iter().enumerate() {
        let is_it = |cells: &[Vec<u8>]| [short(cells), trailing(cells), long(cells)][place];
        let lines: Vec<u64> = rows.iter().filter(|(_, cells)| is_it(cells)).map(|(line, _)| *line).collect();
        prop_assert_eq!((count(kind), line(kind)), (lines.len() as u64, lines.first().copied()), "{:?}", kind);
    }
    let blank = (naive.blank_lines.len() as u64, naive.blank_lines.first().copied());
    prop_assert_eq!((count(RepairKind::BlankLines), line(RepairKind::BlankLines)), blank);
    let misquoted = (naive.misquoted.len() as u64, naive.misquoted.first().copied());
    prop_assert_eq!((count(RepairKind::StrayQuotes), line(RepairKind::StrayQuotes)), misquoted);
    let all_cells = || naive.records.iter().flat_map(|(_, cells)| cells);
    if dialect.encoding == Encoding::Utf8 {
        let unreadable = all_cells().filter(|cell| std::str::from_utf8(cell).is_err()).count();
        prop_assert_eq!(count(RepairKind::UnreadableText), unreadable as u64, "cells with bytes that are not UTF-8");
    }
    if matches!(dialect.encoding, Encoding::Utf16le | Encoding::Utf16be) {
        let shown = String::from_utf8_lossy(&text).matches('\u{FFFD}').count();
        let genuine = genuine_replacements(bytes, dialect.encoding);
        prop_assert_eq!(count(RepairKind::UnreadableText), (shown - genuine) as u64, "characters replaced");
    }
    let nul_cells = all_cells().skip(if dialect.header { width } else { 0 }).filter(|cell| cell.contains(&0)).count();
    prop_assert_eq!(count(RepairKind::NulCharacters), nul_cells as u64);
    let given: Vec<String> = if dialect.header { first.iter().map(|cell| lossy(cell)).collect() } else { Vec::new() };
    let mut used = HashSet::new();
    for (column, name) in table.columns.iter().zip(&given) {
        if !name.is_empty() && used.insert(name) {
            prop_assert_eq!(&column.name, name, "a good name is kept");
        }
    }
    let (unnamed, named) = (given.iter().filter(|name| name.is_empty()).count(), used.len());
    let counted = (count(RepairKind::EmptyNames), count(RepairKind::DuplicateNames));
    prop_assert_eq!(counted, (unnamed as u64, (given.len() - unnamed - named) as u64));
    prop_assert!(
        table.columns.len()
            == rows.iter().filter(|(_, cells)| long(cells)).map(|(_, cells)| cells.len()).max().unwrap_or(width)
    );
    Ok(())
}

#[test]
fn any_bytes_are_a_table_or_a_located_failure() {
    fuzz(60, (bytes(), options()), |(bytes, options)| match read_bytes(&bytes, &options) {
        Ok(ingested) => check_table(&bytes, &options, &ingested),
        Err(failure) => check_failure(&bytes, &options, &failure),
    });
}

// --- write, then read ------------------------------------------------------------------------

fn table() -> impl Strategy<Value = Table> {
    (1usize..5, 0usize..7).prop_flat_map(|(width, rows)| {
        let names = prop::collection::vec(text(4), width);
        let cells = prop::collection::vec(prop::collection::vec(text(5), rows), width);
        (names, cells).prop_map(move |(names, cells)| {
            let mut used = HashSet::new();
            let unique = names.into_iter().enumerate().map(|(index, name)| {
                let name = if name.is_empty() || used.contains(&name) { format!("{name}\u{1}{index}") } else { name };
                used.insert(name.clone());
                name
            });
            let columns = unique.collect::<Vec<_>>().into_iter().zip(&cells).map(|(name, cells)| {
                let mut builder = DictionaryBuilder::default();
                let codes = cells.iter().map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
                Column::new(name, builder.finish(), codes, &ReadOptions::default().missing_tokens())
            });
            Table { columns: columns.collect(), rows }
        })
    })
}

#[test]
fn a_written_table_is_read_as_the_same_table() {
    fuzz(20, table(), |table| {
        for delimiter in DELIMITERS {
            let bytes = csv_write::write(&table, delimiter);
            let options = ReadOptions {
                delimiter: Some(delimiter),
                encoding: Some(Encoding::Utf8),
                header: Some(true),
                ..ReadOptions::default()
            };
            let read = read_bytes(&bytes, &options).map_err(|failure| TestCaseError::fail(failure.to_string()))?;
            for (before, after) in table.columns.iter().zip(&read.table.columns) {
                prop_assert_eq!(&before.name, &after.name);
                let texts =
                    |column: &Column| (0..table.rows).map(|row| column.text(row).to_owned()).collect::<Vec<_>>();
                prop_assert_eq!(texts(before), texts(after));
            }
            prop_assert_eq!(&read.table, &table);
            let is_known = |repair: &Repair| matches!(repair.kind, RepairKind::NulCharacters | RepairKind::StrayQuotes);
            prop_assert!(read.repairs.iter().all(is_known), "{:?}", read.repairs);
        }
        Ok(())
    });
}

// --- bytes in pieces -------------------------------------------------------------------------

/// Gives fewer bytes than asked for, as a `Source` may.
struct Trickle {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    reads: usize,
}

impl Source for Trickle {
    fn name(&self) -> &str {
        FILE
    }
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
        let size = self.sizes[self.reads % self.sizes.len()].min(count);
        self.reads += 1;
        let rest = &self.bytes[(offset as usize).min(self.bytes.len())..];
        let piece = &rest[..size.min(rest.len())];
        buffer.extend_from_slice(piece);
        Ok(piece.len())
    }
}

#[test]
fn how_the_bytes_arrive_changes_nothing() {
    let sizes = prop::collection::vec(1usize..9, 1..6);
    fuzz(20, (bytes(), options(), sizes), |(bytes, options, sizes)| {
        let whole = read_bytes(&bytes, &options);
        let pieces = read_from(&mut Trickle { bytes, sizes, reads: 0 }, &options);
        prop_assert_eq!(pieces, whole);
        Ok(())
    });
}

/// Pieces that the engine itself cuts: files longer than one of them, with records across the cuts.
#[test]
fn records_across_the_engines_own_pieces_are_whole() {
    for (unit, delimiter) in [("a\"b,\"c\r\nd\"\"\",東京\r\n", b','), ("\u{FEFF};\";\"\n\n", b';')] {
        let bytes = format!("x{0}y{0}z\n{1}", char::from(delimiter), unit.repeat((5 << 19) / unit.len())).into_bytes();
        let options = ReadOptions { delimiter: Some(delimiter), header: Some(true), ..ReadOptions::default() };
        let whole = read_bytes(&bytes, &options).unwrap();
        check_table(&bytes, &options, &whole).unwrap();
        for sizes in [vec![1 << 14, 1, 3], vec![(1 << 20) - 1], vec![99_991]] {
            assert!(read_from(&mut Trickle { bytes: bytes.clone(), sizes, reads: 0 }, &options).unwrap() == whole);
        }
    }
}

/// Columns that number the rows at first, with values that come again later, a long one, and one that can't be read.
#[test]
fn numbers_that_come_again_are_found() {
    let rows = 150_000;
    let mut bytes = b"unique,late,often,longer,broken,ragged\n".to_vec();
    for row in 0..rows {
        let late = if row == rows - 1 { 17 } else { row };
        let often = if row < 100_000 { row } else { row % 1000 };
        bytes.extend(format!("{},x{late},{often},{row}", row * 7919 % rows).bytes());
        bytes.extend(if row == 120_000 { &b" and a text that is too long to be a key,"[..] } else { b"," });
        bytes.extend(format!("{row}").bytes());
        bytes.extend(if row % 50_000 == 49_999 { &b"\xFF"[..] } else { b"" });
        bytes.extend(if row % 40_000 == 39_999 { String::new() } else { format!(",{}", row / 2 + row) }.bytes());
        bytes.push(b'\n');
    }
    let options = ReadOptions { encoding: Some(Encoding::Utf8), header: Some(true), ..ReadOptions::default() };
    let read = read_bytes(&bytes, &options).unwrap();
    check_table(&bytes, &options, &read).unwrap();
    let values: Vec<usize> = read.table.columns.iter().map(|column| column.dictionary.len()).collect();
    assert_eq!(values, [rows, rows - 1, 100_000, rows, rows, rows - 2]);
}
