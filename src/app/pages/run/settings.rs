//! What the chosen algorithm can be told.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::Props;
use crate::algorithms::diva::Strategy;
use crate::algorithms::lattice::Metric;
use crate::algorithms::one_d::Curve;
use crate::algorithms::sweep::Refinement;
use crate::app::components::{NumberField, option, says};
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

/// How the utility is raised after the sweep, in words.
const REFINEMENTS: [(Refinement, &str); 3] = [
    (Refinement::Thorough, "thoroughly: classes exchange rows"),
    (Refinement::Quick, "quickly: in about the time of the sweep"),
    (Refinement::None, "not at all: the paper’s release"),
];

#[component]
pub fn Settings(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let choose = |make: Box<dyn Fn(usize) -> Algorithm>| {
        handle.send.reform(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            Message::Edit(Edit::Algorithm(make(choice)))
        })
    };
    let select =
        |heading: &'static str, label: &'static str, onchange: Callback<Event>, options: Vec<(bool, String)>| {
            html! {
                <>
                    <h2 class="next">{ heading }</h2>
                    <p class="fields"><select {onchange} aria-label={label}>
                        { for options.into_iter().map(|(selected, words)| option(selected, &words)) }
                    </select></p>
                </>
            }
        };
    match &loaded.setup.algorithm {
        Algorithm::Lattice { metric } => {
            let onchange = choose(Box::new(|choice| Algorithm::Lattice { metric: METRICS[choice.min(5)].0 }));
            let options = METRICS.iter().map(|(other, name, _)| (other == metric, (*name).to_owned())).collect();
            let meaning = METRICS.iter().find(|(other, ..)| other == metric).map_or("", |(_, _, meaning)| *meaning);
            html! { <>{ select("What should be as small as possible", "Measure", onchange, options) }<p class="soft">{ meaning }</p></> }
        }
        Algorithm::Diva { strategy, refine } => {
            let refine = *refine;
            let make = move |choice: usize| Algorithm::Diva { strategy: STRATEGIES[choice.min(2)].0, refine };
            let onchange = choose(Box::new(make));
            let words = |(other, words): &(Strategy, &str)| (other == strategy, format!("{words} ({})", other.name()));
            select("Which constraints it sees to first", "Strategy", onchange, STRATEGIES.iter().map(words).collect())
        }
        Algorithm::Local { method: Method::OneD(curve), refine } => {
            let refine = *refine;
            let make = move |choice: usize| Algorithm::Local { method: Method::OneD(CURVES[choice.min(1)].0), refine };
            let onchange = choose(Box::new(make));
            let words = |(other, words): &(Curve, &str)| (other == curve, (*words).to_owned());
            select("The line that groups follow", "Line", onchange, CURVES.iter().map(words).collect())
        }
        Algorithm::Local { .. } => Html::default(),
        Algorithm::Sweep { refine, attributes } => {
            let (refine, told) = (*refine, attributes.clone());
            let make = {
                let attributes = told.clone();
                move |choice: usize| Algorithm::Sweep {
                    refine: REFINEMENTS[choice.min(2)].0,
                    attributes: attributes.clone(),
                }
            };
            let words = |(other, words): &(Refinement, &str)| (*other == refine, (*words).to_owned());
            let options = REFINEMENTS.iter().map(words).collect();
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
                    { select("Raise the utility after the sweep", "Refinement", choose(Box::new(make)), options) }
                    <details class="formula"><summary>{ "Which columns matter most" }</summary>
                        { says("soft", "Of classes that keep equally much, those come first that keep the more important columns finer. Without figures, the first column is the most important.") }
                        <div class="fields">{ for columns.filter(|(column, _)| column.role == Role::Quasi).map(|(_, summary)| field(&summary.name)) }</div>
                    </details>
                </>
            }
        }
    }
}
