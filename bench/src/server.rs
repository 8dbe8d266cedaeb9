//! `brawn-bench server`.

use crate::cli::Server;
use crate::print;
use brawn_bench::Result;
use brawn_bench::own::server::{Choice, measure, table};

impl Server {
    pub fn execute(self) -> Result<()> {
        // A part is no table of the page.
        let keep = !self.quick && self.only.is_empty() && self.heaps.is_empty();
        let choice = Choice {
            only: self.only,
            heaps: self.heaps,
            quick: self.quick,
        };
        let raw = self.own.raw("server", keep, |site, rounds, progress| {
            measure(site, &choice, rounds, progress)
        })?;
        for table in [table::times(&raw), table::memory(&raw)] {
            print(&table, self.own.markdown);
        }
        Ok(())
    }
}
