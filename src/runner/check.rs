//! `throng check`: audits a table that came anonymized (or did not).

use std::fmt::Write;
use std::path::Path;

use super::{ask, open, policy_sources, tell};
use crate::audit::{Audit, SensitiveAudit};
use crate::failure::Failure;
use crate::findings::Finding;
use crate::io::csv::ReadOptions;
use crate::io::{MemorySource, ReadError, Source};
use crate::policy::Decisions;
use crate::policy::{ModelDemand, PolicyFile};
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::{counted, figure, grouped};

pub fn run(policy: &Path, table: &Path, json: bool, strict: bool) -> Result<String, Failure> {
    let mut sources = policy_sources(policy)?;
    sources[0] = of_release(policy)?;
    // Most likely one of Throng's releases: read by the policy's reading only where that fits.
    let options = ReadOptions { released: true, ..ReadOptions::default() };
    let (engine, _, setup) = open(table, sources, options)?;
    let Response::Audit(audit) = ask(&engine, Request::Audit, Vec::new())? else {
        return Err(Failure::crashed("The engine gave an answer of another kind."));
    };
    for (place, demand) in audit.demands.iter().enumerate() {
        if let Err(mistake) = &demand.outcome {
            return Err(mistake.clone().into_failure(place).in_file(&policy.display().to_string()));
        }
    }
    tell(&audit.findings.iter().filter(|finding| finding.is_of_release()).cloned().collect::<Vec<Finding>>());
    if strict {
        let decisions = Decisions { stop: true, ..setup.decisions };
        decisions.hold(&audit.findings, &table.display().to_string())?;
    }
    Ok(if json { audit.to_json() } else { text(&audit) })
}

/// The policy as it is for its own release: that lacks the identifiers, as it should.
fn of_release(path: &Path) -> Result<Box<dyn Source>, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| ReadError::from(error).into_failure(&name))?;
    let mut policy = PolicyFile::parse(&text).map_err(|failure| failure.in_file(&name))?;
    for column in policy.columns.values_mut().filter(|column| column.role == Role::Identifier) {
        column.optional = true;
    }
    Ok(Box::new(MemorySource { name, bytes: policy.to_json().into_bytes() }))
}

fn text(audit: &Audit) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} in {}", counted(audit.rows, "row"), counted(audit.classes, "class"));
    let _ = writeln!(text, "k-anonymity: k = {}", grouped(audit.k.into()));
    for column in &audit.sensitive {
        let _ = writeln!(text, "\n{}", column.name);
        write_column(&mut text, column);
    }
    if !audit.demands.is_empty() {
        let _ = writeln!(text, "\nwhat the policy asks");
    }
    for demand in &audit.demands {
        let name = demand.demand.model.name();
        let of = demand.demand.attribute.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
        let _ = match &demand.outcome {
            Ok(standing) => {
                let verdict = if standing.holds {
                    "holds".to_owned()
                } else {
                    format!("fails for {}", counted(standing.violating_rows, "row"))
                };
                writeln!(text, "  {name}{of}: {verdict} (achieved: {})", figure(standing.achieved))
            }
            Err(mistake) => writeln!(text, "  {name}{of}: {} {}. {}", mistake.key, mistake.what, mistake.next),
        };
    }
    if audit.demands.iter().any(|demand| matches!(demand.demand.model, ModelDemand::TauL { .. })) {
        let _ = writeln!(
            text,
            "  (tau-l-diversity: without the original, which values occurred is not known; all under a group shown count)"
        );
    }
    text
}

fn write_column(text: &mut String, column: &SensitiveAudit) {
    let _ = writeln!(text, "  distinct l   {}", column.distinct_l);
    let _ = writeln!(text, "  entropy l    {}", figure(column.entropy_l));
    let c: Vec<String> = (2..)
        .zip(column.recursive_c.iter().take(10))
        .map(|(l, &c): (usize, _)| format!("l={l}: {}", figure(c)))
        .collect();
    let _ =
        writeln!(text, "  c must exceed {}", if c.is_empty() { "(no c is enough)".to_owned() } else { c.join(", ") });
    let distances =
        [("equal", Some(column.t_equal)), ("ordered", column.t_ordered), ("hierarchical", column.t_hierarchical)];
    let t: Vec<String> = distances.iter().filter_map(|(name, t)| Some(format!("{name} {}", figure((*t)?)))).collect();
    let _ = writeln!(text, "  t            {}", t.join(", "));
    let _ = writeln!(text, "  largest share of one value in a class {}", figure(column.largest_share));
    for (what, exposure) in [("one value", column.homogeneous), ("at least 95 % one value", column.nearly_homogeneous)]
    {
        let _ =
            writeln!(text, "  classes with {what}: {} ({})", grouped(exposure.classes), counted(exposure.rows, "row"));
    }
}
