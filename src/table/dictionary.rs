//! A column's different values, and the hash index that finds a value's code while a table is read.
//!
//! Values lie end to end in one string, so a million short values are one allocation. The index is dropped when the
//! table is complete. Codes depend only on the order of the values, never on their hashes.
//!
//! Nearly all cells are short and their lengths follow no pattern, so that what costs most is a processor that guessed
//! wrongly how long a cell is, and what costs next is waiting for memory. Until a column has a value of more than
//! [`SHORT`] bytes, its values are therefore [`Key`]s: a fixed number of words each, hashed and compared without a
//! branch on the length, side by side.

mod index;
mod key;

use std::hint::black_box;

use index::Index;
pub use key::PADDING;
use key::{Key, SHORT, hash, is_ascii, key};

/// Different values in order of first appearance; a value's place is its code.
#[derive(Clone, Debug, PartialEq)]
pub struct Dictionary {
    texts: String,
    /// The text of `code` is from `bounds[code]` to `bounds[code + 1]` in `texts`.
    bounds: Vec<u32>,
}

impl Default for Dictionary {
    fn default() -> Self {
        Dictionary { texts: String::new(), bounds: vec![0] }
    }
}

impl Dictionary {
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn text(&self, code: u32) -> &str {
        let code = code as usize;
        &self.texts[self.bounds[code] as usize..self.bounds[code + 1] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.text(code))
    }

    /// Whether any value contains this character: one look through all texts.
    pub fn contains(&self, character: char) -> bool {
        self.texts.contains(character)
    }
}

/// One column's values take more than 4 GB of text.
#[derive(Debug, PartialEq)]
pub struct TooManyValues;

/// What a cell became when it was put into the dictionary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coded {
    pub code: u32,
    /// The bytes were not UTF-8; U+FFFD stands where they could not be read.
    pub repaired: bool,
}

/// Where a cell lies in a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    pub start: usize,
    pub length: usize,
}

impl Cell {
    fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.start + self.length]
    }
}

/// As many cells as are looked up together.
pub const BATCH: usize = 1024;

/// With more values than this they are too many for the processor's nearest caches.
const FAR: usize = 1 << 13;

/// The values of a dictionary being filled.
enum Values {
    /// As keys of `each` words.
    Short { each: usize, words: Vec<u64> },
    /// As the dictionary has them.
    Long { texts: Vec<u8>, bounds: Vec<u32> },
}

impl Values {
    /// Words of a key; 0 when values are not keys.
    fn each(&self) -> usize {
        match self {
            Values::Short { each, .. } => *each,
            Values::Long { .. } => 0,
        }
    }

    fn keys<const WORDS: usize>(&self) -> &[Key<WORDS>] {
        match self {
            Values::Short { each, words } if *each == WORDS => words.as_chunks().0,
            _ => &[],
        }
    }

    /// Makes all values of a form that texts of this length fit, too.
    fn fit(&mut self, longest: usize) {
        let Values::Short { each, words } = self else { return };
        let needed = longest / 8 + 1;
        if longest > SHORT {
            *self = Values::long(words, *each);
        } else if needed > *each {
            let mut wider = Vec::with_capacity(words.len() / *each * needed);
            for old in words.chunks_exact(*each) {
                let start = wider.len();
                wider.extend_from_slice(old);
                wider.resize(start + needed, 0);
                // The length moves to the new last byte.
                let length = wider[start + *each - 1] >> 56 << 56;
                wider[start + *each - 1] ^= length;
                wider[start + needed - 1] |= length;
            }
            *self = Values::Short { each: needed, words: wider };
        }
    }

    fn long(words: &[u64], each: usize) -> Values {
        let keys = words.chunks_exact(each);
        let length: usize = keys.clone().map(|key| key::length(key[each - 1])).sum();
        let mut texts = Vec::with_capacity(length + PADDING);
        let mut bounds = Vec::with_capacity(keys.len() + 1);
        bounds.push(0);
        for key in keys {
            let end = texts.len() + key::length(key[each - 1]);
            for word in key {
                texts.extend_from_slice(&word.to_le_bytes());
            }
            texts.truncate(end);
            bounds.push(end as u32);
        }
        Values::Long { texts, bounds }
    }
}

/// A dictionary being filled.
pub struct DictionaryBuilder {
    values: Values,
    /// Bytes of all values.
    length: usize,
    index: Index,
}

impl Default for DictionaryBuilder {
    fn default() -> Self {
        let values = Values::Short { each: 1, words: Vec::new() };
        DictionaryBuilder { values, length: 0, index: Index::default() }
    }
}

impl DictionaryBuilder {
    /// The code of `cell`, which gets the next one if it is new. Only new values are checked to be UTF-8.
    pub fn code(&mut self, cell: &[u8]) -> Result<Coded, TooManyValues> {
        self.values.fit(cell.len());
        match self.values.each() {
            1 => self.code_short::<1>(cell),
            2 => self.code_short::<2>(cell),
            3 => self.code_short::<3>(cell),
            4 => self.code_short::<4>(cell),
            _ => self.code_long(cell, hash(cell)),
        }
    }

    /// The codes of up to [`BATCH`] cells of `text`, appended to `codes`; `repaired` hears of cells that were not UTF-8.
    /// After the last cell, `text` has [`PADDING`] more bytes.
    pub fn code_all(
        &mut self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let Some(first) = cells.first() else { return Ok(()) };
        self.values.fit(cells.iter().map(|cell| cell.length).max().unwrap_or(0));
        if self.is_empty() {
            // So that there is a value to compare with. Repaired or not, it is found again.
            self.code(first.of(text))?;
        }
        match self.values.each() {
            1 => self.code_all_short::<1>(text, cells, codes, repaired),
            2 => self.code_all_short::<2>(text, cells, codes, repaired),
            3 => self.code_all_short::<3>(text, cells, codes, repaired),
            4 => self.code_all_short::<4>(text, cells, codes, repaired),
            _ => self.code_all_long(text, cells, codes, repaired),
        }
    }

    /// A column of many values is too large for the processor's caches. Doing one step for all cells before the next
    /// lets the waits for memory overlap.
    fn code_all_short<const WORDS: usize>(
        &mut self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        mut repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let (mut hashes, mut likely) = ([0; BATCH], [false; BATCH]);
        for (hash, cell) in hashes.iter_mut().zip(cells) {
            *hash = key::<WORDS>(text, cell.start, cell.length).1;
        }
        let before = codes.len();
        self.index.guess(&hashes[..cells.len()], codes, &mut likely);
        let found = &mut codes[before..];
        let keys = self.values.keys::<WORDS>();
        if keys.len() > FAR {
            let read = |sum: u64, &code: &u32| sum ^ keys[code as usize][0];
            black_box(found.iter().fold(0, read));
        }
        // The places of cells whose code was not guessed; without a branch, for there is no telling which.
        let (mut others, mut other_count) = ([0; BATCH], 0);
        for (place, cell) in cells.iter().enumerate() {
            let (key, _) = key::<WORDS>(text, cell.start, cell.length);
            let value = keys[found[place] as usize];
            let different = key.into_iter().zip(value).fold(0, |different, (one, other)| different | (one ^ other));
            others[other_count] = place;
            other_count += usize::from(!likely[place] | (different != 0));
        }
        for &place in &others[..other_count] {
            let cell = cells[place];
            // A text may have been too long for these keys when it was repaired.
            let coded = if self.values.each() == WORDS {
                self.code_key(key::<WORDS>(text, cell.start, cell.length), cell.of(text))?
            } else {
                self.code(cell.of(text))?
            };
            found[place] = coded.code;
            if coded.repaired {
                repaired(place);
            }
        }
        Ok(())
    }

    fn code_all_long(
        &mut self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        mut repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let mut hashes = [0; BATCH];
        for (known, cell) in hashes.iter_mut().zip(cells) {
            *known = hash(cell.of(text));
        }
        let before = codes.len();
        self.index.guess(&hashes[..cells.len()], codes, &mut [false; BATCH]);
        let found = &mut codes[before..];
        if let Values::Long { texts, bounds } = &self.values {
            let read = |sum: u8, &code: &u32| sum ^ texts.get(bounds[code as usize] as usize).unwrap_or(&0);
            black_box(found.iter().fold(0, read));
        }
        for (place, cell) in cells.iter().enumerate() {
            let coded = self.code_long(cell.of(text), hashes[place])?;
            found[place] = coded.code;
            if coded.repaired {
                repaired(place);
            }
        }
        Ok(())
    }

    fn code_short<const WORDS: usize>(&mut self, cell: &[u8]) -> Result<Coded, TooManyValues> {
        let mut padded = [0; PADDING];
        padded[..cell.len()].copy_from_slice(cell);
        self.code_key(key::<WORDS>(&padded, 0, cell.len()), cell)
    }

    /// The code of the cell with this key, of as many words as the values' keys are.
    fn code_key<const WORDS: usize>(
        &mut self,
        (key, hash): (Key<WORDS>, u32),
        cell: &[u8],
    ) -> Result<Coded, TooManyValues> {
        let keys = self.values.keys::<WORDS>();
        if let Some(code) = self.index.find(hash, |code| keys[code as usize] == key) {
            return Ok(Coded { code, repaired: false });
        }
        if !is_ascii(key) && std::str::from_utf8(cell).is_err() {
            return self.code_repaired(cell);
        }
        let code = self.insert(cell.len(), hash)?;
        if let Values::Short { words, .. } = &mut self.values {
            words.extend(key);
        }
        Ok(Coded { code, repaired: false })
    }

    fn code_long(&mut self, cell: &[u8], hash: u32) -> Result<Coded, TooManyValues> {
        let Values::Long { texts, bounds } = &self.values else { return self.code(cell) };
        let text = |code: usize| &texts[bounds[code] as usize..bounds[code + 1] as usize];
        if let Some(code) = self.index.find(hash, |code| text(code as usize) == cell) {
            return Ok(Coded { code, repaired: false });
        }
        if std::str::from_utf8(cell).is_err() {
            return self.code_repaired(cell);
        }
        let code = self.insert(cell.len(), hash)?;
        if let Values::Long { texts, bounds } = &mut self.values {
            texts.extend_from_slice(cell);
            bounds.push(texts.len() as u32);
        }
        Ok(Coded { code, repaired: false })
    }

    fn code_repaired(&mut self, cell: &[u8]) -> Result<Coded, TooManyValues> {
        let text = String::from_utf8_lossy(cell).into_owned();
        Ok(Coded { code: self.code(text.as_bytes())?.code, repaired: true })
    }

    /// The code of a new value of this length.
    fn insert(&mut self, length: usize, hash: u32) -> Result<u32, TooManyValues> {
        self.length += length;
        u32::try_from(self.length).map_err(|_| TooManyValues)?;
        self.index.insert(hash);
        Ok(self.len() as u32 - 1)
    }

    /// Makes room for `values` values at once, if most of them will be new: growing step by step places each several
    /// times.
    pub fn make_room(&mut self, values: usize) {
        let more = values.saturating_sub(self.len());
        if more > self.len() {
            let each = self.length / self.len().max(1) + 1;
            self.index.make_room(values);
            match &mut self.values {
                Values::Short { each, words } => words.reserve(more * *each),
                Values::Long { texts, bounds } => {
                    texts.reserve(more * each);
                    bounds.reserve(more);
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn finish(self) -> Dictionary {
        let values = match self.values {
            Values::Short { each, words } => Values::long(&words, each),
            long => long,
        };
        let Values::Long { mut texts, bounds } = values else { return Dictionary::default() };
        texts.shrink_to_fit();
        // Every value was checked.
        Dictionary { texts: String::from_utf8(texts).unwrap_or_default(), bounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance_and_find_their_text_again() {
        let mut builder = DictionaryBuilder::default();
        let words: Vec<String> = (0..5000).map(|i| format!("value {}", i % 1237)).collect();
        let codes: Vec<u32> = words.iter().map(|word| builder.code(word.as_bytes()).unwrap().code).collect();
        let dictionary = builder.finish();
        assert_eq!(dictionary.len(), 1237);
        for (word, code) in words.iter().zip(codes) {
            assert_eq!(dictionary.text(code), word);
        }
        assert_eq!(dictionary.text(0), "value 0");
    }

    #[test]
    fn batches_give_the_codes_of_single_cells() {
        // Short and long, repeated and new, empty, and some that are not UTF-8.
        let cell = |i: u32| match i % 7 {
            0 => vec![0xFF; (i % 3) as usize],
            _ => format!("{:0width$}", i.wrapping_mul(2654435761) % 900, width = (i % 20) as usize).into_bytes(),
        };
        let cells: Vec<Vec<u8>> = (0..3000).map(cell).collect();
        let mut single = DictionaryBuilder::default();
        let expected: Vec<Coded> = cells.iter().map(|cell| single.code(cell).unwrap()).collect();
        let mut batched = DictionaryBuilder::default();
        let (mut codes, mut repaired) = (Vec::new(), Vec::new());
        for (number, batch) in cells.chunks(BATCH).enumerate() {
            batched.make_room(if number == 1 { 2000 } else { 0 });
            // Cells side by side, as in a file.
            let mut text = batch.concat();
            let mut start = 0;
            let mut cell = |bytes: &Vec<u8>| {
                start += bytes.len();
                Cell { start: start - bytes.len(), length: bytes.len() }
            };
            let cells: Vec<Cell> = batch.iter().map(&mut cell).collect();
            text.extend([0xEE; PADDING]);
            batched.code_all(&text, &cells, &mut codes, |place| repaired.push(number * BATCH + place)).unwrap();
        }
        assert_eq!(codes, expected.iter().map(|coded| coded.code).collect::<Vec<_>>());
        assert_eq!(repaired, (0..cells.len()).filter(|&place| expected[place].repaired).collect::<Vec<_>>());
        assert_eq!(batched.finish(), single.finish());
    }

    #[test]
    fn invalid_bytes_become_one_repaired_value() {
        let mut builder = DictionaryBuilder::default();
        let plain = builder.code("a\u{FFFD}".as_bytes()).unwrap();
        let broken = builder.code(b"a\xff").unwrap();
        assert_eq!((plain.code, plain.repaired), (0, false));
        assert_eq!((broken.code, broken.repaired), (0, true));
    }
}
