//! Curves over two axes, with a guide that follows the pointer or the arrow keys, and the figures as a table.

use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use crate::linkage::calculator::Curve;
use crate::words::{figure, grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// What the axes are.
    pub x: AttrValue,
    pub y: AttrValue,
    pub curves: Vec<Curve>,
    /// The upright axis by powers of ten.
    #[prop_or_default]
    pub log: bool,
    /// The upright axis is of shares.
    #[prop_or_default]
    pub shares: bool,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 10.0;
const FOOT: f64 = 36.0;
/// Rows of the table of figures.
const ROWS: usize = 20;
/// Steps of the guide by keys.
const STEPS: f64 = 50.0;

/// What is drawn where.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    log: bool,
}

impl Frame {
    fn new(curves: &[Curve], log: bool, shares: bool) -> Self {
        let points =
            || curves.iter().flat_map(|curve| &curve.points).filter(|point| point.0.is_finite() && point.1.is_finite());
        let least = |of: fn(&(f64, f64)) -> f64| points().map(of).reduce(f64::min).unwrap_or(0.0);
        let most = |of: fn(&(f64, f64)) -> f64| points().map(of).reduce(f64::max).unwrap_or(1.0);
        let (low, high) = (least(|point| point.1), most(|point| point.1));
        let y = match log {
            true => (10f64.powf(low.max(1e-9).log10().floor()), 10f64.powf(high.max(1e-9).log10().ceil())),
            false => (0.0, if shares { high.max(0.01) } else { high.max(1e-9) } * 1.04),
        };
        Frame { x: (least(|point| point.0), most(|point| point.0)), y, log }
    }

    fn across(&self, x: f64) -> f64 {
        let wide = (self.x.1 - self.x.0).max(f64::MIN_POSITIVE);
        LEFT + (x - self.x.0) / wide * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, y: f64) -> f64 {
        let scale = |y: f64| if self.log { y.max(1e-9).log10() } else { y };
        let (low, high) = (scale(self.y.0), scale(self.y.1));
        let tall = (high - low).max(f64::MIN_POSITIVE);
        HEIGHT - FOOT - (scale(y) - low) / tall * (HEIGHT - FOOT - TOP)
    }

    fn y_ticks(&self) -> Vec<f64> {
        if !self.log {
            return ticks(0.0, self.y.1, 5);
        }
        let (low, high) = (self.y.0.log10().round() as i32, self.y.1.log10().round() as i32);
        (low..=high).map(|power| 10f64.powi(power)).collect()
    }
}

/// Round numbers between two, about so many.
pub fn ticks(low: f64, high: f64, about: u32) -> Vec<f64> {
    let rough = (high - low).max(1e-12) / f64::from(about);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(power * 10.0);
    let first = (low / step - 1e-9).ceil();
    (0..20).map(|place| (first + f64::from(place)) * step).take_while(|tick| *tick <= high * (1.0 + 1e-9)).collect()
}

fn near(curve: &Curve, x: f64) -> Option<(f64, f64)> {
    curve
        .points
        .iter()
        .copied()
        .reduce(|best, other| if (other.0 - x).abs() < (best.0 - x).abs() { other } else { best })
}

/// A figure of an axis, with as many digits as small ones need.
pub fn number(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 0.001 => small(value),
        size if size >= 1000.0 => grouped(value.round() as u64),
        _ => figure(value),
    }
}

/// A small figure, as a person writes it while that has not too many zeros.
pub fn small(value: f64) -> String {
    if (1e-5..0.001).contains(&value) {
        return format!("{value:.7}").trim_end_matches('0').to_owned();
    }
    if value < 1e-5 { format!("{value:.2e}") } else { figure(value) }
}

#[component]
pub fn Plot(props: &Props) -> Html {
    let Props { title, curves, shares, .. } = props;
    // The guide's place on the x axis, as a share of it.
    let guide = use_state(|| None::<f64>);
    let svg = use_node_ref();
    if curves.iter().all(|curve| curve.points.is_empty()) {
        return html! { <p class="faint">{ "Nothing to draw for these settings." }</p> };
    }
    let frame = Frame::new(curves, props.log, *shares);
    let y_text = |y: f64| if *shares { percent(y) } else { number(y) };
    let onpointermove = {
        let (guide, svg) = (guide.clone(), svg.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(drawn) = svg.cast::<Element>().map(|svg| svg.get_bounding_client_rect()) else { return };
            let x = (f64::from(event.client_x()) - drawn.left()) / drawn.width().max(1.0) * WIDTH;
            guide.set(Some(((x - LEFT) / (WIDTH - LEFT - RIGHT)).clamp(0.0, 1.0)));
        })
    };
    let onpointerleave = {
        let guide = guide.clone();
        Callback::from(move |_: PointerEvent| guide.set(None))
    };
    let onkeydown = {
        let guide = guide.clone();
        Callback::from(move |event: KeyboardEvent| {
            let step = match event.key().as_str() {
                "ArrowRight" => 1.0 / STEPS,
                "ArrowLeft" => -1.0 / STEPS,
                _ => return,
            };
            event.prevent_default();
            guide.set(Some((guide.unwrap_or(0.5) + step).clamp(0.0, 1.0)));
        })
    };
    let at = guide.map(|share| frame.x.0 + share * (frame.x.1 - frame.x.0));
    let line = |(index, curve): (usize, &Curve)| {
        let points = curve.points.iter().map(|&(x, y)| format!("{:.1} {:.1}", frame.across(x), frame.up(y)));
        let path = format!("M{}", points.collect::<Vec<_>>().join("L"));
        let dots = curve.points.iter().filter(|_| curve.points.len() <= 16);
        html! {
            <g class={format!("c{}", index % 8)}>
                <path d={path} />
                { for dots.map(|&(x, y)| html! { <circle cx={format!("{:.1}", frame.across(x))} cy={format!("{:.1}", frame.up(y))} r="3" /> }) }
                if let Some((x, y)) = at.and_then(|at| near(curve, at)) { <circle cx={format!("{:.1}", frame.across(x))} cy={format!("{:.1}", frame.up(y))} r="4" /> }
            </g>
        }
    };
    let x_tick = |&x: &f64| {
        let across = format!("{:.1}", frame.across(x));
        html! { <text x={across} y={(HEIGHT - FOOT + 15.0).to_string()} text-anchor="middle">{ number(x) }</text> }
    };
    let y_tick = |&y: &f64| {
        let up = frame.up(y);
        html! {
            <>
                <line class="grid" x1={LEFT.to_string()} x2={(WIDTH - RIGHT).to_string()} y1={format!("{up:.1}")} y2={format!("{up:.1}")} />
                <text x={(LEFT - 6.0).to_string()} y={format!("{:.1}", up + 3.5)} text-anchor="end">{ y_text(y) }</text>
            </>
        }
    };
    let entry = |(index, curve): (usize, &Curve)| {
        let value = at.and_then(|at| near(curve, at)).map(|(_, y)| y_text(y));
        html! { <li class={format!("c{}", index % 8)}><svg width="22" height="8" aria-hidden="true"><path d="M1 4H21" /></svg>{ &curve.name }if let Some(value) = value { <b>{ value }</b> }</li> }
    };
    let whole = frame.x.1.fract() == 0.0 && frame.x.0.fract() == 0.0 && frame.x.1 - frame.x.0 <= 10.0;
    let x_ticks = ticks(frame.x.0, frame.x.1, if whole { (frame.x.1 - frame.x.0) as u32 + 1 } else { 6 });
    html! {
        <figure class="chart plot" tabindex="0" role="group" aria-label={title.clone()} {onkeydown} {onpointerleave}>
            <figcaption><b>{ title }</b><span class="faint">{ at.map(|at| format!("{} = {}", props.x, number(at))) }</span></figcaption>
            <svg ref={svg} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} {onpointermove} aria-hidden="true">
                { for frame.y_ticks().iter().map(y_tick) }
                { for x_ticks.iter().map(x_tick) }
                <text x={((LEFT + WIDTH - RIGHT) / 2.0).to_string()} y={(HEIGHT - 3.0).to_string()} text-anchor="middle">{ &props.x }</text>
                <text transform={format!("rotate(-90 10 {0})", (HEIGHT - FOOT) / 2.0)} x="10" y={((HEIGHT - FOOT) / 2.0).to_string()} text-anchor="middle">{ &props.y }</text>
                if let Some(at) = at {
                    <line class="guide" x1={format!("{:.1}", frame.across(at))} x2={format!("{:.1}", frame.across(at))} y1={TOP.to_string()} y2={(HEIGHT - FOOT).to_string()} />
                }
                { for curves.iter().enumerate().map(line) }
            </svg>
            <ul class="legend" aria-live="polite">{ for curves.iter().enumerate().map(entry) }</ul>
            <super::SavePicture title={title.clone()} />
            <details class="figures"><summary>{ "Figures" }</summary>
                <div class="scroll tall" tabindex="0" role="region" aria-label={format!("Figures of {title}")}>{ figures(props, &y_text) }</div></details>
        </figure>
    }
}

/// Some points of each curve.
fn figures(props: &Props, y_text: &dyn Fn(f64) -> String) -> Html {
    let longest = props.curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0);
    let every = longest.div_ceil(ROWS).max(1);
    let cell = |curve: &Curve, place: usize| match curve.points.get(place) {
        Some(&(x, y)) => html! { <><td class="n">{ number(x) }</td><td class="n">{ y_text(y) }</td></> },
        None => html! { <><td></td><td></td></> },
    };
    let head = |curve: &Curve| html! { <><th scope="col" class="n">{ &props.x }</th><th scope="col" class="n">{ &curve.name }</th></> };
    html! {
        <table class="achieved pair"><thead><tr>{ for props.curves.iter().map(head) }</tr></thead>
            <tbody>{ for (0..longest).step_by(every).map(|place| html! { <tr>{ for props.curves.iter().map(|curve| cell(curve, place)) }</tr> }) }</tbody></table>
    }
}
