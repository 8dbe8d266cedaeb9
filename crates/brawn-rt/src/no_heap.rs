//! Without an operating system: the program has a heap of its own, or none.

#[doc(hidden)]
#[macro_export]
macro_rules! __global {
    () => {};
}

pub mod private {}

/// What `active` says.
pub(crate) fn active() -> crate::Active {
    crate::Active::System(env!("BRAWN_RT_REASON"))
}
