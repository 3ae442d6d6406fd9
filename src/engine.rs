//! The only entry to everything that is not the page: [`Engine::handle`].
//!
//! The engine owns the table and its set-up. A request that fails or is cancelled leaves both as they were. Requests
//! may overlap: each takes its own hold of the table, so rows can be shown while a long job runs.

mod dropped_files;
mod origin;
mod report;
mod results;

use std::cell::RefCell;
use std::rc::Rc;

pub use origin::digest;
use origin::{Again, Fresh, Origin};

use crate::audit::{Audit, BeliefAudit, PersonView};
use crate::classes::{Keys, singling_out};
use crate::constraints::generate::Wish;
use crate::constraints::{self, Binder, ConstraintsView};
use crate::failure::Failure;
use crate::findings::{self, Finding, Traits};
use crate::grouped::Grouped;
use crate::hierarchy::{arx, build};
use crate::io::csv::{self, ReadOptions};
use crate::io::csv_write::Written;
use crate::io::{MemorySource, Source};
use crate::linkage;
use crate::policy::Decisions;
use crate::policy::{Demand, Edit, FindingKind, History, Setup, Template, provisions};
use crate::progress::{Progress, Report, Sink};
use crate::protocol::{ClassRows, DebugAction, NamedSet, Opened, Request, Response, Row, RowsPage, Subject, Summary};
use crate::run::{self, NodeView, Prepared, Run, RunView, Spread, WhatIf};
use crate::samples;
use crate::setup_view::{SetupView, TreeView};
use crate::sorting::Sorting;
use crate::sql;
use crate::table::{Column, Role, Table, ValueCount, View, shortened};
use crate::words::grouped as grouped_number;

/// As many rows and columns as one page may ask for.
const MOST_ROWS: u32 = 1000;
const MOST_COLUMNS: u32 = 200;
/// As many values as are offered at once.
const MOST_VALUES: usize = 50;

/// The table and what was set up for it.
struct Session {
    table: Rc<Table>,
    history: History,
    /// The rows of the view that was asked for last.
    view: Option<(View, Rc<Vec<u32>>)>,
    /// The rows by their classes, under the set-up that they were grouped for.
    grouped: Option<(Rc<Setup>, Rc<Grouped>)>,
    /// What the last run released.
    run: Option<Rc<Run>>,
    /// The rows as the last search of the lattice grouped them.
    prepared: Option<Rc<Prepared>>,
    origin: Origin,
    /// What findings need to know of the table that they were looked up in.
    traits: Option<(Rc<Table>, Rc<Vec<Traits>>)>,
}

impl Session {
    /// What is found in the table as it is set up now.
    fn findings(&mut self, setup: &Setup) -> Vec<Finding> {
        let known = self.traits.as_ref().filter(|(table, _)| Rc::ptr_eq(table, &self.table));
        let traits = known.map(|(_, traits)| traits.clone());
        let traits = traits.unwrap_or_else(|| Rc::new(Traits::of_all(&self.table)));
        self.traits = Some((self.table.clone(), traits.clone()));
        findings::of_table(&self.table, setup, &traits, &self.origin.summary.repairs)
    }

    /// What is shown of the set-up.
    fn view(&mut self) -> SetupView {
        let findings = self.findings(&self.history.present());
        SetupView { findings, ..SetupView::of(&self.history, &self.table) }
    }

    /// Lets something be made of the table only if there is nothing to decide, but on what it has nothing to do with.
    fn hold(&mut self, but: Option<FindingKind>) -> Result<(), Failure> {
        let mut found = self.findings(&self.history.present());
        found.retain(|finding| but.is_none_or(|kind| finding.subject != findings::Subject::Column(kind)));
        self.hold_by(&found)
    }

    /// Holds something back by what was found when it was made, and what is decided now.
    fn hold_by(&self, found: &[Finding]) -> Result<(), Failure> {
        // A path is the runner's; the page has names only.
        self.history.present().decisions.hold(found, &self.origin.summary.name)
    }
}

#[derive(Default)]
pub struct Engine {
    session: RefCell<Option<Session>>,
    /// Linked releases and plans.
    linkage: linkage::door::Door,
}

impl Engine {
    /// Answers one request. `sources` are the files that came with it.
    pub async fn handle(
        &self,
        request: Request,
        sources: Vec<Box<dyn Source>>,
        sink: &dyn Sink,
    ) -> Result<Response, Failure> {
        let progress = Progress::new(sink);
        match request {
            Request::Open { options } => self.open(sources, &options, &progress).await.map(Response::Opened),
            Request::OpenSample { id, rows, seed } => {
                self.open_sample(&id, rows, seed, &progress).await.map(Response::Opened)
            }
            Request::Rows { of: Subject::Table, view, first, count, first_column, columns } => {
                self.rows(view, first, count, first_column, columns).map(Response::Rows)
            }
            Request::Rows { of: Subject::Release, view: _, first, count, first_column, columns } => {
                let run = self.last_run()?;
                let shown: Vec<Shown> = run.output.columns.iter().map(|column| (column, None)).collect();
                Ok(Response::Rows(page(&shown, run.output.rows, None, first, count, first_column, columns)))
            }
            Request::Rows { of: Subject::SideBySide, view: _, first, count, first_column, columns } => {
                let (table, run) = (self.table()?, self.last_run()?);
                let mut shown: Vec<Shown> = Vec::new();
                for column in &run.output.columns {
                    shown.push((column, None));
                    let place = table.columns.iter().position(|other| other.name == column.name);
                    if let Some(place) = place.filter(|&place| run.recodes(&run.setup.columns[place], &column.name)) {
                        shown.push((&table.columns[place], Some(&run.row_of)));
                    }
                }
                Ok(Response::Rows(page(&shown, run.output.rows, None, first, count, first_column, columns)))
            }
            Request::Edit(edit) => self.change(|history, table| {
                history.push_typed(edit.apply(&history.present(), table)?, edit.typing());
                Ok(())
            }),
            Request::Undo => self.change(|history, _| {
                history.undo();
                Ok(())
            }),
            Request::Redo => self.change(|history, _| {
                history.redo();
                Ok(())
            }),
            Request::Tree { column } => self.with_template(column, |template| Response::Tree(TreeView::of(template))),
            Request::Preview { column, recipe } => {
                let table = self.table()?;
                let column = table.columns.get(column as usize).ok_or_else(no_column)?;
                let tree = build(&recipe, column)
                    .map_err(|error| Failure::data(format!("This can't be built: {error}."), "Change the settings."))?;
                Ok(Response::Tree(TreeView::of(&Template::new(tree, Some(recipe), column, Vec::new()))))
            }
            Request::SafeHarbor => Ok(Response::SafeHarbor(provisions(&*self.setup()?, &*self.table()?))),
            Request::SavePolicy => {
                let (table, setup) = (self.table()?, self.setup()?);
                Ok(Response::Text(report::policy_text(&setup, &table, &self.reading()?)))
            }
            Request::RestorePolicy { text } => self.restore_policy(&text, &progress).await,
            Request::Vary(variant) => self.change(|history, _| {
                history.push(variant.of(&history.present()));
                Ok(())
            }),
            Request::Read { options } => self.read_as(options, &progress).await.map(Response::Opened),
            Request::LoadPolicy { text } => self.load_policy(&text, &progress).await,
            Request::ExportHierarchy { column } => {
                self.with_template(column, |template| Response::Text(arx::export(&template.tree)))
            }
            Request::SinglingOut => self.singling_out(&progress).await.map(Response::SinglingOut),
            Request::Values { column, contains } => self.values(column, &contains).map(Response::Values),
            Request::Audit => self.audit(&progress).await.map(Response::Audit),
            Request::SaveSummary => self.session(|session| Ok(Response::Text(session.origin.summary.to_json()))),
            Request::SaveAudit => self.audit(&progress).await.map(|audit| Response::Text(audit.to_json())),
            Request::SaveFigures { written, read_milliseconds } => {
                self.figures(read_milliseconds, written, &progress).await.map(Response::Text)
            }
            Request::Run => self.run(&progress).await.map(|view| Response::Ran(Box::new(view))),
            Request::WhatIf { demands, suppression_limit } => {
                self.what_if(demands, suppression_limit, &progress).await.map(Response::WhatIf)
            }
            Request::Export { protected, row_numbers } => {
                self.releasable()?.file(Written { protected, row_numbers }).map(Response::File)
            }
            Request::Report { audience, date, written } => {
                self.report(audience, &date, written, &progress).await.map(Response::Text)
            }
            Request::Digest => match sources.into_iter().next() {
                Some(mut source) => origin::digest_of(source.as_mut(), &progress).await.map(Response::Text),
                None => Err(Failure::refused("No file came with the request.", "Choose a file.")),
            },
            Request::Sql { table: name, dialect } => {
                let (table, run) = (self.table()?, self.releasable()?);
                sql::script(&table, &run, &name, dialect).map(Response::Text)
            }
            Request::Node { levels } => self.node(&levels, &progress).await.map(Response::Node),
            Request::ClassRows { class } => self.class_rows(class).map(Response::ClassRows),
            Request::Classes { of, column, listing } => {
                self.classes(of, column, &listing, &progress).await.map(Response::Classes)
            }
            Request::ClassMap { column } => self.class_map(column).map(|map| Response::ClassMap(Box::new(map))),
            Request::ClassCard { column, class } => {
                self.class_card(column, class, &progress).await.map(|card| Response::ClassCard(Box::new(card)))
            }
            Request::ColumnChange { column } => {
                self.column_change(column).map(|change| Response::ColumnChange(Box::new(change)))
            }
            Request::Target { column, who } => {
                self.target(column, &who).map(|target| Response::Target(Box::new(target)))
            }
            Request::Exposure { column } => {
                self.exposure(column, &progress).await.map(|exposure| Response::Exposure(Box::new(exposure)))
            }
            Request::Person { column, row } => {
                let (table, grouped) = (self.table()?, self.grouped(&progress).await?);
                if row == 0 || row > table.rows as u64 {
                    let next = format!("Name a row from 1 to {}.", grouped_number(table.rows as u64));
                    return Err(Failure::refused("There is no such row.", next));
                }
                PersonView::of(&table, &grouped, column as usize, row as usize - 1)
                    .map(Response::Person)
                    .ok_or_else(not_sensitive)
            }
            Request::Beliefs { column, thresholds } => {
                let (table, setup) = (self.table()?, self.setup()?);
                if setup.columns.get(column as usize).is_none_or(|column| column.role != Role::Sensitive) {
                    return Err(not_sensitive());
                }
                let grouped = self.grouped(&progress).await?;
                Ok(Response::Beliefs(BeliefAudit::of(&table, &grouped, column as usize, &thresholds)))
            }
            Request::Spread { column } => {
                let (table, run) = (self.table()?, self.last_run()?);
                Spread::of(&table, &run, column as usize).map(Response::Spread)
            }
            Request::Induced { class } => {
                let (table, run) = (self.table()?, self.last_run()?);
                let view = run::InducedView::of(&table, &run, class, &progress).await?;
                Ok(Response::Induced(Box::new(view)))
            }
            Request::Peers => {
                let (table, run) = (self.table()?, self.last_run()?);
                run::compare(&table, &run.setup, &progress).await.map(Response::Peers)
            }
            Request::Unconstrained => {
                let (table, run) = (self.table()?, self.last_run()?);
                run::unconstrained(&table, &run.setup, &progress).await.map(Response::Unconstrained)
            }
            Request::Constraints { lines, faultless } => {
                let (table, setup) = (self.table()?, self.setup()?);
                let view = ConstraintsView::of(&setup, &table, &lines, faultless, &progress).await?;
                Ok(Response::Constraints(Box::new(view)))
            }
            Request::GenerateConstraints { wish } => {
                let (table, setup) = (self.table()?, self.setup()?);
                let k = if wish.k == 0 { constraints::view::least_rows(&setup, &table)? } else { wish.k };
                let made =
                    constraints::generate::generate(&Binder::new(&setup, &table), &Wish { k, ..wish }, &progress)
                        .await?;
                Ok(Response::Lines(made.iter().map(|constraint| constraint.text(&table)).collect()))
            }
            Request::Link(question) => {
                let arrived = dropped_files::releases(sources)?;
                let reading = if question.setup { self.reading()? } else { ReadOptions::default() };
                let view = self.linkage.link(self.opened(), &question, arrived, reading, &progress).await?;
                Ok(Response::Linked(Box::new(view)))
            }
            Request::LinkSplit(question) => {
                let view = self.linkage.split(self.opened()?, &question, &progress).await?;
                Ok(Response::Linked(Box::new(view)))
            }
            Request::LinkPerson { cells } => self.linkage.person(&cells).map(Response::LinkedPerson),
            Request::Mechanism(question) => {
                let view = self.linkage.mechanism(self.opened(), &question)?;
                Ok(Response::Mechanism(Box::new(view)))
            }
            Request::MakePlan(settings) => {
                // A plan has a model of its own.
                self.session(|session| session.hold(Some(FindingKind::NoModel)))?;
                let view = self.linkage.make_plan(self.opened()?, &settings, &progress).await?;
                Ok(Response::Plan(Box::new(view)))
            }
            Request::LoadPlan { text } => Ok(Response::Plan(Box::new(self.linkage.load_plan(&text)?))),
            Request::ApplyPlan(settings) => {
                // To a table that came along, or to the one there is.
                let (table, repairs, name, decisions) = match sources.into_iter().next() {
                    Some(mut source) => {
                        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
                        let read = csv::read(source.as_mut(), &options, &progress).await?;
                        (Rc::new(read.table), read.repairs, source.name().to_owned(), Decisions::default())
                    }
                    None => self.session(|session| {
                        let Summary { repairs, name, .. } = &session.origin.summary;
                        let decisions = Decisions { stop: false, ..session.history.present().decisions.clone() };
                        Ok((session.table.clone(), repairs.clone(), name.clone(), decisions))
                    })?,
                };
                if !settings.accept_repairs {
                    // A plan has no policy's word for it.
                    let next =
                        "Correct the file, or accept the repairs (\"release a repaired file\", --accept-repairs).";
                    let told = |held| Failure { next: next.into(), ..held };
                    decisions.hold(&findings::of_repairs(&repairs), &name).map_err(told)?;
                }
                self.linkage.apply_plan(table, &settings, &progress).await.map(Response::Applied)
            }
            Request::ExportApplied { protected } => self.linkage.export(protected).map(Response::File),
            Request::Simulate(settings) => {
                self.linkage.simulate(self.opened()?, &settings, &progress).await.map(Response::Simulated)
            }
            Request::Debug(action) => debug(action, &progress).await,
        }
    }

    /// The table and its set-up.
    fn opened(&self) -> Result<linkage::door::Session, Failure> {
        Ok((self.table()?, self.setup()?))
    }

    async fn audit(&self, progress: &Progress<'_>) -> Result<Audit, Failure> {
        let (table, setup) = (self.table()?, self.setup()?);
        let grouped = self.grouped(progress).await?;
        let mut audit = Audit::of(&table, &setup, &grouped, progress).await?;
        audit.findings = self.session(|session| Ok(session.findings(&setup)))?;
        let alone = findings::told_alone(&table, &setup);
        audit.findings.extend(findings::of_release(&table, &setup, &grouped, &alone));
        Ok(audit)
    }

    /// The table's rows by their classes, kept while they come out the same.
    async fn grouped(&self, progress: &Progress<'_>) -> Result<Rc<Grouped>, Failure> {
        let (table, setup) = (self.table()?, self.setup()?);
        let known = self.session(|session| Ok(session.grouped.clone()))?;
        if let Some((of, known)) = known
            && setup.groups_like(&of)
        {
            return Ok(known);
        }
        let report = || Report { phase: "Grouping the rows".into(), fraction: None, detail: String::new() };
        progress.checkpoint(report).await?;
        let grouped = Rc::new(Grouped::new(&table, &setup));
        self.session(|session| {
            if Rc::ptr_eq(&session.table, &table) {
                session.grouped = Some((setup, grouped.clone()));
            }
            Ok(())
        })?;
        Ok(grouped)
    }

    fn values(&self, column: u32, contains: &str) -> Result<Vec<ValueCount>, Failure> {
        let table = self.table()?;
        let column = table.columns.get(column as usize).ok_or_else(no_column)?;
        let contains = contains.to_lowercase();
        let fits = |code: &u32| column.dictionary.text(*code).to_lowercase().contains(&contains);
        let count = |code: u32| column.counts[code as usize];
        let mut codes: Vec<u32> = (0..column.dictionary.len() as u32).filter(fits).collect();
        codes.order_by_key(|&code| (std::cmp::Reverse(count(code)), code));
        codes.truncate(MOST_VALUES);
        let value =
            |code: u32| ValueCount { value: column.dictionary.text(code).to_owned(), count: u64::from(count(code)) };
        Ok(codes.into_iter().map(value).collect())
    }

    async fn open(
        &self,
        sources: Vec<Box<dyn Source>>,
        options: &ReadOptions,
        progress: &Progress<'_>,
    ) -> Result<Opened, Failure> {
        let dropped_files = dropped_files::sort(sources)?;
        let policy = dropped_files::policy(&dropped_files.others)?;
        let Some(mut source) = dropped_files.table else {
            let mut put = |setup: &mut Setup, table: &Table| dropped_files::take(&dropped_files.others, setup, table);
            if let Some(policy) = &policy
                && let Some(opened) = self.read_otherwise(policy, &mut put, progress).await?
            {
                return Ok(opened);
            }
            return self.session(|session| {
                let mut setup = Setup::clone(&session.history.present());
                let taken = put(&mut setup, &session.table)?;
                // As by an edit: the release that there is stays, with its own set-up.
                session.history.push(setup);
                let setup = session.view();
                Ok(Opened { table: None, setup, taken, reading: session.origin.asked.clone(), again: false })
            });
        };
        let mut asked = options.clone();
        if let Some(policy) = policy {
            asked = asked.or(policy.reading()?);
            // A policy names columns.
            asked.header = asked.header.or(Some(true));
        }
        let fresh = Fresh::read(source.as_mut(), asked, progress).await?;
        let mut setup = Setup::guessed(&fresh.table);
        let taken = dropped_files::take(&dropped_files.others, &mut setup, &fresh.table)?;
        Ok(self.install(fresh, Again::File(source), History::new(setup), taken, false))
    }

    async fn open_sample(&self, id: &str, rows: u32, seed: u64, progress: &Progress<'_>) -> Result<Opened, Failure> {
        let unknown = || Failure::refused("There is no such sample.", "Choose one of the samples that are listed.");
        let sample = samples::table(id, rows, seed).ok_or_else(unknown)?;
        let mut sources: Vec<Box<dyn Source>> = vec![Box::new(MemorySource { name: sample.name, bytes: sample.bytes })];
        for (column, text) in samples::hierarchies(id) {
            sources.push(Box::new(MemorySource { name: format!("{column}.csv"), bytes: text.into_bytes() }));
        }
        let opened = self.open(sources, &ReadOptions::default(), progress).await?;
        self.session(|session| {
            session.origin.source = Some(Again::Sample { id: id.to_owned(), rows, seed });
            Ok(())
        })?;
        // A sample's hierarchies are made for it: nothing about them needs a look.
        Ok(Opened { taken: Vec::new(), ..opened })
    }

    /// Lets `look` see the session, if there is one.
    fn session<T>(&self, look: impl FnOnce(&mut Session) -> Result<T, Failure>) -> Result<T, Failure> {
        match self.session.borrow_mut().as_mut() {
            Some(session) => look(session),
            None => Err(no_table()),
        }
    }

    fn table(&self) -> Result<Rc<Table>, Failure> {
        self.session(|session| Ok(session.table.clone()))
    }

    fn setup(&self) -> Result<Rc<Setup>, Failure> {
        self.session(|session| Ok(session.history.present()))
    }

    fn change(&self, how: impl FnOnce(&mut History, &Table) -> Result<(), Failure>) -> Result<Response, Failure> {
        self.session(|session| {
            how(&mut session.history, &session.table)?;
            Ok(Response::Setup(session.view()))
        })
    }

    fn with_template(&self, column: u32, show: impl FnOnce(&Template) -> Response) -> Result<Response, Failure> {
        let setup = self.setup()?;
        let column = setup.columns.get(column as usize).ok_or_else(no_column)?;
        let template = column.template.as_ref();
        template
            .map(|template| show(template))
            .ok_or_else(|| Failure::refused("This column has no hierarchy.", "Build or import one."))
    }

    fn rows(&self, view: View, first: u64, count: u32, first_column: u32, columns: u32) -> Result<RowsPage, Failure> {
        let (table, order) = self.session(|session| {
            if view.is_plain() {
                return Ok((session.table.clone(), None));
            }
            let order = match &session.view {
                Some((known, order)) if *known == view => order.clone(),
                _ => {
                    let order = Rc::new(view.rows(&session.table));
                    session.view = Some((view, order.clone()));
                    order
                }
            };
            Ok((session.table.clone(), Some(order)))
        })?;
        let shown: Vec<Shown> = table.columns.iter().map(|column| (column, None)).collect();
        let order = order.as_ref().map(|order| order.as_slice());
        Ok(page(&shown, table.rows, order, first, count, first_column, columns))
    }

    fn last_run(&self) -> Result<Rc<Run>, Failure> {
        let none = || Failure::refused("There is no release yet.", "Run an algorithm first.");
        self.session(|session| session.run.clone().ok_or_else(none))
    }

    /// The last run, if it may leave.
    fn releasable(&self) -> Result<Rc<Run>, Failure> {
        let run = self.last_run()?;
        // What was found in file, table and release under the run's own set-up: the present one is another release's.
        self.session(|session| session.hold_by(&run.view.findings))?;
        Ok(run)
    }

    async fn run(&self, progress: &Progress<'_>) -> Result<RunView, Failure> {
        let (table, setup) = (self.table()?, self.setup()?);
        let (before, mut found) = self.session(|session| {
            session.hold(None)?;
            Ok((session.prepared.clone(), session.findings(&setup)))
        })?;
        let (mut run, prepared) = run::run(&table, &setup, before, progress).await?;
        found.append(&mut run.view.findings);
        run.view.findings = found;
        let view = run.view.clone();
        self.session(|session| {
            if Rc::ptr_eq(&session.table, &table) {
                session.run = Some(Rc::new(run));
                session.prepared = prepared;
            }
            Ok(())
        })?;
        Ok(view)
    }

    async fn what_if(&self, demands: Vec<Demand>, limit: f64, progress: &Progress<'_>) -> Result<WhatIf, Failure> {
        let (table, setup) = (self.table()?, self.setup()?);
        let other = Edit::Privacy { demands, typing: false }.apply(&setup, &table)?;
        let other = Rc::new(Edit::SuppressionLimit { limit, typing: false }.apply(&other, &table)?);
        let before = self.session(|session| Ok(session.prepared.clone()))?;
        let searched = run::search(&table, &other, before, run::Start::Near, progress).await?;
        let what_if = WhatIf::of(&table, &searched);
        self.session(|session| {
            if Rc::ptr_eq(&session.table, &table) {
                session.prepared = Some(searched.prepared);
            }
            Ok(())
        })?;
        Ok(what_if)
    }

    async fn node(&self, levels: &[u16], progress: &Progress<'_>) -> Result<NodeView, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        let prepared = self.session(|session| Ok(session.prepared.clone()))?;
        run::node(&table, &run.setup, prepared, levels, progress).await
    }

    fn class_rows(&self, class: u32) -> Result<ClassRows, Failure> {
        let (table, run) = (self.table()?, self.last_run()?);
        let of_class = (0..run.output.rows).filter(|&row| run.grouped.classes.of_row[row] == class);
        let original = |name: &String| table.columns.iter().find(|column| column.name == *name);
        let names: Vec<String> = run.output.columns.iter().map(|column| column.name.clone()).collect();
        let row = |row: usize| {
            let input = run.row_of[row] as usize;
            let before = names.iter().filter_map(original).map(|column| shortened(column.text(input))).collect();
            let after = run.output.columns.iter().map(|column| shortened(column.text(row))).collect();
            (input as u64 + 1, before, after)
        };
        let rows = of_class.clone().take(MOST_ROWS as usize).map(row).collect();
        Ok(ClassRows { rows, total: of_class.count() as u64, names })
    }

    async fn singling_out(&self, progress: &Progress<'_>) -> Result<Vec<NamedSet>, Failure> {
        let (table, setup) = (self.table()?, self.setup()?);
        // An identifier singles out everyone and will be dropped.
        let places: Vec<usize> =
            (0..table.columns.len()).filter(|&place| setup.columns[place].role != Role::Identifier).collect();
        let codes: Vec<_> = places.iter().map(|&place| table.columns[place].class_codes()).collect();
        let keys: Vec<Keys> = codes
            .iter()
            .zip(&places)
            .map(|(codes, &place)| Keys { codes, size: table.columns[place].dictionary.len() as u32 })
            .collect();
        let sets = singling_out(table.rows, &keys, progress).await?;
        let name = |place: &usize| table.columns[places[*place]].name.clone();
        let named = |set: crate::classes::SinglingSet| NamedSet {
            columns: set.columns.iter().map(name).collect(),
            unique: set.unique,
            exact: set.exact,
        };
        Ok(sets.into_iter().map(named).collect())
    }
}

/// A column as it is shown: with the row of it that stands in each row, if not the same.
type Shown<'a> = (&'a Column, Option<&'a [u32]>);

/// Some cells of the shown columns, their rows in an order.
fn page(
    shown: &[Shown<'_>],
    rows: usize,
    order: Option<&[u32]>,
    first: u64,
    count: u32,
    first_column: u32,
    columns: u32,
) -> RowsPage {
    let total = order.map_or(rows, <[u32]>::len);
    let start = first.min(total as u64) as usize;
    let end = (start + count.min(MOST_ROWS) as usize).min(total);
    let left = (first_column as usize).min(shown.len());
    let right = (left + columns.min(MOST_COLUMNS) as usize).min(shown.len());
    let row = |place: usize| {
        let row = order.map_or(place, |order| order[place] as usize);
        let cell =
            |(column, row_of): &Shown<'_>| shortened(column.text(row_of.map_or(row, |row_of| row_of[row] as usize)));
        Row { number: row as u64 + 1, cells: shown[left..right].iter().map(cell).collect() }
    };
    let rows = (start..end).map(row).collect();
    RowsPage { first: start as u64, first_column: left as u32, total: total as u64, rows }
}

fn not_sensitive() -> Failure {
    Failure::refused("This column is not sensitive.", "Choose a sensitive column.")
}

fn no_table() -> Failure {
    Failure::refused("No table is loaded.", "Load a table first.")
}

fn no_column() -> Failure {
    Failure::refused("There is no such column.", "Choose a column of the table.")
}

fn missing_file(file: &str) -> Failure {
    Failure::policy(
        format!("The policy refers to the file “{file}”."),
        "Drop the policy and its hierarchy files together.",
    )
}

#[cfg(not(feature = "debug-requests"))]
async fn debug(_: DebugAction, _: &Progress<'_>) -> Result<Response, Failure> {
    Err(Failure::refused("Debug requests are not part of this build.", "Nothing was done."))
}

#[cfg(feature = "debug-requests")]
async fn debug(action: DebugAction, progress: &Progress<'_>) -> Result<Response, Failure> {
    match action {
        DebugAction::Panic => panic!("asked for by a debug request"),
        DebugAction::ExhaustMemory => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(std::hint::black_box(Vec::with_capacity(256 << 20)));
            }
        }
        // Ending a worker is the host's; see browser/worker.rs.
        DebugAction::Close | DebugAction::Hang => loop {
            std::hint::black_box(());
        },
        DebugAction::Work => {
            let started = progress.now();
            while progress.now() - started < 60_000.0 {
                let fraction = (progress.now() - started) / 60_000.0;
                let report = || Report { phase: "Working".into(), fraction: Some(fraction), detail: String::new() };
                progress.checkpoint(report).await?;
            }
            Ok(Response::Done)
        }
    }
}
