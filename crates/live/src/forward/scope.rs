//! Names that stay near: `/localhost` on this host, `/localhop` within one hop (NFD's scope control).

use weir_wire::{Interest, Name};

/// How far packets of a name may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Not beyond this host.
    Localhost,
    /// One hop.
    Localhop,
    /// Anywhere.
    Global,
}

/// The scope of a name, by its first component.
#[inline]
pub(crate) fn scope_of(name: &Name) -> Scope {
    match name.components().next() {
        Some(first) if &*first.value == b"localhost" => Scope::Localhost,
        Some(first) if &*first.value == b"localhop" => Scope::Localhop,
        _ => Scope::Global,
    }
}

/// An Interest that may not leave this host gets the hop limit that says so: one, which the forwarder uses up.
pub(crate) fn confine(interest: &mut Interest) {
    interest.hop_limit = Some(interest.hop_limit.map_or(1, |left| left.min(1)));
}
