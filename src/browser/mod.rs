//! The only place that names `web_sys` and `js_sys` for anything but drawing: the worker on both its sides, files,
//! downloads, settings. Compiled for wasm32 only.

pub mod client;
pub mod clipboard;
pub mod download;
pub mod files;
pub mod pool;
pub mod settings;
pub mod worker;
