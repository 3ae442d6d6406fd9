//! All runs in a plane: risk against utility, or any two measures.

use std::collections::BTreeSet;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::charts::{Scatter, ScatterPoint};
use crate::app::components::option;
use crate::app::runs::Kept;
use crate::compare::{Measure, RISKS, measures};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub runs: Vec<Kept>,
    pub ticked: BTreeSet<u32>,
}

#[component]
pub fn Plane(Props { runs, ticked }: &Props) -> Html {
    let all: Vec<&Measure> = measures().collect();
    // Average risk against information loss.
    let axes = use_state(|| (1usize, RISKS.len()));
    let choose = |across: bool| {
        let axes = axes.clone();
        Callback::from(move |event: Event| {
            let place = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            axes.set(if across { (place, axes.1) } else { (axes.0, place) });
        })
    };
    let (x, y) = (all[axes.0.min(all.len() - 1)], all[axes.1.min(all.len() - 1)]);
    let point = |kept: &Kept| {
        let view = &kept.ran.view;
        Some(ScatterPoint {
            label: kept.ran.number.to_string().into(),
            name: kept.name.clone().into(),
            at: ((x.of)(view)?, (y.of)(view)?),
            on: ticked.contains(&kept.ran.number),
        })
    };
    let points: Vec<ScatterPoint> = runs.iter().filter_map(point).collect();
    let option = |now: usize| {
        let option = |(place, measure): (usize, &&Measure)| option(place == now, measure.title);
        html! { <>{ for all.iter().enumerate().map(option) }</> }
    };
    let better = |measure: &Measure| if measure.less_is_better { "less is better" } else { "more is better" };
    html! {
        <section class="panel">
            <h2>{ "Risk and utility" }</h2>
            <p class="fields">
                <label class="field">{ "across" }<select onchange={choose(true)}>{ option(axes.0) }</select></label>
                <label class="field">{ "up" }<select onchange={choose(false)}>{ option(axes.1) }</select></label>
            </p>
            <Scatter title={format!("Runs by {} and {}", x.title, y.title)} x={format!("{} ({})", x.title, better(x))} y={format!("{} ({})", y.title, better(y))} {points} />
        </section>
    }
}
