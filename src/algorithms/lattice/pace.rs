//! How a search keeps in touch with its host: progress, cancel, and an end that was set beforehand.

use std::cell::Cell;

use crate::failure::Failure;
use crate::progress::{Progress, Report};
use crate::words::counted;

/// Steps (about a nanosecond each, natively) between two looks at the host.
const STRIDE: usize = 2_000_000;

/// Why a search ended before it had decided every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A person asked for it.
    Cancelled,
    /// As many nodes as allowed were computed.
    Nodes,
    /// The time was up.
    Time,
    /// There are more nodes than can be remembered.
    Memory,
}

impl From<Stop> for Failure {
    fn from(_: Stop) -> Self {
        Failure::cancelled()
    }
}

pub(super) struct Pace<'a> {
    progress: &'a Progress<'a>,
    until: Option<f64>,
    phase: &'static str,
    steps: Cell<usize>,
    pub nodes: u64,
    pub decided: Cell<u64>,
    pub best: Cell<Option<f64>>,
}

impl<'a> Pace<'a> {
    pub fn new(progress: &'a Progress<'a>, phase: &'static str, nodes: u64, milliseconds: Option<f64>) -> Self {
        let until = milliseconds.map(|time| progress.now() + time);
        Pace { progress, until, phase, steps: Cell::new(0), nodes, decided: Cell::new(0), best: Cell::new(None) }
    }

    /// Says that some steps were done; now and then that is a moment for the host.
    pub async fn work(&self, steps: usize) -> Result<(), Stop> {
        let sum = self.steps.get() + steps;
        if sum < STRIDE {
            self.steps.set(sum);
            return Ok(());
        }
        self.steps.set(0);
        self.progress.checkpoint(|| self.report()).await.map_err(|_| Stop::Cancelled)?;
        match self.until {
            Some(until) if self.progress.now() >= until => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    fn report(&self) -> Report {
        let detail = match (self.nodes, self.best.get()) {
            (0, _) => String::new(),
            (nodes, None) => format!("{} of {} decided", self.decided.get(), counted(nodes, "node")),
            (nodes, Some(best)) => {
                format!("{} of {} decided, best so far {best}", self.decided.get(), counted(nodes, "node"))
            }
        };
        let fraction = (self.nodes > 0).then(|| self.decided.get() as f64 / self.nodes as f64);
        Report { phase: self.phase.to_owned(), fraction, detail }
    }
}
