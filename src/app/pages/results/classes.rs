//! Every class of the release: how many of each size, all of them as a map and as a heat map, and one or two of them
//! closely, against the original table.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::PartProps;
use crate::app::charts::{BarChart, ShareChart, Treemap};
use crate::app::components::option;
use crate::app::pages::audit::bars;
use crate::app::pages::audit::classes::{ClassHeat, OneClassRows};
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::audit::{ClassCard, ClassMap, ClassStanding, is_near};
use crate::policy::{Demand, Distance};
use crate::protocol::{Request, Response, Subject};
use crate::words::{counted, figure, grouped, percent};

#[component]
pub fn ClassesPart(PartProps { run, .. }: &PartProps) -> Html {
    let chosen = use_state(|| 0usize);
    let view = &run.view;
    let place = (*chosen).min(view.sensitive.len().saturating_sub(1));
    let Some((column, name)) = view.sensitive.get(place) else {
        return html! { <section class="panel"><h2>{ "Classes by size" }</h2><BarChart title="Number of classes by their size" bars={bars(&view.sizes)} /></section> };
    };
    html! {
        <>
            { sensitive_column(run, place, &chosen) }
            <ClassesOf key={format!("{} {place}", run.number)} run={run.clone()} column={*column} name={name.clone()} />
        </>
    }
}

/// The choice of a sensitive column, where there are several.
pub fn sensitive_column(run: &Ran, place: usize, chosen: &UseStateHandle<usize>) -> Html {
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            chosen.set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
        })
    };
    let sensitive = &run.view.sensitive;
    html! {
        if sensitive.len() > 1 {
            <label class="field">{ "Sensitive column" }
                <select onchange={choose}>{ for sensitive.iter().enumerate().map(|(other, (_, name))| option(other == place, name)) }</select>
            </label>
        }
    }
}

#[derive(Properties, PartialEq)]
struct OfProps {
    run: Ran,
    column: u32,
    name: String,
}

#[component]
fn ClassesOf(OfProps { run, column, name }: &OfProps) -> Html {
    let handle = use_handle();
    let map = use_state(|| None::<Box<ClassMap>>);
    let open = use_state(|| None::<u32>);
    let pinned = use_state(|| None::<u32>);
    {
        let (client, map) = (handle.client.clone(), map.clone());
        use_effect_with((run.number, *column), move |&(_, column)| {
            let call = client.request(Request::ClassMap { column }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::ClassMap(found)) = call.outcome().await {
                    map.set(Some(found));
                }
            });
        });
    }
    let choose = {
        let open = open.clone();
        Callback::from(move |class: u32| open.set(Some(class)))
    };
    let onchoose = choose.reform(|(page, at): (std::rc::Rc<crate::audit::ClassesPage>, usize)| page.rows[at].class);
    let pin = |class: Option<u32>| {
        let pinned = pinned.clone();
        Callback::from(move |()| pinned.set(class))
    };
    let card = |class: u32, is_pinned: bool| {
        let onpin = pin(if is_pinned { None } else { Some(class) });
        html! { <OneClass key={is_pinned.to_string()} run={run.clone()} column={*column} {class} {is_pinned} {onpin} /> }
    };
    let rows = |class: u32| html! { <OneClassRows {class} revision={run.number} /> };
    let treemap = html! {
        <section class="panel"><h2>{ "Map of the classes" }{ " " }<span class="faint">{ "area: rows, colour: diversity" }</span></h2>
            if let Some(map) = &*map { <Treemap title={format!("Classes by rows and diversity of {name}")} map={(**map).clone()} chosen={*open} onchoose={choose} /> }
        </section>
    };
    // One class stands beside the heat map, two below it.
    let (under, beside, below) = match (*pinned, *open) {
        (Some(pinned), Some(open)) => {
            let column = |class: u32, is_pinned: bool| html! { <div class="stack">{ card(class, is_pinned) }{ rows(class) }</div> };
            let two = html! { <div class="row c2">{ column(pinned, true) }{ column(open, false) }</div> };
            (Html::default(), treemap, two)
        }
        (_, Some(open)) => (treemap, card(open, false), rows(open)),
        _ => (treemap, Html::default(), Html::default()),
    };
    html! {
        <>
            <div class="classes-part">
                <div class="stack">
                    <ClassHeat of={Subject::Release} column={*column} name={name.clone()} revision={run.number} chosen={*open} {onchoose} />
                    { under }
                </div>
                <div class="stack">
                    <section class="panel"><h2>{ "Class sizes" }</h2>
                        if let Some(map) = &*map { <BarChart title="Number of classes by their size" bars={bars(&map.sizes)} /> }
                    </section>
                    { beside }
                </div>
            </div>
            { below }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct OneProps {
    run: Ran,
    column: u32,
    class: u32,
    is_pinned: bool,
    onpin: Callback<()>,
}

/// One class against the original table.
#[component]
fn OneClass(OneProps { run, column, class, is_pinned, onpin }: &OneProps) -> Html {
    let handle = use_handle();
    let found = use_state(|| None::<Box<ClassCard>>);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((run.number, *column, *class), move |&(_, column, class)| {
            let call = client.request(Request::ClassCard { column, class }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::ClassCard(card)) = call.outcome().await {
                    found.set(Some(card));
                }
            });
        });
    }
    let Some(card) = &*found else { return html! { <section class="panel" aria-busy="true" /> } };
    let title = card.cells.iter().map(|(_, cell)| cell.as_str()).collect::<Vec<_>>().join(", ");
    let title = if title.is_empty() { "all rows".to_owned() } else { title };
    let mut rows: Vec<(AttrValue, f64, f64)> =
        card.values.iter().map(|(value, here, whole)| (value.clone().into(), *here, *whole)).collect();
    if card.others.0 > 0.0 || card.others.1 > 0.0 {
        rows.push(("other values".into(), card.others.0, card.others.1));
    }
    let line = |name: &str, meaning: &str, value: String| html! { <tr><th scope="row">{ name }<small>{ meaning }</small></th><td>{ value }</td></tr> };
    let distance = |&(distance, value): &(Distance, f64)| {
        let (name, meaning) = match distance {
            Distance::Equal => ("t, equal distance", "earth mover’s: here the total variation"),
            Distance::Ordered => ("t, ordered", "earth mover’s, by rank"),
            Distance::Hierarchical => ("t, hierarchical", "earth mover’s, by common group"),
        };
        line(name, meaning, figure(value))
    };
    html! {
        <section class="panel class-card">
            <div class="with-button"><h2>{ format!("Class {} · {title}", grouped(u64::from(card.class) + 1)) }</h2>
                <button class="btn small" aria-pressed={is_pinned.to_string()} onclick={onpin.reform(|_| ())}>{ if *is_pinned { "Unpin" } else { "Pin to compare" } }</button></div>
            <p>{ format!("{}, {}, as diverse as {} equally likely", counted(card.size.into(), "row"), counted(card.distinct.into(), "value"), figure(card.entropy_l)) }</p>
            <ShareChart title={format!("Values in the class {title}")} {rows} names={("this class", Some("the original table"))} />
            <table class="achieved"><tbody>
                { for card.distances.iter().map(distance) }
                if let Some(divergence) = card.divergence { { line("Kullback-Leibler", "in nats, from the table", figure(divergence)) } }
                { for card.standings.iter().map(|standing| demand(standing, &run.view.demands)) }
            </tbody></table>
        </section>
    }
}

/// What the class achieves of a demand, with its room.
fn demand(standing: &ClassStanding, demands: &[Demand]) -> Html {
    let Some(demand) = demands.get(standing.demand as usize) else { return Html::default() };
    let of = standing.attribute.as_ref().map(|attribute| format!(" · {attribute}")).unwrap_or_default();
    let bound = demand.model.bound();
    html! {
        <tr><th scope="row">{ format!("{}{of}", demand.model.name()) }
            <small>{ format!("{} demanded, {} to spare", figure(bound), percent(standing.room)) }if is_near(standing.room) { { " " }<b class="warn-text">{ "just above the line" }</b> }</small></th>
            <td>{ figure(standing.achieved) }</td></tr>
    }
}
