//! Every class of the release.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::PartProps;
use crate::app::charts::BarChart;
use crate::app::pages::audit::{bars, classes::Classes};
use crate::protocol::Subject;

#[component]
pub fn ClassesPart(PartProps { run, .. }: &PartProps) -> Html {
    let chosen = use_state(|| 0usize);
    let view = &run.view;
    let place = (*chosen).min(view.sensitive.len().saturating_sub(1));
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            chosen.set(event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
        })
    };
    let sizes = html! { <section class="panel"><h2>{ "Classes by size" }</h2><BarChart title="Number of classes by their size" bars={bars(&view.sizes)} /></section> };
    let Some((column, name)) = view.sensitive.get(place) else { return sizes };
    html! {
        <>
            if view.sensitive.len() > 1 {
                <label class="field">{ "Sensitive column" }
                    <select onchange={choose}>{ for view.sensitive.iter().enumerate().map(|(other, (_, name))| html! { <option selected={other == place}>{ name }</option> }) }</select>
                </label>
            }
            <Classes key={format!("{} {place}", run.number)} of={Subject::Release} column={*column} name={name.clone()} revision={run.number}>{ sizes }</Classes>
        </>
    }
}
