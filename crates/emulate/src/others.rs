//! Forwarders of others as nodes: how they are configured and started, and how they are told their routes.

use crate::config::{PORT, uri};
use crate::layout::{FaceLayout, NodeLayout};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use weir_scenario::plan::{Software, Tables};

/// Longest frame to and from such a node when the scenario has none: larger datagrams do not get through all of them.
pub(crate) const MTU: usize = 1400;

/// A program to be run, with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub program: PathBuf,
    pub words: Vec<OsString>,
}

/// The name of the program, and where it comes from.
fn about(software: Software) -> [&'static str; 3] {
    match software {
        Software::Weir => ["weir", "weir", ""],
        Software::Ndnd => ["ndnd", "ndnd", "a Go module builds it: github.com/named-data/ndnd/cmd/ndnd"],
        Software::Nfd => ["nfd", "nfdc", "it comes with the packages of the NDN project"],
    }
}

/// The programs of a forwarder: the one that forwards, and the one that gives it orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Programs {
    software: Software,
    forwarder: PathBuf,
    control: PathBuf,
}

impl Programs {
    /// Looks for them in the folders of `path`, which is of the form of the variable PATH.
    ///
    /// # Errors
    /// Which one is missing, for which node.
    pub fn find(software: Software, node: &str, path: &std::ffi::OsStr) -> Result<Programs, String> {
        let [forwarder, control, from] = about(software);
        let find = |name: &str| {
            let found = std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_program(file));
            found.ok_or_else(|| {
                format!("node `{node}` is to be `{forwarder}`, and there is no program `{name}` on PATH; {from}")
            })
        };
        Ok(Programs { software, forwarder: find(forwarder)?, control: find(control)? })
    }

    /// The text of its configuration file, and the call that runs it.
    pub fn forwarder(&self, node: &NodeLayout, tables: Tables, socket: &Path, file: &Path) -> (String, Call) {
        let cs = if node.is_host { 0 } else { tables.cs };
        match self.software {
            Software::Weir => unreachable!("our own forwarder is configured elsewhere"),
            Software::Ndnd => {
                let words = ["fw".into(), "run".into(), file.into()].into();
                (ndnd(node, cs, socket), Call { program: self.forwarder.clone(), words })
            }
            Software::Nfd => {
                let words = ["--config".into(), file.into()].into();
                (nfd(cs, socket), Call { program: self.forwarder.clone(), words })
            }
        }
    }

    /// The calls that tell it its routes, in their order; they find it by NDN_CLIENT_TRANSPORT.
    pub fn routes(&self, node: &NodeLayout) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut call = |words: Vec<String>| {
            let words = words.into_iter().map(OsString::from).collect();
            calls.push(Call { program: self.control.clone(), words });
        };
        for face in node.faces.iter().filter(|_| self.software == Software::Nfd) {
            let (remote, mtu) = (uri(face.remote), mtu(face).to_string());
            let words = ["face", "create", "remote", &remote, "persistency", "permanent", "mtu", &mtu];
            call(words.map(str::to_owned).to_vec());
        }
        for route in &node.routes {
            let (prefix, remote, cost) = (route.prefix.to_string(), uri(node.faces[route.face].remote), route.cost);
            call(match self.software {
                Software::Nfd => ["route", "add", "prefix", &prefix, "nexthop", &remote, "cost", &cost.to_string()]
                    .map(str::to_owned)
                    .to_vec(),
                _ => vec![
                    "fw".into(),
                    "route-add".into(),
                    format!("prefix={prefix}"),
                    format!("face={remote}"),
                    format!("cost={cost}"),
                ],
            });
        }
        calls
    }
}

/// The longest frame on a link of such a node.
pub(crate) fn mtu(face: &FaceLayout) -> usize {
    face.mtu.map_or(MTU, |mtu| mtu.bytes().min(MTU))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// In the form of ndnd's yanfd.sample.yml. One thread forwards, so that packets keep their order.
fn ndnd(node: &NodeLayout, cs: usize, socket: &Path) -> String {
    let mtu = node.faces.iter().map(mtu).min().unwrap_or(MTU);
    let cs = cs.min(usize::from(u16::MAX));
    let keeps = cs > 0;
    format!(
        "core: {{log_level: WARN}}\n\
         faces:\n  \
           udp: {{enabled_unicast: true, enabled_multicast: false, port_unicast: {PORT}, default_mtu: {mtu}}}\n  \
           tcp: {{enabled: false}}\n  \
           unix: {{enabled: true, socket_path: {socket:?}}}\n  \
           websocket: {{enabled: false}}\n\
         fw: {{threads: 1}}\n\
         tables:\n  \
           content_store: {{capacity: {cs}, admit: {keeps}, serve: {keeps}}}\n"
    )
}

/// In the form of NFD's nfd.conf.sample: everybody on this host may give orders.
fn nfd(cs: usize, socket: &Path) -> String {
    format!(
        "log {{\n  default_level WARN\n}}\n\
         tables {{\n  cs_max_packets {cs}\n  strategy_choice {{\n    / /localhost/nfd/strategy/best-route\n    \
         /localhost /localhost/nfd/strategy/multicast\n    /localhost/nfd /localhost/nfd/strategy/best-route\n  }}\n}}\n\
         face_system {{\n  unix {{\n    path {socket:?}\n  }}\n  udp {{\n    listen yes\n    port {PORT}\n    \
         enable_v4 yes\n    enable_v6 no\n    mcast no\n  }}\n}}\n\
         authorizations {{\n  authorize {{\n    certfile any\n    privileges {{\n      faces\n      fib\n      cs\n      \
         strategy-choice\n    }}\n  }}\n}}\n\
         rib {{\n  localhost_security {{\n    trust-anchor {{\n      type any\n    }}\n  }}\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::RouteLayout;
    use std::net::Ipv4Addr;
    use std::os::unix::fs::PermissionsExt;
    use weir_core::{Limit, Rate, Span};
    use weir_scenario::plan::Way;

    fn node() -> NodeLayout {
        let face = FaceLayout {
            way: Way { link: 0, forward: true },
            local: Ipv4Addr::new(10, 0, 0, 1),
            remote: Ipv4Addr::new(10, 0, 0, 2),
            rate: Rate(10_000_000),
            delay: Span::from_millis(5),
            limit: Limit::Packets(50),
            mtu: None,
            down: None,
        };
        let prefix = "/file".parse().unwrap();
        let routes = vec![RouteLayout { prefix, face: 0, cost: 3, round_trip: Span::from_millis(20) }];
        NodeLayout { name: "r".into(), faces: vec![face], routes, is_host: false, software: Software::Ndnd }
    }

    fn text(call: &Call) -> String {
        let words = call.words.iter().map(|word| word.to_string_lossy().into_owned());
        std::iter::once(call.program.display().to_string()).chain(words).collect::<Vec<_>>().join(" ")
    }

    fn programs(software: Software) -> Programs {
        Programs { software, forwarder: "/bin/f".into(), control: "/bin/c".into() }
    }

    #[test]
    fn programs_are_looked_for_on_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ndnd");
        let path = folder.path().as_os_str();
        let missing = Programs::find(Software::Ndnd, "r1", path).unwrap_err();
        assert!(missing.contains("node `r1`") && missing.contains("no program `ndnd` on PATH"), "{missing}");
        std::fs::write(&file, "").unwrap();
        assert!(Programs::find(Software::Ndnd, "r1", path).is_err(), "it cannot be run");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(Programs::find(Software::Ndnd, "r1", path).unwrap().forwarder, file);
        assert!(Programs::find(Software::Nfd, "r1", path).unwrap_err().contains("`nfd`"));
    }

    #[test]
    fn ndnd_is_told_its_routes_by_its_own_program() {
        let tables = Tables { cs: 0, pit: None };
        let (config, call) =
            programs(Software::Ndnd).forwarder(&node(), tables, Path::new("/t/1.sock"), Path::new("/t/1.yml"));
        assert_eq!(text(&call), "/bin/f fw run /t/1.yml");
        assert!(config.contains("socket_path: \"/t/1.sock\"") && config.contains("default_mtu: 1400"), "{config}");
        let calls = programs(Software::Ndnd).routes(&node());
        let calls: Vec<String> = calls.iter().map(text).collect();
        assert_eq!(calls, ["/bin/c fw route-add prefix=/file face=udp4://10.0.0.2:6363 cost=3"]);
    }

    #[test]
    fn nfd_is_told_its_faces_first() {
        let calls: Vec<String> = programs(Software::Nfd).routes(&node()).iter().map(text).collect();
        let expected = [
            "/bin/c face create remote udp4://10.0.0.2:6363 persistency permanent mtu 1400",
            "/bin/c route add prefix /file nexthop udp4://10.0.0.2:6363 cost 3",
        ];
        assert_eq!(calls, expected);
        let tables = Tables { cs: 7, pit: None };
        let (config, _) =
            programs(Software::Nfd).forwarder(&node(), tables, Path::new("/t/1.sock"), Path::new("/t/1.conf"));
        assert!(config.contains("cs_max_packets 7") && config.contains("path \"/t/1.sock\""), "{config}");
        assert_eq!(config.matches('{').count(), config.matches('}').count());
    }
}
