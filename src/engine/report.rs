//! The report of the last run, with the digests of what it was made from and of what it released.

use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::Engine;
use crate::audit::{Audit, Grouped};
use crate::failure::Failure;
use crate::io::{MemorySource, Source, csv_write};
use crate::policy::PolicyFile;
use crate::progress::{Progress, Report};
use crate::protocol::Summary;
use crate::report::{Audience, Context, html};
use crate::samples;

/// Bytes that are read between two looks at the clock.
const PIECE: usize = 1 << 20;

/// Where a session's table came from, for its digest.
pub struct Origin {
    pub summary: Summary,
    /// Taken out while it is read.
    pub source: Option<Again>,
    pub missing_tokens: Vec<String>,
}

/// How the bytes can be had again.
pub enum Again {
    File(Box<dyn Source>),
    /// Its bytes may be many, and are made faster than kept.
    Sample {
        id: String,
        rows: u32,
        seed: u64,
    },
}

impl Engine {
    pub(super) async fn report(
        &self,
        audience: Audience,
        date: &str,
        progress: &Progress<'_>,
    ) -> Result<String, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        // The set-up may have changed since the run.
        let before = Rc::new(Grouped::new(&table, &run.setup));
        let audit_before = Audit::of(&table, &run.setup, &before, progress).await?;
        let audit_after = Audit::of(&run.output, &run.setup.of_release(), &run.grouped, progress).await?;
        let (file, missing_tokens) =
            self.session(|session| Ok((session.origin.summary.name.clone(), session.origin.missing_tokens.clone())))?;
        let output = hex(Sha256::digest(csv_write::write(&run.output, b',')).as_slice());
        let digests = [self.digest(progress).await?, output];
        let context = Context {
            audience,
            // A path tells of the machine, not of the data.
            file: file.rsplit(['/', '\\']).next().unwrap_or_default(),
            digests,
            date,
            policy: &PolicyFile::of(&run.setup, &table).to_json(),
            missing_tokens: &missing_tokens,
            before: &audit_before,
            after: &audit_after,
            classes_before: &before.classes,
        };
        Ok(html(&table, &run, &context))
    }

    /// The SHA-256 of the file that the table came from, read again: hashing every table at once would slow each start.
    async fn digest(&self, progress: &Progress<'_>) -> Result<String, Failure> {
        let taken = self.session(|session| Ok(session.origin.source.take()))?;
        let Some(mut source) = taken else {
            return Err(Failure::refused("The file is being read already.", "Wait for the other report."));
        };
        let outcome = match &mut source {
            Again::File(file) => digest(file.as_mut(), progress).await,
            Again::Sample { id, rows, seed } => {
                let sample = samples::table(id, *rows, *seed).ok_or_else(super::no_table)?;
                digest(&mut MemorySource { name: sample.name, bytes: sample.bytes }, progress).await
            }
        };
        self.session(|session| {
            if session.origin.source.is_none() {
                session.origin.source = Some(source);
            }
            Ok(())
        })?;
        outcome
    }
}

async fn digest(source: &mut dyn Source, progress: &Progress<'_>) -> Result<String, Failure> {
    let name = source.name().to_owned();
    let (size, mut offset) = (source.size(), 0);
    let mut hash = Sha256::new();
    let mut piece = Vec::with_capacity(PIECE);
    while offset < size {
        let report = || Report {
            phase: "Reading the file again for its digest".into(),
            fraction: Some(offset as f64 / size as f64),
            detail: String::new(),
        };
        progress.checkpoint(report).await?;
        piece.clear();
        let read = source.read_full(offset, PIECE, &mut piece).map_err(|error| error.into_failure(&name))?;
        if read == 0 {
            return Err(crate::io::ReadError::Vanished.into_failure(&name));
        }
        hash.update(&piece);
        offset += read as u64;
    }
    Ok(hex(hash.finalize().as_slice()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
