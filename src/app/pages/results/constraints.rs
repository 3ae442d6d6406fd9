//! The diversity constraints after a run: the rows that show each group, before and after, and without the constraints.

use yew::prelude::*;

use super::without_limits::use_unconstrained;
use crate::app::components::{failed, heads, says};
use crate::app::state::Ran;
use crate::run::ConstraintRun;
use crate::words::{figure, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

const WIDTH: f64 = 220.0;

/// Rows of a table at most, whose release is compared without being asked for it.
const AT_ONCE: u64 = 2000;

#[component]
pub fn ConstraintsPanel(Props { run }: &Props) -> Html {
    let by_diva = run.view.colouring.is_some();
    let at_once = by_diva && run.view.verified.rows + run.view.verified.suppressed < AT_ONCE;
    let (plain, button) = use_unconstrained(run, at_once, "Compare with a plain k-anonymizer");
    let other = plain.as_ref().and_then(|plain| plain.as_ref().ok());
    let row = |(place, constraint): (usize, &ConstraintRun)| {
        let without = other.and_then(|other| other.counts.get(place).copied());
        let missed = without.is_some_and(|count| out(constraint, count));
        html! {
            <tr>
                <th scope="row"><code>{ &constraint.text }</code></th>
                <td>{ bar(constraint, without) }</td>
                <td class="n">{ grouped(constraint.before) }</td>
                <td class="n"><b>{ grouped(constraint.after) }</b></td>
                if let Some(count) = without { <td class={classes!("n", missed.then_some("missed"))}>{ grouped(count) }</td> }
            </tr>
        }
    };
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "Groups that stayed visible" }</h2>
                if by_diva { { button } }</div>
            <table class="achieved groups">
                { heads(if other.is_some() { "constraint | (allowed) | #before | #after | #without constraints" } else { "constraint | (allowed) | #before | #after" }) }
                <tbody>{ for run.view.diversity.iter().enumerate().map(row) }</tbody>
            </table>
            <p class="faint marks">{ sign("allowed") }{ "allowed" }{ sign("ring") }{ "before" }{ sign("dot") }{ "after" }if other.is_some() { { sign("cross") }{ "k-member without the constraints" } }</p>
            {
                match &*plain {
                    Some(Err(failure)) => failed("warn", failure),
                    Some(Ok(other)) => says("soft", &format!("Information loss {} with the constraints, {} without; {} and {} rows suppressed.", figure(run.view.metrics.loss), figure(other.loss), grouped(run.view.verified.suppressed), grouped(other.suppressed))),
                    None => Html::default(),
                }
            }
        </section>
    }
}

fn out(constraint: &ConstraintRun, count: u64) -> bool {
    count < constraint.least || constraint.most.is_some_and(|most| count > most)
}

/// The counts on a line, with the allowed range as a band; each kind at its own height, so that all stay readable.
fn bar(constraint: &ConstraintRun, without: Option<u64>) -> Html {
    let most = constraint
        .before
        .max(constraint.after)
        .max(constraint.least)
        .max(constraint.most.unwrap_or(0))
        .max(without.unwrap_or(0))
        .max(1);
    let at = |rows: u64| 6.0 + rows as f64 / most as f64 * (WIDTH - 12.0);
    let (low, high) = (at(constraint.least), constraint.most.map_or(WIDTH, at));
    html! {
        <svg class="bounds" width={WIDTH.to_string()} height="28" aria-hidden="true">
            <rect class="back" y="12" width={WIDTH.to_string()} height="4" rx="2" />
            <rect class="allowed" x={format!("{low:.1}")} y="9" width={format!("{:.1}", (high - low).max(3.0))} height="10" rx="2" />
            { mark("ring", at(constraint.before), 4.0) }
            { mark("dot", at(constraint.after), 14.0) }
            if let Some(count) = without { { mark(if out(constraint, count) { "cross out" } else { "cross" }, at(count), 24.0) } }
        </svg>
    }
}

/// A mark at a place.
fn mark(kind: &'static str, x: f64, y: f64) -> Html {
    let d = match kind {
        "allowed" => "M-6 -4h12v8h-12z",
        "ring" | "dot" => "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
        _ => "M-3 -3l6 6m0 -6l-6 6",
    };
    html! { <path class={kind} {d} transform={format!("translate({x:.1} {y})")} /> }
}

/// The same in the legend.
fn sign(kind: &'static str) -> Html {
    html! { <svg class="bounds" width="14" height="10" aria-hidden="true">{ mark(kind, 7.0, 5.0) }</svg> }
}
