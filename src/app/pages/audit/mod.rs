//! Audit: what a table gives away as it is, whoever anonymized it.

mod attacks;
pub mod classes;
pub mod models;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::charts::BarChart;
use crate::app::components::{DropZone, button, option, says};
use crate::app::pages::findings::Findings;
use crate::app::pages::{ROLES, role_class};
use crate::app::state::{Loaded, Step};
use crate::app::{Message, go, use_handle};
use crate::audit::Audit;
use crate::findings::judged;
use crate::grouped::SizeBand;
use crate::policy::Edit;
use crate::protocol::Request;
use crate::words::{counted, figure, grouped, percent};

#[component]
pub fn AuditPage() -> Html {
    let handle = use_handle();
    let revision = handle.state.loaded.as_ref().map(|loaded| (loaded.generation, loaded.revision));
    {
        let send = handle.send.clone();
        use_effect_with(revision, move |revision| {
            if revision.is_some() {
                send.emit(Message::FindAudit);
            }
        });
    }
    let chosen = use_state(|| 0usize);
    let Some(loaded) = &handle.state.loaded else {
        let (onfiles, onfail) = handle.open_files();
        return html! {
            <>
                <h1>{ "Audit" }</h1>
                <p class="lead">{ "Open a table that somebody anonymized, say what an attacker may know and what must stay secret, and see what it gives away." }</p>
                <DropZone {onfiles} {onfail} label="Drop an anonymized table here, or click to choose a CSV file">
                    <b>{ "Drop an anonymized table here" }</b>
                    <span>{ "or click to choose a CSV file" }</span>
                </DropZone>
            </>
        };
    };
    let Some(audit) = loaded.audit.clone() else {
        return html! { <><h1>{ "Audit" }</h1><p class="lead">{ "Checking the table…" }</p></> };
    };
    let place = (*chosen).min(audit.sensitive.len().saturating_sub(1));
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            chosen.set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
        })
    };
    html! {
        <>
            <div class="head">
                <div><h1>{ "Audit" }</h1><p class="lead">{ lead(&audit) }</p></div>
                <span class="grow" />
                if audit.sensitive.len() > 1 {
                    <label class="field">{ "Sensitive column" }
                        <select onchange={choose}>{ for audit.sensitive.iter().enumerate().map(|(other, column)| option(other == place, &column.name)) }</select>
                    </label>
                }
                { button("btn", "Save audit", handle.send.reform(|_| Message::Fetch { title: "Writing the audit", ending: "audit.json", request: Request::SaveAudit })) }
            </div>
            <Roles loaded={loaded.clone()} />
            <Findings loaded={loaded.clone()} title="Findings" findings={judged(audit.findings.clone(), &loaded.setup.decisions)} />
            if audit.quasi.is_empty() {
                { says("note warn", "No column is a quasi-identifier: say above what an attacker may know about a person.") }
            } else {
                { figures(&audit, place) }
                <div class="audit">
                    <models::Models audit={audit.clone()} {place} />
                    if let Some(column) = audit.sensitive.get(place) {
                        <div class="stack wide">
                            <classes::Classes key={format!("classes {place}")} column={column.column} name={column.name.clone()} revision={loaded.revision}>
                                <section class="panel"><h2>{ "Classes by size" }</h2><BarChart title="Number of classes by their size" bars={bars(&audit.sizes)} /></section>
                            </classes::Classes>
                            <attacks::Attacks key={format!("attacks {place}")} column={column.clone()} rows={audit.rows} revision={loaded.revision} />
                        </div>
                    } else {
                        { says("note warn", "No column is sensitive: say above what must stay secret, and attacks on it are tried.") }
                    }
                </div>
            }
        </>
    }
}

fn lead(audit: &Audit) -> String {
    if audit.quasi.is_empty() {
        return "What this table gives away as it is.".into();
    }
    let names = match audit.quasi.as_slice() {
        names if names.len() <= 4 => names.join(", "),
        names => format!("{} and {} more", names[..3].join(", "), names.len() - 3),
    };
    format!(
        "To somebody who knows {names}, {} fall into {}.",
        counted(audit.rows, "row"),
        counted(audit.classes, "class")
    )
}

fn figures(audit: &Audit, place: usize) -> Html {
    let risk = if audit.k > 0 { 1.0 / f64::from(audit.k) } else { 0.0 };
    let small: u64 = audit.sizes.iter().filter(|band| band.from < 5).map(|band| band.rows).sum();
    let stat = |good: bool, value: String, what: String| html! { <div class={classes!("panel", "stat", if good { "ok" } else { "bad" })}><b>{ value }</b><span>{ what }</span></div> };
    let homogeneous = audit.sensitive.get(place).map(|column| (column.homogeneous, &column.name));
    html! {
        <section class="row c4" aria-label="In short">
            { stat(audit.k >= 5, grouped(audit.k.into()), "rows in the smallest class (k)".into()) }
            { stat(risk <= 0.2, figure(risk), "highest risk of being recognized".into()) }
            { stat(small == 0, grouped(small), format!("rows in classes smaller than 5 ({})", percent(small as f64 / audit.rows.max(1) as f64))) }
            if let Some((exposure, name)) = homogeneous {
                { stat(exposure.rows == 0, grouped(exposure.rows), format!("rows whose {name} is given away by their class")) }
            }
        </section>
    }
}

/// Classes by their size, for a chart.
pub fn bars(sizes: &[SizeBand]) -> Vec<(AttrValue, u64)> {
    let label = |band: &SizeBand| match band.to {
        Some(to) if to == band.from => band.from.to_string(),
        Some(to) => format!("{}–{to}", band.from),
        None => format!("{}+", grouped(band.from.into())),
    };
    sizes.iter().map(|band| (label(band).into(), band.classes)).collect()
}

#[derive(Properties, PartialEq)]
struct RolesProps {
    loaded: Loaded,
}

/// What an attacker may know and what must stay secret, changed in place.
#[component]
fn Roles(RolesProps { loaded }: &RolesProps) -> Html {
    let handle = use_handle();
    let entry = |(place, (summary, view)): (usize, (&crate::table::ColumnSummary, &crate::setup_view::ColumnView))| {
        let onchange = handle.send.reform(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            Message::Edit(Edit::Roles { columns: vec![place as u32], role: ROLES[choice.min(ROLES.len() - 1)].0 })
        });
        html! {
            <label class="field">{ &summary.name }
                <select class={classes!("role", role_class(view.role))} {onchange} aria-label={format!("Role of {}", summary.name)}>
                    { for ROLES.iter().map(|(role, name)| option(*role == view.role, name)) }
                </select>
            </label>
        }
    };
    let columns = loaded.summary.columns.iter().zip(&loaded.setup.columns).enumerate();
    html! {
        <details class="panel roles" open={loaded.setup.columns.len() <= 12}>
            <summary>{ "What an attacker may know (quasi) and what must stay secret (sensitive)" }</summary>
            <div class="fields">{ for columns.map(entry) }</div>
        </details>
    }
}

/// How the audit stands, in a few words, for the rail.
pub fn standing(loaded: &Loaded) -> (String, Option<&'static str>) {
    match &loaded.audit {
        None => ("any table, as it is".into(), None),
        Some(audit) => {
            let failing = audit
                .demands
                .iter()
                .filter(|demand| !demand.outcome.as_ref().is_ok_and(|outcome| outcome.holds))
                .count();
            match failing {
                0 => (format!("k = {}", grouped(audit.k.into())), Some("ok")),
                failing => (format!("k = {} · {failing} not met", grouped(audit.k.into())), Some("warn")),
            }
        }
    }
}

/// Leads to the policy, where what is asked for is chosen.
pub fn to_policy(send: &Callback<Message>, words: &'static str) -> Html {
    button("link", words, go(send, Step::Policy))
}
