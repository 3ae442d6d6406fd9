//! The table itself, with its headings: sort, filter, jump, and a summary of each column.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::{ColumnHead, Spark, VirtualTable, option};
use crate::app::pages::{kind_name, role_class, role_name};
use crate::app::state::Loaded;
use crate::setup_view::ColumnView;
use crate::table::{ColumnSummary, Filter, Sort, View};
use crate::words::{counted, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
}

#[component]
pub fn TableView(Props { loaded }: &Props) -> Html {
    let view = use_state(View::default);
    let jump = use_state(|| None::<(u64, u32)>);
    let total = use_state(|| loaded.summary.rows);
    // The column whose summary is shown, and where.
    let shown = use_state(|| None::<(usize, f64, f64)>);
    {
        let (view, jump, shown) = (view.clone(), jump.clone(), shown.clone());
        use_effect_with(loaded.generation, move |_| {
            view.set(View::default());
            jump.set(None);
            shown.set(None);
        });
    }
    let sort = {
        let view = view.clone();
        Callback::from(move |column: u32| {
            let sort = match &view.sort {
                Some(sort) if sort.column == column && !sort.descending => Some(Sort { column, descending: true }),
                Some(sort) if sort.column == column => None,
                _ => Some(Sort { column, descending: false }),
            };
            view.set(View { sort, ..(*view).clone() });
        })
    };
    let show = {
        let shown = shown.clone();
        Callback::from(move |place: Option<(usize, f64, f64)>| shown.set(place))
    };
    let heads: Vec<ColumnHead> = loaded
        .summary
        .columns
        .iter()
        .zip(&loaded.setup.columns)
        .enumerate()
        .map(|(place, (summary, setup))| head(place, summary, setup, &view, &sort, &show))
        .collect();
    let on_total = {
        let total = total.clone();
        Callback::from(move |rows| total.set(rows))
    };
    html! {
        <section class="panel flush table-panel" aria-label="The table">
            <Tools summary={loaded.summary.clone()} view={view.clone()} jump={jump.clone()} total={*total} />
            <VirtualTable heads={Rc::new(heads)} rows={loaded.summary.rows} view={(*view).clone()}
                generation={loaded.generation} jump={*jump} {on_total} />
            if let Some((column, left, top)) = *shown {
                if let (Some(summary), Some(setup)) = (loaded.summary.columns.get(column), loaded.setup.columns.get(column)) {
                    { summary_card(summary, setup, loaded.summary.rows, left, top) }
                }
            }
        </section>
    }
}

/// Wide enough for the name and the usual values.
fn width(summary: &ColumnSummary) -> f64 {
    let values = summary.top.iter().map(|value| value.value.chars().count()).max().unwrap_or(0);
    let name = summary.name.chars().count() as f64 * 7.6 + 96.0;
    (values as f64 * 7.4 + 24.0).max(name).clamp(112.0, 280.0)
}

fn head(
    place: usize,
    summary: &ColumnSummary,
    setup: &ColumnView,
    view: &View,
    sort: &Callback<u32>,
    show: &Callback<Option<(usize, f64, f64)>>,
) -> ColumnHead {
    let sorted = view.sort.as_ref().filter(|sort| sort.column as usize == place);
    let arrow = match sorted {
        Some(Sort { descending: false, .. }) => " ▲",
        Some(_) => " ▼",
        None => "",
    };
    // Yew hears events at the root, so the heading is found from what was pointed at.
    let at = move |event: &Event| {
        let target = wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(event.target()?).ok()?;
        let rect = target.closest(".vt-sort").ok()??.get_bounding_client_rect();
        Some((place, rect.left(), rect.bottom()))
    };
    let enter = show.reform(move |event: MouseEvent| at(&event));
    let focus = show.reform(move |event: FocusEvent| at(&event));
    let (leave, blur) = (show.reform(|_: MouseEvent| None), show.reform(|_: FocusEvent| None));
    let label =
        format!("{} {}: {} distinct. Sort by it", summary.name, role_name(setup.role), grouped(summary.distinct));
    let html = html! {
        <button class="vt-sort" aria-label={label.clone()} onclick={sort.reform(move |_| place as u32)}
            onmouseenter={enter} onmouseleave={leave} onfocus={focus} onblur={blur}>
            <span class="vt-name">{ &summary.name }<span aria-hidden="true">{ arrow }</span></span>
            { " " }<span class={classes!("role", role_class(setup.role))}>{ role_name(setup.role) }</span>
            <Spark bars={summary.distribution.bars.clone()} width={84.0} height={16.0} label={format!("Distribution of {}", summary.name)} />
        </button>
    };
    ColumnHead { width: width(summary), label: summary.name.clone().into(), html }
}

/// What a heading tells when it is pointed at or focused.
fn summary_card(summary: &ColumnSummary, setup: &ColumnView, rows: u64, left: f64, top: f64) -> Html {
    let share = |count: u64| format!("{:.1} %", count as f64 / rows.max(1) as f64 * 100.0);
    let line = |value: &crate::table::ValueCount| {
        let text = if value.value.is_empty() { "(empty)" } else { &value.value };
        html! { <tr><th scope="row">{ text }</th><td>{ grouped(value.count) }</td><td>{ share(value.count) }</td></tr> }
    };
    let limit = web_sys::window()
        .and_then(|window| window.inner_width().ok())
        .and_then(|width| width.as_f64())
        .unwrap_or(1280.0);
    let style = format!("left:{}px;top:{}px", left.min(limit - 310.0), top + 4.0);
    html! {
        <div class="panel card-float" role="tooltip" {style}>
            <h2>{ &summary.name }</h2>
            <p>{ format!("{}, {} different, {} missing.", kind_name(summary.kind.kind), grouped(summary.distinct), grouped(summary.missing)) }</p>
            if summary.kind.ambiguous_date { <p class="warn-text">{ "Day and month could be the other way round." }</p> }
            <p>{ &setup.guess.reason }</p>
            <Spark bars={summary.distribution.bars.clone()} width={260.0} height={44.0} label="Distribution" />
            <table class="tops"><tbody>{ for summary.top.iter().map(line) }</tbody></table>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ToolsProps {
    summary: Rc<crate::protocol::Summary>,
    view: UseStateHandle<View>,
    jump: UseStateHandle<Option<(u64, u32)>>,
    total: u64,
}

#[component]
fn Tools(ToolsProps { summary, view, jump, total }: &ToolsProps) -> Html {
    let column = use_state(|| 0u32);
    let onfilter = {
        let (view, column) = (view.clone(), column.clone());
        Callback::from(move |event: InputEvent| {
            let contains = event.target_unchecked_into::<HtmlInputElement>().value();
            let filter = (!contains.is_empty()).then(|| Filter { column: *column, contains });
            view.set(View { filter, ..(*view).clone() });
        })
    };
    let oncolumn = {
        let (view, column) = (view.clone(), column.clone());
        Callback::from(move |event: Event| {
            let chosen = event.target_unchecked_into::<web_sys::HtmlSelectElement>().selected_index().max(0) as u32;
            column.set(chosen);
            if let Some(filter) = view.filter.clone() {
                view.set(View { filter: Some(Filter { column: chosen, ..filter }), ..(*view).clone() });
            }
        })
    };
    let onjump = {
        let jump = jump.clone();
        Callback::from(move |event: Event| {
            if let Ok(row) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
                jump.set(Some((row, jump.map_or(0, |(_, wish)| wish + 1))));
            }
        })
    };
    let filter = view.filter.as_ref().map(|filter| filter.contains.clone()).unwrap_or_default();
    let shown = if *total == summary.rows {
        counted(*total, "row")
    } else {
        format!("{} of {}", grouped(*total), counted(summary.rows, "row"))
    };
    html! {
        <div class="tools">
            <span>{ shown }</span>
            <span class="grow" />
            <label class="field">{ "where " }
                <select onchange={oncolumn} aria-label="Filter by column">
                    { for summary.columns.iter().enumerate().map(|(place, head)| option(place as u32 == *column, &head.name)) }
                </select>
            </label>
            <label class="field">{ "contains " }<input type="search" value={filter} oninput={onfilter} aria-label="Filter text" /></label>
            <label class="field">{ "go to row " }<input type="number" min="1" max={total.to_string()} onchange={onjump} aria-label="Go to row" /></label>
        </div>
    }
}
