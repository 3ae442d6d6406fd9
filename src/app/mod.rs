//! The page: Yew, one state, one way to change it.
//!
//! [`App`] owns the [`state::State`] and the worker's [`Client`]. Components read the state from the [`Handle`] in
//! their context and send [`Message`]s; only `App::update` changes anything. No file here knows an algorithm.

mod components;
mod pages;
mod shell;
mod state;

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use crate::browser::client::Client;
use crate::browser::settings::Theme;
use crate::failure::{Failure, FailureKind};
use crate::io::csv::ReadOptions;
use crate::progress::Report;
use crate::protocol::{Opened, Request, Response, RowsPage};
use crate::words::counted;
use state::{Loaded, State, Step, Task};

/// Rows shown of a table that was just loaded.
const FIRST_ROWS: u32 = 100;

/// Everything that can happen.
pub enum Message {
    Go(Step),
    NextTheme,
    ToggleHelp,
    /// Read a file; it replaces the table when it has been read completely.
    Open {
        file: File,
        options: ReadOptions,
    },
    Opened {
        file: File,
        options: ReadOptions,
        outcome: Result<Opened, Failure>,
    },
    Rows(Result<RowsPage, Failure>),
    Progress(Report),
    Cancel,
    Fail(Failure),
    DismissFailure,
    /// The worker died; its table is gone, the file is not.
    EngineLost(Failure),
    SaveSummary,
    #[cfg(feature = "debug-requests")]
    Debug(crate::protocol::DebugAction),
    #[cfg(feature = "debug-requests")]
    DebugDone(Result<Response, Failure>),
}

/// What components get: the state to read, a way to send messages.
#[derive(Clone, PartialEq)]
pub struct Handle {
    pub state: Rc<State>,
    pub send: Callback<Message>,
}

#[hook]
pub fn use_handle() -> Handle {
    use_context().expect("every component is inside App, which provides the handle")
}

pub struct App {
    state: Rc<State>,
    client: Client,
}

impl Component for App {
    type Message = Message;
    type Properties = ();

    fn create(context: &Context<Self>) -> Self {
        let lost = context.link().callback(Message::EngineLost);
        #[cfg(feature = "debug-requests")]
        debug::expose(context.link().callback(Message::Debug));
        let state = State { theme: Theme::stored(), step: Step::current(), ..State::default() };
        App { state: Rc::new(state), client: Client::start(move |failure| lost.emit(failure)) }
    }

    fn update(&mut self, context: &Context<Self>, message: Message) -> bool {
        let state = Rc::make_mut(&mut self.state);
        match message {
            Message::Go(step) => {
                state.step = step;
                step.show_in_address();
            }
            Message::NextTheme => {
                state.theme = state.theme.next();
                state.theme.store();
            }
            Message::ToggleHelp => state.help = !state.help,
            Message::Open { file, options } => {
                if state.task.is_some() {
                    return false;
                }
                state.failure = None;
                state.task = Some(Task::new(format!("Reading {}", file.name())));
                self.open(context, file, options);
            }
            Message::Opened { file, options, outcome } => {
                state.task = None;
                match outcome {
                    Ok(opened) => {
                        let columns = counted(opened.columns.len() as u64, "column");
                        state.announce(format!("{} read: {}, {columns}.", opened.name, counted(opened.rows, "row")));
                        state.loaded = Some(Loaded { file, options, opened: Rc::new(opened), rows: None });
                        self.rows(context);
                    }
                    Err(failure) => state.fail(failure),
                }
            }
            Message::Rows(outcome) => match (outcome, &mut state.loaded) {
                (Ok(rows), Some(loaded)) => loaded.rows = Some(Rc::new(rows)),
                (Ok(_), None) => {}
                (Err(failure), _) => state.fail(failure),
            },
            Message::Progress(report) => {
                if let Some(task) = &mut state.task {
                    task.report = Some(report);
                }
            }
            Message::Cancel => {
                let Some(task) = &mut state.task else { return false };
                task.cancelling = true;
                if let Some(call) = task.call {
                    self.client.cancel(call);
                }
            }
            Message::Fail(failure) => state.fail(failure),
            Message::DismissFailure => state.failure = None,
            Message::EngineLost(failure) => self.engine_lost(context, failure),
            Message::SaveSummary => {
                if let Some(loaded) = &state.loaded {
                    let name = format!("{}.summary.json", loaded.opened.name);
                    let json = loaded.opened.to_json();
                    if crate::browser::download::save(&name, "application/json", json.as_bytes()).is_err() {
                        state.fail(Failure::refused(
                            "The browser did not allow the download.",
                            "Allow downloads for this page.",
                        ));
                    }
                }
            }
            #[cfg(feature = "debug-requests")]
            Message::Debug(action) => {
                state.task = Some(Task::new("Debug".into()));
                self.request(context, Request::Debug(action), None, Message::DebugDone);
            }
            #[cfg(feature = "debug-requests")]
            Message::DebugDone(outcome) => {
                state.task = None;
                if let Err(failure) = outcome {
                    state.fail(failure);
                }
            }
        }
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let handle = Handle { state: self.state.clone(), send: context.link().callback(|message| message) };
        html! {
            <ContextProvider<Handle> context={handle}>
                <shell::Shell />
            </ContextProvider<Handle>>
        }
    }
}

impl App {
    /// Sends a request as the current task: its progress is shown and Cancel reaches it.
    fn request(
        &mut self,
        context: &Context<Self>,
        request: Request,
        file: Option<&File>,
        answer: impl FnOnce(Result<Response, Failure>) -> Message + 'static,
    ) {
        let progress = context.link().callback(Message::Progress);
        let call = self.client.request(request, file, move |report| progress.emit(report));
        if let Some(task) = &mut Rc::make_mut(&mut self.state).task {
            task.call = Some(call.id);
        }
        context.link().send_future(async move { answer(call.outcome().await) });
    }

    fn open(&mut self, context: &Context<Self>, file: File, options: ReadOptions) {
        let request = Request::Open { options: options.clone() };
        self.request(context, request, Some(&file.clone()), move |outcome| {
            let outcome = outcome.and_then(|response| match response {
                Response::Opened(opened) => Ok(opened),
                _ => Err(unexpected()),
            });
            Message::Opened { file, options, outcome }
        });
    }

    fn rows(&self, context: &Context<Self>) {
        let call = self.client.request(Request::Rows { first: 0, count: FIRST_ROWS }, None, |_| {});
        context.link().send_future(async move {
            Message::Rows(call.outcome().await.and_then(|response| match response {
                Response::Rows(rows) => Ok(rows),
                _ => Err(unexpected()),
            }))
        });
    }

    /// The new worker has no table yet: give it the file again, unless reading that file is what ended the old one.
    fn engine_lost(&mut self, context: &Context<Self>, failure: Failure) {
        let state = Rc::make_mut(&mut self.state);
        let reading = state.task.take().is_some_and(|task| task.title.starts_with("Reading"));
        let reload = state.loaded.as_ref().map(|loaded| (loaded.file.clone(), loaded.options.clone()));
        match reload {
            Some((file, options)) if !reading || failure.kind == FailureKind::Cancelled => {
                state.fail(Failure {
                    next: "The engine was started again and is reading your file again.".into(),
                    ..failure
                });
                state.task = Some(Task::new(format!("Reading {}", file.name())));
                self.open(context, file, options);
            }
            _ => state.fail(failure),
        }
    }
}

fn unexpected() -> Failure {
    Failure::crashed("The engine gave an answer of another kind.")
}

/// Lets the tests of crash recovery reach the worker; not part of a release.
#[cfg(feature = "debug-requests")]
mod debug {
    use wasm_bindgen::prelude::*;
    use yew::Callback;

    use crate::protocol::DebugAction;

    pub fn expose(send: Callback<DebugAction>) {
        let debug = Closure::<dyn Fn(String)>::new(move |action: String| {
            let action = match action.as_str() {
                "panic" => DebugAction::Panic,
                "exhaust-memory" => DebugAction::ExhaustMemory,
                "hang" => DebugAction::Hang,
                "close" => DebugAction::Close,
                _ => DebugAction::Work,
            };
            send.emit(action);
        });
        let _ = js_sys::Reflect::set(&js_sys::global(), &"throngDebug".into(), debug.as_ref());
        debug.forget();
    }
}

/// Draws the page.
pub fn start() {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"))
        .expect("index.html has #app");
    root.set_inner_html("");
    yew::Renderer::<App>::with_root(root).render();
}
