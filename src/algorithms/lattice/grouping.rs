//! Grouping by packed keys: rows into tuples, and the tuples of one node into the classes of a coarser one.
//!
//! The codes of as many columns as fit are packed into one 64-bit key; a table (few possible keys) or a hash index
//! (many) numbers the keys in order of first appearance. When not all columns fit, the numbers so far become the first
//! part of the next key. Guarantee: numbering depends only on the order of the items. Complexity: O(items · columns).

use super::pace::{Pace, Stop};

/// Items whose keys are built at once: they stay in the nearest cache.
const BLOCK: usize = 1024;
/// Items between two looks at the clock.
const STRETCH: usize = 1 << 16;
/// A table may have this many times more places than there are items.
const SPARSE: u64 = 4;
const FREE: u32 = u32::MAX;

/// One column of things to be grouped.
pub(super) trait Part {
    /// Bits that a code needs.
    fn bits(&self) -> u32;
    /// Appends the codes of the items from `first` on to the keys.
    fn append(&self, first: usize, keys: &mut [u64]);
}

/// Groups items; its memory is used again and again.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    /// The class of each item.
    pub class_of: Vec<u32>,
    /// Rows of each class.
    pub sizes: Vec<u32>,
    /// The first item of each class.
    pub first: Vec<u32>,
    index: Index,
}

/// The numbers of the keys met so far.
#[derive(Debug, Default)]
struct Index {
    /// A number for each possible key, or an open hash table of numbers.
    places: Vec<u32>,
    hashed: bool,
    /// The key of each number, when hashed.
    keys: Vec<u64>,
}

impl Grouping {
    /// Groups `count` items by all parts; `weights` gives each item's rows (`None`: one each).
    pub async fn group<P: Part>(
        &mut self,
        count: usize,
        weights: Option<&[u32]>,
        parts: &[P],
        pace: &Pace<'_>,
    ) -> Result<(), Stop> {
        let mut rest: Vec<&P> = parts.iter().filter(|part| part.bits() > 0).collect();
        // No stage yet: all items are in one class.
        let mut classes = 1;
        self.class_of.clear();
        self.class_of.resize(count, 0);
        loop {
            let mut bits = usize::BITS - (classes - 1usize).leading_zeros();
            // Numbers of classes and codes have at most 32 bits each, so at least one part is taken.
            let fits = |part: &&&P| (bits + part.bits() <= 64).then(|| bits += part.bits()).is_some();
            let taken = rest.iter().take_while(fits).count();
            let now: Vec<&P> = rest.drain(..taken).collect();
            self.split(&now, bits, classes > 1, weights, pace).await?;
            classes = self.first.len().max(1);
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// Splits the classes so far by some parts; together their keys have so many bits.
    async fn split<P: Part>(
        &mut self,
        parts: &[&P],
        bits: u32,
        started: bool,
        weights: Option<&[u32]>,
        pace: &Pace<'_>,
    ) -> Result<(), Stop> {
        let count = self.class_of.len();
        self.index.reset((bits <= 24 && 1 << bits <= SPARSE * count as u64 + BLOCK as u64).then_some(bits));
        self.first.clear();
        self.sizes.clear();
        for stretch in stretches(count) {
            let mut keys = [0; BLOCK];
            for block in blocks(stretch) {
                let class_of = &mut self.class_of[block.clone()];
                let keys = &mut keys[..block.len()];
                if started {
                    keys.iter_mut().zip(class_of.iter()).for_each(|(key, &class)| *key = u64::from(class));
                } else {
                    keys.fill(0);
                }
                parts.iter().for_each(|part| part.append(block.start, keys));
                self.index.number(block.start, keys, class_of, &mut self.first);
                self.sizes.resize(self.first.len(), 0);
                match weights {
                    None => class_of.iter().for_each(|&class| self.sizes[class as usize] += 1),
                    Some(weights) => {
                        for (&class, &weight) in class_of.iter().zip(&weights[block]) {
                            self.sizes[class as usize] += weight;
                        }
                    }
                }
            }
            pace.work(STRETCH.min(count) * (parts.len() + 4)).await?;
        }
        Ok(())
    }
}

impl Index {
    /// Forgets all keys. With `bits` a plain table is used.
    fn reset(&mut self, bits: Option<u32>) {
        self.hashed = bits.is_none();
        self.keys.clear();
        self.places.clear();
        self.places.resize(1 << bits.unwrap_or(12), FREE);
    }

    /// Gives the keys of a block their numbers; `first` gets the item of each new one.
    fn number(&mut self, start: usize, keys: &[u64], numbers: &mut [u32], first: &mut Vec<u32>) {
        if !self.hashed {
            let places = self.places.as_mut_slice();
            for (item, (&key, number)) in keys.iter().zip(numbers).enumerate() {
                let place = &mut places[key as usize];
                if *place == FREE {
                    *place = first.len() as u32;
                    first.push((start + item) as u32);
                }
                *number = *place;
            }
            return;
        }
        // Never more than half full, whatever this block brings.
        if (self.keys.len() + keys.len()) * 2 > self.places.len() {
            self.grow();
        }
        let places = self.places.as_mut_slice();
        let mask = places.len() - 1;
        for (item, (&key, number)) in keys.iter().zip(numbers).enumerate() {
            let mut place = hash(key) & mask;
            *number = loop {
                match places[place & mask] {
                    FREE => {
                        let new = first.len() as u32;
                        places[place] = new;
                        self.keys.push(key);
                        first.push((start + item) as u32);
                        break new;
                    }
                    known if self.keys[known as usize] == key => break known,
                    _ => place = (place + 1) & mask,
                }
            };
        }
    }

    fn grow(&mut self) {
        let places = self.places.len() * 4;
        self.places.clear();
        self.places.resize(places, FREE);
        for (number, &key) in self.keys.iter().enumerate() {
            let mut place = hash(key) & (places - 1);
            while self.places[place] != FREE {
                place = (place + 1) & (places - 1);
            }
            self.places[place] = number as u32;
        }
    }
}

fn stretches(count: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..count).step_by(STRETCH).map(move |first| first..(first + STRETCH).min(count))
}

fn blocks(stretch: std::ops::Range<usize>) -> impl Iterator<Item = std::ops::Range<usize>> {
    let end = stretch.end;
    stretch.step_by(BLOCK).map(move |first| first..(first + BLOCK).min(end))
}

fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize
}
