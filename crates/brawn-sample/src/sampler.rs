//! Runs the command, and collects what the sources give until it ends.

use crate::perf::Clock;
use crate::run::{Options, PAUSES, Run, Seen, Source};
use crate::samples::{Mode, Samples};
use crate::stops;
use std::io;
use std::process::Command;
use std::time::Duration;

/// Not a whole number of milliseconds, since programs that do something every millisecond would be seen wrongly.
const DETUNED: u64 = 1_003;

/// Runs the command and samples it until its process ends. What the process leaves behind is not waited for.
///
/// The command's process and its descendants are seen. What it reads and writes is as the caller set it up.
///
/// # Errors
/// The command cannot be started; no way to sample is open; [`Options::interrupt`] became readable.
pub fn sample(command: &mut Command, options: &Options) -> io::Result<Samples> {
    let mut reason = None;
    if options.source != Source::Stops {
        let hertz = u64::from(options.hertz.clamp(1, 10_000));
        match Clock::open(1_000_000 * DETUNED / hertz) {
            Ok(clock) => return with_clock(command, &clock, options),
            Err(error) if options.source == Source::Clock => return Err(error),
            Err(error) => reason = Some(format!("perf_event_open: {error}")),
        }
    }
    let mut samples = stops::sample(command, options)?;
    samples.reason = reason;
    Ok(samples)
}

fn with_clock(command: &mut Command, clock: &Clock, options: &Options) -> io::Result<Samples> {
    let mut seen = Seen::default();
    let mut run = Run::start(command, options)?;
    seen.waits.start(run.child.id(), run.child.id());
    let mut ended = false;
    while !ended {
        run.child.sleep(pause(&run, &seen));
        // Whatever comes after this belongs to what the process left behind.
        ended = run.has_ended()?;
        clock.drain(&mut seen.records);
        seen.sort(ended);
        if !ended {
            seen.waits.look(&seen.maps);
        }
    }
    run.child.refuse_interrupted()?;
    let period = 1e-3 * DETUNED as f64 / f64::from(options.hertz.clamp(1, 10_000));
    let (mode, reason) = if clock.kernel {
        (Mode::Clock, None)
    } else {
        let why = "the kernel allows no samples of itself (perf_event_paranoid)";
        (Mode::UserClock, Some(why.to_owned()))
    };
    let mut samples = seen.into_samples(mode, &run, period);
    samples.reason = reason;
    Ok(samples)
}

/// Looking takes the program's processor, so a long run is looked at less often.
fn pause(run: &Run, seen: &Seen) -> Duration {
    let [shortest, longest] = PAUSES;
    let most = match seen.waits.has_threads() {
        true => shortest,
        false => longest,
    };
    (run.child.start.elapsed() / 8).clamp(shortest, most)
}
