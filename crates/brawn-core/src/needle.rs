//! Bytes that files are searched for.

/// Bytes to search for. They are stored inverted, so that brawn's own executable does not contain them.
#[derive(Clone, Copy)]
pub struct Needle(&'static [u8]);

impl Needle {
    /// Made from the result of [`inverted`].
    pub(crate) const fn new(inverted: &'static [u8]) -> Self {
        Self(inverted)
    }

    /// The bytes themselves.
    pub fn bytes(self) -> Vec<u8> {
        std::hint::black_box(self.0).iter().map(|b| !b).collect()
    }
}

/// The form in which [`Needle`] stores bytes.
pub(crate) const fn inverted<const N: usize>(bytes: &[u8; N]) -> [u8; N] {
    let mut out = [0; N];
    let mut n = 0;
    while n < N {
        out[n] = !bytes[n];
        n += 1;
    }
    out
}

/// A [`Needle`] from a byte string.
macro_rules! needle {
    ($bytes:expr) => {
        $crate::needle::Needle::new(const { &$crate::needle::inverted($bytes) })
    };
}
pub(crate) use needle;
