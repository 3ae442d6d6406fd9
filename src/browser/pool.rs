//! Several workers that run policies on one table, side by side; the page's own worker stays free for its questions.

use std::cell::RefCell;
use std::collections::VecDeque;
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
    queue: Queue,
}

/// Policies that nobody has begun, with their places.
type Queue = Rc<RefCell<VecDeque<(usize, String)>>>;

impl Pool {
    /// Runs `policies` on the table that `open` reads (of so many bytes); `on_done` hears of each by its place.
    pub fn run(
        client: &Client,
        open: (Request, Vec<File>),
        bytes: u64,
        policies: Vec<String>,
        on_done: impl Fn(usize, Result<Box<RunView>, Failure>) + 'static,
    ) -> Pool {
        let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let most = (MOST_BYTES / bytes.max(1)).clamp(1, MOST_WORKERS).min(policies.len() as u64);
        let workers: Vec<Client> = (0..most.min(cores.max(1.0) as u64)).map(|_| client.another()).collect();
        let queue: Queue = Rc::new(RefCell::new(policies.into_iter().enumerate().collect()));
        let (open, on_done) = (Rc::new(open), Rc::new(on_done));
        for worker in &workers {
            let (worker, open, queue, on_done) = (worker.clone(), open.clone(), queue.clone(), on_done.clone());
            spawn_local(async move {
                let mut opened = false;
                loop {
                    let next = queue.borrow_mut().pop_front();
                    let Some((place, policy)) = next else { break };
                    let outcome = run(&worker, &open, &mut opened, policy).await;
                    if outcome.as_ref().is_err_and(|failure| failure.kind == FailureKind::Cancelled) {
                        return;
                    }
                    on_done(place, outcome);
                }
                worker.close();
            });
        }
        Pool { workers, queue }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.borrow_mut().clear();
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
