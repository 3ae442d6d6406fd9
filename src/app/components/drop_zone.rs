//! A place to drop a file on, or to pick one from.

use web_sys::{DragEvent, File, HtmlInputElement};
use yew::prelude::*;

use crate::browser::files;
use crate::failure::Failure;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub onfiles: Callback<Vec<File>>,
    pub onfail: Callback<Failure>,
    #[prop_or_default]
    pub disabled: bool,
    /// A single line instead of a large field.
    #[prop_or_default]
    pub small: bool,
    pub label: AttrValue,
    pub children: Children,
}

#[component]
pub fn DropZone(props: &Props) -> Html {
    let over = use_state(|| false);
    let set_over = |value: bool| {
        let over = over.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            over.set(value);
        })
    };
    let ondrop = {
        let (over, onfiles, onfail, disabled) =
            (over.clone(), props.onfiles.clone(), props.onfail.clone(), props.disabled);
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            over.set(false);
            let Some(transfer) = event.data_transfer().filter(|_| !disabled) else { return };
            match files::dropped(&transfer) {
                Ok(files) if !files.is_empty() => onfiles.emit(files),
                Ok(_) => {
                    onfail.emit(Failure::data("What was dropped is not a file.", "Drop a CSV file, or choose one."))
                }
                Err(failure) => onfail.emit(failure),
            }
        })
    };
    let onchange = {
        let onfiles = props.onfiles.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let files = files::listed(input.files());
            // The same file may be chosen again after it was corrected.
            input.set_value("");
            if !files.is_empty() {
                onfiles.emit(files);
            }
        })
    };
    let class =
        classes!("drop", over.then_some("over"), props.small.then_some("small"), props.disabled.then_some("off"));
    html! {
        <label {class} ondragover={set_over(true)} ondragenter={set_over(true)} ondragleave={set_over(false)} {ondrop}>
            <input class="sr-only" type="file" multiple=true disabled={props.disabled} aria-label={props.label.clone()}
                accept=".csv,.tsv,.txt,.json,text/csv,text/plain,text/tab-separated-values" {onchange} />
            { props.children.clone() }
        </label>
    }
}
