//! The same input gives the same bytes, native and in wasm: this file runs on both and compares with one golden file.
//! `THRONG_BLESS=1 cargo test --test determinism` writes the golden file anew (native only).

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

mod support;

use support::{Still, file};
use throng::algorithms::diva::Strategy;
use throng::algorithms::lattice::Metric;
use throng::constraints::generate::{Class, Wish};
use throng::engine::Engine;
use throng::io::csv::ReadOptions;
use throng::linkage::apply::{ApplySettings, Unseen};
use throng::linkage::calculator::{MechanismQuestion, PGiven, Shape};
use throng::linkage::door::{LinkQuestion, SplitQuestion};
use throng::linkage::mechanism;
use throng::linkage::plan::PlanSettings;
use throng::linkage::simulate::{Anonymizer, SimulateSettings};
use throng::policy::{Algorithm, Demand, Distance, Edit, Method, ModelDemand};
use throng::progress::block_on;
use throng::protocol::{Request, Response, Subject, decode, encode};
use throng::table::{Filter, Sort, View};

/// A table with text of all kinds, missing values and ragged rows, from a small generator of its own.
fn table() -> Vec<u8> {
    let mut state = 1u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut text = String::from("id;naïve;amount;code;code\n");
    for row in 0..5000 {
        let word = ["Zürich", "東京", "NA", "", "a;b", "\"q\""][next(6) as usize].replace('"', "\"\"");
        text += &format!("{row};\"{word}\";{}.{};{}\n", next(900), next(100), next(7));
    }
    text.into_bytes()
}

/// One of each kind whose figures are computed with logarithms or sums of fractions.
fn demands() -> Vec<Demand> {
    let on = |model| Demand { model, attribute: None, jointly: false };
    vec![
        Demand::of_rows(3),
        on(ModelDemand::EntropyL { l: 1.2, dont_care: vec![] }),
        on(ModelDemand::TCloseness { t: 0.9, distance: Distance::Equal }),
    ]
}

/// Constraints with a fault, a contradiction, what follows from others, and several columns.
const LINES: [&str; 9] = [
    "sex=Female & race=Black: 20..90",
    "sex=Female & race=White: 30..",
    "sex=Female: 40..",
    "race=Black: ..120",
    "education=none: 1",
    "workclass=Private: 1..2",
    "marital_status=Divorced: 7..",
    "marital_status=Divorced: ..6",
    "salary_class=<=50K & sex=Male: 100..1900",
];

fn wish() -> Wish {
    Wish { class: Class::Average, on: vec![vec![6], vec![5, 6]], count: Some(7), seed: 3, k: 0 }
}

fn calculator() -> MechanismQuestion {
    MechanismQuestion {
        shape: Shape::Geometric { ratio: 0.95 },
        sensitive: None,
        values: 50,
        quasi: 3000,
        l: 10,
        delta: 0.01,
        p: PGiven::Share(0.01),
        shares: vec![0.01, 0.02],
        ls: vec![10, 30],
        deltas: vec![0.01, 0.001],
    }
}

fn plan() -> PlanSettings {
    let wish = Some(mechanism::Wish::Classes(20));
    PlanSettings { order: vec!["sex".into()], sensitive: None, l: 2, delta: 0.1, wish, smoothing: 50.0 }
}

fn simulation() -> SimulateSettings {
    let anonymizers = Anonymizer::ALL.to_vec();
    SimulateSettings { releases: 2, trials: 2, rows: Some(200), common: 5, seed: 3, anonymizers }
}

fn answers() -> Vec<Vec<u8>> {
    let engine = Engine::default();
    let samples = vec!["hospital-a".to_owned(), "hospital-b".to_owned()];
    let rows = |view| Request::Rows { of: Subject::Table, view, first: 4990, count: 50, first_column: 1, columns: 3 };
    let sort = Some(Sort { column: 2, descending: true });
    let filter = Some(Filter { column: 1, contains: "z".into() });
    let local = |method| Request::Edit(Edit::Algorithm(Algorithm::Local { method, refine: true }));
    let lines: Vec<String> =
        ["sex=Female: 400..", "race=Black & sex=Male: 20..90", "race=Black: ..200"].map(str::to_owned).into();
    let requests = [
        (Request::Open { options: ReadOptions::default() }, vec![file("table.csv", table())]),
        (rows(View::default()), vec![]),
        (rows(View { sort: sort.clone(), filter: None }), vec![]),
        (
            Request::Rows {
                of: Subject::Table,
                view: View { sort, filter },
                first: 0,
                count: 50,
                first_column: 0,
                columns: 9,
            },
            vec![],
        ),
        (Request::SavePolicy, vec![]),
        (Request::SinglingOut, vec![]),
        (Request::OpenSample { id: "hospital".into(), rows: 2000, seed: 7 }, vec![]),
        (Request::SavePolicy, vec![]),
        (Request::OpenSample { id: "adult-like".into(), rows: 2000, seed: 7 }, vec![]),
        (Request::Edit(Edit::Privacy { demands: demands(), typing: false }), vec![]),
        (Request::Edit(Edit::SuppressionLimit { limit: 0.1, typing: false }), vec![]),
        (Request::Audit, vec![]),
        (Request::Run, vec![]),
        (Request::Export { protected: true, row_numbers: true }, vec![]),
        (Request::Edit(Edit::Algorithm(Algorithm::Lattice { metric: Metric::KlDivergence })), vec![]),
        (Request::Run, vec![]),
        (Request::WhatIf { demands: vec![Demand::of_rows(9)], suppression_limit: 0.02 }, vec![]),
        (local(Method::Mondrian), vec![]),
        (Request::Run, vec![]),
        (Request::Export { protected: false, row_numbers: true }, vec![]),
        (local(Method::GreedyCka), vec![]),
        (Request::Run, vec![]),
        (Request::Export { protected: false, row_numbers: true }, vec![]),
        (Request::Spread { column: 1 }, vec![]),
        (Request::Unconstrained, vec![]),
        (Request::GenerateConstraints { wish: wish() }, vec![]),
        (Request::Constraints { lines: LINES.map(str::to_owned).to_vec(), faultless: false }, vec![]),
        (Request::Edit(Edit::Diversity { lines, typing: false }), vec![]),
        (Request::Edit(Edit::Algorithm(Algorithm::Diva { strategy: Strategy::MaxFanOut, refine: true })), vec![]),
        (Request::Run, vec![]),
        (Request::Export { protected: false, row_numbers: true }, vec![]),
        (Request::Link(LinkQuestion { samples, ..LinkQuestion::default() }), vec![]),
        (Request::LinkPerson { cells: vec![("Gender".into(), "Female".into())] }, vec![]),
        (Request::LinkSplit(SplitQuestion { parts: 2, overlap: 0.5, seed: 3 }), vec![]),
        (Request::Mechanism(calculator()), vec![]),
        (Request::MakePlan(plan()), vec![]),
        (Request::ApplyPlan(ApplySettings { unseen: Unseen::Refuse, early: true, accept_repairs: false }), vec![]),
        (Request::ExportApplied { protected: false }, vec![]),
        (Request::Simulate(simulation()), vec![]),
    ];
    let mut answers = Vec::new();
    for (request, sources) in requests {
        let response: Result<Response, _> = block_on(engine.handle(request, sources, &Still));
        assert!(response.is_ok(), "{response:?}");
        let bytes = encode(&response);
        // What the worker sends, the page can read.
        assert_eq!(decode::<Result<Response, throng::failure::Failure>>(&bytes), Ok(response));
        answers.push(bytes);
    }
    answers
}

/// FNV-1a: enough to tell that two byte strings differ.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf29ce484222325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3))
}

#[test]
fn answers_are_the_same_bytes_everywhere() {
    let lines: String =
        answers().iter().map(|answer| format!("{} bytes {:016x}\n", answer.len(), fingerprint(answer))).collect();
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("THRONG_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/determinism.golden"), &lines).unwrap();
        return;
    }
    assert_eq!(lines, include_str!("determinism.golden"));
}
