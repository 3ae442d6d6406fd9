//! F(k), the share of the k most frequent values, under ψ(k), the most that it may be ((τ,ℓ)-diversity, Definition 4).
//! With `onmove`, τ and ℓ can be dragged or moved by the arrow keys.

use web_sys::Element;
use yew::prelude::*;

use crate::privacy::{TOLERANCE, cumulative_limit};
use crate::words::{figure, percent};

/// What is drawn of a class.
#[derive(Clone, PartialEq)]
pub struct Cumulative {
    pub name: AttrValue,
    /// F(1), F(2), …; 1 after the last.
    pub shares: Vec<f64>,
    /// Drawn broken.
    pub faint: bool,
}

/// How τ and ℓ were moved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    Dragging,
    Dropped,
    ByKey,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    pub tau: f64,
    pub l: u32,
    /// Values that may occur: no ℓ is larger.
    pub values: u32,
    pub curves: Vec<Cumulative>,
    #[prop_or_default]
    pub onmove: Option<Callback<(f64, u32, Moved)>>,
}

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 196.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 18.0;
const HEAD: f64 = 18.0;
const FOOT: f64 = 34.0;
/// As many k as are drawn, unless ℓ is larger.
const MOST_K: u32 = 16;

/// Where things are in the picture.
#[derive(Clone, Copy)]
struct Frame {
    last: u32,
}

impl Frame {
    fn x(self, k: u32) -> f64 {
        LEFT + f64::from(k - 1) / f64::from((self.last - 1).max(1)) * (WIDTH - LEFT - RIGHT)
    }

    fn y(self, share: f64) -> f64 {
        HEIGHT - FOOT - share * (HEIGHT - FOOT - HEAD)
    }

    fn k(self, x: f64) -> f64 {
        (x - LEFT) / (WIDTH - LEFT - RIGHT) * f64::from(self.last - 1) + 1.0
    }

    fn share(self, y: f64) -> f64 {
        (HEIGHT - FOOT - y) / (HEIGHT - FOOT - HEAD)
    }

    /// A line through shares from k = 1 on.
    fn path(self, shares: impl Iterator<Item = f64>) -> String {
        let point =
            |(k, share): (u32, f64)| format!("{}{:.1} {:.1}", if k == 1 { "M" } else { "L" }, self.x(k), self.y(share));
        (1..=self.last).zip(shares).map(point).collect()
    }
}

#[component]
pub fn CumulativeChart(props: &Props) -> Html {
    let Props { title, tau, l, values, curves, onmove } = props;
    let (tau, l) = (*tau, *l);
    let frame = Frame { last: (*values).clamp(2, MOST_K).max(l.min(60)) };
    let limit = |k: u32| cumulative_limit(tau, l, k);
    let limits = frame.path((1..=frame.last).map(limit));
    let beyond = format!("{limits}L{:.1} {:.1}L{:.1} {:.1}Z", frame.x(frame.last), HEAD - 8.0, frame.x(1), HEAD - 8.0);
    let full = |shares: &[f64], k: u32| shares.get(k as usize - 1).copied().unwrap_or(1.0);
    let curve = |curve: &Cumulative| {
        let shares = (1..=frame.last).map(|k| full(&curve.shares, k));
        let point = |(k, share): (u32, f64)| {
            let over = share > limit(k) + TOLERANCE;
            html! {
                <circle class={classes!(over.then_some("over"))} cx={format!("{:.1}", frame.x(k))} cy={format!("{:.1}", frame.y(share))} r="3.2">
                    <title>{ format!("{}: the {k} most frequent have {}, at most {} are allowed", curve.name, percent(share), percent(limit(k))) }</title>
                </circle>
            }
        };
        html! {
            <g class={classes!("cumulative", curve.faint.then_some("faint"))}>
                <path class="stroke" d={frame.path(shares.clone())} />
                { for (1..).zip(shares).map(point) }
            </g>
        }
    };
    let every = frame.last.div_ceil(16).max(1);
    let tick = |k: u32| html! { <text x={format!("{:.1}", frame.x(k))} y={format!("{:.1}", HEIGHT - FOOT + 15.0)} text-anchor="middle">{ k }</text> };
    let rung = |share: f64| {
        let y = format!("{:.1}", frame.y(share));
        html! {
            <>
                <line class="axis" x1={LEFT.to_string()} x2={(WIDTH - RIGHT).to_string()} y1={y.clone()} y2={y} />
                <text x={(LEFT - 10.0).to_string()} y={format!("{:.1}", frame.y(share) + 4.0)} text-anchor="end">{ percent(share) }</text>
            </>
        }
    };
    let row = |k: u32| {
        html! {
            <tr><th scope="row">{ k }</th><td>{ percent(limit(k)) }</td>{ for curves.iter().map(|curve| html! { <td>{ percent(full(&curve.shares, k)) }</td> }) }</tr>
        }
    };
    let key = |curve: &Cumulative| html! { <span class={classes!("key", curve.faint.then_some("faint"))}>{ &curve.name }</span> };
    html! {
        <figure class="chart under" tabindex={onmove.is_none().then_some("0")} role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")}>
                <g aria-hidden="true">
                    { for [0.0, 0.5, 1.0].map(rung) }
                    <path class="beyond" d={beyond} />
                    <path class="limit" d={limits} />
                    { for curves.iter().map(curve) }
                    { for (1..=frame.last).filter(|k| (k - 1) % every == 0).map(tick) }
                    <text x={format!("{:.1}", (LEFT + WIDTH - RIGHT) / 2.0)} y={(HEIGHT - 4.0).to_string()} text-anchor="middle">{ "k most frequent values" }</text>
                </g>
                if let Some(onmove) = onmove { { handles(frame, tau, l, *values, onmove) } }
            </svg>
            <figcaption class="keys" aria-hidden="true"><span class="key limit">{ "ψ(k), allowed" }</span>{ for curves.iter().map(key) }</figcaption>
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }</caption>
                <thead><tr><th>{ "k" }</th><th>{ "ψ(k)" }</th>{ for curves.iter().map(|curve| html! { <th>{ &curve.name }</th> }) }</tr></thead>
                <tbody>{ for (1..=frame.last).map(row) }</tbody></table>
        </figure>
    }
}

/// Where a pointer is, in the units of the picture.
fn place(event: &PointerEvent) -> Option<(f64, f64)> {
    let rect = event.target_dyn_into::<Element>()?.closest("svg").ok()??.get_bounding_client_rect();
    let scale = WIDTH / rect.width().max(1.0);
    Some(((f64::from(event.client_x()) - rect.left()) * scale, (f64::from(event.client_y()) - rect.top()) * scale))
}

/// The ends of ψ, which can be moved: τ up and down, ℓ to and fro.
fn handles(frame: Frame, tau: f64, l: u32, values: u32, onmove: &Callback<(f64, u32, Moved)>) -> Html {
    let most = values.max(2);
    let hundredths = |tau: f64| (tau * 100.0).round().clamp(1.0, 100.0) / 100.0;
    let to_l = move |k: f64| k.round().clamp(2.0, f64::from(most.min(frame.last))) as u32;
    let handle = |is_tau: bool| {
        let moved_to = move |event: &PointerEvent| {
            let (x, y) = place(event)?;
            Some(if is_tau { (hundredths(frame.share(y)), l) } else { (tau, to_l(frame.k(x))) })
        };
        let onpointerdown = Callback::from(|event: PointerEvent| {
            event.prevent_default();
            if let Some(target) = event.target_dyn_into::<Element>() {
                // Without the capture, the pointer could be lost by moving fast; dragging still works.
                let _ = target.set_pointer_capture(event.pointer_id());
                let _ = web_sys::wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(target)
                    .map(|target| target.focus());
            }
        });
        let drag = |how: Moved| {
            let onmove = onmove.clone();
            Callback::from(move |event: PointerEvent| {
                if event.buttons() & 1 == 0 && how == Moved::Dragging {
                    return;
                }
                if let Some((tau, l)) = moved_to(&event) {
                    onmove.emit((tau, l, how));
                }
            })
        };
        let onkeydown = {
            let onmove = onmove.clone();
            Callback::from(move |event: KeyboardEvent| {
                let (small, large, first, last) =
                    if is_tau { (0.01, 0.1, 0.01, 1.0) } else { (1.0, 4.0, 2.0, f64::from(most)) };
                let now = if is_tau { tau } else { f64::from(l) };
                let to = match event.key().as_str() {
                    "ArrowUp" | "ArrowRight" => now + small,
                    "ArrowDown" | "ArrowLeft" => now - small,
                    "PageUp" => now + large,
                    "PageDown" => now - large,
                    "Home" => first,
                    "End" => last,
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                let to_l = |l: f64| l.round().clamp(2.0, f64::from(most)) as u32;
                let (tau, l) = if is_tau { (hundredths(to), l) } else { (tau, to_l(to)) };
                onmove.emit((tau, l, Moved::ByKey));
            })
        };
        let (k, share) = if is_tau { (1, tau) } else { (l.clamp(2, frame.last), 1.0) };
        let (name, text) = if is_tau { ("τ", figure(tau)) } else { ("ℓ", l.to_string()) };
        let (least, now, last) = if is_tau { (0.01, tau, 1.0) } else { (2.0, f64::from(l), f64::from(most)) };
        let label =
            if is_tau { (frame.x(1) + 11.0, frame.y(share) + 15.0) } else { (frame.x(k) - 4.0, frame.y(1.0) + 21.0) };
        html! {
            <>
                <circle class={classes!("handle", if is_tau { "up" } else { "across" })} cx={format!("{:.1}", frame.x(k))} cy={format!("{:.1}", frame.y(share))} r="7.5"
                    tabindex="0" role="slider" aria-label={if is_tau { "Drag τ, the share at k = 1" } else { "Drag ℓ, where everything is allowed" }}
                    aria-valuemin={least.to_string()} aria-valuemax={last.to_string()} aria-valuenow={now.to_string()} aria-valuetext={format!("{name} = {text}")}
                    aria-orientation={if is_tau { "vertical" } else { "horizontal" }}
                    {onpointerdown} onpointermove={drag(Moved::Dragging)} onpointerup={drag(Moved::Dropped)} {onkeydown} />
                <text class="handle-name" aria-hidden="true" x={format!("{:.1}", label.0)} y={format!("{:.1}", label.1)}>{ format!("{name} = {text}") }</text>
            </>
        }
    };
    html! { <>{ handle(true) }{ handle(false) }</> }
}
