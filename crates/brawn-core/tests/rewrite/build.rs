//! Builds programs of every shape, and the payload that they are rewritten with.

use crate::common::{make_program, root};
use brawn_core::arch::Isa;
use brawn_core::elf::program::Program;
use brawn_core::program::apply::apply;
use brawn_core::program::check::check;
use brawn_core::program::find::Function;
use brawn_core::program::layout::layout;
use brawn_core::program::linked::{Linked, Sizes};
use brawn_core::program::plan::Plan;
use brawn_core::signatures::names::Evidence;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite")
}

/// Runs it to a good end.
pub fn run(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}: {errors}",
        output.status
    );
    output
}

/// Which compiler, and with it which libc and linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// gcc and GNU ld with the machine's musl.
    Gcc,
    /// gcc and lld with musl 1.2.5.
    Lld,
    /// GNU ld with musl 1.2.5.
    Ld,
    /// zig, for x86_64 or aarch64.
    Zig(Isa),
    /// GNU ld with musl 1.2.5 for aarch64.
    LdArm,
}

impl Tool {
    pub fn architecture(self) -> Isa {
        match self {
            Self::Zig(architecture) => architecture,
            Self::LdArm => Isa::Aarch64,
            _ => Isa::X86_64,
        }
    }
}

/// The command of a compiler that also links.
fn compiler(tool: Tool) -> Command {
    match tool {
        Tool::Zig(architecture) => {
            let tools = root().join("target/tools");
            let mut zig = Command::new(tools.join("zig/ziglang/zig"));
            zig.args([
                "cc",
                "-target",
                &format!("{}-linux-musl", architecture.name()),
            ]);
            zig.env("ZIG_GLOBAL_CACHE_DIR", tools.join("zig-cache"));
            zig.env("ZIG_LOCAL_CACHE_DIR", tools.join("zig-cache"));
            zig
        }
        _ => Command::new("musl-gcc"),
    }
}

/// Compiles `program.c` to `out`; flags that begin with `-z=` or `--` are the linker's.
pub fn program(tool: Tool, flags: &str, out: &Path) {
    let source = here().join("program.c");
    let flags: Vec<_> = flags.split_whitespace().collect();
    let is_linkers = |flag: &str| flag.starts_with("--") || flag.starts_with("-z=");
    let linkers = flags.iter().filter(|f| is_linkers(f));
    let compilers: Vec<_> = flags.iter().filter(|f| !is_linkers(f)).copied().collect();
    if let Tool::Gcc | Tool::Zig(_) = tool {
        let mut command = compiler(tool);
        let linkers = linkers.map(|flag| match flag.strip_prefix("-z=") {
            Some(value) => format!("-Wl,-z,{value}"),
            None => format!("-Wl,{flag}"),
        });
        run(command
            .args(["-O1", "-static"])
            .args(compilers)
            .args(linkers)
            .arg(source)
            .arg("-o")
            .arg(out));
        return;
    }
    // Compiler and linker by hand: musl-gcc knows no static-pie.
    let (cc, musl) = match tool {
        Tool::LdArm => ("aarch64-linux-gnu-gcc", "1.2.5-arm64"),
        _ => ("gcc", "1.2.5"),
    };
    let musl = root().join("target/tools/musls").join(musl);
    let object = out.with_extension("o");
    let is_pie = compilers.contains(&"-static-pie");
    let compilers = compilers.into_iter().filter(|f| *f != "-static-pie");
    run(Command::new(cc)
        .args(["-O1", "-c", "-fno-stack-protector", "-nostdinc", "-isystem"])
        .arg(musl.join("include"))
        .arg(if is_pie { "-fPIE" } else { "-fno-pie" })
        .args(compilers)
        .arg(source)
        .arg("-o")
        .arg(&object));
    let ld = match tool {
        Tool::Lld => "ld.lld",
        Tool::LdArm => "aarch64-linux-gnu-ld",
        _ => "ld",
    };
    let libgcc = run(Command::new(cc).arg("-print-libgcc-file-name")).stdout;
    let libgcc = String::from_utf8(libgcc).unwrap();
    let lib = musl.join("lib");
    let mut link = Command::new(ld);
    if is_pie {
        link.args(["-pie", "--no-dynamic-linker", "-z", "text"]);
    } else {
        link.arg("-static");
    }
    for flag in linkers {
        match flag.strip_prefix("-z=") {
            Some(value) => link.args(["-z", value]),
            None => link.arg(flag),
        };
    }
    run(link
        .args(["--eh-frame-hdr", "-o"])
        .arg(out)
        .arg(lib.join(if is_pie { "rcrt1.o" } else { "crt1.o" }))
        .arg(lib.join("crti.o"))
        .arg(object)
        .arg(lib.join("libc.a"))
        .arg(libgcc.trim())
        .arg(lib.join("crtn.o")));
}

/// What the payload needs: the code's size is that of `payload.S`.
fn sizes(tls: (u64, u64)) -> Sizes {
    Sizes {
        code: 192,
        code_align: 64,
        data: 8,
        zero: 4096,
        data_align: 16,
        tls: tls.0,
        tls_align: tls.1,
    }
}

/// Links `payload.S` to its addresses.
fn link(program: &Program<'_>, plan: &Plan, folder: &Path) -> Linked {
    let (cc, prefix) = match program.architecture {
        Isa::X86_64 => ("gcc", ""),
        Isa::Aarch64 => ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-"),
    };
    let (object, out, flat) = ["payload.o", "payload", "payload.bin"]
        .map(|n| folder.join(n))
        .into();
    let layout = &plan.layout;
    run(Command::new(cc)
        .arg("-c")
        .arg(format!("-DBRAWN_TLS={}", layout.thread_locals()))
        .arg(here().join("payload.S"))
        .arg("-o")
        .arg(&object));
    let data = layout.data();
    run(Command::new(format!("{prefix}ld"))
        .args(["--no-dynamic-linker", "-e", "brawn_attach_start", "-o"])
        .arg(&out)
        .arg(format!("-Ttext={:#x}", layout.code.address))
        .arg(format!("--defsym=brawn_host_entry={:#x}", program.entry))
        .arg(format!(
            "--defsym=brawn_attach_table={:#x}",
            layout.table.address
        ))
        .arg(format!("--defsym=brawn_data={data:#x}"))
        .arg(format!("--defsym=brawn_zero={:#x}", data + 8))
        .arg(&object));
    run(Command::new(format!("{prefix}objcopy"))
        .args(["-O", "binary", "--only-section=.text"])
        .args([&out, &flat]));
    let names =
        String::from_utf8(run(Command::new(format!("{prefix}nm")).arg(&out)).stdout).unwrap();
    let address = |name: &str| {
        let mut lines = names
            .lines()
            .filter(|line| line.ends_with(&format!(" {name}")));
        let line = lines.next().unwrap_or_else(|| panic!("{name} in {names}"));
        u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
    };
    let symbols = ["brawn_attach_start", "brawn_probe"].map(|n| (n.to_owned(), address(n)));
    let functions = symbols.clone().map(|(name, address)| (name, address, 64));
    Linked {
        code: std::fs::read(flat).unwrap(),
        data: 41u64.to_le_bytes().to_vec(),
        symbols: symbols.into(),
        functions: functions.into(),
        note: address("brawn_note")..address("brawn_note_end"),
        debug_frame: frame(address("brawn_probe")),
    }
}

/// Unwind information of a function of 64 bytes: one shared entry and one of its own.
fn frame(address: u64) -> Vec<u8> {
    let mut frame = Vec::new();
    let shared = [
        &u32::MAX.to_le_bytes()[..],
        &[4, 0, 8, 0, 1, 0x78, 16, 12, 7, 8, 0x90, 1, 0, 0, 0, 0],
    ]
    .concat();
    frame.extend((shared.len() as u32).to_le_bytes());
    frame.extend(shared);
    frame.extend(20u32.to_le_bytes());
    frame.extend(0u32.to_le_bytes());
    frame.extend(address.to_le_bytes());
    frame.extend(64u64.to_le_bytes());
    frame
}

/// Address and size of the function that is replaced.
pub fn probe(path: &Path) -> (u64, u64) {
    let bytes = std::fs::read(path).unwrap();
    let program = Program::read(&bytes).unwrap();
    let probe = program.symbol("probe").unwrap();
    (probe.address, probe.size)
}

/// Rewrites the program at `path` to `out`: a block of thread-locals of these bytes and alignment comes.
pub fn rewrite(path: &Path, out: &Path, tls: (u64, u64), probe: (u64, u64)) -> Plan {
    let bytes = std::fs::read(path).unwrap();
    let program = Program::read(&bytes).unwrap();
    let sizes = sizes(tls);
    let layout = layout(&program, &sizes).unwrap();
    let mut plan = Plan::new(&program, "brawn_attach_start", sizes, layout);
    plan.functions.push(Function {
        name: "probe".into(),
        component: brawn_core::component::Component::Heap,
        address: probe.0,
        patch_at: probe.0,
        room: probe.1,
        target: "brawn_probe".into(),
        evidence: Evidence::Symbol,
        aliases: Vec::new(),
        extent: 0..0,
    });
    let linked = link(&program, &plan, out.parent().unwrap());
    let new = apply(&program, &plan, &linked).unwrap();
    check(&program, &plan, &linked, &new).unwrap();
    brawn_core::publish::write_elsewhere(path, out, &new).unwrap();
    make_program(out);
    // The streaming reader and the other one agree.
    let new = std::fs::read(out).unwrap();
    Program::read(&new).unwrap();
    plan
}
