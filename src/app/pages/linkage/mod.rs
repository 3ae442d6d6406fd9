//! Linkage: what several releases tell together, how many rows a promise takes, and a plan that keeps it.

mod apply;
mod attack;
mod calculator;
mod everyone;
mod person;
mod plan;
mod simulate;
mod sources;
pub mod state;
mod worst_case;

use yew::prelude::*;

use crate::app::components::{TAB_PANEL, Tabs, tab_id};
use crate::app::state::State;
use crate::app::{Handle, Message, use_handle};
use crate::failure::Failure;
use crate::protocol::{Request, Response};
use crate::words::{counted, grouped};
use state::{Linkage, Tab};

#[component]
pub fn LinkagePage() -> Html {
    let handle = use_handle();
    let tab = handle.state.linkage.tab;
    let lead = match tab {
        Tab::Attack => "Each release keeps its promise. What do they tell together?",
        Tab::Calculator => "How many rows must there be before a release of the plan may be made?",
        Tab::Plan => "Classes fixed before the data is there: releases by one plan can be linked without harm.",
    };
    let names: Vec<_> = Tab::ALL.iter().map(|tab| tab.name()).collect();
    let now = Tab::ALL.iter().position(|other| *other == tab).unwrap_or(0);
    html! {
        <>
            <div class="head">
                <div><h1>{ "Linkage" }</h1><p class="lead">{ lead }</p></div>
                <span class="grow" />
                <Tabs label="Parts of linkage" {names} {now} onchoose={handle.changing(|linkage, place: usize| linkage.tab = Tab::ALL[place])} />
            </div>
            <div role="tabpanel" id={TAB_PANEL} aria-labelledby={tab_id(tab.name())} class="stack linkage">
                { match tab {
                    Tab::Attack => html! { <attack::AttackPart /> },
                    Tab::Calculator => html! { <calculator::CalculatorPart /> },
                    Tab::Plan => html! { <plan::PlanPart /> },
                } }
            </div>
        </>
    }
}

impl Handle {
    /// Changes what this page knows.
    pub fn change(&self, how: impl FnOnce(&mut Linkage) + 'static) {
        self.send.emit(Message::Linkage(Box::new(how)));
    }

    /// A callback that changes it.
    pub fn changing<T: 'static>(&self, how: impl Fn(&mut Linkage, T) + Clone + 'static) -> Callback<T> {
        self.send.reform(move |value: T| {
            let how = how.clone();
            Message::Linkage(Box::new(move |linkage| how(linkage, value)))
        })
    }

    /// Asks the engine, as the task that is under way.
    pub fn ask_linkage(
        &self,
        title: impl Into<String>,
        request: Request,
        files: Vec<web_sys::File>,
        answer: impl FnOnce(&mut Linkage, Result<Response, Failure>) + 'static,
    ) {
        self.send.emit(Message::AskLinkage { title: title.into(), request, files, answer: Box::new(answer) });
    }
}

/// A figure with its words.
fn stat(class: &'static str, value: String, what: String) -> Html {
    html! { <div class={classes!("panel", "stat", class)}><b>{ value }</b><span>{ what }</span></div> }
}

/// How far this page is, for the rail.
pub fn standing(state: &State) -> (String, Option<&'static str>) {
    let Linkage { attack, plan, .. } = &state.linkage;
    match (&attack.linked, &plan.plan) {
        (Some(view), _) if view.exposed_after > 0 => (
            format!("{} · {} exposed", counted(view.releases.len() as u64, "release"), grouped(view.exposed_after)),
            Some("warn"),
        ),
        (Some(view), _) => (format!("{} linked", counted(view.releases.len() as u64, "release")), Some("ok")),
        (None, Some(plan)) => (format!("a plan of {}", counted(plan.classes, "class")), Some("ok")),
        (None, None) => ("two releases, or a plan".into(), None),
    }
}
