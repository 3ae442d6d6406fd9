//! Classes × values of a sensitive column as a heat map of any length: only the classes in sight exist. A class is opened
//! by click or Enter; the arrow keys go from one to the next.

use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::audit::{ClassRow, ClassesPage};
use crate::words::{grouped, percent};

/// Pages that arrived, by their first class.
pub type Pages = BTreeMap<u64, Rc<ClassesPage>>;

/// What a row of the table is high, with the space to the next.
const ROW: f64 = 23.0;
/// Rows drawn beyond the edges, so that a small move shows nothing new.
const MARGIN: u64 = 6;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// The page that says what the columns are.
    pub head: Rc<ClassesPage>,
    pub pages: Rc<Pages>,
    /// Classes of a page, and as many as are drawn.
    pub page: u64,
    pub most: u64,
    pub chosen: Option<u32>,
    pub onchoose: Callback<(Rc<ClassesPage>, usize)>,
    /// The classes that are in sight now, from and to.
    pub onsight: Callback<(u64, u64)>,
}

/// A table, not a picture: rows are classes, so that screen readers and keys have the same as the eye.
#[component]
pub fn HeatMap(Props { title, head, pages, page, most, chosen, onchoose, onsight }: &Props) -> Html {
    let scroller = use_node_ref();
    // How far it is scrolled, and its height.
    let window = use_state(|| (0.0, 420.0));
    let measure = {
        let (scroller, window) = (scroller.clone(), window.clone());
        Callback::from(move |()| {
            if let Some(element) = scroller.cast::<HtmlElement>() {
                let now = (f64::from(element.scroll_top()), f64::from(element.client_height()));
                if now != *window {
                    window.set(now);
                }
            }
        })
    };
    {
        let measure = measure.clone();
        use_effect(move || measure.emit(()));
    }
    {
        // Another order starts at the top.
        let scroller = scroller.clone();
        use_effect_with(head.clone(), move |_| {
            if let Some(element) = scroller.cast::<Element>() {
                element.set_scroll_top(0);
            }
        });
    }
    let total = head.total.min(*most);
    let first = ((window.0 / ROW) as u64).saturating_sub(MARGIN).min(total);
    let last = (((window.0 + window.1) / ROW) as u64 + MARGIN).min(total);
    {
        let onsight = onsight.clone();
        use_effect_with((first, last, head.clone()), move |&(first, last, _)| onsight.emit((first, last)));
    }
    let others = head.others > 0;
    let cell = |count: u32, size: u32, name: &str| {
        let share = f64::from(count) / f64::from(size.max(1));
        // Five steps are told apart at a glance; a share above 95 % has its own.
        let step = match share {
            0.0 => "s0",
            share if share < 0.1 => "s1",
            share if share < 0.25 => "s2",
            share if share < 0.5 => "s3",
            share if share < 0.95 => "s4",
            _ => "s5",
        };
        html! { <td class={step} title={format!("{name}: {} ({})", grouped(count.into()), percent(share))}>{ if count > 0 { grouped(count.into()) } else { String::new() } }</td> }
    };
    let row = |place: u64, of: &Rc<ClassesPage>, at: usize, row: &ClassRow| {
        let on = *chosen == Some(row.class);
        let shown = if row.cells.is_empty() { "all rows".to_owned() } else { row.cells.join(", ") };
        let counts = row.counts.iter().zip(&head.values).map(|(&count, value)| cell(count, row.size, &value.value));
        let open = {
            let of = of.clone();
            onchoose.reform(move |_: MouseEvent| (of.clone(), at))
        };
        html! {
            <tr key={place} class={classes!(on.then_some("on"))} aria-rowindex={(place + 2).to_string()}>
                <th scope="row"><button class="link" aria-pressed={on.to_string()} title={shown.clone()} onclick={open}>{ shown.clone() }</button></th>
                <td class="n">{ grouped(row.size.into()) }</td>
                { for counts }
                if others { { cell(row.others, row.size, "other values") } }
            </tr>
        }
    };
    let line = |place: u64| {
        let found = pages.get(&(place / page * page));
        let at = (place % page) as usize;
        match found.and_then(|of| Some((of, of.rows.get(at)?))) {
            Some((of, found)) => row(place, of, at, found),
            None => {
                html! { <tr key={place} aria-rowindex={(place + 2).to_string()}><th class="waiting">{ "…" }</th></tr> }
            }
        }
    };
    let space = format!("padding:{}px 0 {}px", first as f64 * ROW, (total - last) as f64 * ROW);
    html! {
        <div class="scroll heat" ref={scroller} tabindex="0" role="region" aria-label={title.clone()} onscroll={measure.reform(|_| ())} {onkeydown}>
            <div style={space}>
                <table aria-rowcount={(total + 1).to_string()}>
                    <thead><tr aria-rowindex="1">
                        <th scope="col">{ "class" }</th><th scope="col" class="n">{ "rows" }</th>
                        { for head.values.iter().map(|value| html! { <th scope="col" class="value" title={value.value.clone()}><span>{ &value.value }</span></th> }) }
                        if others { <th scope="col" class="value"><span>{ "others" }</span></th> }
                    </tr></thead>
                    <tbody>{ for (first..last).map(line) }</tbody>
                </table>
            </div>
        </div>
    }
}

/// Up and down from a class to the next.
fn onkeydown(event: KeyboardEvent) {
    let Some(row) = event.target_dyn_into::<Element>().and_then(|at| at.closest("tbody tr").ok()?) else { return };
    let next = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        _ => return,
    };
    event.prevent_default();
    if let Some(button) = next.and_then(|next| next.query_selector("button").ok()?) {
        let _ = button.unchecked_into::<HtmlElement>().focus();
    }
}
