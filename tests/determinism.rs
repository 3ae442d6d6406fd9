//! The same input gives the same bytes, native and in wasm: this file runs on both and compares with one golden file.
//! `THRONG_BLESS=1 cargo test --test determinism` writes the golden file anew (native only).

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::engine::Engine;
use throng::io::csv::ReadOptions;
use throng::io::{MemorySource, Source};
use throng::progress::{Report, Sink, block_on};
use throng::protocol::{Request, Response, encode};

/// A host whose clock stands still, so that both targets see the same.
struct Still;

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

fn answers() -> Vec<Vec<u8>> {
    let engine = Engine::default();
    let source: Box<dyn Source> = Box::new(MemorySource { name: "table.csv".into(), bytes: table() });
    let requests = [
        (Request::Open { options: ReadOptions::default() }, Some(source)),
        (Request::Rows { first: 4990, count: 50 }, None),
    ];
    let mut answers = Vec::new();
    for (request, source) in requests {
        let response: Result<Response, _> = block_on(engine.handle(request, source, &Still));
        answers.push(encode(&response));
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
