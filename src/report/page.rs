//! The little HTML that a report needs, every text escaped unless a part made here.

use std::fmt::Write;

/// Cells that are HTML already: made by [`plain`] or by this module.
pub struct Row(pub Vec<String>);

pub struct Page {
    text: String,
    open: bool,
}

const STYLE: &str = "\
:root{color-scheme:light}*{box-sizing:border-box}body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;\
max-width:60rem;margin:2rem auto;padding:0 1.5rem}h1{font-size:1.6rem;margin:0 0 1rem}h2{font-size:1.1rem;margin:1.8rem 0 \
.5rem;border-bottom:1px solid #d0d7de;padding-bottom:.2rem}table{border-collapse:collapse;width:100%;margin:.5rem 0}\
th,td{border:1px solid #d0d7de;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}\
thead th{background:#f3f5f7}tbody th{font-weight:600;width:14rem}.field{min-height:1.6rem;border-bottom:1px dotted \
#57606a;min-width:8rem}.field:focus{outline:2px solid #0a5d8f}.bars{width:100%;max-width:40rem}.bars td{border:0;padding:\
.1rem .5rem}.bars td:first-child{width:8rem}.bars td:last-child{width:9rem}.bar{display:block;height:.8rem;background:\
#0a5d8f}.short{white-space:nowrap}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f3f5f7;padding:1rem;font-size:.8rem}code{\
font-size:.85em;overflow-wrap:anywhere}section{break-inside:avoid-page}.long{break-inside:auto}@page{margin:18mm}@media \
print{body{margin:0;padding:0;max-width:none;font-size:11pt}.bar,thead th,pre{print-color-adjust:exact;\
-webkit-print-color-adjust:exact}}";

impl Page {
    pub fn new(title: &str) -> Self {
        let title = plain(title);
        let text = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body><main>\n<h1>{title}</h1>"
        );
        Page { text, open: false }
    }

    fn add(&mut self, html: &str) {
        self.text.push_str(html);
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.open) {
            self.add("</section>");
        }
    }

    /// Everything up to the next section belongs to it.
    pub fn section(&mut self, title: &str) {
        self.close();
        self.open = true;
        self.add("\n<section><h2>");
        self.add(&plain(title));
        self.add("</h2>");
    }

    pub fn paragraph(&mut self, text: &str) {
        self.add("<p>");
        self.add(&plain(text));
        self.add("</p>");
    }

    pub fn list(&mut self, items: &[String]) {
        self.add("<ul>");
        for item in items {
            self.add("<li>");
            self.add(&plain(item));
            self.add("</li>");
        }
        self.add("</ul>");
    }

    pub fn preformatted(&mut self, id: &str, text: &str) {
        self.add("<pre id=\"");
        self.add(id);
        self.add("\">");
        self.add(&plain(text));
        self.add("</pre>");
    }

    /// Names with what is said of them, as HTML.
    pub fn facts(&mut self, facts: &[(&str, String)]) {
        self.add("<table><tbody>");
        for (name, html) in facts {
            self.add("<tr><th scope=\"row\">");
            self.add(&plain(name));
            self.add("</th><td>");
            self.add(html);
            self.add("</td></tr>");
        }
        self.add("</tbody></table>");
    }

    pub fn table(&mut self, head: &[&str], rows: &[Row]) {
        self.add("<table><thead><tr>");
        for name in head {
            self.add("<th scope=\"col\">");
            self.add(&plain(name));
            self.add("</th>");
        }
        self.add("</tr></thead><tbody>");
        for Row(cells) in rows {
            self.add("<tr>");
            for (place, html) in cells.iter().enumerate() {
                self.add(if place == 0 { "<th scope=\"row\">" } else { "<td>" });
                self.add(html);
                self.add(if place == 0 { "</th>" } else { "</td>" });
            }
            self.add("</tr>");
        }
        self.add("</tbody></table>");
    }

    /// A bar for each name, as long as its number, with what is told of it.
    pub fn bars(&mut self, title: &str, bars: &[(String, u64, String)]) {
        let most = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1);
        self.add("<table class=\"bars\"><caption>");
        self.add(&plain(title));
        self.add("</caption><tbody>");
        for (name, number, told) in bars {
            let width = number * 1000 / most;
            let (name, told) = (plain(name), plain(told));
            let (whole, tenth) = (width / 10, width % 10);
            // Writing to a text can't fail.
            let _ = write!(
                self.text,
                "<tr><td>{name}</td><td><span class=\"bar\" style=\"width:{whole}.{tenth}%\"></span></td><td>{told}</td></tr>"
            );
        }
        self.add("</tbody></table>");
    }

    /// A section of fields to be filled in.
    pub fn fields(&mut self, title: &str, names: &[&str]) {
        self.section(title);
        let facts: Vec<(&str, String)> = names.iter().map(|name| (*name, super::field())).collect();
        self.facts(&facts);
    }

    pub fn finish(mut self) -> String {
        self.close();
        self.add("\n</main></body></html>\n");
        self.text
    }
}

/// A text as HTML.
pub fn plain(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}
