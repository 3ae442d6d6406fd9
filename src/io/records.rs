//! CSV records from bytes that arrive in pieces, over `csv-core`.
//!
//! What it adds: the line each record starts on, blank lines counted rather than swallowed, and a quote that is never
//! closed reported where it opened instead of being taken for the rest of the file.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// A record longer than this has lost a closing quote.
const LONGEST_RECORD: usize = 64 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The record that starts on this line never ends (or only after [`LONGEST_RECORD`] bytes).
    OpenQuote { line: u64 },
}

pub struct RecordReader {
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
    pub blank_lines: u64,
    pub first_blank_line: u64,
}

impl RecordReader {
    pub fn new(delimiter: u8) -> Self {
        let mut core = ReaderBuilder::new().delimiter(delimiter).build();
        // csv-core drops U+FEFF from the first bytes it sees. The file's own mark is gone by then and any other is text,
        // so a line end, which it skips, goes first.
        core.read_record(b"\n", &mut [0], &mut [0]);
        RecordReader {
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
    pub fn read(&mut self, input: &[u8], at: &mut usize) -> Result<bool, RecordError> {
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
                ReadRecordResult::InputEmpty => {
                    if self.text_length > LONGEST_RECORD {
                        return Err(RecordError::OpenQuote { line: self.line });
                    }
                    return Ok(false);
                }
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
    pub fn finish(&mut self) -> Result<bool, RecordError> {
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

    /// Line on which the record just read starts.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Number of cells of the record just read.
    pub fn cells(&self) -> usize {
        self.end_count
    }

    pub fn cell(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// All cells of the record just read, end to end, and where each ends.
    pub fn text(&self) -> &[u8] {
        &self.text[..self.text_length]
    }

    pub fn ends(&self) -> &[usize] {
        &self.ends[..self.end_count]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.end_count).map(|index| self.cell(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Record = (u64, Vec<String>);

    /// All records of `input`, fed in pieces of `step` bytes.
    fn records(input: &str, step: usize) -> Result<(Vec<Record>, u64), RecordError> {
        let mut reader = RecordReader::new(b',');
        let mut records = Vec::new();
        let take = |reader: &RecordReader| {
            let cells = reader.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
            (reader.line(), cells)
        };
        for piece in input.as_bytes().chunks(step).chain([&b""[..]]) {
            let mut at = 0;
            while reader.read(piece, &mut at)? {
                records.push(take(&reader));
            }
        }
        if reader.finish()? {
            records.push(take(&reader));
        }
        Ok((records, reader.blank_lines))
    }

    fn record(line: u64, cells: &[&str]) -> Record {
        (line, cells.iter().map(|cell| (*cell).to_owned()).collect())
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
}
