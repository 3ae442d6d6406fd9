//! A labelled number that says itself as it is typed and keeps what was typed until the field is left.

use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub label: AttrValue,
    pub value: f64,
    /// What the field is called where the label alone is not enough.
    #[prop_or_default]
    pub name: Option<AttrValue>,
    #[prop_or(0.0)]
    pub least: f64,
    #[prop_or(1.0)]
    pub step: f64,
    #[prop_or_default]
    pub invalid: bool,
    /// What an empty field means, if it means anything.
    #[prop_or_default]
    pub empty: Option<f64>,
    #[prop_or_default]
    pub unit: Option<AttrValue>,
    /// A number was typed; it may not be the last.
    pub ontype: Callback<f64>,
    /// The field was left.
    pub onleave: Callback<()>,
}

#[component]
pub fn NumberField(props: &Props) -> Html {
    let typed = use_state(|| None::<String>);
    let empty = props.empty;
    let read = move |text: &str| match text.trim() {
        "" => empty,
        text => text.replace(',', ".").parse::<f64>().ok(),
    };
    let oninput = {
        let (typed, ontype) = (typed.clone(), props.ontype.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            if let Some(number) = read(&text) {
                ontype.emit(number);
            }
            typed.set(Some(text));
        })
    };
    let onblur = {
        let (typed, onleave) = (typed.clone(), props.onleave.clone());
        Callback::from(move |_: FocusEvent| {
            if typed.is_some() {
                onleave.emit(());
            }
            typed.set(None);
        })
    };
    let shown = (*typed).clone().unwrap_or_else(|| props.value.to_string());
    let unreadable = typed.as_ref().is_some_and(|text| read(text).is_none());
    html! {
        <label class="field">
            { &props.label }
            <input type="number" value={shown} min={props.least.to_string()} step={props.step.to_string()} {oninput} {onblur}
                aria-label={props.name.clone()} aria-invalid={(props.invalid || unreadable).then_some("true")} />
            if let Some(unit) = &props.unit { <span>{ unit }</span> }
        </label>
    }
}
