//! Who may emulate networks: root, and others where the kernel gives them user namespaces. Root plays the others here; where
//! it cannot, these tests say why and pass.
#![cfg(target_os = "linux")]

mod common;

use common::emulation::number;
use common::{Called, folder, weir};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CHAIN: &str = "[topology]\nlinear = { nodes = [\"c\", \"r\", \"p\"], rate = \"4Mbps\", delay = \"5ms\" }\n\
                     [[workload]]\nfetch = { segments = 300, payload = \"1000B\", name = \"/file\" }\n";
/// Nobody's number.
const USER: &str = "65534";

/// Runs a script of the shell in a mount namespace of its own.
fn apart(script: &str) -> Output {
    Command::new("unshare").args(["-m", "sh", "-ec", script]).output().expect("unshare starts")
}

/// A folder where everybody may write, and the program, where everybody can run it.
fn open_folder(test: &str) -> (PathBuf, PathBuf) {
    let here = std::env::temp_dir().join(format!("weir-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&here).unwrap();
    std::fs::set_permissions(&here, std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::write(here.join("chain.toml"), CHAIN).unwrap();
    let program = here.join("weir");
    std::fs::copy(env!("CARGO_BIN_EXE_weir"), &program).unwrap();
    (here, program)
}

/// What keeps root from playing somebody else, if anything does.
fn obstacle(script: &str) -> Option<String> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout != b"0\n" {
        return Some("only root can play other users".into());
    }
    let tried = apart(script);
    (!tried.status.success()).then(|| String::from_utf8_lossy(&tried.stderr).trim().to_owned())
}

/// Gives everybody a tunnel device in a mount namespace, whatever its mode is outside.
fn with_tunnels(here: &Path) -> String {
    let own = here.join("tun");
    let own = own.display();
    format!("mknod {own} c 10 200; chmod 666 {own}; mount --bind {own} /dev/net/tun; cd {};", here.display())
}

#[test]
fn an_ordinary_user_emulates_where_the_kernel_has_user_namespaces() {
    let (here, program) = open_folder("user");
    let become_user = format!("setpriv --reuid {USER} --regid {USER} --clear-groups");
    let tried = format!("{}{become_user} unshare -Un true; rm tun", with_tunnels(&here));
    if let Some(why) = obstacle(&tried) {
        eprintln!("skipped: a user who is not root has no namespaces here: {why}");
        return std::fs::remove_dir_all(&here).unwrap();
    }
    let run = format!("{}{become_user} {} emulate chain.toml", with_tunnels(&here), program.display());
    let called = Called::new(apart(&run));
    assert_eq!(called.code, 0, "{called:?}");
    assert_eq!(number(&here.join("out/chain/emulated/runs.csv"), "delivered"), 300.0);
    std::fs::remove_dir_all(&here).unwrap();
}

/// Links of the kernel need no tunnel device.
#[test]
fn an_ordinary_user_has_links_of_the_kernel() {
    let (here, program) = open_folder("user-kernel");
    std::fs::write(here.join("chain.toml"), CHAIN.replace("delay = \"5ms\"", "delay = \"0ms\"")).unwrap();
    let become_user = format!("setpriv --reuid {USER} --regid {USER} --clear-groups");
    let pair =
        "ip link add weir0 type veth peer name weir1; tc qdisc add dev weir0 root tbf rate 1mbit burst 9300 limit 9999";
    if let Some(why) = obstacle(&format!("{become_user} unshare -Urn sh -ec '{pair}'")) {
        eprintln!("skipped: a user who is not root has no links of the kernel here: {why}");
        return std::fs::remove_dir_all(&here).unwrap();
    }
    let run = format!("cd {}; {become_user} {} emulate chain.toml --links kernel", here.display(), program.display());
    let called = Called::new(apart(&run));
    assert_eq!(called.code, 0, "{called:?}");
    assert_eq!(number(&here.join("out/chain/emulated/runs.csv"), "delivered"), 300.0);
    std::fs::remove_dir_all(&here).unwrap();
}

/// In a changed root the kernel gives nobody a user namespace.
#[test]
fn whoever_has_neither_root_nor_user_namespaces_is_told_what_is_missing() {
    let (here, program) = open_folder("no-user");
    let root = here.join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o755)).unwrap();
    let become_user = format!("mount --rbind / {0}; chroot --userspec={USER}:{USER} {0}", root.display());
    if let Some(why) = obstacle(&format!("{become_user} true")) {
        eprintln!("skipped: no user without user namespaces can be made here: {why}");
        return std::fs::remove_dir_all(&here).unwrap();
    }
    let file = here.join("chain.toml");
    let run = format!("{become_user} {} emulate {}", program.display(), file.display());
    Called::new(apart(&run))
        .refused(1, &["needs root or user namespaces", "EPERM", "kernel.unprivileged_userns_clone"]);
    std::fs::remove_dir_all(&here).unwrap();
}

/// As in most containers.
#[test]
fn root_without_its_capabilities_is_told_which_is_missing() {
    let here = folder("emulate-no-capability");
    std::fs::write(here.join("chain.toml"), CHAIN).unwrap();
    let bound = "setpriv --bounding-set -sys_admin --inh-caps -sys_admin";
    if let Some(why) = obstacle(&format!("{bound} true")) {
        eprintln!("skipped: root cannot give up a capability here: {why}");
        return;
    }
    let program = weir(&here).get_program().to_owned();
    let run = format!("cd {}; {bound} {} emulate chain.toml", here.display(), Path::new(&program).display());
    Called::new(apart(&run)).refused(1, &["a network namespace", "SYS_ADMIN", "not permitted"]);
}

/// Where there is no device for tunnels, that is what is told.
#[test]
fn a_missing_tunnel_device_is_named() {
    let here = folder("emulate-no-tun");
    std::fs::write(here.join("chain.toml"), CHAIN).unwrap();
    let cover = "mount -t tmpfs none /dev/net";
    if let Some(why) = obstacle(cover) {
        eprintln!("skipped: the device cannot be hidden here: {why}");
        return;
    }
    let program = weir(&here).get_program().to_owned();
    let run = format!("{cover}; cd {}; {} emulate chain.toml", here.display(), Path::new(&program).display());
    Called::new(apart(&run)).refused(1, &["/dev/net/tun", "the kernel's module is `tun`", "--links kernel"]);
}
