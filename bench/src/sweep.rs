//! `brawn-bench sweep`.

use crate::cli::Sweep;
use crate::print;
use brawn_bench::Result;
use brawn_bench::own::sweep::{Choice, figure, measure, table};
use brawn_bench::raw::write_json;

impl Sweep {
    pub fn execute(self) -> Result<()> {
        let choice = Choice {
            only: self.only,
            heaps: self.heaps,
            quick: self.quick,
        };
        if self.list {
            for pattern in choice.patterns()? {
                anstream::println!("{pattern}: {}", pattern.arguments().join(" "));
            }
            return Ok(());
        }
        let keep = choice.is_whole();
        let raw = self.own.raw("sweep", keep, |site, rounds, progress| {
            measure(site, &choice, rounds, progress)
        })?;
        if let Some(path) = &self.out {
            write_json(path, &raw)?;
        }
        if let Some(path) = &self.plot {
            let failed = |error| format!("write {}: {error}", path.display());
            std::fs::write(path, figure::figure(&raw)?).map_err(failed)?;
        }
        for table in table::all(&raw, self.worst) {
            print(&table, self.own.markdown);
        }
        Ok(())
    }
}
