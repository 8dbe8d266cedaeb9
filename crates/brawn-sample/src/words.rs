//! A diagnosis in words.

use crate::diagnosis::{Diagnosis, FunctionShare, Owner};
use brawn_lab::show::units;

/// Functions with less than this share are not worth a word.
const WORTH: f64 = 0.03;
/// Fewer samples than these say little.
const FEW: u64 = 50;

impl Diagnosis {
    /// What the samples say, in sentences: "61 % of the processor time is in malloc and free; threads waited 1.9 s for
    /// the heap's lock; 7 % in memcmp".
    pub fn words(&self) -> String {
        if self.samples == 0 {
            return "the run is too short to take samples of it".to_owned();
        }
        let mut parts: Vec<(f64, String)> = Vec::new();
        let mut add = |share: f64, place: String| {
            parts.push((share, format!("{} {place}", units::share(share))));
        };
        let heap = self.part(Owner::Heap);
        let faults = self.heap_faults();
        let kernels = self.heap_in_kernel() + faults;
        let of_kernel = match kernels >= WORTH {
            true => format!(", {} of it in the kernel", units::share(kernels)),
            false => String::new(),
        };
        let wait = self.heap_wait;
        let waited = match self.has_heap_waits() {
            true => format!("; threads waited {wait:.1} s for the heap's lock"),
            false => String::new(),
        };
        let heap = heap.share + faults;
        if heap >= WORTH || !waited.is_empty() {
            add(heap, format!("in malloc and free{of_kernel}{waited}"));
        }
        for part in [Owner::Memory, Owner::Libc] {
            let of_it = self.functions.iter().filter(|f| f.part == part);
            let large = of_it.filter(|f| f.share.share >= WORTH && !f.name.is_empty());
            for function in large.take(3) {
                add(function.share.share, format!("in {}", function.name));
            }
        }
        let kernel = self.part(Owner::Kernel).share - faults;
        if kernel >= WORTH {
            let most = self.most_of_the_kernel(faults);
            add(kernel, format!("in the kernel{most}"));
        }
        let rest = [
            (Owner::Program, "in the program itself"),
            (Owner::Other, "in other programs and libraries"),
        ];
        for (part, text) in rest {
            let share = self.part(part).share;
            if share >= WORTH {
                add(share, text.to_owned());
            }
        }
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut texts = parts.into_iter().map(|(_, text)| text);
        let Some(first) = texts.next() else {
            return "no part of the program stands out".to_owned();
        };
        let (share, place) = first.split_once(" %").unwrap_or((&first, ""));
        let mut all = format!("{share} % of the processor time is{place}");
        for text in texts {
            all.push_str("; ");
            all.push_str(&text);
        }
        if self.samples < FEW {
            let s = if self.samples == 1 { "" } else { "s" };
            all.push_str(&format!(" (only {} sample{s})", self.samples));
        }
        all
    }

    /// The largest function of the kernel's, if it has half of the kernel's time. Some page faults are the heap's.
    fn most_of_the_kernel(&self, faults: f64) -> String {
        let of_it = |f: &&FunctionShare| f.part == Owner::Kernel && !f.name.is_empty();
        let own = |f: &FunctionShare| match f.name.contains(' ') {
            true => f.share.share - faults,
            false => f.share.share,
        };
        let of_it = self.functions.iter().filter(of_it);
        let first = of_it.max_by(|a, b| own(a).total_cmp(&own(b)));
        let half = (self.part(Owner::Kernel).share - faults) / 2.0;
        let most = first.filter(|f| own(f) >= half);
        most.map_or_else(String::new, |f| {
            let faults = f.name.contains(' ');
            let word = if faults { "mostly" } else { "mostly in" };
            format!(", {word} {}", f.name)
        })
    }
}
