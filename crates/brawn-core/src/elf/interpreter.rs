//! Which libc a dynamic linker is of, by its name.

/// What begins the name of musl's dynamic linker (ldso/dynlink.c, `LDSO_ARCH`), whatever folder it is in.
const MUSL: &[u8] = b"ld-musl-";

/// What begins the name of glibc's.
const GLIBC: &[u8] = b"ld-linux";

/// Whether `interpreter`, the path that a program names, is musl's dynamic linker.
pub fn is_musl(interpreter: &[u8]) -> bool {
    let name = interpreter.rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(MUSL))
}

/// Whether `interpreter` is glibc's, by the name that it has on most architectures.
pub fn is_glibc(interpreter: &[u8]) -> bool {
    let name = interpreter.rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(GLIBC))
}
