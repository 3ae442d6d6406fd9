//! The reader against the same one built on `csv-core`, byte by byte, and against what is written here by hand.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{BLOCK, LONGEST_RECORD, LongestCell, RecordError, RecordReader};

/// The line a record starts on, and its cells.
type Record = (u64, Vec<Vec<u8>>);

/// What a file is made of: records until the open quote if there is one, the number of blank lines and the first.
type Found = (Vec<Record>, Result<(), RecordError>, u64, u64);

fn found<'a>(delimiter: u8, pieces: impl Iterator<Item = &'a [u8]>) -> Found {
    let mut reader = RecordReader::new(delimiter);
    let mut records = Vec::new();
    let mut checked = Ok(());
    for (piece, last) in pieces.map(|piece| (piece, false)).chain([(&b""[..], true)]) {
        reader.buffer().extend_from_slice(piece);
        reader.split(last);
        for (place, record) in reader.records().enumerate() {
            let cells: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
            assert_eq!(record.cells(), cells.len());
            for (index, expected) in cells.iter().enumerate() {
                let cell = reader.column(place..place + 1, index).next().unwrap();
                assert_eq!(&reader.text()[cell.start..cell.start + cell.length], expected);
            }
            records.push((record.line(), cells));
        }
        checked = reader.check(last);
    }
    (records, checked, reader.blank_lines, reader.first_blank_line)
}

fn expected(delimiter: u8, text: &[u8]) -> Found {
    let mut oracle = Oracle::new(delimiter);
    let mut records = Vec::new();
    let mut at = 0;
    while oracle.read(text, &mut at).is_ok_and(|more| more) {
        records.push(oracle.record());
    }
    let finished = oracle.finish();
    if finished == Ok(true) {
        records.push(oracle.record());
    }
    (records, finished.map(|_| ()), oracle.blank_lines, oracle.first_blank_line)
}

/// Over `csv-core`: the line each record starts on, and blank lines counted rather than swallowed.
struct Oracle {
    core: Reader,
    text: Vec<u8>,
    text_length: usize,
    ends: Vec<usize>,
    end_count: usize,
    /// Line on which the current record starts.
    line: u64,
    /// Line on which the next record can start.
    next_line: u64,
    within_record: bool,
    after_carriage_return: bool,
    blank_lines: u64,
    first_blank_line: u64,
}

impl Oracle {
    fn new(delimiter: u8) -> Self {
        let mut core = ReaderBuilder::new().delimiter(delimiter).build();
        // csv-core drops U+FEFF from the first bytes it sees. The file's own mark is gone by then and any other is text,
        // so a line end, which it skips, goes first.
        core.read_record(b"\n", &mut [0], &mut [0]);
        Oracle {
            core,
            text: vec![0; 1 << 12],
            text_length: 0,
            ends: vec![0; 64],
            end_count: 0,
            line: 1,
            next_line: 1,
            within_record: false,
            after_carriage_return: false,
            blank_lines: 0,
            first_blank_line: 0,
        }
    }

    /// Reads on in `input` from `*at`: `true` when a record is complete, `false` when more input is needed.
    fn read(&mut self, input: &[u8], at: &mut usize) -> Result<bool, RecordError> {
        if !self.within_record {
            self.skip_line_ends(input, at);
        }
        // To csv-core, empty input is the end of the file.
        if *at == input.len() {
            return Ok(false);
        }
        if !self.within_record {
            self.within_record = true;
            self.line = self.next_line;
            self.text_length = 0;
            self.end_count = 0;
        }
        loop {
            let lines_before = self.core.line();
            let (result, read, wrote, ended) = self.core.read_record(
                &input[*at..],
                &mut self.text[self.text_length..],
                &mut self.ends[self.end_count..],
            );
            *at += read;
            self.text_length += wrote;
            self.end_count += ended;
            self.next_line += self.core.line() - lines_before;
            match result {
                ReadRecordResult::InputEmpty => return Ok(false),
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => {
                    self.within_record = false;
                    self.after_carriage_return = input[*at - 1] == b'\r';
                    self.next_line += u64::from(self.after_carriage_return);
                    return Ok(true);
                }
                // Only reached with empty input, which never comes this far.
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Call when the input is at its end: `true` when that completed one more record.
    fn finish(&mut self) -> Result<bool, RecordError> {
        if !self.within_record {
            return Ok(false);
        }
        // A line end completes any record but one whose quote is still open.
        if self.read(b"\n", &mut 0)? { Ok(true) } else { Err(RecordError::OpenQuote { line: self.line }) }
    }

    fn skip_line_ends(&mut self, input: &[u8], at: &mut usize) {
        while let Some(byte @ (b'\n' | b'\r')) = input.get(*at) {
            let second_half = *byte == b'\n' && self.after_carriage_return;
            if !second_half {
                self.blank_lines += 1;
                if self.blank_lines == 1 {
                    self.first_blank_line = self.next_line;
                }
                self.next_line += 1;
            }
            self.after_carriage_return = *byte == b'\r';
            *at += 1;
        }
        if *at < input.len() {
            self.after_carriage_return = false;
        }
    }

    fn record(&self) -> Record {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let cells = starts.zip(&self.ends).take(self.end_count).map(|(start, &end)| self.text[start..end].to_vec());
        (self.line, cells.collect())
    }
}

/// `THRONG_FUZZ=1000000 cargo test --release --lib records` tries a million texts.
#[test]
fn any_text_in_any_pieces_is_split_as_csv_core_does() {
    let cases = std::env::var("THRONG_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(20_000);
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % limit
    };
    for case in 0..cases {
        // Some texts are shorter than a block, some longer; some have few quotes or none, so that whole blocks lack them.
        let length = below([12, 40, 4 * BLOCK][case % 3]);
        let alphabet: &[u8] =
            [&b",\"\r\nab"[..], b",,\"\"\"\"\r\n\0a", b",,,\r\nabcdefg", b",\n\"abcdefghijklmnopq\xff"][below(4)];
        let text: Vec<u8> = (0..length).map(|_| alphabet[below(alphabet.len())]).collect();
        let mut rest = &text[..];
        let longest = [3, 20, 300][below(3)];
        let delimiter = [b',', b',', b'a'][below(3)];
        let pieces = std::iter::from_fn(|| {
            let (piece, after) = rest.split_at(rest.len().min(below(longest + 1)));
            let more = !rest.is_empty();
            rest = after;
            more.then_some(piece)
        });
        assert_eq!(found(delimiter, pieces), expected(delimiter, &text), "{:?}", String::from_utf8_lossy(&text));
    }
}

fn records(text: &str, step: usize) -> Result<(Vec<Record>, u64), RecordError> {
    let (records, checked, blank_lines, _) = found(b',', text.as_bytes().chunks(step));
    checked.map(|()| (records, blank_lines))
}

fn record(line: u64, cells: &[&str]) -> Record {
    (line, cells.iter().map(|cell| cell.as_bytes().to_vec()).collect())
}

#[test]
fn lines_blanks_and_quoted_newlines_whatever_the_pieces() {
    let input = "a,b\r\n\r\n\"x\ny\",2\n\n3,\"\"\"q\"\"\"\r4,5";
    let expected =
        vec![record(1, &["a", "b"]), record(3, &["x\ny", "2"]), record(6, &["3", "\"q\""]), record(7, &["4", "5"])];
    for step in 1..=input.len() {
        assert_eq!(records(input, step), Ok((expected.clone(), 2)), "pieces of {step}");
    }
}

#[test]
fn an_open_quote_is_located() {
    for step in 1..20 {
        assert_eq!(records("a,b\n1,2\n3,\"4\n5,6\n", step), Err(RecordError::OpenQuote { line: 3 }));
        assert_eq!(records("a\n\"", step), Err(RecordError::OpenQuote { line: 2 }));
    }
}

#[test]
fn a_closed_quote_at_the_end_is_fine() {
    assert_eq!(records("a\n\"b\"", 3), Ok((vec![record(1, &["a"]), record(2, &["b"])], 0)));
    assert_eq!(records("a\n\"\"", 3), Ok((vec![record(1, &["a"]), record(2, &[""])], 0)));
    assert_eq!(records("a,", 3), Ok((vec![record(1, &["a", ""])], 0)));
}

#[test]
fn a_record_without_end_is_given_up() {
    let piece = vec![b'x'; 1 << 20];
    let mut reader = RecordReader::new(b',');
    reader.buffer().extend_from_slice(b"a\n\"");
    reader.split(false);
    let mut read = 0;
    while reader.check(false).is_ok() {
        assert!(read <= LONGEST_RECORD);
        reader.buffer().extend_from_slice(&piece);
        reader.split(false);
        read += piece.len();
    }
    let longest = LongestCell { number: 1, bytes: read + 1, within_quotes: true };
    assert_eq!(reader.check(false), Err(RecordError::TooLong { line: 2, longest }));
    assert!(read >= LONGEST_RECORD);
}
