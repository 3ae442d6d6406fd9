//! `throng run`: a verified release as a file, or the reason why there is none.

use std::path::Path;

use super::{ask, check_outputs, open, policy_sources, save, tell};
use crate::constraints::{repeats, said_before};
use crate::failure::Failure;
use crate::findings::Finding;
use crate::io::csv::ReadOptions;
use crate::io::csv_write::Written;
use crate::policy::Decisions;
use crate::policy::Edit;
use crate::protocol::{Request, Response};
use crate::report::Audience;
use crate::table::Date;
use crate::words::{counted, figure};

pub struct Wishes<'a> {
    pub output: &'a Path,
    pub report: Option<&'a Path>,
    /// The report as a page, and for whom.
    pub page: Option<(&'a Path, Audience)>,
    /// The day on the page.
    pub date: &'a str,
    pub written: Written,
    /// Open findings hold the release back.
    pub strict: bool,
}

pub fn run(policy: &Path, data: &Path, wishes: &Wishes<'_>) -> Result<String, Failure> {
    let outputs = [Some(wishes.output), wishes.report, wishes.page.map(|(page, _)| page)];
    check_outputs(&[data], Some(policy), &outputs.into_iter().flatten().collect::<Vec<_>>())?;
    let started = std::time::Instant::now();
    let (engine, _, setup) = open(data, policy_sources(policy)?, ReadOptions::default())?;
    let read = started.elapsed().as_secs_f64() * 1000.0;
    let in_policy = |failure: Failure| {
        if failure.place.file.is_none() { failure.in_file(&policy.display().to_string()) } else { failure }
    };
    let unexpected = || Failure::crashed("The engine gave an answer of another kind.");
    if wishes.strict {
        let decisions = Decisions { stop: true, ..setup.decisions };
        ask(&engine, Request::Edit(Edit::Decisions(decisions)), Vec::new())?;
    }
    let Response::Ran(view) = ask(&engine, Request::Run, Vec::new()).map_err(in_policy)? else {
        return Err(unexpected());
    };
    // What the file and the table show was told when they were opened.
    tell(&view.findings.iter().filter(|finding| finding.is_of_release()).cloned().collect::<Vec<Finding>>());
    for sentence in repeats(said_before(setup.diversity.iter()).into_iter()) {
        eprintln!("note: diversity: {sentence}");
    }
    let written = wishes.written;
    let request = Request::Export { protected: written.protected, row_numbers: written.row_numbers };
    let Response::File(bytes) = ask(&engine, request, Vec::new())? else { return Err(unexpected()) };
    // All is written once nothing can fail but the disk.
    let mut files: Vec<(&Path, Vec<u8>)> = vec![(wishes.output, bytes)];
    if let Some(report) = wishes.report {
        let request = Request::SaveFigures { written, read_milliseconds: Some(read) };
        let Response::Text(json) = ask(&engine, request, Vec::new())? else { return Err(unexpected()) };
        files.push((report, json.into_bytes()));
    }
    if let Some((page, audience)) = wishes.page {
        let request = Request::Report { audience, date: wishes.date.to_owned(), written };
        let Response::Text(html) = ask(&engine, request, Vec::new())? else { return Err(unexpected()) };
        files.push((page, html.into_bytes()));
    }
    let saved = files.iter().map(|(path, bytes)| save(path, bytes)).collect::<Result<String, Failure>>()?;
    let levels = view.lattice.iter().flat_map(|lattice| &lattice.columns);
    let levels: Vec<String> = levels.map(|(name, level, levels)| format!("{name} {level}/{}", levels - 1)).collect();
    Ok(format!(
        "verified: {} in {}, {} suppressed; smallest class {}; loss {}\nlevels: {}\n{saved}",
        counted(view.verified.rows, "row"),
        counted(view.verified.classes, "class"),
        view.verified.suppressed,
        view.smallest,
        figure(view.metrics.loss),
        levels.join(", ")
    ))
}

/// The day by the machine's clock, as 2026-11-16 (UTC).
pub fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Date::from_days((since.as_secs() / 86_400) as i64).to_string()
}
