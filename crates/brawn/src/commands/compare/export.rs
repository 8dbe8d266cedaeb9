//! A comparison as files: all of it as JSON, its runs as CSV, its table as Markdown.

use super::{Args, html, say};
use crate::data;
use brawn_core::Result;
use brawn_core::publish::write_report;
use brawn_lab::data::{Comparison, Phase};
use brawn_lab::process::figures::METRICS;
use brawn_lab::process::job::End;

/// Writes the files that `args` asks for.
pub fn write(data: &Comparison, args: &Args) -> Result<()> {
    data::export(data, [&args.export_json, &args.html], || html::page(data))?;
    if let Some(path) = &args.export_csv {
        write_report(path, csv(data).as_bytes())?;
    }
    if let Some(path) = &args.export_markdown {
        write_report(path, markdown(data).as_bytes())?;
    }
    Ok(())
}

/// A line for each run.
fn csv(data: &Comparison) -> String {
    let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let mut text = format!("candidate,phase,round,end,{}\n", names.join(","));
    for run in &data.runs {
        let phase = match run.phase {
            Phase::Look => "look",
            Phase::WarmUp => "warm-up",
            Phase::Measured => "measured",
        };
        let end = match run.end {
            End::Exit(code) => format!("exit {code}"),
            End::Signal(signal) => format!("signal {signal}"),
            End::Limit => "limit".into(),
        };
        let value = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.0}"));
        let values: Vec<String> = METRICS
            .iter()
            .map(|m| value((m.of)(&run.figures)))
            .collect();
        let name = data.candidates[run.candidate].name.replace('"', "\"\"");
        let round = run.round;
        text += &format!("\"{name}\",{phase},{round},{end},{}\n", values.join(","));
    }
    text
}

fn markdown(data: &Comparison) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&say::HEAD.map(String::from));
    text += &line(&say::HEAD.map(|_| "---".to_owned()));
    for row in say::rows(data) {
        text += &line(&row.map(|cell| cell.replace('|', "\\|")));
    }
    text
}
