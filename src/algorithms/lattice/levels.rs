//! The levels of every quasi-identifier, as small integers.
//!
//! On each level a column's values have codes from 0 on, in the order of the tree. Limits (constrained k-anonymity,
//! Def. 3) cut the levels: full-domain recoding moves a whole column, so a column may go as far up as the first level
//! on which some value would pass its limit. (Going further and suppressing those rows instead is not tried.)

use super::Node;
use crate::hierarchy::NodeId;
use crate::policy::Quasi;
use crate::sorting::Sorting;

/// Where a column's code lies in a packed tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub word: usize,
    pub shift: u32,
    pub mask: u64,
}

/// One level of a column.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The code on this level of each code on level 0.
    pub code: Vec<u32>,
    /// For each code on this level, one of the codes on level 0 that it covers.
    example: Vec<u32>,
    /// The node of the tree for each code.
    pub nodes: Vec<NodeId>,
    /// Leaves under each code's node: those of the tree, not only those that occur.
    pub leaves: Vec<u32>,
}

impl Level {
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Bits that a code needs; none when there is only one.
    pub fn bits(&self) -> u32 {
        usize::BITS - self.size().saturating_sub(1).leading_zeros()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    pub levels: Vec<Level>,
    pub field: Field,
    /// The code on level 0 of each code of the table.
    pub of_table: Vec<u32>,
    /// Leaves of the whole tree.
    pub leaves: u32,
}

impl Column {
    fn new(quasi: &Quasi) -> Self {
        let tree = &quasi.tree;
        let mut leaves = quasi.leaf_of_code.clone();
        leaves.order();
        leaves.dedup();
        let place = |leaf: &NodeId| leaves.binary_search(leaf).map_or(0, |place| place as u32);
        let of_table = quasi.leaf_of_code.iter().map(place).collect();
        let allowed = |level: usize| {
            quasi.leaf_of_code.iter().zip(&quasi.limit_of_code).all(|(&leaf, &limit)| {
                // The node and the limit are on one path: the leaf's.
                tree.depth(tree.at_level(leaf, level)) >= tree.depth(limit)
            })
        };
        let mut levels = Vec::new();
        for number in (0..tree.levels()).take_while(|&level| level == 0 || allowed(level)) {
            let mut level = Level { code: Vec::new(), example: Vec::new(), nodes: Vec::new(), leaves: Vec::new() };
            for (code, &leaf) in leaves.iter().enumerate() {
                // Leaves are in the tree's order, so the leaves of a node follow each other.
                let node = tree.at_level(leaf, number);
                if level.nodes.last() != Some(&node) {
                    level.nodes.push(node);
                    level.leaves.push(tree.leaf_count(node) as u32);
                    level.example.push(code as u32);
                }
                level.code.push(level.nodes.len() as u32 - 1);
            }
            levels.push(level);
        }
        Column { levels, field: Field { word: 0, shift: 0, mask: 0 }, of_table, leaves: tree.leaves().len() as u32 }
    }

    /// The code on level `to` of each code on level `from`; nothing when they are the same.
    pub fn lift(&self, from: u16, to: u16) -> Lift<'_> {
        let (finer, coarser) = (&self.levels[from as usize], &self.levels[to as usize]);
        if from == to {
            Lift::Same
        } else if from == 0 {
            Lift::Borrowed(&coarser.code)
        } else {
            Lift::Owned(finer.example.iter().map(|&code| coarser.code[code as usize]).collect())
        }
    }
}

/// How codes change between two levels.
pub(super) enum Lift<'a> {
    Same,
    Borrowed(&'a [u32]),
    Owned(Vec<u32>),
}

impl Lift<'_> {
    pub fn table(&self) -> Option<&[u32]> {
        match self {
            Lift::Same => None,
            Lift::Borrowed(table) => Some(table),
            Lift::Owned(table) => Some(table),
        }
    }

    pub fn of(&self, code: u32) -> u32 {
        self.table().map_or(code, |table| table[code as usize])
    }
}

/// The columns of a lattice.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub columns: Vec<Column>,
    /// 64-bit words of a packed tuple.
    pub words: usize,
}

impl Columns {
    pub fn new(quasi: &[Quasi]) -> Self {
        let mut columns: Vec<Column> = quasi.iter().map(Column::new).collect();
        let (mut word, mut shift) = (0, 0);
        for column in &mut columns {
            let bits = column.levels[0].bits();
            if shift + bits > 64 {
                (word, shift) = (word + 1, 0);
            }
            column.field = Field { word, shift, mask: (1 << bits) - 1 };
            // A word may end exactly here; a column without bits then must not be shifted out of it.
            shift += bits;
            if shift == 64 {
                (word, shift) = (word + 1, 0);
            }
        }
        Columns { columns, words: word + 1 }
    }

    /// The coarsest node.
    pub fn top(&self) -> Node {
        self.columns.iter().map(|column| column.levels.len() as u16 - 1).collect()
    }

    /// Number of nodes, as far as it can be counted.
    pub fn nodes(&self) -> u64 {
        self.columns.iter().fold(1, |nodes: u64, column| nodes.saturating_mul(column.levels.len() as u64))
    }

    pub fn level(&self, column: usize, node: &[u16]) -> &Level {
        &self.columns[column].levels[node[column] as usize]
    }
}
