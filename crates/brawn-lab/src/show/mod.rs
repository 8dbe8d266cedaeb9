//! How figures are shown to people: units, tables, charts, and pages for the browser.

pub mod chart;
pub mod columns;
pub mod page;
pub mod table;
pub mod units;
