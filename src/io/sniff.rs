//! Guesses about a CSV file from its first bytes: is it text at all, which delimiter, is there a header.
//!
//! Each guess is shown to the person and can be corrected, so none is final.

use super::encoding::{Encoding, Transcoder};
use super::records::{Record, RecordReader};

/// Delimiters that are tried, in order of preference among equals.
pub const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How many records of the sample are looked at.
const RECORDS: usize = 200;

/// What a file is when it is not text: its name and what to do about it.
pub fn not_text(sample: &[u8]) -> Option<(&'static str, &'static str)> {
    const UNPACK: &str = "Unpack it and choose the CSV file inside.";
    const SAVE_AS: &str = "Open it in the program it comes from and save it as CSV.";
    let signatures: [(&[u8], &str, &str); 9] = [
        (b"PK\x03\x04", "an Excel workbook or a zip archive", "Save the workbook as CSV, or unpack the archive."),
        (b"\xD0\xCF\x11\xE0", "an old Excel or Word file", SAVE_AS),
        (b"\x1F\x8B", "compressed with gzip", UNPACK),
        (b"BZh", "compressed with bzip2", UNPACK),
        (b"\xFD7zXZ", "compressed with xz", UNPACK),
        (b"\x28\xB5\x2F\xFD", "compressed with zstd", UNPACK),
        (b"PAR1", "a Parquet file", SAVE_AS),
        (b"%PDF", "a PDF", "Ask for the table itself as CSV."),
        (b"SQLite format 3", "an SQLite database", SAVE_AS),
    ];
    if let Some((_, what, next)) = signatures.iter().find(|(signature, _, _)| sample.starts_with(signature)) {
        return Some((what, next));
    }
    if matches!(Encoding::guess(sample), Encoding::Utf16le | Encoding::Utf16be) {
        return None;
    }
    let control = |byte: &&u8| matches!(**byte, 0..=8 | 14..=31 | 127);
    let share = sample.iter().filter(control).count() as f64 / sample.len().max(1) as f64;
    (share > 0.02).then_some(("not text but a binary file", "Choose a CSV file: plain text with one row a line."))
}

/// The first records of a sample in a given delimiter, without one that the sample's end may have cut.
pub(crate) fn first_records(text: &[u8], delimiter: u8, whole_file: bool) -> Vec<Vec<String>> {
    let reader = RecordReader::of(text, delimiter, whole_file);
    let cells = |record: Record| record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
    reader.records().take(RECORDS).map(cells).collect()
}

pub struct Sample {
    text: Vec<u8>,
    whole_file: bool,
}

impl Sample {
    pub fn new(bytes: &[u8], encoding: Encoding, whole_file: bool) -> Self {
        let mut text = bytes.to_vec();
        Transcoder::new(encoding).decode(&mut text, 0, whole_file);
        Sample { text, whole_file }
    }

    /// The delimiter that cuts the most records into the same number of cells, more than one; a comma if none does.
    pub fn delimiter(&self) -> u8 {
        let mut best = (0.0, 1, b',');
        for delimiter in DELIMITERS {
            let widths: Vec<usize> =
                first_records(&self.text, delimiter, self.whole_file).iter().map(Vec::len).collect();
            let Some((width, records)) = most_frequent(&widths) else { continue };
            let agreement = records as f64 / widths.len() as f64;
            if width > 1 && (agreement, width) > (best.0, best.1) {
                best = (agreement, width, delimiter);
            }
        }
        best.2
    }

    /// Whether the first record names the columns. It does not when one of its cells is a number in a column of
    /// numbers, or when most of its cells come again below.
    pub fn header(&self, delimiter: u8) -> bool {
        let records = first_records(&self.text, delimiter, self.whole_file);
        let Some((first, rest)) = records.split_first() else { return true };
        if rest.is_empty() {
            return !first.iter().any(|cell| is_number(cell));
        }
        let column = |index: usize| rest.iter().filter_map(move |record| record.get(index));
        let mut again = 0;
        for (index, cell) in first.iter().enumerate() {
            let numbers = column(index).filter(|cell| is_number(cell)).count();
            if is_number(cell) && 2 * numbers > rest.len() {
                return false;
            }
            again += usize::from(!cell.is_empty() && column(index).any(|below| below == cell));
        }
        2 * again <= first.len()
    }
}

fn is_number(cell: &str) -> bool {
    !cell.trim().is_empty() && cell.trim().parse::<f64>().is_ok_and(f64::is_finite)
}

/// The most frequent width and how often it comes; among equals the larger.
fn most_frequent(widths: &[usize]) -> Option<(usize, usize)> {
    let count = |width: usize| widths.iter().filter(|&&other| other == width).count();
    widths.iter().map(|&width| (count(width), width)).max().map(|(count, width)| (width, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> Sample {
        Sample::new(text.as_bytes(), Encoding::Utf8, true)
    }

    #[test]
    fn delimiters() {
        assert_eq!(sample("a;b;c\n1,5;2;3\n4;5,5;6\n").delimiter(), b';');
        assert_eq!(sample("a\tb\nx, y\t2\n").delimiter(), b'\t');
        assert_eq!(sample("a|b|c\n1|2|3\n").delimiter(), b'|');
        assert_eq!(sample("only\none\ncolumn\n").delimiter(), b',');
        assert_eq!(sample("\"a;b\",c\n\"d;e\",f\n").delimiter(), b',');
    }

    #[test]
    fn headers() {
        assert!(sample("age,sex\n30,m\n31,f\n").header(b','));
        assert!(!sample("30,m\n31,f\n32,m\n").header(b','));
        assert!(!sample("m,x\nf,y\nm,x\n").header(b','));
        assert!(sample("2019,2020\na,b\nc,d\n").header(b','));
        assert!(sample("name,city\nAnn,Bonn\n").header(b','));
    }

    #[test]
    fn binaries() {
        assert!(not_text(b"PK\x03\x04rest").is_some());
        assert!(not_text(&[7; 100]).is_some());
        assert!(not_text(b"a,b\n1,2\n").is_none());
        assert!(not_text(b"a\0,\0b\0\n\0").is_none());
        assert!(not_text("Zürich;1\r\n".as_bytes()).is_none());
    }
}
