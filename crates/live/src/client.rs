//! Where a program finds its forwarder, as ndn-cxx's programs do.

use crate::face_uri::{FaceUri, FaceUriError};
use std::path::{Path, PathBuf};

/// NFD's socket.
pub const DEFAULT_SOCKET: &str = "/run/nfd/nfd.sock";

/// The forwarder that a client is to use: what its user says, else `NDN_CLIENT_TRANSPORT`, else the `transport` line of
/// `~/.ndn/client.conf` or `/etc/ndn/client.conf`, else NFD's socket.
pub fn forwarder_uri(said: Option<&str>) -> Result<FaceUri, FaceUriError> {
    let environment = || std::env::var("NDN_CLIENT_TRANSPORT").ok().filter(|uri| !uri.is_empty());
    let uri = said.map(str::to_owned).or_else(environment).or_else(|| configured(&client_files()));
    uri.unwrap_or_else(|| format!("unix://{DEFAULT_SOCKET}")).parse()
}

fn client_files() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".ndn/client.conf"));
    home.into_iter().chain([PathBuf::from("/etc/ndn/client.conf")]).collect()
}

/// The `transport` of the first file that has one.
fn configured(files: &[PathBuf]) -> Option<String> {
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).find_map(|text| transport_in(&text))
}

/// Lines are `key=value`; `;` begins a comment.
fn transport_in(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(';'));
    let values = lines.filter_map(|line| line.split_once('=')).filter(|(key, _)| key.trim() == "transport");
    values.map(|(_, value)| value.trim().to_owned()).find(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_like_ndn_cxx_does() {
        let text = "; a comment\n;transport=tcp://a\n pib = x\n transport = unix:///tmp/x.sock \n";
        assert_eq!(transport_in(text).as_deref(), Some("unix:///tmp/x.sock"));
        assert_eq!(transport_in("; transport=unix:///x\n"), None);
        assert_eq!(forwarder_uri(Some("tcp://b")).unwrap().to_string(), "tcp://b:6363");
        assert!(forwarder_uri(Some("b")).is_err());
    }

    #[test]
    fn the_first_file_with_a_transport_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let files = [folder.path().join("none"), file("a", "pib=x\n"), file("b", "transport=udp://c\n")];
        assert_eq!(configured(&files).as_deref(), Some("udp://c"));
    }
}
