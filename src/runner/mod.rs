//! The command line of the headless runner (native only).
//!
//! Exit codes, as SPEC 8 has them: 0 done, 2 an error in the data or the call (clap uses 2 as well).

mod stats;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::engine::Engine;
use crate::failure::Failure;
use crate::io::csv::ReadOptions;
use crate::io::{FileSource, Source};
use crate::progress::{NativeSink, block_on};
use crate::protocol::{Opened, Request, Response};

/// Anonymizes tables; this is the headless runner of the same engine that runs in the browser.
#[derive(Parser)]
#[command(name = "throng", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Rows, columns, different and missing values of a CSV file
    Stats {
        data: PathBuf,
        /// Print JSON, the same bytes as the page saves
        #[arg(long)]
        json: bool,
    },
}

pub fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Stats { data, json } => stats::run(&data, json),
    };
    match done {
        Ok(text) => {
            use std::io::Write;
            // A closed pipe (`| head`) is not our failure.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("throng: {failure}");
            ExitCode::from(2)
        }
    }
}

/// Opens a file in a fresh engine.
fn open(path: &std::path::Path, options: ReadOptions) -> Result<(Engine, Opened), Failure> {
    let shown = path.display().to_string();
    let source: Box<dyn Source> = Box::new(FileSource::open(path).map_err(|error| error.into_failure(&shown))?);
    let engine = Engine::default();
    let sink = NativeSink::new(|_| {});
    match block_on(engine.handle(Request::Open { options }, Some(source), &sink))? {
        Response::Opened(opened) => Ok((engine, opened)),
        _ => Err(Failure::crashed("The engine gave an answer of another kind.")),
    }
}
