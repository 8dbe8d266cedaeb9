//! Shared objects: their Rust code has brawn's heap, C keeps the process's.

use crate::build::{Build, MUSL, fixture, inspected, run, scratch, succeeded};
use brawn_core::identify::Libc;
use brawn_core::report::inspect::Verdict;
use object::{Object as _, ObjectSymbol as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every act of host.c that one host does.
const ACTS: [&str; 7] = [
    "active",
    "all",
    "fork",
    "fork-handlers",
    "close",
    "reload",
    "thread-memory",
];

fn plugin(name: &str, features: &str) -> PathBuf {
    Build {
        features,
        name,
        ..Default::default()
    }
    .run()
}

fn musl_plugin() -> PathBuf {
    Build {
        target: Some(MUSL),
        rustflags: "-Ctarget-feature=-crt-static",
        env: &[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER", "musl-gcc")],
        name: "plugin-musl.so",
        ..Default::default()
    }
    .run()
}

fn host(compiler: &str, name: &str, flags: &[&str]) -> PathBuf {
    let folder = scratch("made");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let mut command = Command::new(compiler);
    command
        .args(["-O1", "-Wall"])
        .args(flags)
        .arg(fixture("host.c"))
        .arg("-o")
        .arg(&path);
    command.args(["-ldl", "-lpthread"]);
    succeeded(
        &command.output().expect("a C compiler"),
        &format!("{command:?}"),
    );
    path
}

fn every_act(host: &Path, plugin: &Path) {
    for act in ACTS {
        run(host, &[plugin.as_os_str(), act.as_ref()]);
    }
}

#[test]
fn glibc() {
    let host = host("gcc", "host-glibc", &[]);
    for profile in ["", "secure", "lean"] {
        let plugin = plugin(&format!("plugin-{profile}.so"), profile);
        every_act(&host, &plugin);
        let said = run(&host, &[plugin.as_os_str(), "active".as_ref()]);
        let profile = if profile.is_empty() { "fast" } else { profile };
        assert!(said.contains(&format!(", {profile}), for Rust")), "{said}");
    }
}

#[test]
fn musl() {
    every_act(&host("musl-gcc", "host-musl", &[]), &musl_plugin());
}

#[test]
fn a_program_with_a_malloc_of_its_own_serves_c_and_not_rust() {
    let own = host("gcc", "host-glibc-own", &["-DOWN_MALLOC"]);
    run(
        &own,
        &[plugin("plugin-own.so", "").as_os_str(), "all".as_ref()],
    );
    let own = host("musl-gcc", "host-musl-own", &["-DOWN_MALLOC"]);
    run(&own, &[musl_plugin().as_os_str(), "all".as_ref()]);
}

#[test]
fn python_loads_it() {
    let plugin = plugin("plugin-python.so", "");
    let script = "import ctypes, sys, threading
plugin = ctypes.CDLL(sys.argv[1])
threads = [threading.Thread(target=lambda: wrong.append(plugin.plugin_churn(3000, 7))) for _ in range(8)]
wrong = []
[t.start() for t in threads]
[t.join() for t in threads]
assert wrong == [0] * 8 and plugin.plugin_threads(8) == 0
print('well')";
    let said = run(
        "python3",
        &["-c".as_ref(), script.as_ref(), plugin.as_os_str()],
    );
    assert_eq!(said.trim(), "well");
}

#[test]
fn nothing_of_the_heap_can_be_seen_from_outside() {
    for path in [plugin("plugin-names.so", ""), musl_plugin()] {
        let bytes = fs::read(&path).unwrap();
        let object = object::File::parse(&*bytes).unwrap();
        let exported: Vec<&str> = object
            .dynamic_symbols()
            .filter(|s| s.is_definition())
            .map(|s| s.name().unwrap())
            .filter(|name| !name.starts_with("plugin_"))
            .collect();
        assert!(exported.is_empty(), "{}: {exported:?}", path.display());
        let needed: Vec<&str> = object
            .dynamic_symbols()
            .filter(|s| s.is_undefined())
            .map(|s| s.name().unwrap())
            .collect();
        assert!(
            needed.contains(&"malloc") && needed.contains(&"strdup"),
            "{needed:?}"
        );
        // Static TLS: dlopen may find no room for it on glibc, and never on musl.
        let flags = object
            .section_by_name(".dynamic")
            .map(|_| dynamic_flags(&bytes));
        assert_eq!(
            flags.map(|f| f & DF_STATIC_TLS),
            Some(0),
            "{}",
            path.display()
        );
        let report = inspected(&path);
        let verdict = match report.libc {
            Libc::Glibc => Verdict::NotMusl,
            _ => Verdict::Fine,
        };
        assert_eq!(
            report.verdict,
            verdict,
            "{}: {}",
            path.display(),
            report.why
        );
        assert!(
            report.why.contains("its Rust code has brawn's heap"),
            "{}",
            report.why
        );
    }
}

const DF_STATIC_TLS: u64 = 0x10;

/// `DT_FLAGS` (ELF gABI, "Dynamic Section"); 0 where there are none.
fn dynamic_flags(bytes: &[u8]) -> u64 {
    use object::read::elf::{Dyn as _, FileHeader as _, SectionHeader as _};
    let header = object::elf::FileHeader64::<object::Endianness>::parse(bytes).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, bytes).unwrap();
    let entries = sections
        .iter()
        .find_map(|section| section.dynamic(endian, bytes).unwrap())
        .unwrap()
        .0;
    let flags = entries
        .iter()
        .find(|entry| entry.d_tag(endian) == object::elf::DT_FLAGS);
    flags.map_or(0, |entry| entry.d_val(endian))
}
