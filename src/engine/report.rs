//! The report of the last run, as a page and as JSON, with the digests of what it was made from and of what is saved.
//!
//! Guarantee: a digest is that of the bytes that the same [`Written`] saves, because one function makes both.

use std::rc::Rc;

use serde_json::json;

use super::Engine;
use super::origin::digest;
use crate::audit::Audit;
use crate::failure::Failure;
use crate::findings::{Finding, judged};
use crate::grouped::Grouped;
use crate::io::csv::ReadOptions;
use crate::io::csv_write::Written;
use crate::policy::{PolicyFile, Setup};
use crate::progress::Progress;
use crate::report::{Audience, Context, Digests, html};
use crate::run::Run;
use crate::table::Table;

/// What both forms of the report tell of files.
struct Files {
    /// The name of the file that the table was read from.
    name: String,
    reading: ReadOptions,
    /// The policy's file.
    policy: String,
    digests: Digests,
}

impl Engine {
    pub(super) async fn report(
        &self,
        audience: Audience,
        date: &str,
        written: Written,
        progress: &Progress<'_>,
    ) -> Result<String, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        // The set-up may have changed since the run.
        let before = Rc::new(Grouped::new(&table, &run.setup));
        let audit_before = Audit::of(&table, &run.setup, &before, progress).await?;
        let audit_after = Audit::of(&run.output, &run.setup.of_release(&run.output), &run.grouped, progress).await?;
        let files = self.files(&table, &run, written, progress).await?;
        let decisions = self.setup()?.decisions.clone();
        let context = Context {
            audience,
            file: &files.name,
            digests: files.digests,
            written,
            date,
            policy: &files.policy,
            reading: &files.reading,
            findings: &judged(run.view.findings.clone(), &decisions),
            decisions: &decisions,
            before: &audit_before,
            after: &audit_after,
            classes_before: &before.classes,
        };
        Ok(html(&table, &run, &context))
    }

    /// The report as JSON; what is known of how long reading took goes into it.
    pub(super) async fn figures(
        &self,
        read_milliseconds: Option<f64>,
        written: Written,
        progress: &Progress<'_>,
    ) -> Result<String, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        let Files { name, digests, .. } = self.files(&table, &run, written, progress).await?;
        let mut report = run.view.to_value(read_milliseconds);
        let findings = judged(run.view.findings.clone(), &self.setup()?.decisions);
        report["findings"] = findings.iter().map(Finding::to_json).collect();
        report["seed"] = json!(run.setup.seed());
        report["files"] = json!({
            "input": {"name": name, "sha256": digests.input},
            "release": {
                "sha256": digests.release,
                "formulas_protected": written.protected,
                "row_numbers": written.row_numbers,
            },
            "policy": {"sha256": digests.policy},
        });
        // Serializing plain data to a string can't fail.
        Ok(serde_json::to_string_pretty(&report).unwrap_or_default() + "\n")
    }

    async fn files(
        &self,
        table: &Table,
        run: &Run,
        written: Written,
        progress: &Progress<'_>,
    ) -> Result<Files, Failure> {
        let path = self.session(|session| Ok(session.origin.summary.name.clone()))?;
        let reading = self.reading()?;
        // What was decided on findings since the run changes no cell, but who makes the release again must decide the same.
        let decided = Setup { decisions: self.setup()?.decisions.clone(), ..Setup::clone(&run.setup) };
        let policy = policy_text(&decided, table, &reading);
        let input = self.digest_of_input(progress).await?;
        let digests = Digests { input, release: digest(&run.file(written)?), policy: digest(policy.as_bytes()) };
        // A path tells of the machine, not of the data. On Unix a backslash is a letter of the name.
        let is_separator = |sign: char| sign == '/' || (cfg!(windows) && sign == '\\');
        let name = path.rsplit(is_separator).next().unwrap_or_default().to_owned();
        Ok(Files { name, reading, policy, digests })
    }

    /// How the table was read, with all that was guessed.
    pub(super) fn reading(&self) -> Result<ReadOptions, Failure> {
        self.session(|session| Ok(session.origin.reading.clone()))
    }
}

/// The policy's file, as it is saved and as the report has it.
pub fn policy_text(setup: &Setup, table: &Table, reading: &ReadOptions) -> String {
    PolicyFile::of(setup, table, reading).to_json()
}
