//! Findings where a person meets them, each with the buttons that decide it. A decision is an edit of the set-up, so that
//! Undo takes it back and the policy keeps it.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::button;
use crate::app::state::{Loaded, Step};
use crate::app::{Handle, Message, go, use_handle};
use crate::findings::{Finding, Subject, judged};
use crate::policy::{Acceptance, Decisions, FindingKind};
use crate::policy::{Edit, Missing};
use crate::table::Role;
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub title: AttrValue,
    pub findings: Vec<Finding>,
    /// What follows from them here.
    #[prop_or_default]
    pub lead: AttrValue,
    /// What was repaired is told elsewhere on the page.
    #[prop_or_default]
    pub repairs_told: bool,
}

/// Some findings in a box of their own; nothing where there are none.
#[component]
pub fn Findings(Props { loaded, title, findings, lead, repairs_told }: &Props) -> Html {
    if findings.is_empty() {
        return Html::default();
    }
    let open = findings.iter().any(|finding| finding.open(&loaded.setup.decisions));
    let (repaired, others): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|finding| finding.is_repair());
    let stops = repaired.iter().any(|finding| matches!(finding.subject, Subject::Repair(kind) if kind.stops()));
    let item = |finding: &&Finding| {
        let key = format!("{} {:?}", finding.name(), finding.column);
        html! { <Item {key} loaded={loaded.clone()} finding={Finding::clone(finding)} /> }
    };
    html! {
        <section class={classes!("panel", "findings", open.then_some("open"))} aria-label={title.clone()}>
            <h2>{ title }</h2>
            if !lead.is_empty() { <p>{ lead }</p> }
            if !repairs_told && !repaired.is_empty() { <ul>{ for repaired.iter().map(item) }</ul> }
            if stops { <Repairs loaded={loaded.clone()} /> }
            if !others.is_empty() { <ul>{ for others.iter().map(item) }</ul> }
        </section>
    }
}

/// One word for all repairs of the file: the policy knows no other.
#[component]
pub fn Repairs(LoadedProps { loaded }: &LoadedProps) -> Html {
    let handle = use_handle();
    let decisions = &loaded.setup.decisions;
    let accepted = decisions.repairs_accepted;
    let decide = edit(&handle, Decisions { repairs_accepted: !accepted, ..decisions.clone() });
    html! {
        <div class="decision">
            if accepted {
                <span>{ "The repairs are accepted: the policy says “repairs”: “accept”." }</span>
                { button("btn small", "No longer accept the repairs", decide) }
            } else {
                <span>{ "Nothing is released of this file until you correct it and load it again, or accept how it was read." }</span>
                { button("btn small", "Accept the repairs", decide) }
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct LoadedProps {
    pub loaded: Loaded,
}

#[derive(Properties, PartialEq)]
struct ItemProps {
    loaded: Loaded,
    finding: Finding,
}

/// A finding, what mends it, and the reason to leave it.
#[component]
fn Item(ItemProps { loaded, finding }: &ItemProps) -> Html {
    let handle = use_handle();
    let why = use_state(|| None::<String>);
    let input = use_node_ref();
    {
        let input = input.clone();
        use_effect_with(why.is_some(), move |asked| {
            if let (true, Some(input)) = (*asked, input.cast::<HtmlInputElement>()) {
                let _ = input.focus();
            }
        });
    }
    let Subject::Column(kind) = finding.subject else { return html! { <li>{ &finding.sentence }</li> } };
    let whole = if kind == FindingKind::NoModel { "the policy" } else { "all kept columns" };
    let about = finding.column.clone().unwrap_or_else(|| whole.into());
    let decisions = loaded.setup.decisions.clone();
    if let Some(reason) = &finding.accepted {
        let take_back = edit(&handle, without(&decisions, kind, finding));
        return html! {
            <li class="accepted">{ &finding.sentence }
                <div class="decision"><span>{ format!("Accepted: {reason}") }</span>
                    <button class="btn small" onclick={take_back} aria-label={format!("Ask again: {}, {about}", kind.title())}>{ "Ask again" }</button></div>
            </li>
        };
    }
    let ask = {
        let why = why.clone();
        Callback::from(move |_: MouseEvent| why.set(Some(String::new())))
    };
    let typed = {
        let why = why.clone();
        Callback::from(move |event: InputEvent| {
            why.set(Some(event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };
    let leave = {
        let why = why.clone();
        Callback::from(move |_: MouseEvent| why.set(None))
    };
    let accept = {
        let (send, finding, why) = (handle.send.clone(), finding.clone(), why.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Some(reason) = why.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) else {
                return;
            };
            let mut decisions = without(&decisions, kind, &finding);
            decisions.accept.push(Acceptance { finding: kind, column: finding.column.clone(), why: reason });
            why.set(None);
            send.emit(Message::Edit(Edit::Decisions(decisions)));
        })
    };
    let empty = why.as_ref().is_none_or(|text| text.trim().is_empty());
    html! {
        <li>{ &finding.sentence }
            if let Some(text) = &*why {
                <form class="decision" onsubmit={accept}>
                    <input ref={input} class="why" value={text.clone()} oninput={typed} placeholder="why it does no harm"
                        aria-label={format!("Why it does no harm: {}, {about}", kind.title())} />
                    <button type="submit" class="btn small" disabled={empty}>{ "Accept" }</button>
                    <button type="button" class="btn small" onclick={leave}>{ "Leave it open" }</button>
                </form>
            } else {
                <div class="decision">
                    { mend(&handle, loaded, finding, kind) }
                    <button class="btn small" onclick={ask} aria-label={format!("Accept: {}, {about}", kind.title())}>{ "Accept…" }</button>
                </div>
            }
        </li>
    }
}

/// What does away with a finding in one click, or the way to where that is done.
fn mend(handle: &Handle, loaded: &Loaded, finding: &Finding, kind: FindingKind) -> Html {
    let place = loaded.summary.columns.iter().position(|column| Some(&column.name) == finding.column.as_ref());
    let Some(place) = place else { return Html::default() };
    let name = &loaded.summary.columns[place].name;
    let column = place as u32;
    let (words, change) = match kind {
        FindingKind::NearlyUnique
        | FindingKind::IdentifierPattern
        | FindingKind::SinglesOut
        | FindingKind::ShownUnchanged => {
            ("Remove the column", Edit::Roles { columns: vec![column], role: Role::Identifier })
        }
        FindingKind::MissingValue => ("Count them as unknown", Edit::Missing { column, missing: Missing::Unknown }),
        // What is demanded is chosen on the Policy page.
        FindingKind::NoModel => return Html::default(),
        // Which texts stand for a missing cell is said where the file is read.
        FindingKind::MissingToken => {
            let there = handle.state.step == Step::Data;
            return if there {
                Html::default()
            } else {
                button("btn small", "Go to Data", go(&handle.send, Step::Data))
            };
        }
    };
    let onclick = handle.send.reform(move |_: MouseEvent| Message::Edit(change.clone()));
    html! { <button class="btn small" {onclick} aria-label={format!("{words}: {name}")}>{ words }</button> }
}

/// What is decided, but for this finding.
fn without(decisions: &Decisions, kind: FindingKind, finding: &Finding) -> Decisions {
    let mut decisions = decisions.clone();
    decisions.accept.retain(|entry| (entry.finding, &entry.column) != (kind, &finding.column));
    decisions
}

fn edit(handle: &Handle, decisions: Decisions) -> Callback<MouseEvent> {
    handle.send.reform(move |_: MouseEvent| Message::Edit(Edit::Decisions(decisions.clone())))
}

/// What of the table has to do with how the file was read.
pub fn of_reading(loaded: &Loaded) -> Vec<Finding> {
    let stops = |finding: &Finding| match finding.subject {
        Subject::Repair(kind) => kind.stops(),
        Subject::Column(kind) => kind == FindingKind::MissingToken,
    };
    loaded.setup.findings.iter().filter(|finding| stops(finding)).cloned().collect()
}

pub fn of_column(loaded: &Loaded, name: &str) -> Vec<Finding> {
    all(loaded).into_iter().filter(|finding| finding.column.as_deref() == Some(name)).collect()
}

/// Those of the table, and those of a release that was made of it as it is set up now.
pub fn all(loaded: &Loaded) -> Vec<Finding> {
    let mut findings = loaded.setup.findings.clone();
    if loaded.run.as_ref().is_some_and(|run| run.revision == loaded.revision) {
        findings.extend(of_release(loaded));
    }
    findings
}

pub fn of_release(loaded: &Loaded) -> Vec<Finding> {
    of_run(loaded).into_iter().filter(Finding::is_of_release).collect()
}

/// All that was found for the last release under the set-up that it was made for, by what is decided now.
pub fn of_run(loaded: &Loaded) -> Vec<Finding> {
    let findings = loaded.run.as_ref().map(|run| run.view.findings.clone()).unwrap_or_default();
    judged(findings, &loaded.setup.decisions)
}

/// Those that keep a release back.
pub fn holding(loaded: &Loaded, findings: Vec<Finding>) -> Vec<Finding> {
    let decisions = &loaded.setup.decisions;
    let holds = |finding: &Finding| finding.open(decisions) && (finding.is_repair() || decisions.stop);
    findings.into_iter().filter(holds).collect()
}

/// All findings on the Policy page, and whether open ones hold a release back.
#[component]
pub fn InPolicy(LoadedProps { loaded }: &LoadedProps) -> Html {
    let handle = use_handle();
    let decisions = &loaded.setup.decisions;
    let findings = all(loaded);
    let open = findings.iter().filter(|finding| finding.open(decisions)).count() as u64;
    let toggle = {
        let decisions = decisions.clone();
        handle.send.reform(move |event: Event| {
            let stop = event.target_unchecked_into::<HtmlInputElement>().checked();
            Message::Edit(Edit::Decisions(Decisions { stop, ..decisions.clone() }))
        })
    };
    let lead = match open {
        0 => "All are decided.".to_owned(),
        open => format!("{} open. What is accepted stands in the policy and the report.", counted(open, "finding")),
    };
    html! {
        <>
            <Findings loaded={loaded.clone()} title="Findings" {findings} {lead} />
            <section class="panel">
                <label class="choice"><input type="checkbox" checked={decisions.stop} onchange={toggle} />{ "Hold every release back while findings are open" }</label>
                <p>{ "A file that had to be repaired holds it back anyway, until the repairs are accepted." }</p>
            </section>
        </>
    }
}

/// Why nothing can leave now, with the buttons that decide it: of the table as it is set up, or of the last release.
#[component]
pub fn Holding(HoldingProps { loaded, released }: &HoldingProps) -> Html {
    let findings = holding(loaded, if *released { of_run(loaded) } else { loaded.setup.findings.clone() });
    let lead = "Decide on each of these first.";
    html! { <Findings loaded={loaded.clone()} title="Nothing is released yet" {findings} {lead} /> }
}

#[derive(Properties, PartialEq)]
pub struct HoldingProps {
    pub loaded: Loaded,
    #[prop_or_default]
    pub released: bool,
}
