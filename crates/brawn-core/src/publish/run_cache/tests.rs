use super::*;
use crate::Kind;
use std::os::unix::fs::PermissionsExt as _;

const HUNDRED_DAYS: Duration = Duration::from_secs(100 * 24 * 60 * 60);

/// A program, and a cache in its own directory.
struct Setting {
    root: tempfile::TempDir,
    cache: RunCache,
}

impl Setting {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("tool"), "the program").unwrap();
        let cache = RunCache::open(&root.path().join("cache/brawn")).unwrap();
        Self { root, cache }
    }

    fn key(&self, made_by: &str) -> Key {
        let stat = fs::metadata(self.root.path().join("tool")).unwrap();
        Key::new(OsStr::new("tool"), &stat, &[made_by])
    }

    fn add(&self, made_by: &str) -> PathBuf {
        let bytes = made_by.repeat(1000).into_bytes();
        match self
            .cache
            .add(&self.key(made_by), &(&bytes).into())
            .unwrap()
        {
            Cached::Program(path) => path,
            Cached::AsItIs => panic!("not empty"),
        }
    }

    fn is_there(&self, made_by: &str) -> bool {
        self.cache.find(&self.key(made_by)).is_some()
    }

    fn age(&self, made_by: &str, age: Duration) {
        let then = fs::FileTimes::new().set_modified(SystemTime::now() - age);
        let folder = self.cache.private.path().join(self.key(made_by).folder);
        File::open(folder).unwrap().set_times(then).unwrap();
    }

    fn tidy(&self, limit: u64) {
        self.cache.tidy("", SystemTime::now(), limit);
    }
}

#[test]
fn what_was_put_there_is_found_by_its_program() {
    let setting = Setting::new();
    assert_eq!(setting.cache.find(&setting.key("a")), None);
    let path = setting.add("a");
    assert_eq!(
        setting.cache.find(&setting.key("a")),
        Some(Cached::Program(path.clone()))
    );
    assert_eq!(path.file_name(), Some(OsStr::new("tool")));
    assert_eq!(fs::read(&path).unwrap(), "a".repeat(1000).into_bytes());
    let stat = fs::metadata(&path).unwrap();
    assert_eq!(stat.mode() & 0o777, 0o500);
    assert_eq!(
        fs::metadata(setting.cache.private.path()).unwrap().mode() & 0o777,
        0o700
    );
    // Another profile, and another program of the same name.
    assert!(!setting.is_there("b"));
    fs::write(setting.root.path().join("tool"), "another one").unwrap();
    assert!(!setting.is_there("a"));
}

#[test]
fn every_fact_of_a_program_counts() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("tool");
    fs::write(&path, "1").unwrap();
    let key = |name: &str, made_by: &[&str]| {
        Key::new(OsStr::new(name), &fs::metadata(&path).unwrap(), made_by)
    };
    let first = key("tool", &["ab", "c"]);
    assert_eq!(first, key("tool", &["ab", "c"]));
    assert_ne!(first, key("tool", &["a", "bc"]));
    assert_ne!(first, key("other", &["ab", "c"]));
    // Only the time of the last status change differs, as soon as the file system's clock has gone on.
    let before = fs::metadata(&path).unwrap();
    let changed = |now: &fs::Metadata| {
        (now.ctime(), now.ctime_nsec()) != (before.ctime(), before.ctime_nsec())
    };
    while !changed(&fs::metadata(&path).unwrap()) {
        fs::set_permissions(&path, before.permissions()).unwrap();
    }
    assert_ne!(first, key("tool", &["ab", "c"]));
}

#[test]
fn a_program_that_replaced_itself_is_not_taken() {
    let setting = Setting::new();
    let path = setting.add("a");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "an update").unwrap();
    assert!(!setting.is_there("a"));
    assert_eq!(setting.add("a"), path);
    assert_eq!(fs::read(&path).unwrap(), "a".repeat(1000).into_bytes());
}

#[test]
fn a_program_without_anything_to_rewrite_is_remembered() {
    let setting = Setting::new();
    let found = setting
        .cache
        .add(&setting.key("a"), &Content::default())
        .unwrap();
    assert_eq!(found, Cached::AsItIs);
    assert_eq!(setting.cache.find(&setting.key("a")), Some(Cached::AsItIs));
}

#[test]
fn many_at_once_leave_one() {
    let setting = Setting::new();
    let paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| setting.add("a"))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|p| *p == paths[0]));
    assert_eq!(
        fs::read_dir(setting.cache.private.path()).unwrap().count(),
        1
    );
    assert!(setting.is_there("a"));
}

#[test]
fn it_stays_small() {
    let setting = Setting::new();
    for made_by in ["a", "b", "c"] {
        setting.add(made_by);
    }
    setting.age("a", HUNDRED_DAYS);
    setting.tidy(u64::MAX);
    assert!(!setting.is_there("a"), "unused for long");
    setting.age("b", HOUR * 3);
    setting.age("c", HOUR * 2);
    // `find` would note a newer use.
    setting.tidy(5000);
    assert!(
        setting.is_there("c") && !setting.is_there("b"),
        "beyond the limit"
    );
    setting.age("c", HUNDRED_DAYS);
    assert!(setting.is_there("c"), "notes that it is used");
    setting.tidy(u64::MAX);
    assert!(setting.is_there("c"));
    // The program that was just made stays.
    setting
        .cache
        .tidy(&setting.key("c").folder, SystemTime::now(), 0);
    assert!(setting.is_there("c"));
}

#[test]
fn what_killed_runs_left_goes() {
    let setting = Setting::new();
    let left = setting.cache.private.path().join(".new-1");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("tool"), "to").unwrap();
    setting.tidy(u64::MAX);
    assert!(left.exists(), "it may be in use");
    let then = fs::FileTimes::new().set_modified(SystemTime::now() - HUNDRED_DAYS);
    File::open(&left).unwrap().set_times(then).unwrap();
    setting.tidy(u64::MAX);
    assert!(!left.exists());
}

#[test]
fn a_place_that_others_may_change_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("shared/brawn");
    fs::create_dir_all(cache.join("run")).unwrap();
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&root.path().join("shared"), 0o777);
    let error = RunCache::open(&cache).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    assert!(error.to_string().contains("777"), "{error}");
    // As in /tmp, users cannot rename other users' directories there.
    set(&root.path().join("shared"), 0o1777);
    RunCache::open(&cache).unwrap();
    set(&cache.join("run"), 0o770);
    assert_eq!(RunCache::open(&cache).unwrap_err().kind(), Kind::Refused);
    set(&cache.join("run"), 0o755);
    RunCache::open(&cache).unwrap();
    let mode = fs::metadata(cache.join("run")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o700, "closed to others");
}
