//! A text that is taken when the field is left or Enter pressed, and kept as typed until then, whatever is drawn meanwhile.

use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub name: AttrValue,
    pub value: AttrValue,
    #[prop_or_default]
    pub class: Classes,
    /// The `datalist` that offers values.
    #[prop_or_default]
    pub list: Option<AttrValue>,
    /// Another text was entered.
    pub onchange: Callback<String>,
}

#[component]
pub fn TextField(props: &Props) -> Html {
    let typed = use_state(|| None::<String>);
    let text = |event: &Event| event.target_unchecked_into::<HtmlInputElement>().value();
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(Some(text(&event))))
    };
    let onchange = {
        let (typed, onchange) = (typed.clone(), props.onchange.clone());
        Callback::from(move |event: Event| {
            onchange.emit(text(&event));
            typed.set(None);
        })
    };
    let onblur = {
        let typed = typed.clone();
        Callback::from(move |_: FocusEvent| typed.set(None))
    };
    let value = (*typed).clone().map_or_else(|| props.value.clone(), AttrValue::from);
    html! { <input class={props.class.clone()} aria-label={props.name.clone()} list={props.list.clone()} {value} {oninput} {onchange} {onblur} /> }
}
