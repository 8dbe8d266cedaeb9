//! Charts as SVG: paths, and pictures that have their own colours for light and dark pages.

use maud::{Markup, html};
use std::fmt::Write as _;

/// A line's colours on light and dark pages, its dashes and its width. People who do not see all colours distinguish
/// them by their dashes and brightness. The first four are glibc's, stock musl's, brawn's and mimalloc's everywhere.
pub const STYLES: [(&str, &str, &str, f64); 8] = [
    ("#57606a", "#9198a1", "none", 1.5),
    ("#b35900", "#f0a050", "7 3", 1.5),
    ("#0550ae", "#79c0ff", "none", 2.5),
    ("#a0307f", "#f09ad0", "2 2.5", 2.0),
    ("#00704f", "#4dd0a0", "10 3 2 3", 1.5),
    ("#7a6a00", "#e0d050", "4 4", 1.5),
    ("#1f2328", "#e6edf3", "1 3", 1.5),
    ("#5b3fc4", "#b9a5ff", "12 4", 1.5),
];

/// A line through points.
pub fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let points = points.into_iter().map(|(x, y)| format!("{x:.1} {y:.1}"));
    let points: Vec<String> = points.collect();
    match points.is_empty() {
        true => String::new(),
        false => format!("M{}", points.join("L")),
    }
}

/// A dot at each point.
pub fn dots(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        // A String takes everything.
        let _ = write!(path, "M{x:.1} {y:.1}h0");
    }
    path
}

/// Five marks below a figure of a page.
pub fn axis(marks: [String; 5]) -> Markup {
    html! {
        div.axis aria-hidden="true" {
            @for (number, mark) in marks.iter().enumerate() {
                span style=(format!("left:{}%", number * 25)) { (mark) }
            }
        }
    }
}

/// A path of a picture.
pub fn stroke(class: &str, path: &str) -> String {
    format!("<path class=\"{class}\" d=\"{path}\"/>\n")
}

/// A text of a picture.
pub fn text(class: &str, anchor: &str, x: f64, y: f64, text: &str) -> String {
    format!(
        "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>\n"
    )
}

/// A picture, which has no scripts: its size, what it shows in few and in many words, its style, and its elements.
pub fn picture(
    [width, height]: [f64; 2],
    [title, words, style]: [&str; 3],
    elements: &str,
) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{title}</title>\n<desc>{words}</desc>\n{style}\
         <rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{elements}</svg>\n",
        width - 1.0,
        height - 1.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_become_lines_and_dots() {
        assert_eq!(path([(0.0, 1.25), (2.0, 3.0)]), "M0.0 1.2L2.0 3.0");
        assert_eq!(path([]), "");
        assert_eq!(dots([(0.0, 1.0), (2.0, 3.0)]), "M0.0 1.0h0M2.0 3.0h0");
    }
}
