use super::*;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Writes the first half, then waits for another thread.
struct Slow(Sender<()>, Receiver<()>);

impl Stream for Slow {
    fn write(&mut self, to: &mut dyn Write) -> Result<()> {
        let write = |to: &mut dyn Write, half: &[u8]| {
            to.write_all(half).map_err(|e| Error::io("cannot write", e))
        };
        write(to, b"of one ")?;
        self.0.send(()).unwrap();
        self.1.recv_timeout(Duration::from_secs(60)).unwrap();
        write(to, b"piece")
    }

    fn check(&mut self, written: &mut dyn Read) -> Result<()> {
        let mut all = String::new();
        written.read_to_string(&mut all).unwrap();
        assert_eq!(all, "of one piece");
        Ok(())
    }
}

#[test]
fn two_that_write_the_same_file_do_not_touch_each_others() {
    let folder = tempfile::tempdir().unwrap();
    let (from, out) = (folder.path().join("from"), folder.path().join("out"));
    fs::write(&from, "").unwrap();
    let (begun, has_begun) = channel();
    let (done, is_done) = channel();
    let (from, out) = (&from, &out);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            has_begun.recv().unwrap();
            write_elsewhere(from, out, &b"the other"[..].into()).unwrap();
            assert_eq!(fs::read(out).unwrap(), b"the other");
            done.send(()).unwrap();
        });
        stream_elsewhere(from, out, &mut Slow(begun, is_done)).unwrap();
    });
    assert_eq!(fs::read(out).unwrap(), b"of one piece");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn what_a_killed_run_left_goes_and_a_held_folder_keeps_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (from, out) = (folder.path().join("from"), folder.path().join("out"));
    fs::write(&from, "").unwrap();
    fs::write(folder.path().join(".out.brawn-out"), "half").unwrap();
    let held = File::open(folder.path()).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    write_elsewhere(&from, &out, &b"new"[..].into()).unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn it_is_not_written_through_another_users_link_where_everybody_may_lay_one() {
    assert_eq!(walk::user(), 0, "this test must run as root");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let shared = at("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::write(at("from"), "").unwrap();
    fs::write(at("precious"), "old").unwrap();
    std::os::unix::fs::symlink(at("precious"), shared.join("out")).unwrap();
    std::os::unix::fs::symlink("..", shared.join("up")).unwrap();
    let write = |out: &str| write_elsewhere(&at("from"), &shared.join(out), &b"new"[..].into());
    for (link, out) in [("out", "out"), ("up", "up/precious"), ("up", "up/fresh")] {
        std::os::unix::fs::lchown(shared.join(link), Some(65534), None).unwrap();
        let error = write(out).unwrap_err();
        assert_eq!(error.kind(), Kind::Refused, "{error}");
        assert!(
            error.to_string().contains("a link of user 65534"),
            "{error}"
        );
    }
    assert_eq!(fs::read(at("precious")).unwrap(), b"old");
    assert!(!at("fresh").exists());
    // A link of the user's own is followed, as always.
    std::os::unix::fs::lchown(shared.join("out"), Some(0), None).unwrap();
    write("out").unwrap();
    assert_eq!(fs::read(at("precious")).unwrap(), b"new");
}
