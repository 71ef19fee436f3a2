//! The Routing Information Base: who registered which prefix, for how long, and what the FIB is to say.

use std::collections::BTreeMap;
use weir_core::{FaceId, Time};
use weir_engine::Fib;
use weir_wire::Name;

/// Flag of a route: it holds below other registered prefixes, too.
pub const CHILD_INHERIT: u64 = 1;
/// Flag of a route: routes of shorter prefixes do not hold below it.
pub const CAPTURE: u64 = 2;

/// A registered way to a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Over this face.
    pub face: FaceId,
    /// Who made it: 0 an application, 65 a client, 128 a routing protocol, 255 an operator.
    pub origin: u64,
    /// At this cost.
    pub cost: u64,
    /// [`CHILD_INHERIT`], [`CAPTURE`].
    pub flags: u64,
    /// Until then; `None`: as long as the face.
    pub expires: Option<Time>,
}

/// Routes by prefix.
#[derive(Debug, Default)]
pub struct Rib {
    entries: BTreeMap<Name, Vec<Route>>,
    /// What the FIB was told.
    installed: BTreeMap<Name, Vec<(FaceId, u64)>>,
    routes: usize,
}

impl Rib {
    /// How many routes there are.
    pub fn len(&self) -> usize {
        self.routes
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.routes == 0
    }

    /// All prefixes and their routes.
    pub fn entries(&self) -> impl Iterator<Item = (&Name, &[Route])> {
        self.entries.iter().map(|(name, routes)| (name, &routes[..]))
    }

    /// Adds a route, or changes the one of the same face and origin.
    pub fn register(&mut self, prefix: &Name, route: Route, fib: &mut Fib) {
        let routes = self.entries.entry(prefix.clone()).or_default();
        match routes.iter_mut().find(|r| (r.face, r.origin) == (route.face, route.origin)) {
            Some(known) => *known = route,
            None => {
                routes.push(route);
                self.routes += 1;
            }
        }
        self.install_below(prefix, fib);
    }

    /// Removes the route of this face and origin. False if there was none.
    pub fn unregister(&mut self, prefix: &Name, face: FaceId, origin: u64, fib: &mut Fib) -> bool {
        let before = self.routes;
        self.retain_at(prefix, |route| (route.face, route.origin) != (face, origin));
        self.install_below(prefix, fib);
        self.routes < before
    }

    /// Removes all routes over a face that has closed.
    pub fn forget_face(&mut self, face: FaceId, fib: &mut Fib) {
        self.retain(|route| route.face != face, fib);
    }

    /// Removes what has expired.
    pub fn expire(&mut self, now: Time, fib: &mut Fib) {
        self.retain(|route| route.expires.is_none_or(|at| at > now), fib);
    }

    /// When the first route expires.
    pub fn next_expiry(&self) -> Option<Time> {
        self.entries.values().flatten().filter_map(|route| route.expires).min()
    }

    fn retain(&mut self, keeps: impl Fn(&Route) -> bool, fib: &mut Fib) {
        let touched = self.entries.iter().filter(|(_, routes)| !routes.iter().all(&keeps));
        let touched: Vec<Name> = touched.map(|(name, _)| name.clone()).collect();
        for prefix in touched {
            self.retain_at(&prefix, &keeps);
            self.install_below(&prefix, fib);
        }
    }

    fn retain_at(&mut self, prefix: &Name, keeps: impl Fn(&Route) -> bool) {
        let Some(routes) = self.entries.get_mut(prefix) else { return };
        let before = routes.len();
        routes.retain(keeps);
        self.routes -= before - routes.len();
        if routes.is_empty() {
            self.entries.remove(prefix);
        }
    }

    /// Tells the FIB what holds for a prefix and for those below it, which may inherit from it.
    fn install_below(&mut self, prefix: &Name, fib: &mut Fib) {
        let below = |names: &mut dyn Iterator<Item = &Name>| -> Vec<Name> {
            names.take_while(|name| prefix.is_prefix_of(name)).cloned().collect()
        };
        let mut names = below(&mut self.entries.range(prefix..).map(|(name, _)| name));
        names.extend(below(&mut self.installed.range(prefix..).map(|(name, _)| name)));
        names.sort();
        names.dedup();
        names.iter().for_each(|name| self.install(name, fib));
    }

    fn install(&mut self, name: &Name, fib: &mut Fib) {
        let wanted = self.next_hops(name);
        let known = self.installed.get(name);
        if known.is_some_and(|known| *known == wanted) {
            return;
        }
        if wanted.is_empty() {
            if self.installed.remove(name).is_some() {
                fib.remove(name);
            }
            return;
        }
        let gone = known.into_iter().flatten().filter(|(face, _)| !wanted.iter().any(|(kept, _)| kept == face));
        gone.for_each(|(face, _)| fib.remove_route(name, *face));
        for (face, cost) in &wanted {
            fib.add_route(name, *face, *cost);
        }
        self.installed.insert(name.clone(), wanted);
    }

    /// The next hops of a registered prefix: its own, and those that it inherits. The cheapest of a face counts.
    fn next_hops(&self, name: &Name) -> Vec<(FaceId, u64)> {
        let Some(own) = self.entries.get(name) else { return Vec::new() };
        let mut cheapest: BTreeMap<FaceId, u64> = BTreeMap::new();
        let mut add = |route: &Route| {
            let cost = cheapest.entry(route.face).or_insert(u64::MAX);
            *cost = route.cost.min(*cost);
        };
        own.iter().for_each(&mut add);
        let captures = |routes: &[Route]| routes.iter().any(|route| route.flags & CAPTURE != 0);
        let mut captured = captures(own);
        for len in (0..name.len()).rev() {
            let Some(routes) = self.entries.get(&name.prefix(len)) else { continue };
            if captured {
                break;
            }
            routes.iter().filter(|route| route.flags & CHILD_INHERIT != 0).for_each(&mut add);
            captured = captures(routes);
        }
        cheapest.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(uri: &str) -> Name {
        uri.parse().unwrap()
    }

    fn route(face: u32, cost: u64, flags: u64) -> Route {
        Route { face: FaceId(face), origin: 0, cost, flags, expires: None }
    }

    fn hops(fib: &Fib, uri: &str) -> Vec<(u32, u64)> {
        let Some(prefix) = fib.lookup(&name(uri)).prefix else { return Vec::new() };
        fib.next_hops(prefix).iter().map(|hop| (hop.face.0, hop.cost)).collect()
    }

    #[test]
    fn children_inherit_until_one_captures() {
        let (mut rib, mut fib) = (Rib::default(), Fib::default());
        rib.register(&name("/a/b/c"), route(3, 7, 0), &mut fib);
        rib.register(&name("/a"), route(1, 5, CHILD_INHERIT), &mut fib);
        assert_eq!(hops(&fib, "/a/b/c"), [(1, 5), (3, 7)], "registered later, inherited all the same");
        rib.register(&name("/a/b"), route(2, 6, CAPTURE | CHILD_INHERIT), &mut fib);
        assert_eq!(hops(&fib, "/a/b/c"), [(2, 6), (3, 7)]);
        assert_eq!(hops(&fib, "/a/b"), [(2, 6)]);
        assert!(rib.unregister(&name("/a/b"), FaceId(2), 0, &mut fib));
        assert_eq!(hops(&fib, "/a/b/c"), [(1, 5), (3, 7)]);
        assert_eq!(hops(&fib, "/a/b"), [(1, 5)], "the longest prefix that is left");
        assert!(!rib.unregister(&name("/a/b"), FaceId(2), 0, &mut fib));
    }

    #[test]
    fn origins_stand_side_by_side_and_the_cheapest_counts() {
        let (mut rib, mut fib) = (Rib::default(), Fib::default());
        rib.register(&name("/a"), route(1, 9, 0), &mut fib);
        rib.register(&name("/a"), Route { origin: 255, ..route(1, 4, 0) }, &mut fib);
        rib.register(&name("/a"), route(1, 8, 0), &mut fib);
        assert_eq!((rib.len(), hops(&fib, "/a")), (2, vec![(1, 4)]));
        rib.unregister(&name("/a"), FaceId(1), 255, &mut fib);
        assert_eq!((rib.len(), hops(&fib, "/a")), (1, vec![(1, 8)]));
    }

    #[test]
    fn routes_expire_and_go_with_their_face() {
        let (mut rib, mut fib) = (Rib::default(), Fib::default());
        rib.register(&name("/a"), Route { expires: Some(Time(50)), ..route(1, 0, CHILD_INHERIT) }, &mut fib);
        rib.register(&name("/a/b"), route(2, 0, 0), &mut fib);
        assert_eq!((rib.next_expiry(), hops(&fib, "/a/b").len()), (Some(Time(50)), 2));
        rib.expire(Time(49), &mut fib);
        assert_eq!(rib.len(), 2);
        rib.expire(Time(50), &mut fib);
        assert_eq!((rib.len(), hops(&fib, "/a/b"), hops(&fib, "/a")), (1, vec![(2, 0)], vec![]));
        rib.forget_face(FaceId(2), &mut fib);
        assert!(rib.is_empty() && fib.routes().next().is_none());
    }
}
