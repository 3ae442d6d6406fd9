//! The release beside what 1DLD and CLD make of the same (τ,ℓ).

use yew::prelude::*;

use crate::app::components::{button, failed, says};
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::failure::{Failure, FailureKind};
use crate::progress::Report;
use crate::protocol::{Request, Response};
use crate::run::Peer;
use crate::words::{figure, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

/// How far the comparison is.
#[derive(Clone, PartialEq)]
enum Stage {
    Open,
    Asking(u32, Option<Report>),
    Known(Result<Vec<Peer>, Failure>),
}

#[component]
pub fn PeersPanel(Props { run }: &Props) -> Html {
    let handle = use_handle();
    let stage = use_state(|| Stage::Open);
    {
        let stage = stage.clone();
        use_effect_with(run.number, move |_| stage.set(Stage::Open));
    }
    let ask = {
        let (client, stage) = (handle.client.clone(), stage.clone());
        Callback::from(move |_: MouseEvent| {
            // The call's number is known only after it was made, and reports come later still.
            let number = std::rc::Rc::new(std::cell::Cell::new(0));
            let on_report = {
                let (stage, number) = (stage.clone(), number.clone());
                move |report: Report, _| stage.set(Stage::Asking(number.get(), Some(report)))
            };
            let call = client.request(Request::Peers, &[], on_report);
            number.set(call.id);
            stage.set(Stage::Asking(call.id, None));
            let stage = stage.clone();
            wasm_bindgen_futures::spawn_local(async move {
                stage.set(match call.outcome().await {
                    Ok(Response::Peers(peers)) => Stage::Known(Ok(peers)),
                    Err(failure) if failure.kind != FailureKind::Cancelled => Stage::Known(Err(failure)),
                    _ => Stage::Open,
                });
            });
        })
    };
    let (client, now) = (handle.client.clone(), stage.clone());
    let cancel = Callback::from(move |_: MouseEvent| {
        if let Stage::Asking(id, _) = &*now {
            client.cancel(*id);
        }
    });
    html! {
        <section class="panel peers">
            <div class="with-button"><h2>{ "Beside 1DLD and CLD" }</h2>
                { match &*stage {
                    Stage::Open => html! { { button("btn small", "Compare", ask) } },
                    Stage::Asking(..) => html! { { button("btn small", "Cancel", cancel) } },
                    Stage::Known(_) => Html::default(),
                } }</div>
            { match &*stage {
                Stage::Open => says("soft", "What do 1-D ℓ-diversity and the lattice with recursive (c, ℓ)-diversity make of the same (τ, ℓ)? Both are searched for their best release that happens to meet it."),
                Stage::Asking(_, report) => html! {
                    <div class="replay" role="status"><progress max="1" value={report.as_ref().and_then(|report| report.fraction).map(|fraction| fraction.to_string())} aria-label="Comparing" />
                        <span class="soft">{ report.as_ref().map_or_else(|| "Comparing…".to_owned(), |report| format!("{} {}", report.phase, report.detail)) }</span></div>
                },
                Stage::Known(Err(failure)) => failed("warn", failure),
                Stage::Known(Ok(peers)) => compared(run, peers),
            } }
        </section>
    }
}

fn compared(run: &Ran, peers: &[Peer]) -> Html {
    let view = &run.view;
    let all = view.verified.rows + view.verified.suppressed;
    let row = |name: &str, own: String, of: &dyn Fn(&Peer) -> String| {
        html! {
            <tr><th scope="row">{ name }</th><td>{ own }</td>{ for peers.iter().map(|peer| html! { <td>{ of(peer) }</td> }) }</tr>
        }
    };
    let told = |peer: &Peer, what: fn(&crate::run::PeerRelease) -> String| {
        peer.found.as_ref().map_or_else(|| "–".to_owned(), what)
    };
    let nothing: Vec<&str> = peers.iter().filter(|peer| peer.found.is_none()).map(|peer| peer.name.as_str()).collect();
    html! {
        <>
            <table class="achieved pair">
                <thead><tr><td /><th scope="col" class="n">{ view.algorithm.name() }</th>{ for peers.iter().map(|peer| html! { <th scope="col" class="n">{ &peer.name }</th> }) }</tr></thead>
                <tbody>
                    { row("utility um", figure(view.metrics.utility), &|peer| told(peer, |found| figure(found.utility))) }
                    { row("excessive protection", view.metrics.excessive_protection.map_or_else(String::new, figure), &|peer| told(peer, |found| figure(found.excess))) }
                    { row("rows lost", grouped(view.verified.suppressed), &|peer| grouped(if peer.found.is_some() { 0 } else { all })) }
                    { row("classes", grouped(view.verified.classes), &|peer| told(peer, |found| grouped(found.classes))) }
                    { row("found with", String::new(), &|peer| told(peer, |found| match found.c {
                        Some(c) => format!("c {}, ℓ {}", figure(c), found.l),
                        None => format!("ℓ {}", found.l),
                    })) }
                    { row("time, ms", figure(view.milliseconds[0].round()), &|peer| figure(peer.milliseconds.round())) }
                </tbody>
            </table>
            if !nothing.is_empty() {
                <p class="note ok">{ format!("{} can publish nothing under this requirement.", nothing.join(" and ")) }</p>
            }
        </>
    }
}
