//! A distribution small enough for a table's heading.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub bars: Vec<u64>,
    #[prop_or(90.0)]
    pub width: f64,
    #[prop_or(20.0)]
    pub height: f64,
    /// What it shows, in words.
    pub label: AttrValue,
}

#[component]
pub fn Spark(props: &Props) -> Html {
    let highest = props.bars.iter().copied().max().unwrap_or(1).max(1) as f64;
    let step = props.width / props.bars.len().max(8) as f64;
    let bar = |(place, &count): (usize, &u64)| {
        let height = if count == 0 { 0.0 } else { (count as f64 / highest * props.height).max(1.5) };
        html! {
            <rect x={format!("{:.2}", place as f64 * step)} y={format!("{:.2}", props.height - height)} rx="1"
                width={format!("{:.2}", (step - 1.5).max(1.0))} height={format!("{height:.2}")} />
        }
    };
    html! {
        <svg class="spark" width={props.width.to_string()} height={props.height.to_string()} role="img" aria-label={props.label.clone()}>
            { for props.bars.iter().enumerate().map(bar) }
        </svg>
    }
}
