//! Enumerations whose values have names.

/// An enumeration, each value with its name in words behind it: what tables and listings show.
#[macro_export]
macro_rules! named {
    ($(#[$of:meta])* pub enum $Name:ident { $($(#[$about:meta])* $Value:ident = $name:literal,)* }) => {
        $(#[$of])*
        pub enum $Name {
            $($(#[$about])* $Value,)*
        }

        impl $Name {
            /// Every value, in the order of listings.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$Value),*];

            /// The name in words.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $name,)*
                }
            }

            /// The value of that [`name`](Self::name).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}
