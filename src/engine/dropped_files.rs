//! Several files at once: which is the table, which are hierarchies, which is a policy, and which column each is for.

use crate::failure::Failure;
use crate::hierarchy::{Slip, arx};
use crate::io::Source;
use crate::linkage::known::Arrived;
use crate::policy::{PolicyFile, Setup};
use crate::protocol::Taken;
use crate::table::Table;
use crate::words::counted;

/// Hierarchies and policies are small; more is not read of a file that claims to be one.
const LARGEST: u64 = 256 << 20;
/// Bytes that tell what a file is.
const SAMPLE: usize = 1 << 14;

/// A file beside the table, read.
pub struct Arrival {
    name: String,
    bytes: Vec<u8>,
    policy: bool,
}

pub struct Arrivals {
    pub table: Option<Box<dyn Source>>,
    pub others: Vec<Arrival>,
}

/// One table, and what came with it. A file that a policy among them names as a hierarchy is one, whatever its lines end in.
pub fn sort(sources: Vec<Box<dyn Source>>) -> Result<Arrivals, Failure> {
    let (mut tables, mut others) = divide(sources)?;
    if tables.len() > 1 {
        let named = hierarchies_of(&others)?;
        let is_named =
            |source: &dyn Source| named.iter().any(|file| file == source.name() || short(file) == source.name());
        let (hierarchies, rest): (Tables, Tables) = tables.into_iter().partition(|source| is_named(source.as_ref()));
        tables = rest;
        for mut source in hierarchies {
            let name = source.name().to_owned();
            others.push(Arrival { bytes: whole(source.as_mut())?, name, policy: false });
        }
    }
    if let Some(second) = tables.get(1) {
        let what = "Two of the files are tables.";
        let next = "Load one table at a time; its hierarchies may come with it.";
        return Err(Failure::data(what, next).in_file(second.name()));
    }
    let dropped_files = Arrivals { table: tables.pop(), others };
    if dropped_files.table.is_none() && dropped_files.others.is_empty() {
        return Err(Failure::refused("No file came with the request.", "Choose a file."));
    }
    Ok(dropped_files)
}

/// Releases, and what came with them.
pub fn releases(sources: Vec<Box<dyn Source>>) -> Result<Arrived, Failure> {
    let (tables, others) = divide(sources)?;
    let (mut policies, hierarchies): (Vec<Arrival>, Vec<Arrival>) =
        others.into_iter().partition(|arrival| arrival.policy);
    let is_plan = |arrival: &Arrival| String::from_utf8_lossy(&arrival.bytes).contains("\"throng_plan\"");
    let plan = policies.iter().position(is_plan).map(|place| policies.remove(place));
    let file = |arrival: Arrival| (arrival.name, arrival.bytes);
    let hierarchies = hierarchies.into_iter().map(file).collect();
    Ok(Arrived { tables, policy: policies.pop().map(file), hierarchies, plan: plan.map(file) })
}

/// The files that policies name as hierarchies.
fn hierarchies_of(others: &[Arrival]) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for policy in others.iter().filter(|arrival| arrival.policy) {
        let read = PolicyFile::parse(&String::from_utf8_lossy(&policy.bytes));
        let read = read.map_err(|failure| failure.in_file(&policy.name))?;
        files.extend(read.columns.into_values().filter_map(|column| column.hierarchy?.file));
    }
    Ok(files)
}

/// The name of a file without its folders.
fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// All bytes of a small file.
fn whole(source: &mut dyn Source) -> Result<Vec<u8>, Failure> {
    let name = source.name().to_owned();
    if source.size() > LARGEST {
        return Err(Failure::data("The file is too large for a hierarchy.", "Name another file.").in_file(&name));
    }
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < source.size() {
        let offset = bytes.len() as u64;
        let read = source.read(offset, 1 << 20, &mut bytes).map_err(|error| error.into_failure(&name))?;
        if read == 0 {
            return Err(crate::io::ReadError::Vanished.into_failure(&name));
        }
    }
    Ok(bytes)
}

type Tables = Vec<Box<dyn Source>>;

/// Tells tables from hierarchies (every line ends in `*`) and policies (JSON).
fn divide(sources: Vec<Box<dyn Source>>) -> Result<(Tables, Vec<Arrival>), Failure> {
    let (mut tables, mut others) = (Vec::new(), Vec::new());
    for mut source in sources {
        let name = source.name().to_owned();
        let mut start = Vec::new();
        source.read(0, SAMPLE, &mut start).map_err(|error| error.into_failure(&name))?;
        let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start);
        let policy = text.trim_ascii_start().starts_with(b"{");
        if (policy || is_hierarchy(&start, source.size())) && source.size() <= LARGEST {
            others.push(Arrival { bytes: whole(source.as_mut())?, name, policy });
        } else {
            tables.push(source);
        }
    }
    Ok((tables, others))
}

/// Whether every complete line of the sample ends in a cell `*`.
fn is_hierarchy(start: &[u8], size: u64) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if (start.len() as u64) < size {
        lines.pop();
    }
    let ends_in_star = |line: &&str| {
        let line = line.trim_end().trim_end_matches('"');
        line.strip_suffix('*').is_some_and(|rest| rest.trim_end_matches('"').ends_with([';', ',', '\t', '|']))
    };
    !lines.is_empty() && lines.iter().all(ends_in_star)
}

/// The policy that came, which says how the table is to be read. Of several the last, as for the set-up.
pub fn policy(others: &[Arrival]) -> Result<Option<PolicyFile>, Failure> {
    let Some(arrival) = others.iter().rev().find(|arrival| arrival.policy) else { return Ok(None) };
    let parsed = PolicyFile::parse(&String::from_utf8_lossy(&arrival.bytes));
    let checked = parsed.and_then(|policy| policy.reading().map(|_| policy));
    checked.map(Some).map_err(|failure| failure.in_file(&arrival.name))
}

/// Puts policies and hierarchies on the set-up; all or nothing.
pub fn take(others: &[Arrival], setup: &mut Setup, table: &Table) -> Result<Vec<Taken>, Failure> {
    let (policies, hierarchies): (Vec<&Arrival>, Vec<&Arrival>) = others.iter().partition(|arrival| arrival.policy);
    let mut taken = Vec::new();
    let mut used: Vec<String> = Vec::new();
    for policy in policies {
        let text = String::from_utf8_lossy(&policy.bytes);
        let mut files = |file: &str| {
            // The runner gives files the names that the policy has for them; a browser knows no folders.
            let named = |name: &str| hierarchies.iter().find(|arrival| arrival.name == name);
            let found = named(file).or_else(|| named(short(file))).ok_or_else(|| super::missing_file(file))?;
            used.push(found.name.clone());
            Ok(found.bytes.clone())
        };
        *setup = PolicyFile::parse(&text)
            .and_then(|policy| policy.apply(table, &mut files))
            .map_err(|failure| if failure.place.file.is_none() { failure.in_file(&policy.name) } else { failure })?;
        taken.push(Taken { file: policy.name.clone(), column: None, notes: Vec::new(), slips: Vec::new() });
    }
    for arrival in hierarchies.into_iter().filter(|arrival| !used.contains(&arrival.name)) {
        let Some(place) = column_for(&arrival.name, table) else {
            let notes = vec!["No column has a name like this file's; rename the file after its column.".to_owned()];
            taken.push(Taken { file: arrival.name.clone(), column: None, notes, slips: Vec::new() });
            continue;
        };
        let column = &table.columns[place];
        let imported = arx::import(&arrival.bytes, Some(column)).map_err(|failure| failure.in_file(&arrival.name))?;
        setup.columns[place].put(imported.tree, None, column);
        let slips = imported.report.slips.iter().map(Slip::sentence).collect();
        let notes = notes(&imported.report);
        taken.push(Taken { file: arrival.name.clone(), column: Some(column.name.clone()), notes, slips });
    }
    Ok(taken)
}

/// What is worth a look after an import, in sentences.
fn notes(report: &arx::ImportReport) -> Vec<String> {
    let mut notes = Vec::new();
    if !report.lacking.is_empty() {
        let (values, rows) = (counted(report.lacking.len() as u64, "value"), counted(report.lacking_rows, "row"));
        notes.push(format!("Not in the hierarchy: {values} of the data ({rows})."));
    }
    if report.unused > 0 {
        notes.push(format!("Not in the data: {} of the hierarchy.", counted(report.unused as u64, "value")));
    }
    if !report.repeated_lines.is_empty() {
        notes.push(format!("Repeated and ignored: {}.", counted(report.repeated_lines.len() as u64, "line")));
    }
    let slips = report.slips.len() + report.slips_left_out;
    if slips > 0 {
        notes.push(format!("Worth a look: {}.", counted(slips as u64, "likely slip")));
    }
    notes
}

/// The column a hierarchy file is for: the one whose name ends the file's name, word by word; the longest such.
fn column_for(file: &str, table: &Table) -> Option<usize> {
    let words = |name: &str| -> Vec<String> {
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let stem = short(file);
    let stem = words(stem.rsplit_once('.').map_or(stem, |(stem, _)| stem));
    let fits = |place: &usize| {
        let column = words(&table.columns[*place].name);
        !column.is_empty() && stem.ends_with(&column)
    };
    (0..table.columns.len())
        .filter(fits)
        .max_by_key(|&place| (words(&table.columns[place].name).len(), std::cmp::Reverse(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_are_told_from_tables() {
        assert!(is_hierarchy(b"Male;*\nFemale;*\n", 16));
        assert!(is_hierarchy(b"\"a\",\"b\",\"*\"\r\n", 13));
        assert!(is_hierarchy(b"1;0-4;*\n2;0-", 100));
        assert!(!is_hierarchy(b"sex;age\nMale;*\n", 15));
        assert!(!is_hierarchy(b"stars\n***\n", 10));
        assert!(!is_hierarchy(b"", 0));
    }
}
