//! What a page shows that needs a table, while there is none.

use yew::prelude::*;

use crate::app::state::Step;
use crate::app::{Message, use_handle};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
}

#[component]
pub fn NoTable(Props { title }: &Props) -> Html {
    let handle = use_handle();
    html! {
        <>
            <h1>{ title }</h1>
            <p class="lead">{ "There is no table yet." }</p>
            <p><button class="btn p" onclick={handle.send.reform(|_| Message::Go(Step::Data))}>{ "Load a table" }</button></p>
        </>
    }
}
