//! `brawn image`: a container image of one static executable.

use crate::bar::Bar;
use crate::builds::SignaturesArg;
use crate::data;
use crate::exit::Exit;
use crate::profile::ProfileArg;
use crate::report;
use crate::typed;
use crate::ui::{self, Tone};
use brawn_core::component::Component;
use brawn_core::content::Content;
use brawn_core::format::Format;
use brawn_core::image;
use brawn_core::image::Facts;
use brawn_core::image::certificates;
use brawn_core::image::certificates::Certificates;
use brawn_core::image::plan::{Plan, Wanted, What};
use brawn_core::image::program::Program;
use brawn_core::image::reference::Reference;
use brawn_core::image::settings::{Addition, Pair, Port, User};
use brawn_core::input;
use brawn_core::program;
use brawn_core::publish::{trust, write_made_from};
use brawn_core::shown::shown;
use brawn_core::{Error, Result};
use brawn_payload::payloads;
use indicatif::HumanBytes;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Smaller layers take no time and need no bar.
const LONG: u64 = 16 << 20;
/// The advice for a system without certificates.
const MISSING: &str =
    "install the package `ca-certificates`, or name a file with `--ca-certificates=FILE`";

/// Make a container image that holds one static executable.
///
/// The result is one tar archive that `docker load`, `podman load`, skopeo and buildah accept: an OCI image layout with
/// one layer, reproducible byte for byte.  It contains the program as /NAME, which is the entry point, and an empty
/// /tmp. Every file belongs to root; file times are 0, or SOURCE_DATE_EPOCH.  The image's architecture is the
/// program's.  Programs that need a dynamic linker are refused.  brawn runs nothing, and needs no container tool.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("image"))]
pub struct Args {
    /// A static executable.
    #[arg(value_name = "EXE")]
    program: PathBuf,

    /// Write the image here; an existing file is replaced.
    #[arg(
        short,
        long,
        value_name = "IMAGE.tar",
        required_unless_present = "dry_run"
    )]
    output: Option<PathBuf>,

    /// Print what would be in the image, and write nothing.
    #[arg(short = 'n', long, conflicts_with = "output")]
    dry_run: bool,

    /// Print a JSON object.
    #[arg(long)]
    json: bool,

    /// The image's name: [REGISTRY/]PATH[:TAG].
    #[arg(long, value_name = "NAME")]
    name: Option<Reference>,

    /// Give the program in the image brawn's heap and functions of libc, as `brawn rewrite` does.
    #[arg(long)]
    rewrite: bool,

    /// The heap's variant for `--rewrite` [default: fast].
    #[arg(long, value_enum, requires = "rewrite")]
    profile: Option<ProfileArg>,

    #[command(flatten)]
    signatures: SignaturesArg,

    /// Add the certificates of authorities that TLS needs [default: this system's].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    ca_certificates: Option<Option<PathBuf>>,

    /// Run as this user, with a line for it in /etc/passwd and /etc/group [default: root].
    #[arg(long, value_name = "UID[:GID]")]
    user: Option<User>,

    /// Set a variable of the program's environment.
    #[arg(long, value_name = "KEY=VALUE")]
    env: Vec<Pair>,

    /// Add a label with information about the image.
    #[arg(long, value_name = "KEY=VALUE")]
    label: Vec<Pair>,

    /// Name a port that the program listens on.
    #[arg(long, value_name = "PORT[/udp]")]
    expose: Vec<Port>,

    /// Run the program in this directory.
    #[arg(long, value_name = "DIR")]
    workdir: Option<String>,

    /// Add a file or directory; if PLACE ends with a slash, it is the directory for the file.
    #[arg(long, value_name = "SOURCE:/PLACE")]
    add: Vec<Addition>,

    /// The program's arguments, unless the image is run with others.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Written,
    Planned,
    Failed,
}

/// The object that `--json` prints.
type Report = report::Report<Status, Details>;

/// Further facts about an image.
#[derive(Debug, Default, Serialize)]
struct Details {
    #[serde(flatten)]
    facts: Option<Facts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<Program>,
    /// Whether the program in the image differs from the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewritten: Option<bool>,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
}

pub fn run(args: &Args) -> Exit {
    let report = image(args).unwrap_or_else(|error| {
        Report::failed(&args.program, Status::Failed, &error.path(&args.program))
    });
    report.tell(args.json, print)
}

fn image(args: &Args) -> Result<Report> {
    let path = &args.program;
    let bytes = input::read_if(path, &[Format::Elf]);
    let bytes = bytes.map_err(|e| input::failed("cannot read it", e))?;
    let program = image::program::program(&bytes)?;
    let rewritten = match args.rewrite {
        true => rewrite(args, &bytes)?,
        false => None,
    };
    let is_rewritten = rewritten.is_some();
    let content = rewritten.unwrap_or_else(|| (&bytes).into());
    let wanted = wanted(args, content.size())?;
    let plan = image::plan::plan(&program, &wanted)?;
    let sources = || plan.entries.iter().filter_map(|entry| source(&entry.what));
    data::check_apart([&args.output], sources())?;
    let mut notes = rights(path, "the file")?;
    for source in sources() {
        notes.extend(rights(source, &shown(source).to_string())?);
    }
    if !args.rewrite {
        notes.extend(program.notes());
    }
    let mut report = Report::new(path, Status::Planned);
    report.details = Details {
        facts: None,
        program: Some(program),
        rewritten: args.rewrite.then_some(is_rewritten),
        notes,
        plan: None,
    };
    if let Some(output) = &args.output {
        let certificates = wanted.certificates.as_ref();
        let certificates = certificates.map_or(&[][..], |c| c.bytes.as_slice());
        let bar = progress(plan.entries.iter().map(|entry| entry.size).sum());
        let image = image::image(&plan, &content, certificates, &mut |bytes| bar.inc(bytes));
        drop(bar);
        let image = image?;
        write_made_from(path, output, &image.content)?;
        report.status = Status::Written;
        report.output = Some(output.clone());
        report.details.facts = Some(image.facts);
    }
    report.details.plan = Some(plan);
    Ok(report)
}

/// The program with brawn's payload; `None` if it already has it.
fn rewrite<'b>(args: &Args, bytes: &'b [u8]) -> Result<Option<Content<'b>>> {
    let builds = args.signatures.read()?;
    let options = program::Options {
        components: Component::ALL,
        keeps: false,
        force: false,
        builds: &builds.all,
    };
    let profile = args.profile.unwrap_or_default().into();
    Ok(program::rewrite_for(bytes, payloads(), profile, &options)?.pieces)
}

fn wanted(args: &Args, size: u64) -> Result<Wanted> {
    let name = args.program.file_name().unwrap_or_default().to_str();
    let name = name.ok_or_else(|| {
        Error::usage("its name is not UTF-8").next("rename it: images have only UTF-8 names")
    })?;
    let certificates = match &args.ca_certificates {
        None => None,
        Some(Some(file)) => Some(Certificates::read(file)?),
        Some(None) => {
            let variable = std::env::var_os(certificates::VARIABLE).map(PathBuf::from);
            let found = certificates::find(variable, Path::new("/"));
            Some(Certificates::read(&found.map_err(|e| {
                e.path(Path::new("--ca-certificates")).next(MISSING)
            })?)?)
        }
    };
    Ok(Wanted {
        program: name.into(),
        size,
        arguments: args.arguments.clone(),
        name: args.name.clone(),
        certificates,
        user: args.user,
        environment: args.env.clone(),
        labels: args.label.clone(),
        folder: args.workdir.clone(),
        ports: args.expose.clone(),
        additions: args.add.clone(),
        time: time()?,
    })
}

/// The time that everything in the image has, in seconds since 1970 (reproducible-builds.org, "SOURCE_DATE_EPOCH").
fn time() -> Result<u64> {
    let Some(value) = std::env::var_os("SOURCE_DATE_EPOCH") else {
        return Ok(0);
    };
    let text = value.to_string_lossy();
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number);
    number.ok_or_else(|| {
        Error::usage(format!("SOURCE_DATE_EPOCH is `{text}`"))
            .expected("seconds since 1970")
            .next("set it to a number, or unset it")
    })
}

/// Rights that belong to the file, and that its copy in the image does not have.
fn rights(path: &Path, name: &str) -> Result<Vec<String>> {
    let file = input::open(path).map_err(|e| input::failed("cannot open it", e).path(path))?;
    let note = |right| format!("{name}'s {right} is not in the image, where the mode is 0755");
    Ok(trust::rights(&file)?.into_iter().map(note).collect())
}

/// The file besides the program whose contents go to the image.
fn source(what: &What) -> Option<&Path> {
    match what {
        What::Certificates(path) | What::File(path) => Some(path),
        What::Folder | What::Program | What::Text(_) | What::Link(_) => None,
    }
}

/// A bar, if there is work to wait for.
fn progress(layer: u64) -> Bar {
    match layer < LONG {
        true => Bar::hidden(),
        // Every byte is written once and checked once.
        false => Bar::new(2 * layer, "packing and checking {bar:40} {percent} %"),
    }
}

fn print(report: &Report) {
    let (Some(plan), None) = (&report.details.plan, &report.reason) else {
        ui::error(&report.reason.as_deref().unwrap_or_default());
        return;
    };
    let platform = plan.platform.name();
    let entrypoint = plan.settings.entrypoint.join(" ");
    match (&report.details.facts, &report.output) {
        (Some(facts), Some(output)) => {
            let text = format!("{}: {platform}, {entrypoint}", shown(output));
            ui::line(Tone::Good, "written", &text);
            sizes(plan, facts);
            loading(plan, output);
        }
        _ => {
            let text = format!("{}: {platform}, {entrypoint}", shown(&report.path));
            ui::line(Tone::Good, "would write", &text);
            details(plan);
        }
    }
    for note in &report.details.notes {
        ui::line(Tone::Note, "note", note);
    }
}

fn sizes(plan: &Plan, facts: &Facts) {
    let mut entries = plan.entries.iter();
    let program = entries.find(|entry| entry.what == What::Program);
    let program = program.map_or(0, |entry| entry.size);
    ui::more(&format!(
        "program {}; layer {}, unpacked {}; image {}",
        HumanBytes(program),
        HumanBytes(facts.layer_size),
        HumanBytes(facts.unpacked_size),
        HumanBytes(facts.size),
    ));
    ui::more(&format!("manifest {}", facts.manifest));
}

/// The command lines that take it.
fn loading(plan: &Plan, output: &Path) {
    let output = typed::path(output);
    let name = match &plan.name {
        Some(name) => name.to_string(),
        None => "REGISTRY/NAME:TAG".into(),
    };
    if plan.name.is_none() {
        ui::more("it has no name; `--name` gives it one");
    }
    ui::more(&format!("docker load -i {output}"));
    ui::more(&format!("podman load -i {output}"));
    ui::more(&format!("skopeo copy oci-archive:{output} docker://{name}"));
}

/// The plan as a table.
fn details(plan: &Plan) {
    let lengths = plan.entries.iter().map(|e| e.path.chars().count());
    let width = lengths.max().unwrap_or_default();
    for entry in &plan.entries {
        let from = match &entry.what {
            What::Folder => "directory".to_owned(),
            What::Program => "the program".to_owned(),
            What::Text(_) => "for --user".to_owned(),
            What::Certificates(path) | What::File(path) => shown(path).to_string(),
            What::Link(target) => format!("link to {target}"),
        };
        ui::more(&format!(
            "{:04o} {}:{} {:>10}  /{:<width$}  {from}",
            entry.mode, entry.uid, entry.gid, entry.size, entry.path
        ));
    }
    let settings = &plan.settings;
    let one = |name: &str, value: &str| ui::more(&format!("{name:<11} {value}"));
    if let Some(name) = &plan.name {
        one("name", &name.to_string());
    }
    one("entry point", &shell_words::join(&settings.entrypoint));
    if !settings.cmd.is_empty() {
        one("arguments", &shell_words::join(&settings.cmd));
    }
    one("user", settings.user.as_deref().unwrap_or("root"));
    if let Some(folder) = &settings.working_dir {
        one("directory", folder);
    }
    for variable in &settings.env {
        one("variable", variable);
    }
    for port in settings.exposed_ports.keys() {
        one("port", port);
    }
    for (key, value) in &settings.labels {
        one("label", &format!("{key}={value}"));
    }
}
