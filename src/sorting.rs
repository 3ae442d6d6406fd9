//! Sorting where a page is read more often than it is run: each instance of the standard library's sorts weighs
//! kilobytes of wasm, and the engine sorts a hundred kinds of things. These share one merge sort of places that asks a
//! `dyn` comparison, O(n log n) and always stable; hot loops keep the standard sorts.

use std::cmp::Ordering;

pub trait Sorting<T> {
    /// Stable, like `sort_by`.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Stable, like `sort_by_key`.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Stable, like `sort_by_cached_key`.
    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
}

impl<T> Sorting<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let from = places(self.len(), &mut |one, other| compare(&self[one], &self[other]) == Ordering::Greater);
        arrange(self, from);
    }

    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        arrange(self, places(keys.len(), &mut |one, other| keys[one] > keys[other]));
    }
}

/// Puts at each place what lies at the place `from` there.
fn arrange<T>(items: &mut [T], mut from: Vec<usize>) {
    // What belongs at a place is fetched there, and what lay there waits at the place just emptied.
    for first in 0..from.len() {
        let mut place = first;
        while from[place] != first {
            let next = from[place];
            items.swap(place, next);
            from[place] = place;
            place = next;
        }
        from[place] = place;
    }
}

/// A map or set, filled entry by entry: collecting into one sorts first, by an instance of that sort of its own.
pub fn filled<T, C: Default + Extend<T>>(entries: impl IntoIterator<Item = T>) -> C {
    let mut collection = C::default();
    collection.extend(entries);
    collection
}

/// Runs of this many are sorted by insertion before any are merged.
const RUN: usize = 8;

/// The places `0..count` in order, where `above(one, other)` says that one belongs behind the other.
fn places(count: usize, above: &mut dyn FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    for run in sorted.chunks_mut(RUN) {
        for end in 1..run.len() {
            let mut place = end;
            while place > 0 && above(run[place - 1], run[place]) {
                run.swap(place - 1, place);
                place -= 1;
            }
        }
    }
    let mut width = RUN;
    let mut merged = Vec::with_capacity(if count > RUN { count } else { 0 });
    while width < count {
        merged.clear();
        for pair in sorted.chunks(2 * width) {
            merge(pair, width.min(pair.len()), above, &mut merged);
        }
        std::mem::swap(&mut sorted, &mut merged);
        width *= 2;
    }
    sorted
}

/// Two sorted runs, the second from `middle` on, as one behind `merged`.
fn merge(pair: &[usize], middle: usize, above: &mut dyn FnMut(usize, usize) -> bool, merged: &mut Vec<usize>) {
    let (mut left, mut right) = pair.split_at(middle);
    while let (Some((&one, rest)), Some((&other, others))) = (left.split_first(), right.split_first()) {
        if above(one, other) {
            merged.push(other);
            right = others;
        } else {
            merged.push(one);
            left = rest;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the standard library's stable sort, at all small lengths and with many ties.
    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for length in (0..200).chain([1000, 4097]) {
            for kinds in [1, 3, 10, u64::MAX] {
                let items: Vec<(u64, usize)> = (0..length).map(|place| (next() % kinds, place)).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|item| item.0);
                let mut ordered = items.clone();
                ordered.order_by_key(|item| item.0);
                assert_eq!(ordered, expected);
                let mut cached = items.clone();
                cached.order_by_cached_key(|item| item.0);
                assert_eq!(cached, expected);
                ordered.order_by(|one, other| other.cmp(one));
                expected.sort_by(|one, other| other.cmp(one));
                assert_eq!(ordered, expected);
            }
        }
    }
}
