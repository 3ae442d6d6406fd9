//! What became of each column.

use yew::prelude::*;

use super::PartProps;
use super::spread::SpreadPanel;

#[component]
pub fn ColumnsPart(PartProps { loaded, run }: &PartProps) -> Html {
    html! { <SpreadPanel loaded={loaded.clone()} run={run.clone()} /> }
}
