//! Parts of a page, one shown at a time: by click, arrow keys, Home and End.

use web_sys::HtmlElement;
use yew::prelude::*;

/// What the chosen part's element is called; it names its tab by [`tab_id`].
pub const TAB_PANEL: &str = "tab-panel";

pub fn tab_id(name: &str) -> String {
    format!("tab-{}", name.to_lowercase())
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub label: AttrValue,
    pub names: Vec<&'static str>,
    pub now: usize,
    pub onchoose: Callback<usize>,
}

#[component]
pub fn Tabs(Props { label, names, now, onchoose }: &Props) -> Html {
    let onkeydown = {
        let (names, now, onchoose) = (names.clone(), *now, onchoose.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (now + 1) % names.len(),
                "ArrowLeft" => (now + names.len() - 1) % names.len(),
                "Home" => 0,
                "End" => names.len() - 1,
                _ => return,
            };
            event.prevent_default();
            onchoose.emit(next);
            let document = web_sys::window().and_then(|window| window.document());
            if let Some(tab) = document.and_then(|document| document.get_element_by_id(&tab_id(names[next]))) {
                let _ = wasm_bindgen::JsCast::unchecked_into::<HtmlElement>(tab).focus();
            }
        })
    };
    let entry = |(place, name): (usize, &&'static str)| {
        let on = place == *now;
        html! {
            <button role="tab" id={tab_id(name)} class={classes!("tab", on.then_some("on"))} aria-selected={on.to_string()}
                aria-controls={TAB_PANEL} tabindex={if on { "0" } else { "-1" }} onclick={onchoose.reform(move |_| place)}>{ *name }</button>
        }
    };
    html! { <div role="tablist" class="tabs" aria-label={label} {onkeydown}>{ for names.iter().enumerate().map(entry) }</div> }
}
