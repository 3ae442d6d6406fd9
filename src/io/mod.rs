//! Bytes to tables and back.

pub mod csv;
mod encoding;
mod records;
mod sniff;
mod source;

pub use encoding::Encoding;
#[cfg(not(target_arch = "wasm32"))]
pub use source::FileSource;
pub use source::{MemorySource, ReadError, Source};
