//! Values of a column, picked from the data: chips, and a field that offers what the column has.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::use_handle;
use crate::protocol::{Request, Response};
use crate::table::ValueCount;
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub label: AttrValue,
    pub column: u32,
    pub chosen: Vec<String>,
    pub onchange: Callback<Vec<String>>,
}

#[component]
pub fn ValuePicker(props: &Props) -> Html {
    let handle = use_handle();
    let offered = use_state(Vec::<ValueCount>::new);
    let list = format!("values-{}-{}", props.column, props.label.replace(' ', "-"));
    let ask = {
        let (client, offered, column) = (handle.client.clone(), offered.clone(), props.column);
        Callback::from(move |contains: String| {
            let call = client.request(Request::Values { column, contains }, &[], |_, _| {});
            let offered = offered.clone();
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::Values(values)) = call.outcome().await {
                    offered.set(values);
                }
            });
        })
    };
    // What was typed is taken only if it is a value of the column, as the engine says: what is offered may be of an
    // earlier text.
    let take = {
        let (client, column) = (handle.client.clone(), props.column);
        let (chosen, onchange) = (props.chosen.clone(), props.onchange.clone());
        move |input: HtmlInputElement| {
            let text = input.value();
            if text.is_empty() || chosen.contains(&text) {
                return;
            }
            let call = client.request(Request::Values { column, contains: text.clone() }, &[], |_, _| {});
            let (mut chosen, onchange) = (chosen.clone(), onchange.clone());
            wasm_bindgen_futures::spawn_local(async move {
                let Ok(Response::Values(values)) = call.outcome().await else { return };
                if values.iter().any(|value| value.value == text) {
                    chosen.push(text);
                    input.set_value("");
                    onchange.emit(chosen);
                }
            });
        }
    };
    let oninput = {
        let (ask, take) = (ask.clone(), take.clone());
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            ask.emit(input.value());
            // Picked from the list; what is typed waits for Enter, because another value may begin the same.
            if event.input_type() == "insertReplacementText" {
                take(input);
            }
        })
    };
    let onchange = Callback::from(move |event: Event| take(event.target_unchecked_into()));
    let onfocus = ask.reform(|event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().value());
    let chip = |value: &String| {
        let (chosen, onchange, gone) = (props.chosen.clone(), props.onchange.clone(), value.clone());
        let remove = Callback::from(move |_: MouseEvent| {
            onchange.emit(chosen.iter().filter(|other| **other != gone).cloned().collect());
        });
        html! { <button class="chip pick" onclick={remove} aria-label={format!("{value} remove")}>{ value }{ " " }<span aria-hidden="true">{ "×" }</span></button> }
    };
    let option =
        |value: &ValueCount| html! { <option value={value.value.clone()}>{ counted(value.count, "row") }</option> };
    html! {
        <div class="picker">
            <label class="field">{ &props.label }
                <input class="long" list={list.clone()} placeholder="pick a value" {oninput} {onchange} {onfocus} />
            </label>
            <datalist id={list}>{ for offered.iter().map(option) }</datalist>
            { for props.chosen.iter().map(chip) }
        </div>
    }
}
