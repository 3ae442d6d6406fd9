//! What an attacker makes of the release: of everyone, before and after, and of one person who is known by their
//! quasi-identifiers.

mod person;

use yew::prelude::*;

use super::PartProps;
use super::classes::sensitive_column;
use crate::app::charts::{Plot, RiskChart};
use crate::app::components::{failed, heads};
use crate::app::use_handle;
use crate::attack::background::Fallen;
use crate::attack::exposure::{Exposed, Exposure};
use crate::classes::risk::{IN_PRACTICE, PUBLIC, smallest_class};
use crate::failure::Failure;
use crate::linkage::calculator::Curve;
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::{figure, grouped, percent};

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
                Some(Err(failure)) => failed("bad", failure),
                Some(Ok(exposure)) => everyone(exposure, name.as_deref()),
            } }
            <person::OnePerson key={format!("{} {place}", run.number)} run={run.clone()} {column} {name} {names} rows={loaded.summary.rows} />
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
    // Both curves end at the same place, however soon all are certain.
    let most = exposure.fallen_before.len().max(exposure.fallen_after.len()).min(MOST_RULED_OUT + 1);
    let sampled = after.tried < before.tried;
    html! {
        <>
            <section class="row c4" aria-label="In short">
                if let Some(name) = name {
                    { stat(after.certain == 0, certain(after), certain(before), format!("of persons: {name} is certain to who knows them{}", if sampled { format!(" (of {} tried)", grouped(after.tried)) } else { String::new() })) }
                }
                { stat(after.prosecutor.above == 0, figure(after.prosecutor.highest), figure(before.prosecutor.highest), "highest risk of being found (prosecutor)".into()) }
                { stat(after.prosecutor.above == 0, above(after), above(before), format!("of records in classes smaller than {} (risk above {PUBLIC})", smallest_class(PUBLIC))) }
                { stat(after.marketer <= PUBLIC, figure(after.marketer), figure(before.marketer), "average risk (marketer)".into()) }
            </section>
            <div class="row c2">
                <section class="panel"><h2>{ "Risk of being found" }</h2>{ risks(before, after) }</section>
                if let Some(name) = name {
                    <section class="panel">
                        <Plot title={format!("Persons whose {name} is certain")} x="values of their class ruled out" y="share of persons" shares=true
                            curves={vec![curve("before", &exposure.fallen_before, before.rows, most), curve("after", &exposure.fallen_after, after.rows, most)]} />
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
            <RiskChart title="Risk of being found, before and after" {risks} threshold={PUBLIC} threshold_name={format!("{PUBLIC} (k = {})", smallest_class(PUBLIC))} />
            <table class="achieved pair">{ heads("records above 0.09 | #before | #after") }<tbody>
                { above("prosecutor", |exposed| exposed.prosecutor.above) }
                { above("journalist", |exposed| exposed.journalist.above) }
                { above("prosecutor, classes below 11", |exposed| exposed.prosecutor.below_11) }
                { above("journalist, fewer than 11 persons", |exposed| exposed.journalist.below_11) }
            </tbody></table>
            <p class="note">{ IN_PRACTICE }</p>
            <details class="formula"><summary>{ "What these are" }</summary>
                <p>{ "The prosecutor knows that a person is in the table: 1 ÷ the rows of their class; the highest is shown. The journalist does not know it: \
                      1 ÷ the persons of the population that a class’s cells fit. No table of the population is loaded, so the original table is taken as the \
                      population; in truth the risk is at most this. The marketer wants to find many: the share found rightly, classes ÷ records. \
                      0.09 is the threshold usual for public release of health data." }</p></details>
        </>
    }
}

fn curve(name: &str, fallen: &[Fallen], rows: u64, most: usize) -> Curve {
    let point = |ruled_out: usize| {
        let fallen = fallen.get(ruled_out).or(fallen.last());
        (ruled_out as f64, share(fallen.map_or(0, |fallen| fallen.rows), rows))
    };
    Curve { name: name.into(), points: (0..most).map(point).collect() }
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
