//! Reads the new file again and compares it with the plan and the old bytes, before anything is written.
//!
//! The file is read in pieces: a second copy of a large program would double the memory.

use super::headers::{self, Where};
use super::layout::{self, Span};
use super::linked::Linked;
use super::plan::Plan;
use super::sections::known_end;
use super::tls;
use crate::arch::Branch;
use crate::content::Content;
use crate::elf::program::{
    FILE_HEADER, PROGRAM_HEADER, Program, SECTION_HEADER, SYMBOL, Section, Segment,
};
use crate::elf::raw::{self, FileHeader, ProgramHeader, SectionHeader};
use crate::error::{Error, Result, printable};
use object::endian::U64;
use object::pod::Pod;
use object::{LittleEndian, elf};
use std::ops::Range;

/// Fails unless `new` is `program` with exactly the plan's changes, and every kernel can run it.
pub fn check(program: &Program<'_>, plan: &Plan, linked: &Linked, new: &Content<'_>) -> Result<()> {
    let check = Check {
        old: program,
        plan,
        linked,
        new,
        size: new.size(),
    };
    let segments = check.headers()?;
    check.loads(&segments)?;
    check.table(&segments)?;
    check.thread_locals(&segments)?;
    check.bytes()?;
    check.payload(&segments)?;
    check.sections(&segments)
}

fn wrong(found: impl Into<String>) -> Error {
    Error::malformed(found)
        .next("if other tools take the program as it is, this is a defect of brawn's")
}

struct Check<'a, 'p> {
    old: &'p Program<'a>,
    plan: &'p Plan,
    linked: &'p Linked,
    new: &'p Content<'p>,
    size: u64,
}

impl Check<'_, '_> {
    /// The structure at offset `at` of the new file.
    fn one<T: Pod + Copy>(&self, at: u64) -> Result<T> {
        let bytes: Vec<u8> = self
            .new
            .read(at..at.saturating_add(size_of::<T>() as u64))
            .flatten()
            .copied()
            .collect();
        let value = raw::first(&bytes);
        value.ok_or_else(|| wrong(format!("the new file ends at {:#x}", self.size)).at(at))
    }

    /// The new file header.
    fn header(&self) -> Result<FileHeader> {
        self.one(0)
    }

    /// The file header and the program headers.
    fn headers(&self) -> Result<Vec<Segment>> {
        let header = self.header()?;
        let mut expected = header;
        let was: FileHeader = raw::first(self.old.bytes).ok_or_else(|| wrong("no old header"))?;
        // Everything but the entry point, and the places and lengths of both tables.
        expected.e_entry = was.e_entry;
        expected.e_phoff = was.e_phoff;
        expected.e_phnum = was.e_phnum;
        expected.e_shoff = was.e_shoff;
        expected.e_shnum = was.e_shnum;
        if raw::bytes(&expected) != raw::bytes(&was) {
            return Err(wrong("the file header has changed").at(0));
        }
        let at = header.e_phoff.get(LittleEndian);
        (0..u64::from(header.e_phnum.get(LittleEndian)))
            .map(|number| {
                let header: ProgramHeader = self.one(at.saturating_add(number * PROGRAM_HEADER))?;
                Ok(Segment::of(&header, LittleEndian))
            })
            .collect()
    }

    /// Checks that old segments are unchanged, and that new ones overlap neither them nor each other.
    fn loads(&self, segments: &[Segment]) -> Result<()> {
        let old: Vec<_> = self.old.loads().collect();
        let new: Vec<_> = segments.iter().filter(|s| s.is_load()).collect();
        // The segment below the first one, if there is one, contains only headers, which are not executed.
        let below = usize::from(self.plan.layout.headers.place == Where::Below);
        let first = new.first().filter(|_| below == 1);
        if first.is_some_and(|s| s.offset != 0 || s.flags != elf::PF_R.0) {
            return Err(wrong(
                "the file does not begin with what is below the program",
            ));
        }
        let new = &new[below.min(new.len())..];
        let page = layout::page(self.old.architecture);
        let Some((kept, added)) = new.split_at_checked(old.len()) else {
            return Err(wrong("a loaded segment is missing"));
        };
        for (number, (was, is)) in old.iter().zip(kept).enumerate() {
            let was = self.shifted(was);
            let grown = Segment {
                file_size: is.file_size,
                size: is.size,
                ..was
            };
            let may_grow = number == 0 && is.file_size >= was.file_size && is.size >= was.size;
            if **is != if may_grow { grown } else { was } {
                return Err(wrong("an old segment has changed").at(was.offset));
            }
        }
        let is_executable = |s: &Segment| s.flags & elf::PF_X.0 != 0;
        let is_written = |s: &Segment| s.flags & elf::PF_W.0 != 0;
        for segment in added {
            let is_congruent = segment.align == page
                && segment
                    .address
                    .wrapping_sub(segment.offset)
                    .is_multiple_of(page);
            if !is_congruent || (is_executable(segment) && is_written(segment)) {
                return Err(wrong(format!("a new segment of {segment:x?}")).at(segment.offset));
            }
        }
        for (number, pair) in new.windows(2).enumerate() {
            let (end, next) = (pair[0].addresses().end, pair[1].address);
            let is_new = number + 1 >= old.len();
            if end > next || (is_new && end.next_multiple_of(page) > next - next % page) {
                return Err(wrong(format!(
                    "a segment at {next:#x}, within the one before it"
                )));
            }
        }
        let in_file = |s: &&&Segment| {
            s.file_size <= s.size
                && s.offset
                    .checked_add(s.file_size)
                    .is_some_and(|e| e <= self.size)
        };
        if let Some(segment) = new.iter().find(|s| !in_file(s)) {
            return Err(wrong("a segment is not in the file").at(segment.offset));
        }
        self.entry(added, new)?;
        self.others(segments)
    }

    /// Checks that the program begins where the plan says, in code. This is the payload's code if the payload runs
    /// first.
    fn entry(&self, added: &[&Segment], new: &[&Segment]) -> Result<()> {
        let entry = self.header()?.e_entry.get(LittleEndian);
        let expected = match &self.plan.start {
            Some(start) => self.linked.symbols.get(start).copied(),
            None => Some(self.old.entry),
        };
        let is_code = |s: &&&Segment| s.flags & elf::PF_X.0 != 0 && s.filled().contains(&entry);
        let is_there = match self.plan.start {
            Some(_) => added.iter().any(|s| is_code(&s)),
            None => new.iter().any(|s| is_code(&s)),
        };
        if Some(entry) != expected || !is_there {
            let found = format!("the entry point {entry:#x} is not that of the plan");
            return Err(wrong(found).at(24));
        }
        Ok(())
    }

    /// Checks that everything but loaded segments is as before, and that notes have their bytes: hostile headers may say
    /// that a note lies in a table of sections, which is written anew.
    fn others(&self, segments: &[Segment]) -> Result<()> {
        let others = |segments: &[Segment]| -> Vec<Segment> {
            let is_other =
                |s: &&Segment| !s.is_load() && s.kind != elf::PT_PHDR.0 && s.kind != elf::PT_TLS.0;
            segments.iter().filter(is_other).copied().collect()
        };
        let old = others(&self.old.segments);
        let new: Vec<_> = old.iter().map(|s| self.shifted(s)).collect();
        if !others(segments).starts_with(&new) {
            return Err(wrong("a segment that should stay has changed"));
        }
        let others = old.iter().zip(&new);
        let mut notes = others.filter(|(was, _)| was.kind == elf::PT_NOTE.0);
        if !notes.all(|(was, is)| self.is(is.offset, self.old.part(was.offset, was.file_size))) {
            return Err(wrong("a note has changed"));
        }
        Ok(())
    }

    /// An old segment at its place in the new file.
    fn shifted(&self, old: &Segment) -> Segment {
        let mut new = *old;
        if old.is_load() || old.file_size > 0 {
            new.offset = old.offset.wrapping_add(self.plan.layout.headers.shift);
        }
        let layout = &self.plan.layout;
        let room = layout.room.as_ref();
        if let Some(address) = room.and_then(|room| headers::moved(room, old)) {
            new.offset = layout.code.offset + (address - layout.code.address);
            new.address = address;
        }
        new
    }

    /// Checks that the program headers are loaded, and that every kernel gives the program their right address.
    ///
    /// Since 5.18, a kernel looks for the segment that contains them; older ones assume that the first segment begins
    /// with the file.
    fn table(&self, segments: &[Segment]) -> Result<()> {
        let offset = self.header()?.e_phoff.get(LittleEndian);
        let end = offset + segments.len() as u64 * PROGRAM_HEADER;
        let mut loads = segments.iter().filter(|s| s.is_load());
        let holds = |s: &&Segment| s.offset <= offset && end <= s.offset + s.file_size;
        let (first, holder) = (loads.clone().next(), loads.find(holds));
        let (Some(first), Some(holder)) = (first, holder) else {
            return Err(wrong("the program headers are not loaded").at(offset));
        };
        let address = offset.wrapping_add(holder.address.wrapping_sub(holder.offset));
        let before = offset.wrapping_add(first.address.wrapping_sub(first.offset));
        if address != before {
            let found = format!(
                "program headers at {address:#x}, which old kernels take to be at {before:#x}"
            );
            return Err(wrong(found).at(offset));
        }
        let wanted = (offset, address, end - offset);
        let is_it =
            |s: &Segment| (s.offset, s.address, s.file_size) == wanted && s.size == s.file_size;
        let mut own = segments.iter().filter(|s| s.kind == elf::PT_PHDR.0);
        if !own.all(is_it) {
            return Err(wrong("PT_PHDR is not where the program headers are").at(offset));
        }
        Ok(())
    }

    /// Checks that the program's thread-locals keep their distance to the thread pointer and their initial values.
    fn thread_locals(&self, segments: &[Segment]) -> Result<()> {
        let of = |segments: &[Segment]| {
            let mut all = segments.iter().filter(|s| s.kind == elf::PT_TLS.0);
            all.next().copied()
        };
        let (old, new) = (of(&self.old.segments), of(segments));
        let Some(layout) = self.plan.layout.tls else {
            return if old.map(|old| self.shifted(&old)) == new {
                Ok(())
            } else {
                Err(wrong("the thread-locals have changed"))
            };
        };
        let new = new.ok_or_else(|| wrong("the thread-locals are missing"))?;
        let start = |s: &Segment| tls::offset(self.old.architecture, s.address, s.size, s.align);
        let before = layout.block.before as i64;
        let payload = layout.block.payload;
        let end = start(&new) + new.size as i64;
        let is_inside = start(&new) <= payload && payload + layout.block.payload_size as i64 <= end;
        let is_apart = old.is_none_or(|old| {
            let own = start(&old)..start(&old) + old.size as i64;
            start(&new) + before == own.start
                && new.align >= old.align
                && (payload >= own.end || payload + layout.block.payload_size as i64 <= own.start)
        });
        if !is_inside || !is_apart {
            return Err(wrong("the program's thread-locals would move").at(new.offset));
        }
        if let Some(old) = old {
            let zeros = if new.file_size == 0 { 0 } else { before as u64 };
            let is_zero = self.new.read(new.offset..new.offset + zeros);
            let image = self.old.part(old.offset, old.file_size);
            let is_same = new.file_size == zeros + old.file_size
                && self.is(new.offset + zeros, image)
                && is_zero.flatten().all(|b| *b == 0);
            if !is_same {
                return Err(
                    wrong("the thread-locals would have other initial values").at(new.offset)
                );
            }
        }
        Ok(())
    }

    /// Whether the new file has `bytes` at `offset`.
    fn is(&self, offset: u64, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        let range = offset..offset.saturating_add(bytes.len() as u64);
        let is_same = self.new.read(range).all(|part| {
            let Some((now, later)) = rest.split_at_checked(part.len()) else {
                return false;
            };
            rest = later;
            now == part
        });
        is_same && rest.is_empty()
    }

    /// The place in the old file of the branch that the new one has at `address`. It goes to the payload's function
    /// `target`; `is_right` says whether it is of the right kind.
    fn branch(
        &self,
        address: u64,
        target: &str,
        is_right: impl Fn(&Branch) -> bool,
    ) -> Result<Range<u64>> {
        let offset = self.old.offset(address, 1);
        let offset = offset.ok_or_else(|| wrong(format!("no code at {address:#x}")))?;
        let at = offset + self.plan.layout.headers.shift;
        let code = self.new.read(at..(at + Branch::LONGEST).min(self.size));
        let code: Vec<u8> = code.flatten().copied().collect();
        let to = self.linked.symbols.get(target).copied();
        let branch = self.old.architecture.branch(&code, address);
        branch
            .filter(|b| Some(b.target) == to && is_right(b))
            .map(|b| offset..offset + b.length)
            .ok_or_else(|| wrong(format!("no branch at {address:#x}")).at(offset))
    }

    /// Checks that every loaded byte that the plan does not change is the old one, at the same address.
    fn bytes(&self) -> Result<()> {
        let at = self.plan.layout.headers.at;
        let shift = self.plan.layout.headers.shift;
        let mut named: Vec<Range<u64>> = match self.plan.layout.headers.place {
            Where::Below => Vec::new(),
            _ => vec![0..FILE_HEADER, at.offset..at.offset + at.size],
        };
        for (at, value) in self
            .plan
            .layout
            .room
            .iter()
            .flat_map(|r| r.dynamic(self.old))
        {
            named.push(at..at + 8);
            if self.one::<U64<LittleEndian>>(at)?.get(LittleEndian) != value {
                return Err(wrong("the dynamic section does not say what has moved").at(at));
            }
        }
        for function in &self.plan.functions {
            let is_right = |b: &Branch| !b.is_call && b.length <= function.room;
            named.push(self.branch(function.patch_at, &function.target, is_right)?);
        }
        for hook in &self.plan.hooks {
            let of = self.old.architecture;
            let old = self.old.at(hook.at, of.facts().branch);
            let old = old.and_then(|old| of.branch(old, hook.at));
            let is_right = |b: &Branch| {
                old.is_some_and(|old| (old.is_call, old.length) == (b.is_call, b.length))
            };
            named.push(self.branch(hook.at, &hook.target, is_right)?);
        }
        named.sort_unstable_by_key(|range| range.start);
        for was in self.old.loads() {
            let end = was.offset + was.file_size;
            let mut from = was.offset;
            for range in named.iter().chain([&(end..end)]) {
                let to = range.start.clamp(from, end);
                let bytes = self.old.part(from, to - from);
                if !self.is(from + shift, bytes) {
                    return Err(wrong("a loaded byte that should stay has changed").at(from));
                }
                from = range.end.clamp(to, end);
            }
        }
        Ok(())
    }

    /// Checks that the linked payload is where the plan says.
    fn payload(&self, segments: &[Segment]) -> Result<()> {
        let layout = &self.plan.layout;
        let is_loaded = |place: Span| {
            let end = place.address + place.size;
            let mut loads = segments.iter().filter(|s| s.is_load());
            loads.any(|s| {
                s.address <= place.address
                    && end <= s.filled().end
                    && place.offset.wrapping_sub(place.address) == s.offset.wrapping_sub(s.address)
            })
        };
        let data = layout.writable.map(|w| (w.data, &self.linked.data));
        for (place, bytes) in [Some((layout.code, &self.linked.code)), data]
            .into_iter()
            .flatten()
        {
            if !is_loaded(place) || !self.is(place.offset, bytes) {
                return Err(wrong("the payload is not where it should be").at(place.offset));
            }
        }
        if let Some(room) = &layout.room {
            let place = layout.code.part(room.to, room.size());
            let bytes = self.old.part(room.offset, room.size());
            if !is_loaded(place) || !self.is(place.offset, bytes) {
                return Err(wrong("what made room is not where it should be").at(place.offset));
            }
        }
        if !is_loaded(layout.table) {
            return Err(wrong("the relocations are not loaded").at(layout.table.offset));
        }
        Ok(())
    }

    /// Checks that sections are inside the file and their segments, and have their old contents.
    fn sections(&self, segments: &[Segment]) -> Result<()> {
        let known = known_end(self.old, self.plan.layout.old_end);
        let rest = &self.old.bytes[known as usize..];
        if !self.is(self.size - rest.len() as u64, rest) {
            return Err(wrong("what is behind the sections has changed").at(known));
        }
        let header = self.header()?;
        let at = header.e_shoff.get(LittleEndian);
        let count = u64::from(header.e_shnum.get(LittleEndian));
        let section = |number: u64| -> Result<Section<'_>> {
            let header: SectionHeader = self.one(at.saturating_add(number * SECTION_HEADER))?;
            Ok(Section::of(&header, LittleEndian))
        };
        if count < self.old.sections.len() as u64 {
            return Err(wrong("a section is missing").at(at));
        }
        let names_at = match self.old.sections.is_empty() {
            true => 0,
            false => section(self.old.names_section as u64)?.offset,
        };
        for number in 0..count {
            let section = section(number)?;
            let old = self.old.sections.get(number as usize);
            let name = old.map_or_else(|| format!("{number}"), |s| printable(s.name));
            let failed = |found: &str| wrong(format!("section {name}: {found}")).at(section.offset);
            let range = section.range();
            if section.is_in_file() && range.end > self.size {
                return Err(failed("not in the file"));
            }
            // The zeros of thread-locals have addresses only in their own block.
            let is_zeros = section.kind == elf::SHT_NOBITS.0;
            let is_new = old.is_none_or(|old| old.address != section.address);
            if is_new && section.is_allocated() && !is_zeros {
                let within = |s: &&Segment| {
                    s.is_load()
                        && s.address <= section.address
                        && section.address + section.size <= s.filled().end
                        && section.offset.wrapping_sub(s.offset) == section.address - s.address
                };
                if !segments.iter().any(|s| within(&s)) {
                    return Err(failed("in no segment"));
                }
            }
            let Some(old) = old else { continue };
            if !self.is(names_at + u64::from(section.name_at), old.name) {
                return Err(failed("another name"));
            }
            // What is loaded was compared by segments; but symbols and their names may be anywhere, and stay.
            let named = [elf::SHT_SYMTAB.0, elf::SHT_DYNSYM.0, elf::SHT_STRTAB.0];
            let is_elsewhere = old.flags & elf::SHF_TLS.0 != 0 || old.is_allocated();
            let is_skipped = is_elsewhere && !named.contains(&old.kind);
            if is_zeros || is_skipped || old.kind == elf::SHT_NULL.0 {
                continue;
            }
            let bytes = self.old.data(old);
            let is_same = if old.kind == elf::SHT_SYMTAB.0 {
                self.is_table(old, &section, bytes)
            } else {
                self.is(section.offset, bytes)
            };
            if !is_same {
                return Err(failed("other contents"));
            }
        }
        Ok(())
    }

    /// Checks that a symbol table has the old local symbols, then the payload's, then the other old ones. Values of
    /// thread-locals may differ, since they are offsets in the block.
    fn is_table(&self, old: &Section<'_>, new: &Section<'_>, bytes: &[u8]) -> bool {
        let added = new.size.saturating_sub(old.size);
        let locals = (u64::from(old.info) * SYMBOL).min(bytes.len() as u64);
        let (mut from, mut at) = (0, new.offset);
        let size = SYMBOL as usize;
        let places = bytes.chunks_exact(size).enumerate();
        let places = places.filter(|(_, s)| s[4] & 15 == elf::STT_TLS.0);
        // The comparison skips values that differ, and the place where the payload's symbols were added.
        let skips = places.map(|(number, _)| (number as u64 * SYMBOL + 8, 8, 8));
        let mut skips: Vec<_> = skips.chain([(locals, 0, added)]).collect();
        skips.sort_unstable();
        for (end, skip_old, skip_new) in skips.into_iter().chain([(bytes.len() as u64, 0, 0)]) {
            if !self.is(at, &bytes[from as usize..end as usize]) {
                return false;
            }
            at += end - from + skip_new;
            from = end + skip_old;
        }
        true
    }
}
