//! Which libc a dynamic linker belongs to, by its name.

/// The first part of the name of musl's dynamic linker (ldso/dynlink.c, `LDSO_ARCH`), in any directory.
const MUSL: &[u8] = b"ld-musl-";

/// The first part of the name of glibc's dynamic linker.
const GLIBC: &[u8] = b"ld-linux";

/// Whether `interpreter`, the path that a program names, is musl's dynamic linker.
pub fn is_musl(interpreter: &[u8]) -> bool {
    let name = interpreter.rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(MUSL))
}

/// Whether `interpreter` is glibc's dynamic linker, by the name that it has on most architectures.
pub fn is_glibc(interpreter: &[u8]) -> bool {
    let name = interpreter.rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(GLIBC))
}
