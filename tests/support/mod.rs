//! What tests that go through the engine's door share.
#![allow(dead_code, reason = "each test program uses its part")]

use throng::engine::Engine;
use throng::failure::Failure;
use throng::io::csv::ReadOptions;
use throng::io::{MemorySource, Source};
use throng::policy::Edit;
use throng::progress::{Report, Sink, block_on};
use throng::protocol::{Opened, Request, Response, RowsPage, Subject, Summary};
use throng::setup_view::{SetupView, TreeView};
use throng::table::View;

/// A host whose clock stands still, so that every target sees the same.
pub struct Still;

impl Sink for Still {
    fn now(&self) -> f64 {
        0.0
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        false
    }
    fn breathe(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

pub fn file(name: &str, bytes: impl Into<Vec<u8>>) -> Box<dyn Source> {
    Box::new(MemorySource { name: name.into(), bytes: bytes.into() })
}

pub fn ask(engine: &Engine, request: Request, sources: Vec<Box<dyn Source>>) -> Result<Response, Failure> {
    block_on(engine.handle(request, sources, &Still))
}

pub fn open_files(engine: &Engine, sources: Vec<Box<dyn Source>>) -> Result<Opened, Failure> {
    match ask(engine, Request::Open { options: ReadOptions::default() }, sources)? {
        Response::Opened(opened) => Ok(opened),
        other => panic!("{other:?}"),
    }
}

pub fn open_in(engine: &Engine, bytes: &[u8]) -> Result<Summary, Failure> {
    Ok(open_files(engine, vec![file("data.csv", bytes)])?.table.expect("a table"))
}

pub fn all_rows() -> Request {
    rows_of(View::default())
}

pub fn rows_of(view: View) -> Request {
    Request::Rows { of: Subject::Table, view, first: 0, count: 1000, first_column: 0, columns: 200 }
}

pub fn page(engine: &Engine, request: Request) -> RowsPage {
    match ask(engine, request, vec![]) {
        Ok(Response::Rows(page)) => page,
        other => panic!("{other:?}"),
    }
}

pub fn cells(page: RowsPage) -> Vec<Vec<String>> {
    page.rows.into_iter().map(|row| row.cells).collect()
}

pub fn edit(engine: &Engine, edit: Edit) -> Result<SetupView, Failure> {
    setup(engine, Request::Edit(edit))
}

pub fn setup(engine: &Engine, request: Request) -> Result<SetupView, Failure> {
    match ask(engine, request, vec![])? {
        Response::Setup(setup) => Ok(setup),
        other => panic!("{other:?}"),
    }
}

pub fn tree(engine: &Engine, column: u32) -> TreeView {
    match ask(engine, Request::Tree { column }, vec![]) {
        Ok(Response::Tree(tree)) => tree,
        other => panic!("{other:?}"),
    }
}

pub fn text(engine: &Engine, request: Request) -> String {
    match ask(engine, request, vec![]) {
        Ok(Response::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}
