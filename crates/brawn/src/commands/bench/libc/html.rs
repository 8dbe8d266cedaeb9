//! All figures as one page for the browser, made of the same parts as `brawn compare`'s page.

use super::{Measured, Sort, say};
use brawn_lab::judge::functions::{GLIBC, Line, behind, brawn, families, mean, parts, stock};
use brawn_lab::show::page::{document, line, machine, table};
use brawn_lab::show::units::{digits, ratio, time};
use maud::{Markup, html};
use std::fmt::Write as _;

/// The width of a figure, in units that the browser stretches, and the height of a form's dots.
const WIDTH: f64 = 1000.0;
const LANE: f64 = 18.0;
/// The ends of the scale of ratios.
const LOWEST: f64 = 0.1;
const HIGHEST: f64 = 10.0;

/// The page.
pub fn page(measured: &Measured, sort: Sort) -> String {
    let lines = measured.lines();
    let header = html! {
        h1 { "brawn bench libc" }
        div.verdict { p.big { (line(&measured.verdict)) } }
        @for finding in &measured.findings {
            div class="finding bad" { b { (line(&finding.form)) } ": " (line(&finding.row)) " " (line(&finding.what)) }
        }
        @for left in &measured.left_out {
            div.finding { b { "left out" } ": " (line(&say::left_out(left))) }
        }
    };
    let main = html! {
        (summary(measured, &lines))
        @for (number, (family, lines)) in say::sorted(&lines, sort).into_iter().enumerate() {
            (rows(measured, number, family, &lines))
        }
        (how(measured))
    };
    let title = format!("brawn bench libc: {}", line(&measured.verdict));
    document(
        &title,
        &header,
        &main,
        &[&line(&measured.brawn), &line(&measured.date)],
    )
}

/// Each family's means, and its rows as dots.
fn summary(measured: &Measured, lines: &[Line]) -> Markup {
    let is_glibc = measured.base == GLIBC;
    let base = line(&measured.base);
    html! {
        section {
            h2 { "All families" }
            p.soft {
                "Each dot is a row, further to the left is faster; the scale goes from a tenth of " (base)
                "'s time to ten times as long, with " (base) " at the line in the middle."
            }
            div.keys {
                @if is_glibc { span class="key k0" { "stock musl" } }
                span class="key k1" { "brawn" }
            }
            @for (family, lines) in families(lines) {
                @let of = |of: fn(&Line) -> f64| ratio(mean(lines.iter().copied(), of));
                div.lane {
                    div.name {
                        span { (line(family)) }
                        span.soft {
                            @if is_glibc { "stock musl " (of(stock)) ", " }
                            "brawn " (of(brawn)) ": geometric mean of " (lines.len())
                        }
                    }
                    svg viewBox=(format!("0 0 {WIDTH} {}", LANE * 2.0)) height=(LANE * 2.0)
                        preserveAspectRatio="none" aria-hidden="true" {
                        path.grid d=(format!("M0 {0}h{WIDTH}M{1} 0v{0}", LANE * 2.0, WIDTH / 2.0)) {}
                        @if is_glibc { g.k0 { path.dots d=(dots(&lines, stock, LANE * 0.5)) {} } }
                        g.k1 { path.dots d=(dots(&lines, brawn, LANE * 1.5)) {} }
                    }
                }
            }
        }
    }
}

fn dots(lines: &[&Line], of: fn(&Line) -> f64, y: f64) -> String {
    let mut path = String::new();
    for line in lines {
        let share = (of(line).clamp(LOWEST, HIGHEST) / LOWEST).ln() / (HIGHEST / LOWEST).ln();
        // A String takes everything.
        let _ = write!(path, "M{:.1} {y}h0", share * WIDTH);
    }
    path
}

/// A family's rows.
fn rows(measured: &Measured, number: usize, family: &str, lines: &[&Line]) -> Markup {
    let is_glibc = measured.base == GLIBC;
    let title = match family {
        "" => "All rows".to_owned(),
        family => line(family),
    };
    let mut head = vec!["function".to_owned(), line(&measured.base)];
    head.extend(is_glibc.then(|| "stock musl".to_owned()));
    head.extend(["brawn", "interval"].map(String::from));
    let body = html! {
        @for row in lines {
            @let name = if family.is_empty() { row.name.as_str() } else { parts(&row.name).1 };
            tr {
                th scope="row" { (line(name)) }
                td { (time(row.base)) }
                @if is_glibc { td { (ratio(row.stock)) } }
                (own(row.brawn.median))
                td.soft { (digits(row.brawn.low)) "–" (digits(row.brawn.high)) }
            }
        }
    };
    let owned: Vec<Line> = lines.iter().map(|line| (*line).clone()).collect();
    html! {
        section {
            h2 id=(format!("f{number}")) { (title) }
            p.soft {
                (lines.len()) @if lines.len() == 1 { " row, " } @else { " rows, " }
                (behind(&owned, brawn)) " more than 5 % slower than " (line(&measured.base)) "'s"
            }
            (table(&title, &head, &body))
        }
    }
}

/// brawn's figure, in its colour.
fn own(value: f64) -> Markup {
    let text = ratio(value);
    match say::is_good(value) {
        Some(true) => html! { td.faster { (text) } },
        Some(false) => html! { td.slower { (text) } },
        None => html! { td { (text) } },
    }
}

/// With which compilers, and on what.
fn how(measured: &Measured) -> Markup {
    html! {
        section {
            h2 { "How it was measured" }
            dl {
                dt { "runs" }
                dd {
                    (measured.rounds.len()) " of each form; each row's figure is the median of its ratios within a run, with its 95 % interval if there are six runs"
                }
                @for (form, command) in &measured.compilers {
                    dt { "built: " (line(form)) }
                    dd { code { (line(command)) } }
                }
                @for (name, value) in machine(&measured.machine) { dt { (name) } dd { (value) } }
                dt { "load" } dd { (format!("{:.2} before, {:.2} after", measured.load[0], measured.load[1])) }
                dt { "brawn" } dd { (line(&measured.brawn)) }
                dt { "date" } dd { (line(&measured.date)) }
            }
        }
    }
}
