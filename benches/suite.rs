//! The benches, written once and run natively and in Chromium by `./x bench`.
//!
//! Each bench measures some work and beside it, in the same run, a *unit* that moves with the machine. Machines differ
//! and are shared, so only ratios mean anything; the least of several runs is the least disturbed one.
//!
//! Bytes that a bench reads lie outside of wasm memory, as a file's do, so that memory can be measured, too.

// Beside this file they would be taken for benches of their own.
#[path = "suite/audit.rs"]
mod audit;
#[path = "suite/census.rs"]
mod census;
#[cfg(not(target_arch = "wasm32"))]
#[path = "suite/census_file.rs"]
mod census_file;
#[path = "suite/diva.rs"]
mod diva;
#[path = "suite/diva_case.rs"]
mod diva_case;
#[path = "suite/lattice.rs"]
mod lattice;
#[path = "suite/local.rs"]
mod local;
#[path = "suite/sweep.rs"]
mod sweep;

use std::collections::HashMap;
use std::future::Future;
use std::hint::black_box;
use std::io::Read;
use std::pin::Pin;

use serde::Serialize;
use throng::io::csv::{self, Ingested, ReadOptions};
use throng::io::{ReadError, Source};
use throng::policy::Setup;
use throng::progress::{Progress, Report, Sink, block_on};
use throng::table::Table;

/// One figure, and how many of its bench's units it is.
#[derive(Serialize)]
struct Figure {
    bench: &'static str,
    what: String,
    value: f64,
    of: &'static str,
    units: f64,
}

struct Suite {
    now: fn() -> f64,
    figures: Vec<Figure>,
}

impl Suite {
    /// The least time of `times` runs, in milliseconds.
    fn least<T>(&self, times: usize, mut work: impl FnMut() -> T) -> f64 {
        let once = |_| {
            let start = (self.now)();
            black_box(work());
            (self.now)() - start
        };
        (0..times).map(once).fold(f64::INFINITY, f64::min)
    }

    fn time(&mut self, bench: &'static str, what: &str, value: f64, unit: f64) {
        self.figures.push(Figure { bench, what: what.to_owned(), value, of: "ms", units: value / unit });
    }
}

/// A host that is never in a hurry: benches are not cancelled and show no progress.
struct Quiet;

impl Sink for Quiet {
    fn now(&self) -> f64 {
        0.0
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        false
    }
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// The bytes of a file, wherever they lie.
#[derive(Clone)]
struct File<'a> {
    bytes: &'a Bytes,
    /// Where the next `Read` goes on.
    at: u64,
}

impl Source for File<'_> {
    fn name(&self) -> &str {
        "hospital.csv"
    }
    fn size(&self) -> u64 {
        size(self.bytes)
    }
    fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
        let from = buffer.len();
        let count = count.min((self.size() - offset.min(self.size())) as usize);
        buffer.resize(from + count, 0);
        copy(self.bytes, offset, &mut buffer[from..]);
        Ok(count)
    }
}

impl Read for File<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min((self.size() - self.at) as usize);
        copy(self.bytes, self.at, &mut buffer[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

fn read(file: &Bytes) -> Option<Ingested> {
    let mut source = File { bytes: file, at: 0 };
    block_on(csv::read(&mut source, &ReadOptions::default(), &Progress::new(&Quiet))).ok()
}

/// Reading a CSV file: the whole ingest against a bare scan of the same bytes by the `csv` crate.
fn ingest(suite: &mut Suite, file: &Bytes) {
    // First of all, while memory has not grown for anything else.
    let first = read(file);
    let memory = memory();
    drop(first);
    let scan = || {
        // As large a buffer as the ingest's pieces.
        let mut reader = ::csv::ReaderBuilder::new().buffer_capacity(1 << 20).from_reader(File { bytes: file, at: 0 });
        let mut record = ::csv::ByteRecord::new();
        let mut cells = 0;
        while reader.read_byte_record(&mut record).is_ok_and(|more| more) {
            cells += record.len();
        }
        cells
    };
    // By turns, so that what disturbs them disturbs both.
    let (mut least_ingest, mut least_scan) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        least_ingest = least_ingest.min(suite.least(1, || read(file).is_some()));
        least_scan = least_scan.min(suite.least(1, scan));
    }
    let (ingest, scan) = (least_ingest, least_scan);
    suite.time("ingest", "bare csv byte-record scan (the unit)", scan, scan);
    suite.time("ingest", "ingest (aim: at most 2 units)", ingest, scan);
    if let Some(memory) = memory {
        let allowed = 2.0 * size(file) as f64 + (64 << 20) as f64;
        let what = "peak memory, of 2 x file + 64 MB (aim: at most 1)".to_owned();
        suite.figures.push(Figure { bench: "ingest", what, value: memory / 1e6, of: "MB", units: memory / allowed });
    }
}

/// The time of one plain hash group-by of some columns: the unit of what looks at all rows.
fn group_by(suite: &Suite, table: &Table, places: &[usize]) -> f64 {
    suite.least(3, || {
        let mut groups: HashMap<Vec<u32>, u32> = HashMap::new();
        for row in 0..table.rows {
            let key = places.iter().map(|&place| table.columns[place].codes[row]).collect();
            *groups.entry(key).or_default() += 1;
        }
        groups.len()
    })
}

/// What a person waits for after a change of roles, against one plain hash group-by of the same rows.
fn setup(suite: &mut Suite, file: &Bytes) {
    let Some(Ingested { table, .. }) = read(file) else { return };
    let setup = Setup::guessed(&table);
    let places: Vec<usize> = setup.quasi_identifiers().collect();
    let group_by = group_by(suite, &table, &places);
    let risk = suite.least(5, || setup.risk(&table));
    let forced = suite.least(5, || setup.forced_suppression(&table, 20));
    suite.time("setup", "plain hash group-by of the QIs (the unit)", group_by, group_by);
    suite.time("setup", "risk on the same QIs", risk, group_by);
    suite.time("setup", "forced suppression, k = 2..20", forced, group_by);
}

type Bench = (&'static str, &'static str, u32, fn(&mut Suite, &Bytes));

/// Name, the data it works on and how many rows of it (of real data: all), and the work.
const BENCHES: [Bench; 9] = [
    ("ingest", "hospital", 1_000_000, ingest),
    ("setup", "hospital", 100_000, setup),
    ("audit", "hospital", 1_000_000, audit::audit),
    ("lattice", "adult", 0, lattice::lattice),
    ("local", "adult", 0, local::local),
    ("local-growth", "hospital", 1_000_000, local::local_growth),
    ("sweep", "hospital", 1_000_000, sweep::sweep_growth),
    ("census", "census", 0, census::census),
    ("diva", "census", 0, diva::diva),
];

/// The CSV file of a hospital.
fn hospital(rows: u32) -> Vec<u8> {
    throng::samples::table("hospital", rows, 1).map(|sample| sample.bytes).unwrap_or_default()
}

fn run(name: &str, file: &Bytes, now: fn() -> f64) -> String {
    let mut suite = Suite { now, figures: Vec::new() };
    if let Some((.., bench)) = BENCHES.iter().find(|(other, ..)| *other == name) {
        bench(&mut suite, file);
    }
    serde_json::to_string(&suite.figures).unwrap_or_default()
}

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Bytes, copy, main, memory, size};

#[cfg(not(target_arch = "wasm32"))]
mod native {
    pub type Bytes = Vec<u8>;

    pub fn size(bytes: &Bytes) -> u64 {
        bytes.len() as u64
    }

    pub fn copy(bytes: &Bytes, offset: u64, to: &mut [u8]) {
        to.copy_from_slice(&bytes[offset as usize..offset as usize + to.len()]);
    }

    /// Only wasm has a memory of its own to look at.
    pub fn memory() -> Option<f64> {
        None
    }

    fn now() -> f64 {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1000.0
    }

    /// The bytes of a bench's data.
    fn data(of: &str, rows: u32) -> Vec<u8> {
        match of {
            "adult" => super::lattice::adult(),
            "census" => super::census::text(),
            _ => super::hospital(rows),
        }
    }

    /// Without an argument, the names, data and rows of the benches; with a name, its figures; with `data` and the name
    /// of real data, that.
    pub fn main() {
        let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["data", of] => std::io::Write::write_all(&mut std::io::stdout(), &data(of, 0)).unwrap_or_default(),
            [name, ..] => {
                if let Some((_, of, rows, _)) = super::BENCHES.iter().find(|(other, ..)| *other == name) {
                    println!("{}", super::run(name, &data(of, *rows), now));
                }
            }
            [] => {
                let names: Vec<_> = super::BENCHES.iter().map(|(name, of, rows, _)| (name, of, rows)).collect();
                println!("{}", serde_json::to_string(&names).unwrap_or_default());
            }
        }
    }
}

#[cfg(target_arch = "wasm32")]
use browser::{Bytes, copy, memory, size};

#[cfg(target_arch = "wasm32")]
mod browser {
    use js_sys::Uint8Array;
    use wasm_bindgen::prelude::*;

    pub type Bytes = Uint8Array;

    pub fn size(bytes: &Bytes) -> u64 {
        u64::from(bytes.length())
    }

    pub fn copy(bytes: &Bytes, offset: u64, to: &mut [u8]) {
        let from = offset as u32;
        bytes.subarray(from, from + to.len() as u32).copy_to(to);
    }

    /// Wasm memory never shrinks, so what it is now is the most it was.
    pub fn memory() -> Option<f64> {
        Some(core::arch::wasm32::memory_size::<0>() as f64 * 65536.0)
    }

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance)]
        fn now() -> f64;
    }

    #[wasm_bindgen]
    pub fn hospital(rows: u32) -> Uint8Array {
        Uint8Array::from(super::hospital(rows).as_slice())
    }

    #[wasm_bindgen]
    pub fn run(name: &str, file: &Uint8Array) -> String {
        super::run(name, file, now)
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
