//! Where the rows of a table stand among each other, for local recoding.
//!
//! Rows that agree in all quasi-identifiers and in what the requirements look at are one [item](Space::items) with a
//! count. On every axis (quasi-identifier) an item has a place: the rank of its leaf in pre-order. The lowest common
//! ancestor of any set is then that of its first and last place, so a class is a box: two places on every axis.
//! Where classes may be made to show more than they need, groups have places, too: before everything they cover, so that
//! a box that begins with one shows at least that.
//! Costs are whole numbers, [`WHOLE`] for a cell that says nothing: sums of them are exact, the same on every target
//! and in every order; a cell's cost is rounded to one part in 2²⁴.
//! Complexity: O(rows · columns) to build; the cost of a box is one or two look-ups an axis.

use std::cell::OnceCell;

use super::problem::{Measure, Mode, Problem};
use crate::classes::{Classes, Keys};
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::metrics::{information_loss, loss, utility};
use crate::policy::Quasi;

/// A sum of cells' costs, or a difference of two.
pub type Cost = i64;

/// What a suppressed cell costs.
pub const WHOLE: Cost = 1 << 24;

/// Up to this many places, costs of all pairs are kept in a table.
const TABLE: usize = 512;

/// Rows that nothing distinguishes.
pub type Item = u32;

pub struct Space<'a> {
    axes: Vec<Axis<'a>>,
    /// The place of each item on each axis, item by item.
    places: Vec<u32>,
    /// How many rows each item has.
    pub counts: Vec<u32>,
    pub item_of_row: Vec<Item>,
    /// A row of each item.
    pub row_of_item: Vec<u32>,
    /// Each item's rank, once someone asked.
    ranks: OnceCell<Vec<u32>>,
}

struct Axis<'a> {
    tree: &'a Hierarchy,
    mode: Mode,
    /// The leaf (or the group) at each place, ascending.
    leaves: Vec<NodeId>,
    costs: Costs,
}

/// What nodes above two places cost.
enum Costs {
    /// For every pair.
    Table(Vec<u32>),
    /// The node above a range of places is the costliest of those above two neighbours in it. `ranges[n]` has, from
    /// each place on, the highest cost of 2ⁿ pairs of neighbours.
    Ranges(Vec<Vec<u32>>),
}

impl<'a> Space<'a> {
    /// `others` are the codes that distinguish rows beside the quasi-identifiers; on the axes in `grouped` groups have
    /// places.
    pub fn new(problem: &Problem<'a>, others: &[Keys<'_>], grouped: &[usize]) -> Self {
        let rows = problem.table.rows;
        let mut axes = Vec::with_capacity(problem.quasi.len());
        let mut place_of_row: Vec<Vec<u32>> = Vec::with_capacity(problem.quasi.len());
        for (number, quasi) in problem.quasi.iter().enumerate() {
            let (axis, place_of_code) = Axis::new(quasi, problem, grouped.contains(&number));
            let codes = &problem.table.columns[quasi.column].codes;
            place_of_row.push(codes.iter().map(|&code| place_of_code[code as usize]).collect());
            axes.push(axis);
        }
        let mut keys: Vec<Keys<'_>> = place_of_row
            .iter()
            .zip(&axes)
            .map(|(codes, axis)| Keys { codes, size: axis.leaves.len() as u32 })
            .collect();
        keys.extend(others.iter().map(|keys| Keys { codes: keys.codes, size: keys.size }));
        let Classes { of_row, sizes } = Classes::group(rows, &keys);
        let mut row_of_item: Vec<u32> = Vec::with_capacity(sizes.len());
        for (row, &item) in of_row.iter().enumerate() {
            // Classes are numbered by first appearance.
            if item as usize == row_of_item.len() {
                row_of_item.push(row as u32);
            }
        }
        let mut places = Vec::with_capacity(row_of_item.len() * axes.len());
        for &row in &row_of_item {
            places.extend(place_of_row.iter().map(|places| places[row as usize]));
        }
        Space { axes, places, counts: sizes, item_of_row: of_row, row_of_item, ranks: OnceCell::new() }
    }

    pub fn axes(&self) -> usize {
        self.axes.len()
    }

    pub fn items(&self) -> usize {
        self.counts.len()
    }

    /// The item's place on every axis.
    #[inline]
    pub fn places(&self, item: Item) -> &[u32] {
        &self.places[item as usize * self.axes.len()..][..self.axes.len()]
    }

    /// What a cell costs that covers the places from `low` to `high`.
    #[inline]
    pub fn cell_cost(&self, axis: usize, low: u32, high: u32) -> Cost {
        Cost::from(self.axes[axis].cost(low, high))
    }

    /// The node that covers the places from `low` to `high`.
    pub fn node(&self, axis: usize, low: u32, high: u32) -> NodeId {
        self.axes[axis].node(low, high)
    }

    /// Where an item stands when all are in the order of their places, and those at the same places in their own.
    pub fn rank(&self, item: Item) -> u32 {
        let ranks = self.ranks.get_or_init(|| {
            let mut order: Vec<Item> = (0..self.items() as Item).collect();
            order.sort_unstable_by(|&one, &other| (self.places(one), one).cmp(&(self.places(other), other)));
            let mut ranks = vec![0; order.len()];
            (0..).zip(order).for_each(|(rank, item)| ranks[item as usize] = rank);
            ranks
        });
        ranks[item as usize]
    }

    /// Number of places on an axis.
    pub fn places_on(&self, axis: usize) -> u32 {
        self.axes[axis].leaves.len() as u32
    }

    /// The place of a node, if it has one.
    pub fn place_of(&self, axis: usize, node: NodeId) -> Option<u32> {
        self.axes[axis].leaves.binary_search(&node).ok().map(|place| place as u32)
    }

    /// What one row of a class costs.
    #[inline]
    pub fn row_cost(&self, lows: &[u32], highs: &[u32]) -> Cost {
        let mut sum = 0;
        for ((axis, &low), &high) in self.axes.iter().zip(lows).zip(highs) {
            sum += Cost::from(axis.cost(low, high));
        }
        sum
    }

    /// What one row costs of a class that has `places` beside what lies in the box.
    #[inline]
    pub fn row_cost_with(&self, lows: &[u32], highs: &[u32], places: &[u32]) -> Cost {
        let mut sum = 0;
        for (((axis, &low), &high), &place) in self.axes.iter().zip(lows).zip(highs).zip(places) {
            sum += Cost::from(axis.cost(low.min(place), high.max(place)));
        }
        sum
    }

    /// What one row costs of a class that covers two boxes.
    #[inline]
    pub fn row_cost_of_both(&self, lows: &[u32], highs: &[u32], other_lows: &[u32], other_highs: &[u32]) -> Cost {
        let mut sum = 0;
        for (axis, place) in self.axes.iter().zip(0..) {
            let place: usize = place;
            sum += Cost::from(axis.cost(lows[place].min(other_lows[place]), highs[place].max(other_highs[place])));
        }
        sum
    }

    /// Which child of `node` a place lies under (the place's own leaf, where cells are kept or suppressed).
    pub fn branch(&self, axis: usize, node: NodeId, place: u32) -> NodeId {
        let Axis { tree, mode, leaves, .. } = &self.axes[axis];
        let leaf = leaves[place as usize];
        match mode {
            Mode::Suppression => leaf,
            Mode::Generalization => tree.path(leaf).find(|&above| tree.parent(above) == Some(node)).unwrap_or(leaf),
        }
    }
}

impl<'a> Axis<'a> {
    /// The axis and the place of each code.
    fn new(quasi: &'a Quasi, problem: &Problem<'a>, grouped: bool) -> (Self, Vec<u32>) {
        let counts = &problem.table.columns[quasi.column].counts;
        let tree = &quasi.tree;
        let mut occurs = vec![false; tree.len()];
        for (&leaf, _) in quasi.leaf_of_code.iter().zip(counts).filter(|&(_, &count)| count > 0) {
            occurs[leaf as usize] = true;
        }
        if grouped && problem.mode == Mode::Generalization {
            for node in (0..tree.len()).rev() {
                if let Some(parent) = tree.parent(node as NodeId).filter(|_| occurs[node]) {
                    occurs[parent as usize] = true;
                }
            }
        } else if grouped {
            occurs[ROOT as usize] = true;
        }
        let leaves: Vec<NodeId> = (0..tree.len() as NodeId).filter(|&node| occurs[node as usize]).collect();
        let place = |leaf: &NodeId| leaves.binary_search(leaf).unwrap_or(0) as u32;
        let place_of_code = quasi.leaf_of_code.iter().map(place).collect();
        let cost = |node: NodeId| match problem.measure {
            Measure::Loss => loss::of_cell(tree, node),
            Measure::InformationLoss => information_loss::of_cell(tree, node),
            Measure::Utility => 1.0 - utility::of_cell(tree, node),
            Measure::Stars => f64::from(u8::from(node == ROOT)),
        };
        let mut axis = Axis { tree, mode: problem.mode, leaves, costs: Costs::Table(Vec::new()) };
        let places = axis.leaves.len() as u32;
        let between = |low: u32, high: u32| (cost(axis.node(low, high)) * WHOLE as f64) as u32;
        axis.costs = if axis.leaves.len() <= TABLE {
            let pairs = (0..places).flat_map(|low| (0..places).map(move |high| (low, high)));
            Costs::Table(pairs.map(|(low, high)| between(low, high)).collect())
        } else {
            Costs::Ranges(ranges((1..places).map(|high| between(high - 1, high)).collect()))
        };
        (axis, place_of_code)
    }

    #[inline]
    fn cost(&self, low: u32, high: u32) -> u32 {
        match &self.costs {
            Costs::Table(table) => table[low as usize * self.leaves.len() + high as usize],
            Costs::Ranges(_) if low == high => 0,
            Costs::Ranges(ranges) => {
                let pairs = high - low;
                let level = pairs.ilog2();
                let ranges = &ranges[level as usize];
                ranges[low as usize].max(ranges[(high - (1 << level)) as usize])
            }
        }
    }

    fn node(&self, low: u32, high: u32) -> NodeId {
        let (low, high) = (self.leaves[low as usize], self.leaves[high as usize]);
        match self.mode {
            _ if low == high => low,
            Mode::Suppression => ROOT,
            Mode::Generalization => self.tree.lowest_common_ancestor(low, high),
        }
    }
}

/// The highest of 1, 2, 4, … neighbours from each place on.
fn ranges(neighbours: Vec<u32>) -> Vec<Vec<u32>> {
    let mut ranges = vec![neighbours];
    let mut width = 1;
    while let Some(last) = ranges.last().filter(|last| last.len() > width) {
        let next = last.iter().zip(&last[width..]).map(|(&one, &other)| one.max(other)).collect();
        ranges.push(next);
        width *= 2;
    }
    ranges
}
