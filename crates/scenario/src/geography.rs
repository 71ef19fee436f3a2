//! Distances on the Earth, and how long light takes for them in a fibre.

use weir_core::Span;

/// A place on the Earth, in degrees; north and east are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// From -90 to 90.
    pub latitude: f64,
    /// From -180 to 180.
    pub longitude: f64,
}

/// Mean radius of the Earth in km (IUGG).
const EARTH_RADIUS: f64 = 6371.0088;

/// Two thirds of the speed of light in vacuum (299 792 458 m/s), in km/s: that of light in a fibre, whose index of
/// refraction is about 1.5.
const FIBRE_SPEED: f64 = 299_792.458 * 2.0 / 3.0;

/// Propagation delay along the great circle between two places.
pub(crate) fn delay(a: Coordinates, b: Coordinates) -> Span {
    delay_of(great_circle(a, b))
}

/// Propagation delay in a fibre of so many km.
pub(crate) fn delay_of(km: f64) -> Span {
    Span((km / FIBRE_SPEED * 1e9).round() as u64)
}

/// Distance of two places in km (haversine formula).
fn great_circle(a: Coordinates, b: Coordinates) -> f64 {
    let half = |from: f64, to: f64| libm::sin((to - from).to_radians() / 2.0);
    let (north, east) = (half(a.latitude, b.latitude), half(a.longitude, b.longitude));
    let h = north * north + libm::cos(a.latitude.to_radians()) * libm::cos(b.latitude.to_radians()) * east * east;
    2.0 * EARTH_RADIUS * libm::asin(h.clamp(0.0, 1.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64, longitude: f64) -> Coordinates {
        Coordinates { latitude, longitude }
    }

    #[test]
    fn distances_are_those_of_the_earth() {
        // A quarter of a meridian by its radius, and one degree of the equator.
        assert!((great_circle(at(0.0, 0.0), at(90.0, 0.0)) - 10_007.557).abs() < 0.001);
        assert!((great_circle(at(0.0, 179.5), at(0.0, -179.5)) - 111.195).abs() < 0.001, "over the date line");
        assert_eq!(great_circle(at(40.0, -80.0), at(40.0, -80.0)), 0.0);
        // New York to Los Angeles: 3936 km in every atlas.
        let coasts = great_circle(at(40.71, -74.01), at(34.05, -118.24));
        assert!((coasts - 3936.0).abs() < 5.0, "{coasts}");
    }

    #[test]
    fn light_takes_five_microseconds_for_a_kilometre_of_fibre() {
        assert_eq!(delay_of(1000.0), Span(5_003_461));
        assert_eq!(delay_of(0.0), Span::ZERO);
    }
}
