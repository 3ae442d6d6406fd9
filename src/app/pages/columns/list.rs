//! All columns in one table: role, kind, values, hierarchy; several can be changed at once.

use std::collections::BTreeSet;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::{Spark, button, option};
use crate::app::pages::findings::of_column;
use crate::app::pages::{ROLES, kind_name, role_class};
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::policy::Edit;
use crate::setup_view::ColumnView;
use crate::table::{ColumnSummary, Role};
use crate::words::{counted, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub chosen: usize,
}

#[component]
pub fn ColumnList(Props { loaded, chosen }: &Props) -> Html {
    let handle = use_handle();
    let marked = use_state(BTreeSet::<u32>::new);
    {
        let marked = marked.clone();
        use_effect_with(loaded.generation, move |_| marked.set(BTreeSet::new()));
    }
    let bulk = {
        let (send, marked) = (handle.send.clone(), marked.clone());
        Callback::from(move |role: Role| {
            send.emit(Message::Edit(Edit::Roles { columns: marked.iter().copied().collect(), role }));
        })
    };
    let row = |(place, (summary, setup)): (usize, (&ColumnSummary, &ColumnView))| {
        let toggle = {
            let marked = marked.clone();
            Callback::from(move |event: Event| {
                let mut now = (*marked).clone();
                if event.target_unchecked_into::<HtmlInputElement>().checked() {
                    now.insert(place as u32);
                } else {
                    now.remove(&(place as u32));
                }
                marked.set(now);
            })
        };
        let role = handle.send.reform(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            Message::Edit(Edit::Roles { columns: vec![place as u32], role: ROLES[choice.min(ROLES.len() - 1)].0 })
        });
        let here = place == *chosen;
        html! {
            <tr key={place} class={classes!(here.then_some("on"))}>
                <td class="tick"><input type="checkbox" checked={marked.contains(&(place as u32))} onchange={toggle}
                    aria-label={format!("Choose {}", summary.name)} /></td>
                <td>
                    <button class="name" aria-pressed={here.to_string()} onclick={handle.send.reform(move |_| Message::ShowColumn(place))}>{ &summary.name }</button>
                    <small title={setup.guess.reason.clone()}>{ &setup.guess.reason }</small>
                    { found(loaded, &summary.name, &handle.send.reform(move |_| Message::ShowColumn(place))) }
                </td>
                <td>
                    <select class={classes!("role", role_class(setup.role))} onchange={role} aria-label={format!("Role of {}", summary.name)}>
                        { for ROLES.iter().map(|(role, name)| option(*role == setup.role, name)) }
                    </select>
                </td>
                <td class="n">{ grouped(summary.distinct) }<small>{ missing(summary) }</small></td>
                <td><Spark bars={summary.distribution.bars.clone()} width={64.0} height={18.0} label={format!("Distribution of {}", summary.name)} /></td>
                <td class="soft">{ hierarchy(setup) }</td>
            </tr>
        }
    };
    html! {
        <section class="panel flush" aria-label="Columns">
            if !marked.is_empty() {
                <div class="tools">
                    <span>{ format!("{} chosen: make them", counted(marked.len() as u64, "column")) }</span>
                    { for ROLES.iter().map(|&(role, name)| html! { { button("btn small", name, bulk.reform(move |_| role)) } }) }
                </div>
            }
            <div class="scroll" tabindex="0" role="region" aria-label="All columns">
                <table class="list-table">
                    <thead><tr>
                        <th class="tick"><span class="sr-only">{ "Choose" }</span></th><th scope="col">{ "column" }</th><th scope="col">{ "role" }</th>
                        <th scope="col" class="n">{ "distinct" }</th><th scope="col">{ "values" }</th><th scope="col">{ "hierarchy" }</th>
                    </tr></thead>
                    <tbody>{ for loaded.summary.columns.iter().zip(&loaded.setup.columns).enumerate().map(row) }</tbody>
                </table>
            </div>
        </section>
    }
}

/// That something is to be decided on a column, with the way to where that is done.
fn found(loaded: &Loaded, name: &str, show: &Callback<MouseEvent>) -> Html {
    let open = of_column(loaded, name).iter().filter(|finding| finding.open(&loaded.setup.decisions)).count() as u64;
    if open == 0 {
        return Html::default();
    }
    let words = counted(open, "finding");
    html! { <button class="open-findings" onclick={show} aria-label={format!("{words} in {name}")}>{ words }</button> }
}

fn missing(summary: &ColumnSummary) -> String {
    let kind = kind_name(summary.kind.kind);
    if summary.missing > 0 { format!("{kind}, {} missing", grouped(summary.missing)) } else { kind.to_owned() }
}

fn hierarchy(setup: &ColumnView) -> String {
    match (&setup.hierarchy, setup.role) {
        (_, Role::Identifier) => "dropped".into(),
        (Some(hierarchy), _) => {
            let levels = counted(u64::from(hierarchy.levels.saturating_sub(1)), "level");
            let limits = if hierarchy.limits > 0 {
                format!(" · {}", counted(u64::from(hierarchy.limits), "limit"))
            } else {
                String::new()
            };
            let lacking = if hierarchy.lacking > 0 { " · incomplete" } else { "" };
            format!("{levels}{limits}{lacking}")
        }
        (None, Role::Quasi) => "keep or *".into(),
        (None, _) => String::new(),
    }
}
