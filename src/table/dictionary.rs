//! A column's different values, and the hash index that finds a value's code while a table is read.
//!
//! Values lie end to end in one string, so a million short values are one allocation. The index is dropped when the
//! table is complete. Codes depend only on the order of the values, never on their hashes.
//!
//! Nearly all cells are short and their lengths follow no pattern, so that what costs most is a processor that guessed
//! wrongly how long a cell is, and what costs next is waiting for memory. Until a column has a value of more than
//! 31 bytes, its values are therefore keys: a fixed number of words each, hashed and compared without a
//! branch on the length, side by side.

mod index;
mod key;
mod repeats;
mod values;

use std::hint::black_box;

use index::Index;
pub use key::PADDING;
use key::{Key, hash, is_ascii, key};
use repeats::repeats;
use values::Values;

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

/// A dictionary being filled.
pub struct DictionaryBuilder {
    values: Values,
    /// Bytes of all values.
    length: usize,
    index: Index,
    /// In a column that numbers its rows, looking for a value is for nothing: every cell becomes a value, and now and
    /// then the repeats among them are found all at once ([`DictionaryBuilder::settle`]). So many values are known to
    /// be different.
    settled: Option<usize>,
}

/// Cells that become values unseen: so many words at least.
const UNSETTLED: usize = 1 << 20;

impl Default for DictionaryBuilder {
    fn default() -> Self {
        let values = Values::Short { each: 1, words: Vec::new() };
        DictionaryBuilder { values, length: 0, index: Index::default(), settled: None }
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
        if self.must_settle() {
            self.settle(codes);
        }
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

    fn code_all_short<const WORDS: usize>(
        &mut self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        mut repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let before = codes.len();
        let mut others = std::array::from_fn(|place| place);
        let mut other_count = cells.len();
        if self.settled.is_some() {
            codes.resize(before + cells.len(), 0);
        } else {
            other_count = self.guess_all::<WORDS>(text, cells, codes, &mut others);
        }
        for &place in &others[..other_count] {
            let cell = cells[place];
            // A text may have been too long for these keys when it was repaired.
            let coded = if self.values.each() == WORDS {
                self.code_key(key::<WORDS>(text, cell.start, cell.length), cell.of(text))?
            } else {
                self.code(cell.of(text))?
            };
            codes[before + place] = coded.code;
            if coded.repaired {
                repaired(place);
            }
        }
        Ok(())
    }

    /// Appends to `codes` those of cells that are found where they are looked for first. The places of the `others`
    /// come first in there; gives their number.
    ///
    /// A column of many values is too large for the processor's caches. Doing one step for all cells before the next
    /// lets the waits for memory overlap.
    fn guess_all<const WORDS: usize>(
        &self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        others: &mut [usize; BATCH],
    ) -> usize {
        let (mut hashes, mut likely) = ([0; BATCH], [false; BATCH]);
        for (hash, cell) in hashes.iter_mut().zip(cells) {
            *hash = key::<WORDS>(text, cell.start, cell.length).1;
        }
        let before = codes.len();
        self.index.guess(&hashes[..cells.len()], codes, &mut likely);
        let found = &codes[before..];
        let keys = self.values.keys::<WORDS>();
        if keys.len() > FAR {
            let read = |sum: u64, &code: &u32| sum ^ keys[code as usize][0];
            black_box(found.iter().fold(0, read));
        }
        // Without a branch, for there is no telling which.
        let mut other_count = 0;
        for (place, cell) in cells.iter().enumerate() {
            let (key, _) = key::<WORDS>(text, cell.start, cell.length);
            let value = keys[found[place] as usize];
            let different = key.into_iter().zip(value).fold(0, |different, (one, other)| different | (one ^ other));
            others[other_count] = place;
            other_count += usize::from(!likely[place] | (different != 0));
        }
        other_count
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
        if self.settled.is_none()
            && let Values::Long { texts, bounds } = &self.values
        {
            self.index.guess(&hashes[..cells.len()], codes, &mut [false; BATCH]);
            let read = |sum: u8, &code: &u32| sum ^ texts.get(bounds[code as usize] as usize).unwrap_or(&0);
            black_box(codes[before..].iter().fold(0, read));
        }
        codes.truncate(before);
        for (place, cell) in cells.iter().enumerate() {
            let coded = self.code_long(cell.of(text), hashes[place])?;
            codes.push(coded.code);
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
        if self.settled.is_none()
            && let Some(code) = self.index.find(hash, |code| keys[code as usize] == key)
        {
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
        if self.settled.is_none()
            && let Some(code) = self.index.find(hash, |code| text(code as usize) == cell)
        {
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
        self.index.insert(hash, self.settled.is_none());
        Ok(self.len() as u32 - 1)
    }

    /// Makes room for `values` values at once, most of which will be new. From now on codes are for the time being,
    /// until [`DictionaryBuilder::settle`].
    pub fn expect_new(&mut self, values: usize) {
        let more = values.saturating_sub(self.len());
        let each = self.length / self.len().max(1) + 1;
        self.values.reserve(more, more * each);
        self.index.reserve(more);
        if self.may_wait() {
            self.settled.get_or_insert(self.index.len());
        }
    }

    /// Long texts would take much memory.
    fn may_wait(&self) -> bool {
        self.values.each() > 0 && self.length <= (u32::MAX / 2) as usize
    }

    fn must_settle(&self) -> bool {
        self.settled.is_some_and(|settled| {
            let unsettled = (self.len() - settled) * self.values.each();
            // As many as there are at least, so that all are looked through a few times only.
            unsettled >= UNSETTLED.max(settled) || !self.may_wait()
        })
    }

    /// Gives one code to the values that are the same, in `codes`, too, which are all that were given so far.
    pub fn settle(&mut self, codes: &mut [u32]) {
        let Some(settled) = self.settled else { return };
        let repeats = repeats(self.index.hashes(), |one, other| self.values.same(one, other));
        if !repeats.is_empty() {
            self.merge(&repeats, codes);
        }
        let new = (self.len() - settled) as u64;
        // Else it is no column that numbers its rows.
        if !self.may_wait() || repeats.len() as u64 > new / 16 {
            self.settled = None;
            self.index.rebuild();
        } else {
            self.settled = Some(self.len());
        }
    }

    fn merge(&mut self, repeats: &[(u32, u32)], codes: &mut [u32]) {
        let mut firsts: Vec<u32> = (0..self.len() as u32).collect();
        for &(code, first) in repeats {
            firsts[code as usize] = first;
        }
        let keep: Vec<bool> = (0..).zip(&firsts).map(|(code, &first): (u32, &u32)| code == first).collect();
        // A value's first code comes before the others, so that it is the new one when they ask for it.
        let mut next = 0;
        for code in 0..firsts.len() {
            firsts[code] = if keep[code] { next } else { firsts[firsts[code] as usize] };
            next += u32::from(keep[code]);
        }
        for code in codes {
            *code = firsts[*code as usize];
        }
        self.length = self.values.retain(&keep);
        self.index.retain(&keep);
    }

    pub fn len(&self) -> usize {
        self.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Call [`DictionaryBuilder::settle`] first if [`DictionaryBuilder::expect_new`] was.
    pub fn finish(self) -> Dictionary {
        let (mut texts, bounds) = self.values.finish();
        texts.shrink_to_fit();
        // Every value was checked.
        Dictionary { texts: String::from_utf8(texts).unwrap_or_default(), bounds }
    }
}

#[cfg(test)]
mod tests;
