//! One demand as a card: what it means, its numbers, and how it stands on this table.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::tau_l::Eligible;
use super::words::words;
use crate::app::charts::Moved;
use crate::app::components::{NumberField, ValuePicker, option};
use crate::app::state::Loaded;
use crate::policy::{Demand, Distance, ModelDemand};
use crate::setup_view::{DemandView, Prospect};
use crate::table::Role;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub view: DemandView,
    /// The demand changed; `true` while a number is still being typed.
    pub onchange: Callback<(Demand, bool)>,
    pub onremove: Callback<()>,
}

#[component]
pub fn Card(props: &Props) -> Html {
    // τ and ℓ while they are dragged, until the engine has them.
    let draft = use_state(|| None::<(f64, u32)>);
    let numbers_of = |demand: &Demand| match demand.model {
        ModelDemand::TauL { tau, l, .. } => Some((tau, l)),
        _ => None,
    };
    {
        let draft = draft.clone();
        use_effect_with(numbers_of(&props.view.demand), move |now| {
            if draft.is_some() && *now == *draft {
                draft.set(None);
            }
        });
    }
    let drafted = draft.map_or_else(|| props.view.demand.clone(), |to| with_tau_l(&props.view.demand, to));
    let demand = &drafted;
    let of_rows = matches!(demand.model, ModelDemand::KAnonymity { .. });
    let columns = &props.loaded.summary.columns;
    let sensitive: Vec<(usize, &str)> = props
        .loaded
        .setup
        .columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.role == Role::Sensitive)
        .map(|(place, _)| (place, columns[place].name.as_str()))
        .collect();
    let values = demand.attribute.clone().unwrap_or_else(|| "every sensitive column".to_owned());
    let words = words(&demand.model, &values);
    let mistake = match &props.view.prospect {
        Prospect::Mistaken(mistake) => Some(mistake),
        _ => None,
    };
    let change = |with: fn(&mut Demand, f64)| {
        let (demand, onchange, draft) = (demand.clone(), props.onchange.clone(), draft.clone());
        Callback::from(move |number: f64| {
            let mut demand = demand.clone();
            draft.set(None);
            with(&mut demand, number);
            onchange.emit((demand, true));
        })
    };
    let onleave = {
        let (demand, onchange) = (demand.clone(), props.onchange.clone());
        Callback::from(move |()| onchange.emit((demand.clone(), false)))
    };
    let onmove = {
        let (demand, onchange, draft) = (props.view.demand.clone(), props.onchange.clone(), draft.clone());
        Callback::from(move |(tau, l, how): (f64, u32, Moved)| {
            let changed = demand.model != with_tau_l(&demand, (tau, l)).model;
            draft.set(changed.then_some((tau, l)));
            if changed && how != Moved::Dragging {
                onchange.emit((with_tau_l(&demand, (tau, l)), how == Moved::ByKey));
            }
        })
    };
    let number = |label: &'static str, key: &str, value: f64, least: f64, step: f64, with: fn(&mut Demand, f64)| {
        html! {
            <NumberField {label} {value} {least} {step} name={format!("{label} of {}", words.title)} ontype={change(with)} onleave={onleave.clone()}
                invalid={mistake.is_some_and(|mistake| mistake.key == key)} />
        }
    };
    let title = match (&demand.attribute, of_rows) {
        (Some(attribute), _) => format!("{} · {attribute}", words.title),
        (None, true) => words.title.to_owned(),
        (None, false) => format!("{} · every sensitive column", words.title),
    };
    html! {
        <article class={classes!("panel", "card", props.view.range.is_some().then_some("wide"))} aria-label={title.clone()}>
            <div class="card-head">
                <h3>{ &title }</h3>
                <button class="close" aria-label={format!("Remove {title}")} title="Remove" onclick={props.onremove.reform(|_| ())}>{ "×" }</button>
            </div>
            <p>{ words.meaning }</p>
            <div class="fields">
                { numbers(&demand.model, &number) }
                if !of_rows {
                    { attribute(props, &sensitive) }
                }
                { distance(props) }
            </div>
            { pickers(props, &sensitive) }
            if !of_rows && sensitive.len() > 1 {
                { jointly(props) }
            }
            if let (Some((tau, l)), Some(range)) = (numbers_of(demand), &props.view.range) {
                <Eligible {tau} {l} range={range.clone()} onmove={onmove} />
            } else {
                { prospect(&props.view.prospect) }
            }
            <details class="formula"><summary>{ "Formula" }</summary><code>{ words.formula }</code></details>
        </article>
    }
}

fn with_tau_l(demand: &Demand, to: (f64, u32)) -> Demand {
    let mut demand = demand.clone();
    if let ModelDemand::TauL { tau, l, .. } = &mut demand.model {
        (*tau, *l) = to;
    }
    demand
}

type Number<'a> = &'a dyn Fn(&'static str, &str, f64, f64, f64, fn(&mut Demand, f64)) -> Html;

fn whole(number: f64) -> u32 {
    number.round().clamp(0.0, f64::from(u32::MAX)) as u32
}

fn numbers(model: &ModelDemand, number: Number<'_>) -> Html {
    match model {
        ModelDemand::KAnonymity { k } => number("k", "k", f64::from(*k), 1.0, 1.0, |demand, number| {
            demand.model = ModelDemand::KAnonymity { k: whole(number) };
        }),
        ModelDemand::DistinctL { l } => number("ℓ", "l", f64::from(*l), 1.0, 1.0, |demand, number| {
            demand.model = ModelDemand::DistinctL { l: whole(number) };
        }),
        ModelDemand::EntropyL { l, .. } => number("ℓ", "l", *l, 1.0, 0.1, |demand, number| {
            if let ModelDemand::EntropyL { l, .. } = &mut demand.model {
                *l = number;
            }
        }),
        ModelDemand::RecursiveCL { c, l, no_negative, c2, .. } => html! {
            <>
                { number("c", "c", *c, 0.0, 0.5, |demand, number| {
                    if let ModelDemand::RecursiveCL { c, .. } = &mut demand.model { *c = number; }
                }) }
                { number("ℓ", "l", f64::from(*l), 1.0, 1.0, |demand, number| {
                    if let ModelDemand::RecursiveCL { l, .. } = &mut demand.model { *l = whole(number); }
                }) }
                if !no_negative.is_empty() {
                    { number("c₂ %", "c2", c2.unwrap_or(0.0), 0.0, 0.5, |demand, number| {
                        if let ModelDemand::RecursiveCL { c2, .. } = &mut demand.model { *c2 = Some(number); }
                    }) }
                }
            </>
        },
        ModelDemand::TauL { tau, l, .. } => html! {
            <>
                { number("τ", "tau", *tau, 0.0, 0.05, |demand, number| {
                    if let ModelDemand::TauL { tau, .. } = &mut demand.model { *tau = number; }
                }) }
                { number("ℓ", "l", f64::from(*l), 2.0, 1.0, |demand, number| {
                    if let ModelDemand::TauL { l, .. } = &mut demand.model { *l = whole(number); }
                }) }
            </>
        },
        ModelDemand::TCloseness { t, .. } => number("t", "t", *t, 0.0, 0.05, |demand, number| {
            if let ModelDemand::TCloseness { t, .. } = &mut demand.model {
                *t = number;
            }
        }),
        ModelDemand::PSensitive { p } => number("p", "p", f64::from(*p), 1.0, 1.0, |demand, number| {
            demand.model = ModelDemand::PSensitive { p: whole(number) };
        }),
        ModelDemand::AlphaK { alpha, .. } => number("α", "alpha", *alpha, 0.0, 0.05, |demand, number| {
            if let ModelDemand::AlphaK { alpha, .. } = &mut demand.model {
                *alpha = number;
            }
        }),
    }
}

fn attribute(props: &Props, sensitive: &[(usize, &str)]) -> Html {
    let demand = &props.view.demand;
    let names: Vec<Option<String>> =
        std::iter::once(None).chain(sensitive.iter().map(|(_, name)| Some((*name).to_owned()))).collect();
    let known = names.contains(&demand.attribute);
    let onchange = {
        let (demand, names, onchange) = (demand.clone(), names.clone(), props.onchange.clone());
        Callback::from(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            if let Some(attribute) = names.get(choice) {
                onchange.emit((Demand { attribute: attribute.clone(), ..demand.clone() }, false));
            }
        })
    };
    let option = |name: &Option<String>| {
        option(*name == demand.attribute, &name.clone().unwrap_or_else(|| "every sensitive column".into()))
    };
    html! {
        <label class="field">{ "of" }
            <select {onchange} aria-label="Sensitive column">
                { for names.iter().map(option) }
                if !known { <option selected=true disabled=true>{ demand.attribute.clone().unwrap_or_default() }</option> }
            </select>
        </label>
    }
}

fn distance(props: &Props) -> Html {
    let demand = &props.view.demand;
    let ModelDemand::TCloseness { t, distance } = demand.model else { return Html::default() };
    let onchange = {
        let (demand, onchange) = (demand.clone(), props.onchange.clone());
        Callback::from(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            let distance = Distance::ALL[choice.min(2)];
            onchange.emit((Demand { model: ModelDemand::TCloseness { t, distance }, ..demand.clone() }, false));
        })
    };
    html! {
        <label class="field">{ "distance" }
            <select {onchange}>
                { for Distance::ALL.iter().map(|other| option(*other == distance, other.name())) }
            </select>
        </label>
    }
}

fn pickers(props: &Props, sensitive: &[(usize, &str)]) -> Html {
    let demand = &props.view.demand;
    // Values belong to one column.
    let column = match (&demand.attribute, sensitive) {
        (Some(name), _) => sensitive.iter().find(|(_, other)| other == name),
        (None, [only]) => Some(only),
        _ => None,
    };
    let Some(&(column, _)) = column else { return Html::default() };
    let picker = |label: &'static str, chosen: &[String], with: fn(&mut Demand, Vec<String>)| {
        let (demand, onchange) = (demand.clone(), props.onchange.clone());
        let onchange = Callback::from(move |values: Vec<String>| {
            let mut demand = demand.clone();
            with(&mut demand, values);
            onchange.emit((demand, false));
        });
        html! { <ValuePicker {label} column={column as u32} chosen={chosen.to_vec()} {onchange} /> }
    };
    match &demand.model {
        ModelDemand::EntropyL { dont_care, .. } => picker("May be known", dont_care, |demand, values| {
            if let ModelDemand::EntropyL { dont_care, .. } = &mut demand.model {
                *dont_care = values;
            }
        }),
        ModelDemand::RecursiveCL { dont_care, no_negative, .. } => html! {
            <>
                { picker("May be known", dont_care, |demand, values| {
                    if let ModelDemand::RecursiveCL { dont_care, .. } = &mut demand.model { *dont_care = values; }
                }) }
                { picker("Nobody may be cleared of", no_negative, |demand, values| {
                    if let ModelDemand::RecursiveCL { no_negative, c2, .. } = &mut demand.model {
                        *c2 = if values.is_empty() { None } else { c2.or(Some(1.0)) };
                        *no_negative = values;
                    }
                }) }
            </>
        },
        ModelDemand::AlphaK { values, .. } => picker("Only these values", values, |demand, chosen| {
            if let ModelDemand::AlphaK { values, .. } = &mut demand.model {
                *values = chosen;
            }
        }),
        _ => Html::default(),
    }
}

fn jointly(props: &Props) -> Html {
    let (demand, onchange) = (props.view.demand.clone(), props.onchange.clone());
    let checked = demand.jointly;
    let toggle = Callback::from(move |event: Event| {
        let jointly = event.target_unchecked_into::<HtmlInputElement>().checked();
        onchange.emit((Demand { jointly, ..demand.clone() }, false));
    });
    html! {
        <label class="field" title="Definition 4.6: the other sensitive columns are taken as known, like quasi-identifiers">
            <input type="checkbox" {checked} onchange={toggle} />{ "even when the other sensitive columns are known" }
        </label>
    }
}

fn prospect(prospect: &Prospect) -> Html {
    match prospect {
        Prospect::Mistaken(mistake) => {
            html! { <p class="note bad" role="alert">{ format!("“{}” {}. {}", mistake.key, mistake.what, mistake.next) }</p> }
        }
        Prospect::Feasible { sentence, .. } => html! { <p class="note ok">{ sentence }</p> },
        Prospect::Costly { sentence, .. } => html! { <p class="note warn">{ sentence }</p> },
    }
}
