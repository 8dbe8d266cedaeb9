//! `again FILE`: predicts anew from the diagnoses that `bench/predict/jobs.py` has kept, beside what was measured.

use brawn_sample::{Costs, Diagnosis, predict};
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("again FILE")?;
    let mut jobs: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    let (mut all, mut near, mut clear, mut within) = (0, 0, 0, 0);
    for (name, job) in jobs.as_object_mut().ok_or("no jobs")? {
        let diagnosis: Diagnosis = serde_json::from_value(job["diagnosis"].clone())?;
        let found = predict(&diagnosis, &Costs::measured());
        job["prediction"] = serde_json::to_value(&found)?;
        job["words"] = vec![diagnosis.words(), found.words()].into();
        let ratio = job["ratio"].as_f64().ok_or("no ratio")?;
        let runs = job["runs"].as_array().ok_or("no runs")?;
        let seconds = runs.iter().filter_map(|run| run["stock"]["cpu"].as_f64());
        let seconds = seconds.sum::<f64>() / runs.len().max(1) as f64;
        // What is shorter is measured too coarsely.
        let mut mark = "short";
        if seconds >= 0.05 {
            let is_near = (found.ratio - ratio).abs() <= 0.05;
            all += 1;
            near += u32::from(is_near);
            let is_clear = found.unclear.is_none();
            clear += u32::from(is_clear);
            within += u32::from(is_clear && ratio >= found.low && ratio <= found.high);
            mark = if is_near { "" } else { "off" };
        }
        let all_clear = if found.unclear.is_some() {
            "unclear"
        } else {
            ""
        };
        println!(
            "{name:20} {seconds:5.2} s  measured {ratio:.3}  predicted {:.3} ({:.2}-{:.2}) {:+.3} {:.2} {mark} {all_clear}",
            found.ratio,
            found.low,
            found.high,
            found.ratio - ratio,
            found.high / found.low,
        );
    }
    println!("{near} of {all} within 5 points; {clear} have an interval, {within} are within it");
    std::fs::write(&path, serde_json::to_string_pretty(&jobs)? + "\n")?;
    Ok(())
}
