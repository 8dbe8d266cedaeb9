# Runs $1/steps.sh in this mount namespace: Debian's musl, the Rust toolchain for musl and zig's cache may be changed
# and are as before afterwards, a new home is in memory, and all else is read-only.  $2 is the checkout, $3 its tools,
# $4 the directory of the brawn to be tested.
state=$1 checkout=$2 tools=$3 programs=$4
mount --bind "$state" "$state"
mkdir "$state/t"
mount -t tmpfs none "$state/t"
mkdir -p "$state"/t/{bin,user/here,tmp,over}
ours=("$state" "$state/t")

changeable() {
  local over
  over=$state/t/over/${#ours[@]}
  mkdir -p "$over"/{upper,work}
  mount -t overlay -o "lowerdir=$1,upperdir=$over/upper,workdir=$over/work" none "$1"
  ours+=("$1")
}
changeable /usr/lib/x86_64-linux-musl
changeable "$tools/rust-musl"
changeable "$tools/zig-cache"

while read -r _ target _; do
  case $target in /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) continue ;; esac
  for own in "${ours[@]}"; do [[ $target != "$own" ]] || continue 2; done
  mount -o remount,bind,ro "$(printf '%b' "$target")"
done </proc/self/mounts

ln -s "$tools/zig/ziglang/zig" "$programs/brawn" "$programs/cargo-brawn" "$state/t/bin/"
ln -s "$checkout" "$state/t/user/brawn"
cd "$state/t/user/here"
exec env -i HOME="$state/t/user" TMPDIR="$state/t/tmp" LC_ALL=C.UTF-8 TERM=dumb \
  PATH="$state/t/bin:$tools/rust-musl/bin:$PATH" \
  ZIG_GLOBAL_CACHE_DIR="$tools/zig-cache" CARGO_NET_OFFLINE=true CC_x86_64_unknown_linux_musl=x86_64-linux-musl-gcc \
  bash --noprofile --norc "$state/steps.sh"
