//! What the page knows.

use std::ops::Deref;
use std::rc::Rc;

use web_sys::File;

use super::pages::linkage::state::Linkage;
use super::pages::results::Part;
use super::runs::{Batch, Kept};
use crate::audit::Audit;
use crate::browser::settings::Theme;
use crate::constraints::ConstraintsView;
use crate::failure::{Failure, FailureKind};
use crate::io::csv::ReadOptions;
use crate::progress::Report;
use crate::protocol::{NamedSet, Request, Summary, Taken};
use crate::run::RunView;
use crate::setup_view::{ColumnView, SetupView};
use crate::words::counted;

/// The steps of the left rail, in their order; the last two stand beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    #[default]
    Data,
    Columns,
    Policy,
    Run,
    Results,
    Audit,
    Linkage,
}

impl Step {
    pub const ALL: [Step; 7] =
        [Step::Data, Step::Columns, Step::Policy, Step::Run, Step::Results, Step::Audit, Step::Linkage];

    pub fn name(self) -> &'static str {
        match self {
            Step::Data => "Data",
            Step::Columns => "Columns",
            Step::Policy => "Policy",
            Step::Run => "Run",
            Step::Results => "Results",
            Step::Audit => "Audit",
            Step::Linkage => "Linkage",
        }
    }

    /// The step in the address (`#/data`), so that reloading and going back work.
    pub fn current() -> Step {
        let hash = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
        let named = |step: &&Step| hash == format!("#/{}", step.name().to_lowercase());
        Step::ALL.iter().find(named).copied().unwrap_or_default()
    }

    pub fn show_in_address(self) {
        if let Some(window) = web_sys::window() {
            let _ = window.location().set_hash(&format!("/{}", self.name().to_lowercase()));
        }
    }
}

/// What is under way; there is one at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub title: String,
    pub call: Option<u32>,
    pub report: Option<Report>,
    pub cancelling: bool,
    /// A cancel was answered, and the best found until then is being finished; another cancel drops it.
    pub keeping: bool,
    /// Whether it reads a table: if that ends the engine, reading it again would too.
    pub opening: bool,
    /// Where it was started.
    pub step: Step,
}

/// Where a table comes from, so that it can be read again.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    Files { files: Vec<File>, options: ReadOptions },
    Sample { id: &'static str, rows: u32, seed: u64 },
}

impl Origin {
    pub fn title(&self) -> String {
        match self {
            Origin::Files { files, .. } => match files.as_slice() {
                [file] => format!("Reading {}", file.name()),
                files => format!("Reading {} files", files.len()),
            },
            Origin::Sample { .. } => "Making the sample".to_owned(),
        }
    }

    /// What reads it.
    pub fn request(&self) -> (Request, Vec<File>) {
        match self {
            Origin::Files { files, options } => (Request::Open { options: options.clone() }, files.clone()),
            Origin::Sample { id, rows, seed } => {
                (Request::OpenSample { id: (*id).to_owned(), rows: *rows, seed: *seed }, Vec::new())
            }
        }
    }
}

/// The table the worker holds, as far as the page knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub origin: Origin,
    /// What was said of how it is read.
    pub reading: ReadOptions,
    /// The policy, with its reading, from before it was read in this way.
    pub before: Option<String>,
    /// Ways to read it that did not work: their menus are drawn anew.
    pub misread: u32,
    pub summary: Rc<Summary>,
    pub setup: Rc<SetupView>,
    /// What became of hierarchies and policies that came last.
    pub taken: Vec<Taken>,
    /// Changes with every table.
    pub generation: u32,
    /// Changes with every set-up.
    pub revision: u32,
    pub singling: Option<Rc<Vec<NamedSet>>>,
    /// What the worker holds: the last release, or one that was opened again.
    pub run: Option<Ran>,
    /// All runs on this table, to compare.
    pub runs: Vec<Kept>,
    /// The run that was deleted last, and where it stood.
    pub deleted: Option<(usize, Kept)>,
    /// Numbers given to runs and batches so far.
    pub numbers: (u32, u32),
    /// Policies that were tried last: all algorithms, and one number changed step by step.
    pub tried: Option<Batch>,
    pub swept: Option<Batch>,
    /// What the table achieves as it is; of the set-up before while a new one is made.
    pub audit: Option<Rc<Audit>>,
    /// What was last said of the diversity constraints, and of which set-up.
    pub review: Option<(u32, Shared<ConstraintsView>)>,
    /// The set-up as a policy, to put it back after a crash.
    pub policy: Option<String>,
}

impl Loaded {
    /// Whether the last thing that was done is that it was read in another way.
    pub fn undoes_reading(&self) -> bool {
        !self.setup.can_undo && self.before.is_some()
    }

    /// What is known of the diversity constraints as they stand.
    pub fn reviewed(&self) -> Option<&ConstraintsView> {
        let (_, view) = self.review.as_ref()?;
        view.lines.iter().map(|line| &line.text).eq(&self.setup.diversity).then_some(view)
    }

    /// What keeps the diversity constraints from being kept, in a few words; whether it is that some can't be read.
    pub fn trouble(&self) -> Option<(String, bool)> {
        let view = self.reviewed()?;
        match view.lines.iter().filter(|line| line.constraint.is_none()).count() {
            0 => {
                let contradictions = view.contradictions.len() as u64;
                (contradictions > 0).then(|| (counted(contradictions, "contradiction"), false))
            }
            1 => Some(("1 line with errors".into(), true)),
            faulty => Some((format!("{faulty} lines with errors"), true)),
        }
    }
}

/// A verified release, which the worker holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// Changes with every run.
    pub number: u32,
    /// The set-up it was made for.
    pub revision: u32,
    pub view: Shared<RunView>,
    /// The columns as they were set up for it.
    pub columns: Rc<Vec<ColumnView>>,
    /// The share of rows that it might leave out.
    pub limit: f64,
    /// Makes it again.
    pub policy: Rc<str>,
}

/// Something large that is compared by where it is: what changes is made anew.
#[derive(Debug)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    pub fn new(value: T) -> Self {
        Shared(Rc::new(value))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A file that was saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    pub name: String,
    /// Told apart by it.
    pub number: u32,
    /// The SHA-256 of its bytes, once it is known; or that it can't be.
    pub digest: Option<Option<String>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub step: Step,
    pub theme: Theme,
    pub help: bool,
    pub loaded: Option<Loaded>,
    /// The column that the Columns page shows.
    pub column: usize,
    /// The part that the Results page shows.
    pub part: Part,
    pub task: Option<Task>,
    pub failure: Option<Failure>,
    /// Where the failure does not belong: above an earlier release that is as good as it was.
    pub not_failed: Option<Step>,
    pub linkage: Linkage,
    /// Files that were saved, the last one first.
    pub saved: Vec<Saved>,
    /// Whether the last of them is told on every page.
    pub tell_saved: bool,
    /// Read out by screen readers when it changes.
    pub announcement: String,
}

impl State {
    pub fn announce(&mut self, text: impl Into<String>) {
        self.announcement = text.into();
    }

    pub fn begin(&mut self, title: String, opening: bool) {
        self.task =
            Some(Task { title, call: None, report: None, cancelling: false, keeping: false, opening, step: self.step });
    }

    /// Shows a failure. A wish fulfilled is none: cancelling is only read out.
    pub fn fail(&mut self, failure: Failure) {
        if failure.kind == FailureKind::Cancelled {
            self.announce("Cancelled.");
        } else {
            (self.failure, self.not_failed) = (Some(failure), None);
        }
    }
}
