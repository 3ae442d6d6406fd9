//! Where bytes come from: a `File` in the worker, a path in the runner, memory in samples and tests.

use crate::failure::Failure;

/// Why bytes could not be read. What the system says is dropped on purpose: it may quote a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("is not there any more, or was changed while it was read")]
    Vanished,
    #[error("is a folder")]
    Directory,
    #[error("may not be read")]
    Denied,
    #[error("could not be read")]
    Other,
}

impl ReadError {
    pub fn into_failure(self, file: &str) -> Failure {
        let next = match self {
            ReadError::Vanished => "Put the file back, or choose it again so that it is read as it is now.",
            ReadError::Directory => "Choose the CSV file inside it.",
            ReadError::Denied => "Check that you may open the file, then choose it again.",
            ReadError::Other => "Copy the file to a local disk and choose the copy.",
        };
        Failure::data(format!("The file {self}."), next).in_file(file)
    }
}

/// A file of known name and size, read in pieces.
pub trait Source {
    fn name(&self) -> &str;
    fn size(&self) -> u64;
    /// Appends up to `count` bytes from `offset` on to `buffer` and returns how many; 0 only at the end.
    fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError>;

    /// Like `read`, but fewer than `count` bytes only at the end: what is made of a piece must not depend on how the
    /// source likes to cut.
    fn read_full(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
        let mut total = 0;
        while total < count {
            match self.read(offset + total as u64, count - total, buffer)? {
                0 => break,
                more => total += more,
            }
        }
        Ok(total)
    }
}

/// Bytes that are already in memory: pasted text, samples, tests.
pub struct MemorySource {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Source for MemorySource {
    fn name(&self) -> &str {
        &self.name
    }
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let piece = &rest[..count.min(rest.len())];
        buffer.extend_from_slice(piece);
        Ok(piece.len())
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use native::FileSource;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::fs::File;
    use std::io::{ErrorKind, Read, Seek, SeekFrom};
    use std::path::Path;

    use super::{ReadError, Source};

    impl From<std::io::Error> for ReadError {
        fn from(error: std::io::Error) -> Self {
            match error.kind() {
                ErrorKind::NotFound => ReadError::Vanished,
                ErrorKind::IsADirectory => ReadError::Directory,
                ErrorKind::PermissionDenied => ReadError::Denied,
                _ => ReadError::Other,
            }
        }
    }

    pub struct FileSource {
        name: String,
        file: File,
        size: u64,
    }

    impl FileSource {
        pub fn open(path: &Path) -> Result<Self, ReadError> {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(ReadError::Directory);
            }
            Ok(FileSource { name: path.display().to_string(), file, size: metadata.len() })
        }

        /// The same file under the name that another file has for it.
        pub fn renamed(self, name: &str) -> Self {
            FileSource { name: name.to_owned(), ..self }
        }
    }

    impl Source for FileSource {
        fn name(&self) -> &str {
            &self.name
        }
        fn size(&self) -> u64 {
            self.size
        }
        fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
            self.file.seek(SeekFrom::Start(offset))?;
            Ok(self.file.by_ref().take(count as u64).read_to_end(buffer)?)
        }
    }
}
