//! Attacks on the table as it is: homogeneity, background knowledge, one person, and the Bayes-optimal attacker.

use web_sys::{HtmlInputElement, SubmitEvent};
use yew::prelude::*;

use super::models::sure;
use crate::app::charts::LineChart;
use crate::app::components::{NumberField, failed, heads};
use crate::app::use_handle;
use crate::attack::belief::Thresholds;
use crate::audit::{BeliefAudit, PersonView, SensitiveAudit};
use crate::failure::Failure;
use crate::protocol::{Request, Response};
use crate::words::{counted, grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub column: SensitiveAudit,
    pub rows: u64,
    pub revision: u32,
}

#[component]
pub fn Attacks(props: &Props) -> Html {
    let column = &props.column;
    let points: Vec<(AttrValue, u64)> =
        column.fallen.iter().take(9).map(|fallen| (fallen.ruled_out.to_string().into(), fallen.rows)).collect();
    html! {
        <div class="row c2">
            <section class="panel">
                <h2>{ "Homogeneity" }</h2>
                <p>{ format!("{} of one value ({}), {} of at least 95 % one value ({}).",
                    counted(column.homogeneous.classes, "class"), counted(column.homogeneous.rows, "row"),
                    counted(column.nearly_homogeneous.classes, "class"), counted(column.nearly_homogeneous.rows, "row")) }</p>
                <h2 class="next">{ "Background knowledge" }</h2>
                <p>{ format!("Rows whose {} is certain to somebody who can rule out so many values.", column.name) }</p>
                <LineChart title={format!("Rows whose {} is certain after ruling out 0, 1, 2, … values", column.name)} {points} />
            </section>
            <div class="stack">
                <OnePerson column={column.column} name={column.name.clone()} rows={props.rows} revision={props.revision} />
                <Beliefs column={column.column} name={column.name.clone()} revision={props.revision} />
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct PersonProps {
    column: u32,
    name: String,
    rows: u64,
    revision: u32,
}

/// What is learned of the person in a row.
#[component]
fn OnePerson(PersonProps { column, name, rows, revision }: &PersonProps) -> Html {
    let handle = use_handle();
    let wanted = use_state(|| 1u64);
    let found = use_state(|| None::<Result<PersonView, Failure>>);
    let field = use_node_ref();
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((*column, *wanted, *revision), move |&(column, row, _)| {
            let call = client.request(Request::Person { column, row }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                found.set(match call.outcome().await {
                    Ok(Response::Person(person)) => Some(Ok(person)),
                    Ok(_) => None,
                    Err(failure) => Some(Err(failure)),
                });
            });
        });
    }
    let onsubmit = {
        let (wanted, field) = (wanted.clone(), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(row) = field.cast::<HtmlInputElement>().and_then(|field| field.value().parse().ok()) {
                wanted.set(row);
            }
        })
    };
    html! {
        <section class="panel">
            <div class="with-button">
                <h2>{ "Attack one person" }</h2>
                <form class="fields" novalidate=true {onsubmit}>
                    <label class="field">{ "Row" }<input ref={field} type="number" min="1" max={rows.to_string()} value={wanted.to_string()} /></label>
                    <button class="btn small">{ "Attack" }</button>
                </form>
            </div>
            { match &*found {
                None => Html::default(),
                Some(Err(failure)) => failed("bad", failure),
                Some(Ok(person)) => person_words(person, name),
            } }
        </section>
    }
}

fn person_words(person: &PersonView, name: &str) -> Html {
    let known = person.known.iter().map(|(column, cell)| format!("{column} {cell}")).collect::<Vec<_>>().join(", ");
    let step = |(place, other): (usize, &crate::audit::PersonValue)| {
        html! { <li>{ if place == 0 { "If “" } else { "then “" } }{ &other.value }{ "” is ruled out: " }<b>{ sure(other.certainty) }</b></li> }
    };
    html! {
        <>
            <p>{ format!("Who knows {known} finds {}, and is ", counted(person.class_size.into(), "row")) }<b>{ sure(person.certainty) }</b>
                { format!(" that {name} is “{}”.", person.value) }</p>
            if !person.others.is_empty() {
                <ul class="list steps">{ for person.others.iter().take(6).enumerate().map(step) }</ul>
                if person.others.len() > 6 { <p>{ format!("and {} more to rule out.", person.others.len() - 6) }</p> }
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct BeliefProps {
    column: u32,
    name: String,
    revision: u32,
}

/// The Bayes-optimal attacker, who knows the shares of the whole table.
#[component]
fn Beliefs(BeliefProps { column, name, revision }: &BeliefProps) -> Html {
    let handle = use_handle();
    let limits = use_state(|| (0.2, 0.8));
    let found = use_state(|| None::<BeliefAudit>);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((*column, *limits, *revision), move |&(column, (rho1, rho2), _)| {
            let thresholds = Thresholds { delta: 0.05, epsilon: 0.05, rho1, rho2 };
            let call = client.request(Request::Beliefs { column, thresholds }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::Beliefs(beliefs)) = call.outcome().await {
                    found.set(Some(beliefs));
                }
            });
        });
    }
    let set = |first: bool| {
        let limits = limits.clone();
        Callback::from(move |number: f64| limits.set(if first { (number, limits.1) } else { (limits.0, number) }))
    };
    let breach = |breach: &crate::audit::BreachView| {
        html! { <tr><td>{ &breach.value }</td><td class="n">{ grouped(breach.rows.into()) }</td><td class="n">{ percent(breach.prior) }</td><td class="n">{ percent(breach.observed) }</td></tr> }
    };
    html! {
        <section class="panel">
            <h2>{ "Change of belief" }</h2>
            <p>{ format!("Who knows how {name} is spread in the whole table believes something of a person before, and more after seeing their class. A breach: from below ρ₁ to above ρ₂, or as far the other way.") }</p>
            <p class="fields">
                <NumberField label="ρ₁" name="ρ₁, the belief before" value={limits.0} step={0.05} ontype={set(true)} onleave={Callback::noop()} />
                <NumberField label="ρ₂" name="ρ₂, the belief after" value={limits.1} step={0.05} ontype={set(false)} onleave={Callback::noop()} />
            </p>
            if let Some(found) = &*found {
                <p class={classes!("note", if found.breaches.rows == 0 { "ok" } else { "bad" })}>
                    { format!("{} in breach ({}).", counted(found.breaches.rows, "row"), percent(found.breaches.rows as f64 / found.rows.max(1) as f64)) }
                </p>
                if !found.worst.is_empty() {
                    <table class="breaches">{ heads("value | #rows | #before | #after") }
                        <tbody>{ for found.worst.iter().take(5).map(breach) }</tbody></table>
                }
            }
        </section>
    }
}
