//! Random policies on random tables, through the engine's door, held against an oracle that is written from the docs
//! alone: it reads the input, the hierarchies and the release itself and uses no code of the crate to judge them.
//!
//! `THRONG_CASES` is the number of cases (500); `THRONG_CASE=seed` runs one of them and tells all of it.

#![cfg(not(target_arch = "wasm32"))]

mod csv;
mod dice;
mod judge;
mod make;
mod models;
#[path = "../support/mod.rs"]
mod support;
mod tree;
mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::io::csv::ReadOptions;
use throng::io::csv_write::Written;
use throng::protocol::{Opened, Request, Response};
use throng::report::Audience;

use make::Case;
use support::{ask, file, text};
use world::World;

/// What came of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Released,
    Refused,
    Held,
    Impossible,
    NotFound,
    /// Though there is a release: every value at its limit, or a way to part few rows.
    NotFoundThoughThere,
}

fn shown(release: Response) -> String {
    match release {
        Response::File(bytes) => String::from_utf8(bytes).expect("a release is UTF-8"),
        other => panic!("{other:?}"),
    }
}

/// Opens, runs and judges a case.
fn check(case: &Case) -> Result<Outcome, Vec<String>> {
    let engine = Engine::default();
    let mut sources = vec![file("data.csv", case.csv.clone()), file("policy.json", case.policy.clone())];
    sources.extend(case.files.iter().map(|(name, text)| file(name, text.clone())));
    let opened = ask(&engine, Request::Open { options: ReadOptions::default() }, sources);
    let names: Vec<String> = match opened {
        Ok(Response::Opened(Opened { table: Some(table), .. })) => {
            table.columns.into_iter().map(|column| column.name).collect()
        }
        Ok(other) => panic!("{other:?}"),
        Err(failure) => return refused(case, None, &failure),
    };
    let mut recipes: BTreeMap<String, String> = BTreeMap::new();
    if case.mistake.is_none() {
        let policy: Value = serde_json::from_str(&case.policy).expect("a policy is JSON");
        for (column, name) in names.iter().enumerate() {
            if policy["columns"][name]["hierarchy"].get("recipe").is_some() {
                let text = text(&engine, Request::ExportHierarchy { column: column as u32 });
                recipes.insert(name.clone(), text);
            }
        }
    }
    let ran = ask(&engine, Request::Run, vec![]);
    if case.mistake.is_some() {
        return match ran {
            Err(failure) => refused(case, None, &failure),
            Ok(_) => Err(vec![format!("not refused: {:?}", case.mistake)]),
        };
    }
    let world = World::read(case, &recipes);
    if let Err(failure) = ran {
        return refused(case, Some(&world), &failure);
    }
    if let Some((_, reason)) = judge::refusals(&world, case).iter().find(|(must, _)| *must) {
        return Err(vec![format!("not refused: {reason}")]);
    }
    let export = |row_numbers| ask(&engine, Request::Export { protected: false, row_numbers }, vec![]).map(shown);
    if let Err(failure) = export(false) {
        return refused(case, Some(&world), &failure);
    }
    let export = |row_numbers| export(row_numbers).expect("a release is exported");
    let written = Written { protected: false, row_numbers: false };
    let report = text(&engine, Request::SaveFigures { written, read_milliseconds: None });
    let report: Value = serde_json::from_str(&report).expect("the report is JSON");
    let (release, numbered) = (export(false), export(true));
    let answer = judge::Answer { release: &release, numbered: &numbered, report: &report };
    let mut faults = judge::faults_of(&world, &answer);
    if world.algorithm() == "lattice" {
        faults.extend(judge::faults_of_optimum(&world, &report));
    }
    faults.extend(look_around(case, &engine, &release));
    if std::env::var_os("THRONG_CASE").is_some() {
        println!("{numbered}\n{report:#}");
    }
    if faults.is_empty() { Ok(Outcome::Released) } else { Err(faults) }
}

/// What else the docs say of a release: its saved policy makes it again, the order of the table's rows changes nothing, and
/// whatever is asked of it is answered.
fn look_around(case: &Case, engine: &Engine, release: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let again = |csv: Vec<u8>, policy: String, files: &[(String, String)]| -> Result<String, Failure> {
        let engine = Engine::default();
        let mut sources = vec![file("data.csv", csv), file("policy.json", policy)];
        sources.extend(files.iter().map(|(name, text)| file(name, text.clone())));
        ask(&engine, Request::Open { options: ReadOptions::default() }, sources)?;
        ask(&engine, Request::Run, vec![])?;
        ask(&engine, Request::Export { protected: false, row_numbers: false }, vec![]).map(shown)
    };
    let saved = text(engine, Request::SavePolicy);
    match again(case.csv.clone(), saved, &[]) {
        Ok(other) if other == release => {}
        Ok(_) => faults.push("the saved policy makes another release".into()),
        Err(failure) => faults.push(format!("the saved policy: {failure}")),
    }
    match again(case.with_rows_turned(), case.policy.clone(), &case.files) {
        Ok(other) if other == release => {}
        Ok(_) => faults.push("the order of the rows changes the release".into()),
        Err(failure) => faults.push(format!("with rows in another order: {failure}")),
    }
    let written = Written { protected: true, row_numbers: false };
    let report = |audience| Request::Report { audience, date: "2026-11-19".into(), written };
    for request in [Request::Audit, report(Audience::Internal), report(Audience::External), Request::SaveAudit] {
        if let Err(failure) = ask(engine, request, vec![]) {
            faults.push(format!("not answered: {failure}"));
        }
    }
    faults
}

/// Whether the docs give the reason for which there is no release.
fn refused(case: &Case, world: Option<&World>, failure: &Failure) -> Result<Outcome, Vec<String>> {
    let told = failure.to_string();
    if case.secret.iter().any(|value| told.contains(value.as_str())) {
        return Err(vec![format!("a failure quotes a cell: {told}")]);
    }
    match failure.kind {
        FailureKind::Policy | FailureKind::Data => {}
        FailureKind::Held => {
            let stops = case.policy.contains("\"findings\":\"stop\"");
            return if stops { Ok(Outcome::Held) } else { Err(vec![format!("held: {told}")]) };
        }
        FailureKind::Impossible if told.contains("Proved impossible") => {
            let found = world.and_then(judge::exists);
            return match found {
                Some(release) => Err(vec![format!("there is a release ({release}): {told}")]),
                None => Ok(Outcome::Impossible),
            };
        }
        FailureKind::Impossible if told.contains("Not found") => {
            let there = world.and_then(judge::exists).is_some();
            if std::env::var_os("THRONG_NOT_FOUND").is_some() && there {
                return Err(vec![told]);
            }
            return Ok(if there { Outcome::NotFoundThoughThere } else { Outcome::NotFound });
        }
        _ => return Err(vec![format!("refused as {:?}: {told}", failure.kind)]),
    }
    if case.mistake.is_some() {
        return Ok(Outcome::Refused);
    }
    let read = || World::read(case, &BTreeMap::new());
    let reasons = match world {
        Some(world) => judge::refusals(world, case),
        None => judge::refusals(&read(), case),
    };
    let located = ["privacy[", "diversity[", "“", "algorithm"].iter().any(|place| told.contains(place));
    let built = told.contains("can't be built");
    let known = reasons.iter().any(|(must, reason)| *must || told.contains(reason.as_str()));
    if !located {
        return Err(vec![format!("no place is told: {told}")]);
    }
    if known || built { Ok(Outcome::Refused) } else { Err(vec![format!("the docs give no reason: {told}")]) }
}

fn judged(seed: u64) -> Result<Outcome, Vec<String>> {
    let case = make::case(seed);
    catch_unwind(AssertUnwindSafe(|| check(&case))).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().cloned();
        let what = what.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(vec![format!("panic: {}", what.unwrap_or_default())])
    })
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn policies_are_judged_as_the_docs_say() {
    if let Some(seed) = number("THRONG_CASE") {
        let case = make::case(seed);
        println!("{}\n{}", String::from_utf8_lossy(&case.csv), case.policy);
        case.files.iter().for_each(|(name, text)| println!("{name}\n{text}"));
        let outcome = judged(seed);
        println!("{outcome:?}");
        assert!(outcome.is_ok());
        return;
    }
    let cases = number("THRONG_CASES").unwrap_or(500);
    let next = AtomicU64::new(0);
    let outcomes: Mutex<BTreeMap<Outcome, u64>> = Mutex::default();
    let failed: Mutex<Vec<(u64, Vec<String>)>> = Mutex::default();
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= cases {
            return;
        }
        match judged(seed) {
            Ok(outcome) => *outcomes.lock().unwrap().entry(outcome).or_default() += 1,
            Err(faults) => failed.lock().unwrap().push((seed, faults)),
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    println!("{:?}", outcomes.lock().unwrap());
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    for (seed, faults) in &failed {
        println!("THRONG_CASE={seed}: {}", faults.join("; "));
    }
    assert!(failed.is_empty(), "{} of {cases} cases disagree with the docs", failed.len());
}

/// The command line gives the same bytes and exit codes as the door.
#[test]
fn the_runner_does_as_the_door() {
    let cases = number("THRONG_CASES").unwrap_or(500) / 10;
    let folder = std::env::temp_dir().join(format!("throng-oracle-{}", std::process::id()));
    for seed in 0..cases.min(400) {
        let case = make::case(seed);
        let place = folder.join(seed.to_string());
        std::fs::create_dir_all(&place).unwrap();
        let at = |name: &str| place.join(name);
        std::fs::write(at("data.csv"), &case.csv).unwrap();
        std::fs::write(at("policy.json"), &case.policy).unwrap();
        case.files.iter().for_each(|(name, text)| std::fs::write(at(name), text).unwrap());
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_throng"));
        command.arg("run").args([at("policy.json"), at("data.csv")]).arg("-o").arg(at("out.csv"));
        let done = command.arg("--report").arg(at("report.json")).output().unwrap();
        let engine = Engine::default();
        let mut sources = vec![file("data.csv", case.csv.clone()), file("policy.json", case.policy.clone())];
        sources.extend(case.files.iter().map(|(name, text)| file(name, text.clone())));
        let mut answer = ask(&engine, Request::Open { options: ReadOptions::default() }, sources);
        if answer.is_ok() {
            answer = ask(&engine, Request::Run, vec![]);
        }
        if answer.is_ok() {
            answer = ask(&engine, Request::Export { protected: true, row_numbers: false }, vec![]);
        }
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        match answer {
            Ok(release) => {
                assert_eq!(done.status.code(), Some(0), "THRONG_CASE={seed}: {told}");
                let written = std::fs::read(at("out.csv")).unwrap();
                assert!(written == shown(release).into_bytes(), "THRONG_CASE={seed}: other bytes");
                let report: Value = serde_json::from_slice(&std::fs::read(at("report.json")).unwrap()).unwrap();
                let written = Written { protected: true, row_numbers: false };
                let mut own: Value =
                    serde_json::from_str(&text(&engine, Request::SaveFigures { written, read_milliseconds: None }))
                        .unwrap();
                own["seconds"] = report["seconds"].clone();
                assert!(own == report, "THRONG_CASE={seed}: another report");
            }
            Err(failure) => {
                let none = matches!(failure.kind, FailureKind::Impossible | FailureKind::Held);
                let code = if none { 3 } else { 2 };
                assert_eq!(done.status.code(), Some(code), "THRONG_CASE={seed}: {told}");
                assert!(!at("out.csv").exists(), "THRONG_CASE={seed}: a release was written");
                assert!(told.contains(&failure.what), "THRONG_CASE={seed}: {told} instead of {failure}");
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
