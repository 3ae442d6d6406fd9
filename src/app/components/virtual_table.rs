//! The table, of any size: only the cells in sight exist, and only the rows near them have left the worker.
//!
//! The scrolled height is capped (browsers stop at some ten million pixels), so the rows are drawn in a window that
//! stays in place and the scroll position is read as a share of the whole.

use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::app::{Handle, use_handle};
use crate::protocol::{Request, Response, RowsPage, Subject};
use crate::table::View;
use crate::words::grouped;

const ROW: f64 = 28.0;
/// Rows of one request.
const PAGE: u64 = 100;
/// Pages kept; others are asked for again.
const KEPT: usize = 24;
const HIGHEST: f64 = 8_000_000.0;
/// Columns drawn beyond the edge, so that a small move shows nothing new.
const MARGIN: usize = 2;
/// Columns of one request: blocks, so that pages can be shared while scrolling sideways.
const COLUMN_BLOCK: usize = 40;
const NUMBER_WIDTH: f64 = 68.0;

#[derive(Clone, PartialEq)]
pub struct ColumnHead {
    pub width: f64,
    pub label: AttrValue,
    pub html: Html,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    #[prop_or_default]
    pub of: Subject,
    pub heads: Rc<Vec<ColumnHead>>,
    pub rows: u64,
    pub view: View,
    /// Changes when the table does, so that no old cell is shown.
    pub generation: u32,
    /// The row to bring into sight, and a number that changes with each wish.
    pub jump: Option<(u64, u32)>,
    pub on_total: Callback<u64>,
}

#[derive(Clone, Copy, PartialEq, Default)]
struct Window {
    top: f64,
    left: f64,
    height: f64,
    width: f64,
}

/// Pages that arrived, by page of rows and block of columns.
type Pages = BTreeMap<(u64, usize), Rc<RowsPage>>;

#[component]
pub fn VirtualTable(props: &Props) -> Html {
    let handle = use_handle();
    let scroller = use_node_ref();
    let window = use_state(Window::default);
    let total = use_state(|| props.rows);
    let pages = use_mut_ref(Pages::new);
    let asked = use_mut_ref(std::collections::BTreeSet::<(u64, usize)>::new);
    let refresh = use_force_update();

    // Another table or another order: nothing that was fetched holds any more.
    let key = (props.generation, props.view.clone());
    let last_key = use_mut_ref(|| key.clone());
    let fresh = *last_key.borrow() != key;
    if fresh {
        last_key.replace(key.clone());
        pages.borrow_mut().clear();
        asked.borrow_mut().clear();
    }
    {
        let (total, rows) = (total.clone(), props.rows);
        use_effect_with((props.generation, props.view.is_plain()), move |(_, plain)| {
            if *plain {
                total.set(rows);
            }
        });
    }

    let measure = {
        let (scroller, window) = (scroller.clone(), window.clone());
        Callback::from(move |()| {
            if let Some(element) = scroller.cast::<HtmlElement>() {
                let now = Window {
                    top: f64::from(element.scroll_top()),
                    left: f64::from(element.scroll_left()),
                    height: f64::from(element.client_height()),
                    width: f64::from(element.client_width()),
                };
                if now != *window {
                    window.set(now);
                }
            }
        })
    };
    {
        // What stands above may have changed its height with any render.
        let measure = measure.clone();
        use_effect(move || measure.emit(()));
    }
    {
        let measure = measure.clone();
        use_effect_with(*window, move |_| {
            let resized = gloo::events::EventListener::new(&gloo::utils::window(), "resize", move |_| measure.emit(()));
            move || drop(resized)
        });
    }

    let total_rows = *total;
    let content = total_rows as f64 * ROW;
    let height = content.min(HIGHEST);
    let seen = (window.height - ROW * 2.0).max(0.0);
    let scrollable = (height - seen).max(1.0);
    let first_row = if content <= HIGHEST {
        window.top / ROW
    } else {
        (window.top / scrollable).min(1.0) * (total_rows as f64 - seen / ROW).max(0.0)
    };

    {
        let (scroller, jump) = (scroller.clone(), props.jump);
        use_effect_with(jump, move |jump| {
            if let (Some((row, _)), Some(element)) = (jump, scroller.cast::<Element>()) {
                let row = row.saturating_sub(1).min(total_rows.saturating_sub(1)) as f64;
                let most = (total_rows as f64 - seen / ROW).max(1.0);
                let top = if content <= HIGHEST { row * ROW } else { (row / most).min(1.0) * scrollable };
                element.set_scroll_top(top as i32);
            }
        });
    }

    let lefts = lefts(&props.heads);
    let columns = visible_columns(&lefts, window.left, window.width);
    let first = first_row.floor().max(0.0) as u64;
    let last = (first + (seen / ROW).ceil() as u64 + 2).min(total_rows);
    fetch(&handle, props, (first, last), &columns, &pages, &asked, &refresh, &total);

    let width: f64 = *lefts.last().unwrap_or(&NUMBER_WIDTH);
    let head = |column: usize| {
        let style = format!("left:{}px;width:{}px", lefts[column], props.heads[column].width);
        html! {
            <div key={column} class="vt-head" role="columnheader" aria-colindex={(column + 2).to_string()} {style}>
                { props.heads[column].html.clone() }
            </div>
        }
    };
    let pages_now = pages.borrow();
    let row = |place: u64| {
        let style = format!("transform:translateY({}px)", (place as f64 - first_row) * ROW);
        let page = |block: usize| pages_now.get(&(place / PAGE, block));
        let line = |block: usize| page(block).and_then(|page| page.rows.get((place % PAGE) as usize));
        let number =
            columns.clone().next().and_then(|column| line(column / COLUMN_BLOCK)).map(|row| grouped(row.number));
        let cell = |column: usize| {
            let style = format!("left:{}px;width:{}px", lefts[column], props.heads[column].width);
            let text = line(column / COLUMN_BLOCK).and_then(|row| row.cells.get(column % COLUMN_BLOCK).cloned());
            let class = classes!("vt-cell", text.is_none().then_some("waiting"));
            html! { <div key={column} {class} role="gridcell" aria-colindex={(column + 2).to_string()} {style}>{ text.unwrap_or_default() }</div> }
        };
        html! {
            <div key={place} class="vt-row" role="row" aria-rowindex={(place + 2).to_string()} {style}>
                <div class="vt-cell vt-number" role="rowheader" aria-colindex="1" style={format!("left:{}px", window.left)}>{ number.unwrap_or_default() }</div>
                { for columns.clone().map(cell) }
            </div>
        }
    };
    let (row_count, column_count) = ((total_rows + 1).to_string(), (props.heads.len() + 1).to_string());
    html! {
        <div class="vt" ref={scroller} onscroll={measure.reform(|_| ())} tabindex="0" role="grid" aria-label="The table"
            aria-rowcount={row_count} aria-colcount={column_count}>
            <div class="vt-heads" role="row" aria-rowindex="1" style={format!("width:{width}px")}>
                <div class="vt-head vt-number" role="columnheader" aria-colindex="1" style={format!("left:{}px", window.left)}><span class="faint">{ "row" }</span></div>
                { for columns.clone().map(head) }
            </div>
            <div role="presentation" style={format!("height:{height}px;width:{width}px")}>
                <div class="vt-window" role="presentation" style={format!("width:{width}px;height:{seen}px")}>
                    { for (first..last).map(row) }
                </div>
            </div>
        </div>
    }
}

/// Where each column starts, and where the last ends.
fn lefts(heads: &[ColumnHead]) -> Vec<f64> {
    let mut lefts = vec![NUMBER_WIDTH];
    for head in heads {
        lefts.push(lefts[lefts.len() - 1] + head.width);
    }
    lefts
}

fn visible_columns(lefts: &[f64], left: f64, width: f64) -> std::ops::Range<usize> {
    let columns = lefts.len() - 1;
    let first = lefts[1..].partition_point(|&end| end < left).saturating_sub(MARGIN);
    let last = (lefts[..columns].partition_point(|&start| start < left + width) + MARGIN).min(columns);
    first.min(last)..last
}

/// Asks for the pages in sight that are not there yet.
#[allow(clippy::too_many_arguments, reason = "all of it is the component's own state")]
fn fetch(
    handle: &Handle,
    props: &Props,
    (first, last): (u64, u64),
    columns: &std::ops::Range<usize>,
    pages: &Rc<std::cell::RefCell<Pages>>,
    asked: &Rc<std::cell::RefCell<std::collections::BTreeSet<(u64, usize)>>>,
    refresh: &UseForceUpdateHandle,
    total: &UseStateHandle<u64>,
) {
    if columns.is_empty() || (last <= first && props.view.is_plain()) {
        return;
    }
    for page in first / PAGE..=last.saturating_sub(1).max(first) / PAGE {
        for block in columns.start / COLUMN_BLOCK..=(columns.end - 1) / COLUMN_BLOCK {
            if !asked.borrow_mut().insert((page, block)) {
                continue;
            }
            let request = Request::Rows {
                of: props.of,
                view: props.view.clone(),
                first: page * PAGE,
                count: PAGE as u32,
                first_column: (block * COLUMN_BLOCK) as u32,
                columns: COLUMN_BLOCK as u32,
            };
            let call = handle.client.request(request, &[], |_, _| {});
            let (pages, asked, refresh, total) = (pages.clone(), asked.clone(), refresh.clone(), total.clone());
            let on_total = props.on_total.clone();
            spawn_local(async move {
                let Ok(Response::Rows(rows)) = call.outcome().await else {
                    asked.borrow_mut().remove(&(page, block));
                    return;
                };
                // A page of a table or an order that was left meanwhile.
                if !asked.borrow().contains(&(page, block)) {
                    return;
                }
                total.set(rows.total);
                on_total.emit(rows.total);
                let mut pages = pages.borrow_mut();
                pages.insert((page, block), Rc::new(rows));
                while pages.len() > KEPT {
                    // The page farthest from the one that just came.
                    let farthest = pages.keys().max_by_key(|(other, _)| other.abs_diff(page)).copied();
                    let Some(farthest) = farthest else { break };
                    pages.remove(&farthest);
                    asked.borrow_mut().remove(&farthest);
                }
                drop(pages);
                refresh.force_update();
            });
        }
    }
}
