//! Describes the machine and the tools, for the raw data.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

/// The value after `key` and a separator in a file such as /proc/cpuinfo.
fn field(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    let value = line[key.len()..].trim_start_matches([' ', '\t', ':', '=']);
    Some(value.trim().trim_matches('"').to_owned())
}

/// The processor's name.
pub fn cpu() -> String {
    field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The processor's name as a part of a directory's name.
pub fn cpu_slug() -> String {
    let name = cpu().to_lowercase().replace("(r)", "").replace("(tm)", "");
    let words = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The load average of the last minute.
pub fn load() -> f64 {
    let line = first_line("/proc/loadavg").unwrap_or_default();
    line.split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(f64::NAN)
}

/// Today's date in UTC, as in 2025-12-31.
pub fn today() -> String {
    let mut now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.truncate("2025-12-31".len());
    now
}

/// The machine, by property.
pub fn machine() -> BTreeMap<String, String> {
    let processors = std::thread::available_parallelism().map_or(0, |n| n.get());
    let properties = [
        ("architecture", Some(std::env::consts::ARCH.to_owned())),
        ("cpu", Some(cpu())),
        ("processors", Some(processors.to_string())),
        (
            "hypervisor",
            field("/proc/cpuinfo", "flags")
                .map(|f| f.split(' ').any(|w| w == "hypervisor").to_string()),
        ),
        ("memory", field("/proc/meminfo", "MemTotal")),
        ("kernel", first_line("/proc/sys/kernel/osrelease")),
        ("distribution", field("/etc/os-release", "PRETTY_NAME")),
        (
            "transparent_hugepage",
            first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        ),
        (
            "overcommit_memory",
            first_line("/proc/sys/vm/overcommit_memory"),
        ),
        (
            "governor",
            first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        ),
    ];
    properties
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}
