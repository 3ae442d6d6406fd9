//! Several workers that run policies on one table, side by side; the page's own worker stays free for its questions.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::File;

use super::client::Client;
use crate::failure::{Failure, FailureKind};
use crate::protocol::{Request, Response};
use crate::run::RunView;

/// Workers beyond this only share the machine's memory bandwidth.
const MOST_WORKERS: u64 = 8;
/// Each worker reads the table for itself: together they shall not hold more than about this.
const MOST_BYTES: u64 = 1 << 30;

/// Policies under way; dropping it stops them.
pub struct Pool {
    workers: Vec<Client>,
    /// Policies that nobody has begun.
    waiting: Rc<Cell<Range<usize>>>,
}

impl Pool {
    /// Runs so many policies on the table that `open` reads (of so many bytes). `policy` gives one when its turn comes,
    /// `on_done` hears of its end.
    pub fn run(
        client: &Client,
        open: (Request, Vec<File>),
        bytes: u64,
        policies: usize,
        policy: impl Fn(usize) -> String + 'static,
        on_done: impl Fn(usize, Result<Box<RunView>, Failure>) + 'static,
    ) -> Pool {
        let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let most = (MOST_BYTES / bytes.max(1)).clamp(1, MOST_WORKERS).min(policies as u64);
        let workers: Vec<Client> = (0..most.min(cores.max(1.0) as u64)).map(|_| client.another()).collect();
        let waiting = Rc::new(Cell::new(0..policies));
        let job = Rc::new((open, policy, on_done));
        for worker in &workers {
            let (worker, waiting, job) = (worker.clone(), waiting.clone(), job.clone());
            spawn_local(async move {
                let (open, policy, on_done) = &*job;
                let mut opened = false;
                loop {
                    let mut left = waiting.take();
                    let next = left.next();
                    waiting.set(left);
                    let Some(place) = next else { break };
                    let outcome = run(&worker, open, &mut opened, policy(place)).await;
                    if outcome.as_ref().is_err_and(|failure| failure.kind == FailureKind::Cancelled) {
                        return;
                    }
                    on_done(place, outcome);
                }
                worker.close();
            });
        }
        Pool { workers, waiting }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.waiting.take();
        for worker in &self.workers {
            worker.close();
        }
    }
}

async fn run(
    worker: &Client,
    open: &(Request, Vec<File>),
    opened: &mut bool,
    policy: String,
) -> Result<Box<RunView>, Failure> {
    let ask = |request: Request, files: &[File]| worker.request(request, files, |_, _| {}).outcome();
    if !*opened {
        ask(open.0.clone(), &open.1).await?;
        *opened = true;
    }
    ask(Request::LoadPolicy { text: policy }, &[]).await?;
    match ask(Request::Run, &[]).await {
        Ok(Response::Ran(view)) => Ok(view),
        Ok(_) => Err(Failure::crashed("The engine gave an answer of another kind.")),
        Err(failure) => {
            // After a crash the worker is a new one, without the table.
            *opened = failure.kind != FailureKind::Crashed;
            Err(failure)
        }
    }
}
