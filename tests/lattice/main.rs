//! Full-domain recoding over the lattice: the values of docs/spec.md §12 on real data, and an exhaustive search that knows
//! no pruning on many small tables.

mod adult;
mod host;
mod models;
mod oracle;
