//! What an algorithm gives: every row's class or the mark of a suppressed row, and what each class shows.
//!
//! Cells are nodes of hierarchies; they become text only for the eye, the verifier and the export.

use crate::hierarchy::{Hierarchy, NodeId};

/// The class of a suppressed row.
pub const SUPPRESSED: u32 = u32::MAX;

/// A quasi-identifier as algorithms use it: every value of the column has a leaf in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Quasi {
    /// Its place in the table.
    pub column: usize,
    /// The column's hierarchy; values that it lacked are leaves under the root.
    pub tree: Hierarchy,
    /// The leaf of each code of the column. All missing-value tokens have one leaf.
    pub leaf_of_code: Vec<NodeId>,
    /// The most general node that each code may become (constrained k-anonymity, Def. 3).
    pub limit_of_code: Vec<NodeId>,
}

/// A sensitive column. Only (τ,ℓ)-diversity generalizes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitive {
    pub column: usize,
    /// Its hierarchy; a root over all values when none was given.
    pub tree: Hierarchy,
    /// The leaf of each code, or the group that a cell of a column names that came generalized.
    pub leaf_of_code: Vec<NodeId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Release {
    /// Each input row's class, or [`SUPPRESSED`].
    pub class_of_row: Vec<u32>,
    /// For every quasi-identifier (in the order of the policy's [`Quasi`] columns) the node of each class.
    pub quasi: Vec<Vec<NodeId>>,
    /// For every sensitive column (in the order of the policy's [`Sensitive`] columns) the node of each row, or `None`
    /// when it is released as it is.
    pub sensitive: Vec<Option<Vec<NodeId>>>,
}

impl Release {
    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.quasi.first().map_or(usize::from(self.kept() > 0), Vec::len)
    }

    /// Number of rows that are not suppressed.
    pub fn kept(&self) -> usize {
        self.class_of_row.iter().filter(|&&class| class != SUPPRESSED).count()
    }

    pub fn suppressed(&self) -> usize {
        self.class_of_row.len() - self.kept()
    }
}
