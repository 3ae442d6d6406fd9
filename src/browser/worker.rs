//! The worker's side: hears messages, runs them through the engine, posts the answers.
//!
//! Raw data lives here and nowhere else. The page posts a `File`; it is read here, in pieces.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use futures::channel::oneshot;
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageChannel, MessageEvent, Performance};

use crate::browser::files::WorkerFile;
use crate::engine::Engine;
use crate::io::Source;
use crate::progress::{Report, Sink};
use crate::protocol::{FromWorker, ToWorker, decode, encode};

/// Starts listening; called once by the worker program.
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        // The place only: a panic's message may quote data.
        let place = panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
        post(&FromWorker::Panicked { place });
    }));
    let worker = Rc::new(Worker { engine: Engine::default(), running: RefCell::default() });
    let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| worker.clone().hear(&event));
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    hear.forget();
    post(&FromWorker::Ready);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Posts a message as a transferred buffer.
fn post(message: &FromWorker) {
    let bytes = Uint8Array::from(encode(message).as_slice());
    // Posting a fresh buffer fails only when the worker is being torn down.
    let _ = scope().post_message_with_transfer(&bytes, &Array::of1(&bytes.buffer()));
}

struct Worker {
    engine: Engine,
    /// The wish to stop, for every request under way.
    running: RefCell<BTreeMap<u32, Rc<Cell<bool>>>>,
}

impl Worker {
    /// A message is `[bytes, file, file, …]`.
    fn hear(self: Rc<Self>, event: &MessageEvent) {
        let parts: Array = event.data().unchecked_into();
        let bytes = parts.get(0).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
        let source = |file: File| Box::new(WorkerFile::new(file)) as Box<dyn Source>;
        let sources = parts.iter().skip(1).filter_map(|part| part.dyn_into().ok()).map(source).collect();
        match decode(&bytes) {
            Ok(ToWorker::Ping) => post(&FromWorker::Pong),
            Ok(ToWorker::Cancel { id }) => {
                if let Some(wish) = self.running.borrow().get(&id) {
                    wish.set(true);
                }
            }
            #[cfg(feature = "debug-requests")]
            Ok(ToWorker::Request {
                request: crate::protocol::Request::Debug(crate::protocol::DebugAction::Close),
                ..
            }) => {
                scope().close();
            }
            Ok(ToWorker::Request { id, request }) => {
                let wish = Rc::new(Cell::new(false));
                self.running.borrow_mut().insert(id, wish.clone());
                wasm_bindgen_futures::spawn_local(async move {
                    let outcome = self.engine.handle(request, sources, &WorkerSink::new(id, wish)).await;
                    self.running.borrow_mut().remove(&id);
                    post(&FromWorker::Finished { id, outcome: Box::new(outcome) });
                });
            }
            // Page and worker come from one build; if they do not, the page sees it in our first message.
            Err(_) => {}
        }
    }
}

/// The host of one request.
struct WorkerSink {
    id: u32,
    wish: Rc<Cell<bool>>,
    /// Whether a wish to stop was answered, and what was found is being finished.
    answered: Cell<bool>,
    performance: Performance,
}

impl WorkerSink {
    fn new(id: u32, wish: Rc<Cell<bool>>) -> Self {
        let performance = Reflect::get(&scope(), &"performance".into()).unwrap_or_default().unchecked_into();
        WorkerSink { id, wish, answered: Cell::new(false), performance }
    }
}

impl Sink for WorkerSink {
    fn now(&self) -> f64 {
        self.performance.now()
    }

    fn report(&self, report: Report) {
        post(&FromWorker::Progress { id: self.id, report, answered: self.answered.get() });
    }

    fn cancelled(&self) -> bool {
        self.wish.get()
    }

    fn answer(&self) {
        self.wish.set(false);
        self.answered.set(true);
    }

    /// A message to oneself comes after all that wait already, and without the delay that timers get.
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(async {
            let Ok(channel) = MessageChannel::new() else { return };
            let (done, wait) = oneshot::channel::<()>();
            let hear = Closure::once(move |_: MessageEvent| {
                let _ = done.send(());
            });
            channel.port1().set_onmessage(Some(hear.as_ref().unchecked_ref()));
            if channel.port2().post_message(&JsValue::NULL).is_ok() {
                let _ = wait.await;
            }
            channel.port1().close();
        })
    }
}
