//! Constraints of the paper's three classes, made from the table, looked at before they are taken.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::state::Loaded;
use crate::app::use_handle;
use crate::constraints::generate::{Class, Wish};
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub onadd: Callback<Vec<String>>,
}

const CLASSES: [(Class, &str); 3] = [
    (Class::Proportion, "as large a share as now"),
    (Class::Average, "about as many of each"),
    (Class::Minimum, "at least one of each"),
];

/// Lines shown of a preview.
const SHOWN: usize = 12;

#[component]
pub fn Generate(Props { loaded, onadd }: &Props) -> Html {
    let handle = use_handle();
    let class = use_state(|| 0usize);
    let column = use_state(|| 0usize);
    let count = use_state(|| 5u32);
    let made = use_state(|| None::<Result<Vec<String>, String>>);
    let quasi: Vec<usize> =
        (0..loaded.setup.columns.len()).filter(|&place| loaded.setup.columns[place].role == Role::Quasi).collect();
    if quasi.is_empty() {
        return Html::default();
    }
    let preview = {
        let (client, made, quasi) = (handle.client.clone(), made.clone(), quasi.clone());
        let (class, column, count) = (*class, *column, *count);
        Callback::from(move |_: MouseEvent| {
            let on = column
                .checked_sub(1)
                .and_then(|place| quasi.get(place))
                .map(|&place| vec![vec![place as u32]])
                .unwrap_or_default();
            let wish = Wish { class: CLASSES[class].0, on, count: Some(count), seed: 1, k: 0 };
            let (call, made) = (client.request(Request::GenerateConstraints { wish }, &[], |_, _| {}), made.clone());
            wasm_bindgen_futures::spawn_local(async move {
                made.set(match call.outcome().await {
                    Ok(Response::Lines(lines)) => Some(Ok(lines)),
                    Ok(_) => None,
                    Err(failure) => Some(Err(format!("{} {}", failure.what, failure.next))),
                });
            });
        })
    };
    let select = |state: &UseStateHandle<usize>| {
        let (state, made) = (state.clone(), made.clone());
        Callback::from(move |event: Event| {
            state.set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
            made.set(None);
        })
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
    html! {
        <details class="more"><summary>{ "Make some from the table" }</summary>
            <p class="fields">
                <label class="field">{ "so that there are" }<select onchange={select(&class)}>{ for CLASSES.iter().enumerate().map(|(place, (class_of, words))| html! { <option selected={place == *class}>{ format!("{words} ({})", class_of.name()) }</option> }) }</select></label>
                <label class="field">{ "for values of" }<select onchange={select(&column)}><option selected={*column == 0}>{ "every column" }</option>{ for quasi.iter().enumerate().map(|(place, &at)| html! { <option selected={place + 1 == *column}>{ &loaded.summary.columns[at].name }</option> }) }</select></label>
                <label class="field">{ "at most" }<input type="number" min="1" max="200" value={count.to_string()} onchange={oncount} />{ "constraints" }</label>
                <button class="btn small" onclick={preview}>{ "Preview" }</button>
            </p>
            {
                match &*made {
                    None => Html::default(),
                    Some(Err(words)) => html! { <p class="note warn">{ words }</p> },
                    Some(Ok(lines)) if lines.is_empty() => html! { <p class="note warn">{ "No value has enough rows for k." }</p> },
                    Some(Ok(lines)) => html! {
                        <>
                            <pre class="sql" tabindex="0">{ lines.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n") }{ if lines.len() > SHOWN { format!("\n… {} more", lines.len() - SHOWN) } else { String::new() } }</pre>
                            <p class="fields"><button class="btn small p" onclick={take(lines)}>{ format!("Add {}", if lines.len() == 1 { "it".to_owned() } else { format!("these {}", counted(lines.len() as u64, "line")) }) }</button></p>
                        </>
                    },
                }
            }
        </details>
    }
}
