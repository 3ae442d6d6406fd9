//! The HIPAA Safe Harbor columns: set in one click, and what becomes of each of the rule's 18 kinds.

use yew::prelude::*;

use super::LoadedProps;
use crate::app::components::button;
use crate::app::{Message, use_handle};
use crate::policy::{Edit, Provision, Standing};
use crate::protocol::{Request, Response};
use crate::words::counted;

#[component]
pub fn SafeHarbor(LoadedProps { loaded }: &LoadedProps) -> Html {
    let handle = use_handle();
    let from = loaded.setup.columns.iter().filter(|column| column.from_level > 0).count() as u64;
    let asked = use_state(|| from > 0);
    let provisions = use_state(Vec::<Provision>::new);
    {
        let (client, provisions) = (handle.client.clone(), provisions.clone());
        use_effect_with((loaded.generation, loaded.revision, *asked), move |&(.., asked)| {
            if asked {
                // Edits that were sent before are answered before.
                let call = client.request(Request::SafeHarbor, &[], |_, _| {});
                wasm_bindgen_futures::spawn_local(async move {
                    if let Ok(Response::SafeHarbor(told)) = call.outcome().await {
                        provisions.set(told);
                    }
                });
            }
        });
    }
    let set = {
        let (send, asked) = (handle.send.clone(), asked.clone());
        Callback::from(move |_: MouseEvent| {
            asked.set(true);
            send.emit(Message::Edit(Edit::SafeHarbor));
        })
    };
    let show = {
        let asked = asked.clone();
        Callback::from(move |_: MouseEvent| asked.set(true))
    };
    html! {
        <section class="panel" aria-label="HIPAA Safe Harbor">
            <h2>{ "HIPAA Safe Harbor columns" }</h2>
            <p>{ "Dates are shown as years, ages from 90 on as one, postcodes by their first three digits; identifiers are dropped. Areas of 20,000 people or fewer you must mask yourself: no table tells them." }</p>
            <p class="fields">
                { button("btn", "Set the columns so", set) }
                if !*asked { { button("btn", "Show the 18 kinds", show) } }
                if from > 0 { <span class="soft">{ format!("{} never shown in full detail.", counted(from, "column")) }</span> }
            </p>
            if *asked && !provisions.is_empty() { { kinds(&provisions) } }
        </section>
    }
}

/// What is not done first, as it has to be done.
fn kinds(provisions: &[Provision]) -> Html {
    let of = |standing: Standing| provisions.iter().filter(move |provision| provision.standing == standing);
    let undone = of(Standing::NotDone).count() as u64;
    let sentence = |provision: &Provision| html! { <li>{ provision.sentence() }</li> };
    html! {
        <div class="kinds">
            if undone > 0 {
                <div class="note warn list-box" role="status"><b>{ format!("{} of the rule not done", counted(undone, "kind")) }</b>
                    <ul class="list">{ for of(Standing::NotDone).map(sentence) }</ul></div>
            } else {
                <p class="note ok" role="status">{ "All kinds that are there are done." }</p>
            }
            <ul class="list">{ for of(Standing::Done).chain(of(Standing::NotThere)).map(sentence) }</ul>
        </div>
    }
}
