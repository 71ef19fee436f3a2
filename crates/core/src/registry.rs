//! How a plug-in announces itself.

use crate::{Bytes, Limit, ParameterError, ParameterSpec, Rate, Seed, Settings, Span};

/// The place where a plug-in will stand; a builder takes from it what it needs.
#[derive(Clone, Debug)]
pub struct Site {
    /// Seed of this very place; [`Seed::of`] gives streams for several purposes.
    pub seed: Seed,
    /// Payload of the Data in use.
    pub payload: Bytes,
    /// Such a Data on the wire, with name, signature and header: the last segment, or one of five digits.
    pub data_size: Bytes,
    /// Rate of the link behind a queue, or of the link over which a consumer's Interests leave; 0: unknown.
    pub link_rate: Rate,
    /// Propagation delay of that link.
    pub link_delay: Span,
    /// Capacity of the queue.
    pub limit: Limit,
}

impl Default for Site {
    /// ndnSIM's defaults: 1040 bytes of payload, a queue of 100 packets; a link of 10 Mbit/s and 10 ms.
    fn default() -> Site {
        Site {
            seed: Seed(1),
            payload: Bytes(1040),
            data_size: Bytes(1100),
            link_rate: Rate(10_000_000),
            link_delay: Span::from_millis(10),
            limit: Limit::Packets(100),
        }
    }
}

/// One line of a registry: name, doc page, parameters, and how to build.
pub struct Entry<B> {
    /// Name in scenario files.
    pub name: &'static str,
    /// One sentence for lists.
    pub summary: &'static str,
    /// The doc page (Markdown).
    pub page: &'static str,
    /// The parameters with their defaults.
    pub parameters: fn() -> Vec<ParameterSpec>,
    /// Builds with `settings`; an unknown or unfit setting is an error.
    pub build: fn(&Settings, &Site) -> Result<B, ParameterError>,
}

/// An [`Entry`] for a parameter struct and a constructor `fn(Params, &Site) -> B`.
///
/// ```ignore
/// pub const ENTRY: Entry<Box<dyn ConsumerControl>> =
///     weir_core::entry!("fixed-window", "A window that never changes", FixedWindowParameters,
///         |p, _site| Box::new(FixedWindow::new(p)), "../../../docs/schemes/fixed-window.md");
/// ```
#[macro_export]
macro_rules! entry {
    ($name:literal, $summary:literal, $parameters:ty, $make:expr, $page:literal) => {
        $crate::Entry {
            name: $name,
            summary: $summary,
            page: include_str!($page),
            parameters: <$parameters as $crate::Parameters>::specs,
            build: |settings, site| {
                let parameters = <$parameters as $crate::Parameters>::with(settings)?;
                let make: fn($parameters, &$crate::Site) -> _ = $make;
                Ok(make(parameters, site))
            },
        }
    };
}
