//! Where the engine asks about linkage: what was linked, planned and applied last is kept here, beside the session.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::apply::{Applied, AppliedView, ApplySettings, apply, with_class_column};
use super::calculator::{MechanismQuestion, MechanismView, Shape, assumed, calculate};
use super::known::{Arrived, Known, known_of, of_setup, policy_of};
use super::link::{LinkView, link};
use super::person::{PersonLink, person};
use super::plan::{Estimate, Plan, PlanSettings, PlanView};
use super::releases::Releases;
use super::simulate::{SimulateSettings, SimulationView, simulate};
use crate::failure::Failure;
use crate::io::csv::{self, ReadOptions};
use crate::io::{MemorySource, Source, csv_write};
use crate::policy::Setup;
use crate::progress::Progress;
use crate::random::Random;
use crate::run;
use crate::samples;
use crate::sorting::Sorting;
use crate::table::{Column, Role, Table};

/// What to link, beside the files that come with the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkQuestion {
    /// Built-in releases to add.
    pub samples: Vec<String>,
    /// The session's table is the original that the releases were made from.
    pub original: bool,
    /// The session's roles and hierarchies are the releases', too.
    pub setup: bool,
    /// Which sensitive column to look at, of several.
    pub sensitive: Option<String>,
    /// What columns are, where a person says so; none: as a policy says or as guessed.
    pub roles: Vec<(String, Role)>,
    /// The attacker has the plan that was made or loaded last.
    pub plan: bool,
}

/// The session's table cut into parts that share people, each anonymized as the policy says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplitQuestion {
    pub parts: u32,
    /// The share of rows that are in every part.
    pub overlap: f64,
    pub seed: u64,
}

/// A table and its set-up.
pub type Session = (Rc<Table>, Rc<Setup>);

#[derive(Default)]
pub struct Door {
    linked: RefCell<Option<Rc<Releases>>>,
    plan: RefCell<Option<Rc<Plan>>>,
    applied: RefCell<Option<Rc<Applied>>>,
}

impl Door {
    /// `reading` is how the original was read.
    pub async fn link(
        &self,
        session: Result<Session, Failure>,
        question: &LinkQuestion,
        arrived: Arrived,
        reading: ReadOptions,
        progress: &Progress<'_>,
    ) -> Result<LinkView, Failure> {
        let reading = match policy_of(&arrived)? {
            Some(policy) => policy.reading()?,
            None => reading,
        };
        let session = if question.original || question.setup { Some(session?) } else { None };
        let original = session.as_ref().filter(|_| question.original).map(|(table, _)| table.clone());
        let setup = session.as_ref().filter(|_| question.setup);
        let mut known = match setup {
            Some((table, setup)) => of_setup(table, setup),
            None => known_of(&arrived, original.as_deref())?,
        };
        known.sensitive.clone_from(&question.sensitive);
        known.roles.extend(question.roles.iter().cloned());
        let plan = match &arrived.plan {
            Some((name, bytes)) => {
                let in_file = |failure: Failure| failure.in_file(name);
                Some(Rc::new(Plan::parse(&String::from_utf8_lossy(bytes)).map_err(in_file)?))
            }
            None if question.plan => Some(self.plan()?),
            None => None,
        };
        let mut sources = arrived.tables;
        for id in &question.samples {
            let unknown = || Failure::refused("There is no such sample.", "Choose one of the samples that are listed.");
            let sample = samples::table(id, 0, 1).ok_or_else(unknown)?;
            let source: Box<dyn Source> = Box::new(MemorySource { name: sample.name, bytes: sample.bytes });
            sources.push(source);
        }
        let options = ReadOptions { released: true, ..reading };
        let mut tables = Vec::with_capacity(sources.len());
        let mut repaired = Vec::new();
        for mut source in sources {
            let name = source.name().to_owned();
            let read = csv::read(source.as_mut(), &options, progress).await?;
            repaired.extend(read.repairs.iter().map(|repair| (name.clone(), repair.sentence())));
            tables.push((name, read.table));
        }
        let original = match (&plan, original) {
            (Some(plan), Some(original)) => Some(Rc::new(with_class_column(plan, &original))),
            (_, original) => original,
        };
        let view = self.linked_with(&tables, &known, original.as_deref(), plan, progress).await?;
        Ok(LinkView { repaired, ..view })
    }

    /// Links the parts of the session's own table.
    pub async fn split(
        &self,
        (table, setup): Session,
        question: &SplitQuestion,
        progress: &Progress<'_>,
    ) -> Result<LinkView, Failure> {
        let (parts, common) = divide(&table, question)?;
        let mut tables = Vec::with_capacity(parts.len());
        for (number, rows) in parts.iter().enumerate() {
            let (run, _) = run::run(&chosen(&table, rows), &setup, None, progress).await?;
            tables.push((format!("part {}", number + 1), Table::clone(&run.output)));
        }
        self.linked_with(&tables, &of_setup(&table, &setup), Some(&chosen(&table, &common)), None, progress).await
    }

    async fn linked_with(
        &self,
        tables: &[(String, Table)],
        known: &Known,
        original: Option<&Table>,
        plan: Option<Rc<Plan>>,
        progress: &Progress<'_>,
    ) -> Result<LinkView, Failure> {
        let mut releases = Releases::read(tables, known, original, progress).await?;
        if let Some(plan) = &plan
            && !releases.are_of(plan)
        {
            let what = "The plan is not the one that these releases were made by.";
            return Err(Failure::data(what, "Give the plan of all of them, or link without one."));
        }
        releases.plan = plan;
        let view = link(&releases, original, progress).await?;
        self.linked.replace(Some(Rc::new(releases)));
        Ok(view)
    }

    pub fn person(&self, cells: &[(String, String)]) -> Result<PersonLink, Failure> {
        let none = || Failure::refused("Nothing is linked yet.", "Link two releases first.");
        let linked = self.linked.borrow().clone().ok_or_else(none)?;
        person(&linked, cells)
    }

    pub fn mechanism(
        &self,
        session: Result<Session, Failure>,
        question: &MechanismQuestion,
    ) -> Result<MechanismView, Failure> {
        let (marginal, quasi) = match question.shape {
            Shape::Table => {
                let (table, setup) = session?;
                let estimate = Estimate::of(&table, &setup, &[], question.sensitive.as_deref(), 0.0, 0)?;
                (estimate.joint.marginal(), estimate.joint.quasi() as u64)
            }
            _ => assumed(question)?,
        };
        calculate(question, marginal, quasi)
    }

    pub async fn make_plan(
        &self,
        (table, setup): Session,
        settings: &PlanSettings,
        progress: &Progress<'_>,
    ) -> Result<PlanView, Failure> {
        let (plan, made) = Plan::make(&table, &setup, settings, progress).await?;
        let view = plan.view(Some(made));
        self.plan.replace(Some(Rc::new(plan)));
        Ok(view)
    }

    pub fn load_plan(&self, text: &str) -> Result<PlanView, Failure> {
        let plan = Plan::parse(text)?;
        let view = plan.view(None);
        self.plan.replace(Some(Rc::new(plan)));
        Ok(view)
    }

    fn plan(&self) -> Result<Rc<Plan>, Failure> {
        let none = || Failure::refused("There is no plan yet.", "Make or load one first.");
        self.plan.borrow().clone().ok_or_else(none)
    }

    pub async fn apply_plan(
        &self,
        table: Rc<Table>,
        settings: &ApplySettings,
        progress: &Progress<'_>,
    ) -> Result<AppliedView, Failure> {
        let applied = apply(&*self.plan()?, &table, settings, progress).await?;
        let view = applied.view.clone();
        self.applied.replace(Some(Rc::new(applied)));
        Ok(view)
    }

    /// What the plan was last applied to, as a file.
    pub fn export(&self, protected: bool) -> Result<Vec<u8>, Failure> {
        let none = || Failure::refused("The plan was not applied yet.", "Apply it first.");
        let applied = self.applied.borrow().clone().ok_or_else(none)?;
        let write = if protected { csv_write::write_protected } else { csv_write::write };
        Ok(write(&applied.output, b','))
    }

    pub async fn simulate(
        &self,
        (table, setup): Session,
        settings: &SimulateSettings,
        progress: &Progress<'_>,
    ) -> Result<SimulationView, Failure> {
        let plan = self.plan()?;
        let order: Vec<String> = plan.columns.iter().map(|column| column.name.clone()).collect();
        let estimate = Estimate::of(&table, &setup, &order, Some(&plan.sensitive), 0.0, plan.least)?;
        simulate(&table, &estimate, &plan, settings, progress).await
    }
}

/// The rows of each part, and those that all have.
fn divide(table: &Table, question: &SplitQuestion) -> Result<(Vec<Vec<u32>>, Vec<u32>), Failure> {
    let common = libm::round(question.overlap * table.rows as f64);
    if !((2..=16).contains(&question.parts) && (1.0..=table.rows as f64).contains(&common)) {
        let what = "A table is cut into 2 to 16 parts, with at least one row in common.";
        return Err(Failure::policy(what, "Change the number of parts or the overlap."));
    }
    let mut rows: Vec<u32> = (0..table.rows as u32).collect();
    let mut random = Random::new(question.seed);
    for last in (1..rows.len()).rev() {
        rows.swap(last, random.below(last as u32 + 1) as usize);
    }
    let (common, others) = rows.split_at(common as usize);
    let mut parts = vec![common.to_vec(); question.parts as usize];
    for (place, &row) in others.iter().enumerate() {
        parts[place % question.parts as usize].push(row);
    }
    // As in the table: the order says nothing of the cut.
    parts.iter_mut().for_each(|part| part.order());
    Ok((parts, common.to_vec()))
}

/// Some rows of a table; codes stay what they are, so that its set-up fits.
fn chosen(table: &Table, rows: &[u32]) -> Table {
    let column = |column: &Column| {
        let codes: Vec<u32> = rows.iter().map(|&row| column.codes[row as usize]).collect();
        let mut counts = vec![0; column.dictionary.len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        Column { codes, counts, ..column.clone() }
    };
    Table { columns: table.columns.iter().map(column).collect(), rows: rows.len() }
}
