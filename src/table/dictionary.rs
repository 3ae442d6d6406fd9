//! A column's different values, and the hash index that finds a value's code while a table is read.
//!
//! Values lie end to end in one string, so a million short values are one allocation. The index is dropped when the
//! table is complete. Codes depend only on the order of the values, never on their hashes.
//!
//! Nearly all cells are short and their lengths follow no pattern, so that what costs most is a processor that guessed
//! wrongly how long a cell is. Cells of up to [`SHORT`] bytes are therefore hashed and compared as a fixed number of
//! words, zeros after the cell, without a branch on the length.

use std::hint::black_box;

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

/// Where each value's code is found by its hash: open addressing, at most half full. With 2^b slots, a slot holds
/// `code + 1` in its low b bits and those of the hash in the others, which settle nearly all comparisons.
///
/// A map that the outside can look into without searching, so that many look-ups can wait for memory at once.
struct Index {
    slots: Vec<u32>,
    /// The hash of each code.
    hashes: Vec<u32>,
}

/// A table of few values is roomier: that a value is not where it is first looked for costs more than memory does.
const ROOMY: usize = 1 << 12;

impl Index {
    /// The bits that are a slot's code, and a hash's place.
    fn mask(&self) -> u32 {
        (self.slots.len() - 1) as u32
    }

    /// The code of the value with this hash that `is` says it is.
    fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.mask();
        let mut place = hash & mask;
        loop {
            let slot = self.slots[place as usize];
            if slot == 0 {
                return None;
            }
            let code = (slot & mask) - 1;
            if (slot ^ hash) & !mask == 0 && is(code) {
                return Some(code);
            }
            place = (place + 1) & mask;
        }
    }

    /// Gives the next code to a value with this hash.
    fn insert(&mut self, hash: u32) {
        let room = self.slots.len() / if self.slots.len() <= ROOMY { 8 } else { 2 };
        if self.hashes.len() == room {
            self.grow(self.slots.len() * 2);
        }
        self.hashes.push(hash);
        self.put(hash, self.hashes.len() as u32);
    }

    fn put(&mut self, hash: u32, next_code: u32) {
        let mask = self.mask();
        let mut place = hash & mask;
        while self.slots[place as usize] != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place as usize] = (hash & !mask) | next_code;
    }

    /// To `slots` slots, a power of two.
    fn grow(&mut self, slots: usize) {
        self.slots = vec![0; slots];
        for code in 0..self.hashes.len() {
            self.put(self.hashes[code], code as u32 + 1);
        }
    }
}

/// As many cells as are looked up together.
pub const BATCH: usize = 1024;

/// Cells of up to this many bytes are handled as words.
const SHORT: usize = 32;
/// Bytes that must follow a text whose cells are read as words.
pub const PADDING: usize = SHORT;

/// With more values than this they are too many for the processor's nearest caches.
const FAR: usize = 1 << 13;

/// A dictionary being filled.
pub struct DictionaryBuilder {
    /// The first `length` bytes are values; at least [`PADDING`] more follow.
    texts: Vec<u8>,
    length: usize,
    bounds: Vec<u32>,
    index: Index,
}

impl Default for DictionaryBuilder {
    fn default() -> Self {
        let index = Index { slots: vec![0; 16], hashes: Vec::new() };
        DictionaryBuilder { texts: vec![0; PADDING], length: 0, bounds: vec![0], index }
    }
}

impl DictionaryBuilder {
    /// The code of `cell`, which gets the next one if it is new. Only new values are checked to be UTF-8.
    pub fn code(&mut self, cell: &[u8]) -> Result<Coded, TooManyValues> {
        self.code_of(cell, hash(cell))
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
        if self.is_empty()
            && let Some(first) = cells.first()
        {
            // So that there is a value to compare with. Repaired or not, it is found again.
            self.code(&text[first.start..first.start + first.length])?;
        }
        match cells.iter().map(|cell| cell.length).max().unwrap_or(0) {
            0..=8 => self.code_short::<1>(text, cells, codes, repaired),
            9..=16 => self.code_short::<2>(text, cells, codes, repaired),
            17..=SHORT => self.code_short::<4>(text, cells, codes, repaired),
            _ => self.code_long(text, cells, codes, repaired),
        }
    }

    /// Cells of up to 8 · `WORDS` bytes.
    ///
    /// A column of many values is too large for the processor's caches. Doing one step for all cells before the next
    /// lets the waits for memory overlap.
    fn code_short<const WORDS: usize>(
        &mut self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        mut repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let (mut hashes, mut slots) = ([0; BATCH], [0; BATCH]);
        for (hash, cell) in hashes.iter_mut().zip(cells) {
            *hash = hash_words(words::<WORDS>(text, cell.start, cell.length), cell.length);
        }
        let found = self.first_codes(&hashes[..cells.len()], &mut slots, codes);
        let mask = self.index.mask();
        // The places of cells that are not in their first slot. What a slot held stays true: codes never change.
        let (mut others, mut other_count) = ([0; BATCH], 0);
        for (place, cell) in cells.iter().enumerate() {
            let words = words::<WORDS>(text, cell.start, cell.length);
            let slot = slots[place];
            let is = (slot != 0) & ((slot ^ hashes[place]) & !mask == 0) & self.is(found[place], words, cell.length);
            others[other_count] = place;
            other_count += usize::from(!is);
        }
        for &place in &others[..other_count] {
            let Cell { start, length } = cells[place];
            let words = words::<WORDS>(text, start, length);
            let hash = hashes[place];
            found[place] = match self.index.find(hash, |code| self.is(code, words, length)) {
                Some(code) => code,
                // All ASCII.
                None if words.iter().all(|word| word & 0x8080_8080_8080_8080 == 0) => {
                    let end = self.length;
                    let code = self.insert(length, hash)?;
                    for (to, word) in self.texts[end..].as_chunks_mut::<8>().0.iter_mut().zip(words) {
                        *to = word.to_le_bytes();
                    }
                    code
                }
                None => {
                    let coded = self.code_new(&text[start..start + length], hash)?;
                    if coded.repaired {
                        repaired(place);
                    }
                    coded.code
                }
            };
        }
        Ok(())
    }

    /// Cells of any length.
    fn code_long(
        &mut self,
        text: &[u8],
        cells: &[Cell],
        codes: &mut Vec<u32>,
        mut repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let bytes = |cell: &Cell| &text[cell.start..cell.start + cell.length];
        let mut hashes = [0; BATCH];
        for (known, cell) in hashes.iter_mut().zip(cells) {
            *known = hash(bytes(cell));
        }
        let found = self.first_codes(&hashes[..cells.len()], &mut [0; BATCH], codes);
        for (place, cell) in cells.iter().enumerate() {
            let coded = self.code_of(bytes(cell), hashes[place])?;
            found[place] = coded.code;
            if coded.repaired {
                repaired(place);
            }
        }
        Ok(())
    }

    /// Looks up the first slots of hashes and appends the codes in them to `codes`: what was appended. In free slots
    /// that is any code. With many values, reads the beginning of each, so that it is near when it is compared.
    fn first_codes<'a>(&self, hashes: &[u32], slots: &mut [u32; BATCH], codes: &'a mut Vec<u32>) -> &'a mut [u32] {
        let mask = self.index.mask();
        for (slot, hash) in slots.iter_mut().zip(hashes) {
            *slot = self.index.slots[(hash & mask) as usize];
        }
        let before = codes.len();
        codes.extend(slots[..hashes.len()].iter().map(|slot| (slot & mask).saturating_sub(1)));
        let found = &mut codes[before..];
        if self.len() > FAR {
            let mut starts = [0; BATCH];
            for (start, &code) in starts.iter_mut().zip(&*found) {
                *start = self.bounds[code as usize] as usize;
            }
            let read = |sum: u8, start: &usize| sum ^ self.texts[*start];
            black_box(starts[..found.len()].iter().fold(0, read));
        }
        found
    }

    /// Whether a value is this cell of up to 8 · `WORDS` bytes.
    fn is<const WORDS: usize>(&self, code: u32, cell: [u64; WORDS], length: usize) -> bool {
        let start = self.bounds[code as usize] as usize;
        let end = self.bounds[code as usize + 1] as usize;
        let mut different = (end - start) as u64 ^ length as u64;
        for (one, other) in words::<WORDS>(&self.texts, start, length).into_iter().zip(cell) {
            different |= one ^ other;
        }
        different == 0
    }

    fn bytes(&self, code: u32) -> &[u8] {
        &self.texts[self.bounds[code as usize] as usize..self.bounds[code as usize + 1] as usize]
    }

    fn code_of(&mut self, cell: &[u8], hash: u32) -> Result<Coded, TooManyValues> {
        match self.index.find(hash, |code| self.bytes(code) == cell) {
            Some(code) => Ok(Coded { code, repaired: false }),
            None => self.code_new(cell, hash),
        }
    }

    /// The code of a cell that is not a value yet, unless repairing makes it one.
    fn code_new(&mut self, cell: &[u8], hash: u32) -> Result<Coded, TooManyValues> {
        if std::str::from_utf8(cell).is_err() {
            let text = String::from_utf8_lossy(cell).into_owned();
            return Ok(Coded { code: self.code(text.as_bytes())?.code, repaired: true });
        }
        let start = self.length;
        let code = self.insert(cell.len(), hash)?;
        self.texts[start..start + cell.len()].copy_from_slice(cell);
        Ok(Coded { code, repaired: false })
    }

    /// A new value of this length, whose text is still to be written.
    fn insert(&mut self, length: usize, hash: u32) -> Result<u32, TooManyValues> {
        let code = self.len() as u32;
        self.length += length;
        self.bounds.push(u32::try_from(self.length).map_err(|_| TooManyValues)?);
        if self.texts.len() < self.length + PADDING {
            self.texts.resize(2 * self.length + PADDING, 0);
        }
        self.index.insert(hash);
        Ok(code)
    }

    /// Makes room for `values` values at once, if most of them will be new: growing step by step places each several
    /// times.
    pub fn make_room(&mut self, values: usize) {
        let more = values.saturating_sub(self.len());
        if more > self.len() {
            let each = self.length / self.len().max(1) + 1;
            self.index.grow((2 * values).next_power_of_two());
            self.index.hashes.reserve(more);
            self.bounds.reserve(more);
            self.texts.resize(self.length + more * each + PADDING, 0);
        }
    }

    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn finish(mut self) -> Dictionary {
        self.texts.truncate(self.length);
        self.texts.shrink_to_fit();
        // Every value was checked.
        let texts = String::from_utf8(self.texts).unwrap_or_default();
        Dictionary { texts, bounds: self.bounds }
    }
}

/// For each length up to [`SHORT`] the bytes that belong to the cell.
const WITHIN: [[u64; SHORT / 8]; SHORT + 1] = {
    let mut within = [[0; SHORT / 8]; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        within[length] = within[length - 1];
        within[length][(length - 1) / 8] |= 0xFF << (8 * ((length - 1) % 8));
        length += 1;
    }
    within
};

/// A cell of up to 8 · `WORDS` bytes and zeros after it.
#[inline]
fn words<const WORDS: usize>(text: &[u8], start: usize, length: usize) -> [u64; WORDS] {
    let within = &WITHIN[length.min(SHORT)];
    let words = text[start..start + 8 * WORDS].as_chunks::<8>().0;
    std::array::from_fn(|place| u64::from_le_bytes(words[place]) & within[place])
}

/// 64-bit multiplications only, which wasm has; the common hashers for byte strings multiply to 128 bits, which it lacks.
fn hash(bytes: &[u8]) -> u32 {
    let mut padded = [0; SHORT];
    if let Some(start) = padded.get_mut(..bytes.len()) {
        start.copy_from_slice(bytes);
        return hash_words(words::<{ SHORT / 8 }>(&padded, 0, bytes.len()), bytes.len());
    }
    let (blocks, rest) = bytes.as_chunks::<SHORT>();
    let mut state = u64::from(hash(rest));
    for block in blocks {
        let block = hash_words(words::<{ SHORT / 8 }>(block, 0, SHORT), SHORT);
        state = (state ^ u64::from(block)).wrapping_mul(FACTORS[0]).rotate_left(29);
    }
    (state >> 32) as u32
}

/// Odd, and else at random.
const FACTORS: [u64; 5] =
    [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5];

/// Words of zeros after the cell change nothing.
#[inline]
fn hash_words<const WORDS: usize>(words: [u64; WORDS], length: usize) -> u32 {
    let mut sum = (length as u64).wrapping_mul(FACTORS[4]);
    for (word, factor) in words.into_iter().zip(FACTORS) {
        // The low bits of a product know nothing of the high bits of the word.
        let product = word.wrapping_mul(factor);
        sum = sum.wrapping_add(product ^ (product >> 32));
    }
    (sum.wrapping_mul(FACTORS[0]) >> 32) as u32
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
