//! `throng compare`: all algorithms on one policy, or one number of it changed step by step, as a CSV table.

use std::path::Path;
use std::sync::Mutex;

use super::{ask, open, policy_sources};
use crate::compare::{Axis, Line, csv, variants};
use crate::failure::{Failure, FailureKind};
use crate::io::MemorySource;
use crate::io::csv::ReadOptions;
use crate::policy::Algorithm;
use crate::protocol::{Request, Response};
use crate::run::RunView;
use crate::setup_view::SetupView;

pub struct Wishes<'a> {
    /// Names of algorithms; none: all of them, or the policy's own for a sweep.
    pub algorithms: &'a [String],
    /// `k=2..50:4`
    pub sweep: Option<&'a str>,
}

type Outcome = Result<Box<RunView>, Failure>;

pub fn run(policy: &Path, data: &Path, wishes: &Wishes<'_>) -> Result<String, Failure> {
    let unexpected = || Failure::crashed("The engine gave an answer of another kind.");
    let (engine, _, setup) = open(data, policy_sources(policy)?, ReadOptions::default())?;
    // As the engine saves it, it needs no other files.
    let Response::Text(text) = ask(&engine, Request::SavePolicy, Vec::new())? else { return Err(unexpected()) };
    drop(engine);
    let sweep = wishes.sweep.map(|sweep| steps(sweep, &setup)).transpose()?;
    let algorithms = algorithms(wishes.algorithms, &setup.algorithm, sweep.is_some())?;
    let sweep = sweep.as_ref().map(|(axis, values)| (*axis, values.as_slice()));
    let variants = variants(&algorithms, sweep);

    let next = Mutex::new(0..variants.len());
    let found: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; variants.len()]);
    let work = || -> Result<(), Failure> {
        let policy = MemorySource { name: "policy.json".into(), bytes: text.clone().into_bytes() };
        let (engine, ..) = super::open_quietly(data, vec![Box::new(policy)], ReadOptions::default())?;
        loop {
            let place = next.lock().ok().and_then(|mut next| next.next());
            let Some(place) = place else { return Ok(()) };
            let vary = Request::Vary(variants[place].clone());
            let ran = ask(&engine, vary, Vec::new()).and_then(|_| ask(&engine, Request::Run, Vec::new()));
            let ran = ran.and_then(|response| match response {
                Response::Ran(view) => Ok(view),
                _ => Err(unexpected()),
            });
            if let Ok(mut found) = found.lock() {
                found[place] = Some(ran);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(variants.len().max(1));
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(unexpected())))
    })?;
    let found = found.into_inner().unwrap_or_default();
    // What holds one release back holds back all.
    let held = found
        .iter()
        .flatten()
        .find_map(|outcome| outcome.as_ref().err().filter(|failure| failure.kind == FailureKind::Held));
    if let Some(held) = held {
        return Err(held.clone());
    }
    let mut lines = Vec::new();
    for (variant, outcome) in variants.iter().zip(&found) {
        if let Some(outcome) = outcome {
            let outcome = outcome.as_ref().map(|view| &**view);
            lines.push(Line { name: variant.algorithm.name(), at: variant.at, outcome });
        }
    }
    Ok(csv(&lines))
}

fn algorithms(names: &[String], own: &Algorithm, sweeping: bool) -> Result<Vec<Algorithm>, Failure> {
    if names.is_empty() {
        return Ok(if sweeping { vec![own.clone()] } else { Algorithm::all().into() });
    }
    let known = Algorithm::all().map(|algorithm| algorithm.name()).join(", ");
    let named = |name: &String| {
        let found = Algorithm::all().into_iter().find(|algorithm| algorithm.name() == name);
        // The policy's own with its settings.
        let found = found.map(|algorithm| if own.name() == name { own.clone() } else { algorithm });
        found.ok_or_else(|| Failure::refused("There is no such algorithm.", format!("Choose of: {known}.")))
    };
    names.iter().map(named).collect()
}

/// Reads `k=2..50` and `k=2..50:4`.
fn steps(text: &str, setup: &SetupView) -> Result<(Axis, Vec<f64>), Failure> {
    let unread = || {
        let names = Axis::ALL.map(Axis::name).join(", ");
        let next = format!("Write for example k=2..50:4, with one of {names}, from, to and by.");
        Failure::refused("The sweep could not be read.", next)
    };
    let (name, range) = text.split_once('=').ok_or_else(unread)?;
    let axis = Axis::ALL.into_iter().find(|axis| axis.name() == name.trim()).ok_or_else(unread)?;
    let (range, by) = match range.split_once(':') {
        Some((range, by)) => (range, by.trim().parse().map_err(|_| unread())?),
        None => (range, axis.usual().2),
    };
    let (from, to) = range.split_once("..").ok_or_else(unread)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| unread());
    let demands: Vec<_> = setup.privacy.iter().map(|view| view.demand.clone()).collect();
    if !axis.applies(&demands) {
        let what = format!("The policy has no {}.", axis.name());
        return Err(Failure::refused(what, "Sweep a number that it has, or add a model that has it."));
    }
    Ok((axis, axis.values(number(from)?, number(to)?, by)?))
}
