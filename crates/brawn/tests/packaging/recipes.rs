//! The recipes by which others make packages of brawn's archives: what they install is run where there is no checkout.

use crate::common::{ok, root};
use crate::packages::{alone, succeeds};
use serde_json::Value;

/// APKBUILD is a script of a shell, and abuild calls its functions: the sum is held against the archive, which is unpacked
/// as abuild does it.
#[test]
fn alpines_recipe_installs_what_the_archive_has() {
    let said = succeeds(
        r#"
        export CARCH=x86_64 srcdir=$HOME/src pkgdir=$HOME/pkg
        mkdir src pkg
        cat >"$HOME/build" <<'END'
        set -eu
        . "$packages/APKBUILD"
        for needed in pkgname pkgver pkgrel pkgdesc url arch license source sha512sums; do
            eval "[ \"\${$needed}\" ]" || { echo "no $needed"; exit 1; }
        done
        cd "$srcdir"
        file=${source%%::*}
        case ${source#*::} in https://*/releases/download/v$version/$file) ;; *) echo "$source"; exit 1 ;; esac
        cp "$packages/$file" .
        echo "$sha512sums" | sha512sum -c -
        tar -xzf "$file"
        package
END
        sh "$HOME/build"
        cd pkg
        "$PWD/usr/bin/brawn" --version
        "$PWD/usr/bin/brawn" inspect usr/bin/brawn | tail -n 1
        find . -type f | sort
        "#,
    );
    for words in [
        ".tar.gz: OK",
        concat!("brawn ", env!("CARGO_PKG_VERSION")),
        "./usr/bin/cargo-brawn",
        "./usr/share/man/man1/brawn-patch.1",
        "./usr/share/bash-completion/completions/brawn",
        "./usr/share/zsh/site-functions/_brawn",
        "./usr/share/fish/vendor_completions.d/brawn.fish",
        "./usr/share/licenses/brawn/LICENSE-MIT",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// Homebrew's classes, as far as the formula uses them.
const HOMEBREW: &str = r##"
require "digest"
require "fileutils"
class Place
  def initialize(path) = @path = path
  def install(*all)
    FileUtils.mkdir_p(@path)
    all.flatten.each { |file| FileUtils.cp(file, @path) }
  end
  def to_s = @path
end
class Formula
  KINDS = %i[desc homepage version license depends_on url sha256]
  class << self
    attr_reader :has, :tests
    KINDS.each { |kind| define_method(kind) { |value = nil| value ? (@has ||= {})[kind] = value : @has[kind] } }
    def on_linux = yield
    def on_intel = yield
    def on_arm = nil
    def test(&block) = @tests = block
  end
  def version = self.class.version
  { bin: "bin", man1: "man", bash_completion: "bash", zsh_completion: "zsh", fish_completion: "fish" }.each do |name, folder|
    define_method(name) { Place.new(File.join(ENV["HOME"], "brew", folder)) }
  end
  def assert_match(word, text) = text.include?(word) || raise("#{text}: no #{word}")
  def shell_output(line) = `#{line}`.tap { raise line unless $?.success? }
  def testpath = Class.new { def /(name) = Class.new { define_method(:write) { |text| File.write(name, text) } }.new }.new
  def system(*words) = Kernel.system(*words) || raise(words.join(" "))
end
def ENV.cc = "gcc"
load File.join(ENV["packages"], "brawn.rb")
archive = File.join(ENV["packages"], File.basename(Brawn.url))
sum = Digest::SHA256.file(archive).hexdigest
raise "found #{sum}, expected #{Brawn.sha256}" unless sum == Brawn.sha256
system("tar", "-xzf", archive, "--strip-components=1", exception: true)
brew = Brawn.new
brew.install
brew.instance_exec(&Brawn.tests)
puts Dir[File.join(ENV["HOME"], "brew/*/*")].map { |path| path.split("brew/").last }.sort
"##;

#[test]
fn homebrews_formula_installs_and_tests_it() {
    let script = format!("cat >brew.rb <<'END'\n{HOMEBREW}\nEND\nruby -w brew.rb\n");
    let said = succeeds(&script);
    for words in [
        "bin/brawn\n",
        "bin/cargo-brawn\n",
        "man/brawn-patch.1\n",
        "zsh/_brawn\n",
        "fish/brawn.fish\n",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// A runner of GitLab's puts the inputs in, and gives the lines of a job to a shell.
const GITLAB: &str = r##"
require "yaml"
spec, jobs = YAML.load_stream(File.read(File.join(ENV["packages"], "brawn.yml")))
inputs = spec["spec"]["inputs"].transform_values { |input| input["default"] }
inputs["releases"] = "file://#{ENV["HOME"]}/releases"
inputs["check"] = ARGV[0]
raise inputs["version"] unless inputs["version"].match?(Regexp.new(spec["spec"]["inputs"]["version"]["regex"].delete_prefix("/").delete_suffix("/")))
put = ->(text) { text.gsub(/\$\[\[ inputs\.(\w+) \]\]/) { inputs.fetch($1) } }
base = jobs.fetch(".brawn")
job = base.merge(jobs.fetch("brawn-check"))
base["variables"].each { |name, value| ENV[name] = put.(value) }
exec "bash", "-c", "set -eo pipefail\n" + (job["before_script"] + job["script"]).map { |line| put.(line) }.join("\n")
"##;

#[test]
fn gitlabs_job_takes_a_release_and_stops_a_slow_heap() {
    let begin = format!(
        r#"
        cat >job.rb <<'END'
{GITLAB}
END
        mkdir -p "releases/v$version"
        cp "$packages"/brawn-$version-x86_64-unknown-linux-musl.tar.gz "releases/v$version/"
        (cd "releases/v$version" && sha256sum *.tar.gz >SHA256SUMS)
        echo 'int main(void) {{ void *volatile p = __builtin_malloc(1); __builtin_free(p); return !p; }}' >one.c
        musl-gcc -static -O1 one.c -o one
        mkdir -- '-x; touch broken'
        cp one './-x; touch broken/slow'
        "#
    );
    let run = |line: &str| {
        let output = alone(&format!("{begin}\n{line}"));
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let (code, said) = run("ruby job.rb '-x; touch broken'; exit $?");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("slow") && said.contains("-x; touch broken/slow"),
        "{said}"
    );
    let (code, said) =
        run("brew=$(command -v gcc); cp \"$brew\" dynamic; ruby job.rb dynamic; [[ ! -e broken ]]");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(
        "printf x >>\"releases/v$version/brawn-$version-x86_64-unknown-linux-musl.tar.gz\"; ruby job.rb one; exit $?",
    );
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("it is not the release"), "{said}");
}

/// cargo-binstall puts cargo's own words into the templates: the archive and each program in it have to be there.
#[test]
fn binstalls_templates_name_the_archives_and_their_programs() {
    let manifest = root().join("Cargo.toml");
    let words = [
        "metadata",
        "--no-deps",
        "--locked",
        "--offline",
        "--format-version=1",
    ];
    let manifest = ["--manifest-path", manifest.to_str().expect("UTF-8")];
    let metadata = ok("cargo", &[&words[..], &manifest].concat());
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let brawn = packages
        .iter()
        .find(|p| p["name"] == "brawn")
        .expect("it is there");
    let binstall = &brawn["metadata"]["binstall"];
    assert_eq!(binstall["pkg-fmt"], "tgz");
    let repository = brawn["repository"].as_str().expect("an address");
    for target in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"] {
        let fill = |template: &str, bin: &str| {
            let version = brawn["version"].as_str().expect("a version");
            let values = [
                ("repo", repository),
                ("version", version),
                ("target", target),
                ("bin", bin),
            ];
            let filled = values
                .iter()
                .fold(template.to_owned(), |text, (name, value)| {
                    text.replace(&format!("{{ {name} }}"), value)
                });
            assert!(!filled.contains(['{', '}']), "{filled}");
            filled
        };
        let template = |key: &str| binstall[key].as_str().expect("a template").to_owned();
        let url = fill(&template("pkg-url"), "");
        let archive = url.strip_prefix(&format!("{repository}/releases/download/v"));
        let (_, archive) = archive
            .and_then(|rest| rest.split_once('/'))
            .expect("a release's");
        let there = succeeds(&format!("tar -tzf \"$packages/{archive}\""));
        let targets = brawn["targets"].as_array().expect("a list");
        let programs = targets.iter().filter(|t| t["kind"][0] == "bin");
        let programs: Vec<_> = programs.filter_map(|t| t["name"].as_str()).collect();
        assert_eq!(programs, ["brawn", "cargo-brawn"]);
        for program in programs {
            let path = fill(&template("bin-dir"), program);
            assert!(there.lines().any(|line| line == path), "{path}: {there}");
        }
    }
}
