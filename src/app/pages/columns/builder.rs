//! Building a hierarchy by a recipe, with its tree shown while the settings change.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::{button, option};
use crate::hierarchy::{DateLevel, Recipe};
use crate::table::Kind;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub kind: Kind,
    /// The recipe of the tree there is.
    pub recipe: Option<Recipe>,
    /// Why the last settings gave no tree.
    pub failed: Option<String>,
    pub on_preview: Callback<Recipe>,
    pub onuse: Callback<()>,
    pub onclose: Callback<()>,
}

/// Each recipe with its name, its settings as text, and what they mean.
const RECIPES: [(&str, &str, &str); 10] = [
    ("Intervals of equal width", "10; 2, 5", "width; how many make the next level"),
    ("Intervals at chosen cuts", "18, 40, 65", "where one ends and the next begins"),
    ("Groups of equal size", "10; 2", "how many groups; how many make the next level"),
    ("Ages: 5, 10, 20 years", "", ""),
    ("Mask from the right", "0", "characters that always stay"),
    ("Dates: month, quarter, year, decade", "month, year", "levels, finest first"),
    ("Neighbours in order", "5, 5", "how many make a group, level by level"),
    ("By first letters", "1", "how many letters"),
    ("Only *", "", ""),
    ("Ages, the oldest pooled", "90", "from which age on"),
];

fn numbers(text: &str) -> Vec<f64> {
    text.split([',', ' ']).filter_map(|part| part.trim().parse().ok()).collect()
}

fn counts(text: &str) -> Vec<u32> {
    numbers(text).into_iter().filter(|&number| number >= 1.0).map(|number| number as u32).collect()
}

/// The recipe that a choice and its settings mean.
fn recipe(choice: usize, settings: &str) -> Recipe {
    let (first, second) = settings.split_once(';').unwrap_or((settings, ""));
    let number = |default: f64| numbers(first).first().copied().unwrap_or(default);
    match choice {
        0 => Recipe::Intervals { width: number(10.0), origin: 0.0, factors: counts(second) },
        1 => Recipe::Cuts { cuts: numbers(settings) },
        2 => Recipe::Quantiles { groups: number(10.0).max(1.0) as u32, factors: counts(second) },
        3 => Recipe::Ages,
        4 => Recipe::Mask { keep_at_least: number(0.0).max(0.0) as u32 },
        5 => Recipe::Dates { levels: settings.split(',').filter_map(|name| date_level(name.trim())).collect() },
        6 => Recipe::OrderedGroups { sizes: counts(settings) },
        7 => Recipe::Alphabetic { letters: number(1.0).max(1.0) as u32 },
        9 => Recipe::PooledAges { from: number(90.0).max(0.0) as u32 },
        _ => Recipe::Star,
    }
}

fn date_level(name: &str) -> Option<DateLevel> {
    match name.to_lowercase().as_str() {
        "day" => Some(DateLevel::Day),
        "month" => Some(DateLevel::Month),
        "quarter" => Some(DateLevel::Quarter),
        "year" => Some(DateLevel::Year),
        "decade" => Some(DateLevel::Decade),
        _ => None,
    }
}

fn date_level_name(level: &DateLevel) -> &'static str {
    match level {
        DateLevel::Day => "day",
        DateLevel::Month => "month",
        DateLevel::Quarter => "quarter",
        DateLevel::Year => "year",
        DateLevel::Decade => "decade",
    }
}

/// The choice and settings that a recipe came from.
fn choice_of(recipe: Option<&Recipe>, kind: Kind) -> (usize, String) {
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match recipe {
        Some(Recipe::Intervals { width, factors, .. }) => (0, format!("{width}; {}", list(factors))),
        Some(Recipe::Cuts { cuts }) => (1, cuts.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
        Some(Recipe::Quantiles { groups, factors }) => (2, format!("{groups}; {}", list(factors))),
        Some(Recipe::Ages) => (3, String::new()),
        Some(Recipe::Mask { keep_at_least }) => (4, keep_at_least.to_string()),
        Some(Recipe::Dates { levels }) => (5, levels.iter().map(date_level_name).collect::<Vec<_>>().join(", ")),
        Some(Recipe::OrderedGroups { sizes }) => (6, list(sizes)),
        Some(Recipe::Alphabetic { letters }) => (7, letters.to_string()),
        Some(Recipe::Star) => (8, String::new()),
        Some(Recipe::PooledAges { from }) => (9, from.to_string()),
        Some(Recipe::Groups { .. }) | None => {
            let choice = match kind {
                Kind::Integer | Kind::Decimal => 0,
                Kind::Date(_) => 5,
                Kind::Text => 6,
            };
            (choice, RECIPES[choice].1.to_owned())
        }
    }
}

#[component]
pub fn Builder(props: &Props) -> Html {
    let start = choice_of(props.recipe.as_ref(), props.kind);
    let choice = use_state(|| start.0);
    let settings = use_state(|| start.1);
    {
        let on_preview = props.on_preview.clone();
        use_effect_with((*choice, (*settings).clone()), move |(choice, settings)| {
            on_preview.emit(recipe(*choice, settings))
        });
    }
    let onchoice = {
        let (choice, settings) = (choice.clone(), settings.clone());
        Callback::from(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            choice.set(chosen);
            settings.set(RECIPES[chosen.min(RECIPES.len() - 1)].1.to_owned());
        })
    };
    let onsettings = {
        let settings = settings.clone();
        Callback::from(move |event: InputEvent| settings.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let (_, example, meaning) = RECIPES[*choice];
    html! {
        <div class="builder" role="group" aria-label="Build a hierarchy">
            <label class="field">{ "Build " }
                <select onchange={onchoice} aria-label="How to build it">
                    { for RECIPES.iter().enumerate().map(|(place, (name, _, _))| option(place == *choice, name)) }
                </select>
            </label>
            if !example.is_empty() {
                <label class="field">{ meaning }<input class="long" value={(*settings).clone()} oninput={onsettings} placeholder={example} aria-label={meaning} /></label>
            }
            <button class="btn p small" disabled={props.failed.is_some()} onclick={props.onuse.reform(|_| ())}>{ "Use it" }</button>
            { button("btn small", "Close", props.onclose.reform(|_| ())) }
            if let Some(failed) = &props.failed { <p class="note bad">{ failed }</p> }
        </div>
    }
}
