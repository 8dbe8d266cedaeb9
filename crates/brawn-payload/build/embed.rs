//! Writes what was built to files, and the Rust items of `src/lib.rs` that embed them.

use crate::Result;
use crate::finish::Finished;
use crate::heap::Heaps;
use crate::libc::{self, Libc};
use crate::memory::{self, Memory};
use crate::recipe::{self, Architecture, Form};
use crate::supplied::Supplied;
use crate::targets::Target;
use std::fs;
use std::path::Path;

/// The directory for the files, and the text that all items share.
pub struct Embed<'a> {
    pub out: &'a Path,
    pub version: &'a str,
    pub engine: &'a str,
    pub compiler: &'a str,
}

/// The text of the items for `targets`: tables of what was built, names, and `licenses`.
pub fn items(embed: &Embed<'_>, targets: &[Target], licenses: &str) -> Result<String> {
    let (mut payloads, mut shared, mut preloads) = (Vec::new(), Vec::new(), Vec::new());
    let (mut attach, mut sets) = (Vec::new(), String::new());
    for target in targets {
        attach.extend(embed.attach(target)?);
        if let Some(memory) = &target.memory {
            let value = embed.memory(target.architecture, memory)?;
            sets += &item("static", &set("MEMORY", target), "Set", &value);
        }
        let value = embed.libc(target.architecture, &target.libc)?;
        sets += &item("static", &set("LIBC", target), "Set", &value);
        let value = embed.supplied(target.architecture, &target.supplied)?;
        sets += &item("static", &set("SUPPLIED", target), "Supplies", &value);
        for heaps in &target.heaps {
            payloads.push(embed.payload(target, heaps)?);
            shared.extend(embed.shared(target.architecture, heaps)?);
            preloads.extend(embed.preload(target.architecture, heaps)?);
        }
    }
    let mut all = String::new();
    for (name, kind, values) in [
        ("PAYLOADS", "Payload", payloads),
        ("SHARED", "Shared", shared),
        ("ATTACH", "Attach", attach),
        ("PRELOADS", "Preload", preloads),
    ] {
        all += &item("static", name, &format!("&[{kind}]"), &list(values));
    }
    all += &sets;
    all += &names();
    all += &item("static", "LICENSES", "&str", &text(licenses));
    Ok(all)
}

/// The names in the recipe, for code that looks for them in files.
fn names() -> String {
    let memory = recipe::memory_names();
    let preload = recipe::preload_names();
    let families: Vec<&str> = libc::FAMILIES.iter().map(|(name, _)| *name).collect();
    let libc = libc::names();
    let lists: [(&str, &str, &[&str]); 8] = [
        (
            "HEAP_NAMES",
            "The heap's public names, sorted: what ISO C, POSIX and musl's headers declare.",
            recipe::PUBLIC,
        ),
        (
            "HEAP_PRIVATE",
            "The names by which musl itself reaches its heap, sorted.",
            recipe::PRIVATE,
        ),
        ("HEAP_SURFACE", "Both.", recipe::SURFACE),
        (
            "HEAP_ADDED",
            "What C23 has beside these, and no musl so far, sorted.",
            recipe::ADDED,
        ),
        (
            "MEMORY_NAMES",
            "The memory functions, by the names that programs call, sorted.",
            &memory,
        ),
        (
            "LIBC_NAMES",
            "The functions of libc beside heap and memory functions, by the names that programs call, sorted.",
            &libc,
        ),
        ("LIBC_FAMILIES", "Their families, sorted.", &families),
        (
            "PRELOAD_NAMES",
            "The names that the object for `LD_PRELOAD` defines for others, sorted.",
            &preload,
        ),
    ];
    let words = [
        (
            "MEMORY_PREFIX",
            "What the memory functions' own names begin with, by which they call each other.",
            recipe::MEMORY_PREFIX,
        ),
        (
            "PRELOAD_NAME",
            "What the dynamic linker calls the object for `LD_PRELOAD`, and its file's usual name.",
            recipe::PRELOAD_NAME,
        ),
    ];
    let lists = lists.map(|(name, meaning, value)| {
        format!(
            "/// {meaning}\n{}",
            item("pub const", name, "&[&str]", &texts(value))
        )
    });
    let words = words.map(|(name, meaning, value)| {
        format!(
            "/// {meaning}\n{}",
            item("pub const", name, "&str", &text(value))
        )
    });
    lists.concat() + &words.concat()
}

impl Embed<'_> {
    /// `None` if there is none for the architecture; the same of [`Self::shared`] and [`Self::preload`].
    fn attach(&self, target: &Target) -> Result<Option<String>> {
        let architecture = target.architecture;
        let Some(built) = &target.attach else {
            return Ok(None);
        };
        let file = format!("{}-{}", architecture.name, recipe::ATTACH_NAME);
        Ok(Some(value(
            "Attach",
            &[
                (
                    "architecture",
                    variant("Architecture", architecture.variant),
                ),
                ("source", text(&built.source)),
                ("surface", texts(&built.object.surface)),
                ("needs", texts(&built.object.needs)),
                (
                    "member",
                    self.member(recipe::ATTACH_NAME, &file, &built.object)?,
                ),
            ],
        )))
    }

    fn memory(&self, architecture: &Architecture, built: &Memory) -> Result<String> {
        let functions = built.functions.iter();
        let functions =
            functions.map(|f| self.listed(architecture, f, &["memory", "", ""], [true, false]));
        let functions = functions.collect::<Result<Vec<_>>>()?;
        Ok(self.set("Set", &built.source, functions))
    }

    fn libc(&self, architecture: &Architecture, built: &Libc) -> Result<String> {
        let functions = built.functions.iter().map(|listed| {
            let words = [listed.family, listed.row.group, listed.row.choice];
            let row = &listed.row;
            self.listed(
                architecture,
                &listed.function,
                &words,
                [row.exact, row.linked],
            )
        });
        let functions = functions.collect::<Result<Vec<_>>>()?;
        Ok(self.set("Set", &built.source, functions))
    }

    /// One of a set, of a family, a group and a choice; whether it is exact, and comes only into programs that are being linked.
    fn listed(
        &self,
        architecture: &Architecture,
        function: &memory::Function,
        [family, group, choice]: &[&str; 3],
        [exact, linked]: [bool; 2],
    ) -> Result<String> {
        let has_data = linked || function.object.has_data()?;
        let needs = function.object.needs.iter();
        let (needs, asks): (Vec<_>, Vec<_>) =
            needs.partition(|name| name.starts_with(recipe::MEMORY_PREFIX));
        let fields = [
            (
                "member",
                self.function(architecture, &function.member, &function.object)?,
            ),
            ("family", text(family)),
            ("group", text(group)),
            ("choice", text(choice)),
            ("exact", exact.to_string()),
            ("surface", texts(&function.surface)),
            ("has_data", has_data.to_string()),
            ("own", texts(&function.own)),
            ("needs", texts(&needs)),
            ("asks", texts(&asks)),
        ];
        Ok(value("Function", &fields))
    }

    fn supplied(&self, architecture: &Architecture, built: &Supplied) -> Result<String> {
        let functions = built.functions.iter().map(|function| {
            let fields = [
                ("name", text(function.name)),
                (
                    "member",
                    self.function(architecture, &function.member, &function.object)?,
                ),
                ("needs", texts(&function.object.needs)),
            ];
            Ok(value("Supply", &fields))
        });
        let functions = functions.collect::<Result<Vec<_>>>()?;
        Ok(self.set("Supplies", &built.source, functions))
    }

    /// A set of functions for one architecture.
    fn set(&self, kind: &str, source: &str, functions: Vec<String>) -> String {
        let fields = [
            ("version", text(self.version)),
            ("compiler", text(self.compiler)),
            ("source", text(source)),
            ("functions", list(functions)),
        ];
        value(kind, &fields)
    }

    fn payload(&self, target: &Target, heaps: &Heaps) -> Result<String> {
        let (architecture, heap) = (target.architecture, &heaps.libc);
        let file = file(architecture, heaps, &recipe::LIBC);
        let memory = match &target.memory {
            Some(_) => format!("Some(&{})", set("MEMORY", target)),
            None => "None".to_owned(),
        };
        let member = self.member(recipe::MEMBER_NAME, &file, &heap.object)?;
        let mut fields = self.heap(architecture, heaps, &heap.source);
        fields.extend([
            ("members", list([member])),
            ("surface", texts(&heap.object.surface)),
            ("needs", texts(&heap.object.needs)),
            ("memory", memory),
            ("libc", format!("&{}", set("LIBC", target))),
            ("supplied", format!("&{}", set("SUPPLIED", target))),
        ]);
        Ok(value("Payload", &fields))
    }

    fn shared(&self, architecture: &Architecture, heaps: &Heaps) -> Result<Option<String>> {
        let Some(heap) = &heaps.shared else {
            return Ok(None);
        };
        let file = file(architecture, heaps, &recipe::SHARED);
        fs::write(self.out.join(&file), &heap.object.bytes)?;
        let fields = [
            (
                "architecture",
                variant("Architecture", architecture.variant),
            ),
            ("profile", variant("Profile", &capitalized(heaps.profile))),
            ("bytes", include(&file)),
        ];
        Ok(Some(value("Shared", &fields)))
    }

    fn preload(&self, architecture: &Architecture, heaps: &Heaps) -> Result<Option<String>> {
        let Some(preload) = &heaps.preload else {
            return Ok(None);
        };
        let profile = heaps.profile;
        let file = format!("{}-{profile}-{}", architecture.name, recipe::PRELOAD_NAME);
        fs::write(self.out.join(&file), &preload.linked)?;
        let mut fields = self.heap(architecture, heaps, &preload.heap.source);
        fields.push(("bytes", include(&file)));
        Ok(Some(value("Preload", &fields)))
    }

    /// What is said of every heap.
    fn heap(
        &self,
        architecture: &Architecture,
        heaps: &Heaps,
        source: &str,
    ) -> Vec<(&'static str, String)> {
        vec![
            (
                "architecture",
                variant("Architecture", architecture.variant),
            ),
            ("profile", variant("Profile", &capitalized(heaps.profile))),
            ("version", text(self.version)),
            ("engine", text(self.engine)),
            ("compiler", text(self.compiler)),
            ("source", text(source)),
        ]
    }

    /// [`Self::member`] of a function's object, whose file is named after it.
    fn function(
        &self,
        architecture: &Architecture,
        name: &str,
        object: &Finished,
    ) -> Result<String> {
        self.member(name, &format!("{}-{name}", architecture.name), object)
    }

    /// Writes an object to `file`, and gives the expression that embeds it as the member `name`.
    fn member(&self, name: &str, file: &str, object: &Finished) -> Result<String> {
        let beside = format!("{file}.eh_frame");
        fs::write(self.out.join(file), &object.bytes)?;
        fs::write(self.out.join(&beside), &object.frames.bytes)?;
        let frames = [
            ("bytes", include(&beside)),
            ("functions", format!("&{:?}", object.frames.functions)),
        ];
        let fields = [
            ("name", text(name)),
            ("bytes", include(file)),
            ("frames", value("Frames", &frames)),
        ];
        Ok(value("Member", &fields))
    }
}

/// The name of the item that holds a set of functions.
fn set(kind: &str, target: &Target) -> String {
    format!("{kind}_{}", target.architecture.name.to_uppercase())
}

fn file(architecture: &Architecture, heaps: &Heaps, form: &Form) -> String {
    format!("{}-{}-{}.o", architecture.name, heaps.profile, form.name)
}

// The functions below give Rust expressions, and items made of them.

fn item(keyword: &str, name: &str, kind: &str, value: &str) -> String {
    format!("{keyword} {name}: {kind} = {value};\n")
}

fn value(kind: &str, fields: &[(&str, String)]) -> String {
    let fields = fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}"));
    format!("{kind} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

fn list(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<_> = values.into_iter().collect();
    format!("&[{}]", values.join(", "))
}

fn text(words: &str) -> String {
    format!("{words:?}")
}

fn texts<T: AsRef<str>>(all: &[T]) -> String {
    list(all.iter().map(|one| text(one.as_ref())))
}

fn variant(kind: &str, name: &str) -> String {
    format!("{kind}::{name}")
}

fn include(file: &str) -> String {
    format!("built!({file:?})")
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next();
    first
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
