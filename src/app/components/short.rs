//! What many pages contain, written short: heads of tables, sentences, buttons, choices of menus, what did not work.

use yew::prelude::*;

use crate::failure::Failure;

/// The head of a table whose columns are told by one text: `release | #rows | (bar)`, with `#` for figures and
/// parentheses for what only screen readers need; nothing is the corner above row heads.
pub fn heads(columns: &str) -> Html {
    let head = |name: &str| match (name.strip_prefix('#'), name.strip_prefix('(')) {
        _ if name.is_empty() => html! { <td /> },
        (Some(name), _) => html! { <th scope="col" class="n">{ name }</th> },
        (_, Some(name)) => html! { <th><span class="sr-only">{ name.trim_end_matches(')') }</span></th> },
        _ => html! { <th scope="col">{ name }</th> },
    };
    html! { <thead><tr>{ for columns.split('|').map(|name| head(name.trim())) }</tr></thead> }
}

/// A paragraph of its own.
pub fn says(class: &'static str, words: &str) -> Html {
    html! { <p {class}>{ words }</p> }
}

pub fn button(class: &'static str, words: &str, onclick: Callback<MouseEvent>) -> Html {
    html! { <button {class} {onclick}>{ words }</button> }
}

/// A choice of a menu.
pub fn option(selected: bool, words: &str) -> Html {
    html! { <option {selected}>{ words }</option> }
}

/// What did not work and what to do, where it was asked for.
pub fn failed(class: &'static str, failure: &Failure) -> Html {
    html! { <p class={classes!("note", class)} role={if class == "bad" { "alert" } else { "status" }}>{ &failure.what }{ " " }{ &failure.next }</p> }
}
