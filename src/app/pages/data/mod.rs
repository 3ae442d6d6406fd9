//! Data: load a table, see what it is, and how exposed its rows are before anything is done.

mod empty;
mod figures;
mod reading;
mod table;

use yew::prelude::*;

use crate::app::pages::findings::{Findings, of_reading};
use crate::app::use_handle;

#[component]
pub fn DataPage() -> Html {
    let handle = use_handle();
    match &handle.state.loaded {
        Some(loaded) => html! {
            <>
                <reading::Reading loaded={loaded.clone()} />
                <Findings loaded={loaded.clone()} title="Findings in the file" findings={of_reading(loaded)} repairs_told=true />
                <figures::Figures loaded={loaded.clone()} />
                <table::TableView loaded={loaded.clone()} />
            </>
        },
        None => html! { <empty::Empty /> },
    }
}
