//! Runs: made, made again, and tried side by side; what the page keeps of them.

use std::rc::Rc;

use yew::prelude::*;

use super::pages::run::algorithm_title;
use super::state::{Loaded, Ran, Shared};
use super::{App, Message, unexpected};
use crate::browser::pool::{Pool, Tried};
use crate::compare::Variant;
use crate::failure::Failure;
use crate::progress::Report;
use crate::protocol::{Request, Response};
use crate::run::RunView;
use crate::setup_view::ColumnView;

/// A run in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub name: String,
    pub pinned: bool,
    pub ran: Ran,
}

/// Policies run side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Tells a late answer from one of another batch.
    pub number: u32,
    pub jobs: Shared<Vec<Job>>,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub variant: Variant,
    /// None while it waits or runs.
    pub outcome: Option<Result<Shared<RunView>, Failure>>,
}

impl Loaded {
    /// A release that the worker holds now. One that was made `again` and is the same stays the run it was.
    pub fn ran(&mut self, revision: u32, policy: String, again: Option<u32>, view: RunView) {
        let columns = Rc::new(self.setup.columns.clone());
        let same = |kept: &&mut Kept| {
            Some(kept.ran.number) == again
                && kept.ran.view.verified == view.verified
                && kept.ran.view.metrics == view.metrics
        };
        if let Some(kept) = self.runs.iter_mut().find(same) {
            let (number, view, limit) = (kept.ran.number, Shared::new(view), self.setup.suppression_limit);
            kept.ran = Ran { number, revision, view, columns, limit, policy: policy.into() };
            self.run = Some(kept.ran.clone());
        } else {
            self.run = Some(self.keep(revision, policy.into(), columns, Shared::new(view)));
        }
    }

    /// The last run is one of the set-up as it is now.
    pub fn still_current(&mut self) {
        let Some(run) = &mut self.run else { return };
        run.revision = self.revision;
        for kept in self.runs.iter_mut().filter(|kept| kept.ran.number == run.number) {
            kept.ran.revision = self.revision;
        }
    }

    /// Adds a run to the list.
    fn keep(&mut self, revision: u32, policy: Rc<str>, columns: Rc<Vec<ColumnView>>, view: Shared<RunView>) -> Ran {
        self.numbers.0 += 1;
        let name = algorithm_title(&view.algorithm);
        let limit = self.setup.suppression_limit;
        let ran = Ran { number: self.numbers.0, revision, view, columns, limit, policy };
        self.runs.push(Kept { name, pinned: false, ran: ran.clone() });
        ran
    }

    /// Policies are run side by side from now on; gives the batch's number.
    pub fn begin_batch(&mut self, variants: Vec<Variant>) -> u32 {
        self.numbers.1 += 1;
        let swept = variants.iter().any(|variant| variant.at.is_some());
        let jobs = variants.into_iter().map(|variant| Job { variant, outcome: None }).collect();
        let batch = Some(Batch { number: self.numbers.1, jobs: Shared::new(jobs) });
        *(if swept { &mut self.swept } else { &mut self.tried }) = batch;
        self.numbers.1
    }

    fn batch(&mut self, number: u32) -> Option<&mut Batch> {
        [&mut self.tried, &mut self.swept].into_iter().flatten().find(|batch| batch.number == number)
    }

    /// One of a batch is done; whether all are.
    pub fn tried(&mut self, number: u32, place: usize, outcome: Tried) -> bool {
        let Some(batch) = self.batch(number) else { return false };
        let mut jobs: Vec<Job> = (*batch.jobs).clone();
        let Some(job) = jobs.get_mut(place) else { return false };
        let swept = job.variant.at.is_some();
        let (outcome, policy) = match outcome {
            Ok((view, policy)) => (Ok(Shared::new(*view)), policy),
            Err(failure) => (Err(failure), String::new()),
        };
        job.outcome = Some(outcome.clone());
        let done = jobs.iter().all(|job| job.outcome.is_some());
        batch.jobs = Shared::new(jobs);
        if let Ok(view) = outcome
            && !swept
        {
            let columns = Rc::new(self.setup.columns.clone());
            self.keep(self.revision, policy.into(), columns, view);
        }
        done
    }

    /// How far a batch is.
    pub fn standing(&mut self, number: u32) -> Report {
        let counts =
            |batch: &mut Batch| (batch.jobs.iter().filter(|job| job.outcome.is_some()).count(), batch.jobs.len());
        let (done, all) = self.batch(number).map(counts).unwrap_or_default();
        let fraction = Some(done as f64 / all.max(1) as f64);
        Report { phase: String::new(), fraction, detail: format!("{done} of {all} done") }
    }
}

impl App {
    /// Runs the policy, or makes a run again whose policy it is.
    pub(super) fn run(&mut self, context: &Context<Self>, revision: u32, again: Option<u32>) {
        let state = Rc::make_mut(&mut self.state);
        let title = if again.is_some() { "Making this release again" } else { "Looking for the best release" };
        state.failure = None;
        state.begin(title.into(), false);
        let policy = self.client.request(Request::SavePolicy, &[], |_, _| {});
        let progress = context.link().callback(|(report, answered)| Message::Progress { report, answered });
        let call = self.client.request(Request::Run, &[], move |report, answered| progress.emit((report, answered)));
        if let Some(task) = &mut state.task {
            task.call = Some(call.id);
        }
        context.link().send_future(async move {
            let policy = match policy.outcome().await {
                Ok(Response::Text(text)) => text,
                _ => String::new(),
            };
            let outcome = call.outcome().await.and_then(|response| match response {
                Response::Ran(view) => Ok(view),
                _ => Err(unexpected()),
            });
            Message::Ran { revision, policy, again, outcome }
        });
    }

    /// Runs policies side by side, on workers of their own.
    pub(super) fn try_all(&mut self, context: &Context<Self>, policy: String, variants: Vec<Variant>) {
        let state = Rc::make_mut(&mut self.state);
        let Some(loaded) = state.loaded.as_mut().filter(|_| state.task.is_none() && !variants.is_empty()) else {
            return;
        };
        let batch = loaded.begin_batch(variants.clone());
        let answer = context.link().callback(|message| message);
        let on_done = move |place, outcome| answer.emit(Message::Tried { batch, place, outcome });
        let (open, bytes) = (loaded.origin.request(), loaded.summary.bytes);
        let report = loaded.standing(batch);
        self.pool = Some(Pool::run(&self.client, open, bytes, policy, variants, on_done));
        state.failure = None;
        state.begin("Running side by side".into(), false);
        if let Some(task) = &mut state.task {
            task.report = Some(report);
        }
    }
}
