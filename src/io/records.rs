//! CSV records from bytes that arrive in pieces.
//!
//! RFC 4180 and what real files do beyond it: a quote counts at the start of a cell only; inside quotes two of them are
//! one; what follows a closing quote belongs to the cell; `\n`, `\r` and `\r\n` end a line, and blank lines are counted.
//! A quote that is never closed is reported where it opened instead of being taken for the rest of the file. Cells that have
//! text behind their closing quote, or a whole line of the file within their quotes, are counted: there a quote was left
//! over or forgotten, and lines may have become part of a cell.
//!
//! Bytes are looked at 64 at a time: the ones that mean something become bits of a word, as in Langdale and Lemire,
//! "Parsing Gigabytes of JSON per Second" (2019), section 3.1. Cells stay where they are in the text. Only records
//! with a quoted cell are read byte by byte and moved together in place. Complexity: O(bytes).

use crate::failure::Failure;
use crate::table::{Cell, PADDING};
use crate::words::{counted, grouped};

/// A record longer than this is refused: nothing else bounds the memory that one takes.
pub const LONGEST_RECORD: usize = 64 << 20;

/// The same of one that is mostly delimiters.
pub const MOST_CELLS: usize = 1 << 22;

/// Bytes looked at together.
const BLOCK: usize = 64;
const _: () = assert!(PADDING <= BLOCK);

#[derive(Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The record that starts on this line never ends.
    OpenQuote { line: u64 },
    /// It has no end within [`LONGEST_RECORD`] bytes.
    TooLong { line: u64, longest: LongestCell },
    /// It has no end within [`MOST_CELLS`] cells.
    TooManyCells { line: u64 },
}

impl RecordError {
    /// What a person is told; `again` is what they do with the file: load or import it.
    pub fn into_failure(self, again: &str) -> Failure {
        let whole = grouped((LONGEST_RECORD >> 20) as u64);
        match self {
            RecordError::OpenQuote { line } => Failure::data(
                "A quote is opened here and never closed.",
                format!("Close it (or double it, if it belongs to the text) and {again} the file again."),
            )
            .at_line(line),
            RecordError::TooLong { line, longest: LongestCell { number, bytes, within_quotes } } => {
                let what = if 2 * bytes > LONGEST_RECORD {
                    format!("This cell has more than {} MB; a row may have {whole} MB.", grouped((bytes >> 20) as u64))
                } else {
                    format!("This row has more than {whole} MB, the most that is read; this is its longest cell.")
                };
                let next = if within_quotes {
                    "Close the quote that it begins with, shorten the cell, or leave its column out of the file."
                } else {
                    "Check the delimiter and the line ends, shorten the cell, or leave its column out of the file."
                };
                Failure::data(what, next).at_line(line).at_cell(number)
            }
            RecordError::TooManyCells { line } => Failure::data(
                format!("This row has more than {}.", counted(MOST_CELLS as u64, "cell")),
                "Check the delimiter and the line ends.",
            )
            .at_line(line)
            .at_cell(MOST_CELLS as u64 + 1),
        }
    }
}

/// The longest cell of a record that is too long, as far as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestCell {
    /// Its number in the record, from 1.
    pub number: u64,
    pub bytes: usize,
    /// It began with a quote that was not closed so far.
    pub within_quotes: bool,
}

/// Where a record lies.
struct Row {
    /// Where its first cell starts in the text; every other starts one byte after the end of the one before.
    start: usize,
    /// Which of the ends is that of its first cell.
    first_end: usize,
    cells: usize,
    line: u64,
}

/// Give it text ([`RecordReader::buffer`]), have it split, look at the records, and so on.
pub struct RecordReader {
    delimiter: u8,
    /// From the first record that was split last; after a split followed by a block of zeros, so that whole blocks and
    /// words can be read anywhere.
    text: Vec<u8>,
    /// Without those zeros.
    length: usize,
    rows: Vec<Row>,
    /// Where cells end: the first `end_count` of it.
    ends: Vec<usize>,
    end_count: usize,
    /// How far the text is looked through.
    scanned: usize,
    open: Open,
    /// The line on which the record after the last complete one starts.
    line: u64,
    /// Where it starts.
    start: usize,
    first_end: usize,
    /// Whether a `\r` is just before it, of which a `\n` would be the second half.
    after_return: bool,
    pub blank_lines: u64,
    pub first_blank_line: u64,
    /// Records in which quotes do not stand as they should.
    pub misquoted: u64,
    pub first_misquoted: u64,
}

/// What is known of a record whose end was not seen yet.
#[derive(Default)]
struct Open {
    cell_start: usize,
    within_quotes: bool,
    /// One past the last closing quote: one more there makes the two a quote that is text.
    after_quotes: Option<usize>,
    /// Some cell is quoted.
    quoted: bool,
    /// Line ends inside quotes.
    lines: u64,
}

impl RecordReader {
    pub fn new(delimiter: u8) -> Self {
        RecordReader {
            delimiter,
            text: Vec::new(),
            length: 0,
            rows: Vec::new(),
            ends: Vec::new(),
            end_count: 0,
            scanned: 0,
            open: Open::default(),
            line: 1,
            start: 0,
            first_end: 0,
            after_return: false,
            blank_lines: 0,
            first_blank_line: 0,
            misquoted: 0,
            first_misquoted: 0,
        }
    }

    /// A reader of all of `text`, or of its beginning when it is not `whole`.
    pub fn of(text: &[u8], delimiter: u8, whole: bool) -> Self {
        let mut reader = RecordReader::new(delimiter);
        reader.buffer().extend_from_slice(text);
        reader.split(whole);
        reader
    }

    /// Where to append what follows. The records split last are dropped.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        let start = self.start;
        self.text.truncate(self.length);
        self.text.drain(..start);
        self.ends.copy_within(self.first_end..self.end_count, 0);
        self.end_count -= self.first_end;
        for end in &mut self.ends[..self.end_count] {
            *end -= start;
        }
        self.scanned -= start;
        self.open.cell_start -= start;
        self.open.after_quotes = self.open.after_quotes.and_then(|place| place.checked_sub(start));
        (self.start, self.first_end) = (0, 0);
        self.rows.clear();
        &mut self.text
    }

    /// Finds the records that are complete, or `last`, which a missing line end does not keep from being so.
    pub fn split(&mut self, last: bool) {
        self.length = self.text.len();
        self.text.resize(self.length + BLOCK, 0);
        while self.scanned < self.length {
            self.block();
        }
        if last && self.start < self.length && !self.open.within_quotes {
            self.end_cell(self.length);
            self.end_line(self.length, self.end_count);
        }
    }

    /// Call when the records are taken: whether the text after them can still become one. `last` as in the split.
    pub fn check(&self, last: bool) -> Result<(), RecordError> {
        let line = self.line;
        if last {
            return if self.start < self.length { Err(RecordError::OpenQuote { line }) } else { Ok(()) };
        }
        // Delimiters are not counted: a record of nothing else has too many cells, which the reader of columns says, too.
        let cells = self.end_count - self.first_end;
        if self.length - self.start - cells > LONGEST_RECORD {
            return Err(RecordError::TooLong { line, longest: self.longest_open_cell() });
        }
        if cells > MOST_CELLS { Err(RecordError::TooManyCells { line }) } else { Ok(()) }
    }

    /// The longest cell of the record whose end was not seen yet; of several the first.
    fn longest_open_cell(&self) -> LongestCell {
        let mut longest = LongestCell { number: 1, bytes: 0, within_quotes: false };
        let mut start = self.start;
        let ends = self.ends[self.first_end..self.end_count].iter().copied();
        for (number, end) in (1..).zip(ends.chain([self.length])) {
            if end - start > longest.bytes {
                longest = LongestCell { number, bytes: end - start, within_quotes: false };
            }
            start = end + 1;
        }
        // The last one is still open.
        let last = (self.end_count - self.first_end) as u64 + 1;
        longest.within_quotes = longest.number == last && self.open.within_quotes;
        longest
    }

    /// Looks through the next block.
    fn block(&mut self) {
        let from = self.scanned;
        let Some(block) = self.text[from..].first_chunk::<BLOCK>() else { return };
        let count = BLOCK.min(self.length - from);
        let within = u64::MAX >> (BLOCK - count);
        let marks = Marks::of(block, self.delimiter);
        let (delimiters, line_ends, quotes) =
            (marks.delimiters & within, marks.line_ends & within, marks.quotes & within);
        self.scanned = from + count;
        if self.ends.len() < self.end_count + BLOCK {
            self.ends.resize(2 * self.ends.len() + BLOCK, 0);
        }
        if quotes != 0 || self.open.quoted {
            return self.quoted_block(from, delimiters | line_ends | quotes);
        }
        let cells = delimiters | line_ends;
        let before = self.end_count;
        for (end, place) in self.ends[before..before + BLOCK].iter_mut().zip(places(cells)) {
            *end = from + place;
        }
        self.end_count = before + cells.count_ones() as usize;
        for place in places(line_ends) {
            // A bit's number among all of them is that of the cell it ends.
            let ended = before + (cells & (u64::MAX >> (63 - place))).count_ones() as usize;
            self.end_line(from + place, ended);
        }
        if cells != 0 {
            self.open.cell_start = from + BLOCK - cells.leading_zeros() as usize;
        }
    }

    /// As [`RecordReader::block`], mark by mark.
    fn quoted_block(&mut self, from: usize, marks: u64) {
        for place in places(marks).map(|place| from + place) {
            match self.text[place] {
                b'"' if self.open.within_quotes => {
                    self.open.within_quotes = false;
                    self.open.after_quotes = Some(place + 1);
                }
                byte if self.open.within_quotes => self.open.lines += u64::from(byte == b'\n'),
                b'"' => {
                    let opens = place == self.open.cell_start;
                    self.open.quoted |= opens;
                    self.open.within_quotes = opens || self.open.after_quotes == Some(place);
                }
                byte => {
                    self.end_cell(place);
                    if byte != self.delimiter {
                        self.end_line(place, self.end_count);
                    }
                }
            }
        }
    }

    fn end_cell(&mut self, place: usize) {
        if self.end_count == self.ends.len() {
            self.ends.push(0);
        }
        self.ends[self.end_count] = place;
        self.end_count += 1;
        self.open.cell_start = place + 1;
    }

    /// A line ends at `place`, with the last of `ended` cells.
    fn end_line(&mut self, place: usize, ended: usize) {
        let byte = self.text[place];
        if place > self.start {
            if self.open.quoted {
                self.unquote(place);
            }
            let ended = if self.open.quoted { self.end_count } else { ended };
            let cells = ended - self.first_end;
            self.rows.push(Row { start: self.start, first_end: self.first_end, cells, line: self.line });
            self.line += 1 + self.open.lines;
            self.open = Open { cell_start: place + 1, ..Open::default() };
            self.first_end = ended;
        } else {
            let second_half = byte == b'\n' && self.after_return;
            if !second_half {
                self.blank_lines += 1;
                if self.blank_lines == 1 {
                    self.first_blank_line = self.line;
                }
                self.line += 1;
            }
            self.first_end = ended;
        }
        self.start = (place + 1).min(self.length);
        self.after_return = byte == b'\r';
    }

    /// Moves the cells of the record that ends at `end` together, without their quotes.
    fn unquote(&mut self, end: usize) {
        self.end_count = self.first_end;
        let (mut from, mut to) = (self.start, self.start);
        let mut text_behind_quote = false;
        // Of the lines within quotes, those that are a cell's from one end to the other: the most delimiters in one.
        let mut most_delimiters = None;
        loop {
            let mut within_quotes = self.text[from] == b'"' && from < end;
            let quoted = within_quotes;
            let mut delimiters_of_line = None;
            from += usize::from(within_quotes);
            while from < end && (within_quotes || self.text[from] != self.delimiter) {
                let byte = self.text[from];
                from += 1;
                text_behind_quote |= quoted && !within_quotes;
                if within_quotes && byte == b'\n' {
                    most_delimiters = most_delimiters.max(delimiters_of_line.replace(0));
                } else if within_quotes && byte == self.delimiter {
                    delimiters_of_line = delimiters_of_line.map(|count: usize| count + 1);
                }
                if within_quotes && byte == b'"' {
                    within_quotes = from < end && self.text[from] == b'"';
                    if !within_quotes {
                        continue;
                    }
                    from += 1;
                }
                self.text[to] = byte;
                to += 1;
            }
            self.end_cell(to);
            if from == end {
                break;
            }
            (from, to) = (from + 1, to + 1);
        }
        let others = self.end_count - self.first_end - 1;
        let has_line_of_file = others > 1 && most_delimiters.is_some_and(|most| most >= others);
        if text_behind_quote || has_line_of_file {
            self.misquoted += 1;
            if self.misquoted == 1 {
                self.first_misquoted = self.line;
            }
        }
    }

    /// How many records the last split found.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// One of the records that the last split found.
    pub fn record(&self, place: usize) -> Record<'_> {
        let Row { start, first_end, cells, line } = self.rows[place];
        Record { text: &self.text, start, ends: &self.ends[first_end..first_end + cells], line }
    }

    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.rows.len()).map(|place| self.record(place))
    }

    /// The text that [`RecordReader::column`] is about, and a block of zeros.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// One cell of each of some records.
    pub fn column(&self, records: std::ops::Range<usize>, index: usize) -> impl Iterator<Item = Cell> {
        self.rows[records].iter().map(move |row| {
            let end = row.first_end + index;
            let start = if index == 0 { row.start } else { self.ends[end - 1] + 1 };
            Cell { start, length: self.ends[end] - start }
        })
    }
}

pub struct Record<'a> {
    text: &'a [u8],
    start: usize,
    ends: &'a [usize],
    line: u64,
}

impl<'a> Record<'a> {
    /// Line on which it starts.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        let (text, mut start) = (self.text, self.start);
        self.ends.iter().map(move |&end| {
            let cell = &text[start..end];
            start = end + 1;
            cell
        })
    }
}

/// For each byte of a block a bit, the first byte's the lowest.
struct Marks {
    delimiters: u64,
    line_ends: u64,
    quotes: u64,
}

impl Marks {
    fn of(block: &[u8; BLOCK], delimiter: u8) -> Self {
        Marks { delimiters: bits(block, [delimiter]), line_ends: bits(block, *b"\n\r"), quotes: bits(block, *b"\"") }
    }
}

/// Which bytes of the block are one of `wanted`.
#[cfg(target_arch = "wasm32")]
fn bits<const WANTED: usize>(block: &[u8; BLOCK], wanted: [u8; WANTED]) -> u64 {
    use std::arch::wasm32::{i8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128_or};
    let mut bits = 0;
    for (place, [low, high]) in block.as_chunks::<8>().0.as_chunks::<2>().0.iter().enumerate() {
        let bytes = u64x2(u64::from_le_bytes(*low), u64::from_le_bytes(*high));
        let marked = wanted.map(|wanted| u8x16_eq(bytes, u8x16_splat(wanted))).into_iter().reduce(|a, b| v128_or(a, b));
        bits |= marked.map_or(0, |marked| u64::from(i8x16_bitmask(marked))) << (16 * place);
    }
    bits
}

/// Which bytes of the block are one of `wanted`. The compiler makes vector instructions of this.
#[cfg(not(target_arch = "wasm32"))]
fn bits<const WANTED: usize>(block: &[u8; BLOCK], wanted: [u8; WANTED]) -> u64 {
    let marked = block.map(|byte| u8::from(wanted.iter().fold(false, |found, &wanted| found | (byte == wanted))));
    let mut bits = 0;
    for (place, marked) in marked.as_chunks::<8>().0.iter().enumerate() {
        // Eight bytes of 0 or 1 become one in the highest byte of the product.
        bits |= (u64::from_le_bytes(*marked).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place);
    }
    bits
}

/// The places of the bits that are set, from the lowest.
fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        let more = bits != 0;
        bits &= bits.wrapping_sub(1);
        more.then_some(place)
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
