//! No table yet: drop, pick, paste, or take a sample.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{File, HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::components::DropZone;
use crate::app::state::Origin;
use crate::app::{Message, use_handle};
use crate::samples::{self, Sample};

const SEED: u64 = 1;

#[component]
pub fn Empty() -> Html {
    let handle = use_handle();
    let (onfiles, onfail) = handle.open_files();
    html! {
        <>
            <h1>{ "Data" }</h1>
            <p class="lead">{ "Start with the table you want to release. It stays in this tab." }</p>
            <DropZone {onfiles} {onfail} disabled={handle.state.task.is_some()} label="Choose a CSV file">
                <svg width="44" height="44" viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2">
                    <path d="M22 29V9m0 0-8 8m8-8 8 8M8 27v6a3 3 0 0 0 3 3h22a3 3 0 0 0 3-3v-6" stroke-linecap="round" stroke-linejoin="round" />
                </svg>
                <b>{ "Drop a CSV file here" }</b>
                <span>{ "or " }<span class="btn p">{ "Choose a file" }</span></span>
                <small>{ "Comma, semicolon, tab or bar; any common encoding; found out for you. Its hierarchy files and a policy may come along." }</small>
            </DropZone>
            <Paste />
            <section aria-label="Samples">
                <h2>{ "Or look around with a sample" }</h2>
                <div class="samples">{ for samples::ALL.iter().map(|sample| html! { <SampleCard {sample} /> }) }</div>
            </section>
        </>
    }
}

#[component]
fn Paste() -> Html {
    let handle = use_handle();
    let area = use_node_ref();
    let onclick = {
        let (send, area) = (handle.send.clone(), area.clone());
        Callback::from(move |_| {
            let Some(text) = area.cast::<HtmlTextAreaElement>().map(|area| area.value()) else { return };
            let parts = Array::of1(&JsValue::from_str(&text));
            if let Ok(file) = File::new_with_str_sequence(&parts, "pasted.csv") {
                send.emit(Message::Open(Origin::Files { files: vec![file], options: Default::default() }));
            }
        })
    };
    html! {
        <details class="paste">
            <summary>{ "Paste a table instead" }</summary>
            <textarea ref={area} rows="5" aria-label="Pasted table" placeholder={"name,age\nAnn,34\nBob,51"} />
            <button class="btn" {onclick} disabled={handle.state.task.is_some()}>{ "Read it" }</button>
        </details>
    }
}

#[derive(Properties)]
struct SampleProps {
    sample: &'static Sample,
}

impl PartialEq for SampleProps {
    fn eq(&self, other: &SampleProps) -> bool {
        self.sample.id == other.sample.id
    }
}

#[component]
fn SampleCard(SampleProps { sample }: &SampleProps) -> Html {
    let handle = use_handle();
    let rows = use_node_ref();
    let onclick = {
        let (send, rows, id) = (handle.send.clone(), rows.clone(), sample.id);
        Callback::from(move |_| {
            let rows = rows.cast::<HtmlInputElement>().and_then(|input| input.value().parse().ok()).unwrap_or(10_000);
            send.emit(Message::Open(Origin::Sample { id, rows, seed: SEED }));
        })
    };
    html! {
        <div class="panel sample">
            <h3>{ sample.title }</h3>
            <p>{ sample.about }</p>
            <div class="sample-foot">
                if sample.generated {
                    <label class="field">{ "rows " }
                        <input ref={rows} type="number" min="1000" max="1000000" step="1000" value="10000" aria-label={format!("Rows of {}", sample.title)} />
                    </label>
                }
                <span class="grow" />
                <button class="btn" {onclick} disabled={handle.state.task.is_some()} aria-label={format!("Open {}", sample.title)}>{ "Open" }</button>
            </div>
        </div>
    }
}
