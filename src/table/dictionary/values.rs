//! The values of a dictionary being filled: keys while all are short.

use super::key::{self, Key, PADDING, SHORT};

/// The values of a dictionary being filled.
pub enum Values {
    /// As keys of `each` words.
    Short { each: usize, words: Vec<u64> },
    /// As the dictionary has them.
    Long { texts: Vec<u8>, bounds: Vec<u32> },
}

impl Values {
    /// Words of a key; 0 when values are not keys.
    pub fn each(&self) -> usize {
        match self {
            Values::Short { each, .. } => *each,
            Values::Long { .. } => 0,
        }
    }

    pub fn keys<const WORDS: usize>(&self) -> &[Key<WORDS>] {
        match self {
            Values::Short { each, words } if *each == WORDS => words.as_chunks().0,
            _ => &[],
        }
    }

    /// Makes all values of a form that texts of this length fit, too.
    pub fn fit(&mut self, longest: usize) {
        let Values::Short { each, words } = self else { return };
        let needed = longest / 8 + 1;
        if longest > SHORT {
            let (texts, bounds) = texts(words, *each);
            *self = Values::Long { texts, bounds };
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

    /// Whether two values are the same.
    pub fn same(&self, one: u32, other: u32) -> bool {
        let (one, other) = (one as usize, other as usize);
        match self {
            Values::Short { each, words } => {
                words[one * each..(one + 1) * each] == words[other * each..(other + 1) * each]
            }
            Values::Long { texts, bounds } => {
                let text = |code: usize| &texts[bounds[code] as usize..bounds[code + 1] as usize];
                text(one) == text(other)
            }
        }
    }

    /// Keeps the values for which `keep`; gives the bytes of their texts.
    pub fn retain(&mut self, keep: &[bool]) -> usize {
        match self {
            Values::Short { each, words } => {
                let (mut kept, mut length) = (0, 0);
                for code in (0..keep.len()).filter(|&code| keep[code]) {
                    words.copy_within(code * *each..(code + 1) * *each, kept);
                    kept += *each;
                    length += key::length(words[kept - 1]);
                }
                words.truncate(kept);
                length
            }
            Values::Long { texts, bounds } => {
                let (mut kept, mut length) = (0, 0);
                for code in (0..keep.len()).filter(|&code| keep[code]) {
                    let text = bounds[code] as usize..bounds[code + 1] as usize;
                    let end = length + text.len();
                    texts.copy_within(text, length);
                    (kept, length) = (kept + 1, end);
                    bounds[kept] = end as u32;
                }
                texts.truncate(length);
                bounds.truncate(kept + 1);
                length
            }
        }
    }

    pub fn reserve(&mut self, more: usize, bytes: usize) {
        match self {
            Values::Short { each, words } => words.reserve(more * *each),
            Values::Long { texts, bounds } => {
                texts.reserve(bytes);
                bounds.reserve(more);
            }
        }
    }

    /// All texts, and where each starts and ends.
    pub fn finish(self) -> (Vec<u8>, Vec<u32>) {
        match self {
            Values::Short { each, words } => texts(&words, each),
            Values::Long { texts, bounds } => (texts, bounds),
        }
    }
}

/// The texts of keys of `each` words, and where each starts and ends.
fn texts(words: &[u64], each: usize) -> (Vec<u8>, Vec<u32>) {
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
    (texts, bounds)
}
