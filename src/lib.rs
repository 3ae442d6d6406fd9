//! Throng anonymizes tables inside the browser.
//!
//! One library, three programs (`src/bin`):
//! - `app`, the page: Yew, knows no algorithm ([`app`] over [`browser`], wasm only);
//! - `worker`, which owns the table and the engine, in a web worker of the page;
//! - `throng`, the headless runner ([`runner`], native only).
//!
//! The way of the data: a [`io::Source`] (a `File` in the worker, a path in the runner) is streamed by
//! [`io::csv`] into a [`table::Table`] of dictionary-encoded columns that lives inside [`engine::Engine`].
//! Page and runner send [`protocol::Request`]s to that engine and get [`protocol::Response`]s or a
//! [`failure::Failure`]; a long request reports through [`progress::Progress`], which is also how it is cancelled.
//! ARCHITECTURE.md draws it.
//!
//! Modules stand in reading order: each may import those above it and none below (`tests/layers.rs`).

// What every file may use.
pub mod failure;
pub mod words;
pub mod progress;
pub mod random;
pub mod sorting;
pub mod exact_sum;

// Columns of codes, files, trees over values, groups of rows.
pub mod table;
pub mod io;
pub mod hierarchy;
pub mod samples;
pub mod classes;

// What must hold: models, the set-up and its policy file, groups that must stay visible.
pub mod privacy;
pub mod policy;
pub mod constraints;
pub mod resolved_policy;

// What makes a release, and what it costs.
pub mod release;
pub mod metrics;
pub mod algorithms;

// What a table and its set-up tell before any run.
pub mod grouped;
pub mod findings;
pub mod setup_view;

// The check of a release, and the one way from policy to release.
pub mod verify;
pub mod run;

// What a table tells, and who is at risk; several releases together.
pub mod attack;
pub mod audit;
pub mod linkage;

// What is written about a run.
pub mod compare;
pub mod sql;
pub mod report;

// What page and runner ask.
pub mod protocol;
pub mod engine;

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(not(target_arch = "wasm32"))]
pub mod runner;
