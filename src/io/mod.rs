//! Bytes to tables and back.

pub mod csv;
pub mod csv_write;
pub(crate) mod encoding;
pub mod protection;
pub(crate) mod records;
pub(crate) mod sniff;
mod source;
pub mod tokens;

pub use encoding::Encoding;
#[cfg(not(target_arch = "wasm32"))]
pub use source::FileSource;
pub use source::{MemorySource, ReadError, Source};
