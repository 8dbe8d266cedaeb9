use super::*;
use crate::error::Kind;
use rustix::fs::CWD;

#[test]
fn holes_are_read_as_zeros_and_take_no_memory() {
    let mut file = tempfile::tempfile().unwrap();
    let size = 24 << 20;
    file.set_len(size + 5).unwrap();
    for at in [0, 4095, 9 << 20, size, size + 4] {
        file.write_all_at(b"x", at).unwrap();
    }
    assert!(has_holes(&file.metadata().unwrap()));
    let mut wanted = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut wanted).unwrap();
    file.rewind().unwrap();
    assert!(all(&file).unwrap() == wanted);
    assert_eq!(file.stream_position().unwrap(), size + 5);
    file.seek(SeekFrom::Start(10)).unwrap();
    assert!(all(&file).unwrap() == wanted[10..]);
    // One that was made shorter meanwhile is an error.
    let mut bytes = zeros(size + 5).unwrap();
    file.set_len(size).unwrap();
    for has_holes in [false, true] {
        let error = fill(&file, &mut bytes, 0, has_holes).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
    zeros(u64::MAX / 4).unwrap_err();
}

#[test]
fn nothing_but_regular_files_is_opened_and_nothing_waits() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    let mode = Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(CWD, path("pipe"), FileType::Fifo, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    std::os::unix::fs::symlink(path("pipe"), path("link")).unwrap();
    std::fs::write(path("file"), "bytes").unwrap();
    std::os::unix::fs::symlink(path("file"), path("good")).unwrap();
    for (path, what) in [
        (path("pipe"), "a pipe"),
        (path("link"), "a pipe"),
        (path("socket"), "a socket"),
        (root.path().into(), "a directory"),
        ("/dev/zero".into(), "a device"),
        ("/dev/tty".into(), "a device"),
    ] {
        let error = read(&path).unwrap_err();
        assert!(is_irregular(&error), "{}: {error}", path.display());
        let error = failed("cannot read it", error);
        assert!(error.to_string().starts_with(what), "{error}");
        assert_eq!(error.kind(), Kind::Refused);
    }
    assert_eq!(read(&path("good")).unwrap(), b"bytes");
    let error = failed("cannot read it", read(&path("none")).unwrap_err());
    assert_eq!(error.kind(), Kind::Io);
}
