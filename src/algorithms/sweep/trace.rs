//! What the sweep did, step by step, for a look at small tables: bounded by the rows that it names.

use serde::{Deserialize, Serialize};

use super::order::Order;
use crate::hierarchy::NodeId;

/// The steps of a sweep, in order, until as many rows were named as allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The level vectors in the order of the sweep, for each group of rows with the same limits.
    pub orders: Vec<Vec<Vector>>,
    pub steps: Vec<Step>,
    /// Whether steps were left out.
    pub cut: bool,
    #[serde(skip)]
    room: usize,
}

/// A level vector (Definition 6): the mean information, and a level for each quasi-identifier, the root's being 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vector {
    pub information: f64,
    pub levels: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The nodes of the class it happens in; none for what happens to all rows at the start.
    pub class: Option<Vec<NodeId>>,
    pub event: Event,
    /// The rows it happens to, from 0.
    pub rows: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// Rows came together in a class.
    Opened,
    /// They leave it for their next classes.
    Moved,
    /// They stay in it.
    Closed,
    /// They show `to` instead of `from` in the sensitive column.
    Generalized { from: NodeId, to: NodeId },
    /// Their finished class was added to the last one.
    Joined,
}

impl Trace {
    /// `room`: how many rows may be named.
    pub fn new(room: usize) -> Trace {
        Trace { room, ..Trace::default() }
    }

    /// Notes the vectors of an order, if it is short enough.
    pub fn list(&mut self, order: &Order) {
        if self.room >= order.len() {
            let vector = |at| Vector { information: order.information(at), levels: order.levels(at).to_vec() };
            self.orders.push((0..order.len()).map(vector).collect());
        }
    }

    /// Whether steps are still noted.
    pub fn is_open(&self) -> bool {
        self.room > 0
    }

    /// Says that from here on steps are left out.
    pub fn cut(&mut self) {
        self.room = 0;
        self.cut = true;
    }

    pub fn note(&mut self, class: Option<&[NodeId]>, event: Event, rows: impl Iterator<Item = u32>) {
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return;
        }
        let rows: Vec<u32> = if self.room > 0 { rows.collect() } else { Vec::new() };
        if rows.len() > self.room || rows.is_empty() {
            self.cut();
            return;
        }
        self.room -= rows.len();
        self.steps.push(Step { class: class.map(<[NodeId]>::to_vec), event, rows });
    }
}
