//! All figures as one page for the browser, made of the same parts as `brawn compare`'s page.

use super::{Measured, One, say};
use crate::commands::compare::html::plots;
use crate::commands::compare::html::tables::measures;
use crate::commands::compare::html::{found, told};
use brawn_lab::show::page::{document, line, machine, row, table};
use maud::{Markup, html};

/// The page.
pub fn page(measured: &Measured) -> String {
    let header = html! {
        h1 { "brawn bench" }
        div.verdict {
            p.big { (line(&measured.verdict)) }
            p.soft { "with brawn's functions, against musl's own" }
        }
        @for one in &measured.workloads {
            @for finding in &one.comparison.findings { (found(&one.comparison, finding)) }
        }
    };
    let main = html! {
        (summary(measured))
        @for (number, one) in measured.workloads.iter().enumerate() { (workload(number, one)) }
        (how(measured))
    };
    let title = format!("brawn bench: {}", line(&measured.verdict));
    document(&title, &header, &main, &[&measured.brawn, &measured.date])
}

/// The printed table; its first column links to each workload.
fn summary(measured: &Measured) -> Markup {
    let rows = html! {
        @for (number, one) in measured.workloads.iter().enumerate() {
            @let [title, cells @ ..] = say::row(one);
            @let link = html! { a href=(format!("#w{number}")) { (line(&title)) } };
            (row(link, cells.iter().map(|cell| line(cell))))
        }
    };
    html! {
        section {
            h2 { "All workloads" }
            p.soft { "Medians of all runs. More than 1x: brawn's form is faster." }
            (table("All workloads", &say::HEAD, &rows))
        }
    }
}

fn workload(number: usize, one: &One) -> Markup {
    let data = &one.comparison;
    let id = format!("w{number}");
    html! {
        article id=(id) {
            h2 { (line(&one.title)) }
            @for verdict in &data.verdicts { (told(data, verdict)) }
            @if data.measured().next().is_some() {
                (measures(data))
                (plots::runs(data, &id))
            }
            (plots::memory(data, &id))
        }
    }
}

/// With which compilers, and on what.
fn how(measured: &Measured) -> Markup {
    html! {
        section {
            h2 { "How it was measured" }
            dl {
                @for (form, command) in &measured.compilers {
                    dt { "built: " (line(form)) }
                    dd { code { (line(command)) } }
                }
                @for (name, value) in machine(&measured.machine) { dt { (name) } dd { (value) } }
                dt { "brawn" } dd { (line(&measured.brawn)) }
                dt { "date" } dd { (line(&measured.date)) }
            }
        }
    }
}
