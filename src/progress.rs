//! Progress and cancel, in the signature of everything that may take long.
//!
//! The engine runs on one thread, in the browser as in the runner. A long job is an `async fn` that calls
//! [`Progress::checkpoint`] in its loops: there the host may show how far it is, give the event loop a turn (so that
//! a cancel, a ping or another request is heard), and stop the job. Between two checkpoints there should be well
//! under 100 ms of work. Guarantee: a checkpoint never changes a result, so native and wasm runs stay identical.

use std::cell::Cell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is being done, in words for a person.
    pub phase: String,
    /// From 0 to 1, or `None` when it can't be known.
    pub fraction: Option<f64>,
    /// A figure worth seeing while waiting, e.g. "120,000 rows".
    pub detail: String,
}

/// What the surroundings give a job: a clock, a place for reports, a turn of the event loop, and the wish to stop.
pub trait Sink {
    /// Milliseconds since some fixed moment.
    fn now(&self) -> f64;
    fn report(&self, report: Report);
    fn cancelled(&self) -> bool;
    /// The wish to stop was answered: the search has ended, and what it found is being finished. From now on
    /// [`cancelled`](Sink::cancelled) is about a new wish, where the host can tell one from another.
    fn answer(&self) {}
    /// Resolves after everything else that waits has had its turn.
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>>;
}

/// The longest time a job keeps the thread to itself, in milliseconds.
const TURN: f64 = 40.0;

/// A job's handle to its [`Sink`].
pub struct Progress<'a> {
    sink: &'a dyn Sink,
    turn_started: Cell<f64>,
    /// Whether the wish to stop that is still heard was answered already.
    finishing: Cell<bool>,
}

impl<'a> Progress<'a> {
    pub fn new(sink: &'a dyn Sink) -> Self {
        Progress { sink, turn_started: Cell::new(sink.now()), finishing: Cell::new(false) }
    }

    /// Milliseconds on the host's clock: for figures shown to a person, never for a decision that changes a result.
    pub fn now(&self) -> f64 {
        self.sink.now()
    }

    /// Says that the job is at `report` (built only when it will be seen) and stops it when it was cancelled.
    pub async fn checkpoint(&self, report: impl FnOnce() -> Report) -> Result<(), Failure> {
        if self.sink.now() - self.turn_started.get() >= TURN {
            self.sink.report(report());
            self.sink.breathe().await;
            self.turn_started.set(self.sink.now());
        }
        if self.sink.cancelled() && !self.finishing.get() { Err(Failure::cancelled()) } else { Ok(()) }
    }

    /// Says that a search which was asked to stop has stopped, and that what it found will be finished. Does nothing
    /// if nobody asked.
    pub fn finish(&self) {
        if self.sink.cancelled() {
            self.sink.answer();
            self.finishing.set(self.sink.cancelled());
        }
    }
}

/// A sink for native use: reports go to `on_report`, nothing is ever cancelled, breathing takes no time.
pub struct NativeSink<F: Fn(Report)> {
    started: std::time::Instant,
    on_report: F,
}

impl<F: Fn(Report)> NativeSink<F> {
    pub fn new(on_report: F) -> Self {
        NativeSink { started: std::time::Instant::now(), on_report }
    }
}

impl<F: Fn(Report)> Sink for NativeSink<F> {
    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }
    fn report(&self, report: Report) {
        (self.on_report)(report);
    }
    fn cancelled(&self) -> bool {
        false
    }
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs a job to its end on this thread. For sinks whose breath is always ready: a job never waits for anything else.
pub fn block_on<T>(job: impl Future<Output = T>) -> T {
    let mut job = pin!(job);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = job.as_mut().poll(&mut context) {
            return value;
        }
    }
}
