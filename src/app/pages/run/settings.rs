//! What the chosen algorithm can be told.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::Props;
use crate::algorithms::diva::Strategy;
use crate::algorithms::lattice::Metric;
use crate::algorithms::one_d::Curve;
use crate::app::components::NumberField;
use crate::app::{Message, use_handle};
use crate::policy::{Algorithm, Attributes, Edit, Method};
use crate::table::Role;

/// What can be made as small as possible, in words.
const METRICS: [(Metric, &str, &str); 6] = [
    (Metric::Loss, "information loss", "how much of each column's detail is given up, on average"),
    (Metric::Discernibility, "discernibility", "sum of squared class sizes: many small classes"),
    (Metric::LossGeometric, "information loss, geometric", "the same as a geometric mean: evens out columns"),
    (Metric::KlDivergence, "KL-divergence", "closeness of the joint distribution"),
    (Metric::AverageClassSize, "average class size", "as many classes as possible"),
    (Metric::Height, "height", "as few levels as possible"),
];

/// The orders in which DIVA colours constraints, in words.
const STRATEGIES: [(Strategy, &str); 3] = [
    (Strategy::MinChoice, "those with the fewest choices first"),
    (Strategy::MaxFanOut, "those that touch the most others first"),
    (Strategy::Naive, "by chance"),
];

/// The lines that 1-D groups follow, in words.
const CURVES: [(Curve, &str); 2] = [
    (Curve::Hilbert, "a Hilbert curve: all columns alike"),
    (Curve::Lexicographic, "the first column first, then the second, …"),
];

#[component]
pub fn Settings(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let choose = |make: fn(usize) -> Algorithm| {
        handle.send.reform(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            Message::Edit(Edit::Algorithm(make(choice)))
        })
    };
    let select = |heading: &'static str,
                  label: &'static str,
                  onchange: Callback<Event>,
                  options: Vec<(bool, String)>| {
        html! {
            <>
                <h2 class="next">{ heading }</h2>
                <p class="fields"><select {onchange} aria-label={label}>
                    { for options.into_iter().map(|(selected, words)| html! { <option {selected}>{ words }</option> }) }
                </select></p>
            </>
        }
    };
    match &loaded.setup.algorithm {
        Algorithm::Lattice { metric } => {
            let onchange = choose(|choice| Algorithm::Lattice { metric: METRICS[choice.min(5)].0 });
            let options = METRICS.iter().map(|(other, name, _)| (other == metric, (*name).to_owned())).collect();
            let meaning = METRICS.iter().find(|(other, ..)| other == metric).map_or("", |(_, _, meaning)| *meaning);
            html! { <>{ select("What should be as small as possible", "Measure", onchange, options) }<p class="soft">{ meaning }</p></> }
        }
        Algorithm::Diva { strategy, .. } => {
            let onchange = choose(|choice| Algorithm::Diva { strategy: STRATEGIES[choice.min(2)].0, refine: true });
            let words = |(other, words): &(Strategy, &str)| (other == strategy, format!("{words} ({})", other.name()));
            select("Which constraints it sees to first", "Strategy", onchange, STRATEGIES.iter().map(words).collect())
        }
        Algorithm::Local { method: Method::OneD(curve), .. } => {
            let onchange =
                choose(|choice| Algorithm::Local { method: Method::OneD(CURVES[choice.min(1)].0), refine: true });
            let words = |(other, words): &(Curve, &str)| (other == curve, (*words).to_owned());
            select("The line that groups follow", "Line", onchange, CURVES.iter().map(words).collect())
        }
        Algorithm::Local { .. } => Html::default(),
        Algorithm::Sweep { refine, attributes } => {
            let (refine, told) = (*refine, attributes.clone());
            let toggle = {
                let (send, attributes) = (handle.send.clone(), told.clone());
                Callback::from(move |event: Event| {
                    let refine = event.target_unchecked_into::<HtmlInputElement>().checked();
                    send.emit(Message::Edit(Edit::Algorithm(Algorithm::Sweep {
                        refine,
                        attributes: attributes.clone(),
                    })));
                })
            };
            let columns = loaded.setup.columns.iter().zip(&loaded.summary.columns);
            let field = |name: &str| {
                let value = told.importance.get(name).copied().unwrap_or(0.0);
                let (send, told, column) = (handle.send.clone(), told.clone(), name.to_owned());
                let ontype = Callback::from(move |figure: f64| {
                    let Attributes { mut importance, weights } = told.clone();
                    if figure > 0.0 {
                        importance.insert(column.clone(), figure)
                    } else {
                        importance.remove(&column)
                    };
                    let attributes = Attributes { importance, weights };
                    send.emit(Message::Edit(Edit::Algorithm(Algorithm::Sweep { refine, attributes })));
                });
                html! { <NumberField key={name.to_owned()} label={name.to_owned()} name={format!("Importance of {name}")} {value} {ontype} onleave={Callback::noop()} /> }
            };
            html! {
                <>
                    <p class="fields next"><label class="field"><input type="checkbox" checked={refine} onchange={toggle} />{ "raise the utility after the sweep (refinement)" }</label></p>
                    <details class="formula"><summary>{ "Which columns matter most" }</summary>
                        <p class="soft">{ "Of classes that keep equally much, those come first that keep the more important columns finer. Without figures, the first column is the most important." }</p>
                        <div class="fields">{ for columns.filter(|(column, _)| column.role == Role::Quasi).map(|(_, summary)| field(&summary.name)) }</div>
                    </details>
                </>
            }
        }
    }
}
