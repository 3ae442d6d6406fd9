//! What an attacker makes of the release.

use yew::prelude::*;

use super::PartProps;

#[component]
pub fn AttackPart(PartProps { .. }: &PartProps) -> Html {
    Html::default()
}
