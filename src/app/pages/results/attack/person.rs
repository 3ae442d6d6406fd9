//! One person under attack, by their row or by what is typed: the rows that fit them in the original and in the release,
//! the values these have, and what is left when some can be ruled out.

use web_sys::{HtmlInputElement, SubmitEvent};
use yew::prelude::*;

use crate::app::charts::ShareChart;
use crate::app::components::{Slider, failed, says};
use crate::app::pages::audit::models::sure;
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::attack::target::{Found, TargetView, Who};
use crate::failure::Failure;
use crate::protocol::{Request, Response};
use crate::words::{counted, grouped};

/// As many values as are drawn of those that fit.
const MOST_VALUES: usize = 12;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
    pub column: Option<u32>,
    pub name: Option<String>,
    /// The quasi-identifiers.
    pub names: Vec<String>,
    pub rows: u64,
}

/// One person: by their row, or by what is typed.
#[component]
pub fn OnePerson(Props { run, column, name, names, rows }: &Props) -> Html {
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
                Some(Err(failure)) => failed("bad", failure),
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
                    { says("soft", &format!("{} with just these values.", counted(target.before.rows, "row"))) }
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
            if hidden > 0 { { says("faint", &format!("and {}", counted(hidden, "more value"))) } }
        </>
    }
}
