//! Constraints by the paper's three recipes, made from the table, looked at before they are taken.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::{button, option, says};
use crate::app::state::Loaded;
use crate::app::use_handle;
use crate::constraints::generate::{Class, Wish};
use crate::constraints::parse;
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::{counted, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub onadd: Callback<Vec<String>>,
}

/// The recipes, with what they make of the U rows that are expected to be released as they are.
const CLASSES: [(Class, &str); 3] = [
    (Class::Proportion, "as large a share of U as of the table"),
    (Class::Average, "an equal part of U"),
    (Class::Minimum, "one row; one value may show the rest of U"),
];

/// Lines shown of a preview.
const SHOWN: usize = 12;

#[component]
pub fn Generate(Props { loaded, onadd }: &Props) -> Html {
    let handle = use_handle();
    let class = use_state(|| 0usize);
    // Places among the quasi-identifiers; none is each by itself.
    let columns = use_state(Vec::<usize>::new);
    let count = use_state(|| 5u32);
    let seed = use_state(|| 1u64);
    let made = use_state(|| None::<Result<Vec<String>, String>>);
    let quasi: Vec<usize> =
        (0..loaded.setup.columns.len()).filter(|&place| loaded.setup.columns[place].role == Role::Quasi).collect();
    if quasi.is_empty() {
        return Html::default();
    }
    let draw = |next: u64| {
        let (client, made, seed) = (handle.client.clone(), made.clone(), seed.clone());
        let on: Vec<u32> = columns.iter().filter_map(|&place| quasi.get(place)).map(|&place| place as u32).collect();
        let on = if on.is_empty() { Vec::new() } else { vec![on] };
        let wish = Wish { class: CLASSES[*class].0, on, count: Some(*count), seed: next, k: 0 };
        Callback::from(move |_: MouseEvent| {
            seed.set(next);
            let request = Request::GenerateConstraints { wish: wish.clone() };
            let (call, made) = (client.request(request, &[], |_, _| {}), made.clone());
            wasm_bindgen_futures::spawn_local(async move {
                made.set(match call.outcome().await {
                    Ok(Response::Lines(lines)) => Some(Ok(lines)),
                    Ok(_) => None,
                    Err(failure) => Some(Err(format!("{} {}", failure.what, failure.next))),
                });
            });
        })
    };
    let select = |set: Box<dyn Fn(usize)>| {
        let made = made.clone();
        Callback::from(move |event: Event| {
            set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
            made.set(None);
        })
    };
    let onclass = {
        let class = class.clone();
        select(Box::new(move |choice| class.set(choice)))
    };
    // One menu more than there are columns, to choose another.
    let column = |at: usize| {
        let chosen = columns.get(at).copied();
        let onchange = {
            let columns = columns.clone();
            select(Box::new(move |choice| {
                let mut next = columns[..at].to_vec();
                if let Some(place) = choice.checked_sub(1) {
                    next.push(place);
                    next.extend(columns.iter().skip(at + 1));
                }
                columns.set(next);
            }))
        };
        let (label, none) = if at == 0 { ("for values of", "every column") } else { ("and of", "no other") };
        html! { <label key={at} class="field">{ label }<select {onchange}>{ option(chosen.is_none(), none) }{ for quasi.iter().enumerate().map(|(place, &column)| option(chosen == Some(place), &loaded.summary.columns[column].name)) }</select></label> }
    };
    let oncount = {
        let (count, made) = (count.clone(), made.clone());
        Callback::from(move |event: Event| {
            count.set(event.target_unchecked_into::<HtmlInputElement>().value_as_number().clamp(1.0, 200.0) as u32);
            made.set(None);
        })
    };
    let take = |lines: &Vec<String>| {
        let (lines, onadd, made) = (lines.clone(), onadd.clone(), made.clone());
        Callback::from(move |_: MouseEvent| {
            onadd.emit(lines.clone());
            made.set(None);
        })
    };
    let (rows, kinds) = (loaded.setup.risk.rows, loaded.setup.risk.classes);
    html! {
        <details class="more"><summary>{ "Make some from the table" }</summary>
            { says("soft", &format!("The paper's recipes divide U = |R| − |Π_QI(R)| = {} rows, as many as repeat others, among the values: each gets a lower and an upper bound, and with k no bound between 0 and k.", grouped(rows - kinds))) }
            if rows == kinds { { says("note warn", "Every row is unique: the recipes ask for nothing, and even forbid to show values.") } }
            <p class="fields">
                <label class="field">{ "each value gets" }<select onchange={onclass}>{ for CLASSES.iter().enumerate().map(|(place, (class_of, words))| option(place == *class, &format!("{words} ({})", class_of.name()))) }</select></label>
                { for (0..=columns.len().min(quasi.len() - 1)).map(column) }
                <label class="field">{ "at most" }<input type="number" min="1" max="200" value={count.to_string()} onchange={oncount} />{ "constraints" }</label>
                { button("btn small", "Preview", draw(*seed)) }
            </p>
            {
                match &*made {
                    None => Html::default(),
                    Some(Err(words)) => html! { <p class="note warn">{ words }</p> },
                    Some(Ok(lines)) if lines.is_empty() => says("note warn", "No value has enough rows for k."),
                    Some(Ok(lines)) => html! {
                        <>
                            <pre class="sql" tabindex="0">{ lines.iter().take(SHOWN).map(|line| format!("{line}{}", today(loaded, line))).collect::<Vec<_>>().join("\n") }{ if lines.len() > SHOWN { format!("\n… {} more", lines.len() - SHOWN) } else { String::new() } }</pre>
                            <p class="fields"><button class="btn small p" onclick={take(lines)}>{ format!("Add {}", if lines.len() == 1 { "it".to_owned() } else { format!("these {}", counted(lines.len() as u64, "line")) }) }</button>
                                { button("btn small", "Another draw", draw(*seed + 1)) }</p>
                        </>
                    },
                }
            }
        </details>
    }
}

/// How many rows a frequent value has now.
fn today(loaded: &Loaded, line: &str) -> String {
    let statement = parse::parse(line).ok().filter(|statement| statement.parts.len() == 1);
    let rows = statement.and_then(|statement| {
        let (name, shown) = &statement.parts[0];
        let column = loaded.summary.columns.iter().find(|column| column.name == name.text)?;
        column.top.iter().find(|value| value.value == shown.text).map(|value| value.count)
    });
    rows.map_or_else(String::new, |rows| format!("   ({} today)", counted(rows, "row")))
}
