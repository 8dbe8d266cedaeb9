//! A diagnosis of shares that are given: for tests of what is made of one, and to ask what would be if.

use crate::calls;
use crate::diagnosis::{Diagnosis, FunctionShare, Owner, OwnerShare, share};
use crate::samples::Mode;

impl Diagnosis {
    /// A run of a second on one thread, of whose samples these functions have these shares; the program has the rest.
    pub fn made_up(functions: &[(Owner, &str, f64)], samples: u64) -> Self {
        let of = |share_of: f64| share((share_of * samples as f64).round() as u64, samples);
        let all: f64 = functions.iter().map(|f| f.2).sum();
        let part = |part: Owner| {
            let of_it = functions.iter().filter(|f| f.0 == part);
            let rest = if part == Owner::Program {
                (1.0 - all).max(0.0)
            } else {
                0.0
            };
            let share = of(of_it.map(|f| f.2).sum::<f64>() + rest);
            OwnerShare { part, share }
        };
        let function = |(part, name, of_it): &(Owner, &str, f64)| FunctionShare {
            part: *part,
            name: (*name).to_owned(),
            // Page faults have no function's name.
            kernel: *part == Owner::Kernel || calls::is_name(name) || name.contains(' '),
            file: None,
            stays: false,
            share: of(*of_it),
        };
        Self {
            mode: Mode::Clock,
            samples,
            seconds: 1.0,
            wall: 1.0,
            threads: 1,
            parts: Owner::ALL.into_iter().map(part).collect(),
            functions: functions.iter().map(function).collect(),
            has_musl: true,
            ..Self::default()
        }
    }
}
