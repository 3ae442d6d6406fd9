//! Diversity constraints: groups that must stay visible, as lines of text or as a form, reasoned about as they are typed.

mod generate;
mod line;
mod verdict;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::app::charts::{ConstraintGraph, Edge, Node, circle};
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::browser::clipboard;
use crate::constraints::view::{Conflict, Contradiction};
use crate::constraints::{ConstraintsView, parse};
use crate::policy::Edit;
use crate::protocol::{Request, Response};
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

#[component]
pub fn Constraints(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let lines = loaded.setup.diversity.clone();
    let view = use_state(|| None::<ConstraintsView>);
    let form = use_state(|| false);
    let copied = use_state(|| false);
    // Which question is the last: the answer to an earlier one may come later.
    let asked = use_mut_ref(|| 0u32);
    {
        let (client, view, copied, asked) = (handle.client.clone(), view.clone(), copied.clone(), asked.clone());
        use_effect_with((lines.clone(), loaded.revision, loaded.generation), move |(lines, ..)| {
            let lines = lines.clone();
            copied.set(false);
            *asked.borrow_mut() += 1;
            let number = *asked.borrow();
            let waiting = Timeout::new(SILENCE, move || {
                if lines.is_empty() {
                    return view.set(None);
                }
                let call = client.request(Request::Constraints { lines }, &[], |_, _| {});
                wasm_bindgen_futures::spawn_local(async move {
                    let answer = call.outcome().await;
                    if let (Ok(Response::Constraints(found)), true) = (answer, *asked.borrow() == number) {
                        view.set(Some(*found));
                    }
                });
            });
            move || drop(waiting)
        });
    }
    let set = handle.send.reform(|(lines, typing)| Message::Edit(Edit::Diversity { lines, typing }));
    let line = |(place, text): (usize, &String)| {
        let onchange = {
            let (lines, set) = (lines.clone(), set.clone());
            Callback::from(move |(text, typing): (String, bool)| {
                let mut lines = lines.clone();
                lines[place] = text;
                set.emit((lines, typing));
            })
        };
        let onremove = {
            let (lines, set) = (lines.clone(), set.clone());
            Callback::from(move |()| {
                let mut lines = lines.clone();
                lines.remove(place);
                set.emit((lines, false));
            })
        };
        // What is known of the line as it is, not of what stood there before.
        let known = view.as_ref().and_then(|view| view.lines.get(place)).filter(|known| known.text == *text).cloned();
        let against = known.as_ref().and_then(|known| {
            let contradiction = known.constraint.as_ref()?.contradiction?;
            view.as_ref()?.contradictions.get(contradiction).map(|contradiction| contradiction.lines.clone())
        });
        html! { <Line key={format!("{place} of {}", loaded.generation)} {place} text={text.clone()} view={known} {against} k={view.as_ref().map_or(1, |view| view.k)} form={*form} loaded={loaded.clone()} {onchange} {onremove} /> }
    };
    let add = {
        let (lines, set) = (lines.clone(), set.clone());
        Callback::from(move |more: Vec<String>| set.emit((lines.iter().cloned().chain(more).collect(), false)))
    };
    let told = view.as_ref().filter(|view| view.lines.len() == lines.len());
    let first = starter(loaded);
    let toggle = {
        let form = form.clone();
        Callback::from(move |_: MouseEvent| form.set(!*form))
    };
    html! {
        <section class="panel constraints">
            <div class="with-button"><h2>{ "Groups that must stay visible" }</h2>
                if !lines.is_empty() { <button class="btn small" aria-pressed={form.to_string()} onclick={toggle}>{ if *form { "As text" } else { "As a form" } }</button> }
                <button class="btn small" onclick={add.reform(move |_: MouseEvent| vec![first.clone()])}>{ "Add a constraint" }</button></div>
            if lines.is_empty() {
                <p class="soft">{ "A diversity constraint says how many rows of the release must still show certain values, so that no group disappears: " }<code>{ "ETH=Asian & GEN=Female: 2..5" }</code>{ ". The algorithm DIVA keeps them." }</p>
            }
            <div class="beside-graph">
                <div>
                    <ol class="lines">{ for lines.iter().enumerate().map(line) }</ol>
                    if let Some(view) = told { { verdict(view, &lines, &set) } }
                </div>
                if let Some(view) = told.filter(|view| !view.conflicts.is_empty()) { { conflicts(view, &lines) } }
            </div>
            if let Some(view) = told {
                <details class="more"><summary>{ "Check them in a database" }</summary>
                    <p class="soft">{ "The table " }<code>{ "release" }</code>{ " is what you export; every line of the result must say that it holds. For DuckDB, PostgreSQL and SQLite:" }</p>
                    <pre class="sql" tabindex="0">{ &view.sql }</pre>
                    <p class="fields">
                        <button class="btn small" onclick={copy(&view.sql, &copied)}>{ "Copy" }</button>
                        <button class="btn small" onclick={copy(&view.spark_sql, &copied)}>{ "Copy for Spark SQL" }</button>
                        <span class="soft" role="status">{ if *copied { "Copied." } else { "" } }</span>
                    </p>
                </details>
            }
            <Generate loaded={loaded.clone()} onadd={add} />
        </section>
    }
}

/// Which lines share rows, as a picture: the more, the stronger the connection.
fn conflicts(view: &ConstraintsView, lines: &[String]) -> Html {
    let contradict = |wanted: &[usize]| {
        let all = |contradiction: &Contradiction| wanted.iter().all(|line| contradiction.lines.contains(line));
        view.contradictions.iter().any(all).then_some("bad")
    };
    let drawn = (0..lines.len()).filter(|&place| view.lines[place].constraint.is_some());
    let node = |place: usize| Node { line: lines[place].clone(), place, class: contradict(&[place]) };
    let shared: Vec<&Conflict> = view.conflicts.iter().filter(|conflict| conflict.rate > 0.0).collect();
    let edge = |&&Conflict { one, other, rate }: &&Conflict| Edge {
        between: (one, other),
        width: 1.0 + 7.0 * rate,
        title: format!("{} and {}: {} shared", lines[one], lines[other], percent(rate)),
        class: contradict(&[one, other]),
    };
    let row =
        |conflict: &&Conflict| vec![lines[conflict.one].clone(), lines[conflict.other].clone(), percent(conflict.rate)];
    let words = match (shared.is_empty(), view.contradictions.is_empty()) {
        (true, _) => "No two of them share a row: each can be kept by itself.",
        (false, true) => "Numbers are lines; a thicker connection shares more rows.",
        (false, false) => "Numbers are lines; a thicker connection shares more rows. Red ones contradict each other.",
    };
    let svg = circle(&drawn.map(node).collect::<Vec<_>>(), &shared.iter().map(edge).collect::<Vec<_>>());
    html! {
        <aside>
            <h3>{ format!("{} of the rows they speak of are shared", percent(view.conflict)) }</h3>
            <ConstraintGraph title="Which constraints share rows" {words} {svg} rows={shared.iter().map(row).collect::<Vec<_>>()} />
        </aside>
    }
}

fn copy(text: &str, copied: &UseStateHandle<bool>) -> Callback<MouseEvent> {
    let (text, copied) = (text.to_owned(), copied.clone());
    Callback::from(move |_| {
        clipboard::copy(&text);
        copied.set(true);
    })
}

/// A first line about the first quasi-identifier's most frequent value.
fn starter(loaded: &Loaded) -> String {
    let quasi = loaded.setup.columns.iter().position(|column| column.role == crate::table::Role::Quasi).unwrap_or(0);
    let Some(column) = loaded.summary.columns.get(quasi) else { return String::new() };
    let value = column.top.first();
    let text = |value: &crate::table::ValueCount| {
        let parts = [(column.name.as_str(), value.value.as_str())];
        parse::text(parts, value.count / 2, None)
    };
    value.map(text).unwrap_or_default()
}
