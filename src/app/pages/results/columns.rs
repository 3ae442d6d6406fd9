//! What became of each column: what it held and what is seen instead, and how far values went up its hierarchy.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::PartProps;
use super::spread::SpreadPanel;
use crate::app::charts::ShareChart;
use crate::app::components::{option, says};
use crate::app::pages::{role_class, role_name};
use crate::app::state::{Loaded, Ran};
use crate::app::use_handle;
use crate::audit::{Bar, ColumnChange, Side};
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::{counted, grouped, percent};

#[component]
pub fn ColumnsPart(PartProps { loaded, run }: &PartProps) -> Html {
    let handle = use_handle();
    let chosen = use_state(|| first(loaded, run));
    let column = (*chosen).min(run.columns.len().saturating_sub(1));
    let found = use_state(|| None::<Box<ColumnChange>>);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((column, run.number), move |&(column, _)| {
            let call = client.request(Request::ColumnChange { column: column as u32 }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::ColumnChange(change)) = call.outcome().await {
                    found.set(Some(change));
                }
            });
        });
    }
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            chosen.set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
        })
    };
    let option = |(place, summary): (usize, &crate::table::ColumnSummary)| option(place == column, &summary.name);
    let Some(view) = run.columns.get(column) else { return Html::default() };
    html! {
        <>
            <p class="fields"><label class="field">{ "Column" }<select aria-label="Column" onchange={choose}>{ for loaded.summary.columns.iter().enumerate().map(option) }</select></label>
                <span class={classes!("role", role_class(view.role))}>{ role_name(view.role) }</span>
                if let Some(change) = &*found { <span class="soft">{ words(change) }</span> }</p>
            <div class={classes!("columns-part", (view.role == Role::Quasi).then_some("with-spread"))}>
                if let Some(change) = &*found { { drawn(change) } }
                if view.role == Role::Quasi { <SpreadPanel run={run.clone()} {column} /> }
            </div>
        </>
    }
}

/// The column that gave up most is the one to look at first.
fn first(loaded: &Loaded, run: &Ran) -> usize {
    let loss = |place: &usize| {
        let name = &loaded.summary.columns[*place].name;
        run.view.metrics.columns.iter().find(|column| column.column == *name).map_or(-1.0, |column| column.loss)
    };
    (0..run.columns.len()).rev().max_by(|one, other| loss(one).total_cmp(&loss(other))).unwrap_or(0)
}

fn words(change: &ColumnChange) -> String {
    if change.role == Role::Identifier {
        return "Identifiers are removed: nothing of this column is in the release.".into();
    }
    let share = change.changed as f64 / change.rows_after.max(1) as f64;
    let seen = format!(
        "{} before, {} after",
        counted(change.distinct_before, "different value"),
        grouped(change.distinct_after)
    );
    match change.changed {
        0 => format!("{seen}; every released cell is as it was."),
        changed => format!(
            "{seen}; {} of {} show something coarser ({}).",
            grouped(changed),
            counted(change.rows_after, "released cell"),
            percent(share)
        ),
    }
}

fn drawn(change: &ColumnChange) -> Html {
    // The other figure of a bar is of the other table.
    let bars = |side: &Side, rows: u64, other_rows: u64| -> Vec<(AttrValue, f64, f64)> {
        let share = |part: f64, of: u64| part / of.max(1) as f64;
        let bar = |bar: &Bar| (bar.label.clone().into(), share(bar.rows as f64, rows), share(bar.other, other_rows));
        side.bars.iter().map(bar).collect()
    };
    let panel = |head: &str, title: String, rows: u64, bars, names, side: &Side| {
        html! {
            <section class="panel"><h2>{ head }{ " " }<span class="faint">{ counted(rows, "row") }</span></h2>
                <ShareChart {title} rows={bars} {names} />
                if side.others.0 > 0 { { says("faint", &format!("and {} with {} in all", counted(side.others.0, "more value"), counted(side.others.1, "row"))) } }
            </section>
        }
    };
    let (name, rows_before, rows_after) = (&change.column, change.rows_before, change.rows_after);
    let recoded = change.changed > 0 || change.role == Role::Quasi;
    let before = bars(&change.before, rows_before, rows_after);
    let after = bars(&change.after, rows_after, rows_before);
    let expected = recoded.then_some("as the release tells it");
    html! {
        <>
            if recoded || change.role == Role::Identifier {
                { panel("Before", format!("{name} before"), rows_before, before, ("before", expected), &change.before) }
            }
            if recoded {
                { panel("After", format!("{name} after"), rows_after, after, ("released as this", None), &change.after) }
                <p class="soft wide">{ "As the release tells it: each released cell’s rows shared evenly by the values it stands for." }</p>
            } else if change.role != Role::Identifier {
                { panel("Before and after", format!("{name} before and after"), rows_after, after, ("after", Some("before")), &change.after) }
            }
        </>
    }
}
