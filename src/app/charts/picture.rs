//! Two small buttons of a figure that save its picture, as SVG or PNG: with the title and the legend in it, and with the
//! colours and fonts that the page's style sheet gives now, so that it needs nothing else.

use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{Blob, CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlImageElement, Url, XmlSerializer};
use yew::prelude::*;

use crate::app::{Message, use_handle};
use crate::browser::download;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
}

/// What a style sheet may say of a drawn thing.
const STYLES: [&str; 11] = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "opacity",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "paint-order",
];
/// Pixels of a PNG for each unit of the drawing.
const SCALE: f64 = 2.0;

#[component]
pub fn SavePicture(Props { title }: &Props) -> Html {
    let place = use_node_ref();
    let send = use_handle().send;
    let save = |png: bool| {
        let (place, title, send) = (place.clone(), title.clone(), send.clone());
        Callback::from(move |_: MouseEvent| {
            let figure = place.cast::<Element>().and_then(|button| button.closest("figure").ok()?);
            // Nothing else can be done for who wants a picture that the browser can't make.
            let _ = figure.map(|figure| saved(&figure, &title, png, &send));
        })
    };
    html! {
        <span class="save-picture" ref={place.clone()}>
            <button class="btn tiny" onclick={save(false)} aria-label="Save picture as SVG" title="Save this picture as SVG">{ "SVG" }</button>
            <button class="btn tiny" onclick={save(true)} aria-label="Save picture as PNG" title="Save this picture as PNG">{ "PNG" }</button>
        </span>
    }
}

fn saved(figure: &Element, title: &str, png: bool, send: &Callback<Message>) -> Result<(), JsValue> {
    let (svg, wide, tall) = drawing(figure, title)?;
    let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    let words: String = title.chars().map(letter).take(60).collect();
    let name = words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    if !png {
        let blob = download::blob("image/svg+xml", svg.as_bytes())?;
        send.emit(Message::SaveBlob { name: format!("{name}.svg"), blob });
        return Ok(());
    }
    let url = Url::create_object_url_with_blob(&download::blob("image/svg+xml", svg.as_bytes())?)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let decoded = image.decode();
    let send = send.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let ready = wasm_bindgen_futures::JsFuture::from(decoded).await;
        let _ = ready.and_then(|_| painted(&image, wide, tall, format!("{name}.png"), send));
        let _ = Url::revoke_object_url(&url);
    });
    Ok(())
}

/// Paints a loaded picture and offers it as PNG.
fn painted(
    image: &HtmlImageElement,
    wide: f64,
    tall: f64,
    name: String,
    send: Callback<Message>,
) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width((wide * SCALE) as u32);
    canvas.set_height((tall * SCALE) as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?.unchecked_into::<CanvasRenderingContext2d>();
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, wide * SCALE, tall * SCALE)?;
    let offer = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            send.emit(Message::SaveBlob { name, blob });
        }
    });
    canvas.to_blob(offer.unchecked_ref())
}

/// The figure's drawing as a file of its own, and its size.
fn drawing(figure: &Element, title: &str) -> Result<(String, f64, f64), JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let svg = figure.query_selector("svg")?.ok_or(JsValue::NULL)?;
    let copy: Element = svg.clone_node_with_deep(true)?.unchecked_into();
    let (drawn, copied) = (svg.query_selector_all("*")?, copy.query_selector_all("*")?);
    for place in 0..drawn.length() {
        let (Some(from), Some(to)) = (drawn.item(place), copied.item(place)) else { continue };
        let (from, to) = (from.unchecked_into::<Element>(), to.unchecked_into::<Element>());
        let Some(style) = window.get_computed_style(&from)? else { continue };
        for name in STYLES {
            to.set_attribute(name, &plain(&style.get_property_value(name)?))?;
        }
        to.remove_attribute("class")?;
    }
    let own = window.get_computed_style(figure)?.ok_or(JsValue::NULL)?;
    let (ink, font) = (own.get_property_value("color")?, own.get_property_value("font-family")?);
    let paper = own.get_property_value("--panel")?;
    let view = svg.get_attribute("viewBox").unwrap_or_default();
    let numbers: Vec<f64> = view.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let &[left, top, wide, tall] = numbers.as_slice() else { return Err(JsValue::NULL) };
    let (head, mut foot) = (28.0, 0.0);
    // A long title is made smaller, so that all of it is there.
    let size = (wide / title.chars().count().max(1) as f64 * 1.7).clamp(7.0, 13.0);
    let mut words = format!(
        "<text x=\"{left}\" y=\"{}\" font-size=\"{size:.1}\" font-weight=\"650\" fill=\"{ink}\">{}</text>",
        top - 12.0,
        escaped(title)
    );
    let entries = figure.query_selector_all(".legend li, figcaption.faint, figcaption .key")?;
    for place in 0..entries.length() {
        let Some(entry) = entries.item(place).map(|entry| entry.unchecked_into::<Element>()) else { continue };
        foot += 17.0;
        let y = top + tall + foot;
        let mark = entry.query_selector("i, svg")?;
        let style = mark.as_ref().map(|mark| window.get_computed_style(mark)).transpose()?.flatten();
        let of_mark = |name: &str| style.as_ref().map_or(Ok(String::new()), |style| style.get_property_value(name));
        let drawn = mark.is_some_and(|mark| mark.tag_name() == "I");
        let colour = of_mark(if drawn { "background-color" } else { "color" })?;
        let bordered = drawn && of_mark("border-top-width")? != "0px";
        let edge = if bordered { of_mark("border-top-color")? } else { "none".to_owned() };
        if style.is_some() {
            words += &format!(
                "<rect x=\"{}\" y=\"{}\" width=\"9\" height=\"9\" rx=\"2\" fill=\"{}\" stroke=\"{}\"/>",
                left + 0.5,
                y - 8.5,
                plain(&colour),
                plain(&edge)
            );
        }
        // What the guide says now is not of the picture.
        let guide = entry.query_selector("b")?.and_then(|guide| guide.text_content()).unwrap_or_default();
        let text = entry.text_content().unwrap_or_default();
        words += &format!(
            "<text x=\"{}\" y=\"{y}\" font-size=\"11\" fill=\"{ink}\">{}</text>",
            left + if style.is_some() { 16.0 } else { 0.0 },
            escaped(text.strip_suffix(&guide).unwrap_or(&text))
        );
    }
    let edge = 12.0;
    let (all_wide, all_tall) = (wide + 2.0 * edge, tall + head + foot + 2.0 * edge);
    for (name, value) in [
        ("viewBox", format!("{} {} {all_wide} {all_tall}", left - edge, top - head - edge)),
        ("width", all_wide.to_string()),
        ("height", all_tall.to_string()),
        ("font-family", font),
    ] {
        copy.set_attribute(name, &value)?;
    }
    let text = XmlSerializer::new()?.serialize_to_string(&copy)?;
    let begin = text.find('>').ok_or(JsValue::NULL)? + 1;
    let back = format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{all_wide}\" height=\"{all_tall}\" fill=\"{paper}\"/>",
        left - edge,
        top - head - edge
    );
    Ok((format!("{}{back}{words}{}", &text[..begin], &text[begin..]), all_wide, all_tall))
}

/// Mixed colours are told as numbers of the colour space, which only browsers read.
fn plain(value: &str) -> String {
    let Some(numbers) = value.strip_prefix("color(srgb ").and_then(|rest| rest.strip_suffix(')')) else {
        return value.to_owned();
    };
    let parts: Vec<f64> = numbers.split_whitespace().take(3).filter_map(|part| part.parse().ok()).collect();
    match parts.as_slice() {
        &[red, green, blue] => format!("rgb({:.0}, {:.0}, {:.0})", red * 255.0, green * 255.0, blue * 255.0),
        _ => value.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
