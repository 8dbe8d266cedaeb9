#!/usr/bin/env bash
# Builds C packages from Debian's sources (tools/c-packages.lock) as static programs with musl, rewrites each with its
# symbols and without, runs the package's own tests on the program as it was built and on both that were rewritten, and
# compares what they said.  Prints a table, and fails if a program was refused or a test said something else.
#
#   tools/c-packages.sh              every package, more than an hour
#   tools/c-packages.sh NAME…        only these
#
# Half of them are at a fixed address, half may be loaded anywhere (static-pie).  Everything is below
# target/tools/c-packages, where build-NAME.log and NAME.stock, NAME.rewritten and NAME.stripped tell what was said.
# BRAWN names another brawn than target/release's.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
lock=tools/c-packages.lock
mkdir -p target/tools
home=$(cd target/tools && pwd -P)/c-packages
downloads=$home/downloads
brawn=${BRAWN:-$root/target/release/brawn}
musl=$(cd target/tools && pwd -P)/musls/1.2.3
mkdir -p "$downloads" "$home/bin"
. tools/fetch.sh
[[ -x $brawn ]] || fail "no $brawn: cargo build --release -p brawn"
tools/musls.sh 1.2.3

# NAME, fixed or anywhere, the programs by their paths in the build, and the folder whose `make check` tests them; `-`
# for a function check_NAME below.
packages() {
  cat <<'END'
bash       fixed    bash                          -
bc         fixed    bc/bc,dc/dc                   -
bzip2      fixed    bzip2                         -
coreutils  fixed    src/coreutils                 -
cpio       anywhere src/cpio                      tests
diffutils  fixed    src/diff,src/cmp              tests
ed         anywhere ed                            .
file       fixed    src/file                      tests
findutils  anywhere find/find,xargs/xargs         tests
gawk       fixed    gawk                          -
grep       fixed    src/grep                      tests
gzip       anywhere gzip                          tests
libzstd    anywhere programs/zstd                 -
m4         fixed    src/m4                        checks
make-dfsg  anywhere make                          -
mawk       fixed    mawk                          .
memcached  fixed    memcached-debug               -
patch      anywhere src/patch                     tests
pcre2      fixed    pcre2test,pcre2grep           -
redis      fixed    src/redis-server              -
sed        anywhere sed/sed                       -
tar        anywhere src/tar                       tests
tcl8.6     fixed    unix/tcltest                  -
xz-utils   fixed    src/xz/xz,src/xzdec/xzdec     tests
zlib       anywhere minigzip                      -
END
}

# Compilers for both kinds: gcc with musl, and nothing of the distribution's libc.
sed -e "s|@LIB@|$musl/lib|g" -e "s|@INC@|$musl/include|g" conformance/src/musl.specs >"$home/musl.specs"
printf '#!/bin/sh\nexec gcc -specs=%s -static -no-pie -fno-pie "$@"\n' "$home/musl.specs" >"$home/bin/fixed-cc"
printf '#!/bin/sh\nexec gcc -specs=%s -static-pie -fPIE "$@"\n' "$home/musl.specs" >"$home/bin/anywhere-cc"
chmod +x "$home"/bin/*-cc

# What a test does must not depend on who runs it, or where.
clean() {
  env -i PATH="$PATH" HOME="$home" LC_ALL=C TERM=dumb FORCE_UNSAFE_CONFIGURE=1 \
    CC="$home/bin/$kind-cc" CFLAGS=-O2 "$@"
}
# Nothing is generated anew: what that needs need not be installed.
run_make() {
  clean make AUTOCONF=: AUTOMAKE=: ACLOCAL=: AUTOHEADER=: MAKEINFO=: HELP2MAN=: "$@"
}
configure() { clean ./configure --disable-dependency-tracking --disable-nls "$@"; }

build() {
  configure
  run_make PERL=true
}
# Its configure takes a strtoimax that is there for one that is not.
build_bash() {
  clean bash_cv_func_strtoimax=no CC_FOR_BUILD=gcc ./configure --without-bash-malloc --disable-nls
  run_make LOCAL_LDFLAGS=
  run_make LOCAL_LDFLAGS= recho zecho printenv xcase
  cp recho zecho printenv xcase tests
}
# Its Makefile would link a shared library.
build_bzip2() {
  clean "$home/bin/$kind-cc" -O2 -o bzip2 bzip2.c blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c
}
build_zlib() {
  clean ./configure --static
  run_make minigzip example
}
build_ed() {
  ./configure CC="$home/bin/$kind-cc" CFLAGS=-O2
  run_make CC="$home/bin/$kind-cc"
}
build_mawk() {
  clean ./configure
  run_make
}
build_pcre2() {
  configure --disable-shared --disable-jit --enable-pcre2-16 --enable-pcre2-32
  run_make pcre2test pcre2grep
}
build_xz_utils() {
  configure --disable-shared --disable-scripts --disable-doc
  run_make
}
build_file() {
  configure --disable-shared --enable-static
  run_make
}
# Its configure asks for a fixed address. What its tests compile once is no difference between them.
build_gawk() {
  configure --disable-extensions --disable-mpfr --without-readline
  run_make SUBDIRS='support .'
  run_make -C test makepmafile
}
# A server with threads, which forks to save.
build_redis() { run_make MALLOC=libc USE_SYSTEMD=no; }

# A server with threads. It needs libevent, which is made first.
build_memcached() {
  local event=$PWD/libevent
  dpkg-source --no-check -x "$downloads"/libevent_*.dsc "$event"
  (
    cd "$event"
    configure --disable-shared --disable-openssl --disable-samples
    run_make include/event2/event-config.h libevent.la
  )
  clean LDFLAGS="-L$event/.libs" CPPFLAGS="-I$event/include" ./configure --disable-dependency-tracking --disable-docs
  run_make memcached-debug timedrun
}

# Its tests are newer than what they are made of, but not than what configure writes.
build_tar() {
  configure
  run_make
  touch tests/testsuite
}

# Neither manual is made: what makes them is not in the package, or need not be installed.
build_sed() {
  configure
  run_make MANS=
}
build_bc() {
  configure
  run_make SUBDIRS='lib bc dc'
}
# One program that is all of them, by the name that it is called by.
build_coreutils() {
  configure --enable-single-binary=symlinks
  run_make MANS=
}
build_libzstd() {
  run_make -C programs zstd
  run_make -C tests datagen
}
# Without the shared libraries of some tests.
build_tcl8.6() {
  cd unix
  clean ./configure --disable-shared
  run_make -o dltest.marker tcltest
}
# Without a terminal. What a test says is how its output differs from what bash's authors expect.
check_bash() {
  local test
  cd tests
  for test in run-*; do
    [[ $test == run-@(all|minimal|gprof) ]] && continue
    echo "$test"
    clean PATH=".:$PWD:$PATH" THIS_SH="$PWD/../bash" BUILD_DIR="$PWD/.." BASH_TSTOUT="$home/bash.out" \
      setsid -w sh "$test" 2>&1 || echo "exit $?"
  done
}
check_bzip2() { run_make -o bzip2 test; }
# A checksum in which no number is, since numbers are left out of what tests say.
letters() { sha256sum | tr 0-9 g-p; }
# Its own tests print results, and compare them with nothing.
check_bc() {
  local test
  for test in Test/*.b; do
    echo "$test $(clean timeout 60 bc/bc -lq "$test" </dev/null | letters)"
  done
  clean dc/dc -e '100k 2v p 7 3~ f 1000d* 17 5 91 | p [2Q]x 16o 255p' | letters
}
check_coreutils() { run_make check SUBDIRS=. MANS=; }
# Its tests leave files behind, which the next would look at. Without what it says of its speed, and while it works; what its
# processes say comes in any order.
check_libzstd() {
  rm -rf tests-run && cp -r tests tests-run
  (cd tests-run && clean ZSTD_BIN=../programs/zstd DATAGEN_BIN=./datagen ./playTests.sh) |& tr '\r' '\n' |
    grep -avE '[kMG]B/s|cpu load|[0-9]%|files decompressed' | sort
}
# What does not wait, and asks nobody on the network.
check_tcl8.6() {
  (cd unix && clean TCL_LIBRARY=../library ./tcltest ../tests/all.tcl -verbose bps \
    -file 'string*.test reg*.test list*.test dict.test expr*.test format.test scan.test cmd[A-Z]*.test clock.test util.test encoding.test utf.test for*.test io*.test')
}
check_zlib() { run_make teststatic; }
check_gawk() { run_make -C test check; }
# Without what counts connections that come too soon, draws at random, waits long, or needs TLS.
check_memcached() {
  local left_out='maxconns|extstore|00-startup|idle-timeout|watcher|restart|issue_67|ssl_|lru-|metaget|item_size_max|/binary\.t'
  ls t/*.t | grep -vE "$left_out" | clean xargs prove | grep -v ^Files=
}
check_make_dfsg() { (cd tests && clean perl ./run_make_tests.pl -make ../make -srcdir ..); }
check_pcre2() {
  clean srcdir=. ./RunTest
  clean srcdir=. ./RunGrepTest
}
# One test at a time, so that they end in order.
check_redis() {
  local unit units=()
  command -v tclsh || { echo "its tests need tclsh: apt-get install tcl" && return 1; }
  for unit in unit/{type/{list,hash,stream},multi,lazyfree,aofrw,networking,scripting} integration/{aof,rdb}; do
    units+=(--single "$unit")
  done
  clean tclsh tests/test_helper.tcl --clients 1 "${units[@]}"
}
check_sed() { run_make check SUBDIRS=. MANS=; }

# Tests that are left out where the machine is slow.
timed='backref-multibyte-slow'

# What a test said, without times, process numbers and names of temporary files.
said() {
  grep -aE '^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): |^ *[0-9]+: .*(ok|FAILED|skipped)' "$1" | grep -avE "$timed" | sort >"$1.said" ||
    grep -avE '^ *(CC|CCLD|AR) |make\[' "$1" |
    sed -E 's/[0-9.]+ ?(s|ms|sec|seconds)\b/TIME/g; s/[0-9]{3,}/N/g; s/[0-9]+[-:][0-9:.-]+/N/g; s|/tmp/[A-Za-z0-9._]+|TMP|g' >"$1.said"
  wc -l <"$1.said"
}

# check NAME WHERE VARIANT: runs the tests, and prints how many lines they said.
check() {
  local name=$1 where=$2 log=$home/$1.$3 status=0
  (
    cd "$home/$name"
    # Results that are newer than what they are of would not be made again.
    find . \( -name '*.trs' -o -name 'test-suite.log' \) -delete
    if [[ $where == - ]]; then
      "check_${name//-/_}"
    else
      run_make -C "$where" check
    fi
  ) >"$log" 2>&1 </dev/null || status=$?
  printf '%s lines, exit %s' "$(said "$log")" "$status"
  echo "exit $status" >>"$log.said"
}

failed=0
printf '| package | kind | programs | functions replaced | tests as built | with symbols | stripped |\n|---|---|---|---|---|---|---|\n'
while read -r name kind programs where; do
  [[ $# == 0 || " $* " == *" $name "* ]] || continue
  description=
  while read -r of release file sha; do
    [[ $of == "$name" ]] || continue
    path=$(fetch "$name" "$release" "$file" "$sha")
    [[ $path != *.dsc ]] || description=$path
  done <"$lock"
  [[ $description ]] || fail "$lock has no $name"
  version=${description##*/"${name}"_}
  rm -rf "${home:?}/$name"
  builder=build_${name//-/_}
  declare -F "$builder" >/dev/null || builder=build
  if ! (
    dpkg-source --no-check -x "$description" "$home/$name"
    cd "$home/$name"
    "$builder"
  ) >"$home/build-$name.log" 2>&1 </dev/null; then
    printf '| %s %s | %s | does not build: build-%s.log | | | | |\n' "$name" "${version%.dsc}" "$kind" "$name"
    failed=1
    continue
  fi
  IFS=, read -ra all <<<"$programs"
  for program in "${all[@]}"; do cp "$home/$name/$program" "$home/$name/$program.built"; done
  stock=$(check "$name" "$where" stock)
  rows=()
  replaced=
  for variant in rewritten stripped; do
    outcome=
    for program in "${all[@]}"; do
      file=$home/$name/$program
      cp "$file.built" "$file.in"
      [[ $variant == rewritten ]] || strip "$file.in"
      if ! told=$("$brawn" rewrite "$file.in" -o "$file.out" 2>&1); then
        outcome="${outcome:+$outcome; }$program: $(head -n 1 <<<"$told" | tr '|' '/')"
        failed=1
        continue
      fi
      [[ $variant == rewritten ]] &&
        replaced+="${replaced:+, }$(grep -oE '[0-9]+ (heap|memory) functions' <<<"$told" | grep -oE '^[0-9]+' | paste -sd+)"
      mv "$file.out" "$file"
      rm -f "$file.in"
      touch "$file"
    done
    if [[ ! $outcome ]]; then
      outcome=$(check "$name" "$where" "$variant")
      if ! cmp -s "$home/$name.stock.said" "$home/$name.$variant.said"; then
        outcome="differs: $outcome"
        failed=1
      else
        outcome=same
      fi
    fi
    rows+=("$outcome")
    for program in "${all[@]}"; do
      cp "$home/$name/$program.built" "$home/$name/$program"
      touch "$home/$name/$program"
    done
  done
  printf '| %s %s | %s | %s | %s | %s | %s | %s |\n' "$name" "${version%.dsc}" "$kind" "${programs//,/, }" "$replaced" "$stock" "${rows[0]}" "${rows[1]}"
done < <(packages)
exit "$failed"
