//! A column's different values, and the hash index that finds a value's code while a table is read.
//!
//! Values lie end to end in one string, so a million short values are one allocation. The index is dropped when the
//! table is complete. Codes depend only on the order of the values, never on their hashes.

use hashbrown::HashTable;

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

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    code: u32,
}

/// A dictionary being filled.
#[derive(Default)]
pub struct DictionaryBuilder {
    dictionary: Dictionary,
    index: HashTable<Entry>,
}

impl DictionaryBuilder {
    /// The code of `cell`, which gets the next one if it is new. Only new values are checked to be UTF-8.
    pub fn code(&mut self, cell: &[u8]) -> Result<Coded, TooManyValues> {
        let hash = hash(cell);
        let Dictionary { texts, ends } = &self.dictionary;
        let found = self.index.find(hash, |entry| {
            let code = entry.code as usize;
            let start = if code == 0 { 0 } else { ends[code - 1] as usize };
            entry.hash == hash as u32 && same(&texts.as_bytes()[start..ends[code] as usize], cell)
        });
        if let Some(entry) = found {
            return Ok(Coded { code: entry.code, repaired: false });
        }
        match std::str::from_utf8(cell) {
            Ok(text) => Ok(Coded { code: self.insert(text, hash)?, repaired: false }),
            Err(_) => {
                let text = String::from_utf8_lossy(cell).into_owned();
                Ok(Coded { code: self.code(text.as_bytes())?.code, repaired: true })
            }
        }
    }

    fn insert(&mut self, text: &str, hash: u64) -> Result<u32, TooManyValues> {
        let code = self.dictionary.ends.len() as u32;
        let end = u32::try_from(self.dictionary.texts.len() + text.len()).map_err(|_| TooManyValues)?;
        self.dictionary.texts.push_str(text);
        self.dictionary.ends.push(end);
        // The stored half of the hash is enough to place the entry again when the index grows.
        self.index.insert_unique(hash, Entry { hash: hash as u32, code }, |entry| spread(entry.hash));
        Ok(code)
    }

    /// Makes room for `values` values at once, if most of them will be new: growing step by step places each several
    /// times.
    pub fn expect(&mut self, values: usize) {
        let more = values.saturating_sub(self.len());
        if more > self.len() {
            let each = self.dictionary.texts.len() / self.len().max(1) + 1;
            self.index.reserve(more, |entry| spread(entry.hash));
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

/// 64 bits whose upper half hashbrown can tell entries apart by, from the 32 that entries keep.
fn spread(hash: u32) -> u64 {
    u64::from(hash) | (u64::from(hash) << 32)
}

/// Eight bytes a step with one 64-bit multiplication, which wasm has; the common hashers for byte strings multiply to
/// 128 bits, which it lacks.
fn hash(bytes: &[u8]) -> u64 {
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
    spread(mix(mix(state, last), 0) as u32)
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
    fn invalid_bytes_become_one_repaired_value() {
        let mut builder = DictionaryBuilder::default();
        let plain = builder.code("a\u{FFFD}".as_bytes()).unwrap();
        let broken = builder.code(b"a\xff").unwrap();
        assert_eq!((plain.code, plain.repaired), (0, false));
        assert_eq!((broken.code, broken.repaired), (0, true));
    }
}
