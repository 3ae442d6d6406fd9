//! The classes as a heat map of any length, the worst first, and one of them opened.

use std::collections::BTreeMap;
use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::charts::{HeatMap, Pages, ShareChart};
use crate::app::components::{option, says};
use crate::app::use_handle;
use crate::audit::{ClassOrder, ClassRow, ClassesPage, Listing};
use crate::protocol::{ClassRows, Request, Response, Subject};
use crate::sorting::Sorting;
use crate::words::{counted, figure, grouped};

/// Classes of one request.
const PAGE: u32 = 100;
/// Pages kept; others are asked for again.
const KEPT: usize = 24;
/// More are not scrolled through: browsers draw nothing that is so tall.
const MOST: u64 = 400_000;

const ORDERS: [(ClassOrder, &str); 5] = [
    (ClassOrder::LeastDiverse, "least diverse first"),
    (ClassOrder::LargestShare, "most one-sided first"),
    (ClassOrder::Smallest, "smallest first"),
    (ClassOrder::Largest, "largest first"),
    (ClassOrder::LeastRoom, "least room first"),
];

#[derive(Properties, PartialEq)]
pub struct Props {
    pub column: u32,
    pub name: String,
    pub revision: u32,
    /// What stands beside the opened class.
    pub children: Children,
}

/// The classes of the table as it is.
#[component]
pub fn Classes(Props { column, name, revision, children }: &Props) -> Html {
    let open = use_state(|| None::<(Rc<ClassesPage>, usize)>);
    let row = open.as_ref().and_then(|(page, at)| Some((page, page.rows.get(*at)?)));
    let onchoose = {
        let open = open.clone();
        Callback::from(move |found| open.set(Some(found)))
    };
    html! {
        <>
            <ClassHeat of={Subject::Table} column={*column} name={name.clone()} revision={*revision} chosen={row.map(|(_, row)| row.class)} {onchoose} />
            <div class="row c2">
                if let Some((page, row)) = row { { one_class(page, row) } }
                { for children.iter() }
            </div>
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct HeatProps {
    pub of: Subject,
    pub column: u32,
    pub name: String,
    pub revision: u32,
    pub chosen: Option<u32>,
    /// A class was chosen: a place on a page. The first one is when classes arrive.
    pub onchoose: Callback<(Rc<ClassesPage>, usize)>,
}

/// What the pages belong to: another order, column or table makes them worthless.
type Key = (Subject, u32, u32, usize, bool);

/// All classes as a heat map, in an order, of a release also those just above the line.
#[component]
pub fn ClassHeat(HeatProps { of, column, name, revision, chosen, onchoose }: &HeatProps) -> Html {
    let handle = use_handle();
    let order = use_state(|| 0usize);
    let near = use_state(|| false);
    let pages = use_state(|| Rc::new(Pages::new()));
    let head = use_state(|| None::<Rc<ClassesPage>>);
    let asked = use_mut_ref(BTreeMap::<u64, Key>::new);
    // What arrived, as it is now: the state of a render may be older.
    let arrived = use_mut_ref(Pages::new);
    let key: Key = (*of, *column, *revision, *order, *near);
    let fetch = {
        let (client, pages, head) = (handle.client.clone(), pages.clone(), head.clone());
        let (asked, arrived, onchoose) = (asked.clone(), arrived.clone(), onchoose.clone());
        Callback::from(move |first: u64| {
            if asked.borrow().get(&first) == Some(&key) {
                return;
            }
            asked.borrow_mut().insert(first, key);
            let (of, column, _, order, near) = key;
            let listing = Listing { order: ORDERS[order].0, near, first, count: PAGE };
            let call = client.request(Request::Classes { of, column, listing }, &[], |_, _| {});
            let (pages, head, asked, arrived) = (pages.clone(), head.clone(), asked.clone(), arrived.clone());
            let onchoose = onchoose.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let answer = call.outcome().await;
                // A page of an order that was left meanwhile.
                if asked.borrow().get(&first) != Some(&key) {
                    return;
                }
                let Ok(Response::Classes(page)) = answer else {
                    asked.borrow_mut().remove(&first);
                    return;
                };
                let page = Rc::new(page);
                let mut arrived = arrived.borrow_mut();
                if first == 0 {
                    // What came before it is of another order, or will be asked for again.
                    arrived.clear();
                    asked.borrow_mut().retain(|&other, _| other == 0);
                    head.set(Some(page.clone()));
                    if !page.rows.is_empty() {
                        onchoose.emit((page.clone(), 0));
                    }
                }
                arrived.insert(first, page);
                while arrived.len() > KEPT {
                    let Some(farthest) =
                        arrived.keys().copied().filter(|&other| other > 0).max_by_key(|other| other.abs_diff(first))
                    else {
                        break;
                    };
                    arrived.remove(&farthest);
                    asked.borrow_mut().remove(&farthest);
                }
                pages.set(Rc::new(arrived.clone()));
            });
        })
    };
    {
        let (fetch, asked) = (fetch.clone(), asked.clone());
        use_effect_with(key, move |_| {
            asked.borrow_mut().clear();
            fetch.emit(0);
        });
    }
    let onsight = Callback::from(move |(first, last): (u64, u64)| {
        let page = u64::from(PAGE);
        (first / page..=last.saturating_sub(1).max(first) / page).for_each(|number| fetch.emit(number * page));
    });
    let reorder = {
        let order = order.clone();
        Callback::from(move |event: Event| {
            let place = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            order.set(place.min(ORDERS.len() - 1));
        })
    };
    let narrow = {
        let near = near.clone();
        Callback::from(move |event: Event| near.set(event.target_unchecked_into::<HtmlInputElement>().checked()))
    };
    let Some(shown) = &*head else { return html! { <section class="panel heat-panel" /> } };
    let of_release = *of != Subject::Table;
    let orders = if of_release { &ORDERS[..] } else { &ORDERS[..4] };
    let total = match shown.total {
        total if *near => format!("{} just above the line", grouped(total)),
        total if total > MOST => format!("{}, the first {} to scroll through", grouped(total), grouped(MOST)),
        total => grouped(total),
    };
    html! {
        <section class="panel heat-panel">
            <div class="with-button">
                <h2>{ format!("Classes × {name}") }{ " " }<span class="faint">{ total }</span></h2>
                <span class="fields">
                    if of_release {
                        <label class="field" title="Classes that keep some demand of the policy with at most a tenth of its bound to spare"><input type="checkbox" checked={*near} onchange={narrow} />{ "just above the line" }</label>
                    }
                    <select class="small" onchange={reorder} aria-label="Order of the classes">
                        { for orders.iter().enumerate().map(|(place, (_, words))| option(place == *order, words)) }
                    </select>
                </span>
            </div>
            if shown.total == 0 {
                { says("faint", "No class is within a tenth of a bound.") }
            } else {
                <HeatMap title={format!("Classes by {name}")} head={shown.clone()} pages={(*pages).clone()} page={u64::from(PAGE)} most={MOST} chosen={*chosen} onchoose={onchoose.clone()} {onsight} />
            }
        </section>
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
pub struct RowsProps {
    pub class: u32,
    pub revision: u32,
}

/// The rows of a class of a release, what they were and what they show.
#[component]
pub fn OneClassRows(RowsProps { class, revision }: &RowsProps) -> Html {
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
