//! Short texts as a fixed number of words, and hashes.

/// A text of up to 8 · `WORDS` − 1 bytes, zeros after it, and its length as the last byte.
pub type Key<const WORDS: usize> = [u64; WORDS];

/// As many words as the largest keys have.
pub const MOST_WORDS: usize = 4;
/// The longest text that a key can be of.
pub const SHORT: usize = 8 * MOST_WORDS - 1;
/// Bytes that must follow a text in which cells are looked up: they are read as whole words.
pub const PADDING: usize = 8 * MOST_WORDS;

/// For each length the bits of the text in a key.
const WITHIN: [[u64; MOST_WORDS]; SHORT + 1] = {
    let mut within = [[0; MOST_WORDS]; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        within[length] = within[length - 1];
        within[length][(length - 1) / 8] |= 0xFF << (8 * ((length - 1) % 8));
        length += 1;
    }
    within
};

/// The key of `length` bytes of `text` and their hash. The text goes on for [`PADDING`] bytes after the cell.
#[inline]
pub fn key<const WORDS: usize>(text: &[u8], start: usize, length: usize) -> (Key<WORDS>, u32) {
    let within = &WITHIN[length.min(SHORT)];
    let words = text[start..start + 8 * WORDS].as_chunks::<8>().0;
    let mut key: Key<WORDS> = std::array::from_fn(|place| u64::from_le_bytes(words[place]) & within[place]);
    let hash = hash_words(key, length);
    key[WORDS - 1] |= (length as u64) << 56;
    (key, hash)
}

/// Length of the text whose key ends in this word.
pub fn length(last: u64) -> usize {
    (last >> 56) as usize
}

/// Whether a text is ASCII. Its length is.
pub fn is_ascii<const WORDS: usize>(key: Key<WORDS>) -> bool {
    key.into_iter().all(|word| word & 0x8080_8080_8080_8080 == 0)
}

/// The hash of a text of any length; of a short one, that of its key.
pub fn hash(bytes: &[u8]) -> u32 {
    let mut chunks = bytes.chunks(SHORT);
    let mut next = || {
        let chunk = chunks.next()?;
        let mut padded = [0; PADDING];
        padded[..chunk.len()].copy_from_slice(chunk);
        Some(key::<MOST_WORDS>(&padded, 0, chunk.len()).1)
    };
    let mut state = next().unwrap_or(hash_words([0], 0));
    while let Some(hash) = next() {
        state = hash_words([(u64::from(state) << 32) | u64::from(hash)], 0);
    }
    state
}

/// Odd, and else at random.
const FACTORS: [u64; 5] =
    [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5];

/// With 64-bit multiplications only: the common hashers for byte strings multiply to 128 bits, which wasm can't.
/// Words of zeros at the end change nothing, so that keys of any number of words have the same hash.
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
