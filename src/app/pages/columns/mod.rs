//! Columns: what each is, its hierarchy, and how far it may be generalized.

mod builder;
mod hierarchy;
mod list;
mod reading;
mod tree;

use yew::prelude::*;

use crate::app::charts::LineChart;
use crate::app::components::{NoTable, button};
use crate::app::pages::findings::{Findings, of_column};
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::table::Role;
use crate::words::counted;

#[component]
pub fn ColumnsPage() -> Html {
    let handle = use_handle();
    let Some(loaded) = &handle.state.loaded else { return html! { <NoTable title="Columns" /> } };
    let column = handle.state.column.min(loaded.summary.columns.len().saturating_sub(1));
    let name = loaded.summary.columns.get(column).map_or("", |column| column.name.as_str());
    html! {
        <>
            <div class="head">
                <div><h1>{ "Columns" }</h1><p class="lead">{ lead(loaded) }</p></div>
                <span class="grow" />
                <button class="btn" disabled={!loaded.setup.can_undo && !loaded.undoes_reading()} onclick={handle.send.reform(|_| Message::Undo)} title="Ctrl+Z">{ "Undo" }</button>
                <button class="btn" disabled={!loaded.setup.can_redo} onclick={handle.send.reform(|_| Message::Redo)} title="Ctrl+Shift+Z">{ "Redo" }</button>
                { button("btn", "Save policy", handle.send.reform(|_| Message::SavePolicy)) }
            </div>
            <div class="split">
                <list::ColumnList loaded={loaded.clone()} chosen={column} />
                <div class="stack">
                    <Findings loaded={loaded.clone()} title={format!("Findings in {name}")} findings={of_column(loaded, name)} />
                    <reading::ColumnReading loaded={loaded.clone()} {column} />
                    <hierarchy::HierarchyPanel loaded={loaded.clone()} {column} />
                    <Forced loaded={loaded.clone()} />
                </div>
            </div>
        </>
    }
}

fn lead(loaded: &Loaded) -> String {
    let count = |role: Role| loaded.setup.columns.iter().filter(|column| column.role == role).count() as u64;
    let limits: u64 = loaded
        .setup
        .columns
        .iter()
        .filter_map(|column| column.hierarchy.as_ref())
        .map(|hierarchy| u64::from(hierarchy.limits))
        .sum();
    format!(
        "{}, {} sensitive, {} to drop, {} kept as they are{}.",
        counted(count(Role::Quasi), "quasi-identifier"),
        count(Role::Sensitive),
        counted(count(Role::Identifier), "identifier"),
        count(Role::Insensitive),
        if limits > 0 { format!("; {}", counted(limits, "limit")) } else { String::new() }
    )
}

#[derive(Properties, PartialEq)]
struct ForcedProps {
    loaded: Loaded,
}

/// Rows that must go whatever the algorithm, because of the limits.
#[component]
fn Forced(ForcedProps { loaded }: &ForcedProps) -> Html {
    let limited = loaded.setup.columns.iter().any(|column| {
        column.role == Role::Quasi && column.hierarchy.as_ref().is_some_and(|hierarchy| hierarchy.limits > 0)
    });
    let points = loaded
        .setup
        .forced
        .iter()
        .enumerate()
        .map(|(place, &rows)| (format!("k={}", place + 2).into(), rows))
        .collect::<Vec<_>>();
    html! {
        <section class="panel">
            <h2>{ "Rows that the limits force out" }</h2>
            if limited {
                <LineChart title="Rows that the limits force out, for each k" {points} />
            } else {
                <p>{ "None: without a limit every value may become *. Mark a group in a hierarchy to say “never beyond this”." }</p>
            }
        </section>
    }
}
