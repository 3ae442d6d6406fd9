//! The total order of the quasi-identifiers ((ℓ,δ)-diversity, Section 4.3): columns in an order that a person chooses,
//! values within one as the leaves of its hierarchy stand (without one: numbers by size, then texts). Values that few rows
//! have can be told together, unnamed, as one last place of their column.
//!
//! Complexity: O(rows · columns + tuples · log tuples).

use super::cells::{Reader, Value};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::{NodeId, ROOT};
use crate::policy::Quasi;
use crate::policy::Setup;
use crate::resolved_policy::ResolvedPolicy;
use crate::sorting::Sorting;
use crate::table::Table;

/// A quasi-identifier with its values in order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderedColumn {
    pub name: String,
    pub values: Vec<String>,
    /// Whether all values that are not named have a place behind the last of those that are.
    pub others: bool,
}

impl OrderedColumn {
    /// Places of values, that of the others among them.
    pub fn places(&self) -> u32 {
        self.values.len() as u32 + u32::from(self.others)
    }

    /// The place of values that are not named.
    pub fn place_of_others(&self) -> Option<u32> {
        self.others.then_some(self.values.len() as u32)
    }
}

/// The different quasi-identifiers of a table, in order.
pub struct Tuples {
    pub columns: Vec<OrderedColumn>,
    /// For each column, how large a group of the hierarchy ends with each value: 0 for the value itself.
    pub group_ends: Vec<Vec<u32>>,
    /// The places of each tuple's values.
    pub ranks: Vec<Vec<u32>>,
    /// A row of each tuple; where values are told together, one with the first of their leaves.
    pub row_of: Vec<u32>,
    /// The tuple of each row.
    pub of_row: Vec<u32>,
    pub sizes: Vec<u32>,
    /// The quasi-identifiers in this order.
    pub quasi: Vec<Quasi>,
}

impl Tuples {
    /// `order` names the columns from the most to the least significant; those not named follow as the table has them.
    /// Values that fewer than `least` rows have are not named, nor are those of a hierarchy that the table lacks: one that
    /// alone were not there would be known to be rare. With 0, all are named.
    pub fn new(
        table: &Table,
        setup: &Setup,
        checked: ResolvedPolicy,
        order: &[String],
        least: u32,
    ) -> Result<Tuples, Failure> {
        let name = |quasi: &Quasi| &table.columns[quasi.column].name;
        if let Some(unknown) = order.iter().find(|wanted| !checked.quasi.iter().any(|quasi| name(quasi) == *wanted)) {
            let what = format!("The order names “{unknown}”, which is no quasi-identifier.");
            return Err(Failure::policy(what, "Name quasi-identifiers of the policy."));
        }
        let mut quasi = checked.quasi;
        let place = |quasi: &Quasi| order.iter().position(|wanted| wanted == name(quasi)).unwrap_or(order.len());
        quasi.order_by_key(place);
        let mut columns = Vec::with_capacity(quasi.len());
        let mut group_ends = Vec::with_capacity(quasi.len());
        let mut codes: Vec<Vec<u32>> = Vec::with_capacity(quasi.len());
        for quasi in &quasi {
            let column = &setup.columns[quasi.column];
            if column.from_level > 0 || column.template.as_ref().is_some_and(|template| !template.limits.is_empty()) {
                let what = format!(
                    "Column “{}” has limits, or is shown from a level on; a plan can't keep that.",
                    name(quasi)
                );
                return Err(Failure::policy(what, "Leave “limits” and “from_level” out for plans."));
            }
            let mut leaves = ordered_leaves(quasi, column.template.is_some());
            let mut rows_of_node = vec![0u64; quasi.tree.len()];
            for (&leaf, &rows) in quasi.leaf_of_code.iter().zip(&table.columns[quasi.column].counts) {
                rows_of_node[leaf as usize] += u64::from(rows);
            }
            let all = leaves.len();
            leaves.retain(|&leaf| rows_of_node[leaf as usize] >= u64::from(least));
            // Those not named have the place behind the last.
            let mut rank = vec![leaves.len() as u32; quasi.tree.len()];
            for (place, &leaf) in leaves.iter().enumerate() {
                rank[leaf as usize] = place as u32;
            }
            columns.push(OrderedColumn {
                name: name(quasi).clone(),
                values: leaves.iter().map(|&leaf| quasi.tree.label(leaf).to_owned()).collect(),
                others: leaves.len() < all,
            });
            let mut ends = vec![0u32; all];
            for node in (0..quasi.tree.len() as NodeId).filter(|&node| node != ROOT && column.template.is_some()) {
                let named = |leaf: &&NodeId| (rank[**leaf as usize] as usize) < leaves.len();
                if let Some(&last) = quasi.tree.leaves_under(node).iter().rfind(named) {
                    let end = &mut ends[rank[last as usize] as usize];
                    *end = (*end).max(quasi.tree.height(node) as u32);
                }
            }
            group_ends.push(ends);
            let rank = |code: &u32| rank[quasi.leaf_of_code[*code as usize] as usize];
            codes.push(table.columns[quasi.column].codes.iter().map(rank).collect());
        }
        let keys: Vec<Keys<'_>> =
            codes.iter().zip(&columns).map(|(codes, column)| Keys { codes, size: column.places() }).collect();
        let classes = Classes::group(table.rows, &keys);
        let mut row_of: Vec<u32> = Vec::with_capacity(classes.sizes.len());
        let leaf =
            |quasi: &Quasi, row: u32| quasi.leaf_of_code[table.columns[quasi.column].codes[row as usize] as usize];
        let leaves = |row: u32| quasi.iter().map(move |quasi| leaf(quasi, row));
        let together = columns.iter().any(|column| column.others);
        for (row, &class) in (0..).zip(&classes.of_row) {
            // Classes are numbered by first appearance.
            if class as usize == row_of.len() {
                row_of.push(row);
            }
            let first = &mut row_of[class as usize];
            if together && leaves(row).lt(leaves(*first)) {
                *first = row;
            }
        }
        let tuple = |row: u32| -> Vec<u32> { codes.iter().map(|codes| codes[row as usize]).collect() };
        let mut sorted: Vec<(Vec<u32>, u32)> =
            row_of.iter().zip(0..).map(|(&row, class)| (tuple(row), class)).collect();
        sorted.order();
        let mut number = vec![0; sorted.len()];
        for (place, (_, class)) in sorted.iter().enumerate() {
            number[*class as usize] = place as u32;
        }
        Ok(Tuples {
            of_row: classes.of_row.iter().map(|&class| number[class as usize]).collect(),
            row_of: sorted.iter().map(|(_, class)| row_of[*class as usize]).collect(),
            sizes: sorted.iter().map(|(_, class)| classes.sizes[*class as usize]).collect(),
            ranks: sorted.into_iter().map(|(ranks, _)| ranks).collect(),
            columns,
            group_ends,
            quasi,
        })
    }
}

/// The leaves as the hierarchy has them, or in natural order where it is only a root over all values.
fn ordered_leaves(quasi: &Quasi, given: bool) -> Vec<NodeId> {
    let mut leaves = quasi.tree.leaves().to_vec();
    if !given {
        let label = |leaf: NodeId| quasi.tree.label(leaf);
        let reader = Reader::new(None, leaves.iter().map(|&leaf| label(leaf)));
        let value = |leaf: NodeId| -> Value { reader.value(label(leaf)) };
        leaves.order_by(|&one, &other| value(one).order(&value(other)).then_with(|| label(one).cmp(label(other))));
    }
    leaves
}
