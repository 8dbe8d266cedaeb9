//! `brawn compare --predict`: where the program's time goes, and what brawn would change, from samples of it as it is.

use super::Args;
use super::diagnosis::{Diagnosed, Sampled};
use super::signals::{Signals, Watched};
use crate::commands::run::passed::as_inherited;
use crate::ui;
use brawn_core::program::Options as Rewrite;
use brawn_core::{Error, Result};
use brawn_lab::process::tree;
use brawn_lab::run::request::{Form, Host as _, Request};
use brawn_lab::run::session::Measured;
use brawn_sample::{
    Costs, Diagnosis, Options, Prediction, Samples, diagnose, mark, predict, sample,
};
use serde::Serialize;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsRawFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// A program is run again until there are this many samples, or for this many seconds of processor time.
const ENOUGH: (u64, f64) = (2000, 4.0);
/// On a busy machine runs take long, and give few samples: then until this time has passed.
const LONGEST: f64 = 12.0;
/// If its runs are so short, in seconds of processor time, later ones give this many samples a second.
const SHORT: (f64, u32) = (0.5, 2000);
/// The most runs.
const MOST_RUNS: usize = 50;

/// What is printed.
#[derive(Serialize)]
struct Told {
    diagnosis: Diagnosis,
    prediction: Prediction,
    /// Why the samples are not the best ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    words: [String; 2],
}

/// Samples the program, and prints the result. Nothing is rewritten.
pub fn print(path: &Path, args: &Args) -> Result<()> {
    let signals = Signals::watch()?;
    let host = Watched::hidden(&signals);
    let failed = |error| Error::io("cannot take in orphans", error);
    tree::take_in_orphans().map_err(failed)?;
    let (samples, left) = several(&args.request(), path, &host, MOST_RUNS)?;
    let diagnosis = marked(&samples, path, args)?;
    let prediction = predict(&diagnosis, &Costs::measured());
    let words = [diagnosis.words(), prediction.words()];
    let unclear = prediction.unclear.is_some();
    // From here on a signal ends brawn, which may wait for its reader.
    drop(signals);
    if args.json {
        ui::json(&Told {
            diagnosis,
            prediction,
            reason: samples.reason,
            words,
        });
        return Ok(());
    }
    let [diagnosis, prediction] = words;
    ui::text(&format!("expected with brawn: {prediction}"));
    ui::text(&format!("as it is: {diagnosis}"));
    if unclear {
        ui::info("without `--predict` it is measured");
    }
    if left > 0 {
        ui::info(&format!(
            "it leaves {left} running when it ends; they are ended, too"
        ));
    }
    if let Some(reason) = samples.reason {
        ui::info(&format!("fewer samples than there could be: {reason}"));
    }
    Ok(())
}

/// The result of the samples of the program as it is, and the functions that would stay if it were rewritten with these
/// options.
fn marked(samples: &Samples, path: &Path, args: &Args) -> Result<Diagnosis> {
    let mut diagnosis = diagnose(samples, path);
    let options = Rewrite {
        components: args.parts.components()?,
        keeps: false,
        force: false,
        builds: &args.signatures.read()?.all,
    };
    mark(&mut diagnosis, path, &options);
    Ok(diagnosis)
}

/// Samples of enough runs, at most this many; and how many processes the first run left behind.
fn several(
    request: &Request,
    path: &Path,
    host: &Watched<'_>,
    most: usize,
) -> Result<(Samples, u32)> {
    let most = most.min(MOST_RUNS);
    let usual = Options::default().hertz;
    let (mut samples, left) = one(request, path, host, usual)?;
    let hertz = match samples.user + samples.system < SHORT.0 {
        true => SHORT.1,
        false => usual,
    };
    let is_enough = |samples: &Samples| {
        let processor = samples.user + samples.system;
        samples.count() >= ENOUGH.0 || processor >= ENOUGH.1 || samples.wall >= LONGEST
    };
    while !is_enough(&samples) && (samples.runs as usize) < most {
        samples.add(one(request, path, host, hertz)?.0);
    }
    Ok((samples, left))
}

/// One run, and how many processes it left behind: they are ended.
fn one(request: &Request, path: &Path, host: &Watched<'_>, hertz: u32) -> Result<(Samples, u32)> {
    request.prepare(host)?;
    let (file, words) = request.command(path);
    let mut command = Command::new(file);
    let mut words = words.into_iter();
    words.next().map(|own| command.arg0(own));
    command.args(words).process_group(0);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    match &request.input {
        Some(input) => {
            let file = File::open(input);
            let file = file.map_err(|error| Error::io("cannot read it", error).path(input))?;
            command.stdin(file)
        }
        None => command.stdin(Stdio::null()),
    };
    as_inherited(&mut command);
    let options = Options {
        hertz,
        limit: request.time_limit.map(Duration::from_secs_f64),
        interrupt: Some(host.interrupt().as_raw_fd()),
        ..Options::default()
    };
    let sampled = sample(&mut command, &options);
    let left = tree::end_left();
    let samples = sampled.map_err(|error| match error.kind() {
        // Nothing runs any more.
        ErrorKind::Interrupted => host.stopped(),
        _ => crate::exec::failed(path, error).path(path),
    })?;
    let status = ExitStatus::from_raw(samples.status);
    if !status.success() && !request.ignore_failure {
        let what = format!("the program as it is ended with {status}");
        let next = "`--ignore-failure` samples it all the same";
        return Err(Error::refused(what).next(next).path(path));
    }
    Ok((samples, left))
}

/// Samples the program as it is and the first form beside it, in runs that do not count.
pub fn add(
    measured: &mut Measured,
    request: Request,
    (forms, args): (&[Form], &Args),
    host: &Watched<'_>,
) {
    // A signal may end the process here, so the bar is removed from the screen first.
    host.bar.clear();
    let mut kept = Diagnosed::default();
    // Its runs have all ended as the first one did, whatever that means.
    let request = Request {
        ignore_failure: true,
        ..request
    };
    let forms = forms.iter().enumerate().take(2);
    // The object of LD_PRELOAD would also be sampled in brawn's own helper.
    let forms = forms.filter(|(at, form)| measured.is_well[*at] && form.variables.is_empty());
    let data = &mut measured.data;
    let most = data.command.rounds.max(1);
    for (candidate, form) in forms {
        let is_first = candidate == 0;
        let found = several(&request, &form.path, host, most).and_then(|(samples, _)| {
            let diagnosis = match is_first {
                true => marked(&samples, &form.path, args)?,
                false => diagnose(&samples, &form.path),
            };
            Ok((samples, diagnosis))
        });
        let (samples, diagnosis) = match found {
            Ok(found) => found,
            Err(error) => {
                kept.reason = Some(error.to_string());
                break;
            }
        };
        if is_first {
            let expected = predict(&diagnosis, &Costs::measured());
            data.prediction = serde_json::to_value(expected).ok();
        }
        kept.reason = kept.reason.or(samples.reason);
        kept.forms.push(Sampled {
            candidate,
            runs: samples.runs,
            words: diagnosis.words(),
            diagnosis,
        });
    }
    data.diagnosis = serde_json::to_value(kept).ok();
}
