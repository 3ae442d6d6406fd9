//! What an attacker makes of the release: of everyone, before and after, and of one person who is known by their
//! quasi-identifiers.

use web_sys::{HtmlInputElement, SubmitEvent};
use yew::prelude::*;

use super::PartProps;
use super::classes::sensitive_column;
use crate::app::charts::{Plot, RiskChart, ShareChart};
use crate::app::components::Slider;
use crate::app::pages::audit::models::sure;
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::attack::background::Fallen;
use crate::attack::exposure::{Exposed, Exposure, THRESHOLD};
use crate::attack::target::{Found, TargetView, Who};
use crate::failure::Failure;
use crate::linkage::calculator::Curve;
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::{counted, figure, grouped, percent};

/// As many values as are drawn of those that fit.
const MOST_VALUES: usize = 12;
/// The curves of ruled-out values end here.
const MOST_RULED_OUT: usize = 20;

#[component]
pub fn AttackPart(PartProps { loaded, run }: &PartProps) -> Html {
    let handle = use_handle();
    let chosen = use_state(|| 0usize);
    let place = (*chosen).min(run.view.sensitive.len().saturating_sub(1));
    let secret = run.view.sensitive.get(place).cloned();
    let column = secret.as_ref().map(|(column, _)| *column);
    let found = use_state(|| None::<Result<Box<Exposure>, Failure>>);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((run.number, column), move |&(_, column)| {
            let call = client.request(Request::Exposure { column }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                match call.outcome().await {
                    Ok(Response::Exposure(exposure)) => found.set(Some(Ok(exposure))),
                    Ok(_) => {}
                    Err(failure) => found.set(Some(Err(failure))),
                }
            });
        });
    }
    let name = secret.map(|(_, name)| name);
    let names: Vec<String> = (loaded.summary.columns.iter().zip(run.columns.iter()))
        .filter(|(_, column)| column.role == Role::Quasi)
        .map(|(summary, _)| summary.name.clone())
        .collect();
    html! {
        <>
            { sensitive_column(run, place, &chosen) }
            { match &*found {
                None => html! { <p class="faint" role="status">{ "Attacking everyone…" }</p> },
                Some(Err(failure)) => html! { <p class="note bad">{ format!("{} {}", failure.what, failure.next) }</p> },
                Some(Ok(exposure)) => everyone(exposure, name.as_deref()),
            } }
            <OnePerson key={format!("{} {place}", run.number)} run={run.clone()} {column} {name} {names} rows={loaded.summary.rows} />
        </>
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn everyone(exposure: &Exposure, name: Option<&str>) -> Html {
    let (before, after) = (&exposure.before, &exposure.after);
    let stat = |good: bool, value: String, was: String, what: String| {
        html! {
            <div class={classes!("panel", "stat", if good { "ok" } else { "bad" })}><b>{ value }<small>{ format!("was {was}") }</small></b><span>{ what }</span></div>
        }
    };
    let certain = |exposed: &Exposed| percent(share(exposed.certain, exposed.tried));
    let above = |exposed: &Exposed| percent(share(exposed.prosecutor.above, exposed.rows));
    let sampled = after.tried < before.tried;
    html! {
        <>
            <section class="row c4" aria-label="In short">
                if let Some(name) = name {
                    { stat(after.certain == 0, certain(after), certain(before), format!("of persons: {name} is certain to who knows them{}", if sampled { format!(" (of {} tried)", grouped(after.tried)) } else { String::new() })) }
                }
                { stat(after.prosecutor.highest <= 1.0 / f64::from(THRESHOLD) + 1e-9, figure(after.prosecutor.highest), figure(before.prosecutor.highest), "highest risk of being found (prosecutor)".into()) }
                { stat(after.prosecutor.above == 0, above(after), above(before), format!("of records in classes smaller than {THRESHOLD} (risk above 0.09)")) }
                { stat(after.marketer <= 1.0 / f64::from(THRESHOLD), figure(after.marketer), figure(before.marketer), "average risk (marketer)".into()) }
            </section>
            <div class="row c2">
                <section class="panel"><h2>{ "Risk of being found" }</h2>{ risks(before, after) }</section>
                if let Some(name) = name {
                    <section class="panel">
                        <Plot title={format!("Persons whose {name} is certain")} x="values of their class ruled out" y="share of persons" shares=true
                            curves={vec![curve("before", &exposure.fallen_before, before.rows), curve("after", &exposure.fallen_after, after.rows)]} />
                        { left_out(exposure, name) }
                    </section>
                }
            </div>
        </>
    }
}

/// The three attackers, before and after.
fn risks(before: &Exposed, after: &Exposed) -> Html {
    let risks = vec![
        ("prosecutor", before.prosecutor.highest, after.prosecutor.highest),
        ("journalist", before.journalist.highest, after.journalist.highest),
        ("marketer", before.marketer, after.marketer),
    ];
    let above = |name: &str, above: fn(&Exposed) -> u64| {
        let cell = |exposed: &Exposed| {
            format!("{} ({})", grouped(above(exposed)), percent(share(above(exposed), exposed.rows)))
        };
        html! { <tr><th scope="row">{ name }</th><td>{ cell(before) }</td><td>{ cell(after) }</td></tr> }
    };
    html! {
        <>
            <RiskChart title="Risk of being found, before and after" {risks} threshold={1.0 / f64::from(THRESHOLD)} threshold_name="0.09 (k = 11)" />
            <table class="achieved pair"><thead><tr><th scope="col">{ "records above 0.09" }</th><th scope="col" class="n">{ "before" }</th><th scope="col" class="n">{ "after" }</th></tr></thead><tbody>
                { above("prosecutor", |exposed| exposed.prosecutor.above) }
                { above("journalist", |exposed| exposed.journalist.above) }
            </tbody></table>
            <details class="formula"><summary>{ "What these are" }</summary>
                <p>{ "The prosecutor knows that a person is in the table: 1 ÷ the rows of their class; the highest is shown. The journalist does not know it: \
                      1 ÷ the persons of the population that a class’s cells fit. No table of the population is loaded, so the original table is taken as the \
                      population; in truth the risk is at most this. The marketer wants to find many: the share found rightly, classes ÷ records. \
                      0.09, classes of at least 11, is the threshold usual for public release of health data." }</p></details>
        </>
    }
}

fn curve(name: &str, fallen: &[Fallen], rows: u64) -> Curve {
    let point = |fallen: &Fallen| (f64::from(fallen.ruled_out), share(fallen.rows, rows));
    Curve { name: name.into(), points: fallen.iter().take(MOST_RULED_OUT + 1).map(point).collect() }
}

/// What is not in the release, honestly.
fn left_out(exposure: &Exposure, name: &str) -> Html {
    let mut told = vec![format!(
        "Persons are counted by their own class here; {} of all persons fit several classes of the release, which blurs them further.",
        percent(share(exposure.several, exposure.after.tried))
    )];
    if exposure.several == 0 {
        told.clear();
    }
    if exposure.left_out > 0 {
        told.push(format!(
            "{} left out: no class fits {} of them{}.",
            if exposure.left_out == 1 {
                "1 person was".to_owned()
            } else {
                format!("{} persons were", grouped(exposure.left_out))
            },
            grouped(exposure.nowhere),
            match exposure.mistaken {
                0 => String::new(),
                mistaken => format!(
                    ", and of {} an attacker would be certain of a {name} that is not theirs",
                    grouped(mistaken)
                ),
            }
        ));
    }
    html! { <>{ for told.into_iter().map(|sentence| html! { <p class="faint">{ sentence }</p> }) }</> }
}

#[derive(Properties, PartialEq)]
struct PersonProps {
    run: Ran,
    column: Option<u32>,
    name: Option<String>,
    /// The quasi-identifiers.
    names: Vec<String>,
    rows: u64,
}

/// One person: by their row, or by what is typed.
#[component]
fn OnePerson(PersonProps { run, column, name, names, rows }: &PersonProps) -> Html {
    let handle = use_handle();
    let who = use_state(|| Who::Row(1));
    let found = use_state(|| None::<Result<Box<TargetView>, Failure>>);
    let ruled_out = use_state(|| 0usize);
    let form = use_node_ref();
    let row_field = use_node_ref();
    {
        let (client, found, ruled_out) = (handle.client.clone(), found.clone(), ruled_out.clone());
        use_effect_with((run.number, *column, (*who).clone()), move |(_, column, who)| {
            let call = client.request(Request::Target { column: *column, who: who.clone() }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                match call.outcome().await {
                    Ok(Response::Target(target)) => {
                        ruled_out.set(0);
                        found.set(Some(Ok(target)));
                    }
                    Ok(_) => {}
                    Err(failure) => found.set(Some(Err(failure))),
                }
            });
        });
    }
    let by_row = {
        let (who, row_field) = (who.clone(), row_field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(row) = row_field.cast::<HtmlInputElement>().and_then(|field| field.value().parse().ok()) {
                who.set(Who::Row(row));
            }
        })
    };
    let by_values = {
        let (who, form) = (who.clone(), form.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Some(fields) = form.cast::<web_sys::Element>().and_then(|form| form.query_selector_all("input").ok())
            else {
                return;
            };
            let text = |place: u32| {
                Some(wasm_bindgen::JsCast::unchecked_into::<HtmlInputElement>(fields.item(place)?).value())
            };
            who.set(Who::Known((0..fields.length()).filter_map(text).collect()));
        })
    };
    let known = match &*found {
        Some(Ok(target)) => target.known.iter().map(|(_, value)| value.clone()).collect(),
        _ => vec![String::new(); names.len()],
    };
    let field = |(name, value): (&String, String)| html! { <label class="field">{ name }<input class="long" {value} /></label> };
    let onset = {
        let ruled_out = ruled_out.clone();
        Callback::from(move |count: f64| ruled_out.set(count.max(0.0) as usize))
    };
    html! {
        <section class="panel one-person">
            <div class="with-button"><h2>{ "Attack one person" }</h2>
                <form class="fields" novalidate=true onsubmit={by_row}>
                    <label class="field">{ "Row of the original" }<input ref={row_field} type="number" min="1" max={rows.to_string()} value="1" /></label>
                    <button class="btn small">{ "Take this person" }</button>
                </form></div>
            <form class="fields known" ref={form} novalidate=true onsubmit={by_values} aria-label="What is known of the person">
                { for names.iter().zip(known).map(field) }
                <button class="btn small">{ "Attack with these" }</button>
            </form>
            { match &*found {
                None => Html::default(),
                Some(Err(failure)) => html! { <p class="note bad" role="alert">{ format!("{} {}", failure.what, failure.next) }</p> },
                Some(Ok(target)) => learned(target, name.as_deref(), *ruled_out, onset),
            } }
        </section>
    }
}

fn learned(target: &TargetView, name: Option<&str>, ruled_out: usize, onset: Callback<f64>) -> Html {
    let class = |(_, size, cells): &(u32, u32, Vec<String>)| html! { <li><span class="chip">{ counted((*size).into(), "row") }</span>{ " " }{ cells.join(", ") }</li> };
    let more = target.fitting.saturating_sub(target.classes.len() as u64);
    let fits = match (target.fitting, target.after.rows) {
        (0, _) => "No class of the release fits: nothing is learned.".to_owned(),
        (1, rows) => format!("One class fits, of {}.", counted(rows, "row")),
        (classes, rows) => format!(
            "{} fit, of {} together: which one is theirs can’t be told.",
            counted(classes, "class"),
            counted(rows, "row")
        ),
    };
    html! {
        <>
            if target.left_out {
                <p class="note warn">{ if target.fitting == 0 { "This person was left out of the release, and no class fits them." } else { "This person was left out of the release: what fits are the rows of others, and what is learned from them may be wrong." } }</p>
            }
            <div class="row c2">
                <div>
                    <h3>{ "In the original" }</h3>
                    <p class="soft">{ format!("{} with just these values.", counted(target.before.rows, "row")) }</p>
                    if let Some(name) = name { { values(&target.before, target, name, 0) } }
                </div>
                <div>
                    <h3>{ "In the release" }</h3>
                    <p class="soft">{ fits }</p>
                    <ul class="fitting">{ for target.classes.iter().map(class) }if more > 0 { <li class="faint">{ format!("and {} more", grouped(more)) }</li> }</ul>
                    if let Some(name) = name {
                        if target.after.values.len() > 1 {
                            <Slider label="Values that can be ruled out" value={ruled_out as f64} least={0.0} most={(target.after.values.len() - 1) as f64} {onset} />
                        }
                        { values(&target.after, target, name, ruled_out) }
                    }
                </div>
            </div>
        </>
    }
}

/// The values that are possible, and what is believed of them once the most frequent that are not the person's are ruled
/// out.
fn values(found: &Found, target: &TargetView, name: &str, ruled_out: usize) -> Html {
    if found.values.is_empty() {
        return Html::default();
    }
    // Of somebody who is typed it is not known which value is theirs: the most frequent one is believed.
    let own = target.value.clone().or_else(|| found.values.first().map(|value| value.0.clone()));
    let out: Vec<AttrValue> = (found.values.iter().filter(|value| Some(&value.0) != own.as_ref()))
        .take(ruled_out)
        .map(|value| value.0.clone().into())
        .collect();
    let is_out = |value: &str| out.iter().any(|other| other == value);
    let left: f64 =
        found.values.iter().filter(|value| !is_out(&value.0)).map(|value| value.1).sum::<f64>() + found.others.1;
    let of = |value: &(String, f64)| if is_out(&value.0) || left <= 0.0 { 0.0 } else { value.1 / left };
    let certainty = own.as_ref().and_then(|own| found.values.iter().find(|value| value.0 == *own)).map_or(0.0, of);
    let mut rows: Vec<(AttrValue, f64, f64)> =
        found.values.iter().take(MOST_VALUES).map(|value| (value.0.clone().into(), of(value), 0.0)).collect();
    if let Some(value) = found.values.iter().skip(MOST_VALUES).find(|value| Some(&value.0) == own.as_ref()) {
        rows.push((value.0.clone().into(), of(value), 0.0));
    }
    let hidden = found.values.len() as u64 + found.others.0 - rows.len() as u64;
    let believed = match (&own, target.value.is_some()) {
        (Some(own), true) => format!(" that {name} is “{own}”, which it is."),
        (Some(own), false) => format!(" that {name} is “{own}”, the most frequent."),
        (None, _) => String::new(),
    };
    html! {
        <>
            <p>{ "An attacker is " }<b>{ sure(certainty) }</b>{ believed }</p>
            <ShareChart title={format!("What may be the {name}")} {rows} names={("possible", None)} own={own.map(AttrValue::from)} ruled_out={out} />
            if hidden > 0 { <p class="faint">{ format!("and {}", counted(hidden, "more value")) }</p> }
        </>
    }
}
