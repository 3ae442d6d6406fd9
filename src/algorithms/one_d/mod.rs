//! 1-D ℓ-diversity (Ghinita, Karras, Kalnis and Mamoulis, VLDB 2007; "1DLD" in (τ,ℓ)-diversity, §IV), for any
//! class-local models.
//!
//! Tuples are put on a line on which neighbours are alike ([`Curve`]), and their rows into buckets by sensitive value.
//! From the front, a group takes one row after the other, from a bucket of which it has least the one whose row comes
//! first, until it holds. What it leaves must hold, too (the paper's eligibility, which for simple ℓ-diversity says that
//! no value has more than the ℓ-th part of the rows); else the group takes from the most frequent values, else whatever
//! comes first. Where none of these leaves anything that holds, all that is left is the last group.
//! [`peers`] searches the ℓ, and for the lattice the (c,ℓ), that meets a (τ,ℓ) with the least excess.
//! Guarantee: if all rows hold together, every class does. The same on every target. Complexity: O(n · (m + log n)) for n
//! rows and m sensitive values where groups hold at the first try.

mod curve;
mod groups;
pub mod peers;

pub use crate::policy::Curve;
pub use curve::hilbert_place;
pub use groups::divide;
