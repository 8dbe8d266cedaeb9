//! Pages for the browser, each one file that needs no other.
//!
//! No scripts, no fonts, no addresses: a page that somebody sends on does nothing but show figures. Every text in it
//! comes from a user or a program. So `maud` escapes all texts, and the page itself forbids scripts in case one is
//! missed.

use super::units::{bytes, elapsed};
use brawn_core::shown;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("page/style.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A page of that title; `made` is brawn's version and the date.
pub fn document(title: &str, header: &Markup, main: &Markup, made: &[&str; 2]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (header) }
                main { (main) }
                footer { "brawn " (made[0]) ", " (made[1]) }
            }
        }
    };
    page.into_string()
}

/// A text on one line, with its control characters made visible.
pub fn line(text: &str) -> String {
    shown::line(text).to_string()
}

/// A time on an axis, of nanoseconds.
pub fn duration(ns: f64) -> String {
    match ns > 0.0 {
        true => elapsed(ns),
        false => "0".into(),
    }
}

/// The kernel's figure in kibibytes.
fn memory(text: &str) -> String {
    let kibibytes = text.strip_suffix(" kB").and_then(|n| n.parse::<f64>().ok());
    kibibytes.map_or_else(|| text.to_owned(), |n| bytes(n * 1024.0))
}

/// What a machine is, by property.
pub fn machine(machine: &BTreeMap<String, String>) -> [(&'static str, String); 4] {
    let of = |name: &str| line(machine.get(name).map_or("unknown", String::as_str));
    let processor = format!(
        "{}, {} of them, {}",
        of("cpu"),
        of("processors"),
        of("architecture")
    );
    let is_virtual = match machine.get("hypervisor").map(String::as_str) {
        Some("true") => "yes",
        Some(_) => "no",
        None => "unknown",
    };
    [
        ("processor", processor),
        ("memory", memory(&of("memory"))),
        (
            "system",
            format!("{}, Linux {}", of("distribution"), of("kernel")),
        ),
        ("virtual machine", is_virtual.into()),
    ]
}

/// A table that scrolls sideways where the window is narrow.
pub fn table(label: &str, head: &[impl Render], rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// A row of a table.
pub fn row(name: impl Render, cells: impl IntoIterator<Item = impl Render>) -> Markup {
    html! { tr { th scope="row" { (name) } @for cell in cells { td { (cell) } } } }
}

/// A figure's table, folded.
pub fn folded(title: &str, head: &[String], rows: &[Vec<String>]) -> Markup {
    let rows = html! {
        @for cells in rows { @if let [name, cells @ ..] = cells.as_slice() { (row(name, cells)) } }
    };
    html! { details { summary { (title) } (table(title, head, &rows)) } }
}
