//! The packages for aarch64, installed by the same programs that install them there, and used by qemu.

use crate::packages::succeeds;

/// Uses what was installed: it says its version, and does to an archive what the program for x86_64 does.
const USE: &str = r#"
    use_it() {
        qemu-aarch64 "$1" --version
        cp "$musl" libc.a
        qemu-aarch64 "$1" patch libc.a >/dev/null
        qemu-aarch64 "$1" inspect libc.a
        cmp libc.a patched.a
        cp libc.a.brawn-original again.a
        rm libc.a*
        cmp again.a "$musl"
    }
    tar -xzf "$packages/brawn-$version-x86_64-unknown-linux-musl.tar.gz"
    cp "$musl" patched.a
    "brawn-$version-x86_64-unknown-linux-musl/brawn" patch patched.a >/dev/null
"#;

/// Runs the script after [`USE`], and holds what it prints.
fn is_used(script: &str, times: usize) {
    let said = succeeds(&format!("{USE}\n{script}"));
    let version = concat!("brawn ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(said.matches(version).count(), times, "{said}");
    assert_eq!(said.matches("fine ").count(), times, "{said}");
}

#[test]
fn pip_installs_the_wheel_for_glibc_and_for_musl() {
    is_used(
        r#"
        for platform in manylinux2014 manylinux_2_17 musllinux_1_1; do
          python3 -m pip --disable-pip-version-check --no-cache-dir install --quiet --no-index --root-user-action ignore \
            --find-links "$packages" --only-binary=:all: --platform "${platform}_aarch64" --target "$platform" \
            "brawn==$version"
        done
        use_it manylinux2014/bin/brawn
        cmp manylinux2014/bin/brawn manylinux_2_17/bin/brawn
        cmp manylinux2014/bin/brawn musllinux_1_1/bin/brawn
        "#,
        1,
    );
}

#[test]
fn npm_installs_it_and_the_launcher_finds_it() {
    is_used(
        r#"
        export npm_config_update_notifier=false
        # Older npms know no --cpu: they take what is for another machine by force.
        npm install --offline --ignore-scripts --no-audit --no-fund --loglevel=error --force --os=linux --cpu=arm64 \
          "$packages/brawn-$version.tgz" "$packages/brawn-linux-arm64-$version.tgz" >npm.log 2>&1 || { cat npm.log; exit 1; }
        # There is no node for aarch64 here: this one is told that it is, and starts programs by qemu.
        cat >arm64.js <<'END'
const child = require("child_process");
const { spawn } = child;
Object.defineProperty(process, "arch", { value: "arm64" });
child.spawn = (program, words, options) => spawn("qemu-aarch64", [program, ...words], options);
END
        node -r ./arm64.js node_modules/.bin/brawn --version >said
        [[ $(cat said) = "brawn $version" ]]
        use_it node_modules/@brawn/linux-arm64/bin/brawn
        "#,
        1,
    );
}

#[test]
fn debian_installs_it_as_a_foreign_architectures() {
    is_used(
        r#"
        mkdir root
        mount -t tmpfs none root
        tar -xf /dev/fd/9 -C root
        cp "$packages/brawn_${version}_arm64.deb" root/tmp/
        in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot root "$@"; }
        in_root dpkg --add-architecture arm64
        in_root dpkg -i "/tmp/brawn_${version}_arm64.deb" >dpkg.log
        in_root dpkg --verify brawn
        [[ $(in_root dpkg-query -W -f '${Architecture}' brawn) = arm64 ]]
        use_it root/usr/bin/brawn
        # The archive has the same program.
        tar -xzf "$packages/brawn-$version-aarch64-unknown-linux-musl.tar.gz"
        cmp "brawn-$version-aarch64-unknown-linux-musl/brawn" root/usr/bin/brawn
        "#,
        1,
    );
}
