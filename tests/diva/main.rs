//! DIVA: every release is checked by the definitions, written out here once more on texts, on random tables, ragged
//! hierarchies, limits, models and constraints; on tiny tables against all ways to divide the rows and to show each part.
//! `THRONG_CASES=60000 cargo test --release --test diva` tries more.

mod case;
mod large;
mod small;
#[path = "../support/mod.rs"]
mod support;
