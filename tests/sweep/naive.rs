//! Figure 4 of (τ,ℓ)-diversity written out row by row, with fractions, and nothing of the engine but its trees.
//!
//! The paper leaves open which of equally good values and rows is taken. Without dice it is what the engine says it
//! takes (the first value; the first row where rows with equal cells stand together in the order of their first; at the
//! start, rows spread evenly); with dice it is any.

use std::cell::Cell;
use std::cmp::Ordering;

use throng::hierarchy::{Hierarchy, NodeId};

use crate::cases::Dice;

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio(i128, i128);

impl Ratio {
    pub fn new(above: i128, below: i128) -> Ratio {
        let (mut one, mut other) = (above.abs(), below);
        while other != 0 {
            (one, other) = (other, one % other);
        }
        Ratio(above / one.max(1), below / one.max(1))
    }

    pub fn plus(self, other: Ratio) -> Ratio {
        Ratio::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    pub fn times(self, other: Ratio) -> Ratio {
        Ratio::new(self.0 * other.0, self.1 * other.1)
    }

    pub fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// Rows of one set of limits, and what is asked.
pub struct Naive<'a> {
    pub trees: Vec<&'a Hierarchy>,
    /// Of each quasi-identifier, the leaves that occur in the table.
    pub occurring: Vec<Vec<NodeId>>,
    /// The most important quasi-identifier first.
    pub importance: Vec<usize>,
    /// Of each row its leaves; all rows have the same limits.
    pub tuples: Vec<Vec<NodeId>>,
    pub limits: Vec<NodeId>,
    pub taxonomy: &'a Hierarchy,
    /// What a node's cells may show next; nothing at a limit.
    pub up: Vec<Option<NodeId>>,
    pub values: Vec<NodeId>,
    /// One a leaf of the taxonomy.
    pub weights: Vec<i128>,
    pub tau: f64,
    pub l: usize,
    /// Whether a choice was open: equally frequent values, or equally good rows with different quasi-identifiers.
    pub open: Cell<bool>,
}

/// What each row shows: its quasi-identifiers and its sensitive value.
pub type Shown = Vec<(Vec<NodeId>, NodeId)>;

type Vector = (Ratio, Vec<usize>);

impl Naive<'_> {
    /// Definition 2.
    fn induced(&self, rows: &[NodeId]) -> Vec<Ratio> {
        let leaves = self.taxonomy.leaves();
        let mut frequencies = vec![Ratio::new(0, 1); leaves.len()];
        for &node in rows {
            let covered: Vec<usize> =
                (0..leaves.len()).filter(|&leaf| self.taxonomy.covers(node, leaves[leaf])).collect();
            let total: i128 = covered.iter().map(|&leaf| self.weights[leaf]).sum();
            for leaf in covered {
                let share = Ratio::new(self.weights[leaf], total * rows.len() as i128);
                frequencies[leaf] = frequencies[leaf].plus(share);
            }
        }
        frequencies
    }

    /// Definitions 3 and 4.
    pub fn holds(&self, rows: &[NodeId]) -> bool {
        let mut frequencies = self.induced(rows);
        frequencies.sort_by(|one, other| other.cmp(one));
        let mut sum = Ratio::new(0, 1);
        (1..).zip(frequencies).all(|(k, frequency)| {
            sum = sum.plus(frequency);
            let limit =
                if k >= self.l { 1.0 } else { self.tau + (1.0 - self.tau) * (k - 1) as f64 / (self.l - 1) as f64 };
            sum.value() <= limit + 1e-9
        })
    }

    fn dominant(&self, rows: &[NodeId], dice: &mut Option<Dice>) -> NodeId {
        let frequencies = self.induced(rows);
        let most = *frequencies.iter().max().unwrap();
        let equal: Vec<usize> = (0..frequencies.len()).filter(|&leaf| frequencies[leaf] == most).collect();
        self.open.set(self.open.get() || equal.len() > 1);
        self.taxonomy.leaves()[pick(&equal, dice)]
    }

    /// The mean of 1 ÷ leaves over what the leaves that occur are at a depth, each weighted by how many of them it covers.
    fn retained(&self, attribute: usize, depth: usize) -> Ratio {
        let tree = self.trees[attribute];
        let leaves = &self.occurring[attribute];
        let mut sum = Ratio::new(0, 1);
        for &leaf in leaves {
            let node = tree.path(leaf).find(|&node| tree.depth(node) <= depth).unwrap();
            let covered = tree.leaves().iter().filter(|&&other| tree.covers(node, other)).count();
            sum = sum.plus(Ratio::new(1, covered as i128));
        }
        sum.times(Ratio::new(1, leaves.len() as i128))
    }

    /// All level vectors between the limits and the deepest leaves, in the order of Definition 6.
    pub fn vectors(&self) -> Vec<Vector> {
        let mut all: Vec<Vector> = vec![(Ratio::new(0, 1), Vec::new())];
        for (attribute, tree) in self.trees.iter().enumerate() {
            let least = tree.depth(self.limits[attribute]);
            let mut longer = Vec::new();
            for (information, levels) in all {
                for level in least..tree.levels() {
                    let mean = self.retained(attribute, level).times(Ratio::new(1, self.trees.len() as i128));
                    longer.push((information.plus(mean), [levels.clone(), vec![level]].concat()));
                }
            }
            all = longer;
        }
        let key = |vector: &Vector| {
            let levels: Vec<usize> = self.importance.iter().map(|&attribute| vector.1[attribute]).collect();
            (vector.0, levels)
        };
        all.sort_by_key(|one| std::cmp::Reverse(key(one)));
        all
    }

    /// Definition 7: the first vector behind `after` that the row reaches.
    fn next(&self, vectors: &[Vector], row: usize, after: Option<usize>) -> usize {
        let reaches = |vector: &Vector| {
            let mut levels = self.trees.iter().zip(&self.tuples[row]).zip(&vector.1);
            levels.all(|((tree, &leaf), &level)| level <= tree.depth(leaf))
        };
        (after.map_or(0, |vector| vector + 1)..vectors.len()).find(|&vector| reaches(&vectors[vector])).unwrap()
    }

    /// The row's QI value at a vector.
    fn value(&self, row: usize, vector: &Vector) -> Vec<NodeId> {
        let node = |((tree, &leaf), &level): ((&&Hierarchy, &NodeId), &usize)| {
            tree.path(leaf).find(|&node| tree.depth(node) == level).unwrap()
        };
        self.trees.iter().zip(&self.tuples[row]).zip(&vector.1).map(node).collect()
    }

    /// Lines 1–2 and 20–21. `false` when nothing more can be generalized.
    fn generalize(&self, rows: &[usize], shown: &mut [NodeId], last: bool, dice: &mut Option<Dice>) -> bool {
        let of = |shown: &[NodeId]| rows.iter().map(|&row| shown[row]).collect::<Vec<NodeId>>();
        let mut since = vec![0; shown.len()];
        let spread = self.spread(rows);
        for step in 1.. {
            if self.holds(&of(shown)) {
                break;
            }
            let leaf = self.dominant(&of(shown), dice);
            let may =
                |row: &&usize| self.taxonomy.covers(shown[**row], leaf) && self.up[shown[**row] as usize].is_some();
            let Some(deepest) = rows.iter().filter(may).map(|&row| self.taxonomy.depth(shown[row])).max() else {
                return false;
            };
            let least_general = |row: &&usize| self.taxonomy.depth(shown[**row]) == deepest;
            let mut equal: Vec<usize> = rows.iter().filter(may).filter(least_general).copied().collect();
            equal.sort_by_key(|&row| (since[row], spread[row]));
            // In the last class it makes no difference which.
            let differs = |&row: &usize| self.tuples[row] != self.tuples[equal[0]];
            self.open.set(self.open.get() || (!last && equal.iter().any(differs)));
            let row = pick(&equal, dice);
            shown[row] = self.up[shown[row] as usize].unwrap();
            since[row] = step;
        }
        true
    }

    /// The order in which rows of one value are generalized: of n in the order of their quasi-identifiers the first, the
    /// middle one, those at a quarter and at three quarters, and so on.
    fn spread(&self, rows: &[usize]) -> Vec<u32> {
        let mut spread = vec![0; self.values.len()];
        for &value in &self.values {
            let mut same: Vec<usize> = rows.iter().copied().filter(|&row| self.values[row] == value).collect();
            same.sort_by_key(|&row| (&self.tuples[row], self.first_like(row, &self.values), row));
            for (place, &row) in same.iter().enumerate() {
                spread[row] = (place as u32).reverse_bits();
            }
        }
        spread
    }

    /// The first row with the same cells.
    fn first_like(&self, row: usize, shown: &[NodeId]) -> usize {
        (0..=row).find(|&first| self.tuples[first] == self.tuples[row] && shown[first] == shown[row]).unwrap()
    }

    /// Figure 4. `None` when the last class can't be made to hold, or all rows can't at the start.
    pub fn figure_4(&self, mut dice: Option<Dice>) -> Option<Shown> {
        let all: Vec<usize> = (0..self.tuples.len()).collect();
        let mut shown = self.values.clone();
        if !self.generalize(&all, &mut shown, false, &mut dice) {
            return None;
        }
        let vectors = self.vectors();
        let mut lists: Vec<Vec<(Vec<NodeId>, Vec<usize>)>> = vec![Vec::new(); vectors.len()];
        for &row in &all {
            let first = self.next(&vectors, row, None);
            place(&mut lists[first], self.value(row, &vectors[first]), row);
        }
        let mut closed: Shown = vec![(Vec::new(), 0); all.len()];
        let last = vectors.len() - 1;
        for item in 0..last {
            for (value, mut class) in std::mem::take(&mut lists[item]) {
                let of = |class: &[usize]| class.iter().map(|&row| shown[row]).collect::<Vec<NodeId>>();
                while !class.is_empty() && !self.holds(&of(&class)) {
                    let dominant = self.dominant(&of(&class), &mut dice);
                    let row = self.to_sweep(&class, &shown, dominant, &mut dice);
                    class.retain(|&other| other != row);
                    let next = self.next(&vectors, row, Some(item));
                    place(&mut lists[next], self.value(row, &vectors[next]), row);
                }
                class.iter().for_each(|&row| closed[row] = (value.clone(), shown[row]));
            }
        }
        for (value, class) in std::mem::take(&mut lists[last]) {
            if !self.generalize(&class, &mut shown, true, &mut dice) {
                return None;
            }
            class.iter().for_each(|&row| closed[row] = (value.clone(), shown[row]));
        }
        Some(closed)
    }

    /// §III D: the row whose removal lowers the frequency of the dominant value most.
    fn to_sweep(&self, class: &[usize], shown: &[NodeId], dominant: NodeId, dice: &mut Option<Dice>) -> usize {
        let place = self.taxonomy.leaves().binary_search(&dominant).unwrap();
        let induced = |row: usize| self.induced(&[shown[row]])[place];
        let most = class.iter().map(|&row| induced(row)).max().unwrap();
        let mut equal: Vec<usize> = class.iter().copied().filter(|&row| induced(row) == most).collect();
        if dice.is_none() {
            // Of the least general cells the row that stands first.
            let key = |row: usize| (usize::MAX - self.taxonomy.depth(shown[row]), self.first_like(row, shown), row);
            equal.sort_by_key(|&row| key(row));
        }
        let differs = |&row: &usize| (&self.tuples[row], shown[row]) != (&self.tuples[equal[0]], shown[equal[0]]);
        self.open.set(self.open.get() || equal.iter().any(differs));
        pick(&equal, dice)
    }
}

fn place(list: &mut Vec<(Vec<NodeId>, Vec<usize>)>, value: Vec<NodeId>, row: usize) {
    match list.iter_mut().find(|(other, _)| *other == value) {
        Some((_, class)) => class.push(row),
        None => list.push((value, vec![row])),
    }
}

fn pick(equal: &[usize], dice: &mut Option<Dice>) -> usize {
    match dice {
        Some(dice) => equal[dice.below(equal.len() as u32) as usize],
        None => equal[0],
    }
}
