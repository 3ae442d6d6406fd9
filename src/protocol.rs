//! What page and worker (and runner and engine) say to each other.
//!
//! Messages are postcard behind one version byte: page and worker come from one build, and a stale cached half is told
//! apart at the first message instead of being misread.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::attack::belief::Thresholds;
use crate::attack::exposure::Exposure;
use crate::attack::target::{TargetView, Who};
use crate::audit::{Audit, BeliefAudit, ClassCard, ClassMap, ClassesPage, ColumnChange, Listing, PersonView};
use crate::compare::Variant;
use crate::constraints::ConstraintsView;
use crate::constraints::generate::Wish;
use crate::failure::Failure;
use crate::hierarchy::Recipe;
use crate::io::csv::{Dialect, ReadOptions, Repair};
use crate::io::csv_write::Written;
use crate::linkage::apply::{AppliedView, ApplySettings};
use crate::linkage::calculator::{MechanismQuestion, MechanismView};
use crate::linkage::door::{LinkQuestion, SplitQuestion};
use crate::linkage::link::LinkView;
use crate::linkage::person::PersonLink;
use crate::linkage::plan::{PlanSettings, PlanView};
use crate::linkage::simulate::{SimulateSettings, SimulationView};
use crate::policy::{Demand, Edit, Provision};
use crate::progress::Report;
use crate::report::Audience;
use crate::run::{InducedView, NodeView, Peer, RunView, Spread, Unconstrained, WhatIf};
use crate::setup_view::{SetupView, TreeView};
use crate::table::{ColumnSummary, ValueCount, View};

/// Changes whenever a message's shape does.
pub const VERSION: u8 = 14;

/// What the engine can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Take what the attached sources are: a table (the one before stays until the new one is complete), hierarchies,
    /// a policy, or several at once.
    Open {
        options: ReadOptions,
    },
    /// Make a built-in sample the table.
    OpenSample {
        id: String,
        rows: u32,
        seed: u64,
    },
    /// The cells of some rows and columns.
    Rows {
        of: Subject,
        view: View,
        first: u64,
        count: u32,
        first_column: u32,
        columns: u32,
    },
    /// Change the set-up.
    Edit(Edit),
    Undo,
    Redo,
    /// A column's hierarchy as it is drawn.
    Tree {
        column: u32,
    },
    /// The hierarchy that a recipe would give, without taking it.
    Preview {
        column: u32,
        recipe: Recipe,
    },
    /// What the set-up makes of the 18 kinds of the HIPAA Safe Harbor rule.
    SafeHarbor,
    /// The policy of the set-up, as a file.
    SavePolicy,
    /// Take the set-up of a policy, and read the table as it says: answered by `Opened` if it was read again for that.
    LoadPolicy {
        text: String,
    },
    /// The same for one that was kept in the browser, if it is for a table with exactly these columns; else nothing
    /// happens. Its reading is taken where it fits the file and nobody has said anything else of it.
    RestorePolicy {
        text: String,
    },
    /// Read the table again in this way; its columns keep their set-up. Answered by `Opened`.
    Read {
        options: ReadOptions,
    },
    /// Change the algorithm, and one number of the policy.
    Vary(Variant),
    /// A column's hierarchy as an ARX file.
    ExportHierarchy {
        column: u32,
    },
    /// Sets of columns that single out many rows.
    SinglingOut,
    /// Values of a column that contain a text, the most frequent first.
    Values {
        column: u32,
        contains: String,
    },
    /// What the table achieves as it is, under every model.
    Audit,
    /// The table's summary, its audit and the last run's figures, as files.
    SaveSummary,
    SaveAudit,
    SaveFigures {
        written: Written,
        /// How long reading the table took.
        read_milliseconds: Option<f64>,
    },
    /// Make a release by the policy's algorithm; it becomes the session's result once the verifier accepted it.
    Run,
    /// What the search would find for other demands and another suppression limit, without changing anything.
    WhatIf {
        demands: Vec<Demand>,
        suppression_limit: f64,
    },
    /// The released table as a file; `protected` cells can't be formulas to a spreadsheet. `row_numbers` of the input
    /// are for audits, never for publishing.
    Export {
        protected: bool,
        row_numbers: bool,
    },
    /// The last run's report as one HTML file; the date is printed as it is given. `written` is how the release is saved.
    Report {
        audience: Audience,
        date: String,
        written: Written,
    },
    /// The SHA-256 of the file that comes as a source.
    Digest,
    /// The last run as a script for a database that has the whole table under this name.
    Sql {
        table: String,
        dialect: crate::sql::Dialect,
    },
    /// Classes, with the spread of a sensitive column.
    Classes {
        of: Subject,
        column: u32,
        listing: Listing,
    },
    /// All classes of the release at a glance: their sizes, and the largest ones. Columns are those of the release here
    /// and in the next.
    ClassMap {
        column: u32,
    },
    /// One class of the release closely, against the original table.
    ClassCard {
        column: u32,
        class: u32,
    },
    /// A column of the table before and after.
    ColumnChange {
        column: u32,
    },
    /// What somebody who knows a person's quasi-identifiers learns from the release about its sensitive column.
    Target {
        column: Option<u32>,
        who: Who,
    },
    /// The same for everyone, before and after.
    Exposure {
        column: Option<u32>,
    },
    /// What an attacker learns of the person in a row (from 1) who knows their quasi-identifiers.
    Person {
        column: u32,
        row: u64,
    },
    /// What the Bayes-optimal attacker makes of the classes.
    Beliefs {
        column: u32,
        thresholds: Thresholds,
    },
    /// A node of the lattice that was searched last.
    Node {
        levels: Vec<u16>,
    },
    /// The rows of a class of the release, before and after.
    ClassRows {
        class: u32,
    },
    /// How far a recoded column's values went up, on its hierarchy.
    Spread {
        column: u32,
    },
    /// How the last run stands against the (τ,ℓ) it was made for, with one class of it closely.
    Induced {
        class: Option<u32>,
    },
    /// What 1DLD and CLD make of that (τ,ℓ).
    Peers,
    /// What the last run's algorithm would do without the limits.
    Unconstrained,
    /// What can be told of diversity constraints as they are typed, one a line, without taking them. Where all must be
    /// faultless, a fault is all that is told.
    Constraints {
        lines: Vec<String>,
        faultless: bool,
    },
    /// Constraints of one of the paper's classes, as lines; a wish with k = 0 is for the policy's k.
    GenerateConstraints {
        wish: Wish,
    },
    /// Link the releases that come as sources (with a policy and its hierarchies, if any).
    Link(LinkQuestion),
    /// Cut the table into parts that share people, anonymize each as the policy says, and link them.
    LinkSplit(SplitQuestion),
    /// What the linked releases tell of a person: values by column.
    LinkPerson {
        cells: Vec<(String, String)>,
    },
    /// How many rows (ℓ,δ)-diversity needs, with the curves of the paper's Figures 1 and 2.
    Mechanism(MechanismQuestion),
    /// A plan from the table as past data.
    MakePlan(PlanSettings),
    /// Take a plan's file.
    LoadPlan {
        text: String,
    },
    /// Apply the plan to the table, or to one that comes as a source.
    ApplyPlan(ApplySettings),
    /// What the plan was applied to, as a file.
    ExportApplied {
        protected: bool,
    },
    /// Draw tables like this one, release them by the plan and otherwise, and link them.
    Simulate(SimulateSettings),
    /// For tests of crash recovery; refused unless built with the feature `debug-requests`.
    Debug(DebugAction),
}

/// Whose rows or classes are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// The table as it was read.
    #[default]
    Table,
    /// What the last run released.
    Release,
    /// The same with every recoded column beside what it was: rows only.
    SideBySide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DebugAction {
    Panic,
    /// Allocate until there is no memory left, which aborts without a panic.
    ExhaustMemory,
    /// Keep the thread without ever reaching a checkpoint.
    Hang,
    /// End the worker from inside, which nothing announces.
    Close,
    /// Work with checkpoints for a minute.
    Work,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    Opened(Opened),
    Rows(RowsPage),
    Setup(SetupView),
    Tree(TreeView),
    SafeHarbor(Vec<Provision>),
    /// A file's text.
    Text(String),
    SinglingOut(Vec<NamedSet>),
    Values(Vec<ValueCount>),
    Audit(Audit),
    Ran(Box<RunView>),
    WhatIf(WhatIf),
    /// A file's bytes.
    File(Vec<u8>),
    ClassRows(ClassRows),
    Node(NodeView),
    Classes(ClassesPage),
    ClassMap(Box<ClassMap>),
    ClassCard(Box<ClassCard>),
    ColumnChange(Box<ColumnChange>),
    Target(Box<TargetView>),
    Exposure(Box<Exposure>),
    Person(PersonView),
    Beliefs(BeliefAudit),
    Spread(Spread),
    Induced(Box<InducedView>),
    Peers(Vec<Peer>),
    Unconstrained(Unconstrained),
    Constraints(Box<ConstraintsView>),
    /// Constraints, one a line.
    Lines(Vec<String>),
    Linked(Box<LinkView>),
    LinkedPerson(PersonLink),
    Mechanism(Box<MechanismView>),
    Plan(Box<PlanView>),
    Applied(AppliedView),
    Simulated(SimulationView),
    Done,
}

/// What became of the sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The table, unless only hierarchies or a policy came for the one that is there.
    pub table: Option<Summary>,
    pub setup: SetupView,
    /// What became of hierarchies and policies, one entry a file.
    pub taken: Vec<Taken>,
    /// What was said of how to read the table, by the request or a policy; `Open` with this gives the same table again.
    pub reading: ReadOptions,
    /// The table is the one that was there, read in another way.
    pub again: bool,
}

/// What became of a file beside the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// Or the column, if it is about what could not be carried over to another reading.
    pub file: String,
    /// The column it went to.
    pub column: Option<String>,
    /// Sentences on what is worth a look; none when all is well.
    pub notes: Vec<String>,
    /// Sentences on likely slips. They quote labels, so they are for the page only.
    pub slips: Vec<String>,
}

/// A table that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub name: String,
    pub bytes: u64,
    pub rows: u64,
    pub columns: Vec<ColumnSummary>,
    pub dialect: Dialect,
    pub repairs: Vec<Repair>,
}

impl Summary {
    /// The summary as a file: what `throng stats --json` prints and what the page saves, byte for byte.
    pub fn to_json(&self) -> String {
        // Serializing plain data to a string can't fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Some rows of the table, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsPage {
    pub first: u64,
    pub first_column: u32,
    /// Rows of the whole view.
    pub total: u64,
    /// Long cells are shortened for the screen.
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its place in the file, from 1.
    pub number: u64,
    pub cells: Vec<String>,
}

/// Rows of one class of a release beside their originals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRows {
    pub names: Vec<String>,
    pub total: u64,
    /// The row's number in the input, its cells there and in the release.
    pub rows: Vec<(u64, Vec<String>, Vec<String>)>,
}

/// Columns and how many rows are unique in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSet {
    pub columns: Vec<String>,
    pub unique: u64,
    /// Whether every set of this size was tried.
    pub exact: bool,
}

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    Request { id: u32, request: Request },
    Cancel { id: u32 },
    Ping,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    Ready,
    Pong,
    Progress {
        id: u32,
        report: Report,
        /// Whether a wish to stop was answered: what was found until then is being finished.
        answered: bool,
    },
    Finished {
        id: u32,
        outcome: Box<Result<Response, Failure>>,
    },
    /// The worker panicked, at this place in the source; it will not answer any more.
    Panicked {
        place: String,
    },
}

pub fn encode(message: &impl Serialize) -> Vec<u8> {
    // Postcard fails only on types it can't describe (unsized sequences), of which the protocol has none.
    postcard::to_extend(message, vec![VERSION]).unwrap_or_default()
}

pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let next = "Reload the page (with Shift held) so that all of it is of one version.";
    match bytes.split_first() {
        Some((&VERSION, message)) => postcard::from_bytes(message)
            .map_err(|_| Failure::crashed("A message inside the program could not be read.")),
        _ => Err(Failure::refused("Two parts of the program are of different versions.", next)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_way_and_another_version_is_told() {
        let message = ToWorker::Request { id: 7, request: Request::Open { options: ReadOptions::default() } };
        let mut bytes = encode(&message);
        assert_eq!(decode::<ToWorker>(&bytes), Ok(message));
        bytes[0] = VERSION + 1;
        assert!(decode::<ToWorker>(&bytes).unwrap_err().what.contains("different versions"));
        assert!(decode::<ToWorker>(&[]).is_err());
        assert!(decode::<ToWorker>(&[VERSION, 250]).is_err());
    }
}
