//! The classes as a heat map, the worst first, and one of them opened.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::charts::{HeatMap, ShareChart};
use crate::app::use_handle;
use crate::audit::{ClassOrder, ClassRow, ClassesPage};
use crate::protocol::{ClassRows, Request, Response, Subject};
use crate::sorting::Sorting;
use crate::words::{counted, figure, grouped};

/// Classes shown at once.
const PAGE: u32 = 40;

const ORDERS: [(ClassOrder, &str); 4] = [
    (ClassOrder::LeastDiverse, "least diverse first"),
    (ClassOrder::LargestShare, "most one-sided first"),
    (ClassOrder::Smallest, "smallest first"),
    (ClassOrder::Largest, "largest first"),
];

#[derive(Properties, PartialEq)]
pub struct Props {
    #[prop_or_default]
    pub of: Subject,
    pub column: u32,
    pub name: String,
    pub revision: u32,
    /// What stands beside the opened class.
    pub children: Children,
}

#[component]
pub fn Classes(Props { of, column, name, revision, children }: &Props) -> Html {
    let handle = use_handle();
    let order = use_state(|| 0usize);
    let first = use_state(|| 0u64);
    let page = use_state(|| None::<ClassesPage>);
    let chosen = use_state(|| None::<u32>);
    {
        let (client, page) = (handle.client.clone(), page.clone());
        use_effect_with((*of, *column, *revision, *order, *first), move |&(of, column, _, order, first)| {
            let request = Request::Classes { of, column, order: ORDERS[order].0, first, count: PAGE };
            let call = client.request(request, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::Classes(classes)) = call.outcome().await {
                    page.set(Some(classes));
                }
            });
        });
    }
    let reorder = {
        let (order, first) = (order.clone(), first.clone());
        Callback::from(move |event: Event| {
            order.set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().clamp(0, 3) as usize);
            first.set(0);
        })
    };
    let Some(classes) = &*page else { return html! { <section class="panel heat-panel" /> } };
    let turn = |by: i64| {
        let first = first.clone();
        Callback::from(move |_: MouseEvent| first.set((*first).saturating_add_signed(by)))
    };
    let end = classes.first + classes.rows.len() as u64;
    let open = chosen.and_then(|class| classes.rows.iter().find(|row| row.class == class)).or(classes.rows.first());
    html! {
        <>
            <section class="panel heat-panel">
                <div class="with-button">
                    <h2>{ format!("Classes × {name}") }{ " " }<span class="faint">{ format!("{}–{} of {}", grouped(classes.first + 1), grouped(end), grouped(classes.total)) }</span></h2>
                    <span class="fields">
                        <select class="small" onchange={reorder} aria-label="Order of the classes">
                            { for ORDERS.iter().enumerate().map(|(place, (_, words))| html! { <option selected={place == *order}>{ *words }</option> }) }
                        </select>
                        <button class="btn small" disabled={classes.first == 0} onclick={turn(-i64::from(PAGE))} aria-label="Classes before">{ "‹" }</button>
                        <button class="btn small" disabled={end >= classes.total} onclick={turn(PAGE.into())} aria-label="Classes after">{ "›" }</button>
                    </span>
                </div>
                <HeatMap title={format!("Classes by {name}")} page={classes.clone()} chosen={open.map(|row| row.class)} onchoose={Callback::from(move |class| chosen.set(Some(class)))} />
            </section>
            <div class="row c2">
                if let Some(row) = open {
                    <div class="stack">
                        { one_class(classes, row) }
                        if *of == Subject::Release { <OneClassRows class={row.class} revision={*revision} /> }
                    </div>
                }
                { for children.iter() }
            </div>
        </>
    }
}

fn one_class(page: &ClassesPage, row: &ClassRow) -> Html {
    let all: u64 = page.values.iter().map(|value| value.count).sum::<u64>() + page.others;
    let share = |count: u64, of: u64| count as f64 / of.max(1) as f64;
    let mut rows: Vec<(AttrValue, f64, f64)> = page
        .values
        .iter()
        .zip(&row.counts)
        .map(|(value, &count)| {
            (value.value.clone().into(), share(count.into(), row.size.into()), share(value.count, all))
        })
        .collect();
    if page.others > 0 {
        rows.push(("other values".into(), share(row.others.into(), row.size.into()), share(page.others, all)));
    }
    rows.order_by(|one, other| other.1.total_cmp(&one.1));
    rows.truncate(8);
    let title = if row.cells.is_empty() { "All rows".to_owned() } else { row.cells.join(", ") };
    html! {
        <section class="panel">
            <h2>{ &title }</h2>
            <p>{ format!("{}, {}, as diverse as {} equally likely ones", counted(row.size.into(), "row"), counted(row.distinct.into(), "value"), figure(row.entropy_l)) }</p>
            <ShareChart title={format!("Values in the class {title}")} {rows} />
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct RowsProps {
    class: u32,
    revision: u32,
}

/// The rows of a class of a release, what they were and what they show.
#[component]
fn OneClassRows(RowsProps { class, revision }: &RowsProps) -> Html {
    let handle = use_handle();
    let found = use_state(|| None::<ClassRows>);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((*class, *revision), move |&(class, _)| {
            let call = client.request(Request::ClassRows { class }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::ClassRows(rows)) = call.outcome().await {
                    found.set(Some(rows));
                }
            });
        });
    }
    let Some(rows) = &*found else { return html! { <section class="panel" /> } };
    let cell = |(before, after): (&String, &String)| {
        if before == after {
            html! { <td>{ after }</td> }
        } else {
            html! { <td><s>{ before }</s>{ " " }<b>{ after }</b></td> }
        }
    };
    let row = |(number, before, after): &(u64, Vec<String>, Vec<String>)| {
        html! { <tr><td class="n">{ grouped(*number) }</td>{ for before.iter().zip(after).map(cell) }</tr> }
    };
    html! {
        <section class="panel">
            <h2>{ "Its rows" }{ " " }<span class="faint">{ format!("{} of {}", grouped(rows.rows.len().min(50) as u64), grouped(rows.total)) }</span></h2>
            <div class="scroll class-rows" tabindex="0" role="region" aria-label="Rows of the class">
                <table class="data"><thead><tr><th scope="col">{ "row" }</th>{ for rows.names.iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                    <tbody>{ for rows.rows.iter().take(50).map(row) }</tbody></table>
            </div>
        </section>
    }
}
