//! A heap's profile as one page for the browser, which needs nothing beside itself: no scripts, as `brawn compare`'s.

use super::{headline, lines, size};
use brawn_lab::show::chart;
use brawn_lab::show::page::{document, line, row, table};
use brawn_lab::show::units::bytes;
use brawn_sample::heap::{Amount, Profile, Stack};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A frame of a flame graph that has less than this part of all is not shown: nobody could see it.
const LEAST: f64 = 0.002;
/// Rows of the tables.
const ROWS: usize = 25;
/// The size of the figure over time, in units that the browser stretches.
const WIDTH: f64 = 1000.0;
const HIGH: f64 = 160.0;

/// Which of a stack's sums a graph shows.
type Of = fn(&Stack) -> Amount;

/// The page.
pub fn page(profile: &Profile, title: &str) -> String {
    let header = html! {
        h1 { "brawn heap profile: " code { (line(title)) } }
        div.verdict {
            p.big { (size(profile.at_peak())) " at the peak" }
            p.soft { (headline(profile)) }
        }
    };
    let graphs: [(&str, Of); 3] = [
        ("In use at the peak", |stack| stack.at_peak),
        ("In use at the end", |stack| stack.at_end),
        ("All that was asked for", |stack| stack.asked),
    ];
    let main = html! {
        (over_time(profile))
        @for (number, (name, of)) in graphs.into_iter().enumerate() { (graph(profile, name, of, number == 0)) }
        (functions(profile))
        (threads(profile))
    };
    let version = env!("CARGO_PKG_VERSION");
    let every = format!("one sample in {}", bytes(profile.interval as f64));
    let title = format!("{}: heap profile", line(title));
    document(&title, &header, &main, &[version, &every])
}

/// What is in use, and where there are several threads, the parts of the largest.
fn over_time(profile: &Profile) -> Markup {
    let total = profile.over_time.iter().map(|(_, bytes)| *bytes);
    let total: Vec<f64> = total.collect();
    let highest = total.iter().fold(0.0, |high: f64, bytes| high.max(*bytes));
    let seconds = profile.seconds.max(1e-9);
    let mut curves = vec![("all threads".to_owned(), total.as_slice())];
    if profile.threads().len() > 1 {
        let parts = profile.threads_over_time.iter();
        curves.extend(parts.map(|c| (format!("thread {}", c.thread), c.bytes.as_slice())));
    }
    let path = |of: &[f64]| {
        let points = profile.over_time.iter().zip(of);
        chart::path(points.map(|((second, _), bytes)| {
            let y = HIGH - bytes / highest.max(1.0) * HIGH;
            (second / seconds * WIDTH, y)
        }))
    };
    let says = format!(
        "From 0 to {seconds:.1} s; the highest point is {}",
        bytes(highest)
    );
    html! {
        section {
            h2 { "In use over time" }
            @if curves.len() > 1 {
                p.soft { "A thread has what it asked for, whoever frees it. The threads with the highest points are shown." }
                div.keys {
                    @for (number, (name, _)) in curves.iter().enumerate() {
                        span class=(format!("key {}", line_colour(number))) { (name) }
                    }
                }
            }
            figure {
                svg viewBox=(format!("0 0 {WIDTH} {HIGH}")) preserveAspectRatio="none" height=(HIGH) role="img" aria-label=(says) {
                    path.grid d=(format!("M0 {HIGH}H{WIDTH}")) {}
                    @for (number, (_, of)) in curves.iter().enumerate() {
                        g class=(line_colour(number)) { path.mem d=(path(of)) {} }
                    }
                }
                div.axis {
                    span style="left:0" { "0 s, at most " (bytes(highest)) }
                    span style="left:100%" { (format!("{seconds:.1} s")) }
                }
            }
        }
    }
}

/// The sum has the plainest of the four colours.
fn line_colour(number: usize) -> String {
    format!("k{}", number % 4)
}

/// A function in a flame graph, and those that it calls.
#[derive(Default)]
struct Node {
    amount: Amount,
    children: BTreeMap<usize, Node>,
}

fn graph(profile: &Profile, name: &str, of: Of, is_open: bool) -> Markup {
    let mut root = Node::default();
    for stack in &profile.stacks {
        let amount = of(stack);
        if amount.bytes <= 0.0 {
            continue;
        }
        let mut node = &mut root;
        node.amount += amount;
        for frame in stack.frames.iter().rev() {
            node = node.children.entry(*frame).or_default();
            node.amount += amount;
        }
    }
    let all = root.amount.bytes;
    html! {
        section {
            h2 { (name) ": " (size(root.amount)) }
            @if all > 0.0 {
                p.soft { "Each function stands below its caller; its width is what it and all that it calls asked for." }
                details.flames open[is_open] {
                    summary { "flame graph" }
                    div.scroll tabindex="0" role="region" aria-label=(name) {
                        div.flame { (calls(profile, &root, all)) }
                    }
                }
            }
        }
    }
}

/// The functions that one calls, side by side, and what it asked for itself.
fn calls(profile: &Profile, node: &Node, all: f64) -> Markup {
    let mut children: Vec<_> = node.children.iter().collect();
    children.retain(|(_, child)| child.amount.bytes >= all * LEAST);
    children.sort_by(|a, b| b.1.amount.bytes.total_cmp(&a.1.amount.bytes));
    let shown: f64 = children.iter().map(|(_, child)| child.amount.bytes).sum();
    let rest = (node.amount.bytes - shown).max(0.0);
    html! {
        @if !children.is_empty() {
            div.row {
                @for (frame, child) in children {
                    @let name = line(&profile.frames[*frame].function);
                    @let part = child.amount.bytes / all;
                    @let says = format!("{name}: {}, {:.1} %", size(child.amount), part * 100.0);
                    div style=(format!("flex:{part:.5} 0 0")) {
                        div class=(format!("frame {}", colour(&name))) title=(says) { (name) }
                        (calls(profile, child, all))
                    }
                }
                @if rest > all * LEAST / 10.0 { div style=(format!("flex:{:.5} 0 0", rest / all)) {} }
            }
        }
    }
}

/// One of four colours, the same for the same name.
fn colour(name: &str) -> String {
    let sum = name.bytes().fold(7_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    format!("k{}", sum % 4)
}

fn functions(profile: &Profile) -> Markup {
    let rows = html! {
        @for of in lines(profile).iter().take(ROWS) {
            @let name = html! { code { (line(&profile.frames[of.frame].function)) } };
            (row(name, [of.itself, of.with_callees, of.asked].map(size)))
        }
    };
    let head = ["function", "at the peak", "with callees", "asked for"];
    html! { section { h2 { "Functions" } (table("Functions", &head, &rows)) } }
}

fn threads(profile: &Profile) -> Markup {
    let threads = profile.threads();
    let rows = html! {
        @for (thread, asked, at_peak) in threads.iter().take(ROWS) {
            (row(thread, [*at_peak, *asked].map(size)))
        }
    };
    html! {
        section {
            h2 { "Threads" }
            @if threads.len() > ROWS { p.soft { "The " (ROWS) " that asked for most, of " (threads.len()) "." } }
            (table("Threads", &["thread", "at the peak", "asked for"], &rows))
        }
    }
}
