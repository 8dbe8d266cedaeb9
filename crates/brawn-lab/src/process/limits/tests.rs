use super::*;

const ONE: &str = "\
25 1 0:23 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
36 31 0:33 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
const TWO: &str =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

fn folders(mounts: &str, groups: &str) -> (Vec<String>, Version) {
    let places = places_of(mounts, groups).expect("places");
    let names = places.iter().map(|(f, _)| f.display().to_string());
    (names.collect(), places[0].1)
}

#[test]
fn the_memory_controller_of_version_1_comes_first() {
    let (found, version) = folders(ONE, "4:memory:/a/b\n3:cpu:/\n0::/elsewhere\n");
    let point = "/sys/fs/cgroup/memory";
    assert_eq!(
        found,
        [
            format!("{point}/a/b"),
            format!("{point}/a"),
            point.to_owned()
        ]
    );
    assert_eq!(version, Version::One);
}

#[test]
fn groups_beside_this_process_s_own_are_places_too() {
    let (found, version) = folders(TWO, "0::/user.slice/session-1.scope\n");
    assert_eq!(found[1], "/sys/fs/cgroup/user.slice");
    assert_eq!(found.len(), 3);
    assert_eq!(version, Version::Two);
}

#[test]
fn in_a_container_places_are_below_what_is_mounted() {
    let mounts = "9 8 0:32 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    let (found, _) = folders(mounts, "4:memory:/docker/1/x\n");
    assert_eq!(found, ["/sys/fs/cgroup/memory/x", "/sys/fs/cgroup/memory"]);
    let (found, _) = folders(TWO, "0::/../../elsewhere\n");
    assert_eq!(found, ["/sys/fs/cgroup"]);
}

#[test]
fn without_a_controller_there_is_no_place() {
    let error = places_of("1 0 8:1 / / rw - ext4 /dev/sda rw\n", "0::/\n");
    assert_eq!(error, Err("no memory controller is mounted".to_owned()));
}

#[test]
fn kills_of_both_versions_are_read() {
    assert_eq!(kills("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
    assert_eq!(
        kills("low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n"),
        1
    );
    assert_eq!(kills("max 7\n"), 0);
}
