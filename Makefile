# `make demo` and `make test` install what they need (Debian packages, a pinned zig) and run.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.PHONY: check unit test test-all test-everything test-packaging test-fuzzing oldest-rust test-tools test-programs packaging-programs fuzz-programs lint demo bench bench-extensions bench-rewrite bench-wasmtime figures rt-objects engine tools signatures guide swift-check bench-bundle bench-preload bench-rss bench-limit bench-sweep bench-server corpus-all c-packages crates packages dist release

# Tests mount filesystems in namespaces of their own, and change owners: they run as root.
ifneq ($(shell id -u),0)
export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER := sudo --preserve-env env PATH=$(PATH)
endif

# Runs a command and notes how long it took; .ci/run prints the table.
stage := tools/stage.sh

tools: target/tools/.done
target/tools/.done: tools/setup.sh tools/requirements.txt
	bash tools/setup.sh

# What only tests need: other musls, a Rust toolchain for musl, maturin, files of public packages.  All at
# once, since each waits for the network, or is a chain of steps that leaves a processor idle.
for-tests := musls rust-musl maturin corpus sdk-mimalloc swift-sdk musls-shared
corpus-which = tools/corpus.txt tools/corpus-learnt.txt
# What only tests of packages, images and the guide's book need.
for-packaging := image-base mdbook
.PHONY: $(for-tests) $(for-packaging)
together := $(MAKE) --no-print-directory --jobs=4
test-tools: tools
	+$(together) $(for-tests)
# They take no part in make's jobs, whose pipe is not theirs: cargo would warn of it.
$(for-tests) $(for-packaging): | tools
	MAKEFLAGS= $(stage) tools/$@.sh tools/$@.sh $($@-which)
test-programs: | tools
	$(stage) 'compiling tests' cargo test --workspace --locked --no-run
fuzz-programs: | tools
	$(stage) 'compiling fuzz targets' tools/fuzz.sh --build

# What is compiled once needs nothing that makes the second time quicker, which takes gigabytes.
test-programs packaging-programs test test-packaging: export CARGO_INCREMENTAL ?= 0
# Every test but those of `test-packaging` and fuzzing, which compile while what they need is made.  Of the conformance
# suite those trials run that cover the others (conformance/README.md).
test: tools
	+$(together) $(few) $(for-tests) test-programs
	tools/tests.sh
	@$(not-run)

# Each fuzz target for 5 seconds, from the committed corpus on, with the same inputs each time: a change is not refused
# for what was there before it.  `make test-everything` looks for a minute, with inputs of its own.
test-fuzzing: fuzz-programs
	$(stage) fuzzing env BRAWN_FUZZ_SEED=1 tools/fuzz.sh 5

# Packages, images and the guide's book, as people get them.
test-packaging: tools
	+$(together) $(for-packaging) packaging-programs
	$(stage) --cargo cargo test --workspace --locked --test packaging
packaging-programs: | tools
	$(stage) 'compiling tests of packaging/' cargo test --workspace --locked --no-run --test packaging
# No test is left out in silence.
not-run = printf 'not run: %d tests of packages, images and the book, which take %s more; %d fuzz targets, 3 minutes and 1 GB more; what is learnt of zig 0.13 and later semgreps, a minute and 250 MB more; make test-all runs them, too\n' \
  "$$(grep -c '^\#\[test\]' crates/brawn/tests/packaging/*.rs | awk -F: '{ n += $$2 } END { print n }')" '3 GB' \
  "$$(ls fuzz/fuzz_targets | wc -l)"

# What brawn's signatures are learnt from alone: musls that a zig compiles for half a minute each, and large packages.
# `make test-all` gets them, and tells the tests that they have to be there.
few = musls-which='--but zig-code' corpus-which=tools/corpus.txt

# Every test.  CI runs this.
test-all: not-run = true
test-all: few =
test-all: export BRAWN_TEST_ALL = 1
test-all: test test-packaging test-fuzzing

# Every test with every trial of the conformance suite, the crates as they are published, C packages whose tests are short,
# and each fuzz target for a minute with new inputs.
test-everything: export BRAWN_CONFORMANCE_ALL = 1
test-everything: PACKAGES = bc bzip2 findutils grep gzip sed
test-everything: test-all crates c-packages
	$(stage) 'fuzzing for long' tools/fuzz.sh 60

# What to run before every commit: formatting, lints, unit and property tests, and the repository's own rules.  Needs no
# root, no network and nothing but `make tools`; three minutes where dependencies are compiled.
check: lint unit
# All unit tests but those that look into programs of other musls, which `make test` gets.
# They run as whoever runs them.
unit: | tools
	$(stage) --cargo env -u CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER cargo test --workspace --locked --no-fail-fast --lib --bins --test tidy --test rooms -- --skip find::tests::

# In a folder of its own: cargo works on one folder at a time, and tests are compiled meanwhile.
lint: | tools
	cargo fmt --all --check
	tools/format-c.sh --check
	$(stage) clippy cargo clippy --target-dir target/lint --workspace --all-targets --locked -- -D warnings
	$(stage) 'clippy of packaging/' cargo clippy --target-dir target/lint --workspace --test packaging --locked -- -D warnings

# That the oldest Rust that README.md names compiles everything: it comes by rustup.  CI does this; who has Rust from
# elsewhere can do without.
oldest-rust: | tools
	MAKEFLAGS= $(stage) 'the oldest Rust' tools/oldest-rust.sh

demo: tools
	cargo build --release --locked -p brawn -p brawn-bench
	cargo run --quiet --release --locked -p brawn-bench -- demo

# The whole benchmark takes half an hour; bench/README.md says how to run parts of it.
bench: tools
	tools/rust-musl.sh
	cargo build --release --locked -p brawn -p brawn-bench
	cargo run --quiet --release --locked -p brawn-bench -- run
	target/release/brawn-bench rss --rounds 3

# The guide, a book of docs/, in target/guide.
guide:
	tools/mdbook.sh
	MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL=$$(sed -n 's/^repository = "\(.*\)"$$/\1/p' Cargo.toml) \
	  target/tools/mdbook/bin/mdbook build docs

# The figures of docs/memory-functions.md, from the newest raw data in bench/results/memory.
figures: tools
	tools/figures.sh

# Builds wasmtime for glibc and musl, which takes most of an hour, and measures `wasmtime compile`.
bench-wasmtime: tools
	tools/rust-musl.sh
	cargo build --release --locked -p brawn -p brawn-bench
	cargo run --quiet --release --locked -p brawn-bench -- run --only wasmtime

# `brawn rewrite` on the large programs of public packages, too (2.8 GB): rewritten or refused, and real jobs before and after.
corpus-all: tools
	tools/corpus.sh $(corpus-which) tools/corpus-all.txt
	BRAWN_CORPUS_ALL=1 cargo test --locked -p brawn --test it -- rewrite_corpus the_database_is_what_is_learnt

# `brawn rewrite` and `brawn run`: time, memory, disk.
bench-rewrite: tools
	tools/corpus.sh
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench rewrite --rounds 21

# `brawn patch` of a bundle of 200 MB against tar: time and memory.
bench-bundle: tools
	tools/musls.sh
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench bundle --rounds 7

# `brawn preload`: dynamic programs of musl with and without it, a minute.
bench-preload: tools
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench preload --rounds 11

# The memory of programs over time, with eleven heaps: half an hour.
bench-rss: tools
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench rss --rounds 3

# Web servers that compress, over loopback: a quarter of an hour.
bench-server: tools
	tools/rust-musl.sh
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench server --rounds 7

# More than 900 ways of using blocks, with eight heaps.
bench-sweep: tools
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench sweep --rounds 3

# The smallest memory limit of containers, with eleven heaps: more than an hour.
bench-limit:
	cargo build --release --locked -p brawn -p brawn-bench
	target/release/brawn-bench limit --rounds 3

# What crates/brawn-rt links, after a change of payload/: a test compares.  And what crates/brawn-payload has for who
# builds it without zig: older ones are not used, and `make crates` refuses them.
rt-objects: tools
	cargo run --quiet --locked -p brawn-rt --example write-objects
	cargo run --quiet --locked -p brawn-payload --example write-prebuilt

# Another version of the engine's crate, with the patches of payload/engine/: which of them apply, whether the heaps compile, and
# what their loads take.  Changes nothing: `make engine VERSION=0.1.65`.
engine: tools
	tools/engine.sh "$(VERSION)"

# The crates as they are published, and `brawn` installed from them alone: some minutes, most of it `cargo install`.
crates: tools
	tools/musls.sh
	$(stage) crates tools/crates.sh

# The release files, in target/dist: brawn as a static executable for both architectures.
dist: tools
	tools/musls.sh
	$(stage) dist tools/dist.sh

# What people install, of the binaries and the SBOM that `make dist` made: packaging/README.md.  Seconds.
packages: | tools
	tools/package.py

# The next version, as one commit: `make release VERSION=1.2.3` (tools/release.py).
release: | tools
	tools/release.py "$(VERSION)"

# The signatures of musl's builds (docs/signatures.md): a test compares.
signatures: test-tools
	tools/signatures.sh

# tokenizers in Rust, Python and Node with each heap: bench/extensions/README.md.
bench-extensions: tools
	tools/maturin.sh
	tools/extensions.sh
	cargo build --release --locked -p brawn-bench
	target/release/brawn-bench extensions build
	target/release/brawn-bench extensions measure
	target/release/brawn-bench extensions table

# A Swift program with the Static Linux SDK, as it is and with brawn's heap: with the Swift of this machine, or with
# Debian's (`tools/swift-check.sh debian`).  Not a part of `make test`.
swift-check: tools
	cargo build --release --locked -p brawn
	tools/swift-check.sh

# C packages of Debian's, static with musl, rewritten: their own tests say what they said.  Those in PACKAGES; all take more than
# an hour.
c-packages: tools
	cargo build --release --locked -p brawn
	tools/c-packages.sh $(PACKAGES)
