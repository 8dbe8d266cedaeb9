//! Code that asks for the architecture says which ones it is for: on any other it does not compile.

use super::texts;

/// How compilers name architectures.
const NAMES: &[&str] = &["__x86_64__", "__aarch64__", "__riscv"];

/// What stands behind an `#else` whose code is right on every architecture.
const PORTABLE: &str = "// any other";

/// One `#if`, with what follows it up to its `#endif`.
struct Chain {
    /// Where it begins, from 1.
    line: usize,
    /// Whether its first condition, and all that follow, ask for architectures.
    asks: bool,
    all_ask: bool,
    /// Whether it means every architecture that a condition does not name.
    is_negated: bool,
    branches: usize,
    /// Whether it has an `#else` that stops the compiler, or that is marked as right everywhere.
    is_closed: bool,
    /// An `#else` of another kind.
    is_open: bool,
}

impl Chain {
    fn of(line: usize, condition: &str) -> Self {
        let asks = asks(condition);
        let negates = condition.starts_with("#ifndef") || condition.contains('!');
        Self {
            line,
            asks,
            all_ask: asks,
            is_negated: asks && negates,
            branches: 1,
            is_closed: false,
            is_open: false,
        }
    }

    /// What is wrong with it.
    fn complaint(&self) -> Option<&'static str> {
        if self.is_negated {
            Some("name the architectures that it is for, not one that it is not for")
        } else if self.asks && self.is_open {
            Some(
                "its #else is for no architecture by name: #elif defined(…), and #error in the #else",
            )
        } else if self.asks && self.all_ask && self.branches > 1 && !self.is_closed {
            Some("it ends without an #else that has #error")
        } else {
            None
        }
    }
}

fn asks(condition: &str) -> bool {
    NAMES.iter().any(|name| condition.contains(name))
}

/// The complaints about one file, each with its line.
fn complaints(text: &str) -> Vec<(usize, &'static str)> {
    let (mut open, mut found) = (Vec::<Chain>::new(), Vec::new());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with("#if") {
            open.push(Chain::of(number + 1, line));
            continue;
        }
        let Some(chain) = open.last_mut() else {
            continue;
        };
        if line.starts_with("#elif") {
            chain.branches += 1;
            chain.all_ask &= asks(line);
        } else if line.starts_with("#else") {
            let next = lines.get(number + 1).copied().unwrap_or_default();
            let is_closed = line.ends_with(PORTABLE) || next.starts_with("#error");
            chain.is_closed |= is_closed;
            chain.is_open |= !is_closed;
        } else if line.starts_with("#endif") {
            let complaint = chain.complaint().map(|complaint| (chain.line, complaint));
            found.extend(complaint);
            open.pop();
        }
    }
    found
}

#[test]
fn no_else_means_an_architecture_without_its_name() {
    let (mut all, mut count) = (Vec::new(), 0);
    for (name, text) in texts(&[".c", ".h", ".cc", ".cpp", ".S"]) {
        count += text
            .lines()
            .filter(|line| line.starts_with("#if") && asks(line))
            .count();
        let found = complaints(&text).into_iter();
        all.extend(found.map(|(line, complaint)| format!("{name}:{line}: {complaint}")));
    }
    assert!(count > 50, "found only {count} conditions");
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_silent_form_is_found() {
    let is_right = |text: &str| complaints(text).is_empty();
    assert!(is_right(
        "#ifdef __x86_64__\n#elif defined(__aarch64__)\n#else\n#error \"x\"\n#endif\n"
    ));
    assert!(is_right("#ifdef __x86_64__\n#else  // any other\n#endif\n"));
    // An addition for one of them.
    assert!(is_right("#ifdef __x86_64__\n#endif\n"));
    assert!(is_right(
        "#if defined __x86_64__ && WIDTH > 16\n#elif WIDTH < 64\n#endif\n"
    ));
    assert!(is_right(
        "#ifdef OTHER\n#ifdef __x86_64__\n#endif\n#else\n#endif\n"
    ));
    assert!(!is_right("#ifdef __x86_64__\n#else\n#endif\n"));
    assert!(!is_right(
        "#ifdef __x86_64__\n#elif defined(__aarch64__)\n#endif\n"
    ));
    assert!(!is_right(
        "#ifdef __x86_64__\n#elif defined(__aarch64__)\n#else\n#endif\n"
    ));
    assert!(!is_right("#ifndef __x86_64__\n#endif\n"));
    assert!(!is_right("#if !defined(__aarch64__)\n#endif\n"));
}
