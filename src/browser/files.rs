//! Files as people give them (dropped, picked) and as the worker reads them.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use web_sys::{DataTransfer, File, FileList, FileReaderSync, FileSystemEntry};

use crate::failure::Failure;
use crate::io::{ReadError, Source};

/// A file in the worker, read piece by piece.
pub struct WorkerFile {
    file: File,
    name: String,
}

impl WorkerFile {
    pub fn new(file: File) -> Self {
        let name = file.name();
        WorkerFile { file, name }
    }
}

impl Source for WorkerFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.file.size() as u64
    }

    fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
        let piece = self
            .file
            .slice_with_f64_and_f64(offset as f64, offset as f64 + count as f64)
            .and_then(|piece| FileReaderSync::new()?.read_as_array_buffer(&piece))
            .map_err(read_error)?;
        let piece = Uint8Array::new(&piece);
        let from = buffer.len();
        buffer.resize(from + piece.length() as usize, 0);
        piece.copy_to(&mut buffer[from..]);
        Ok(piece.length() as usize)
    }
}

/// Chromium reads a dropped folder as `NotFoundError` too, so folders are told apart when they are dropped.
fn read_error(error: JsValue) -> ReadError {
    let name = js_sys::Reflect::get(&error, &"name".into()).ok().and_then(|name| name.as_string());
    match name.as_deref() {
        Some("NotFoundError" | "NotReadableError") => ReadError::Vanished,
        Some("SecurityError") => ReadError::Denied,
        _ => ReadError::Other,
    }
}

/// The files of a drop, or why there are none.
pub fn dropped(transfer: &DataTransfer) -> Result<Vec<File>, Failure> {
    let items = transfer.items();
    for index in 0..items.length() {
        let entry = items.get(index).and_then(|item| item.webkit_get_as_entry().ok().flatten());
        if let Some(entry) = entry.filter(FileSystemEntry::is_directory) {
            return Err(ReadError::Directory.into_failure(&entry.name()));
        }
    }
    Ok(listed(transfer.files()))
}

pub fn listed(files: Option<FileList>) -> Vec<File> {
    let Some(files) = files else { return Vec::new() };
    (0..files.length()).filter_map(|index| files.get(index)).collect()
}
