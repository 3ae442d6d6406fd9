//! The runs on this table, compared.

use yew::prelude::*;

use super::PartProps;

#[component]
pub fn RunsPart(PartProps { .. }: &PartProps) -> Html {
    Html::default()
}
