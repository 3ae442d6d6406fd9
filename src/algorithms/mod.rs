//! Algorithms that make a release; each says in its own file what it guarantees.

pub mod lattice;
