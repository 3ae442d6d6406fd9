//! Everyone who can be in all releases: ℓ before and after, who is exposed, and how it grows with the releases.

use std::rc::Rc;

use yew::prelude::*;

use super::stat;
use crate::app::charts::{LineChart, PairBars};
use crate::app::components::{heads, says};
use crate::linkage::link::{Growth, LinkView, Spread, WorstOff};
use crate::words::{counted, grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub view: Rc<LinkView>,
    /// Somebody of the worst off was chosen.
    pub onpick: Callback<usize>,
}

/// As many ℓ as have bars of their own.
const BARS: u32 = 11;

#[component]
pub fn Everyone(Props { view, onpick }: &Props) -> Html {
    let population = &view.population;
    let (who, whose) = match population.original {
        true => {
            ("people", format!("people who can be in all releases, of {} in the table", grouped(population.people)))
        }
        false => ("kinds of people", "kinds of people, as the releases tell them apart".to_owned()),
    };
    let share = |people: u64| percent(people as f64 / population.linked.max(1) as f64);
    let exposed = |people: u64| if people == 0 { "ok" } else { "bad" };
    let growth: Vec<(AttrValue, u64)> =
        view.by_releases.iter().map(|growth| (growth.releases.to_string().into(), growth.exposed)).collect();
    html! {
        <>
            <section class="row c4" aria-label="Everyone in short">
                { stat("", grouped(population.linked), whose) }
                { stat(exposed(view.exposed_before), grouped(view.exposed_before), format!("{who} exposed by a single release ({})", share(view.exposed_before))) }
                { stat(exposed(view.exposed_after), grouped(view.exposed_after), format!("{who} exposed by all together ({})", share(view.exposed_after))) }
                { stat(if view.worst_case > 1 { "ok" } else { "" }, view.worst_case.to_string(), format!("the least ℓ that {} like these can leave", counted(view.releases.len() as u64, "release"))) }
            </section>
            if !population.complete {
                { says("note warn", "There are more combinations of classes than are looked at; give the original table to count its people instead.") }
            }
            if !population.unknown.is_empty() {
                { says("note warn", &format!("The open table lacks {}, so nothing is known of these.", population.unknown.join(", "))) }
            }
            if population.linked > 0 {
                <div class="row everyone">
                    <section class="panel">
                        <h2>{ "Everyone in all releases" }</h2>
                        <PairBars title={format!("Number of {who} by how many values are possible for them")} pairs={pairs(&view.before, &view.after)} alarm={true}
                            names={("in a single release", "after linking all")} unit={who} />
                    </section>
                    <section class="panel">
                        <h2>{ "With every release" }</h2>
                        <LineChart title={format!("Exposed {who} by number of releases")} points={growth} />
                        <table class="achieved pair growth">{ heads("releases | #exposed | #least ℓ | #middle ℓ") }
                            <tbody>{ for view.by_releases.iter().map(grown) }</tbody></table>
                    </section>
                </div>
                { worst_off(view, onpick) }
            }
        </>
    }
}

fn grown(growth: &Growth) -> Html {
    let possible = || growth.spread.iter().filter(|(l, _)| *l > 0);
    let all: u64 = possible().map(|(_, people)| people).sum();
    let least = possible().map(|(l, _)| *l).next().unwrap_or(0);
    let mut seen = 0;
    let middle = possible().find(|(_, people)| {
        seen += people;
        2 * seen >= all
    });
    let middle = middle.map_or(0, |(l, _)| *l);
    html! { <tr><th scope="row">{ growth.releases }</th><td class="n">{ grouped(growth.exposed) }</td><td class="n">{ least }</td><td class="n">{ if all > 0 { middle.to_string() } else { "–".to_owned() } }</td></tr> }
}

fn pairs(before: &Spread, after: &Spread) -> Vec<(AttrValue, u64, u64)> {
    let most = before.iter().chain(after).map(|(l, _)| *l).max().unwrap_or(1);
    let count = |spread: &Spread, from: u32, to: u32| -> u64 {
        spread.iter().filter(|(l, _)| (from..=to).contains(l)).map(|(_, people)| people).sum()
    };
    // Wide spreads are banded, but what is small is told apart.
    let width = (most.saturating_sub(5)).div_ceil(BARS - 5).max(1);
    let mut pairs = Vec::new();
    let mut from = 1;
    while from <= most {
        let to = if width == 1 || from <= 5 { from } else { from + width - 1 };
        let label = if from == to { format!("ℓ = {from}") } else { format!("{from}–{to}") };
        pairs.push((label.into(), count(before, from, to), count(after, from, to)));
        from = to + 1;
    }
    let nobody = count(after, 0, 0);
    if nobody > 0 {
        pairs.push(("nobody".into(), 0, nobody));
    }
    pairs
}

/// Those who are left with the fewest values.
fn worst_off(view: &LinkView, onpick: &Callback<usize>) -> Html {
    let row = |(place, worst): (usize, &WorstOff)| {
        let cell = |cell: &Option<String>| html! { <td>{ cell.clone().unwrap_or_else(|| "–".into()) }</td> };
        let class = if worst.after == 1 { "bad-text" } else { "" };
        html! { <tr>{ for worst.cells.iter().map(cell) }<td class="n">{ worst.before }</td><td class={classes!("n", class)}>{ worst.after }</td>
        <td><button class="btn tiny" onclick={onpick.reform(move |_| place)} aria-label={format!("Attack person {}", place + 1)}>{ "Attack" }</button></td></tr> }
    };
    if view.worst_off.is_empty() {
        return Html::default();
    }
    html! {
        <details class="panel roles">
            <summary>{ format!("Who is worst off ({})", view.worst_off.len()) }</summary>
            <div class="scroll tall" tabindex="0" role="region" aria-label="Who is worst off">
                <table class="data"><thead><tr>{ for view.quasi.iter().map(|name| html! { <th scope="col">{ name }</th> }) }<th scope="col" class="n">{ "ℓ before" }</th><th scope="col" class="n">{ "ℓ after" }</th><th><span class="sr-only">{ "attack" }</span></th></tr></thead>
                    <tbody>{ for view.worst_off.iter().enumerate().map(row) }</tbody></table>
            </div>
        </details>
    }
}
