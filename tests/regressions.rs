//! One test for each bug that was found and fixed, with the smallest input that showed it.

use throng::failure::Failure;
use throng::io::csv::{Ingested, ReadOptions, RepairKind, read};
use throng::io::{Encoding, MemorySource, ReadError, Source};
use throng::progress::{NativeSink, Progress, block_on};

fn read_from(source: &mut dyn Source, options: &ReadOptions) -> Result<Ingested, Failure> {
    let sink = NativeSink::new(|_| {});
    block_on(read(source, options, &Progress::new(&sink)))
}

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Ingested {
    read_from(&mut MemorySource { name: "data.csv".into(), bytes: bytes.to_vec() }, options).unwrap()
}

fn names(ingested: &Ingested) -> Vec<&str> {
    ingested.table.columns.iter().map(|column| column.name.as_str()).collect()
}

fn count(ingested: &Ingested, kind: RepairKind) -> u64 {
    ingested.repairs.iter().find(|repair| repair.kind == kind).map_or(0, |repair| repair.count)
}

/// Found by csv_fuzz: guesses were made from the first read alone and a byte-order mark cut by it stayed in the name.
#[test]
fn a_source_that_gives_a_byte_at_a_time_is_read_alike() {
    struct ByteByByte(MemorySource);
    impl Source for ByteByByte {
        fn name(&self) -> &str {
            "data.csv"
        }
        fn size(&self) -> u64 {
            self.0.size()
        }
        fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
            self.0.read(offset, count.min(1), buffer)
        }
    }
    let bytes = "\u{FEFF}a;b\n1;2\n".as_bytes();
    let source = MemorySource { name: String::new(), bytes: bytes.to_vec() };
    let ingested = read_from(&mut ByteByByte(source), &ReadOptions::default()).unwrap();
    assert_eq!(names(&ingested), ["a", "b"]);
    assert_eq!(ingested, read_bytes(bytes, &ReadOptions::default()));
}

/// Found by csv_fuzz: names with bytes that are not UTF-8 were changed and not counted.
#[test]
fn an_unreadable_name_is_counted() {
    let options = ReadOptions { encoding: Some(Encoding::Utf8), header: Some(true), ..ReadOptions::default() };
    let ingested = read_bytes(b"caf\xE9,b\n1,2\n", &options);
    assert_eq!(names(&ingested), ["caf\u{FFFD}", "b"]);
    let repair = ingested.repairs.first().unwrap();
    assert_eq!((repair.kind, repair.count, repair.first_line), (RepairKind::UnreadableText, 1, Some(1)));
}

/// Found by csv_fuzz: csv-core took U+FEFF after blank lines, or after the file's own mark, for a byte-order mark; a file
/// of nothing else was refused for a quote that it does not have.
#[test]
fn only_the_first_byte_order_mark_is_dropped() {
    let options = ReadOptions { encoding: Some(Encoding::Utf8), header: Some(true), ..ReadOptions::default() };
    for bytes in ["\n\u{FEFF}", "\u{FEFF}\u{FEFF}", "\u{FEFF}\r\n\u{FEFF}\n"] {
        assert_eq!(names(&read_bytes(bytes.as_bytes(), &options)), ["\u{FEFF}"]);
    }
    assert_eq!(names(&read_bytes("\u{FEFF}a".as_bytes(), &options)), ["a"]);
    let guessed = read_bytes("\u{FEFF}30,m\n31,f\n32,m\n".as_bytes(), &ReadOptions::default());
    assert!(!guessed.dialect.header, "the mark is no part of what is guessed from");
}

/// A character that can't be read made every genuine U+FFFD of its piece count as unreadable too.
#[test]
fn a_replacement_character_in_the_file_is_no_repair() {
    let mut bytes: Vec<u8> = "a\n\u{FFFD}\u{FFFD}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.extend([0x00, 0xD8]);
    let options = ReadOptions { encoding: Some(Encoding::Utf16le), header: Some(true), ..ReadOptions::default() };
    let ingested = read_bytes(&bytes, &options);
    assert_eq!(ingested.table.columns[0].text(1), "\u{FFFD}");
    assert_eq!(count(&ingested, RepairKind::UnreadableText), 1);
    // Nothing but halves of pairs, over more than one piece.
    let bytes = [0x00, 0xD8].repeat(3 << 19);
    assert_eq!(count(&read_bytes(&bytes, &options), RepairKind::UnreadableText), 3 << 19);
}

/// Numbering the names again from 2 for each column took 16 seconds for this file of 32 KB, a thousand times what other
/// names took.
#[test]
fn as_many_equal_names_as_columns_take_no_time() {
    let columns = 16_384;
    let read = |names: Vec<String>| {
        let started = std::time::Instant::now();
        let ingested = read_bytes((names.join(",") + "\n").as_bytes(), &ReadOptions::default());
        (ingested, started.elapsed().as_secs_f64())
    };
    let (_, different) = read((0..columns).map(|column| format!("a{column}")).collect());
    let (ingested, equal) = read(vec!["a".into(); columns]);
    assert_eq!(names(&ingested)[columns - 1], "a (16384)");
    assert_eq!(count(&ingested, RepairKind::DuplicateNames), columns as u64 - 1);
    assert!(equal < 50.0 * different, "{equal} s, {different} s for different names");
}

/// Rows of one cell below a very wide line, or above one, took 64 KB of memory each: 200 KB became 6 GB.
#[test]
fn rows_of_very_different_lengths_do_not_fill_the_memory() {
    let wide = "a,".repeat(16_383) + "a\n";
    let options = ReadOptions { delimiter: Some(b','), header: Some(true), ..ReadOptions::default() };
    let short = "1\n".repeat(100_000);
    for (bytes, line) in [(format!("{wide}{short}"), 4098), (format!("h\n{short}{wide}"), 100_002)] {
        let mut source = MemorySource { name: "data.csv".into(), bytes: bytes.into_bytes() };
        let failure = read_from(&mut source, &options).unwrap_err();
        assert!(failure.what.contains("differ so much in length"), "{failure}");
        assert_eq!((failure.place.file.as_deref(), failure.place.line), (Some("data.csv"), Some(line)));
    }
}
