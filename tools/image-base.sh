#!/usr/bin/env bash
# Makes what the tests of packaging/image build on, in target/tools/image-base:
#
#   store/, run/      buildah's images: `brawn-test-debian` (Debian 12 by debootstrap, as Debian's own image is made),
#                     `brawn-test-debian-rust` (with gcc, and target/tools/rust-musl as its Rust), and of the recipe for
#                     toolchains every step that needs the network, as cached layers
#   driver            how buildah stores them: overlay, or vfs where the kernel cannot mount an overlay in this folder
#   options           for `buildah build` on these images, one in a line
#   crates/, wheels/  crates and Python's wheels for the recipes, got with this machine's own clients
#
# apt in the images has the machine's archives and proxies.  Nothing else of the machine is in the images; the Rust
# toolchain is a volume, and the image has links to it, with the one file that recipes change as a real copy.
# Does nothing when all of it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p target/tools/image-base
tools=$(cd target/tools && pwd -P)
base=$tools/image-base
recipe=packaging/image/debian/Containerfile
service=packaging/image/examples/rust
. tools/fetch.sh

# It may be at work beside this one.
tools/rust-musl.sh
# buildah has its images as root, as tests do.
if ((EUID != 0)); then exec sudo --preserve-env env PATH="$PATH" "tools/${0##*/}"; fi

exec 9>"$base/.lock"
flock 9

release=bookworm
stamp=$({ cat tools/image-base.sh tools/fetch.sh tools/requirements.txt "$tools/rust-musl/.stamp" "$recipe" "$service"/Cargo.*; } | sha256sum)
[[ $(cat "$base/.stamp" 2>/dev/null) != "$stamp" ]] || exit 0
printf 'making the images that recipes are tested on\n'
if [[ ! -s $base/driver ]]; then
  probe=$(mktemp -d "$base/.probe.XXXXXX")
  mkdir "$probe"/{lower,upper,work,merged}
  if mount -t overlay overlay -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" "$probe/merged" 2>/dev/null; then
    umount "$probe/merged"
    printf 'overlay\n' >"$base/driver"
  else
    printf 'vfs\n' >"$base/driver"
  fi
  rm -rf "$probe"
fi
images() { buildah --root "$base/store" --runroot "$base/run" --storage-driver "$(<"$base/driver")" "$@"; }
build() { images build --isolation chroot --layers --pull=never "${options[@]}" "$@"; }

# Crates and wheels.
mkdir -p "$base/wheels"
cargo vendor --quiet --locked --manifest-path "$service/Cargo.toml" "$base/crates" >/dev/null
python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$base/wheels" \
  -r tools/requirements.txt
# OpenSSL's code is most of the processor time here, and nobody measures it: unoptimised, without what no test calls.
openssl="-O0 no-aria no-bf no-camellia no-cast no-cms no-cmp no-ct no-dtls no-ec2m no-gost no-idea no-legacy no-md4 no-mdc2
  no-rc2 no-rc4 no-rmd160 no-scrypt no-seed no-siv no-sm2 no-sm3 no-sm4 no-srp no-srtp no-ts no-whirlpool"
# zig opens more files at once than the 1024 that buildah allows: as many as this process may.
printf '%s\n' "--build-arg=OPENSSL_OPTIONS=${openssl//$'\n '/}" --volume="$base/crates:/usr/local/crates:ro" --volume="$base/wheels:/usr/local/wheels:ro" \
  --volume="$tools/rust-musl:/usr/local/rust-musl:ro" --ulimit=nofile="$(ulimit -Hn):$(ulimit -Hn)" >"$base/options"
mapfile -t options <"$base/options"

work=$(mktemp -d "$base/.work.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# Debian's folders as a tar file, from whichever of the machine's archives has them.
if [[ ! -s $base/$release.tar ]]; then
  for mirror in $(mirrors); do
    rm -rf "$work/debian"
    if debootstrap --variant=minbase --include=ca-certificates "$release" "$work/debian" "$mirror" >"$work/log" 2>&1; then
      # As Debian's images have it, with the mirror that apt has here.
      find "$work/debian/var/cache/apt/archives" "$work/debian/var/lib/apt/lists" -type f -delete
      rm -f "$work/debian/etc/apt/sources.list"
      printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" "$release" \
        /usr/share/keyrings/debian-archive-keyring.gpg >"$work/debian/etc/apt/sources.list.d/debian.sources"
      apt-config dump Acquire::http Acquire::https | sed -nE '/^Acquire::https?::[^ ]* /p' \
        >"$work/debian/etc/apt/apt.conf.d/99machine"
      tar -C "$work/debian" --one-file-system -cf "$work/$release.tar" .
      mv "$work/$release.tar" "$base/"
      break
    fi
  done
  [[ -s $base/$release.tar ]] || fail "debootstrap gets no $release from this machine's archives:
$(tail -n 20 "$work/log" 2>/dev/null)"
fi

mkdir -p "$work/context"
ln "$base/$release.tar" "$work/context/"
cat >"$work/debian.Containerfile" <<END
FROM scratch
ADD $release.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive PIP_NO_INDEX=1 PIP_FIND_LINKS=/usr/local/wheels
CMD ["bash"]
END
base_image() { # NAME CONTAINERFILE
  build --tag "$1" --file "$2" "$work/context" >"$work/log" 2>&1 || fail "cannot make $1:
$(tail -n 30 "$work/log")"
}
base_image brawn-test-debian "$work/debian.Containerfile"

# The links: `bin` to `lib`, without the targets that no recipe builds for.
farm=$work/context/rust
mkdir -p "$farm"
cp -as "$tools/rust-musl/." "$farm/"
rm -rf "$farm/lib/rustlib/"aarch64-* "$farm/musl" "$farm"/bin/*-gcc
find "$farm" -type l | while read -r link; do
  to=$(readlink "$link")
  ln -sfn "${to/#"$tools/rust-musl"//usr/local/rust-musl}" "$link"
done
contained=lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained/libc.a
rm "$farm/$contained"
cp "$tools/rust-musl/$contained" "$farm/$contained"
cat >"$work/context/config.toml" <<'END'
source.crates-io.replace-with = "vendored"
source.vendored.directory = "/usr/local/crates"
END
cat >"$work/rust.Containerfile" <<END
FROM brawn-test-debian
RUN apt-get update \\
 && apt-get install -y --no-install-recommends gcc libc6-dev libcurl4 libedit2 libsqlite3-0 libssh2-1 libxml2 libz3-4 \\
 && rm -rf /var/lib/apt/lists/*
COPY rust /usr/local/rust
COPY config.toml /usr/local/cargo/
ENV PATH=/usr/local/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CARGO_HOME=/usr/local/cargo
RUN cargo --version && rustc --version
END
base_image brawn-test-debian-rust "$work/rust.Containerfile"

# Every step of the recipes that comes before brawn.
for target in openssl c-tools rust-tools cpp-tools; do
  build --target "$target" --tag "brawn-test-$target" --build-arg DEBIAN=brawn-test-debian \
    --build-arg RUST=brawn-test-debian-rust --file "$recipe" packaging/image/debian >"$work/log" 2>&1 ||
    fail "$recipe: target $target:
$(tail -n 60 "$work/log")"
done
printf '%s\n' "$stamp" >"$base/.stamp"
