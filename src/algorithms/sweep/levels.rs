//! What tuples become on the levels of a sweep, and the classes in which they meet there.
//!
//! Quasi-identifiers are looked at in blocks, of which the combinations that occur are numbered: what each becomes on
//! each combination of levels is known beforehand, so a tuple's class on a level vector is found by one look-up a block.
//! Complexity: O(combinations · levels · columns) for the blocks, which is bounded ([`MOST_CODES`]) wherever a block is
//! more than one column; O(tuples · blocks) for the classes of a level vector.

use super::classes::{Ground, Piece};
use super::order::Order;
use crate::classes::{Classes, Keys};

/// Codes that are kept of one block, for all its levels.
const MOST_CODES: usize = 1 << 16;

/// Of few tuples, blocks have no more combinations of levels than tuples, or than this.
const FEW_LEVELS: usize = 16;

/// Of a tuple that does not reach so deep.
pub const NONE: u32 = u32::MAX;

/// What the combinations of one block become on one combination of levels.
pub struct Codes {
    /// The code of each combination, or [`NONE`].
    pub codes: Vec<u32>,
    /// Codes are below this.
    pub size: u32,
    pub all_reach: bool,
}

/// Some quasi-identifiers next to each other.
struct Block {
    /// Its first quasi-identifier, and of each how many levels it stops at.
    first: usize,
    stops: Vec<usize>,
    /// By the places of the stops, the first quasi-identifier's counting most.
    codes: Vec<Codes>,
}

pub struct Blocks {
    blocks: Vec<Block>,
    /// The combination of each tuple in each block, tuple by tuple.
    places: Vec<u32>,
}

impl Blocks {
    /// The tuples are those of the pieces, in their order.
    pub fn new(ground: &Ground<'_>, order: &Order, pieces: &[Piece]) -> Blocks {
        let mut blocks = Vec::new();
        let mut numbers: Vec<Classes> = Vec::new();
        let mut first = 0;
        while first < ground.trees.len() {
            let mut classes = combinations(ground, pieces, first..first + 1);
            let mut end = first + 1;
            while end < ground.trees.len() {
                let longer = combinations(ground, pieces, first..end + 1);
                let levels: usize = order.stops[first..end + 1].iter().map(Vec::len).product();
                let most = (MOST_CODES / longer.sizes.len().max(1)).min(pieces.len().max(FEW_LEVELS));
                if levels > most {
                    break;
                }
                (classes, end) = (longer, end + 1);
            }
            blocks.push(Block::new(ground, order, pieces, &classes, first..end));
            numbers.push(classes);
            first = end;
        }
        let places = (0..pieces.len()).flat_map(|tuple| numbers.iter().map(move |classes| classes.of_row[tuple]));
        Blocks { places: places.collect(), blocks }
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// A tuple's combination in each block.
    #[inline]
    pub fn places(&self, tuple: u32) -> &[u32] {
        &self.places[tuple as usize * self.blocks.len()..][..self.blocks.len()]
    }

    /// What combinations become on a vector, block by block.
    pub fn at<'b>(&'b self, order: &Order, vector: usize) -> Vec<&'b Codes> {
        let levels = order.levels(vector);
        let of = |block: &'b Block| {
            let stops = block.stops.iter().zip(block.first..);
            let place = stops.fold(0, |place, (&stops, attribute)| {
                place * stops + order.stops[attribute].binary_search(&levels[attribute]).unwrap_or(0)
            });
            &block.codes[place]
        };
        self.blocks.iter().map(of).collect()
    }
}

/// The combinations of some quasi-identifiers that the pieces have.
fn combinations(ground: &Ground<'_>, pieces: &[Piece], attributes: std::ops::Range<usize>) -> Classes {
    let column = |attribute: usize| -> Vec<u32> {
        pieces.iter().map(|piece| ground.space.places(piece.item)[attribute]).collect()
    };
    let columns: Vec<Vec<u32>> = attributes.map(column).collect();
    let keys = |codes: &Vec<u32>| codes.iter().max().map_or(1, |&last| last + 1);
    let keys: Vec<Keys<'_>> = columns.iter().map(|codes| Keys { codes, size: keys(codes) }).collect();
    Classes::group(pieces.len(), &keys)
}

impl Block {
    fn new(
        ground: &Ground<'_>,
        order: &Order,
        pieces: &[Piece],
        classes: &Classes,
        attributes: std::ops::Range<usize>,
    ) -> Block {
        let mut one_of_class = vec![0u32; classes.sizes.len()];
        (0..).zip(&classes.of_row).for_each(|(piece, &class)| one_of_class[class as usize] = piece);
        // What each combination is, for every quasi-identifier on each of its levels.
        let node = |attribute: usize, level: u16, piece: u32| {
            let place = ground.space.places(pieces[piece as usize].item)[attribute];
            let leaf = ground.space.node(attribute, place, place);
            order.node(attribute, ground.trees[attribute], leaf, level).unwrap_or(NONE)
        };
        let nodes: Vec<Vec<Vec<u32>>> = attributes
            .clone()
            .map(|attribute| {
                let on = |&level: &u16| one_of_class.iter().map(|&piece| node(attribute, level, piece)).collect();
                order.stops[attribute].iter().map(on).collect()
            })
            .collect();
        let stops: Vec<usize> = nodes.iter().map(Vec::len).collect();
        let all: usize = stops.iter().product();
        let of = |mut place: usize| {
            let mut at: Vec<&Vec<u32>> = Vec::with_capacity(stops.len());
            for (nodes, &stops) in nodes.iter().zip(&stops).rev() {
                at.push(&nodes[place % stops]);
                place /= stops;
            }
            let tree = |back: usize| ground.trees[attributes.end - 1 - back].len() as u32;
            let reaches = |class: usize| at.iter().all(|nodes| nodes[class] != NONE);
            let reaching: Vec<u32> =
                (0..one_of_class.len()).filter(|&class| reaches(class)).map(|class| class as u32).collect();
            let columns: Vec<Vec<u32>> =
                at.iter().map(|nodes| reaching.iter().map(|&class| nodes[class as usize]).collect()).collect();
            let keys: Vec<Keys<'_>> =
                columns.iter().enumerate().map(|(back, codes)| Keys { codes, size: tree(back) }).collect();
            let grouped = Classes::group(reaching.len(), &keys);
            let mut codes = vec![NONE; one_of_class.len()];
            reaching.iter().zip(grouped.of_row).for_each(|(&class, code)| codes[class as usize] = code);
            Codes { codes, size: grouped.sizes.len() as u32, all_reach: reaching.len() == one_of_class.len() }
        };
        Block { first: attributes.start, stops: stops.clone(), codes: (0..all).map(of).collect() }
    }
}

/// The classes of the tuples that are ready.
pub fn group(blocks: &Blocks, ready: &[u32], at: &[&Codes], columns: &mut [Vec<u32>]) -> Classes {
    for ((block, column), codes) in columns.iter_mut().enumerate().zip(at) {
        column.clear();
        if codes.size > 1 {
            column.extend(ready.iter().map(|&tuple| codes.codes[blocks.places(tuple)[block] as usize]));
        }
    }
    let distinguishing = columns.iter().zip(at).filter(|(_, codes)| codes.size > 1);
    let keys: Vec<Keys<'_>> = distinguishing.map(|(column, codes)| Keys { codes: column, size: codes.size }).collect();
    Classes::group(ready.len(), &keys)
}

/// The members of each class, and where each class's start, with one entry more for the end.
pub fn by_class(classes: &Classes, ready: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut ends: Vec<u32> = Vec::with_capacity(classes.sizes.len() + 1);
    let mut end = 0;
    for &size in &classes.sizes {
        ends.push(end);
        end += size;
    }
    let mut members = vec![0; ready.len()];
    for (&class, &member) in classes.of_row.iter().zip(ready) {
        members[ends[class as usize] as usize] = member;
        ends[class as usize] += 1;
    }
    // Where a class ends, the next one starts.
    let starts = std::iter::once(0).chain(ends).collect();
    (starts, members)
}
