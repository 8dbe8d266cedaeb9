//! Programs in which the linker put functions with the same code at one place.

use super::look;
use crate::common::ok;
use crate::verify::patched;

/// What musl calls for its own heap does nothing in brawn's, as many of musl's functions do.
#[test]
fn what_has_the_same_code_as_others_is_brawns() {
    let room = patched();
    room.write(
        "main.c",
        "#include <stdlib.h>\nint main(void) { free(malloc(10)); return 0; }\n",
    );
    let library = format!("-L{}", room.path("lib"));
    let (source, output) = (room.path("main.c"), room.path("main"));
    for linker in [
        &["-fuse-ld=bfd"][..],
        &["-fuse-ld=lld", "-Wl,--no-dynamic-linker", "-Wl,--icf=all"],
        &["-fuse-ld=gold", "-Wl,--icf=all"],
    ] {
        let mut flags = vec!["-static", "-fno-builtin", &source, &library, "-o", &output];
        flags.extend(linker);
        ok("musl-gcc", &flags);
        let (report, code) = look(&room, "main");
        assert_eq!(
            (report["verdict"].as_str(), code),
            (Some("replaced"), 0),
            "{linker:?}: {report:#}"
        );
    }
}
