//! The only entry to everything that is not the page: [`Engine::handle`].
//!
//! The engine owns the table. A request that fails or is cancelled leaves it as it was. Requests may overlap: each
//! takes its own hold of the table, so rows can be shown while a long job runs.

use std::cell::RefCell;
use std::rc::Rc;

use crate::failure::Failure;
use crate::io::Source;
use crate::io::csv::{self, Ingested, ReadOptions};
use crate::progress::{Progress, Sink};
use crate::protocol::{DebugAction, Opened, Request, Response, RowsPage};
use crate::table::{Table, shortened};

/// As many rows as one page may ask for.
const MOST_ROWS: u32 = 1000;

#[derive(Default)]
pub struct Engine {
    table: RefCell<Option<Rc<Table>>>,
}

impl Engine {
    /// Answers one request. `source` is the file that came with it, if any.
    pub async fn handle(
        &self,
        request: Request,
        source: Option<Box<dyn Source>>,
        sink: &dyn Sink,
    ) -> Result<Response, Failure> {
        let progress = Progress::new(sink);
        match request {
            Request::Open { options } => self.open(source, &options, &progress).await.map(Response::Opened),
            Request::Rows { first, count } => self.rows(first, count).map(Response::Rows),
            Request::Debug(action) => debug(action, &progress).await,
        }
    }

    async fn open(
        &self,
        source: Option<Box<dyn Source>>,
        options: &ReadOptions,
        progress: &Progress<'_>,
    ) -> Result<Opened, Failure> {
        let mut source = source.ok_or_else(|| Failure::refused("No file came with the request.", "Choose a file."))?;
        let Ingested { table, dialect, repairs } = csv::read(source.as_mut(), options, progress).await?;
        let opened = Opened {
            name: source.name().to_owned(),
            bytes: source.size(),
            rows: table.rows as u64,
            columns: table.summaries(),
            dialect,
            repairs,
        };
        self.table.replace(Some(Rc::new(table)));
        Ok(opened)
    }

    fn table(&self) -> Result<Rc<Table>, Failure> {
        self.table.borrow().clone().ok_or_else(|| Failure::refused("No table is loaded.", "Load a table first."))
    }

    fn rows(&self, first: u64, count: u32) -> Result<RowsPage, Failure> {
        let table = self.table()?;
        let start = first.min(table.rows as u64) as usize;
        let end = (start + count.min(MOST_ROWS) as usize).min(table.rows);
        let row = |row: usize| table.columns.iter().map(|column| shortened(column.text(row))).collect();
        Ok(RowsPage { first: start as u64, rows: (start..end).map(row).collect() })
    }
}

#[cfg(not(feature = "debug-requests"))]
async fn debug(_: DebugAction, _: &Progress<'_>) -> Result<Response, Failure> {
    Err(Failure::refused("Debug requests are not part of this build.", "Nothing was done."))
}

#[cfg(feature = "debug-requests")]
async fn debug(action: DebugAction, progress: &Progress<'_>) -> Result<Response, Failure> {
    use crate::progress::Report;
    match action {
        DebugAction::Panic => panic!("asked for by a debug request"),
        DebugAction::ExhaustMemory => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(std::hint::black_box(Vec::with_capacity(256 << 20)));
            }
        }
        // Ending a worker is the host's; see browser/worker.rs.
        DebugAction::Close | DebugAction::Hang => loop {
            std::hint::black_box(());
        },
        DebugAction::Work => {
            let started = progress.now();
            while progress.now() - started < 60_000.0 {
                let fraction = (progress.now() - started) / 60_000.0;
                let report = || Report { phase: "Working".into(), fraction: Some(fraction), detail: String::new() };
                progress.checkpoint(report).await?;
            }
            Ok(Response::Done)
        }
    }
}
