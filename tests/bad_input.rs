//! Any bytes become a table or a located failure, through the engine's own door.

mod support;

use support::{all_rows, ask, cells, open_in, page};
use throng::engine::Engine;
use throng::failure::Failure;
use throng::io::csv::{ReadOptions, RepairKind};
use throng::io::{MemorySource, ReadError, Source};
use throng::protocol::{DebugAction, Request, Summary};

fn open(bytes: &[u8]) -> Result<(Summary, Vec<Vec<String>>), Failure> {
    let engine = Engine::default();
    let opened = open_in(&engine, bytes)?;
    Ok((opened, cells(page(&engine, all_rows()))))
}

fn repairs(opened: &Summary) -> Vec<(RepairKind, u64, Option<u64>)> {
    opened.repairs.iter().map(|repair| (repair.kind, repair.count, repair.first_line)).collect()
}

fn names(opened: &Summary) -> Vec<&str> {
    opened.columns.iter().map(|column| column.name.as_str()).collect()
}

#[test]
fn refusals_say_what_where_and_what_next() {
    let wide = "x,".repeat(20_000);
    let cases: [(&[u8], &str, Option<u64>); 7] = [
        (b"", "empty", None),
        (b"\n\r\n\n", "no columns", None),
        (b"\xEF\xBB\xBF", "no columns", None),
        (b"PK\x03\x04....", "Excel", None),
        (&[0, 1, 2, 3, 255, 0, 7, 7], "binary", None),
        (b"a,b\n1,2\n\n3,\"4\n", "never closed", Some(4)),
        (wide.as_bytes(), "20,001 cells", Some(1)),
    ];
    for (bytes, words, line) in cases {
        let failure = open(bytes).unwrap_err();
        assert!(failure.what.contains(words), "{failure}");
        assert_eq!(failure.place.line, line, "{failure}");
        assert_eq!(failure.place.file.as_deref(), Some("data.csv"));
        assert!(!failure.next.is_empty());
    }
}

#[test]
fn a_failed_open_leaves_the_table_as_it_was() {
    let engine = Engine::default();
    open_in(&engine, b"a\n1\n2\n").unwrap();
    let before = page(&engine, all_rows());
    open_in(&engine, b"a\n\"").unwrap_err();
    assert_eq!(page(&engine, all_rows()), before);
}

#[test]
fn ragged_rows_are_kept_whole_and_counted() {
    let (opened, rows) = open(b"a,b\n1\n2,3\n4,5,6\n7,8,\n\n9,10\n").unwrap();
    assert_eq!(names(&opened), ["a", "b", "column 3"]);
    let expected = [["1", "", ""], ["2", "3", ""], ["4", "5", "6"], ["7", "8", ""], ["9", "10", ""]];
    assert_eq!(rows, expected);
    use RepairKind::*;
    let expected =
        [(ShortRows, 1, Some(2)), (LongRows, 1, Some(4)), (TrailingDelimiters, 1, Some(5)), (BlankLines, 1, Some(6))];
    assert_eq!(repairs(&opened), expected);
}

#[test]
fn names_are_made_unique_without_taking_a_name_that_is_given() {
    let (opened, _) = open(b"a,a (2),a,,column 4\n1,2,3,4,x\n").unwrap();
    assert_eq!(names(&opened), ["a", "a (2)", "a (3)", "column 4 (2)", "column 4"]);
    assert_eq!(repairs(&opened), [(RepairKind::EmptyNames, 1, None), (RepairKind::DuplicateNames, 1, None)]);
}

#[test]
fn text_that_is_not_utf8_is_read_or_counted() {
    let (opened, rows) = open(b"city,n\nZ\xFCrich,1\n").unwrap();
    assert_eq!((rows[0][0].as_str(), opened.repairs.len()), ("Zürich", 0), "guessed as Windows-1252");
    // Beyond the sample that the guess is made from.
    let mut late = b"city,n\n".to_vec();
    late.extend(b"Bonn,1\n".repeat(100_000));
    late.extend(b"Z\xFCrich,1\nZ\xFCrich,2\n");
    let (opened, _) = open(&late).unwrap();
    assert_eq!(repairs(&opened), [(RepairKind::UnreadableText, 2, Some(100_002))]);
    assert_eq!(opened.rows, 100_002);
}

#[test]
fn a_nul_and_a_huge_cell_are_data_like_any_other() {
    let mut bytes = b"a,b\nx\0y,1\n".to_vec();
    bytes.extend(b"lorem ipsum ".repeat(20));
    bytes.extend(vec![b'z'; 10 << 20]);
    bytes.extend(b",2\n");
    let (opened, rows) = open(&bytes).unwrap();
    assert_eq!(opened.rows, 2);
    assert_eq!(rows[0][0], "x\0y");
    assert!(rows[1][0].chars().count() < 300, "shortened for the screen");
    assert_eq!(repairs(&opened), [(RepairKind::NulCharacters, 1, None)]);
}

#[test]
fn missing_tokens_are_one_value_and_keep_their_text() {
    let (opened, rows) = open(b"a,b\nNA,1\n,2\n?,3\nx,4\n").unwrap();
    assert_eq!((opened.columns[0].distinct, opened.columns[0].missing), (2, 3));
    assert_eq!(rows[0][0], "NA");
}

#[test]
fn every_guess_can_be_seen() {
    let utf16: Vec<u8> = "a|b\r\n1|é\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (opened, rows) = open(&utf16).unwrap();
    assert_eq!((opened.dialect.delimiter, opened.dialect.encoding.name()), (b'|', "UTF-16 (little endian)"));
    assert_eq!(rows, [["1", "é"]]);
}

#[test]
fn a_source_that_fails_half_way_is_told() {
    struct Vanishing(MemorySource);
    impl Source for Vanishing {
        fn name(&self) -> &str {
            "data.csv"
        }
        fn size(&self) -> u64 {
            self.0.size()
        }
        fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
            if offset > 0 { Err(ReadError::Vanished) } else { self.0.read(offset, count, buffer) }
        }
    }
    let source = Vanishing(MemorySource { name: String::new(), bytes: b"a,b\n1,2\n".repeat(1 << 18) });
    let failure =
        ask(&Engine::default(), Request::Open { options: ReadOptions::default() }, vec![Box::new(source)]).unwrap_err();
    assert!(failure.what.contains("is not there any more"), "{failure}");
}

#[test]
fn a_release_refuses_debug_requests() {
    let failure = ask(&Engine::default(), Request::Debug(DebugAction::Panic), vec![]).unwrap_err();
    assert!(failure.what.contains("not part of this build"));
}
