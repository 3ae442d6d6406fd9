//! The benches, written once and run natively and in Chromium by `./x bench`.
//!
//! Each bench times some work and the *unit* beside it in the same run: one plain hash group-by of the same rows.
//! Machines differ and are shared, so only ratios mean anything; the least of several runs is the least disturbed one.

use std::collections::HashMap;
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;

use serde::Serialize;
use throng::io::MemorySource;
use throng::io::csv::{self, ReadOptions};
use throng::progress::{Progress, Report, Sink, block_on};

/// One figure: `value` in milliseconds, or in `unit` when that is said.
#[derive(Serialize)]
struct Figure {
    bench: &'static str,
    what: String,
    milliseconds: f64,
    /// How many of the bench's units of work that is.
    units: f64,
}

struct Suite {
    now: fn() -> f64,
    figures: Vec<Figure>,
}

impl Suite {
    /// The least time of `times` runs.
    fn least<T>(&self, times: usize, mut work: impl FnMut() -> T) -> f64 {
        let once = |_| {
            let start = (self.now)();
            black_box(work());
            (self.now)() - start
        };
        (0..times).map(once).fold(f64::INFINITY, f64::min)
    }

    fn add(&mut self, bench: &'static str, what: &str, milliseconds: f64, unit: f64) {
        self.figures.push(Figure { bench, what: what.to_owned(), milliseconds, units: milliseconds / unit });
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

/// A table like a hospital's: a unique number, a skewed category, and columns between.
fn rows(count: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut text = String::from("record,age,sex,postcode,diagnosis,cost\n");
    for row in 0..count {
        let (age, sex, postcode) = (next(100), ["Female", "Male"][next(2) as usize], next(5000));
        let common = next(200) + 1;
        text += &format!("{row},{age},{sex},{postcode:05},D{},{}.{:02}\n", next(common), next(90_000), next(100));
    }
    text.into_bytes()
}

/// Reading a CSV file: the whole ingest against a bare scan by the `csv` crate.
fn ingest(suite: &mut Suite) {
    let bytes = rows(200_000);
    let scan = suite.least(5, || {
        let mut reader = ::csv::ReaderBuilder::new().from_reader(bytes.as_slice());
        let mut record = ::csv::ByteRecord::new();
        let mut cells = 0;
        while reader.read_byte_record(&mut record).is_ok_and(|more| more) {
            cells += record.len();
        }
        cells
    });
    let mut source = MemorySource { name: "rows.csv".into(), bytes };
    let read =
        suite.least(5, || block_on(csv::read(&mut source, &ReadOptions::default(), &Progress::new(&Quiet))).is_ok());
    suite.add("ingest", "bare csv scan (the unit)", scan, scan);
    suite.add("ingest", "ingest, 200,000 rows x 6", read, scan);
}

/// The unit that later benches are measured in, and what it is worth on this machine.
fn unit(suite: &mut Suite) {
    let bytes = rows(200_000);
    let mut source = MemorySource { name: "rows.csv".into(), bytes };
    let Ok(read) = block_on(csv::read(&mut source, &ReadOptions::default(), &Progress::new(&Quiet))) else { return };
    let codes = |column: usize| read.table.columns[column].codes.iter().copied();
    let group_by = suite.least(5, || {
        let mut groups: HashMap<[u32; 3], u32> = HashMap::new();
        for ((age, sex), diagnosis) in codes(1).zip(codes(2)).zip(codes(4)) {
            *groups.entry([age, sex, diagnosis]).or_default() += 1;
        }
        groups.len()
    });
    suite.add("unit", "plain hash group-by, 200,000 rows x 3", group_by, group_by);
}

type Bench = (&'static str, fn(&mut Suite));

const BENCHES: [Bench; 2] = [("unit", unit), ("ingest", ingest)];

/// Runs the benches whose name contains `filter`; the figures as JSON.
fn run(filter: &str, now: fn() -> f64) -> String {
    let mut suite = Suite { now, figures: Vec::new() };
    for (name, bench) in BENCHES {
        if name.contains(filter) {
            bench(&mut suite);
        }
    }
    serde_json::to_string(&suite.figures).unwrap_or_default()
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    // `cargo bench` adds `--bench`, which is no filter.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    fn now() -> f64 {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1000.0
    }
    println!("{}", run(&filter, now));
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance)]
        fn now() -> f64;
    }

    #[wasm_bindgen]
    pub fn run(filter: &str) -> String {
        super::run(filter, now)
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
