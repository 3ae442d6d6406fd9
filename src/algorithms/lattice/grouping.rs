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
    /// Items of each class, by weight.
    pub sizes: Vec<u32>,
    /// The first item of each class.
    pub first: Vec<u32>,
    places: Vec<u32>,
    keys: Vec<u64>,
}

impl Grouping {
    /// Groups `count` items by all parts; `weight` gives each item's rows (`None`: one each).
    pub async fn group<P: Part>(
        &mut self,
        count: usize,
        weights: Option<&[u32]>,
        parts: &[P],
        pace: &Pace<'_>,
    ) -> Result<(), Stop> {
        self.class_of.clear();
        self.class_of.resize(count, 0);
        self.first.clear();
        self.first.extend((count > 0).then_some(0));
        let mut rest: Vec<&P> = parts.iter().filter(|part| part.bits() > 0).collect();
        let mut done = 0;
        while !rest.is_empty() {
            let mut bits = if done == 0 { 0 } else { usize::BITS - self.first.len().leading_zeros() };
            // Numbers of classes and codes have at most 32 bits each, so at least one part is taken.
            let taken =
                rest.iter().take_while(|part| (bits + part.bits() <= 64).then(|| bits += part.bits()).is_some());
            let taken = taken.count();
            let now: Vec<&P> = rest.drain(..taken.max(1)).collect();
            if bits <= 24 && 1 << bits <= SPARSE * count as u64 + BLOCK as u64 {
                self.split_by_table(&now, bits, pace).await?;
            } else {
                self.split_by_hash(&now, pace).await?;
            }
            done += taken;
        }
        self.sizes.clear();
        self.sizes.resize(self.first.len(), 0);
        match weights {
            None => self.class_of.iter().for_each(|&class| self.sizes[class as usize] += 1),
            Some(weights) => {
                for (&class, &weight) in self.class_of.iter().zip(weights) {
                    self.sizes[class as usize] += weight;
                }
            }
        }
        Ok(())
    }

    async fn split_by_table<P: Part>(&mut self, parts: &[&P], bits: u32, pace: &Pace<'_>) -> Result<(), Stop> {
        self.places.clear();
        self.places.resize(1 << bits, FREE);
        self.first.clear();
        for stretch in stretches(self.class_of.len()) {
            let mut keys = [0; BLOCK];
            for block in blocks(stretch) {
                let keys = self.keys_of(parts, &block, &mut keys);
                for (item, &key) in block.zip(keys.iter()) {
                    let place = &mut self.places[key as usize];
                    if *place == FREE {
                        *place = self.first.len() as u32;
                        self.first.push(item as u32);
                    }
                    self.class_of[item] = *place;
                }
            }
            pace.work(STRETCH.min(self.class_of.len()) * parts.len()).await?;
        }
        Ok(())
    }

    async fn split_by_hash<P: Part>(&mut self, parts: &[&P], pace: &Pace<'_>) -> Result<(), Stop> {
        self.places.clear();
        self.places.resize(1 << 12, FREE);
        self.first.clear();
        self.keys.clear();
        for stretch in stretches(self.class_of.len()) {
            let mut keys = [0; BLOCK];
            for block in blocks(stretch) {
                // Never more than half full, whatever the next block brings.
                if (self.keys.len() + BLOCK) * 2 > self.places.len() {
                    self.grow();
                }
                let keys = self.keys_of(parts, &block, &mut keys);
                let mask = self.places.len() - 1;
                for (item, &key) in block.zip(keys.iter()) {
                    let mut place = hash(key) & mask;
                    let class = loop {
                        match self.places[place] {
                            FREE => {
                                let class = self.keys.len() as u32;
                                self.places[place] = class;
                                self.keys.push(key);
                                self.first.push(item as u32);
                                break class;
                            }
                            class if self.keys[class as usize] == key => break class,
                            _ => place = (place + 1) & mask,
                        }
                    };
                    self.class_of[item] = class;
                }
            }
            pace.work(STRETCH.min(self.class_of.len()) * (parts.len() + 4)).await?;
        }
        Ok(())
    }

    fn keys_of<'k, P: Part>(
        &self,
        parts: &[&P],
        block: &std::ops::Range<usize>,
        keys: &'k mut [u64; BLOCK],
    ) -> &'k [u64] {
        let keys = &mut keys[..block.len()];
        for (key, &class) in keys.iter_mut().zip(&self.class_of[block.clone()]) {
            *key = u64::from(class);
        }
        for part in parts {
            part.append(block.start, keys);
        }
        keys
    }

    fn grow(&mut self) {
        let places = self.places.len() * 4;
        self.places.clear();
        self.places.resize(places, FREE);
        for (class, &key) in self.keys.iter().enumerate() {
            let mut place = hash(key) & (places - 1);
            while self.places[place] != FREE {
                place = (place + 1) & (places - 1);
            }
            self.places[place] = class as u32;
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
