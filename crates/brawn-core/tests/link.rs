//! The small linker's work, run: programs of musl with room in them get the payload's heap and memory functions, natively
//! and under qemu.

mod common;

use brawn_core::arch::Isa;
use brawn_core::program::link;
use brawn_core::program::link::{At, Linked, Objects};
use brawn_payload::{Payload, Profile};
use common::root;
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{LittleEndian, Object as _, ObjectSegment as _, ObjectSymbol as _, elf};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Compiles `link/host.c` with musl 1.2.5, position-independent or not.
fn compile(architecture: Isa, is_pie: bool, folder: &Path) -> Vec<u8> {
    let (cc, musl) = match architecture {
        Isa::X86_64 => ("gcc", "1.2.5"),
        Isa::Aarch64 => ("aarch64-linux-gnu-gcc", "1.2.5-arm64"),
    };
    let musl = root().join("target/tools/musls").join(musl);
    let lib = |name: &str| musl.join("lib").join(name);
    let (flags, start): (&[&str], _) = match is_pie {
        true => (&["-static-pie", "-fPIE"], "rcrt1.o"),
        false => (&["-static", "-no-pie", "-fno-PIE"], "crt1.o"),
    };
    let out = folder.join("host");
    let mut command = Command::new(cc);
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-fno-stack-protector"]);
    command.args(["-nostdinc", "-nostdlib"]).args(flags);
    // The compiler's own headers stand beside libgcc.
    let own = Command::new(cc)
        .arg("-print-file-name=include")
        .output()
        .unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    command.arg("-isystem").arg(musl.join("include"));
    command.arg("-isystem").arg(own.trim());
    command.arg(lib(start)).arg(lib("crti.o"));
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/link/host.c"));
    command.arg(lib("libc.a")).arg("-lgcc").arg(lib("crtn.o"));
    let output = command.arg("-o").arg(&out).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    fs::read(out).unwrap()
}

/// A program that is changed in place.
struct Host {
    architecture: Isa,
    bytes: Vec<u8>,
    entry: u64,
    symbols: HashMap<String, (u64, u64)>,
    /// Address and offset of every loaded segment.
    loads: Vec<(u64, u64, u64)>,
    /// Of the thread-local `room_local`, from the thread pointer.
    tls: i64,
}

impl Host {
    fn new(architecture: Isa, is_pie: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bytes = compile(architecture, is_pie, folder.path());
        let file = ElfFile64::<LittleEndian>::parse(&*bytes).unwrap();
        let symbols = file.symbols().filter(|s| !s.is_undefined());
        let symbols: HashMap<_, _> = symbols
            .map(|s| (s.name().unwrap().to_owned(), (s.address(), s.size())))
            .collect();
        let loads = file.segments().map(|s| (s.address(), s.file_range()));
        let loads = loads
            .map(|(address, (offset, size))| (address, offset, size))
            .collect();
        let endian = LittleEndian;
        let mut headers = file
            .elf_header()
            .program_headers(endian, &*bytes)
            .unwrap()
            .iter();
        let tls = headers.find(|h| h.p_type(endian) == elf::PT_TLS).unwrap();
        let (at, size, align) = (
            tls.p_vaddr(endian),
            tls.p_memsz(endian),
            tls.p_align(endian),
        );
        // musl, src/env/__init_tls.c: behind the thread pointer and 16 bytes, or up to the thread pointer.
        let block = match architecture {
            Isa::X86_64 => {
                -((size + (size.wrapping_add(at).wrapping_neg() & (align - 1))).cast_signed())
            }
            Isa::Aarch64 => (16 + (at.wrapping_sub(16) & (align - 1))).cast_signed(),
        };
        let tls = block.wrapping_add_unsigned(symbols["room_local"].0);
        let entry = file.entry();
        Self {
            architecture,
            entry,
            symbols,
            loads,
            tls,
            bytes,
        }
    }

    /// What is at `address`.
    fn at(&mut self, address: u64, length: usize) -> &mut [u8] {
        let holds = |(from, _, size): &&(u64, u64, u64)| (*from..from + size).contains(&address);
        let (from, offset, _) = self.loads.iter().find(holds).unwrap();
        &mut self.bytes[(address - from + offset) as usize..][..length]
    }

    fn address(&self, name: &str) -> u64 {
        self.symbols[name].0
    }

    /// A call or jump at `from` to `to`.
    fn branch(&mut self, from: u64, to: u64, is_call: bool) {
        let distance = to.wrapping_sub(from).cast_signed();
        match self.architecture {
            Isa::X86_64 => {
                let place = self.at(from, 5);
                place[0] = if is_call { 0xe8 } else { 0xe9 };
                let distance = i32::try_from(distance - 5).unwrap();
                place[1..].copy_from_slice(&distance.to_le_bytes());
            }
            Isa::Aarch64 => {
                let branch = if is_call { 0x9400_0000 } else { 0x1400_0000 };
                let word = branch | (distance >> 2) as u32 & 0x3ff_ffff;
                self.at(from, 4).copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// Where in `function` the call of `callee` is.
    fn call(&mut self, function: &str, callee: &str) -> u64 {
        let (from, size) = self.symbols[function];
        let to = self.address(callee);
        let architecture = self.architecture;
        let code = self.at(from, size as usize).to_vec();
        let mut calls = (0..code.len() - 4).filter(|at| {
            let place = from + *at as u64;
            let word = |at: usize| u32::from_le_bytes(code[at..at + 4].try_into().unwrap());
            match architecture {
                Isa::X86_64 => {
                    let distance = i64::from(word(*at + 1).cast_signed());
                    code[*at] == 0xe8 && place.wrapping_add_signed(distance) + 5 == to
                }
                Isa::Aarch64 => {
                    let distance = i64::from((word(*at) << 6).cast_signed() >> 4);
                    word(*at) >> 26 == 0x25
                        && at % 4 == 0
                        && place.wrapping_add_signed(distance) == to
                }
            }
        });
        let call = calls
            .next()
            .unwrap_or_else(|| panic!("{function} does not call {callee}"));
        from + call as u64
    }

    /// Links `names` of `payload` into the rooms, and makes the program's functions of those names jump to them.
    fn fill(&mut self, payload: &Payload, names: &[&str]) -> Linked {
        let objects = Objects::choose(payload, names).unwrap();
        let sizes = objects.sizes();
        let (code, data) = (self.address("room_code"), self.address("room_data"));
        let table = code + sizes.code.next_multiple_of(8);
        assert!(
            table + 24 <= code + 131_072 && sizes.data + sizes.zero <= 65_536 && sizes.tls <= 128
        );
        let linked = {
            let host = |name: &str| match name {
                link::HOST_ENTRY => Some(self.entry),
                link::HOST_TSD_RUN_DTORS => Some(self.address("__pthread_tsd_run_dtors")),
                link::TABLE => Some(table),
                _ => self.symbols.get(name).map(|s| s.0),
            };
            let at = At {
                code,
                data,
                tls: self.tls,
                host: &host,
            };
            link::link(&objects, &at).unwrap()
        };
        self.at(code, linked.code.len())
            .copy_from_slice(&linked.code);
        self.at(data, linked.data.len())
            .copy_from_slice(&linked.data);
        let [place, value] = ["moved", "target"].map(|name| self.address(name).wrapping_sub(table));
        for (word, at) in [1, place, value].into_iter().zip((table..).step_by(8)) {
            self.at(at, 8).copy_from_slice(&word.to_le_bytes());
        }
        for name in names.iter().filter(|n| **n != link::THREAD_EXIT) {
            if let Some((address, _)) = self.symbols.get(*name).copied() {
                self.branch(address, linked.symbols[*name], false);
            }
        }
        if let Some(start) = linked.symbols.get(link::START) {
            self.bytes[24..32].copy_from_slice(&start.to_le_bytes()); // e_entry
        }
        linked
    }

    /// Runs it, and returns by how many KiB of memory more it had after so many threads had come and gone.
    fn run(&self, mode: &str, threads: u32) -> i64 {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, &self.bytes).unwrap();
        common::make_program(&program);
        let mut command = match self.architecture {
            Isa::X86_64 => Command::new(&program),
            Isa::Aarch64 => Command::new("qemu-aarch64"),
        };
        if self.architecture == Isa::Aarch64 {
            command.arg(&program);
        }
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HERE", "there")
            .args([mode, &threads.to_string()]);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{mode}: {}: {text}", output.status);
        text.trim().parse().unwrap()
    }
}

fn payload(architecture: Isa, profile: Profile) -> &'static Payload {
    brawn_payload::payload(architecture.architecture(), profile).unwrap()
}

fn memory_names(payload: &Payload) -> Vec<&'static str> {
    let functions = payload.memory.unwrap().functions.iter();
    functions.flat_map(|f| f.surface).copied().collect()
}

/// Heap and memory functions, with a thread's end.
fn everything(host: &mut Host, payload: &Payload) {
    let mut names = memory_names(payload);
    names.extend(payload.surface);
    names.push(link::THREAD_EXIT);
    let linked = host.fill(payload, &names);
    let call = host.call("__pthread_exit", "__pthread_tsd_run_dtors");
    host.branch(call, linked.symbols[link::THREAD_EXIT], true);
}

/// KiB that a program may grow by while threads come and go: segments that are kept for the next.
const FLAT: i64 = 8 * 1024;

#[test]
fn a_linked_heap_runs_in_every_profile_wherever_the_program_is_loaded() {
    for profile in Profile::ALL {
        for is_pie in [false, true] {
            let mut host = Host::new(Isa::X86_64, is_pie);
            everything(&mut host, payload(Isa::X86_64, profile));
            let grown = host.run("heap", 2000);
            assert!(grown < FLAT, "{profile:?}: {grown} KiB");
        }
    }
}

#[test]
fn a_linked_heap_runs_on_aarch64() {
    for is_pie in [false, true] {
        let mut host = Host::new(Isa::Aarch64, is_pie);
        everything(&mut host, payload(Isa::Aarch64, Profile::Fast));
        let grown = host.run("heap", 200);
        assert!(grown < FLAT, "{grown} KiB");
    }
}

/// What the tests above would see if a thread's end did not give its heap back.
#[test]
fn without_its_way_to_a_threads_end_the_heap_grows() {
    let payload = payload(Isa::X86_64, Profile::Fast);
    let mut host = Host::new(Isa::X86_64, false);
    host.fill(payload, payload.surface);
    let grown = host.run("heap", 2000);
    assert!(grown > 10 * FLAT, "{grown} KiB");
}

#[test]
fn memory_functions_alone_leave_the_start_as_it_is() {
    for architecture in Isa::ALL {
        let payload = payload(architecture, Profile::Fast);
        let mut host = Host::new(architecture, true);
        let entry = host.bytes[24..32].to_vec();
        let linked = host.fill(payload, &memory_names(payload));
        assert!(!linked.symbols.contains_key(link::START) && linked.symbols.contains_key("memcpy"));
        assert_eq!(host.bytes[24..32], entry);
        host.run("memory", 100);
    }
}
