//! A file that was saved, with the digest of its bytes as `sha256sum` tells it.

use yew::prelude::*;

use crate::app::state::Saved;

pub fn saved_file(saved: &Saved) -> Html {
    let digest = match &saved.digest {
        Some(Some(digest)) => html! { <>{ "SHA-256 " }<code>{ digest }</code></> },
        Some(None) => html! { "its digest could not be computed" },
        None => html! { "computing its digest…" },
    };
    html! { <p><b>{ &saved.name }</b>{ " was saved: " }{ digest }</p> }
}
