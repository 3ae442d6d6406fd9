//! Where each value's code is found by its hash: open addressing, at most half full.
//!
//! With 2^b slots, a slot holds `code + 1` in its low b bits and those of the hash in the others, which settle nearly
//! all comparisons. Many hashes can be looked up at once, so that waits for memory overlap.

pub struct Index {
    slots: Vec<u32>,
    /// The hash of each code.
    hashes: Vec<u32>,
}

impl Default for Index {
    fn default() -> Self {
        Index { slots: vec![0; 16], hashes: Vec::new() }
    }
}

/// A table of few values is roomier: that a value is not where it is first looked for costs more than memory does.
const ROOMY: usize = 1 << 12;

impl Index {
    /// The bits that are a slot's code, and a hash's place.
    fn mask(&self) -> u32 {
        (self.slots.len() - 1) as u32
    }

    /// Number of codes given.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Appends to `codes` a code for each hash: if the value with that hash is where it is looked for first, its own.
    /// `likely` hears which ones probably are.
    pub fn guess(&self, hashes: &[u32], codes: &mut Vec<u32>, likely: &mut [bool]) {
        let mask = self.mask();
        let before = codes.len();
        codes.extend(hashes.iter().map(|hash| self.slots[(hash & mask) as usize]));
        for ((slot, hash), likely) in codes[before..].iter_mut().zip(hashes).zip(likely) {
            *likely = (*slot != 0) & ((*slot ^ hash) & !mask == 0);
            *slot = (*slot & mask).saturating_sub(1);
        }
    }

    /// The code of the value with this hash that `is` says it is.
    pub fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
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

    /// Gives the next code to a value with this hash. It is not found if it is not `placed`.
    pub fn insert(&mut self, hash: u32, placed: bool) {
        self.hashes.push(hash);
        if placed && self.hashes.len() > room(self.slots.len()) {
            self.rebuild();
        } else if placed {
            self.put(hash, self.hashes.len() as u32);
        }
    }

    /// Places all values, in more slots if need be.
    pub fn rebuild(&mut self) {
        let mut slots = self.slots.len();
        while self.hashes.len() > room(slots) {
            slots *= 2;
        }
        self.slots = vec![0; slots];
        for code in 0..self.hashes.len() {
            self.put(self.hashes[code], code as u32 + 1);
        }
    }

    /// Keeps the codes for which `keep`, numbered anew. Call [`Index::rebuild`] before anything is looked for.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut keep = keep.iter();
        self.hashes.retain(|_| keep.next().is_none_or(|&keep| keep));
    }

    /// The hash of each code.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    pub fn reserve(&mut self, more: usize) {
        self.hashes.reserve(more);
    }

    fn put(&mut self, hash: u32, next_code: u32) {
        let mask = self.mask();
        let mut place = hash & mask;
        while self.slots[place as usize] != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place as usize] = (hash & !mask) | next_code;
    }
}

/// How many values so many slots are for.
fn room(slots: usize) -> usize {
    slots / if slots <= ROOMY { 8 } else { 2 }
}
