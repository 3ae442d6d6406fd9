//! `throng link`: what several releases tell together.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{ask, open, policy_sources, source};
use crate::engine::Engine;
use crate::failure::Failure;
use crate::io::Source;
use crate::io::csv::ReadOptions;
use crate::linkage::door::LinkQuestion;
use crate::linkage::link::{LinkView, Spread};
use crate::linkage::person::PersonLink;
use crate::protocol::{Request, Response};
use crate::words::{counted, grouped, percent};

pub struct Wishes<'a> {
    pub policy: Option<&'a Path>,
    pub original: Option<&'a Path>,
    pub plan: Option<&'a Path>,
    pub person: Option<&'a str>,
    pub sensitive: Option<String>,
    pub json: bool,
}

pub fn run(releases: &[PathBuf], wishes: Wishes<'_>) -> Result<String, Failure> {
    let files = releases.iter().map(PathBuf::as_path).chain(wishes.plan);
    let mut sources: Vec<Box<dyn Source>> = files.map(source).collect::<Result<_, _>>()?;
    let policy = wishes.policy.map(policy_sources).transpose()?.unwrap_or_default();
    let engine = match wishes.original {
        // The policy is the original's: what it says of columns and hierarchies holds for the releases.
        Some(original) => open(original, policy, ReadOptions::default())?.0,
        None => {
            sources.extend(policy);
            Engine::default()
        }
    };
    let with_original = wishes.original.is_some();
    let question = LinkQuestion {
        samples: Vec::new(),
        original: with_original,
        setup: with_original,
        sensitive: wishes.sensitive,
        ..LinkQuestion::default()
    };
    let unexpected = || Failure::crashed("The engine gave an answer of another kind.");
    let Response::Linked(view) = ask(&engine, Request::Link(question), sources)? else { return Err(unexpected()) };
    for (release, sentence) in &view.repaired {
        eprintln!("note: {release}: {sentence}");
    }
    let person = match wishes.person {
        None => None,
        Some(text) => match ask(&engine, Request::LinkPerson { cells: cells(text)? }, Vec::new())? {
            Response::LinkedPerson(person) => Some(person),
            _ => return Err(unexpected()),
        },
    };
    if wishes.json {
        return Ok(to_json(&view, person.as_ref()));
    }
    let mut text = said(&view);
    if let Some(person) = person {
        write_person(&mut text, &person);
    }
    Ok(text)
}

/// `sex=Female,zip=560010`: a comma begins a new column only where an equals sign follows before the next one.
fn cells(text: &str) -> Result<Vec<(String, String)>, Failure> {
    let mut cells: Vec<(String, String)> = Vec::new();
    for part in text.split(',') {
        match (part.split_once('='), cells.last_mut()) {
            (Some((name, value)), _) => cells.push((name.trim().to_owned(), value.trim().to_owned())),
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(part);
            }
            (None, None) => {
                let what = "The person is not given as column=value.";
                return Err(Failure::policy(what, "Write --person \"sex=Female,age=34\"."));
            }
        }
    }
    Ok(cells)
}

fn to_json(view: &LinkView, person: Option<&PersonLink>) -> String {
    let spread = |spread: &Spread| -> Value {
        Value::Object(spread.iter().map(|(l, people)| (l.to_string(), json!(people))).collect::<Map<_, _>>())
    };
    let releases = view.releases.iter().map(|release| {
        json!({
            "name": release.name, "rows": release.rows, "left_out": release.left_out, "classes": release.classes,
            "k": release.k, "distinct_l": release.l, "l": spread(&release.spread),
        })
    });
    let growth = view
        .by_releases
        .iter()
        .map(|growth| json!({"releases": growth.releases, "exposed": growth.exposed, "l": spread(&growth.spread)}));
    let mut answer = json!({
        "quasi": view.quasi,
        "sensitive": view.sensitive,
        "values": view.values,
        "only_in_some": view.only_in_some,
        "same_plan": view.same_plan,
        "releases": releases.collect::<Vec<_>>(),
        "not_understood": view.not_understood,
        "repaired": view.repaired.iter().map(|(name, sentence)| json!({"name": name, "sentence": sentence})).collect::<Vec<_>>(),
        "population": view.population,
        "before": spread(&view.before),
        "after": spread(&view.after),
        "exposed_before": view.exposed_before,
        "exposed_after": view.exposed_after,
        "by_releases": growth.collect::<Vec<_>>(),
        "worst_case": view.worst_case,
    });
    if let Some(person) = person {
        let counts = |counts: &[(String, u64)]| -> Value {
            let entry = |(value, count): &(String, u64)| json!({"value": value, "count": count});
            Value::Array(counts.iter().map(entry).collect())
        };
        let releases = person.releases.iter().map(|release| {
            json!({
                "name": release.name, "classes": release.classes, "cells": release.cells, "rows": release.rows,
                "l": release.l, "values": counts(&release.values), "left": counts(&release.left),
            })
        });
        answer["person"] = json!({
            "known": person.known.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
            "releases": releases.collect::<Vec<_>>(),
            "left": counts(&person.left),
            "l": person.l,
        });
    }
    // Serializing plain data to a string can't fail.
    serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n"
}

fn said(view: &LinkView) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "linked by {}; sensitive: {}", view.quasi.join(", "), view.sensitive);
    for release in &view.releases {
        let _ = writeln!(
            text,
            "  {}: {} in {}, k = {}, distinct l = {}",
            release.name,
            counted(release.rows, "row"),
            counted(release.classes, "class"),
            release.k,
            release.l
        );
    }
    if view.same_plan == Some(false) {
        let _ = writeln!(text, "note: the releases are of different plans, so their class numbers are not linked by");
    }
    for lost in &view.not_understood {
        let (cells, rows) = (counted(lost.cells, "different cell"), counted(lost.rows, "row"));
        let first: Vec<String> = lost.first.iter().map(u64::to_string).collect();
        let _ = writeln!(
            text,
            "note: {}: not understood in column {}: {cells}; {rows} left out (rows {}{})",
            lost.release,
            lost.column,
            first.join(", "),
            if lost.rows > lost.first.len() as u64 { ", …" } else { "" }
        );
    }
    let population = &view.population;
    let who = if population.original { "people who can be in all releases" } else { "cells of the common refinement" };
    let _ = writeln!(text, "\n{who}: {}", grouped(population.linked));
    if population.original {
        let _ = writeln!(text, "  of {} in the original table", counted(population.people, "row"));
    }
    if !population.complete {
        let _ = writeln!(text, "note: there are more; give the original table to count people instead");
    }
    let share = |people: u64| percent(people as f64 / population.linked.max(1) as f64);
    for (what, exposed) in [("before", view.exposed_before), ("after", view.exposed_after)] {
        let _ = writeln!(text, "exposed {what} linking: {} ({})", grouped(exposed), share(exposed));
    }
    for growth in &view.by_releases {
        let spread: Vec<String> =
            growth.spread.iter().take(12).map(|(l, people)| format!("{l}: {}", grouped(*people))).collect();
        let more = if growth.spread.len() > 12 { ", …" } else { "" };
        let _ = writeln!(text, "  l after {}: {}{more}", counted(growth.releases.into(), "release"), spread.join(", "));
    }
    let _ = writeln!(text, "worst case for such releases: l = {}", view.worst_case);
    text
}

fn write_person(text: &mut String, person: &PersonLink) {
    let known: Vec<String> =
        person.known.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))).collect();
    let _ = writeln!(text, "\nthe person with {}", known.join(", "));
    let counts = |counts: &[(String, u64)]| {
        let shown = counts.iter().take(12).map(|(value, count)| format!("{value} ({count})"));
        shown.collect::<Vec<_>>().join(", ")
    };
    for release in &person.releases {
        let _ = match release.classes {
            0 => writeln!(text, "  {}: no class for such a person", release.name),
            classes => writeln!(text, "  {}: {}: {}", release.name, counted(classes, "class"), counts(&release.values)),
        };
    }
    let _ = match person.l {
        0 => writeln!(text, "  together: no value is in all of them, so nobody of this kind is"),
        l => writeln!(text, "  together: l = {l}: {}", counts(&person.left)),
    };
}
