//! The page: Yew, one state, one way to change it.
//!
//! [`App`] owns the [`state::State`] and the worker's [`Client`]. Components read the state from the [`Handle`] in
//! their context and send [`Message`]s; only `App::update` changes it. What only one component shows (rows, a tree) it
//! asks of the client itself. No file here knows an algorithm.

mod charts;
mod components;
mod pages;
mod runs;
mod shell;
mod state;

use std::rc::Rc;

use web_sys::{Blob, File};
use yew::prelude::*;

use crate::audit::Audit;
use crate::browser::client::Client;
use crate::browser::pool::{Pool, Tried};
use crate::browser::settings::{self, Theme};
use crate::browser::{download, settings::stored_policy};
use crate::compare::{Axis, Variant, variants};
use crate::constraints::ConstraintsView;
use crate::failure::{Failure, FailureKind};
use crate::io::csv::ReadOptions;
use crate::policy::{Algorithm, Edit};
use crate::progress::Report;
use crate::protocol::{NamedSet, Opened, Request, Response};
use crate::run::RunView;
use crate::setup_view::SetupView;
use crate::words::counted;
use pages::linkage::state::Linkage;
use pages::results::Part;
use state::{Loaded, Origin, Saved, Shared, State, Step};

/// Everything that can happen.
pub enum Message {
    Go(Step),
    NextTheme,
    ToggleHelp,
    /// Read files or make a sample; a table replaces the one there is when it is complete.
    Open(Origin),
    Opened {
        origin: Origin,
        outcome: Result<Opened, Failure>,
    },
    /// Change the set-up of the columns.
    Edit(Edit),
    Undo,
    Redo,
    /// The engine's answer to a change of the set-up, by the revision that the change made.
    SetUp {
        revision: u32,
        how: &'static str,
        outcome: Result<SetupView, Failure>,
    },
    /// The table was read again, as a policy says.
    ReadAgain(Opened),
    /// Read the table in this way.
    Read(ReadOptions),
    ReadSo(Result<Opened, Failure>),
    /// Read it as it was read before, with the set-up of then.
    ReadAsBefore,
    /// What is known of the diversity constraints, as they are in a revision.
    Reviewed {
        revision: u32,
        view: Box<ConstraintsView>,
    },
    ShowColumn(usize),
    ShowPart(Part),
    FindSingling,
    Singling(Result<Vec<NamedSet>, Failure>),
    /// See what the table achieves as it is.
    FindAudit,
    Audited {
        as_task: bool,
        outcome: Result<Audit, Failure>,
    },
    /// Make a release by the policy's algorithm.
    Run,
    Ran {
        revision: u32,
        policy: String,
        /// The run that was made again.
        again: Option<u32>,
        outcome: Result<Box<RunView>, Failure>,
    },
    /// Run all of these side by side, on the policy or with a number of it changed.
    Compare {
        algorithms: Vec<Algorithm>,
        sweep: Option<(Axis, Vec<f64>)>,
    },
    Try {
        policy: String,
        variants: Vec<Variant>,
    },
    Tried {
        batch: u32,
        place: usize,
        outcome: Tried,
    },
    /// The engine's answer to a policy that was put back; the run that is made again by it.
    PutBack {
        revision: u32,
        again: Option<u32>,
        outcome: Result<Response, Failure>,
    },
    /// Put a run's policy back, and make its release again.
    OpenRun(u32),
    /// Put a run's policy back, to change it.
    UsePolicy(u32),
    /// Show the runs beside each other.
    ShowRuns,
    /// Change the list of runs.
    Runs(Box<dyn FnOnce(&mut Loaded)>),
    /// Change the set-up by all of these, then run.
    Keep(Vec<Edit>),
    Export {
        protected: bool,
    },
    /// Save what a request answers in text, under the table's name with another ending.
    Fetch {
        title: &'static str,
        ending: &'static str,
        request: Request,
    },
    Fetched {
        name: String,
        outcome: Result<Response, Failure>,
    },
    SaveBytes {
        name: String,
        bytes: Vec<u8>,
    },
    SaveBlob {
        name: String,
        blob: Blob,
    },
    /// The SHA-256 of a file that was saved.
    Digested {
        number: u32,
        outcome: Result<Response, Failure>,
    },
    HideSaved,
    /// The set-up as a policy came: keep it, and save it when asked.
    PolicyText {
        save: bool,
        text: String,
    },
    KeepPolicy,
    SavePolicy,
    SaveHierarchy(usize),
    Save {
        name: String,
        text: String,
    },
    Forget,
    Progress {
        report: Report,
        /// A cancel was answered: what was found until then is being finished.
        answered: bool,
    },
    Cancel,
    Fail(Failure),
    DismissFailure,
    /// Change what the Linkage page knows.
    Linkage(Box<dyn FnOnce(&mut Linkage)>),
    /// Ask the engine for the Linkage page, as a task.
    AskLinkage {
        title: String,
        request: Request,
        files: Vec<File>,
        answer: LinkageAnswer,
    },
    LinkageAnswered {
        answer: LinkageAnswer,
        outcome: Result<Response, Failure>,
    },
    /// The worker died; its table is gone, the files are not.
    EngineLost(Failure),
    #[cfg(feature = "debug-requests")]
    Debug(crate::protocol::DebugAction),
    #[cfg(feature = "debug-requests")]
    DebugDone(Result<Response, Failure>),
}

/// As many saved files as are remembered.
const MOST_SAVED: usize = 20;

const PUT_BACK: &str = "The policy of this run was put back.";

/// What becomes of an answer on the Linkage page.
type LinkageAnswer = Box<dyn FnOnce(&mut Linkage, Result<Response, Failure>)>;

/// What components get: the state to read, the engine to ask, a way to send messages.
#[derive(Clone, PartialEq)]
pub struct Handle {
    pub state: Rc<State>,
    pub client: Client,
    pub send: Callback<Message>,
}

impl Handle {
    /// Opens files that were dropped or chosen, and what to say when they can't be.
    pub fn open_files(&self) -> (Callback<Vec<File>>, Callback<Failure>) {
        let open = |files| Message::Open(Origin::Files { files, options: Default::default() });
        (self.send.reform(open), self.send.reform(Message::Fail))
    }
}

/// What goes to a step when it is clicked.
pub fn go(send: &Callback<Message>, step: Step) -> Callback<MouseEvent> {
    send.reform(move |_| Message::Go(step))
}

#[hook]
pub fn use_handle() -> Handle {
    use_context().expect("every component is inside App, which provides the handle")
}

pub struct App {
    state: Rc<State>,
    client: Client,
    /// Policies that run side by side.
    pool: Option<Pool>,
    /// The set-up as the engine told it last, and its revision; the page shows it with the edits that are not answered yet.
    told: Option<(u32, Rc<SetupView>)>,
    /// Revisions so far: one that the engine refused is never given to another set-up.
    revisions: u32,
}

impl Component for App {
    type Message = Message;
    type Properties = ();

    fn create(context: &Context<Self>) -> Self {
        let lost = context.link().callback(Message::EngineLost);
        #[cfg(feature = "debug-requests")]
        debug::expose(context.link().callback(Message::Debug));
        let state = State { theme: Theme::stored(), step: Step::current(), ..State::default() };
        App {
            state: Rc::new(state),
            client: Client::start(move |failure| lost.emit(failure)),
            pool: None,
            told: None,
            revisions: 0,
        }
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
            Message::Open(origin) => {
                if state.task.is_some() {
                    return false;
                }
                state.failure = None;
                self.open(context, origin);
            }
            Message::Opened { origin, outcome } => {
                state.task = None;
                match outcome {
                    // A policy that says another reading: the files that came are not the table's.
                    Ok(opened) if opened.again => self.opened_again(context, opened),
                    Ok(opened) => self.opened(context, origin, opened),
                    Err(failure) => state.fail(failure),
                }
            }
            Message::Edit(edit) => {
                // What constraints demand has nothing to do with how they are kept.
                let mut review = None;
                // Nor has a decision on a finding anything to do with what is released.
                let decided = matches!(edit, Edit::Decisions(_));
                let current = |loaded: &&mut Loaded| {
                    decided && loaded.run.as_ref().is_some_and(|run| run.revision == loaded.revision)
                };
                let still = state.loaded.as_mut().filter(current).is_some();
                if let Some(loaded) = &mut state.loaded {
                    Rc::make_mut(&mut loaded.setup).show_edit(&edit);
                    let known = |(revision, _): &(u32, _)| *revision == loaded.revision;
                    review = loaded.review.clone().filter(known).filter(|_| matches!(edit, Edit::Algorithm(_)));
                }
                self.change(context, Request::Edit(edit), "Changed.");
                let loaded = Rc::make_mut(&mut self.state).loaded.as_mut();
                if let Some(loaded) = loaded.filter(|_| still) {
                    loaded.still_current();
                }
                if let (Some((_, view)), Some(loaded)) = (review, &mut Rc::make_mut(&mut self.state).loaded) {
                    loaded.review = Some((loaded.revision, view));
                }
            }
            Message::Undo if state.loaded.as_ref().is_some_and(|loaded| loaded.undoes_reading()) => {
                context.link().send_message(Message::ReadAsBefore);
            }
            Message::Undo => self.change(context, Request::Undo, "Undone."),
            Message::Redo => self.change(context, Request::Redo, "Redone."),
            Message::SetUp { revision, how, outcome } => self.set_up(context, revision, how, outcome),
            Message::ReadAgain(opened) => self.opened_again(context, opened),
            Message::Read(options) => {
                let Some(loaded) = state.loaded.as_ref().filter(|_| state.task.is_none()) else { return false };
                let title = format!("Reading {} again", loaded.summary.name);
                state.failure = None;
                state.begin(title, false);
                self.task(context, Request::Read { options }, &[], |outcome| {
                    Message::ReadSo(outcome.and_then(|response| match response {
                        Response::Opened(opened) => Ok(opened),
                        _ => Err(unexpected()),
                    }))
                });
            }
            Message::ReadSo(outcome) => {
                state.task = None;
                match (outcome, &mut state.loaded) {
                    (Ok(opened), _) => self.opened_again(context, opened),
                    (Err(failure), loaded) => {
                        if let Some(loaded) = loaded {
                            loaded.misread += 1;
                        }
                        state.fail(failure);
                    }
                }
            }
            Message::ReadAsBefore => {
                let before = state.loaded.as_ref().and_then(|loaded| loaded.before.clone());
                if let (Some(text), None) = (before, &state.task) {
                    self.put_back(context, text, None);
                }
            }
            Message::Reviewed { revision, view } => {
                let current = state.loaded.as_mut().filter(|loaded| loaded.revision == revision);
                let Some(loaded) = current else { return false };
                loaded.review = Some((revision, Shared::new(*view)));
            }
            Message::ShowColumn(column) => state.column = column,
            Message::ShowPart(part) => state.part = part,
            Message::FindSingling => {
                state.begin("Looking for columns that single out rows".into(), false);
                self.task(context, Request::SinglingOut, &[], |outcome| {
                    Message::Singling(outcome.and_then(|response| match response {
                        Response::SinglingOut(sets) => Ok(sets),
                        _ => Err(unexpected()),
                    }))
                });
            }
            Message::Singling(outcome) => {
                state.task = None;
                match (outcome, &mut state.loaded) {
                    (Ok(sets), Some(loaded)) => loaded.singling = Some(Rc::new(sets)),
                    (Ok(_), None) => {}
                    (Err(failure), _) => state.fail(failure),
                }
            }
            Message::FindAudit => {
                // Beside another task it runs without showing its progress.
                let as_task = state.task.is_none();
                let answer = move |outcome: Result<Response, Failure>| {
                    let outcome = outcome.and_then(|response| match response {
                        Response::Audit(audit) => Ok(audit),
                        _ => Err(unexpected()),
                    });
                    Message::Audited { as_task, outcome }
                };
                if as_task {
                    state.begin("Checking the table".into(), false);
                    self.task(context, Request::Audit, &[], answer);
                } else {
                    let call = self.client.request(Request::Audit, &[], |_, _| {});
                    context.link().send_future(async move { answer(call.outcome().await) });
                }
            }
            Message::Audited { as_task, outcome } => {
                if as_task {
                    state.task = None;
                }
                match (outcome, &mut state.loaded) {
                    (Ok(audit), Some(loaded)) => loaded.audit = Some(Rc::new(audit)),
                    (Ok(_), None) => {}
                    (Err(failure), _) => state.fail(failure),
                }
            }
            Message::Run => {
                let Some(revision) = state.loaded.as_ref().map(|loaded| loaded.revision) else { return false };
                if state.task.is_some() {
                    return false;
                }
                state.failure = None;
                self.run(context, revision, None);
            }
            Message::Ran { revision, policy, again, outcome } => {
                let step = state.task.take().map(|task| task.step);
                match (outcome, &mut state.loaded) {
                    (Ok(view), Some(loaded)) => {
                        loaded.ran(revision, policy, again, *view);
                        state.announce("Released and verified.");
                    }
                    (Ok(_), None) => {}
                    (Err(failure), _) => {
                        state.fail(failure);
                        state.not_failed = Some(Step::Results).filter(|results| step != Some(*results));
                    }
                }
            }
            Message::Compare { algorithms, sweep } => {
                let call = self.client.request(Request::SavePolicy, &[], |_, _| {});
                context.link().send_future(async move {
                    let sweep = sweep.as_ref().map(|(axis, values)| (*axis, values.as_slice()));
                    match call.outcome().await {
                        Ok(Response::Text(policy)) => Message::Try { policy, variants: variants(&algorithms, sweep) },
                        Ok(_) => Message::Fail(unexpected()),
                        Err(failure) => Message::Fail(failure),
                    }
                });
            }
            Message::Try { policy, variants } => self.try_all(context, policy, variants),
            Message::Tried { batch, place, outcome } => {
                let Some(loaded) = &mut state.loaded else { return false };
                if loaded.tried(batch, place, outcome) {
                    state.task = None;
                    self.pool = None;
                    state.announce("All were run.");
                } else if let Some(task) = &mut state.task {
                    task.report = Some(loaded.standing(batch));
                }
            }
            Message::OpenRun(number) => {
                (state.step, state.part) = (Step::Results, Part::Release);
                state.step.show_in_address();
                let Some(loaded) = state.loaded.as_ref().filter(|_| state.task.is_none()) else { return true };
                if loaded.run.as_ref().is_none_or(|run| run.number != number)
                    && let Some(kept) = loaded.runs.iter().find(|kept| kept.ran.number == number)
                {
                    let text = kept.ran.policy.to_string();
                    self.put_back(context, text, Some(number));
                }
            }
            Message::PutBack { revision, again, outcome } => {
                state.task = None;
                let put_back = outcome.is_ok();
                match outcome {
                    Ok(Response::Opened(opened)) => self.opened_again(context, opened),
                    outcome => {
                        let outcome = outcome.and_then(|response| match response {
                            Response::Setup(setup) => Ok(setup),
                            _ => Err(unexpected()),
                        });
                        self.set_up(context, revision, PUT_BACK, outcome);
                    }
                }
                if let (Some(number), true) = (again, put_back) {
                    self.run(context, self.revisions, Some(number));
                }
            }
            Message::UsePolicy(number) => {
                let Some(loaded) = state.loaded.as_ref().filter(|_| state.task.is_none()) else { return false };
                if let Some(kept) = loaded.runs.iter().find(|kept| kept.ran.number == number) {
                    let text = kept.ran.policy.to_string();
                    state.step = Step::Policy;
                    state.step.show_in_address();
                    self.put_back(context, text, None);
                }
            }
            Message::ShowRuns => {
                (state.step, state.part) = (Step::Results, Part::Runs);
                state.step.show_in_address();
            }
            Message::Runs(change) => {
                let Some(loaded) = &mut state.loaded else { return false };
                change(loaded);
            }
            Message::Keep(edits) => {
                let revision = self.next_revision();
                let calls: Vec<_> =
                    edits.into_iter().map(|edit| self.client.request(Request::Edit(edit), &[], |_, _| {})).collect();
                context.link().send_future_batch(async move {
                    let mut last = Err(unexpected());
                    for call in calls {
                        last = call.outcome().await.and_then(|response| match response {
                            Response::Setup(setup) => Ok(setup),
                            _ => Err(unexpected()),
                        });
                    }
                    vec![Message::SetUp { revision, how: "Changed.", outcome: last }, Message::Run]
                });
            }
            Message::Export { protected } => {
                let Some(loaded) = &state.loaded else { return false };
                let name = format!("{}.anonymized.csv", loaded.summary.name.trim_end_matches(".csv"));
                let call = self.client.request(Request::Export { protected, row_numbers: false }, &[], |_, _| {});
                context.link().send_future(async move {
                    match call.outcome().await {
                        Ok(Response::File(bytes)) => Message::SaveBytes { name, bytes },
                        Ok(_) => Message::Fail(unexpected()),
                        Err(failure) => Message::Fail(failure),
                    }
                });
            }
            Message::Fetch { title, ending, request } => {
                let Some(loaded) = state.loaded.as_ref().filter(|_| state.task.is_none()) else { return false };
                let name = format!("{}.{ending}", loaded.summary.name.trim_end_matches(".csv"));
                state.failure = None;
                state.begin(title.into(), false);
                self.task(context, request, &[], move |outcome| Message::Fetched { name, outcome });
            }
            Message::Fetched { name, outcome } => {
                state.task = None;
                match outcome {
                    Ok(Response::Text(text)) => context.link().send_message(Message::Save { name, text }),
                    Ok(_) => state.fail(unexpected()),
                    Err(failure) => state.fail(failure),
                }
            }
            Message::PolicyText { save, text } => {
                settings::store_policy(&text);
                if let Some(loaded) = &mut state.loaded {
                    let name = format!("{}.policy.json", loaded.summary.name);
                    loaded.policy = Some(text.clone());
                    if save {
                        context.link().send_message(Message::Save { name, text });
                    }
                }
            }
            Message::KeepPolicy => self.keep_policy(context, false),
            Message::SavePolicy => self.keep_policy(context, true),
            Message::SaveHierarchy(column) => self.save_hierarchy(context, column),
            Message::Save { name, text } => {
                context.link().send_message(Message::SaveBytes { name, bytes: text.into_bytes() });
            }
            Message::SaveBytes { name, bytes } => match download::blob("application/octet-stream", &bytes) {
                Ok(blob) => self.save(context, name, &blob),
                Err(_) => state.fail(no_download()),
            },
            Message::SaveBlob { name, blob } => self.save(context, name, &blob),
            Message::Digested { number, outcome } => {
                let Some(saved) = state.saved.iter_mut().find(|saved| saved.number == number) else { return false };
                let digest = outcome.ok().and_then(|response| match response {
                    Response::Text(digest) => Some(digest),
                    _ => None,
                });
                let announcement = format!("{} was saved.", saved.name);
                saved.digest = Some(digest);
                state.announce(announcement);
            }
            Message::HideSaved => state.tell_saved = false,
            Message::Forget => {
                settings::forget_policy();
                state.announce("The policy kept in this browser was removed.");
            }
            Message::Progress { report, answered } => {
                if let Some(task) = &mut state.task {
                    task.report = Some(report);
                    if answered && !task.keeping {
                        (task.keeping, task.cancelling) = (true, false);
                    }
                }
            }
            Message::Cancel => {
                let Some(task) = &mut state.task else { return false };
                task.cancelling = true;
                if let Some(call) = task.call {
                    self.client.cancel(call);
                } else if self.pool.take().is_some() {
                    state.task = None;
                    state.announce("Cancelled.");
                }
            }
            Message::Fail(failure) => state.fail(failure),
            Message::DismissFailure => state.failure = None,
            Message::Linkage(change) => change(&mut state.linkage),
            Message::AskLinkage { title, request, files, answer } => {
                if state.task.is_some() {
                    return false;
                }
                state.begin(title, false);
                self.task(context, request, &files, move |outcome| Message::LinkageAnswered { answer, outcome });
            }
            Message::LinkageAnswered { answer, outcome } => {
                state.task = None;
                match outcome {
                    Err(failure) if failure.kind == FailureKind::Cancelled => state.fail(failure),
                    outcome => answer(&mut state.linkage, outcome),
                }
            }
            Message::EngineLost(failure) => self.engine_lost(context, failure),
            #[cfg(feature = "debug-requests")]
            Message::Debug(action) => {
                state.begin("Debug".into(), false);
                self.task(context, Request::Debug(action), &[], Message::DebugDone);
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
        let send = context.link().callback(|message| message);
        let handle = Handle { state: self.state.clone(), client: self.client.clone(), send };
        html! {
            <ContextProvider<Handle> context={handle}>
                <shell::Shell />
            </ContextProvider<Handle>>
        }
    }
}

impl App {
    /// Sends a request as the current task: its progress is shown and Cancel reaches it.
    fn task(
        &mut self,
        context: &Context<Self>,
        request: Request,
        files: &[File],
        answer: impl FnOnce(Result<Response, Failure>) -> Message + 'static,
    ) {
        let progress = context.link().callback(|(report, answered)| Message::Progress { report, answered });
        let call = self.client.request(request, files, move |report, answered| progress.emit((report, answered)));
        if let Some(task) = &mut Rc::make_mut(&mut self.state).task {
            task.call = Some(call.id);
        }
        context.link().send_future(async move { answer(call.outcome().await) });
    }

    fn open(&mut self, context: &Context<Self>, origin: Origin) {
        Rc::make_mut(&mut self.state).begin(origin.title(), true);
        let (request, files) = origin.request();
        self.task(context, request, &files, move |outcome| {
            let outcome = outcome.and_then(|response| match response {
                Response::Opened(opened) => Ok(opened),
                _ => Err(unexpected()),
            });
            Message::Opened { origin, outcome }
        });
    }

    fn opened(&mut self, context: &Context<Self>, origin: Origin, opened: Opened) {
        let setup = Rc::new(opened.setup);
        let revision = self.next_revision();
        let state = Rc::make_mut(&mut self.state);
        let before = state.loaded.take();
        let next = |old: Option<u32>| old.unwrap_or(0) + 1;
        self.told = Some((revision, setup.clone()));
        match (opened.table, before) {
            (Some(summary), before) => {
                state.linkage.table_changed();
                let columns = counted(summary.columns.len() as u64, "column");
                state.announce(format!("{} read: {}, {columns}.", summary.name, counted(summary.rows, "row")));
                let same = opened.again || before.as_ref().is_some_and(|before| before.origin == origin);
                // After a crash the set-up of the same table; else what the browser kept, if it is for these columns.
                let policy = before.as_ref().filter(|_| same).and_then(|before| before.policy.clone());
                let kept =
                    policy.or_else(|| stored_policy().filter(|_| opened.taken.is_empty())).filter(|_| !opened.again);
                state.column = if same { state.column } else { 0 };
                // Runs are kept as what makes them again.
                let earlier = before.as_ref().filter(|_| same);
                let (runs, numbers) = earlier.map(|before| (before.runs.clone(), before.numbers)).unwrap_or_default();
                state.loaded = Some(Loaded {
                    origin,
                    reading: opened.reading,
                    before: None,
                    misread: 0,
                    summary: Rc::new(summary),
                    setup,
                    taken: opened.taken,
                    generation: next(before.map(|before| before.generation)),
                    revision,
                    singling: None,
                    audit: None,
                    run: None,
                    runs,
                    deleted: None,
                    numbers,
                    tried: None,
                    swept: None,
                    review: None,
                    policy: None,
                });
                match kept {
                    Some(text) => self.restore(context, text),
                    None => self.keep_policy(context, false),
                }
            }
            (None, Some(before)) => {
                state.announce(format!("{} taken.", counted(opened.taken.len() as u64, "file")));
                state.loaded = Some(Loaded { setup, taken: opened.taken, revision, ..before });
                self.keep_policy(context, false);
            }
            // The engine takes files without a table only for one that is there.
            (None, None) => {}
        }
    }

    /// The same table, read otherwise: its set-up came with it.
    fn opened_again(&mut self, context: &Context<Self>, opened: Opened) {
        let Some(loaded) = &self.state.loaded else { return };
        let before = loaded.policy.clone();
        let origin = match &loaded.origin {
            Origin::Files { files, .. } => Origin::Files { files: files.clone(), options: opened.reading.clone() },
            sample => sample.clone(),
        };
        self.opened(context, origin, opened);
        if let Some(loaded) = &mut Rc::make_mut(&mut self.state).loaded {
            loaded.before = before;
        }
    }

    /// Offers a file to the person, and has its digest told: every file that is saved goes through here.
    fn save(&mut self, context: &Context<Self>, name: String, blob: &Blob) {
        let state = Rc::make_mut(&mut self.state);
        let Ok(file) = download::offer(&name, blob) else {
            state.fail(no_download());
            return;
        };
        let number = state.saved.first().map_or(1, |saved| saved.number + 1);
        state.saved.insert(0, Saved { name, number, digest: None });
        state.saved.truncate(MOST_SAVED);
        state.tell_saved = true;
        let call = self.client.request(Request::Digest, &[file], |_, _| {});
        context.link().send_future(async move { Message::Digested { number, outcome: call.outcome().await } });
    }

    /// Puts back the policy of a run, and makes its release `again` if it is asked for.
    fn put_back(&mut self, context: &Context<Self>, text: String, again: Option<u32>) {
        let revision = self.next_revision();
        Rc::make_mut(&mut self.state).begin("Putting the policy back".into(), false);
        self.task(context, Request::LoadPolicy { text }, &[], move |outcome| Message::PutBack {
            revision,
            again,
            outcome,
        });
    }

    /// Takes the engine's answer to a change of the set-up.
    fn set_up(
        &mut self,
        context: &Context<Self>,
        revision: u32,
        how: &'static str,
        outcome: Result<SetupView, Failure>,
    ) {
        let state = Rc::make_mut(&mut self.state);
        let Some(loaded) = &mut state.loaded else { return };
        let failure = match outcome {
            Ok(setup) => {
                self.told = Some((revision, Rc::new(setup)));
                None
            }
            Err(failure) => Some(failure),
        };
        // The answer to an earlier change knows nothing of the later ones.
        let last = revision == loaded.revision;
        if let (Some((revision, told)), true) = (&self.told, last) {
            (loaded.revision, loaded.setup) = (*revision, told.clone());
        }
        match failure {
            Some(failure) => state.fail(failure),
            None if last => {
                state.failure = None;
                state.announce(how);
                self.keep_policy(context, false);
            }
            None => {}
        }
    }

    /// A request that answers with the new set-up.
    fn change(&mut self, context: &Context<Self>, request: Request, how: &'static str) {
        let revision = self.next_revision();
        let call = self.client.request(request, &[], |_, _| {});
        context.link().send_future(async move {
            let outcome = call.outcome().await.and_then(|response| match response {
                Response::Setup(setup) => Ok(setup),
                _ => Err(unexpected()),
            });
            Message::SetUp { revision, how, outcome }
        });
    }

    /// The set-up is a new one from here on: what is asked of the engine now is asked of that.
    fn next_revision(&mut self) -> u32 {
        self.revisions += 1;
        let step = self.state.step;
        if let Some(loaded) = &mut Rc::make_mut(&mut self.state).loaded {
            loaded.revision = self.revisions;
            // Only where constraints are looked at something new is asked of them.
            if !matches!(step, Step::Policy | Step::Run) {
                loaded.review = None;
            }
        }
        self.revisions
    }

    /// Takes a policy that was kept, if it is for a table with these columns.
    fn restore(&mut self, context: &Context<Self>, text: String) {
        let revision = self.next_revision();
        let call = self.client.request(Request::RestorePolicy { text }, &[], |_, _| {});
        let how = "Your earlier set-up for these columns was restored. Undo brings back the guesses.";
        context.link().send_future(async move {
            match call.outcome().await {
                Ok(Response::Setup(setup)) => Message::SetUp { revision, how, outcome: Ok(setup) },
                Ok(Response::Opened(opened)) => Message::ReadAgain(opened),
                Ok(_) => Message::KeepPolicy,
                Err(failure) => Message::SetUp { revision, how, outcome: Err(failure) },
            }
        });
    }

    /// Keeps the set-up as a policy in this browser, so that it outlives the tab; `save` offers it as a file too.
    fn keep_policy(&self, context: &Context<Self>, save: bool) {
        let call = self.client.request(Request::SavePolicy, &[], |_, _| {});
        context.link().send_future(async move {
            match call.outcome().await {
                Ok(Response::Text(text)) => Message::PolicyText { save, text },
                Ok(_) => Message::Fail(unexpected()),
                Err(failure) => Message::Fail(failure),
            }
        });
    }

    fn save_hierarchy(&self, context: &Context<Self>, column: usize) {
        let Some(loaded) = &self.state.loaded else { return };
        let Some(summary) = loaded.summary.columns.get(column) else { return };
        let name = format!("hierarchy_{}.csv", summary.name);
        let call = self.client.request(Request::ExportHierarchy { column: column as u32 }, &[], |_, _| {});
        context.link().send_future(async move {
            match call.outcome().await {
                Ok(Response::Text(text)) => Message::Save { name, text },
                Ok(_) => Message::Fail(unexpected()),
                Err(failure) => Message::Fail(failure),
            }
        });
    }

    /// The new worker has no table yet: give it the files again, unless reading them is what ended the old one.
    fn engine_lost(&mut self, context: &Context<Self>, failure: Failure) {
        let state = Rc::make_mut(&mut self.state);
        let opening = state.task.take().is_some_and(|task| task.opening);
        if let Some(text) = state.linkage.engine_lost() {
            self.client.request(Request::LoadPlan { text }, &[], |_, _| {});
        }
        let origin = state.loaded.as_ref().map(|loaded| loaded.origin.clone());
        match origin {
            Some(origin) if !opening || failure.kind == FailureKind::Cancelled => {
                state.fail(Failure {
                    next: "The engine was started again and is reading your table again.".into(),
                    ..failure
                });
                self.open(context, origin);
            }
            _ => state.fail(failure),
        }
    }
}

fn no_download() -> Failure {
    Failure::refused("The browser did not allow the download.", "Allow downloads for this page.")
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
