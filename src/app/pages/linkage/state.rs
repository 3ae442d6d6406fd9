//! What the Linkage page knows: kept while other pages are shown.

use std::rc::Rc;

use web_sys::File;

use crate::failure::{Failure, FailureKind};
use crate::linkage::apply::{AppliedView, ApplySettings, Unseen};
use crate::linkage::calculator::{MechanismQuestion, PGiven, Shape};
use crate::linkage::door::SplitQuestion;
use crate::linkage::link::LinkView;
use crate::linkage::plan::PlanView;
use crate::linkage::simulate::{Anonymizer, SimulateSettings, SimulationView};
use crate::protocol::Response;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linkage {
    pub tab: Tab,
    pub attack: Attack,
    pub calculator: Calculator,
    pub plan: Planning,
}

/// The parts of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Attack,
    Calculator,
    Plan,
}

impl Tab {
    pub const ALL: [Tab; 3] = [Tab::Attack, Tab::Calculator, Tab::Plan];

    pub fn name(self) -> &'static str {
        match self {
            Tab::Attack => "Attack",
            Tab::Calculator => "Calculator",
            Tab::Plan => "Plan",
        }
    }
}

/// Where releases come from, so that they can be linked again.
#[derive(Clone, Debug, PartialEq)]
pub enum Sources {
    Files(Vec<File>),
    Hospitals,
    Split(SplitQuestion),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Attack {
    /// Files that were dropped so far: one is not enough.
    pub files: Vec<File>,
    pub split: SplitQuestion,
    /// The open table is the original; its roles and hierarchies hold; the attacker has the plan.
    pub original: bool,
    pub setup: bool,
    pub plan: bool,
    /// The sensitive column's name; empty: it is found out.
    pub sensitive: String,
    pub sources: Option<Sources>,
    pub linked: Option<Rc<LinkView>>,
    /// Changes with every linking.
    pub number: u32,
    pub failure: Option<Failure>,
}

impl Default for Attack {
    fn default() -> Self {
        Attack {
            files: Vec::new(),
            split: SplitQuestion { parts: 2, overlap: 0.2, seed: 1 },
            original: false,
            setup: false,
            plan: false,
            sensitive: String::new(),
            sources: None,
            linked: None,
            number: 0,
            failure: None,
        }
    }
}

/// What the calculator is asked: the paper's figures to start with.
#[derive(Clone, Debug, PartialEq)]
pub struct Calculator {
    pub question: MechanismQuestion,
    /// ρ, kept while another shape is looked at.
    pub ratio: f64,
}

impl Default for Calculator {
    fn default() -> Self {
        let question = MechanismQuestion {
            shape: Shape::Uniform,
            sensitive: None,
            values: 50,
            quasi: 3000,
            l: 10,
            delta: 0.01,
            p: PGiven::Share(0.01),
            shares: vec![0.01, 0.02],
            ls: vec![10, 30],
            deltas: vec![0.01, 0.001],
        };
        Calculator { question, ratio: 0.95 }
    }
}

/// What decides p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// As many classes as the table's rows allow.
    #[default]
    TableRows,
    Classes,
    Rows,
    P,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Planning {
    /// Quasi-identifiers in the order chosen; those not named follow.
    pub order: Vec<String>,
    pub sensitive: Option<String>,
    pub l: u32,
    pub delta: f64,
    pub aim: Aim,
    pub classes: u64,
    pub rows: u64,
    pub p: f64,
    pub smoothing: f64,
    pub plan: Option<Rc<PlanView>>,
    pub failure: Option<Failure>,
    pub apply: ApplySettings,
    pub protected: bool,
    /// What the plan was applied to, and what came of it.
    pub applied: Option<(String, Rc<AppliedView>)>,
    pub apply_failure: Option<Failure>,
    pub simulate: SimulateSettings,
    pub simulated: Option<Rc<SimulationView>>,
    pub simulate_failure: Option<Failure>,
}

impl Default for Planning {
    fn default() -> Self {
        Planning {
            order: Vec::new(),
            sensitive: None,
            l: 3,
            delta: 0.05,
            aim: Aim::TableRows,
            classes: 10,
            rows: 10_000,
            p: 0.01,
            smoothing: 0.0,
            plan: None,
            failure: None,
            apply: ApplySettings { unseen: Unseen::Refuse, early: false, accept_repairs: false },
            protected: true,
            applied: None,
            apply_failure: None,
            simulate: SimulateSettings {
                releases: 3,
                trials: 20,
                rows: None,
                common: 5,
                seed: 1,
                anonymizers: vec![Anonymizer::Plan, Anonymizer::Contiguous, Anonymizer::Mondrian],
            },
            simulated: None,
            simulate_failure: None,
        }
    }
}

impl Linkage {
    /// The engine was started again: what it held is gone, but a plan is text.
    pub fn engine_lost(&mut self) -> Option<String> {
        self.attack.linked = None;
        self.attack.sources = None;
        self.table_changed();
        self.plan.plan.as_ref().map(|plan| plan.text.clone())
    }

    /// Another table is there: what was made of the one before is not shown for it.
    pub fn table_changed(&mut self) {
        self.plan.applied = None;
        self.plan.simulated = None;
        self.plan.apply_failure = None;
        self.plan.simulate_failure = None;
    }

    pub fn linked(&mut self, sources: Sources, outcome: Result<Response, Failure>) {
        let attack = &mut self.attack;
        match outcome {
            Ok(Response::Linked(view)) => {
                attack.linked = Some(Rc::from(view));
                attack.number += 1;
                attack.sources = Some(sources);
                attack.failure = None;
            }
            other => attack.failure = Some(failure_of(other)),
        }
    }

    pub fn planned(&mut self, outcome: Result<Response, Failure>) {
        match outcome {
            Ok(Response::Plan(plan)) => {
                self.table_changed();
                self.plan.plan = Some(Rc::from(plan));
                self.plan.failure = None;
            }
            other => self.plan.failure = Some(failure_of(other)),
        }
    }

    pub fn applied(&mut self, name: String, outcome: Result<Response, Failure>) {
        self.plan.applied = None;
        self.plan.apply_failure = None;
        match outcome {
            Ok(Response::Applied(view)) => self.plan.applied = Some((name, Rc::new(view))),
            other => self.plan.apply_failure = Some(failure_of(other)),
        }
    }

    pub fn simulated(&mut self, outcome: Result<Response, Failure>) {
        self.plan.simulate_failure = None;
        match outcome {
            Ok(Response::Simulated(view)) => self.plan.simulated = Some(Rc::new(view)),
            other => self.plan.simulate_failure = Some(failure_of(other)),
        }
    }
}

/// Why an answer is not the one that was asked for.
pub fn failure_of(outcome: Result<Response, Failure>) -> Failure {
    let next = "Please report this.";
    outcome
        .err()
        .unwrap_or_else(|| Failure::new(FailureKind::Crashed, "The engine gave an answer of another kind.", next))
}
