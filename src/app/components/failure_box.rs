//! The one place where failures appear.

use yew::prelude::*;

use crate::failure::{Failure, Place};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub failure: Failure,
    pub ondismiss: Callback<()>,
}

#[component]
pub fn FailureBox(Props { failure, ondismiss }: &Props) -> Html {
    html! {
        <div class="failure" role="alert">
            <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
                <path d="M10 2.5 18.5 17h-17z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" />
                <path d="M10 8v4M10 14v1" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
            </svg>
            <div>
                <b>{ &failure.what }</b>
                if failure.place != Place::default() { <span class="where">{ failure.place.to_string() }</span> }
                <p>{ &failure.next }</p>
            </div>
            <button class="btn" onclick={ondismiss.reform(|_| ())}>{ "Dismiss" }</button>
        </div>
    }
}
