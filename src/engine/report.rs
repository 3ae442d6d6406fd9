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
use crate::policy::{Decisions, PolicyFile, Setup};
use crate::progress::Progress;
use crate::report::{Audience, Context, Digests, html};
use crate::run::Run;
use crate::table::Table;

/// What a report is about, as it stood when it was asked for: set-up and table may be others before it is written.
struct Subject {
    table: Rc<Table>,
    run: Rc<Run>,
    /// The name of the file that the table was read from.
    name: String,
    reading: ReadOptions,
    decisions: Decisions,
    /// What was found for the run, by these decisions.
    findings: Vec<Finding>,
}

/// What both forms of the report tell of files.
struct Files {
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
        let subject = self.subject()?;
        let Subject { table, run, name, reading, decisions, findings } = &subject;
        // The set-up may have changed since the run.
        let before = Rc::new(Grouped::new(table, &run.setup));
        let audit_before = Audit::of(table, &run.setup, &before, progress).await?;
        let mut audit_after =
            Audit::of(&run.output, &run.setup.of_release(&run.output), &run.grouped, progress).await?;
        audit_after.compare_with(table, &run.setup, &run.output, &run.grouped);
        let files = self.files(&subject, written, progress).await?;
        let context = Context {
            audience,
            file: name,
            digests: files.digests,
            written,
            date,
            policy: &files.policy,
            reading,
            findings,
            decisions,
            before: &audit_before,
            after: &audit_after,
            classes_before: &before.classes,
        };
        Ok(html(table, run, &context))
    }

    /// The report as JSON; what is known of how long reading took goes into it.
    pub(super) async fn figures(
        &self,
        read_milliseconds: Option<f64>,
        written: Written,
        progress: &Progress<'_>,
    ) -> Result<String, Failure> {
        let subject = self.subject()?;
        let Files { digests, .. } = self.files(&subject, written, progress).await?;
        let Subject { run, name, findings, .. } = &subject;
        let mut report = run.view.to_value(findings, read_milliseconds);
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

    fn subject(&self) -> Result<Subject, Failure> {
        let (table, run, decisions) = (self.table()?, self.last_run()?, self.setup()?.decisions.clone());
        let path = self.session(|session| Ok(session.origin.summary.name.clone()))?;
        // A path tells of the machine, not of the data. On Unix a backslash is a letter of the name.
        let is_separator = |sign: char| sign == '/' || (cfg!(windows) && sign == '\\');
        let name = path.rsplit(is_separator).next().unwrap_or_default().to_owned();
        let findings = judged(run.view.findings.clone(), &decisions);
        Ok(Subject { table, run, name, reading: self.reading()?, decisions, findings })
    }

    async fn files(&self, subject: &Subject, written: Written, progress: &Progress<'_>) -> Result<Files, Failure> {
        let Subject { table, run, reading, decisions, .. } = subject;
        // What was decided on findings since the run changes no cell, but who makes the release again must decide the same.
        let decided = Setup { decisions: decisions.clone(), ..Setup::clone(&run.setup) };
        let policy = policy_text(&decided, table, reading);
        let input = self.digest_of_input(table, progress).await?;
        self.still(table)?;
        let digests = Digests { input, release: digest(&run.file(written)?), policy: digest(policy.as_bytes()) };
        Ok(Files { policy, digests })
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
