//! Least value of any range of an array, in O(1) after an O(n) set-up.
//!
//! Blocks of 32: inside a block, a bit mask for each place tells which places before it hold a running minimum; across
//! blocks, a sparse table over the blocks' minima. Memory: 4 bytes a place and O(n/32 · log n).

const BLOCK: usize = 32;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeMinimum {
    /// Bit `i` of `masks[p]`: place `i` of p's block holds a minimum of `i..=p`.
    masks: Vec<u32>,
    /// `table[j][b]`: place of the minimum of the 2^j blocks from `b` on.
    table: Vec<Vec<u32>>,
}

impl RangeMinimum {
    pub fn new(values: &[u16]) -> Self {
        let mut masks = Vec::with_capacity(values.len());
        for block in values.chunks(BLOCK) {
            let mut mask = 0u32;
            for (place, &value) in block.iter().enumerate() {
                // Places that hold more than the new value are no running minimum any more.
                while mask != 0 && block[31 - mask.leading_zeros() as usize] > value {
                    mask &= !(1 << (31 - mask.leading_zeros()));
                }
                mask |= 1 << place;
                masks.push(mask);
            }
        }
        let mut table = vec![
            (0..values.len().div_ceil(BLOCK))
                .map(|block| {
                    let start = block * BLOCK;
                    let end = (start + BLOCK).min(values.len());
                    (start..end).min_by_key(|&place| values[place]).unwrap_or(start) as u32
                })
                .collect::<Vec<u32>>(),
        ];
        let mut width = 1;
        while 2 * width <= table[0].len() {
            let last = &table[table.len() - 1];
            let merged = (0..=table[0].len() - 2 * width).map(|block| lesser(values, last[block], last[block + width]));
            let merged = merged.collect();
            table.push(merged);
            width *= 2;
        }
        RangeMinimum { masks, table }
    }

    /// A place of the least of `values[first..=last]`, the array this was made of.
    pub fn place(&self, values: &[u16], first: usize, last: usize) -> usize {
        let (from, to) = (first / BLOCK, last / BLOCK);
        if from == to {
            return self.within_block(first, last);
        }
        let head = self.within_block(first, from * BLOCK + BLOCK - 1) as u32;
        let tail = self.within_block(to * BLOCK, last) as u32;
        let mut best = lesser(values, head, tail);
        if to - from > 1 {
            let blocks = to - from - 1;
            let level = blocks.ilog2() as usize;
            let (left, right) = (self.table[level][from + 1], self.table[level][to - (1 << level)]);
            best = lesser(values, best, lesser(values, left, right));
        }
        best as usize
    }

    fn within_block(&self, first: usize, last: usize) -> usize {
        let start = last - last % BLOCK;
        let candidates = self.masks[last] & (u32::MAX << (first - start));
        start + candidates.trailing_zeros() as usize
    }
}

fn lesser(values: &[u16], one: u32, other: u32) -> u32 {
    if values[other as usize] < values[one as usize] { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_looking_at_every_place() {
        let mut state = 3u64;
        for length in [1, 2, 31, 32, 33, 64, 65, 200, 1100] {
            let values: Vec<u16> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                    ((state >> 40) % 7) as u16
                })
                .collect();
            let minimum = RangeMinimum::new(&values);
            for first in (0..length).step_by(3) {
                for last in first..length {
                    let place = minimum.place(&values, first, last);
                    assert!((first..=last).contains(&place));
                    assert_eq!(Some(&values[place]), values[first..=last].iter().min());
                }
            }
        }
    }
}
