//! Several workers that run policies on one table, side by side; the page's own worker stays free for its questions.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::File;

use super::client::Client;
use crate::compare::Variant;
use crate::failure::{Failure, FailureKind};
use crate::protocol::{Request, Response};
use crate::run::RunView;

/// Workers beyond this only share the machine's memory bandwidth.
const MOST_WORKERS: u64 = 8;
/// Each worker reads the table for itself: together they shall not hold more than about this.
const MOST_BYTES: u64 = 1 << 30;

/// A run and its policy, or why there is none.
pub type Tried = Result<(Box<RunView>, String), Failure>;

/// Policies under way; dropping it stops them.
pub struct Pool {
    workers: Vec<Client>,
    /// Policies that nobody has begun.
    waiting: Rc<Cell<Range<usize>>>,
}

impl Pool {
    /// Runs variants of a policy on the table that `open` reads (of so many bytes); `on_done` hears of the end of each: the
    /// run, and the policy that makes it again.
    pub fn run(
        client: &Client,
        open: (Request, Vec<File>),
        bytes: u64,
        policy: String,
        variants: Vec<Variant>,
        on_done: impl Fn(usize, Tried) + 'static,
    ) -> Pool {
        let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let most = (MOST_BYTES / bytes.max(1)).clamp(1, MOST_WORKERS).min(variants.len() as u64);
        let workers: Vec<Client> = (0..most.min(cores.max(1.0) as u64)).map(|_| client.another()).collect();
        let waiting = Rc::new(Cell::new(0..variants.len()));
        let job = Rc::new((open, policy, variants, on_done));
        for worker in &workers {
            let (worker, waiting, job) = (worker.clone(), waiting.clone(), job.clone());
            spawn_local(async move {
                let (open, policy, variants, on_done) = &*job;
                let mut opened = false;
                loop {
                    let mut left = waiting.take();
                    let next = left.next();
                    waiting.set(left);
                    let Some(place) = next else { break };
                    let outcome = run(&worker, open, policy, &mut opened, variants[place].clone()).await;
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

async fn run(worker: &Client, open: &(Request, Vec<File>), policy: &str, opened: &mut bool, variant: Variant) -> Tried {
    let ask = |request: Request, files: &[File]| worker.request(request, files, |_, _| {}).outcome();
    let unexpected = || Err(Failure::crashed("The engine gave an answer of another kind."));
    let made = async {
        if !*opened {
            ask(open.0.clone(), &open.1).await?;
            ask(Request::LoadPolicy { text: policy.to_owned() }, &[]).await?;
            *opened = true;
        }
        ask(Request::Vary(variant), &[]).await?;
        let Response::Text(policy) = ask(Request::SavePolicy, &[]).await? else { return unexpected() };
        match ask(Request::Run, &[]).await? {
            Response::Ran(view) => Ok((view, policy)),
            _ => unexpected(),
        }
    }
    .await;
    // After a crash the worker is a new one, without the table.
    *opened &= made.as_ref().err().is_none_or(|failure| failure.kind != FailureKind::Crashed);
    made
}
