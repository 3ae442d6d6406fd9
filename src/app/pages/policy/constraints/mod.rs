//! Diversity constraints: groups that must stay visible, as lines of text or as a form, reasoned about as they are typed.

mod form;
mod generate;
mod line;
mod verdict;

use std::ops::Range;

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::app::charts::{ConstraintGraph, Edge, MOST_NAMED, Node, circle};
use crate::app::components::{button, says};
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::browser::clipboard;
use crate::constraints::view::{Conflict, Contradiction};
use crate::constraints::{ConstraintsView, parse};
use crate::policy::Edit;
use crate::protocol::{Request, Response};
use crate::table::{ColumnSummary, Role, ValueCount};
use crate::words::percent;
use generate::Generate;
use line::Line;
use verdict::verdict;

/// Milliseconds of silence before what was typed is reasoned about.
const SILENCE: u32 = 150;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
}

/// Keeps the state informed of what is known of the constraints while they are looked at.
#[hook]
pub fn use_review(loaded: &Loaded) {
    let handle = use_handle();
    let known = loaded.review.as_ref().is_some_and(|(revision, _)| *revision == loaded.revision);
    let asked = Some(loaded.setup.diversity.clone()).filter(|lines| !known && !lines.is_empty());
    use_effect_with((asked, loaded.revision), move |(asked, revision)| {
        let revision = *revision;
        let waiting = asked.clone().map(|lines| {
            Timeout::new(SILENCE, move || {
                let call = handle.client.request(Request::Constraints { lines, faultless: false }, &[], |_, _| {});
                wasm_bindgen_futures::spawn_local(async move {
                    if let Ok(Response::Constraints(view)) = call.outcome().await {
                        handle.send.emit(Message::Reviewed { revision, view });
                    }
                });
            })
        });
        move || drop(waiting)
    });
}

#[component]
pub fn Constraints(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    use_review(loaded);
    let lines = loaded.setup.diversity.clone();
    let form = use_state(|| false);
    let copied = use_state(|| false);
    let section = use_node_ref();
    // The line whose field gets the focus as soon as it is there.
    let wanted = use_mut_ref(|| None::<usize>);
    {
        let (copied, section, wanted) = (copied.clone(), section.clone(), wanted.clone());
        use_effect_with(lines.clone(), move |_| {
            copied.set(false);
            if let (Some(place), Some(section)) = (wanted.take(), section.cast::<Element>()) {
                let field = format!("li:nth-child({}) :is(input, select), .add", place + 1);
                focus(section.query_selector(&field).ok().flatten());
            }
        });
    }
    let set = handle.send.reform(|(lines, typing)| Message::Edit(Edit::Diversity { lines, typing }));
    // Puts lines in the place of others, and the focus on the last of them or on what comes after.
    let replace = {
        let (lines, set) = (lines.clone(), set.clone());
        move |places: Range<usize>, with: Vec<String>, typing: bool| {
            if with.len() != places.len() {
                let left = lines.len() + with.len() - places.len();
                *wanted.borrow_mut() = Some((places.start + with.len().saturating_sub(1)).min(left.saturating_sub(1)));
            }
            let mut lines = lines.clone();
            lines.splice(places, with);
            set.emit((lines, typing));
        }
    };
    let add = {
        let (replace, end) = (replace.clone(), lines.len());
        Callback::from(move |more: Vec<String>| replace(end..end, more, false))
    };
    let next = starter(loaded);
    let view = loaded.review.as_ref().map(|(_, view)| view).filter(|_| !lines.is_empty());
    let line = |(place, text): (usize, &String)| {
        let onchange = {
            let replace = replace.clone();
            Callback::from(move |(with, typing): (Vec<String>, bool)| replace(place..place + 1, with, typing))
        };
        let onnext = {
            let (replace, next) = (replace.clone(), next.clone());
            Callback::from(move |()| replace(place + 1..place + 1, vec![next.clone()], false))
        };
        // What is known of the line as it is, not of what stood there before.
        let known = view.and_then(|view| view.lines.get(place)).filter(|known| known.text == *text).cloned();
        let against = known.as_ref().and_then(|known| {
            let contradiction = known.constraint.as_ref()?.contradiction?;
            view?.contradictions.get(contradiction).map(|contradiction| contradiction.lines.clone())
        });
        html! { <Line key={format!("{place} of {}", loaded.generation)} {place} text={text.clone()} view={known} {against} k={view.map_or(1, |view| view.k)} form={*form} loaded={loaded.clone()} {onchange} {onnext} /> }
    };
    // What was said of other lines is shown, so that nothing jumps while a line is typed, but can't be used.
    let inert = loaded.reviewed().is_none();
    let toggle = {
        let form = form.clone();
        Callback::from(move |_: MouseEvent| form.set(!*form))
    };
    let example = next.clone();
    html! {
        <section class="panel constraints" ref={section}>
            <div class="with-button"><h2>{ "Groups that must stay visible" }</h2>
                if !lines.is_empty() { <button class="btn small" aria-pressed={form.to_string()} onclick={toggle}>{ if *form { "As text" } else { "As a form" } }</button> }</div>
            if lines.is_empty() {
                <p class="soft">{ "A diversity constraint says how many rows of the release must still show certain values, so that no group disappears; the algorithm DIVA keeps it. One for this table: " }<code>{ example }</code></p>
            }
            <div class="beside-graph">
                <div>
                    <ol class="lines">{ for lines.iter().enumerate().map(line) }</ol>
                    <p class="fields"><button class="btn small add" onclick={add.reform(move |_: MouseEvent| vec![next.clone()])}>{ "Add a constraint" }</button></p>
                    if let Some(view) = view { <div {inert}>{ verdict(view, &set) }</div> }
                </div>
                if let Some(view) = view.filter(|view| !view.conflicts.is_empty()) { <aside {inert}>{ conflicts(view) }</aside> }
            </div>
            if let Some(view) = view {
                <details class="more" {inert}><summary>{ "Check them in a database" }</summary>
                    <p class="soft">{ "The table " }<code>{ "release" }</code>{ " is what you export; every line of the result must say that it holds. For DuckDB, PostgreSQL and SQLite:" }</p>
                    <pre class="sql" tabindex="0">{ &view.sql }</pre>
                    <p class="fields">
                        { button("btn small", "Copy", copy(&view.sql, &copied)) }
                        { button("btn small", "Copy for Spark SQL", copy(&view.spark_sql, &copied)) }
                        <span class="soft" role="status">{ if *copied { "Copied." } else { "" } }</span>
                    </p>
                </details>
            }
            <Generate loaded={loaded.clone()} onadd={add} />
        </section>
    }
}

/// Puts the focus on a field, its text selected.
fn focus(field: Option<Element>) {
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) else { return };
    let _ = field.focus();
    if let Some(field) = field.dyn_ref::<HtmlInputElement>() {
        field.select();
    }
}

/// Which lines share rows, as a picture: the more, the stronger the connection.
fn conflicts(view: &ConstraintsView) -> Html {
    let line = |place: usize| view.lines[place].text.clone();
    let contradict = |wanted: &[usize]| {
        let all = |contradiction: &Contradiction| wanted.iter().all(|line| contradiction.lines.contains(line));
        view.contradictions.iter().any(all).then_some("bad")
    };
    let drawn = (0..view.lines.len())
        .filter(|&place| view.lines[place].constraint.is_some() && view.lines[place].same_as.is_none());
    let node = |place: usize| Node { line: line(place), place, class: contradict(&[place]) };
    let shared: Vec<&Conflict> = view.conflicts.iter().filter(|conflict| conflict.rate > 0.0).collect();
    let many = view.lines.len() > MOST_NAMED;
    let strong = shared.iter().filter(|conflict| !many || conflict.rate >= 0.05);
    let edge = |&&Conflict { one, other, rate }: &&Conflict| Edge {
        between: (one, other),
        width: 1.0 + 7.0 * rate,
        title: format!("{} and {}: {} shared", line(one), line(other), percent(rate)),
        class: contradict(&[one, other]),
    };
    let row = |conflict: &&Conflict| vec![line(conflict.one), line(conflict.other), percent(conflict.rate)];
    let words = match (shared.is_empty(), view.contradictions.is_empty()) {
        (true, _) => "No two of them share a row: each can be kept by itself.".to_owned(),
        (false, consistent) => format!(
            "Numbers are lines; a thicker connection shares more rows{}.{}",
            if many { "; less than 5 % is not drawn" } else { "" },
            if consistent { "" } else { " Red ones contradict each other." }
        ),
    };
    let svg = circle(&drawn.map(node).collect::<Vec<_>>(), &strong.map(edge).collect::<Vec<_>>());
    html! {
        <>
            <h3>{ "Conflict graph" }</h3>
            { says("faint", &format!("cf(Σ) = {}: the share of rows they speak of that several of them need.", percent(view.conflict))) }
            <ConstraintGraph title="Which constraints share rows" {words} {svg} rows={shared.iter().map(row).collect::<Vec<_>>()} />
        </>
    }
}

fn copy(text: &str, copied: &UseStateHandle<bool>) -> Callback<MouseEvent> {
    let (text, copied) = (text.to_owned(), copied.clone());
    Callback::from(move |_| {
        clipboard::copy(&text);
        copied.set(true);
    })
}

/// A line that is not there yet: half of the rows of a frequent value of a quasi-identifier.
fn starter(loaded: &Loaded) -> String {
    let columns = loaded.summary.columns.iter().zip(&loaded.setup.columns);
    let text = |(column, value): (&ColumnSummary, &ValueCount)| {
        parse::text([(column.name.as_str(), value.value.as_str())], value.count / 2, None)
    };
    let values = columns
        .filter(|(_, setup)| setup.role == Role::Quasi)
        .flat_map(|(column, _)| column.top.iter().map(move |value| (column, value)));
    values.map(text).find(|line| !loaded.setup.diversity.contains(line)).unwrap_or_default()
}
