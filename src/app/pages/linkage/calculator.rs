//! The calculator: how many rows (ℓ,δ)-diversity takes, live, with the plots of the paper's Figures 1 and 2.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::stat;
use super::state::Calculator;
use crate::app::charts::{Plot, small};
use crate::app::components::{NumberField, failed, option, says};
use crate::app::{Handle, use_handle};
use crate::failure::Failure;
use crate::linkage::calculator::{Curve, MechanismQuestion, MechanismView, PGiven, Shape};
use crate::linkage::mechanism::Bound;
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::grouped;

#[component]
pub fn CalculatorPart() -> Html {
    let handle = use_handle();
    let question = &handle.state.linkage.calculator.question;
    let found = use_state(|| None::<Result<Box<MechanismView>, Failure>>);
    let latest = use_mut_ref(|| 0u32);
    let revision = handle.state.loaded.as_ref().map_or(0, |loaded| loaded.revision);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((asked(question), revision), move |(question, _)| {
            let call = client.request(Request::Mechanism(question.clone()), &[], |_, _| {});
            let id = call.id;
            *latest.borrow_mut() = id;
            wasm_bindgen_futures::spawn_local(async move {
                let outcome = call.outcome().await.and_then(|response| match response {
                    Response::Mechanism(view) => Ok(view),
                    other => Err(super::state::failure_of(Ok(other))),
                });
                // Only what was asked last is shown.
                if *latest.borrow() == id {
                    found.set(Some(outcome));
                }
            });
        });
    }
    let failure = found.as_ref().and_then(|found| found.as_ref().err().cloned());
    html! {
        <>
            <Settings />
            if let Some(failure) = failure {
                { failed("bad", &failure) }
            }
            if let Some(Ok(view)) = &*found { { shown(question, view) } }
        </>
    }
}

/// The question with what the plots compare: what was set is among it.
fn asked(question: &MechanismQuestion) -> MechanismQuestion {
    let mut asked = question.clone();
    let first = |list: &mut Vec<f64>, own: f64| {
        list.retain(|other| *other != own);
        list.insert(0, own);
        list.truncate(2);
    };
    if let PGiven::Share(share) = asked.p {
        first(&mut asked.shares, share);
    }
    first(&mut asked.deltas, asked.delta);
    asked.ls.retain(|other| *other != question.l);
    asked.ls.insert(0, question.l);
    asked.ls.truncate(2);
    // In the order of their size, as the paper has them.
    asked.ls.sort_unstable();
    asked
}

/// The sensitive columns of the open table.
fn sensitive(handle: &Handle) -> Vec<String> {
    let Some(loaded) = &handle.state.loaded else { return Vec::new() };
    let columns = loaded.setup.columns.iter().zip(&loaded.summary.columns);
    columns.filter(|(column, _)| column.role == Role::Sensitive).map(|(_, summary)| summary.name.clone()).collect()
}

#[component]
fn Settings() -> Html {
    let handle = use_handle();
    let Calculator { question, ratio } = &handle.state.linkage.calculator;
    let columns = sensitive(&handle);
    let choice = match question.shape {
        Shape::Uniform => 0,
        Shape::Geometric { .. } => 1,
        Shape::Table => 2 + columns.iter().position(|name| question.sensitive.as_ref() == Some(name)).unwrap_or(0),
    };
    let onshape = {
        let columns = columns.clone();
        handle.changing(move |linkage, event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            let Calculator { question, ratio } = &mut linkage.calculator;
            question.shape = match choice {
                0 => Shape::Uniform,
                1 => Shape::Geometric { ratio: *ratio },
                _ => Shape::Table,
            };
            question.sensitive = choice.checked_sub(2).and_then(|place| columns.get(place).cloned());
        })
    };
    let by_share = matches!(question.p, PGiven::Share(_));
    let (PGiven::Share(p) | PGiven::Exactly(p)) = question.p;
    let onkind = handle.changing(|linkage, event: Event| {
        let exactly = event.target_unchecked_into::<HtmlSelectElement>().selected_index() == 1;
        linkage.calculator.question.p = if exactly { PGiven::Exactly(0.0002) } else { PGiven::Share(0.01) };
    });
    let number = |label: &'static str, name: &'static str, value: f64, step: f64, set: fn(&mut Calculator, f64)| {
        let ontype = handle.changing(move |linkage, number: f64| set(&mut linkage.calculator, number));
        html! { <NumberField {label} {name} {value} {step} {ontype} onleave={Callback::noop()} /> }
    };
    html! {
        <section class="panel calculator" aria-label="Settings of the calculator">
            <div class="fields">
                <label class="field">{ "sensitive values" }
                    <select onchange={onshape} aria-label="Distribution of the sensitive values">
                        { option(choice == 0, "all equally likely") }
                        { option(choice == 1, "geometric: each ρ times the one before") }
                        { for columns.iter().enumerate().map(|(place, name)| option(choice == place + 2, &format!("as in {name} of the open table"))) }
                    </select></label>
                if choice == 1 {
                    { number("ρ", "ρ, ratio of two neighbours", *ratio, 0.01, |calculator, number| {
                        calculator.ratio = number;
                        calculator.question.shape = Shape::Geometric { ratio: number };
                    }) }
                }
                if choice < 2 {
                    { number("|S|", "Number of sensitive values", question.values.into(), 1.0, |calculator, number| calculator.question.values = number as u32) }
                    { number("|Q|", "Number of quasi-identifiers", question.quasi as f64, 100.0, |calculator, number| calculator.question.quasi = number as u64) }
                }
                { number("ℓ", "ℓ, values that each class shall have", question.l.into(), 1.0, |calculator, number| calculator.question.l = number as u32) }
                { number("δ", "δ, probability of failure", question.delta, 0.01, |calculator, number| calculator.question.delta = number) }
                <span class="pair">
                    <label class="field"><span class="sr-only">{ "How p is given" }</span><select class="small" onchange={onkind}>{ option(by_share, "p = β · p_ℓ, β") }{ option(!by_share, "p") }</select></label>
                    { number("", "p or β", p, if by_share { 0.01 } else { 0.0001 }, |calculator, number| {
                        calculator.question.p = match calculator.question.p {
                            PGiven::Share(_) => PGiven::Share(number),
                            PGiven::Exactly(_) => PGiven::Exactly(number),
                        };
                    }) }
                </span>
            </div>
            if columns.is_empty() { { says("faint", "With a table open that has a sensitive column, its own distribution can be taken.") } }
        </section>
    }
}

fn shown(question: &MechanismQuestion, view: &MechanismView) -> Html {
    let by = match view.by {
        Bound::Quasi => "|Q|: there are no more quasi-identifiers",
        Bound::Mass => "1/(ℓp): each class has ℓ values of probability p",
        Bound::Rest => "Σ p_i / p from i = ℓ on: each class has a value beyond the ℓ − 1 most frequent",
    };
    let row = |name: &str, value: String| html! { <tr><th scope="row">{ name }</th><td>{ value }</td></tr> };
    let marginal = Curve {
        name: "P(s)".into(),
        points: view.marginal.iter().take(200).zip(1..).map(|(p, place)| (f64::from(place), *p)).collect(),
    };
    let figures = match question.shape {
        Shape::Uniform => ("Figure 1a: N by δ", "Figure 1b: N by p", "N by ℓ"),
        Shape::Geometric { .. } => ("Figure 2a: N by δ", "N by p", "Figure 2b: N by ℓ"),
        Shape::Table => ("N by δ", "N by p", "N by ℓ"),
    };
    html! {
        <>
            <section class="row c4" aria-label="What it takes">
                { stat("ok", grouped(view.rows), format!("rows needed: N = {}", precise(view.needed))) }
                { stat("", precise(view.classes_at_most), format!("classes at most (m), by {}", by.split(':').next().unwrap_or_default())) }
                { stat("", small(view.p), format!("p; at most p_ℓ = {}", small(view.largest_p))) }
                { stat("", grouped(view.independent), "classes, where values and quasi-identifiers are independent and all of these equally likely".into()) }
            </section>
            <div class="row c2">
                <section class="panel"><Plot title={figures.0} x="δ" y="N" curves={view.by_delta.clone()} /></section>
                <section class="panel"><Plot title={figures.1} x="p" y="N" log=true curves={view.by_p.clone()} /></section>
                <section class="panel"><Plot title={figures.2} x="ℓ" y="N" log=true curves={view.by_l.clone()} /></section>
                <section class="panel">
                    <Plot title="How likely the sensitive values are" x="value" y="P" curves={vec![marginal]} />
                </section>
            </div>
            <section class="panel">
                <h2>{ "How it is calculated" }</h2>
                    <table class="achieved"><tbody>
                        { row("sensitive values |S|", grouped(view.values)) }
                        { row("quasi-identifiers |Q|", grouped(view.quasi)) }
                        { row("N = ln(mℓ/δ) / ln(1/(1−p))", precise(view.needed)) }
                        { row("m, by Lemma 4.3", by.into()) }
                        { row("⌊p_ℓ/p⌋, Corollary 4.8", grouped(view.corollary)) }
                    </tbody></table>
            </section>
        </>
    }
}

/// As the paper's figures are compared: two digits behind the point.
fn precise(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.split_once('.') {
        Some((whole, "00")) => whole.parse().map_or(text.clone(), grouped),
        Some((whole, digits)) => format!("{}.{digits}", whole.parse().map_or(whole.to_owned(), grouped)),
        None => text,
    }
}
