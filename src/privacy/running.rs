//! t-closeness of a class whose rows come and go: its distance without another look at all its values.
//!
//! Where moving costs as high as the lowest group that has both values, the distance is a sum over the places of the tree
//! (for `equal`: over the values): Σ w(v) · max(0, rows(v)/n − share(v)), with w(v) = (height(parent) − height(v)) /
//! height(root). For at each group, what its children have too much of and can't get rid of among themselves is what
//! the group has too much of: min(pos, neg) = pos − max(0, pos − neg), and the heights telescope. Cells that are an inner
//! node itself are a place of their own under it, of height 0.
//!
//! A place has too much as long as n · table(v) < rows(v) · N, N the table's rows: for n below its *turn*,
//! ⌈rows(v) · N / table(v)⌉. The places are kept by their turns, so that the sums over those beyond n take O(log): they
//! are of whole numbers, hence exact, whatever rows came in whatever order.
//! Complexity: O(height · log(rows)) a row that comes or goes, O(log(rows)) the distance; of a class with other rows
//! than it has, O(height) more for each of them. Memory: O(places · log(rows)) a class.

use std::collections::HashMap;

use crate::hierarchy::{Hierarchy, NodeId, ROOT};

/// What a table's distribution is as seen by classes that change: the ways of its codes through the places.
#[derive(Clone, Debug, PartialEq)]
pub struct Ways {
    /// The first place of each code; [`NONE`] where it has none.
    pub first: Vec<u32>,
    /// The place of a code that is none of the column's.
    pub other: u32,
    /// Of each place the next above; [`NONE`] at the last.
    pub above: Vec<u32>,
    /// w(v) times the root's height, and how many rows of the table are there.
    pub weights: Vec<u32>,
    pub table: Vec<u64>,
    /// The root's height, and the rows of the table.
    pub height: u32,
    pub rows: u64,
    /// What the groups' heights add to the bound: of each code the height of its node, and whether it is a group.
    pub open: Vec<(u32, bool)>,
}

/// No place.
pub const NONE: u32 = u32::MAX;

/// A class measured by some [`Ways`], which are given with every call.
#[derive(Clone, Debug, Default)]
pub struct Running {
    size: u64,
    rows: HashMap<u32, u64>,
    sums: Turns,
    open: Open,
}

/// Groups and unknown cells among rows.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    rows: i64,
    /// The heights of all rows' nodes together.
    heights: i64,
}

/// Rows that come to a class (or leave it, if negative): a code and how many.
pub type ValueChange = (u32, i64);

impl Ways {
    /// Any two values are 1 apart. `table`: how many rows of the table have each code; `rows`: how many it has in all.
    pub fn flat(mut table: Vec<u64>, rows: u64) -> Ways {
        let other = table.len() as u32;
        table.push(0);
        Ways {
            first: (0..other).collect(),
            other,
            above: vec![NONE; table.len()],
            weights: vec![1; table.len()],
            table,
            height: 1,
            rows,
            open: Vec::new(),
        }
    }

    /// Two values are as far apart as the lowest group that has both is high. `nodes`: the node of each code; `counts`: how
    /// many rows of the table are each node itself; `open`: which codes are groups or unknown, if some are.
    pub fn on_tree(tree: &Hierarchy, nodes: &[NodeId], counts: &[u64], open: impl Fn(u32) -> Option<bool>) -> Ways {
        let places = tree.len() as u32;
        let height = |node: NodeId| tree.height(node) as u32;
        let inner = |place: NodeId| if place != ROOT { place } else { NONE };
        let parent = |node: NodeId| tree.parent(node).unwrap_or(ROOT);
        let mut table = counts.to_vec();
        for node in (1..places).rev() {
            table[parent(node) as usize] += table[node as usize];
        }
        // Behind the nodes the places of cells that are the node itself.
        table.extend(counts);
        let first = |&node: &NodeId| if height(node) == 0 { inner(node) } else { places + node };
        let above = (0..places).map(|node| inner(parent(node))).chain((0..places).map(inner));
        let weights = (0..places).map(|node| height(parent(node)) - height(node)).chain((0..places).map(height));
        let (above, weights) = (above.collect(), weights.collect());
        let rows = counts.iter().sum();
        let of_code = |(code, &node): (u32, &NodeId)| open(code).map(|open| (height(node), open));
        let open = (0..).zip(nodes).map_while(of_code).collect();
        let other = first(&ROOT);
        Ways {
            first: nodes.iter().map(first).collect(),
            other,
            above,
            weights,
            table,
            height: height(ROOT),
            rows,
            open,
        }
    }

    fn first(&self, code: u32) -> u32 {
        self.first.get(code as usize).copied().unwrap_or(self.other)
    }

    /// The places of a code that count, from its own upwards.
    fn way(&self, code: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |place: u32| (place != NONE).then_some(place);
        std::iter::successors(some(self.first(code)), move |&place| some(self.above[place as usize]))
    }

    /// The first size of a class at which a place with so many rows has no longer too much.
    fn turn(&self, place: u32, rows: u64) -> u64 {
        match self.table[place as usize] {
            0 => u64::MAX,
            table => (u128::from(rows) * u128::from(self.rows)).div_ceil(u128::from(table)) as u64,
        }
    }

    /// What a place has too much of in a class of a certain size.
    fn surplus(&self, place: u32, rows: u64, size: u64) -> u128 {
        let has = u128::from(rows) * u128::from(self.rows);
        let should = u128::from(size) * u128::from(self.table[place as usize]);
        u128::from(self.weights[place as usize]) * has.saturating_sub(should)
    }

    fn open(&self, code: u32, rows: i64) -> Open {
        let (height, is_open) = self.open.get(code as usize).copied().unwrap_or_default();
        Open { rows: if is_open { rows } else { 0 }, heights: rows * i64::from(height) }
    }
}

impl Running {
    /// The class of these counts.
    pub fn new(ways: &Ways, counts: &[(u32, u32)]) -> Running {
        let mut running = Running::default();
        for &(code, rows) in counts {
            running.change(ways, (code, i64::from(rows)));
        }
        running
    }

    /// Lets rows come or go; of those that go there must be as many.
    pub fn change(&mut self, ways: &Ways, (code, by): ValueChange) {
        self.size = self.size.saturating_add_signed(by);
        let open = ways.open(code, by);
        self.open = Open { rows: self.open.rows + open.rows, heights: self.open.heights + open.heights };
        for place in ways.way(code) {
            let weight = u64::from(ways.weights[place as usize]);
            let table = ways.table[place as usize];
            let before = self.rows.get(&place).copied().unwrap_or(0);
            let after = before.saturating_add_signed(by);
            if before > 0 {
                self.sums.take(ways.turn(place, before), Sum { rows: weight * before, table: weight * table });
            }
            if after > 0 {
                self.sums.add(ways.turn(place, after), Sum { rows: weight * after, table: weight * table });
                self.rows.insert(place, after);
            } else {
                self.rows.remove(&place);
            }
        }
    }

    pub fn distance(&self, ways: &Ways) -> f64 {
        self.distance_changed(ways, &[])
    }

    /// The distance that the class would have after some changes. No code may be in two of them.
    pub fn distance_changed(&self, ways: &Ways, changes: &[ValueChange]) -> f64 {
        let size = changes.iter().fold(self.size, |size, &(_, by)| size.saturating_add_signed(by));
        if size == 0 {
            return 0.0;
        }
        let Sum { rows, table } = self.sums.beyond(size);
        let mut surplus = (u128::from(rows) * u128::from(ways.rows)) as i128;
        surplus -= (u128::from(table) * u128::from(size)) as i128;
        let mut open = self.open;
        let mut places: Vec<ValueChange> = Vec::with_capacity(changes.len() * 4);
        for &(code, by) in changes {
            let more = ways.open(code, by);
            open = Open { rows: open.rows + more.rows, heights: open.heights + more.heights };
            places.extend(ways.way(code).map(|place| (place, by)));
        }
        if changes.len() > 1 {
            places.sort_unstable_by_key(|&(place, _)| place);
            places.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
        }
        for &(place, by) in &places {
            let before = self.rows.get(&place).copied().unwrap_or(0);
            let after = before.saturating_add_signed(by);
            surplus += ways.surplus(place, after, size) as i128 - ways.surplus(place, before, size) as i128;
        }
        let height = f64::from(ways.height.max(1));
        let mut distance = surplus as f64 / (size as f64 * ways.rows as f64 * height);
        if open.rows > 0 {
            distance += open.heights as f64 / (size as f64 * height);
        }
        if distance > 1.0 { 1.0 } else { distance }
    }
}

/// What places have, and should have of the table, weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    rows: u64,
    table: u64,
}

/// Sums by turn, in a tree of the turns' bits: each node has the sum of what is below, and how many are.
#[derive(Clone, Debug, Default)]
struct Turns {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    sum: Sum,
    count: u32,
    /// Numbers in [`Turns::nodes`]; 0, the root's, where nothing is below.
    children: [u32; 2],
}

/// Bits of a turn: classes are smaller than 2³² rows, so all from there on are the same.
const BITS: u32 = 33;

impl Turns {
    fn key(turn: u64) -> u64 {
        turn.min((1 << BITS) - 1)
    }

    fn add(&mut self, turn: u64, sum: Sum) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        self.count_in(at, sum);
        for bit in (0..BITS).rev() {
            let side = (Turns::key(turn) >> bit & 1) as usize;
            let mut child = self.nodes[at].children[side];
            if child == 0 {
                child = match self.free.pop() {
                    Some(free) => {
                        self.nodes[free as usize] = Node::default();
                        free
                    }
                    None => {
                        self.nodes.push(Node::default());
                        self.nodes.len() as u32 - 1
                    }
                };
                self.nodes[at].children[side] = child;
            }
            at = child as usize;
            self.count_in(at, sum);
        }
    }

    fn count_in(&mut self, at: usize, sum: Sum) {
        let node = &mut self.nodes[at];
        node.count += 1;
        node.sum = Sum { rows: node.sum.rows + sum.rows, table: node.sum.table + sum.table };
    }

    /// Takes out what was added.
    fn take(&mut self, turn: u64, sum: Sum) {
        let mut at = 0;
        for bit in (0..=BITS).rev() {
            let node = &mut self.nodes[at];
            node.count -= 1;
            node.sum = Sum { rows: node.sum.rows - sum.rows, table: node.sum.table - sum.table };
            if bit == 0 {
                return;
            }
            let side = (Turns::key(turn) >> (bit - 1) & 1) as usize;
            let child = node.children[side] as usize;
            if self.nodes[child].count == 1 {
                // It is the last one there.
                self.nodes[at].children[side] = 0;
                self.release(child, turn, bit - 1);
                return;
            }
            at = child;
        }
    }

    /// Frees the nodes of a turn that nothing else is at, from one on.
    fn release(&mut self, mut at: usize, turn: u64, bits: u32) {
        self.free.push(at as u32);
        for bit in (0..bits).rev() {
            at = self.nodes[at].children[(Turns::key(turn) >> bit & 1) as usize] as usize;
            self.free.push(at as u32);
        }
    }

    /// The sum over turns beyond a size.
    fn beyond(&self, size: u64) -> Sum {
        let mut sum = Sum::default();
        let mut at = 0;
        for bit in (0..BITS).rev() {
            let Some(node) = self.nodes.get(at) else { return sum };
            let side = (size >> bit & 1) as usize;
            if side == 0
                && let Some(beyond) = Some(node.children[1]).filter(|&child| child != 0)
            {
                let beyond = self.nodes[beyond as usize].sum;
                sum = Sum { rows: sum.rows + beyond.rows, table: sum.table + beyond.table };
            }
            at = match node.children[side] {
                0 => return sum,
                child => child as usize,
            };
        }
        sum
    }
}
