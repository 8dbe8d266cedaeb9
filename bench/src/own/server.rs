//! Real web servers that compress their answers, driven over loopback: processor time of a request, page faults, the peak,
//! and the memory 2 s after the load.
//!
//! Each run starts a server anew and asks it a fixed number of times. While a server rests, the next one already runs, so
//! that the rests take no time; what is looked at is the server's own.

mod load;
mod process;
pub mod table;

use super::rss::variants;
use super::{Choice, Raw, Site, chosen, key};
use crate::catalogue::{Entry, by_itself};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::variant::Variant;
use crate::{Result, context, nginx, rust};
use brawn_lab::build::checked;
use brawn_lab::process::parent::Sample;
use brawn_lab::run::rounds::Order;
use load::Load;
use process::Server;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::thread::JoinHandle;
use std::time::Duration;

/// The servers, as their sources are named: `bench/server/src`, and the sources that `bench/server/nginx.sh` gets.
pub const SERVERS: [&str; 2] = [rust::AXUM, nginx::NGINX];
/// What they are linked with. `rewritten` is what `brawn rewrite` makes of `stock`.
pub const HEAPS: [&str; 5] = [GLIBC, "stock", BRAWN, "rewritten", "lean"];
const GLIBC: &str = "glibc";
const BRAWN: &str = "brawn";
const REWRITTEN: &str = "rewritten";

/// How long after its load a server's memory is looked at.
const REST: Duration = Duration::from_secs(2);

/// A page's name, what it is called, and its size, with the requests of each way to ask for it. The smallest load takes a
/// server half a second, so that its start does not matter.
const PAGES: [(&str, &str, usize, [usize; 4]); 3] = [
    ("10K", "10 KB", 10_000, [2000, 3000, 3000, 3000]),
    ("100K", "100 KB", 100_000, [300, 400, 512, 400]),
    ("1M", "1 MB", 1_000_000, [40, 64, 128, 64]),
];
/// How a page is asked for: the name, what it is called, how many connections there are at a time, and whether they are kept.
const WAYS: [(&str, &str, usize, bool); 4] = [
    ("1", "1 connection", 1, true),
    ("8", "8 connections", 8, true),
    ("64", "64 connections", 64, true),
    ("new", "8 at a time, a connection each", 8, false),
];

/// The loads: every page in every way.
pub static LOADS: LazyLock<Vec<Load>> = LazyLock::new(|| {
    let of = |(page, called, size, requests): (_, _, _, [usize; 4])| {
        let ways = WAYS.into_iter().zip(requests);
        ways.map(
            move |((way, ways_title, connections, is_kept), requests)| Load {
                name: format!("{page}-{way}"),
                title: format!("{called}, {ways_title}"),
                size,
                connections,
                is_kept,
                requests,
            },
        )
    };
    PAGES.into_iter().flat_map(of).collect()
});

type Run = (&'static str, &'static Load);

/// The servers with their loads, as far as their names begin with what is asked for.
fn runs(only: &[String]) -> Result<Vec<Run>> {
    let all = SERVERS.iter();
    let all = all.flat_map(|server| LOADS.iter().map(move |load| (*server, load)));
    let begins = |of: &String, run: &Run| name(run.0, run.1).starts_with(of.as_str());
    let is_none = |of: &&String| !all.clone().any(|run| begins(of, &run));
    if let Some(none) = only.iter().find(is_none) {
        return Err(format!("no load begins with {none}; there is axum/10K-1"));
    }
    let is_asked = |run: &Run| only.is_empty() || only.iter().any(|of| begins(of, run));
    Ok(all.filter(is_asked).collect())
}

/// The name of a server with a load.
fn name(server: &str, load: &Load) -> String {
    format!("{server}/{}", load.name)
}

/// Builds the servers, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let heaps = chosen(&HEAPS, &choice.heaps);
    let runs = runs(&choice.only)?;
    let built = build(site, &runs, &heaps, progress)?;
    let mut raw = Raw::new("brawn-bench server", &site.brawn);
    raw.versions.extend(rust::server_versions()?);
    raw.versions.insert("nginx".into(), nginx::VERSION.into());
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    let mut resting = Vec::new();
    let all = (&runs[..], &heaps[..]);
    raw.measure("servers", (rounds, Order::Runs), all, progress, |turn| {
        let ((server, load), heap) = (*turn.thing, *turn.side);
        let failed = |error| format!("{}, {heap}: {error}", name(server, load));
        let requests = if choice.quick {
            load.connections.max(4)
        } else {
            load.requests
        };
        let (sample, bytes, rest) =
            run(site, &built, server, load, heap, requests).map_err(failed)?;
        // What is compared does the same: each server compresses to the same size with every libc.
        let first = *answers.entry(name(server, load)).or_insert(bytes);
        if first != bytes {
            return Err(failed(format!(
                "answers of {bytes} bytes, and of {first} with another libc"
            )));
        }
        let name = key(&name(server, load), heap);
        resting.push((turn.round, name.clone(), rest));
        Ok((name, sample))
    })?;
    for (round, name, rest) in resting {
        let memory = rest.join();
        let memory = memory.map_err(|_| format!("{name}: a thread panicked"))??;
        raw.rounds[round].entry(name).or_default().extend(memory);
    }
    for (name, bytes) in answers {
        raw.facts.insert(format!("{name} compressed"), bytes as f64);
    }
    Ok(raw)
}

/// Builds what the runs need, and the files that nginx serves.
fn build(site: &Site, runs: &[Run], heaps: &[&str], progress: &Progress) -> Result<Prepared> {
    let is_needed = |server: &&&str| runs.iter().any(|run| run.0 == **server);
    let entries: Vec<Entry> = SERVERS
        .iter()
        .filter(is_needed)
        .map(|s| by_itself(s, ""))
        .collect();
    let plain = heaps.iter().map(|heap| match *heap {
        REWRITTEN => "stock",
        heap => heap,
    });
    let variants = variants(&plain.collect::<Vec<_>>());
    let entries: Vec<&Entry> = entries.iter().collect();
    let built = site.built(&variants, &entries, progress)?;
    if heaps.contains(&REWRITTEN) {
        for entry in &entries {
            let to = executable(site, &built, entry.workload, REWRITTEN)?;
            let folder = to.parent().unwrap_or(&to);
            context(fs::create_dir_all(folder), "create", folder)?;
            let mut rewrite = Command::new(&site.brawn);
            rewrite
                .arg("rewrite")
                .arg(built.executable(Variant::Stock, entry.workload));
            checked(rewrite.arg("-o").arg(&to))?;
        }
    }
    let pages = site.at("www");
    context(fs::create_dir_all(&pages), "create", &pages)?;
    for (_, _, size, _) in PAGES {
        let page = pages.join(size.to_string());
        context(fs::write(&page, super::acid::text(size)), "write", &page)?;
    }
    Ok(built)
}

fn executable(site: &Site, built: &Prepared, server: &str, heap: &str) -> Result<PathBuf> {
    match Variant::from_name(heap) {
        Some(variant) => Ok(built.executable(variant, server)),
        None if heap == REWRITTEN => Ok(site.at(REWRITTEN).join(server)),
        None => Err(format!("no heap {heap}")),
    }
}

type Rest = JoinHandle<Result<Sample>>;

/// Starts a server and asks it. Returns what that took, the bytes of an answer, and the rest, at whose end the server's
/// memory is looked at.
fn run(
    site: &Site,
    built: &Prepared,
    server: &str,
    load: &Load,
    heap: &str,
    requests: usize,
) -> Result<(Sample, usize, Rest)> {
    let running = started(server, &executable(site, built, server, heap)?, &site.work)?;
    let before = running.spent()?;
    let answered = load.ask(running.address, requests)?;
    let mut sample = running.spent()?;
    for (figure, value) in &mut sample {
        *value -= before[figure];
    }
    sample.insert("requests".to_owned(), requests as f64);
    sample.insert("wall_ns".to_owned(), answered.wall.as_nanos() as f64);
    let rest = std::thread::spawn(move || {
        std::thread::sleep(REST);
        running.memory()
    });
    Ok((sample, answered.bytes, rest))
}

fn started(server: &str, program: &Path, work: &Path) -> Result<Server> {
    match server {
        rust::AXUM => Server::telling(program),
        _ => Server::nginx(program, work),
    }
}

#[cfg(test)]
mod tests;
