//! A column's different values, and the hash index that finds a value's code while a table is read.
//!
//! Values lie end to end in one string, so a million short values are one allocation. The index is dropped when the
//! table is complete. Codes depend only on the order of the values, never on their hashes.

/// Different values in order of first appearance; a value's place is its code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dictionary {
    texts: String,
    /// `ends[code]` is where the text of `code` ends in `texts`.
    ends: Vec<u32>,
}

impl Dictionary {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn text(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] as usize };
        &self.texts[start..self.ends[code] as usize]
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

/// Where each value's code is found by its hash: open addressing, at most three quarters full, a slot holds `hash, code + 1`.
/// A map that the outside can look into without searching, so that many look-ups can wait for memory at once.
#[derive(Default)]
struct Index {
    slots: Vec<u64>,
    used: usize,
}

impl Index {
    /// The first slot that a hash may be in; 0 is a free one.
    fn first(&self, hash: u32) -> u64 {
        if self.slots.is_empty() { 0 } else { self.slots[hash as usize & (self.slots.len() - 1)] }
    }

    /// The code of the value with this hash that `is` says it is.
    fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut place = hash as usize;
        while !self.slots.is_empty() {
            let slot = self.slots[place & (self.slots.len() - 1)];
            if slot == 0 {
                break;
            }
            if (slot >> 32) as u32 == hash && is(slot as u32 - 1) {
                return Some(slot as u32 - 1);
            }
            place += 1;
        }
        None
    }

    fn insert(&mut self, hash: u32, code: u32) {
        if 4 * (self.used + 1) > 3 * self.slots.len() {
            self.grow(self.slots.len().max(8) * 2);
        }
        self.used += 1;
        self.put((u64::from(hash) << 32) | u64::from(code + 1));
    }

    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut place = (slot >> 32) as usize & mask;
        while self.slots[place] != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }

    /// To `slots` slots, a power of two.
    fn grow(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            self.put(slot);
        }
    }
}

/// As many cells as are looked up together.
pub const BATCH: usize = 256;

/// A dictionary being filled.
#[derive(Default)]
pub struct DictionaryBuilder {
    dictionary: Dictionary,
    index: Index,
}

impl DictionaryBuilder {
    /// The code of `cell`, which gets the next one if it is new. Only new values are checked to be UTF-8.
    pub fn code(&mut self, cell: &[u8]) -> Result<Coded, TooManyValues> {
        self.code_of(cell, hash(cell))
    }

    /// The codes of up to [`BATCH`] cells, appended to `codes`; `repaired` hears of cells that were not UTF-8.
    ///
    /// A column of many values is too large for the processor's caches. Looking into the index for all cells before
    /// using any answer lets those waits overlap.
    pub fn code_all<'a>(
        &mut self,
        cells: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
        codes: &mut Vec<u32>,
        mut repaired: impl FnMut(usize),
    ) -> Result<(), TooManyValues> {
        let mut found = [(0u32, 0u64); BATCH];
        for (found, cell) in found.iter_mut().zip(cells.clone()) {
            let hash = hash(cell);
            *found = (hash, self.index.first(hash));
        }
        for (place, ((hash, slot), cell)) in found.into_iter().zip(cells).enumerate() {
            // What the slot held is still true: codes never change.
            if slot != 0 && (slot >> 32) as u32 == hash && same(self.bytes(slot as u32 - 1), cell) {
                codes.push(slot as u32 - 1);
                continue;
            }
            let coded = self.code_of(cell, hash)?;
            if coded.repaired {
                repaired(place);
            }
            codes.push(coded.code);
        }
        Ok(())
    }

    fn bytes(&self, code: u32) -> &[u8] {
        let Dictionary { texts, ends } = &self.dictionary;
        let code = code as usize;
        let start = if code == 0 { 0 } else { ends[code - 1] as usize };
        &texts.as_bytes()[start..ends[code] as usize]
    }

    fn code_of(&mut self, cell: &[u8], hash: u32) -> Result<Coded, TooManyValues> {
        if let Some(code) = self.index.find(hash, |code| same(self.bytes(code), cell)) {
            return Ok(Coded { code, repaired: false });
        }
        match std::str::from_utf8(cell) {
            Ok(text) => Ok(Coded { code: self.insert(text, hash)?, repaired: false }),
            Err(_) => {
                let text = String::from_utf8_lossy(cell).into_owned();
                Ok(Coded { code: self.code(text.as_bytes())?.code, repaired: true })
            }
        }
    }

    fn insert(&mut self, text: &str, hash: u32) -> Result<u32, TooManyValues> {
        let code = self.dictionary.ends.len() as u32;
        let end = u32::try_from(self.dictionary.texts.len() + text.len()).map_err(|_| TooManyValues)?;
        self.dictionary.texts.push_str(text);
        self.dictionary.ends.push(end);
        self.index.insert(hash, code);
        Ok(code)
    }

    /// Makes room for `values` values at once, if most of them will be new: growing step by step places each several
    /// times.
    pub fn make_room(&mut self, values: usize) {
        let more = values.saturating_sub(self.len());
        if more > self.len() {
            let each = self.dictionary.texts.len() / self.len().max(1) + 1;
            self.index.grow((values + values / 3 + 2).next_power_of_two());
            self.dictionary.ends.reserve(more);
            self.dictionary.texts.reserve(more * each);
        }
    }

    pub fn len(&self) -> usize {
        self.dictionary.len()
    }

    pub fn is_empty(&self) -> bool {
        self.dictionary.is_empty()
    }

    pub fn finish(self) -> Dictionary {
        self.dictionary
    }
}

/// Whether two byte strings are equal: most are short, and wasm has no fast comparison of memory to call.
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<8>(), other.first_chunk::<8>(), one.last_chunk::<8>(), other.last_chunk::<8>()) {
        (Some(head), Some(other_head), Some(tail), Some(other_tail)) if one.len() <= 16 => {
            head == other_head && tail == other_tail
        }
        (Some(_), ..) => one == other,
        _ => match (one.first_chunk::<4>(), other.first_chunk::<4>(), one.last_chunk::<4>(), other.last_chunk::<4>()) {
            (Some(head), Some(other_head), Some(tail), Some(other_tail)) => head == other_head && tail == other_tail,
            _ => one.iter().zip(other).all(|(one, other)| one == other),
        },
    }
}

/// Eight bytes a step with one 64-bit multiplication, which wasm has; the common hashers for byte strings multiply to
/// 128 bits, which it lacks.
fn hash(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, word: u64| {
        let product = (state ^ word).wrapping_mul(FACTOR);
        product ^ (product >> 32)
    };
    let mut state = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    // The last bytes in at most two loads, which may overlap.
    let last = match (rest, rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (_, Some(head), Some(tail)) => {
            u64::from(u32::from_le_bytes(*head)) | (u64::from(u32::from_le_bytes(*tail)) << 32)
        }
        ([first, .., last], _, _) => {
            u64::from(*first) | (u64::from(rest[rest.len() / 2]) << 8) | (u64::from(*last) << 16)
        }
        ([only], _, _) => u64::from(*only),
        ([], _, _) => 0,
    };
    mix(mix(state, last), 0) as u32
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
            let cells = batch.iter().map(Vec::as_slice);
            batched.code_all(cells, &mut codes, |place| repaired.push(number * BATCH + place)).unwrap();
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
