//! How bad linking can be, for any |S|, ℓ and t: the formula, and classes that attain it.

use yew::prelude::*;

use crate::app::charts::LineChart;
use crate::app::components::{Slider, says};
use crate::linkage::worst_case::{construction, worst_case};
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub values: u32,
    pub l: u32,
    pub releases: u32,
}

/// As many values and releases as the picture has room for.
const DRAWN: u32 = 40;
const MOST_RELEASES: u32 = 8;

#[component]
pub fn WorstCase(props: &Props) -> Html {
    let wish = use_state(|| (props.values.max(2), props.l.max(1), props.releases));
    let (values, l, releases) = *wish;
    let l = l.min(values);
    let set = |change: fn(&mut (u32, u32, u32), u32)| {
        let wish = wish.clone();
        Callback::from(move |number: f64| {
            let mut next = *wish;
            change(&mut next, number as u32);
            wish.set(next);
        })
    };
    let left = worst_case(values, l, releases);
    let points: Vec<(AttrValue, u64)> =
        (1..=MOST_RELEASES).map(|t| (t.to_string().into(), worst_case(values, l, t).into())).collect();
    html! {
        <section class="panel worst-case">
            <h2>{ "The worst that can be" }</h2>
            <div class="sliders">
                <Slider label="values |S|" value={f64::from(values)} least={2.0} most={f64::from(props.values.clamp(40, 200))} onset={set(|wish, number| wish.0 = number)} />
                <Slider label="ℓ of each release" value={f64::from(l)} least={1.0} most={f64::from(values)} onset={set(|wish, number| wish.1 = number)} />
                <Slider label="releases t" value={f64::from(releases)} least={1.0} most={f64::from(MOST_RELEASES)} onset={set(|wish, number| wish.2 = number)} />
            </div>
            <p class={classes!("note", if left == 1 { "bad" } else if left < l { "warn" } else { "ok" })} aria-live="polite">
                { format!("max(1, {values} − {releases}·({values} − {l})) = {left}: ") }
                { if left == 1 { format!("{} can expose a person.", counted(releases.into(), "such release")) } else { format!("whatever the releases, at least {left} values stay possible.") } }
            </p>
            <div class="row c2">
                <div>{ says("faint", "ℓ left by number of releases") }<LineChart title="The least ℓ that can be left, by number of releases" {points} /></div>
                { classes_that_attain(values, l, releases) }
            </div>
        </section>
    }
}

/// One row a release, one square a value; full where the person's class has it.
fn classes_that_attain(values: u32, l: u32, releases: u32) -> Html {
    if values > DRAWN {
        return Html::default();
    }
    let classes = construction(values, l, releases);
    let step = (300.0 / f64::from(values)).min(18.0);
    let square = |row: usize, value: u32, class: &'static str| {
        html! { <rect {class} x={format!("{:.1}", f64::from(value) * step)} y={(row * 20).to_string()} width={format!("{:.1}", step - 2.0)} height="14" rx="2" /> }
    };
    let row = |(row, class): (usize, &Vec<u32>)| {
        (0..values)
            .map(move |value| square(row, value, if class.contains(&value) { "has" } else { "lacks" }))
            .collect::<Html>()
    };
    let in_all = |value: u32| classes.iter().all(|class| class.contains(&value));
    let both = (0..values).map(|value| square(classes.len(), value, if in_all(value) { "left" } else { "lacks" }));
    let height = (classes.len() + 1) * 20;
    html! {
        <figure class="chart construction" role="group" aria-label={format!("{} of {l} values each that leave {}", counted(releases.into(), "class"), worst_case(values, l, releases))}>
            { says("faint", "Classes that attain it: a row a release, the last what is left") }
            <svg viewBox={format!("0 0 {:.0} {height}", step * f64::from(values))} style={format!("max-width:{:.0}px", step * f64::from(values))} aria-hidden="true">
                { for classes.iter().enumerate().map(row) }{ for both }
            </svg>
        </figure>
    }
}
