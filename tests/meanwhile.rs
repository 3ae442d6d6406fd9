//! What was asked for meanwhile: requests overlap, and each answer is about one table, one run and one set-up.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;

use support::{Still, ask, edit, file, open_files, setup, text};
use throng::engine::{Engine, digest};
use throng::failure::Failure;
use throng::hierarchy::Recipe;
use throng::io::Source;
use throng::io::csv::{ColumnOptions, ReadOptions};
use throng::io::csv_write::Written;
use throng::policy::{Algorithm, Edit};
use throng::progress::{Report, Sink, block_on};
use throng::protocol::{Opened, Request, Response};
use throng::report::Audience;
use throng::table::{Role, SaidKind};

type Asked = (Request, Vec<Box<dyn Source>>);

/// A host whose clock runs so fast that every checkpoint is a turn; in one of them it asks something else.
struct Meanwhile<'a> {
    engine: &'a Engine,
    clock: Cell<f64>,
    /// Turns until then.
    turns: Cell<usize>,
    asked: RefCell<Option<Asked>>,
}

impl Sink for Meanwhile<'_> {
    fn now(&self) -> f64 {
        self.clock.set(self.clock.get() + 1000.0);
        self.clock.get()
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        false
    }
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(async {
            let Some(turns) = self.turns.get().checked_sub(1) else {
                if let Some((request, sources)) = self.asked.take() {
                    self.engine.handle(request, sources, &Still).await.unwrap();
                }
                return;
            };
            self.turns.set(turns);
        })
    }
}

/// Asks one thing, and after so many turns another; whether there were as many.
fn overlapping(engine: &Engine, request: Request, turns: usize, other: Asked) -> (Result<Response, Failure>, bool) {
    let sink = Meanwhile { engine, clock: Cell::new(0.0), turns: Cell::new(turns), asked: RefCell::new(Some(other)) };
    let answer = block_on(engine.handle(request, vec![], &sink));
    let asked = sink.asked.borrow().is_none();
    (answer, asked)
}

const POLICY: &str = r#"{"throng": 1, "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 2}]}"#;

fn csv(ill: &str) -> String {
    "age,ill\n".to_owned() + &format!("30,{ill}\n31,cold\n30,cold\n31,{ill}\n").repeat(2000)
}

/// An engine with a release of the first table.
fn released() -> Engine {
    let engine = Engine::default();
    open_files(&engine, vec![file("first.csv", csv("flu")), file("policy.json", POLICY)]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    engine
}

fn open_second() -> Asked {
    let files = vec![file("second.csv", csv("gout")), file("policy.json", POLICY)];
    (Request::Open { options: ReadOptions::default() }, files)
}

/// A report never has one table's figures and another's name.
#[test]
fn a_report_is_about_one_table_whatever_is_opened_meanwhile() {
    let figures = || Request::SaveFigures { written: Written::default(), read_milliseconds: None };
    let page =
        || Request::Report { audience: Audience::Internal, date: "2026-11-19".into(), written: Written::default() };
    let mut refused = 0;
    for request in [figures(), page()] {
        for turns in 0.. {
            assert!(turns < 1000);
            let engine = released();
            let (answer, asked) = overlapping(&engine, request.clone(), turns, open_second());
            match answer {
                Err(failure) => {
                    refused += 1;
                    assert!(asked && failure.what == "Another table was loaded meanwhile.", "{failure}");
                }
                Ok(Response::Text(text)) => {
                    assert!(!asked, "turn {turns}");
                    assert!(text.contains("first.csv") && !text.contains("second.csv"));
                    break;
                }
                Ok(other) => panic!("{other:?}"),
            }
            // The second table has its own file.
            ask(&engine, Request::Run, vec![]).unwrap();
            let told = text(&engine, figures());
            assert!(told.contains("second.csv") && told.contains(&digest(csv("gout").as_bytes())), "{told}");
        }
    }
    assert!(refused > 2, "{refused}");
}

#[test]
fn a_role_that_is_changed_while_the_file_is_read_again_stays() {
    let mut kept = 0;
    for turns in 0.. {
        assert!(turns < 1000);
        let engine = released();
        let read = ReadOptions { missing: Some(vec!["cold".into()]), ..ReadOptions::default() };
        let role = Edit::Roles { columns: vec![0], role: Role::Insensitive };
        let asked = (Request::Edit(role), vec![]);
        let (answer, asked) = overlapping(&engine, Request::Read { options: read }, turns, asked);
        let Ok(Response::Opened(opened)) = answer else { panic!() };
        if !asked {
            break;
        }
        kept += 1;
        assert_eq!(opened.setup.columns[0].role, Role::Insensitive, "turn {turns}");
        assert_eq!(opened.setup.columns[1].role, Role::Sensitive);
    }
    assert!(kept > 0);
}

/// What a person does while a policy has the file read again is not replaced by it.
#[test]
fn a_policy_that_has_the_file_read_again_does_not_replace_what_is_set_up_meanwhile() {
    let text = POLICY.replacen("1,", r#"1, "reading": {"missing_tokens": ["cold"]},"#, 1);
    let engine = released();
    let asked = (Request::Edit(Edit::Roles { columns: vec![0], role: Role::Insensitive }), vec![]);
    let (answer, asked) = overlapping(&engine, Request::LoadPolicy { text: text.clone() }, 0, asked);
    assert!(asked && answer.unwrap_err().what == "The set-up was changed meanwhile.");
    let view = edit(&engine, Edit::Algorithm(Algorithm::default())).unwrap();
    assert_eq!(view.columns[0].role, Role::Insensitive);
    // Another time it is taken.
    let Ok(Response::Opened(opened)) = ask(&engine, Request::LoadPolicy { text }, vec![]) else { panic!() };
    assert_eq!(opened.setup.columns[0].role, Role::Quasi);
}

fn read(engine: &Engine, options: ReadOptions) -> Opened {
    match ask(engine, Request::Read { options }, vec![]) {
        Ok(Response::Opened(opened)) => opened,
        other => panic!("{other:?}"),
    }
}

/// One empty name is accepted; then every row is shifted.
#[test]
fn accepted_repairs_are_those_of_one_reading() {
    let table = "age,ill,\n".to_owned() + &"30;1,flu,x\n31;2,cold,x\n".repeat(500);
    let engine = Engine::default();
    let view = open_files(&engine, vec![file("table.csv", table)]).unwrap().setup;
    let demands = vec![throng::policy::Demand::of_rows(2)];
    edit(&engine, Edit::Privacy { demands, typing: false }).unwrap();
    let decisions = throng::policy::Decisions { repairs_accepted: true, ..view.decisions };
    edit(&engine, Edit::Decisions(decisions)).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let again = read(&engine, ReadOptions { delimiter: Some(b';'), ..ReadOptions::default() });
    assert!(
        again.setup.findings.iter().any(|finding| finding.open(&again.setup.decisions)),
        "{:?}",
        again.setup.findings
    );
    assert!(!again.setup.decisions.repairs_accepted);
    assert_eq!(ask(&engine, Request::Run, vec![]).unwrap_err().kind, throng::failure::FailureKind::Held);
}

/// What was accepted of one file is not of the next that has the same columns.
#[test]
fn reasons_are_not_restored_for_another_file() {
    let accept = r#"1, "findings": "stop", "accept": [{"finding": "nearly-unique", "column": "age", "why": "So."}],"#;
    let engine = Engine::default();
    open_files(&engine, vec![file("next.csv", csv("gout"))]).unwrap();
    let view = setup(&engine, Request::RestorePolicy { text: POLICY.replacen("1,", accept, 1) }).unwrap();
    assert!(view.decisions.accept.is_empty() && view.decisions.stop);
}

/// Limits and the least level are of one tree: on another they are gone, both, and that is told.
#[test]
fn limits_and_least_level_go_with_their_hierarchy() {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv("flu"))]).unwrap();
    edit(&engine, Edit::Roles { columns: vec![0], role: Role::Quasi }).unwrap();
    let recipe = Recipe::Intervals { origin: 30.0, width: 2.0, factors: vec![2] };
    edit(&engine, Edit::Build { column: 0, recipe }).unwrap();
    edit(&engine, Edit::FromLevel { column: 0, level: 1 }).unwrap();
    edit(&engine, Edit::Limit { column: 0, node: 1, marked: true }).unwrap();
    // The same kind: the same tree.
    let missing = read(&engine, ReadOptions { missing: Some(vec!["cold".into()]), ..ReadOptions::default() });
    let limits = |opened: &Opened| opened.setup.columns[0].hierarchy.as_ref().map_or(0, |tree| tree.limits);
    assert_eq!((limits(&missing), missing.setup.columns[0].from_level, missing.taken.len()), (1, 1, 0));
    let said = ColumnOptions { missing: vec![], kind: Some(SaidKind::Text) };
    let options = ReadOptions { columns: [("age".to_owned(), said)].into(), ..ReadOptions::default() };
    let text = read(&engine, options);
    assert_eq!((limits(&text), text.setup.columns[0].from_level), (0, 0));
    assert_eq!(text.taken.len(), 1);
    assert!(text.taken[0].file == "age" && text.taken[0].notes[0].contains("no longer set"), "{:?}", text.taken);
}

/// A policy that comes as a file does what the same text does: the release stays, as after an edit.
#[test]
fn a_policy_keeps_the_release_as_a_file_and_as_text() {
    for as_file in [true, false] {
        let engine = released();
        let policy = POLICY.replace("\"k\": 2", "\"k\": 3");
        if as_file {
            open_files(&engine, vec![file("policy.json", policy)]).unwrap();
        } else {
            setup(&engine, Request::LoadPolicy { text: policy }).unwrap();
        }
        let export = Request::Export { protected: true, row_numbers: false };
        assert!(matches!(ask(&engine, export, vec![]), Ok(Response::File(_))), "{as_file}");
        assert!(matches!(ask(&engine, Request::Run, vec![]), Ok(Response::Ran(_))));
    }
}
