//! `weir put` and `weir get` as a user meets them, without a forwarder.
#![cfg(unix)]

mod common;

use common::{Called, call, folder, weir};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// A program that ends with the test, and where it listens.
struct Put(Child, String);

impl Drop for Put {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks again and again, for a minute at most.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("a minute has passed, and still not {what}");
}

/// The sockets of tests stand in the system's folder of temporary files: their paths must be short.
fn serve(here: &Path, file: &str, more: &[&str], input: Option<&[u8]>) -> Put {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let socket = std::env::temp_dir().join(format!("weir-put-{}-{number}", std::process::id()));
    let uri = format!("unix://{}", socket.display());
    let mut put = weir(here);
    put.args(["put", file, "/p", "--quiet", "--listen", &uri]).args(more);
    let mut child = put.stdin(Stdio::piped()).spawn().expect("the program starts");
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        stdin.write_all(input).expect("it reads");
    }
    wait_until("listening", || socket.exists());
    Put(child, uri)
}

fn content(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn write(here: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = here.join(name);
    std::fs::write(&path, bytes).expect("it can be written");
    path
}

fn get(here: &Path, put: &Put, more: &[&str]) -> Called {
    call(here, &[&["get", "/p", "--face", &put.1][..], more].concat())
}

fn summary(called: &Called) -> Value {
    serde_json::from_str(&called.out).unwrap_or_else(|e| panic!("{e}: {called:?}"))
}

#[test]
fn a_file_is_put_and_got() {
    let here = folder("put-get");
    let bytes = content(1_234_567);
    write(&here, "f", &bytes);
    let put = serve(&here, "f", &[], None);
    let told = summary(&get(&here, &put, &["-o", "g", "--json", "--quiet", "--stats", "s.csv"]).good());
    assert!(std::fs::read(here.join("g")).unwrap() == bytes);
    assert_eq!(
        (&told["bytes"], &told["segments"], &told["resumed_bytes"]),
        (&1_234_567.into(), &155.into(), &0.into())
    );
    assert_eq!(std::fs::read_to_string(here.join("s.csv")).unwrap().lines().count(), 156);
    assert!(std::fs::read_to_string(here.join("s-series.csv")).unwrap().contains(",window,"));
    get(&here, &put, &["-o", "g"]).refused(2, &["g is there already", "--force"]);
    get(&here, &put, &["-o", "g", "--force", "--quiet"]).good();
    let said = get(&here, &put, &["-o", "h"]);
    assert!(said.code == 0 && said.err.contains(told["sha256"].as_str().unwrap()), "{said:?}");
}

#[test]
fn pipes_at_both_ends() {
    let here = folder("put-get-pipe");
    let bytes = content(700_001);
    let put = serve(&here, "-", &["--segment-size", "1000"], Some(&bytes));
    let got = weir(&here).args(["get", "/p", "--quiet", "--face", &put.1]).output().expect("the program starts");
    assert!(got.status.success() && got.stdout == bytes, "{:?}", String::from_utf8_lossy(&got.stderr));
}

/// Killed in the midst of a fetch at 50 Mbit/s, and started again: the same file, and hardly anything is fetched twice.
#[test]
fn a_killed_get_goes_on_where_it_was() {
    const RATE: usize = 50_000_000 / 8 / 8000;
    let here = folder("put-get-kill");
    let bytes = content(3000 * 8000 + 77);
    write(&here, "f", &bytes);
    let put = serve(&here, "f", &[], None);
    let slow = format!("frequency={RATE}");
    let args = ["get", "/p", "-o", "g", "--quiet", "--face", &put.1, "--control", "cbr", "--set", &slow];
    let mut killed = weir(&here).args(args).spawn().expect("the program starts");
    let part = here.join("g.part");
    let there = || std::fs::metadata(&part).map_or(0, |about| about.len() as usize);
    wait_until("half fetched", || there() > bytes.len() / 2);
    killed.kill().expect("it runs"); // SIGKILL
    killed.wait().expect("it is our child");
    let fetched = there();
    assert!(fetched < bytes.len() * 9 / 10 && !here.join("g").exists(), "it was killed in the midst");
    let told = summary(&get(&here, &put, &["-o", "g", "--json", "--quiet"]).good());
    assert!(std::fs::read(here.join("g")).unwrap() == bytes);
    let resumed = told["resumed_bytes"].as_u64().unwrap() as usize;
    let twice = fetched.saturating_sub(resumed);
    assert!(twice <= RATE * 8000, "{twice} bytes are more than a second of traffic");
    assert_eq!(told["fetched_bytes"].as_u64().unwrap() as usize + resumed, bytes.len());
    assert!(!part.exists() && !here.join("g.part.journal").exists());
}

#[test]
fn ctrl_c_keeps_what_is_there() {
    let here = folder("put-get-stop");
    write(&here, "f", &content(4_000_000));
    let put = serve(&here, "f", &[], None);
    let args = ["get", "/p", "-o", "g", "--quiet", "--face", &put.1, "--control", "cbr", "--set", "frequency=200"];
    let child = weir(&here).args(args).stderr(Stdio::piped()).spawn().expect("the program starts");
    let journal = here.join("g.part.journal");
    wait_until("begun", || std::fs::metadata(&journal).is_ok_and(|about| about.len() > 200));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let ended = child.wait_with_output().expect("it has ended");
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    let told = summary(&get(&here, &put, &["-o", "g", "--json", "--quiet"]).good());
    assert!(told["resumed_bytes"].as_u64() > Some(0) && std::fs::read(here.join("g")).unwrap() == content(4_000_000));
}

#[test]
fn keys_are_asked_for_and_wrong_ones_refused() {
    let here = folder("put-get-keys");
    write(&here, "f", &content(20_000));
    write(&here, "right", b"cmlnaHQ=\n");
    write(&here, "wrong", b"d3Jvbmc=\n");
    let put = serve(&here, "f", &["--sign", "hmac:right", "--key-name", "/me/KEY/1"], None);
    get(&here, &put, &["-o", "g", "--quiet", "--key", "hmac:right"]).good();
    get(&here, &put, &["-o", "h", "--quiet", "--key", "hmac:wrong"]).refused(5, &["/p", "HMAC", "not that of any key"]);
    get(&here, &put, &["-o", "h", "--quiet"]).refused(5, &["no key was given"]);
    get(&here, &put, &["-o", "h", "--key", "nothing"]).refused(2, &["key file nothing"]);
    assert!(!here.join("h").exists());
}

#[test]
fn mistakes_are_named() {
    let here = folder("put-get-mistakes");
    write(&here, "f", b"x");
    let get = |more: &[&str]| {
        call(&here, &[&["get", "/p", "-o", "g", "--face", "unix:///nowhere/socket"][..], more].concat())
    };
    get(&[]).refused(1, &["cannot reach unix:///nowhere/socket"]);
    get(&["--control", "cubik"]).refused(2, &["did you mean \"cubic\"?"]);
    get(&["--set", "bta=0.5"]).refused(2, &["did you mean \"beta\"?"]);
    get(&["--set", "beta"]).refused(2, &["key=value"]);
    let put = |more: &[&str]| call(&here, &[&["put"][..], more].concat());
    put(&["none", "/p"]).refused(2, &["none: "]);
    put(&["f", "/p", "--segment-size", "9000"]).refused(2, &["a packet has room for"]);
    put(&["f", "/p", "--key-name", "/k"]).refused(2, &["--sign"]);
    put(&["f", "/p", "--sign", "f"]).refused(2, &["key file f"]);
}

#[test]
fn a_forwarder_that_is_away_is_waited_for() {
    let here = folder("put-get-away");
    write(&here, "f", b"x");
    let mut put = weir(&here)
        .args(["put", "f", "/p", "--face", "unix:///nowhere/socket"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    assert!(put.try_wait().unwrap().is_none(), "it waits");
    put.kill().unwrap();
    let said = String::from_utf8(put.wait_with_output().unwrap().stderr).unwrap();
    assert_eq!(said.matches("the forwarder is away").count(), 1, "said once:\n{said}");
}

/// A forwarder at this socket.
fn forward(here: &Path, socket: &Path) -> Put {
    let uri = format!("unix://{}", socket.display());
    let config = write(here, "forward.toml", format!("[[listen]]\nuri = {uri:?}\n").as_bytes());
    let child = weir(here).arg("forward").arg(config).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    wait_until("a forwarder", || std::os::unix::net::UnixStream::connect(socket).is_ok());
    Put(child.expect("the program starts"), uri)
}

#[test]
fn a_forwarder_that_is_started_again_ends_no_fetch() {
    let here = folder("put-get-again");
    let bytes = content(800 * 8000 + 5);
    write(&here, "f", &bytes);
    let socket = std::env::temp_dir().join(format!("weir-again-{}", std::process::id()));
    let first = forward(&here, &socket);
    let serving = weir(&here).args(["put", "f", "/p", "--quiet", "--face", &first.1]).spawn();
    let _put = Put(serving.expect("the program starts"), String::new());
    let args = ["get", "/p", "-o", "g", "--json", "--quiet", "--face", &first.1, "--control", "cbr"];
    let get = weir(&here).args(args).args(["--set", "frequency=200"]).stdout(Stdio::piped()).spawn();
    let get = get.expect("the program starts");
    let part = here.join("g.part");
    wait_until("half fetched", || std::fs::metadata(&part).is_ok_and(|about| about.len() as usize > bytes.len() / 2));
    drop(first);
    std::fs::remove_file(&socket).expect("a forwarder that was killed leaves its socket");
    let _second = forward(&here, &socket);
    let ended = get.wait_with_output().expect("it ends");
    assert!(ended.status.success() && std::fs::read(here.join("g")).unwrap() == bytes, "{ended:?}");
    let told: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((&told["resumed_bytes"], &told["fetched_segments"]), (&0.into(), &801.into()), "{told}");
}
