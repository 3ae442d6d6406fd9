//! t-closeness (Li, Li and Venkatasubramanian): the values of a class are distributed almost as in the original table.
//!
//! The distance is the earth mover's: how much must be moved how far to make one distribution the other, where two
//! values are 1 apart (equal), as far as their places in order (ordered), or as high as the lowest group that has both
//! (hierarchical). Values of equal rank are one place in order. Guarantee: exact, and a class costs time for its own values
//! only: O(values) for equal, O(values · log of the table's values) for ordered, O(values · depth · log) for hierarchical.
//!
//! Of a class with groups and unknown cells (docs/models.md), n its rows and w(v) those that show exactly the node v:
//! - equal: the worst filling, exactly. The distance is the largest P(A) − Q(A) of any set A of leaves; a group's rows can
//!   be in A once it has one leaf below. With h(v) = w(v)/n + (the sum of the positive h of v's children, or the largest if
//!   none is positive), and h(leaf) = w/n − Q(leaf), that is h(root), or 0 for the empty set. A subtree without shown nodes
//!   has the h of its least frequent leaf, so only shown nodes are looked at: O(values · log).
//! - ordered: a bound. Whatever the filling, P(1..i) lies between L(i), the rows whose last possible place is at most i,
//!   and U(i), those whose first is; so no term exceeds max(|L − Q|, |U − Q|).
//! - hierarchical: a bound. A filling is at most the way from the groups down to its leaves, height(node)/height(root) for
//!   each row, farther than the class with the groups standing at their nodes.

use super::cells::Cells;
use super::running::Ways;
use super::worst_counts::shown;
use super::{Better, Model, Monotone, at_most};
use crate::classes::Histogram;
use crate::exact_sum::CompensatedSum;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::sorting::Sorting;
use crate::words::{figure, percent};

#[derive(Clone, Debug, PartialEq)]
pub struct TCloseness {
    pub t: f64,
    pub reference: Reference,
}

/// The distribution in the original table, ready to measure the distance of classes from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The share of each code.
    shares: Vec<f64>,
    distance: Distance,
    /// What codes stand for where some are groups or unknown.
    cells: Option<Cells>,
    /// To measure classes that change; none for `ordered`, nor for `equal` with groups.
    ways: Option<Ways>,
}

#[derive(Clone, Debug, PartialEq)]
enum Distance {
    Equal {
        /// Where cells are groups: the least share of any leaf under each code.
        least: Vec<f64>,
    },
    Ordered {
        /// The first and the last place where each code may stand among the values that occur.
        places: Vec<(u32, u32)>,
        /// The shares of the first 1, 2, … places together.
        cumulative: Vec<f64>,
        /// The first 0, 1, 2, … entries of `cumulative` added up.
        cumulative_before: Vec<f64>,
    },
    Hierarchical {
        nodes: Vec<NodeId>,
        parents: Vec<NodeId>,
        /// Each node's height over the root's.
        heights: Vec<f64>,
        /// The share of the cells that are the node itself, and of those at or below it.
        own: Vec<f64>,
        below: Vec<f64>,
    },
}

/// A column's values as leaves of its tree, and what the codes of classes stand for.
#[derive(Clone, Copy, Debug)]
pub struct OnTree<'a> {
    pub tree: &'a Hierarchy,
    /// How often the original table has each node as a value.
    pub counts: &'a [u32],
    /// A leaf that no cell can be, because unknown cells stand there.
    pub no_value: Option<NodeId>,
    /// The node of each code, `None` for unknown cells; numbers that no node has are values that the tree lacks.
    pub nodes: &'a [Option<NodeId>],
}

fn total(counts: &[u32]) -> u64 {
    counts.iter().map(|&count| u64::from(count)).sum()
}

fn shares(counts: &[u32]) -> Vec<f64> {
    let total = total(counts);
    counts.iter().map(|&count| f64::from(count) / total as f64).collect()
}

/// The places of values in order and what they have together.
struct Places {
    /// By value; of one that does not occur, where it would stand.
    of_value: Vec<u32>,
    cumulative: Vec<f64>,
    cumulative_before: Vec<f64>,
}

impl Places {
    fn new(counts: &[u32], ranks: &[u32]) -> Places {
        let mut order: Vec<(u32, usize)> = (0..counts.len().min(ranks.len()))
            .filter(|&value| counts[value] > 0)
            .map(|value| (ranks[value], value))
            .collect();
        order.order();
        let (mut cumulative, mut cumulative_before) = (Vec::with_capacity(order.len()), vec![0.0]);
        let (mut sum, mut sum_of_sums) = (0u64, 0.0);
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let mut rank_of_place: Vec<u32> = Vec::with_capacity(order.len());
        // Values of equal rank are one place.
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            sum += same.iter().map(|&(_, value)| u64::from(counts[value])).sum::<u64>();
            let share = sum as f64 / total as f64;
            sum_of_sums += share;
            cumulative.push(share);
            cumulative_before.push(sum_of_sums);
            rank_of_place.push(same[0].0);
        }
        let last = rank_of_place.len().saturating_sub(1);
        let place = |&rank: &u32| rank_of_place.partition_point(|&other| other < rank).min(last) as u32;
        Places { of_value: ranks.iter().map(place).collect(), cumulative, cumulative_before }
    }

    fn reference(self, shares: Vec<f64>, places: Vec<(u32, u32)>, cells: Option<Cells>) -> Reference {
        let Places { cumulative, cumulative_before, .. } = self;
        Reference { shares, distance: Distance::Ordered { places, cumulative, cumulative_before }, cells, ways: None }
    }
}

impl OnTree<'_> {
    /// The share of each code that is a value.
    fn shares(&self) -> Vec<f64> {
        let of_node = shares(self.counts);
        let share = |node: &Option<NodeId>| node.and_then(|node| of_node.get(node as usize)).copied().unwrap_or(0.0);
        self.nodes.iter().map(share).collect()
    }

    fn cells(&self) -> Option<Cells> {
        Cells::new(self.tree, self.nodes)
    }

    /// Something of each code: of its node, of unknown cells the root's, of values that the tree lacks `lacking`.
    fn of_codes<T: Copy>(&self, of_node: &[T], lacking: T) -> Vec<T> {
        let of = |node: &Option<NodeId>| of_node.get(node.unwrap_or(ROOT) as usize).copied().unwrap_or(lacking);
        self.nodes.iter().map(of).collect()
    }
}

impl Reference {
    /// Any two values are 1 apart.
    pub fn equal_on(on: OnTree<'_>) -> Self {
        let cells = on.cells();
        let mut least = Vec::new();
        if cells.is_some() {
            let share_of_node = shares(on.counts);
            let mut of_node = vec![f64::INFINITY; on.tree.len()];
            // What lies below has a higher number.
            for node in (0..on.tree.len() as NodeId).rev() {
                if on.tree.is_leaf(node) && on.no_value != Some(node) {
                    of_node[node as usize] = share_of_node[node as usize];
                }
                if let Some(parent) = on.tree.parent(node)
                    && of_node[node as usize] < of_node[parent as usize]
                {
                    of_node[parent as usize] = of_node[node as usize];
                }
            }
            of_node.iter_mut().filter(|least| least.is_infinite()).for_each(|least| *least = 0.0);
            least = on.of_codes(&of_node, 0.0);
        }
        let whole: Vec<u64> = on.counts.iter().map(|&count| u64::from(count)).collect();
        let table = |node: &Option<NodeId>| node.and_then(|node| whole.get(node as usize)).copied().unwrap_or(0);
        let ways = cells.is_none().then(|| Ways::flat(on.nodes.iter().map(table).collect(), total(on.counts)));
        Reference { shares: on.shares(), distance: Distance::Equal { least }, cells, ways }
    }

    /// Values are apart as their places in order; `ranks` are those of the tree's leaves. Values that occur have a
    /// place: what a group hides is one of them.
    pub fn ordered_on(on: OnTree<'_>, ranks: &[u32]) -> Self {
        let places = Places::new(on.counts, ranks);
        let anywhere = (0, places.cumulative.len().saturating_sub(1) as u32);
        // The places of the values under each node.
        let mut of_node: Vec<Option<(u32, u32)>> = vec![None; on.tree.len()];
        for node in (0..on.tree.len()).rev() {
            if on.counts[node] > 0 {
                of_node[node] = Some((places.of_value[node], places.of_value[node]));
            }
            if let (Some((first, last)), Some(parent)) = (of_node[node], on.tree.parent(node as NodeId)) {
                let joined =
                    of_node[parent as usize].map_or((first, last), |other| (other.0.min(first), other.1.max(last)));
                of_node[parent as usize] = Some(joined);
            }
        }
        // Where no value under a node occurs, nothing is known of its place.
        let of_node: Vec<(u32, u32)> = of_node.into_iter().map(|places| places.unwrap_or(anywhere)).collect();
        let of_code = on.of_codes(&of_node, anywhere);
        let cells = on.cells();
        places.reference(on.shares(), of_code, cells)
    }

    /// Values are as far apart as the lowest group that has both is high.
    pub fn hierarchical_on(on: OnTree<'_>) -> Self {
        let all: Vec<NodeId> = (0..on.tree.len() as NodeId).collect();
        let whole: Vec<u64> = on.counts.iter().map(|&count| u64::from(count)).collect();
        Reference::with_own(on.tree, shares(on.counts), &whole, on.shares(), on.of_codes(&all, ROOT), on.cells())
    }

    /// `own`: the share of each node itself; `whole`: the rows behind it.
    fn with_own(
        tree: &Hierarchy,
        own: Vec<f64>,
        whole: &[u64],
        shares: Vec<f64>,
        nodes: Vec<NodeId>,
        cells: Option<Cells>,
    ) -> Self {
        let open = |code: u32| cells.as_ref().map(|cells| cells.of(code).is_open);
        let ways = Some(Ways::on_tree(tree, &nodes, whole, open));
        let mut below = own.clone();
        let parents: Vec<NodeId> = (0..tree.len() as NodeId).map(|node| tree.parent(node).unwrap_or(ROOT)).collect();
        for node in (1..tree.len()).rev() {
            below[parents[node] as usize] += below[node];
        }
        let highest = tree.height(ROOT).max(1) as f64;
        let heights = (0..tree.len() as NodeId).map(|node| tree.height(node) as f64 / highest).collect();
        Reference { shares, distance: Distance::Hierarchical { nodes, parents, heights, own, below }, cells, ways }
    }

    fn share(&self, code: u32) -> f64 {
        self.shares.get(code as usize).copied().unwrap_or(0.0)
    }

    /// The distance of a class: 0 for the table's own distribution, at most 1. Of one with groups the worst of any filling,
    /// or a bound of it.
    pub fn distance(&self, class: &Histogram<'_>) -> f64 {
        match &self.distance {
            Distance::Equal { least } => match &self.cells {
                Some(cells) if cells.are_open_in(class) => farthest_filling(cells, least, class),
                _ => self.equal_distance(class),
            },
            Distance::Ordered { places, cumulative, cumulative_before } => {
                ordered_distance(class, places, cumulative, cumulative_before)
            }
            Distance::Hierarchical { nodes, parents, heights, own, below } => {
                let distance = hierarchical_distance(class, nodes, parents, heights, own, below);
                match &self.cells {
                    Some(cells) if cells.are_open_in(class) => {
                        let height = |code: u32| heights[nodes.get(code as usize).copied().unwrap_or(ROOT) as usize];
                        let down = class.counts.iter().map(|&(code, rows)| f64::from(rows) * height(code));
                        at_most_1(distance + sum_in_any_order(down) / f64::from(class.size))
                    }
                    _ => distance,
                }
            }
        }
    }

    /// ½·Σ|p − q|: what the class has too much of, since it has as much too little.
    fn equal_distance(&self, class: &Histogram<'_>) -> f64 {
        let size = f64::from(class.size);
        let too_much = class.counts.iter().map(|&(code, count)| f64::from(count) / size - self.share(code));
        sum_in_any_order(too_much.filter(|&surplus| surplus > 0.0))
    }
}

/// Of terms of a class, which come by the codes of its values: these have their numbers by who came first in the file, which
/// must not be seen in the figure.
fn sum_in_any_order(terms: impl Iterator<Item = f64>) -> f64 {
    CompensatedSum::from_iter(terms).total()
}

fn at_most_1(distance: f64) -> f64 {
    if distance > 1.0 { 1.0 } else { distance }
}

/// The distance from the table, in the worst filling, where any two values are 1 apart.
fn farthest_filling(cells: &Cells, least: &[f64], class: &Histogram<'_>) -> f64 {
    let shown = shown(cells, class);
    let least = |code: u32| least.get(code as usize).copied().unwrap_or(0.0);
    // Of each node: the sum of the positive h right below, and the largest h of any below.
    let mut below: Vec<(f64, f64)> = shown.iter().map(|shown| (0.0, -least(shown.code))).collect();
    let mut distance = 0.0;
    for place in (0..shown.len()).rev() {
        let (positive, largest) = below[place];
        let inner = if positive > 0.0 { positive } else { largest };
        let h = f64::from(shown[place].rows) / f64::from(class.size) + inner;
        let above = shown[place].above;
        match (above == place, h > 0.0) {
            (true, true) => distance += h,
            (true, false) => {}
            (false, true) => below[above].0 += h,
            (false, false) if h > below[above].1 => below[above].1 = h,
            (false, false) => {}
        }
    }
    at_most_1(distance)
}

/// Σ|P(i) − Q(i)| / (m − 1) over the cumulative shares at the places i, where rows may stand anywhere between two places:
/// P(i) is from L(i), the share of rows that surely stand at a place up to i, to U(i), that of those which may, and each
/// term is the larger of the two ends'. Both are flat between the class's places, and Q rises, so between two of them
/// the terms turn from U − Q to Q − L once, at (L + U)/2, and are summed by what was added up before.
fn ordered_distance(
    class: &Histogram<'_>,
    places: &[(u32, u32)],
    cumulative: &[f64],
    cumulative_before: &[f64],
) -> f64 {
    let places_in_order = cumulative.len();
    if places_in_order < 2 {
        return 0.0;
    }
    let anywhere = (0, places_in_order as u32 - 1);
    // From a place on, more rows may be, or surely are, up to there.
    let mut steps: Vec<(usize, u32, u32)> = Vec::with_capacity(class.counts.len());
    for &(code, count) in class.counts {
        let (first, last) = places.get(code as usize).copied().unwrap_or(anywhere);
        if first == last {
            steps.push((first as usize, count, count));
        } else {
            steps.push((first as usize, count, 0));
            steps.push((last as usize, 0, count));
        }
    }
    steps.sort_unstable();
    // The sum over from..to where the class's cumulative share is from `least` to `most`.
    let between = |from: usize, to: usize, least: f64, most: f64| {
        let middle = (least + most) / 2.0;
        let crossing = from + cumulative[from..to].partition_point(|&share| share < middle);
        let sum = |from: usize, to: usize| cumulative_before[to] - cumulative_before[from];
        let under = most * (crossing - from) as f64 - sum(from, crossing);
        let over = sum(crossing, to) - least * (to - crossing) as f64;
        under + over
    };
    let share = |rows: u64| rows as f64 / f64::from(class.size);
    let (mut moved, mut from, mut possible, mut sure) = (0.0, 0, 0u64, 0u64);
    for &(place, may, surely) in &steps {
        moved += between(from, place, share(sure), share(possible));
        possible += u64::from(may);
        sure += u64::from(surely);
        from = place;
    }
    // Behind the last of its values the class has the share 1.
    moved += between(from, places_in_order, 1.0, 1.0);
    // Rounding may leave a little below 0.
    if moved > 0.0 { at_most_1(moved / (places_in_order - 1) as f64) } else { 0.0 }
}

/// Σ height(N)/H · min(pos, neg) over the groups N: what is moved between N's children, as far as N is high. Children
/// that the class lacks only have too little, so only groups above its values count: with `surplus` what children have
/// too much of and `extra` what N has too much of, too little is surplus − extra. Cells that are N itself are one more
/// child of it.
fn hierarchical_distance(
    class: &Histogram<'_>,
    nodes: &[NodeId],
    parents: &[NodeId],
    heights: &[f64],
    own: &[f64],
    below: &[f64],
) -> f64 {
    // The class's rows in each node at or above its values, children before parents: node, own rows, rows, surplus.
    let mut touched: Vec<(NodeId, u32, u32, f64)> = Vec::with_capacity(class.counts.len() * 4);
    for &(code, count) in class.counts {
        let mut node = nodes.get(code as usize).copied().unwrap_or(ROOT);
        touched.push((node, count, 0, 0.0));
        while node != ROOT {
            node = parents[node as usize];
            touched.push((node, 0, 0, 0.0));
        }
    }
    touched.sort_unstable_by_key(|&(node, rows, ..)| (std::cmp::Reverse(node), rows));
    touched.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let size = f64::from(class.size);
    let mut distance = 0.0;
    for place in 0..touched.len() {
        let (node, own_rows, rows_of_children, surplus_of_children) = touched[place];
        let rows = own_rows + rows_of_children;
        let own_extra = f64::from(own_rows) / size - own[node as usize];
        let extra = f64::from(rows) / size - below[node as usize];
        let surplus = if own_extra > 0.0 { surplus_of_children + own_extra } else { surplus_of_children };
        let shortage = surplus - extra;
        let moved = if surplus < shortage { surplus } else { shortage };
        if moved > 0.0 {
            distance += heights[node as usize] * moved;
        }
        if node != ROOT {
            let parent = parents[node as usize];
            let above = place + 1 + touched[place + 1..].partition_point(|&(other, ..)| other > parent);
            touched[above].2 += rows;
            if extra > 0.0 {
                touched[above].3 += extra;
            }
        }
    }
    distance
}

impl Model for TCloseness {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        at_most(self.achieved(class), self.t)
    }

    /// The distance from a fixed distribution is convex: a merged class, the weighted mean of its parts, is no farther
    /// than the farther one. So is the worst of all fillings, each of which is made of fillings of the parts; and so are
    /// the bounds, whose L and U, and whose ways down, are means of the parts', too. Rows of one value, added alone, move it away.
    fn monotone(&self) -> Monotone {
        Monotone::Merging
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        self.reference.distance(class)
    }

    fn running(&self) -> Option<(&Ways, f64)> {
        self.reference.ways.as_ref().filter(|ways| ways.rows > 0).map(|ways| (ways, self.t))
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        if self.holds(class) {
            return None;
        }
        if self.reference.cells.as_ref().is_some_and(|cells| cells.are_open_in(class)) {
            return Some(format!(
                "Its values may be spread too differently from the whole table's, by up to {} where {} is allowed, \
                 whatever its groups and missing values are.",
                figure(self.achieved(class)),
                figure(self.t),
            ));
        }
        let share = |count: u32| f64::from(count) / f64::from(class.size);
        let surplus = |&(code, count): &(u32, u32)| share(count) - self.reference.share(code);
        let &(code, count) =
            class.counts.iter().reduce(|best, next| if surplus(next) > surplus(best) { next } else { best })?;
        Some(format!(
            "Its values are spread too differently from the whole table's, by {} where {} is allowed: most of all, {} \
             has {} of its rows and {} of the table's.",
            figure(self.achieved(class)),
            figure(self.t),
            name(code),
            percent(share(count)),
            percent(self.reference.share(code)),
        ))
    }
}
