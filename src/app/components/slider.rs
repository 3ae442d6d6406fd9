//! A labelled slider with its figure.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::words::figure;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub label: AttrValue,
    pub value: f64,
    /// The figure as it is shown, where it is not the value.
    #[prop_or_default]
    pub shown: Option<AttrValue>,
    pub least: f64,
    pub most: f64,
    #[prop_or(1.0)]
    pub step: f64,
    pub onset: Callback<f64>,
}

#[component]
pub fn Slider(props: &Props) -> Html {
    let oninput =
        props.onset.reform(|event: InputEvent| event.target_unchecked_into::<HtmlInputElement>().value_as_number());
    let shown = props.shown.clone().unwrap_or_else(|| figure(props.value).into());
    html! {
        <label class="slider"><span>{ &props.label }{ " " }<b>{ shown }</b></span>
            <input type="range" min={props.least.to_string()} max={props.most.to_string()} step={props.step.to_string()} value={props.value.to_string()} {oninput} /></label>
    }
}
