//! Full-domain recoding over the lattice: the values of SPEC 1 and 6 on real data, and an exhaustive search that knows
//! no pruning on many small tables.

mod adult;
mod models;
mod oracle;
