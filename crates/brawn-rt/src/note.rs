//! The provenance note, as it lies in memory (docs/note.md).

use crate::About;

/// An ELF note of brawn's (docs/note.md): three words, the owner in 8 bytes, then `descsz` bytes of text.
#[repr(C)]
pub struct Note {
    pub namesz: u32,
    pub descsz: u32,
    kind: u32,
    owner: [u8; 8],
}

impl Note {
    /// What it says, if it is brawn's, and of a heap.
    ///
    /// # Safety
    /// `self` is followed by `descsz` bytes that are never written to.
    pub unsafe fn read(&'static self) -> Option<About> {
        if (self.namesz, self.kind, &self.owner) != (6, 1, b"brawn\0\0\0") {
            return None;
        }
        let text = core::ptr::from_ref(self).wrapping_add(1).cast::<u8>();
        // SAFETY: as the caller promises.
        let text = unsafe { core::slice::from_raw_parts(text, self.descsz as usize) };
        let text = core::str::from_utf8(text).ok()?;
        let value = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        };
        value("component").filter(|component| *component == "heap")?;
        Some(About {
            version: value("brawn")?,
            engine: value("engine")?,
            profile: value("profile")?,
        })
    }
}
