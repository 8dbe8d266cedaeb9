//! Which libc a dynamic linker belongs to, by its name.

/// The first part of the name of musl's dynamic linker (ldso/dynlink.c, `LDSO_ARCH`), in any directory.
const MUSL: &[u8] = b"ld-musl-";

/// The first part of the name of glibc's dynamic linker.
const GLIBC: &[u8] = b"ld-linux";

/// Whether `interpreter`, the path that a program names, is musl's dynamic linker.
pub fn is_musl(interpreter: &[u8]) -> bool {
    name(interpreter).starts_with(MUSL)
}

/// Whether `interpreter` is glibc's dynamic linker, by the name that it has on most architectures.
pub fn is_glibc(interpreter: &[u8]) -> bool {
    name(interpreter).starts_with(GLIBC)
}

/// The last part of a path.
pub fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or_default()
}
