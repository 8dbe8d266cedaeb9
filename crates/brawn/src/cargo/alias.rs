//! Resolves aliases. brawn asks cargo, since only cargo knows all places where an alias may be defined.

use super::line::Line;
use brawn_core::{Error, Result};
use serde::Deserialize;
use std::process::{Command, Stdio};

/// How many aliases may lead to each other.
const LONGEST: usize = 8;

/// A value of cargo's, as it prints it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    List(Vec<String>),
}

/// The words that the command of `line` is an alias for; `None` if it is not an alias.
pub fn of(line: &Line) -> Result<Option<Vec<String>>> {
    let mut all: Option<Vec<String>> = None;
    for _ in 0..LONGEST {
        let words = all.as_deref().unwrap_or_default();
        let meant = match words {
            [] => line.clone(),
            words => line.with_alias(words),
        };
        let Some(more) = asked(&meant)? else { break };
        let name = meant.command.as_deref().and_then(|name| name.to_str());
        // Options may come before the command.
        let at = words.iter().position(|word| Some(word.as_str()) == name);
        let mut next = words[..at.unwrap_or(0)].to_vec();
        next.extend(more);
        next.extend(words.iter().skip(at.map_or(0, |at| at + 1)).cloned());
        all = Some(next);
        // `b = "b --release"` is cargo's own `b`.
        if !line
            .with_alias(all.as_deref().unwrap_or_default())
            .may_be_alias()
        {
            break;
        }
    }
    Ok(all)
}

fn asked(line: &Line) -> Result<Option<Vec<String>>> {
    let name = line.command.as_deref().and_then(|name| name.to_str());
    // A configuration cannot have other names.
    let is_key = |name: &&str| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c))
    };
    let Some(name) = name.filter(is_key) else {
        return Ok(None);
    };
    let cargo = line.cargo();
    let output = Command::new(&cargo)
        .args(&line.toolchain)
        .args(&line.before)
        .args([
            "-Zunstable-options",
            "config",
            "get",
            "--format",
            "json-value",
        ])
        .arg(format!("alias.{name}"))
        // The command has existed for long, but is not stable (rust-lang/cargo#9301); it compiles nothing here.
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Error::io("cannot run cargo", e).path(std::path::Path::new(&cargo)))?;
    // It fails where there is none.
    let value = serde_json::from_slice(&output.stdout).ok();
    Ok(value
        .filter(|_| output.status.success())
        .map(|value| match value {
            Value::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
            Value::List(list) => list,
        }))
}
