//! Which of many values come more than once, where nearly none does.
//!
//! A hash index of a million values is larger than the processor's caches, and each value is looked for somewhere else
//! in it. Here the values are first dealt out into parts by their hashes, so that the index of each part stays near:
//! the partitioning of a radix join (Manegold, Boncz and Kersten, "Optimizing Main-Memory Join on Modern Hardware",
//! 2002). Complexity: O(values).

/// Values in a part, about.
const PART: usize = 1 << 11;

/// The codes of values that came before, in no particular order, each with the first code of that value. `same` says
/// whether two codes of one hash are of one value.
pub fn repeats(hashes: &[u32], same: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
    let parts = (hashes.len() / PART).next_power_of_two().min(1 << 16);
    let part = |hash: u32| ((u64::from(hash) * parts as u64) >> 32) as usize;
    // Where each part's values go, and in the end where they stop.
    let mut ends = vec![0; parts + 1];
    for &hash in hashes {
        ends[part(hash) + 1] += 1;
    }
    for part in 0..parts {
        ends[part + 1] += ends[part];
    }
    let mut dealt = vec![(0, 0); hashes.len()];
    for (code, &hash) in (0..).zip(hashes) {
        let end = &mut ends[part(hash)];
        dealt[*end] = (hash, code);
        *end += 1;
    }
    let mut found = Vec::new();
    let mut slots = Vec::new();
    let mut start = 0;
    for &end in &ends[..parts] {
        // In the order of their codes, as they were dealt.
        find(&dealt[start..end], &mut slots, &same, &mut found);
        start = end;
    }
    found
}

fn find(part: &[(u32, u32)], slots: &mut Vec<u32>, same: impl Fn(u32, u32) -> bool, found: &mut Vec<(u32, u32)>) {
    slots.clear();
    // Each holds the number of a value in the part, from 1.
    slots.resize((2 * part.len()).next_power_of_two(), 0);
    let mask = slots.len() - 1;
    for (number, &(hash, code)) in (1..).zip(part) {
        let mut place = hash as usize & mask;
        loop {
            if slots[place] == 0 {
                slots[place] = number;
                break;
            }
            let (other_hash, first) = part[slots[place] as usize - 1];
            if other_hash == hash && same(first, code) {
                found.push((code, first));
                break;
            }
            place = (place + 1) & mask;
        }
    }
}
