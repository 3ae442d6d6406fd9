//! A few runs side by side: what they were asked for, what each column gave up, classes, risk, measures, constraints.

use yew::prelude::*;

use super::asked;
use crate::app::runs::Kept;
use crate::compare::{COSTS, Measure, RISKS};
use crate::run::RunView;
use crate::words::{figure, grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub runs: Vec<Kept>,
}

#[component]
pub fn Beside(Props { runs }: &Props) -> Html {
    let cells = |name: &str, cell: &dyn Fn(&Kept) -> String| {
        html! { <tr><th scope="row">{ name }</th>{ for runs.iter().map(|kept| html! { <td class="n">{ cell(kept) }</td> }) }</tr> }
    };
    let group = |name: &str| html! { <tr class="group"><th colspan={(runs.len() + 1).to_string()} scope="colgroup">{ name }</th></tr> };
    let measure = |measure: &Measure| {
        let values: Vec<Option<f64>> = runs.iter().map(|kept| (measure.of)(&kept.ran.view)).collect();
        let better = |one: f64, other: f64| if measure.less_is_better { one.min(other) } else { one.max(other) };
        let best = values.iter().flatten().copied().reduce(better);
        let worst = values.iter().flatten().copied().reduce(|one, other| one + other - better(one, other));
        // Nothing stands out where all are alike.
        let best = best.filter(|_| best != worst);
        let cell = |&value: &Option<f64>| match value {
            Some(value) => {
                html! { <td class={classes!("n", (Some(value) == best).then_some("best"))}>{ number(value) }</td> }
            }
            None => html! { <td class="n faint">{ "–" }</td> },
        };
        html! { <tr><th scope="row">{ measure.title }</th>{ for values.iter().map(cell) }</tr> }
    };
    let mut columns: Vec<&str> = Vec::new();
    let mut constraints: Vec<&str> = Vec::new();
    for kept in runs {
        for column in &kept.ran.view.metrics.columns {
            if !columns.contains(&column.column.as_str()) {
                columns.push(&column.column);
            }
        }
        for constraint in &kept.ran.view.diversity {
            if !constraints.contains(&constraint.text.as_str()) {
                constraints.push(&constraint.text);
            }
        }
    }
    let column = |name: &&str| cells(name, &|kept| gave_up(&kept.ran.view, name));
    let constraint = |text: &&str| {
        cells(text, &|kept| {
            let found = kept.ran.view.diversity.iter().find(|constraint| constraint.text == *text);
            found.map_or("–".into(), |constraint| grouped(constraint.after))
        })
    };
    html! {
        <section class="panel beside">
            <h2>{ "Side by side" }</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="Runs side by side">
                <table class="achieved">
                    <thead><tr><td></td>{ for runs.iter().map(|kept| html! { <th scope="col" class="n">{ format!("{} · {}", kept.ran.number, kept.name) }</th> }) }</tr></thead>
                    <tbody>
                        { cells("asked for", &|kept| asked(&kept.ran.view)) }
                        { cells("rows that may be left out", &|kept| percent(kept.ran.limit)) }
                        { group("Risk") }
                        { for RISKS.iter().map(measure) }
                        { group("What it cost") }
                        { for COSTS.iter().map(measure) }
                        { group("What each column gave up") }
                        { for columns.iter().map(column) }
                        if !constraints.is_empty() {
                            { group("Rows that show the constraints’ values") }
                            { for constraints.iter().map(constraint) }
                        }
                    </tbody>
                </table>
            </div>
        </section>
    }
}

/// A column's loss, and its level if it has one.
fn gave_up(view: &RunView, name: &str) -> String {
    let Some(column) = view.metrics.columns.iter().find(|column| column.column == name) else { return "–".into() };
    let level = view.lattice.iter().flat_map(|lattice| &lattice.columns).find(|(other, ..)| other == name);
    match level {
        Some((_, level, levels)) => format!("{} (level {level} of {})", percent(column.loss), levels - 1),
        None => percent(column.loss),
    }
}

/// A figure of any size.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value >= 1000.0 { grouped(value as u64) } else { figure(value) }
}
