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

pub mod algorithms;
pub mod attack;
pub mod audit;
pub mod classes;
pub mod compare;
pub mod constraints;
pub mod engine;
pub mod exact_sum;
pub mod failure;
pub mod findings;
pub mod hierarchy;
pub mod io;
pub mod linkage;
pub mod metrics;
pub mod policy;
pub mod privacy;
pub mod progress;
pub mod protocol;
pub mod release;
pub mod report;
pub mod run;
pub mod samples;
pub mod sorting;
pub mod sql;
pub mod table;
pub mod verify;
pub mod words;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(not(target_arch = "wasm32"))]
pub mod runner;
