//! Which (τ,ℓ) the table allows (the paper's eligible range), drawn: F(k) of the table against ψ(k), both ends of which
//! can be moved.

use yew::prelude::*;

use crate::app::charts::{Cumulative, CumulativeChart, Moved};
use crate::app::components::heads;
use crate::setup_view::TauLRange;
use crate::words::figure_at_least;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub tau: f64,
    pub l: u32,
    pub range: TauLRange,
    pub onmove: Callback<(f64, u32, Moved)>,
}

#[component]
pub fn Eligible(Props { tau, l, range, onmove }: &Props) -> Html {
    let (tau, l) = (*tau, *l);
    let curve =
        |name: &'static str, shares: &[f64], faint| Cumulative { name: name.into(), shares: shares.to_vec(), faint };
    let curves = vec![
        curve("F(k), values exact", &range.exact, false),
        curve("F(k) at best, generalizing", &range.generalized, true),
    ];
    let class = match (TauLRange::allows(&range.exact, tau, l), TauLRange::allows(&range.generalized, tau, l)) {
        (true, _) => "ok",
        (false, true) => "warn",
        (false, false) => "bad",
    };
    let from = |shares: &[f64]| format!("from {}", figure_at_least(TauLRange::tau(shares, l)));
    let up_to = |shares: &[f64]| range.l(shares, tau).map_or("none".to_owned(), |l| format!("up to {l}"));
    let row = |name: String, exact: String, generalized: String| html! { <tr><th scope="row">{ name }</th><td>{ exact }</td><td>{ generalized }</td></tr> };
    html! {
        <div class="eligible">
            <CumulativeChart title="The most frequent values of this table, and what is allowed" {tau} {l} values={range.values} {curves} onmove={Some(onmove.clone())} />
            <div>
            <table class="achieved pair">
                { heads(" | #values exact | #generalizing") }
                <tbody>
                    { row(format!("τ, with ℓ = {l}"), from(&range.exact), from(&range.generalized)) }
                    { row(format!("ℓ, with τ = {tau}"), up_to(&range.exact), up_to(&range.generalized)) }
                </tbody>
            </table>
            <p class={classes!("note", class)}>{ range.sentence(tau, l) }</p>
            </div>
        </div>
    }
}
