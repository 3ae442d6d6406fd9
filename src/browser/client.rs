//! The page's side of the worker: starts it, sends requests, hears answers, and survives its death.
//!
//! The worker runs from a `blob:` address made of its fetched program, with the compiled module posted to it. So it
//! inherits the page's Content-Security-Policy on any host, and starting it again needs no network.
//!
//! A worker is given up when it panics, traps (as running out of memory does), stays silent to pings while work is
//! under way, or does not answer a cancel. It is then terminated, what waited for it fails, a new one is started, and
//! the page is told that the table is lost.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use futures::channel::oneshot;
use gloo::timers::callback::{Interval, Timeout};
use js_sys::{Array, Uint8Array, WebAssembly};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, File, MessageEvent, Response as Fetched, Url, Worker};

use crate::failure::{Failure, FailureKind};
use crate::progress::Report;
use crate::protocol::{FromWorker, Request, Response, ToWorker, decode, encode};

/// A ping a second while work is under way; this many without an answer and the worker is given up.
const MISSED_PINGS: u32 = 8;
const PING_EVERY: u32 = 1_000;
/// A cancel is answered at the next checkpoint, well within 200 ms; a worker that neither answers nor reports progress
/// (it may be finishing what a search had found) for so long is given up.
const CANCEL_PATIENCE: u32 = 1_000;

/// A handle to the worker; clones share it.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Inner {
    program: RefCell<Option<Rc<Program>>>,
    running: RefCell<Option<Running>>,
    /// Messages for a worker that is not ready yet: sent before, they would be lost.
    waiting: RefCell<Vec<(Array, Array)>>,
    pending: RefCell<BTreeMap<u32, Pending>>,
    last_id: Cell<u32>,
    heartbeat: RefCell<Option<Interval>>,
    missed: Cell<u32>,
    /// Reports of progress so far.
    reports: Cell<u32>,
    on_lost: Box<dyn Fn(Failure)>,
}

/// What a worker is started from.
struct Program {
    url: String,
    module: WebAssembly::Module,
}

struct Running {
    worker: Worker,
    ready: bool,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(ErrorEvent)>,
}

struct Pending {
    done: oneshot::Sender<Result<Response, Failure>>,
    on_report: Box<dyn Fn(Report, bool)>,
}

/// A request under way.
pub struct Call {
    pub id: u32,
    outcome: oneshot::Receiver<Result<Response, Failure>>,
}

impl Call {
    pub async fn outcome(self) -> Result<Response, Failure> {
        self.outcome.await.unwrap_or_else(|_| Err(Failure::crashed("The engine was stopped.")))
    }
}

impl Client {
    /// Starts a worker. `on_lost` hears of every death after which the worker's table is gone.
    pub fn start(on_lost: impl Fn(Failure) + 'static) -> Self {
        let client = Client::idle(Box::new(on_lost));
        let inner = client.0.clone();
        spawn_local(async move {
            match Program::fetch().await {
                Ok(program) => {
                    inner.program.replace(Some(Rc::new(program)));
                    inner.spawn();
                }
                Err(_) => inner.give_up(Failure::new(
                    FailureKind::Crashed,
                    "The engine could not be loaded.",
                    "Check that the page is served completely, then reload it.",
                )),
            }
        });
        client
    }

    fn idle(on_lost: Box<dyn Fn(Failure)>) -> Self {
        Client(Rc::new(Inner {
            program: RefCell::default(),
            running: RefCell::default(),
            waiting: RefCell::default(),
            pending: RefCell::default(),
            last_id: Cell::default(),
            heartbeat: RefCell::default(),
            missed: Cell::default(),
            reports: Cell::default(),
            on_lost,
        }))
    }

    /// Starts another worker of the same program, with a table of its own; after its death it starts again, empty.
    pub fn another(&self) -> Self {
        let client = Client::idle(Box::new(|_| {}));
        client.0.program.replace(self.0.program.borrow().clone());
        client.0.spawn();
        client
    }

    /// Ends the worker for good; what waits for it fails.
    pub fn close(&self) {
        self.0.program.take();
        self.0.give_up(Failure::cancelled());
    }

    /// Sends a request; `on_report` hears of its progress, and whether a cancel was answered by finishing what was found.
    pub fn request(&self, request: Request, files: &[File], on_report: impl Fn(Report, bool) + 'static) -> Call {
        let inner = &self.0;
        let id = inner.last_id.get() + 1;
        inner.last_id.set(id);
        let (done, outcome) = oneshot::channel();
        inner.pending.borrow_mut().insert(id, Pending { done, on_report: Box::new(on_report) });
        inner.send(&ToWorker::Request { id, request }, files);
        inner.watch();
        Call { id, outcome }
    }

    /// Asks for a request to stop; a worker that does not is given up.
    pub fn cancel(&self, id: u32) {
        self.0.send(&ToWorker::Cancel { id }, &[]);
        self.0.clone().await_end(id);
    }
}

impl Inner {
    /// Gives the worker up when a cancelled request shows no sign of life for too long.
    fn await_end(self: Rc<Self>, id: u32) {
        let reports = self.reports.get();
        Timeout::new(CANCEL_PATIENCE, move || {
            if !self.pending.borrow().contains_key(&id) {
                return;
            }
            if self.reports.get() == reports {
                self.give_up(Failure::cancelled());
            } else {
                self.await_end(id);
            }
        })
        .forget();
    }
}

impl Program {
    async fn fetch() -> Result<Program, JsValue> {
        let window = web_sys::window().ok_or(JsValue::NULL)?;
        let glue: Fetched = JsFuture::from(window.fetch_with_str("worker.js")).await?.unchecked_into();
        let glue = JsFuture::from(glue.text()?).await?;
        let boot = JsValue::from_str(concat!("\n", include_str!("worker_boot.js")));
        let options = BlobPropertyBag::new();
        options.set_type("text/javascript");
        let blob = Blob::new_with_str_sequence_and_options(&Array::of2(&glue, &boot), &options)?;
        let binary: Fetched = JsFuture::from(window.fetch_with_str("worker_bg.wasm")).await?.unchecked_into();
        let binary = JsFuture::from(binary.array_buffer()?).await?;
        let module = JsFuture::from(WebAssembly::compile(&binary)).await?.unchecked_into();
        Ok(Program { url: Url::create_object_url_with_blob(&blob)?, module })
    }
}

impl Inner {
    fn spawn(self: &Rc<Self>) {
        let program = self.program.borrow();
        let Some(program) = program.as_ref() else { return };
        let Ok(worker) = Worker::new(&program.url) else { return };
        let weak = Rc::downgrade(self);
        let on_message = Closure::<dyn Fn(MessageEvent)>::new({
            let weak = weak.clone();
            move |event: MessageEvent| with(&weak, |inner| inner.hear(&event))
        });
        let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            let failure = Failure::crashed("The engine stopped, most likely because it ran out of memory.");
            with(&weak, |inner| inner.give_up(failure.clone()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // A module can always be cloned to a worker of the same origin.
        let _ = worker.post_message(&program.module);
        let running = Running { worker, ready: false, _on_message: on_message, _on_error: on_error };
        self.running.replace(Some(running));
    }

    fn send(&self, message: &ToWorker, files: &[File]) {
        let bytes = Uint8Array::from(encode(message).as_slice());
        let transfer = Array::of1(&bytes.buffer());
        let parts = Array::of1(&bytes);
        for file in files {
            parts.push(file);
        }
        match self.running.borrow().as_ref() {
            Some(running) if running.ready => {
                let _ = running.worker.post_message_with_transfer(&parts, &transfer);
            }
            _ => self.waiting.borrow_mut().push((parts, transfer)),
        }
    }

    fn hear(self: &Rc<Self>, event: &MessageEvent) {
        self.missed.set(0);
        let message = decode(&event.data().unchecked_into::<Uint8Array>().to_vec());
        match message {
            Ok(FromWorker::Ready) => {
                let mut running = self.running.borrow_mut();
                let Some(running) = running.as_mut() else { return };
                running.ready = true;
                for (parts, transfer) in self.waiting.take() {
                    let _ = running.worker.post_message_with_transfer(&parts, &transfer);
                }
            }
            Ok(FromWorker::Pong) => {}
            Ok(FromWorker::Progress { id, report, answered }) => {
                self.reports.set(self.reports.get().wrapping_add(1));
                if let Some(pending) = self.pending.borrow().get(&id) {
                    (pending.on_report)(report, answered);
                }
            }
            Ok(FromWorker::Finished { id, outcome }) => {
                let pending = self.pending.borrow_mut().remove(&id);
                if let Some(pending) = pending {
                    let _ = pending.done.send(*outcome);
                }
                self.watch();
            }
            Ok(FromWorker::Panicked { place }) => {
                self.give_up(Failure::crashed(format!("The engine met a bug of its own (at {place}).")));
            }
            Err(failure) => self.give_up(failure),
        }
    }

    /// Pings only while work is under way.
    fn watch(self: &Rc<Self>) {
        if self.pending.borrow().is_empty() {
            self.heartbeat.take();
            return;
        }
        if self.heartbeat.borrow().is_some() {
            return;
        }
        self.missed.set(0);
        let weak = Rc::downgrade(self);
        let beat = Interval::new(PING_EVERY, move || with(&weak, Inner::beat));
        self.heartbeat.replace(Some(beat));
    }

    fn beat(self: &Rc<Self>) {
        // Nothing to expect while the program is still being fetched.
        if self.running.borrow().is_none() {
            return;
        }
        self.missed.set(self.missed.get() + 1);
        if self.missed.get() > MISSED_PINGS {
            // From a turn of its own: giving up drops the interval whose closure this is.
            let inner = self.clone();
            spawn_local(async move { inner.give_up(Failure::crashed("The engine does not answer any more.")) });
        } else {
            self.send(&ToWorker::Ping, &[]);
        }
    }

    /// Ends the worker, fails what waits for it, starts another.
    fn give_up(self: &Rc<Self>, failure: Failure) {
        if let Some(running) = self.running.take() {
            running.worker.set_onmessage(None);
            running.worker.set_onerror(None);
            running.worker.terminate();
            // This may have been called by one of the worker's own closures, which must outlive its call.
            spawn_local(async move { drop(running) });
        }
        self.waiting.take();
        self.heartbeat.take();
        self.spawn();
        let pending = self.pending.take();
        for (_, pending) in pending {
            let _ = pending.done.send(Err(failure.clone()));
        }
        (self.on_lost)(failure);
    }
}

fn with(weak: &Weak<Inner>, then: impl FnOnce(&Rc<Inner>)) {
    if let Some(inner) = weak.upgrade() {
        then(&inner);
    }
}
