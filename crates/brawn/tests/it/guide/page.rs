//! A page: its blocks of code, as steps.
//!
//! | block | what it is |
//! |---|---|
//! | `console` | lines that begin with `$ ` are commands (`> ` goes on with one), run in order by one bash for each page; the lines below are what it must print, on standard output and standard error. Where there are none, anything may be printed. `[..]` stands for any text in a line, a line `...` for any lines; a last line `? 3` says the exit code where that is not 0 |
//! | `console,by-hand` | the same, never run: it needs what a test cannot have, as a sentence beside it says |
//! | `c file=main.c` | written to that file, in the directory in which the shell is then; any language |
//! | `toml`, `rust`, … | a piece of a file |
//! | `text` | a drawing, or what a command printed above; no commands |
//!
//! Blocks inside of HTML comments count: what a page needs, and readers need not see.

/// Languages of pieces of files.
const LANGUAGES: [&str; 15] = [
    "c",
    "cmake",
    "cpp",
    "dockerfile",
    "go",
    "ini",
    "json",
    "make",
    "meson",
    "nim",
    "rust",
    "swift",
    "text",
    "toml",
    "yaml",
];

pub struct Page {
    /// Its path from the workspace's directory.
    pub name: String,
    pub steps: Vec<Step>,
    /// First commands of the blocks that are not run.
    pub by_hand: Vec<String>,
    /// What is wrong with its form, by line.
    pub wrong: Vec<(usize, String)>,
}

pub struct Step {
    pub line: usize,
    pub action: Action,
}

pub enum Action {
    Run {
        command: String,
        expected: Vec<String>,
        code: i32,
    },
    Write {
        name: String,
        text: String,
    },
}

/// A fenced block.
struct Block<'a> {
    /// Of its first line of text.
    line: usize,
    info: &'a str,
    lines: Vec<&'a str>,
}

impl Page {
    pub fn parse(name: &str, text: &str) -> Self {
        let mut page = Self {
            name: name.into(),
            steps: Vec::new(),
            by_hand: Vec::new(),
            wrong: Vec::new(),
        };
        for block in blocks(text, &mut page.wrong) {
            page.add(&block);
        }
        page
    }

    /// How many commands it runs.
    pub fn commands(&self) -> usize {
        let runs = |step: &&Step| matches!(step.action, Action::Run { .. });
        self.steps.iter().filter(runs).count()
    }

    /// How many of them are cargo's.
    pub fn cargos(&self) -> usize {
        let is = |step: &&Step| matches!(&step.action, Action::Run { command, .. } if command.contains("cargo "));
        self.steps.iter().filter(is).count()
    }

    fn add(&mut self, block: &Block) {
        let (language, attribute) = block.info.split_once(' ').unwrap_or((block.info, ""));
        match (language, attribute.trim().strip_prefix("file=")) {
            (_, Some(name)) => {
                let text = block.lines.iter().flat_map(|l| [*l, "\n"]).collect();
                let name = name.into();
                self.step(block.line, Action::Write { name, text });
            }
            ("console", None) => self.console(block),
            ("console,by-hand", None) => {
                let first = block.lines.iter().find_map(|l| l.strip_prefix("$ "));
                match first {
                    Some(first) => self.by_hand.push(first.into()),
                    None => self.complain(block.line, "no command in a block of commands"),
                }
            }
            (language, None) if LANGUAGES.contains(&language) => {
                if block.lines.iter().any(|l| l.starts_with("$ ")) {
                    self.complain(block.line, "commands, which belong into a `console` block");
                }
            }
            _ => self.complain(
                block.line,
                &format!("a block of an unknown kind, `{}`", block.info),
            ),
        }
    }

    fn console(&mut self, block: &Block) {
        let mut at = 0;
        while let Some(line) = block.lines.get(at) {
            let number = block.line + at;
            at += 1;
            let Some(command) = line.strip_prefix("$ ") else {
                return self.complain(number, "output without a command above it");
            };
            let mut command = command.to_owned();
            while let Some(more) = block.lines.get(at).and_then(|l| l.strip_prefix('>')) {
                command.push('\n');
                command.push_str(more.strip_prefix(' ').unwrap_or(more));
                at += 1;
            }
            let end = block.lines[at..].iter().position(|l| l.starts_with("$ "));
            let end = end.map_or(block.lines.len(), |n| at + n);
            let mut expected: Vec<String> = block.lines[at..end]
                .iter()
                .map(|l| (*l).to_owned())
                .collect();
            at = end;
            let code = expected.last().and_then(|l| l.strip_prefix("? "));
            let code = code.and_then(|c| c.parse().ok());
            if code.is_some() {
                expected.pop();
            }
            self.step(
                number,
                Action::Run {
                    command,
                    expected,
                    code: code.unwrap_or(0),
                },
            );
        }
    }

    fn step(&mut self, line: usize, action: Action) {
        self.steps.push(Step { line, action });
    }

    fn complain(&mut self, line: usize, what: &str) {
        self.wrong.push((line, what.into()));
    }
}

/// All fenced blocks, in order.
fn blocks<'a>(text: &'a str, wrong: &mut Vec<(usize, String)>) -> Vec<Block<'a>> {
    let mut all = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let bare = line.trim_start();
        let ticks = bare.len() - bare.trim_start_matches('`').len();
        if ticks < 3 {
            continue;
        }
        let indent = line.len() - bare.len();
        let (fence, info) = bare.split_at(ticks);
        let mut block = Block {
            line: number + 2,
            info: info.trim(),
            lines: Vec::new(),
        };
        let closed = lines.by_ref().any(|(_, line)| {
            let done = line.trim() == fence;
            let spaces = line.len() - line.trim_start().len();
            block.lines.push(&line[spaces.min(indent)..]);
            done
        });
        if !closed {
            wrong.push((number + 1, "a block that does not end".into()));
        }
        block.lines.pop();
        all.push(block);
    }
    all
}

/// Whether what was printed is what the page has.
pub fn matches(expected: &[String], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

fn line_matches(expected: &str, printed: &str) -> bool {
    let mut parts = expected.trim_end().split("[..]");
    let first = parts.next().expect("split gives one");
    let Some(mut rest) = printed.trim_end().strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn a_page_is_taken_apart() {
    let text = "\
text\n\n```c file=a.c\nint x;\n```\n\n```console\n$ one \\\n> two\nout\n$ three\n$ four\n\nsaid\n? 3\n```\n\
<!--\n```console\n$ hidden\n```\n-->\n\n- item\n  ```console\n  $ inner\n    deep\n  ```\n\
```console,by-hand\n$ never\n```\n```toml\na = 1\n```\n";
    let page = Page::parse("x.md", text);
    assert!(page.wrong.is_empty(), "{:?}", page.wrong);
    assert_eq!(page.by_hand, ["never"]);
    let said: Vec<String> = page
        .steps
        .iter()
        .map(|step| match &step.action {
            Action::Run {
                command,
                expected,
                code,
            } => {
                format!("{} {command:?} {expected:?} {code}", step.line)
            }
            Action::Write { name, text } => format!("{} {name} {text:?}", step.line),
        })
        .collect();
    assert_eq!(
        said,
        [
            "4 a.c \"int x;\\n\"",
            "8 \"one \\\\\\ntwo\" [\"out\"] 0",
            "11 \"three\" [] 0",
            "12 \"four\" [\"\", \"said\"] 3",
            "19 \"hidden\" [] 0",
            "25 \"inner\" [\"  deep\"] 0",
        ]
    );
}

#[test]
fn a_page_of_a_wrong_form_is_told() {
    for (text, line, part) in [
        ("```\n$ x\n```\n", 2, "unknown kind"),
        ("```sh\nx\n```\n", 2, "unknown kind"),
        ("```console,hand\n$ x\n```\n", 2, "unknown kind"),
        ("```text\n$ x\n```\n", 2, "belong into"),
        ("```console\nx\n```\n", 2, "without a command"),
        ("```console,by-hand\nx\n```\n", 2, "no command"),
        ("\n```c\nx\n", 2, "does not end"),
    ] {
        let page = Page::parse("x.md", text);
        let found = page
            .wrong
            .iter()
            .any(|(n, what)| *n == line && what.contains(part));
        assert!(found, "{text:?}: {:?}", page.wrong);
    }
}

#[test]
fn output_is_compared() {
    let is = |expected: &str, printed: &str| {
        let expected: Vec<String> = expected.lines().map(Into::into).collect();
        matches(&expected, &printed.lines().collect::<Vec<_>>())
    };
    assert!(is("a\nb", "a\nb  "));
    assert!(!is("a\nb", "a"));
    assert!(!is("a", "a\nb"));
    assert!(!is("a", "ab"));
    assert!(is("a[..]c[..]", "abcd"));
    assert!(is("a[..]", "a"));
    assert!(!is("a[..]c", "abcd"));
    assert!(!is("[..]b[..]a[..]", "ab"));
    assert!(is("...", "") && is("...", "a\nb"));
    assert!(is("a\n...\nz", "a\nb\nz\nz"));
    assert!(!is("a\n...\nz", "a\nb"));
}
