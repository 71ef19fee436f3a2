//! Where packets wait before a device that is slower than the forwarder was told: two networks of their own, a wire of
//! 20 Mbit/s between them (`tc qdisc ... tbf`), and a forwarder without a `rate` before it. It needs root, `ip` and `tc`:
//! elsewhere these tests say so and pass.
#![cfg(target_os = "linux")]

mod common;

use common::{folder, weir};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use weir_emulate::namespace::Namespace;

/// Bytes in flight that the consumer keeps up, whatever happens: 100 segments.
const WINDOW: usize = 100;
const SEGMENT: usize = 8000;
const BYTES: usize = 6_000_000;

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The networks of the two hosts; what is sent from the first to the second goes at 20 Mbit/s.
fn networks() -> Option<(Namespace, Namespace)> {
    let ends = (Namespace::new("far"), Namespace::new("near"));
    let (Ok(far), Ok(near)) = ends else {
        eprintln!("skipped: no networks can be made here");
        return None;
    };
    let thread = |at: &Namespace| at.inside(|| std::fs::read_link("/proc/thread-self")).unwrap().unwrap();
    let there = thread(&near).file_name().unwrap().to_str().unwrap().to_owned();
    let run = |at: &Namespace, line: &str| {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
        at.start(command).is_ok_and(|mut child| child.wait().is_ok_and(|status| status.success()))
    };
    let made = run(&far, &format!("ip link add wire type veth peer name end netns {there}"))
        && run(&far, "ip address add 10.77.0.1/30 dev wire")
        && run(&near, "ip address add 10.77.0.2/30 dev end")
        && run(&far, "ip link set wire up")
        && run(&near, "ip link set end up")
        && run(&far, "tc qdisc add dev wire root tbf rate 20mbit burst 10kb limit 4mb");
    if !made {
        eprintln!("skipped: no devices, or none that is slow, can be made here");
    }
    made.then_some((far, near))
}

fn wait_for(path: &Path) {
    for _ in 0..3000 {
        if path.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("nobody listens at {}", path.display());
}

/// Bytes that the kernel holds for the socket of a process' network whose peer is 10.77.0.2, as it counts them.
fn held_by_kernel(process: u32, transport: &str) -> usize {
    let table = std::fs::read_to_string(format!("/proc/{process}/net/{transport}")).unwrap_or_default();
    let held = table.lines().filter_map(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        // 10.77.0.2 as the table has it: the lowest byte first.
        let peer = columns.get(2)?.starts_with("02004D0A");
        usize::from_str_radix(columns.get(4)?.split(':').next()?, 16).ok().filter(|_| peer)
    });
    held.max().unwrap_or(0)
}

/// What a fetch has left behind at the forwarder before the wire.
struct Seen {
    /// Most bytes in the kernel at once, of many looks.
    in_kernel: usize,
    /// Most packets in the queue of the face.
    queue_peak: u64,
    /// Packets that the queue has marked.
    marked: u64,
    goodput: f64,
}

/// Fetches with a constant window through the wire; `more` are further keys of the face before it.
fn fetch(test: &str, transport: &str, more: &str) -> Option<Seen> {
    let (far, near) = networks()?;
    let here = folder(test);
    // Sockets stand in the system's folder of temporary files: their paths must be short.
    let socket = |end: &str| std::env::temp_dir().join(format!("weir-{test}-{}-{end}", std::process::id()));
    let (far_socket, near_socket) = (socket("far"), socket("near"));
    let listen = |at: &Path| format!("[[listen]]\nuri = \"unix://{}\"\n", at.display());
    let scheme = "[schemes]\nqueue = \"pcon\"\n";
    std::fs::write(
        here.join("far.toml"),
        format!("{scheme}{}[[listen]]\nuri = \"{transport}4://10.77.0.1:6363\"\n{more}\n", listen(&far_socket)),
    )
    .unwrap();
    std::fs::write(
        here.join("near.toml"),
        format!("{}[[face]]\nuri = \"{transport}4://10.77.0.1:6363\"\nroutes = [\"/p\"]\n", listen(&near_socket)),
    )
    .unwrap();
    std::fs::write(here.join("f"), vec![7; BYTES]).unwrap();
    let start = |at: &Namespace, args: &[&str]| {
        let mut command = weir(&here);
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
        Running(at.start(command).expect("the program starts"))
    };
    let forwarder = start(&far, &["forward", "far.toml"]);
    let _other = start(&near, &["forward", "near.toml"]);
    wait_for(&far_socket);
    wait_for(&near_socket);
    let uri = |at: &Path| format!("unix://{}", at.display());
    let _put = start(&far, &["put", "f", "/p", "--face", &uri(&far_socket), "--segment-size", &SEGMENT.to_string()]);
    let mut get = weir(&here);
    get.args(["get", "/p", "-o", "g", "--quiet", "--json", "--face", &uri(&near_socket)]);
    get.args(["--control", "fixed-window", "--set", &format!("window={WINDOW}")]);
    let mut get = get.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut in_kernel = 0;
    while get.try_wait().expect("it can be asked").is_none() {
        in_kernel = in_kernel.max(held_by_kernel(forwarder.0.id(), transport));
        std::thread::sleep(Duration::from_millis(3));
    }
    let got = get.wait_with_output().expect("it has ended");
    assert!(got.status.success(), "{}", String::from_utf8_lossy(&got.stderr));
    assert!(std::fs::read(here.join("g")).unwrap() == vec![7; BYTES]);
    let told: Value = serde_json::from_slice(&got.stdout).unwrap();
    let status = weir(&here).args(["status", "--json", "--socket", &uri(&far_socket)]).output().unwrap();
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    let faces = status["faces"].as_array().unwrap();
    let to_near = |face: &&Value| face["remote"].as_str().is_some_and(|uri| uri.contains("10.77.0.2"));
    let face = faces.iter().find(to_near).unwrap_or_else(|| panic!("{status:#}"));
    Some(Seen {
        in_kernel,
        queue_peak: face["queue_peak"].as_u64().unwrap(),
        marked: face["marked"].as_u64().unwrap(),
        goodput: told["goodput_mbps"].as_f64().unwrap(),
    })
}

/// The scheme's queue holds most of the window and marks, and the wire is busy all the same.
#[track_caller]
fn stands_in_our_queue(seen: &Seen, bound: usize) {
    assert!(seen.in_kernel > 0 && seen.in_kernel <= bound, "{} bytes in the kernel", seen.in_kernel);
    let elsewhere = bound / SEGMENT + 1;
    assert!(seen.queue_peak as usize > WINDOW - elsewhere - 10, "{} packets in the queue", seen.queue_peak);
    assert!(seen.marked > 10, "{} packets marked", seen.marked);
    assert!(seen.goodput > 15.0, "{} Mbit/s of 20", seen.goodput);
}

#[test]
fn without_a_rate_datagrams_wait_in_the_schemes_queue() {
    let Some(seen) = fetch("backlog-udp", "udp", "") else { return };
    // What the wire carries in 20 ms, as the kernel counts: frames of 1400 bytes take 2304.
    stands_in_our_queue(&seen, 20 * 2500 * 2304 / 1400 + 2 * 2304);
}

#[test]
fn without_a_rate_a_stream_waits_in_the_schemes_queue() {
    let Some(seen) = fetch("backlog-tcp", "tcp", "") else { return };
    // Besides what is not sent, the table counts what is under way, which is for the stream's own control to say.
    stands_in_our_queue(&seen, WINDOW * SEGMENT / 2);
}

#[test]
fn frames_that_the_device_has_to_cut_get_through() {
    // The device takes 1500 bytes, and then several frames cannot be sent in one call.
    let Some(seen) = fetch("backlog-cut", "udp", "mtu = 4000") else { return };
    assert!(seen.goodput > 15.0, "{} Mbit/s of 20", seen.goodput);
}

#[test]
fn the_operator_says_how_much_the_kernel_may_hold() {
    let Some(seen) = fetch("backlog-little", "udp", "backlog = \"16kB\"") else { return };
    stands_in_our_queue(&seen, 16_000 + 2 * 2304);
    let Some(seen) = fetch("backlog-much", "udp", "backlog = \"4MB\"") else { return };
    // The whole window stands where no scheme sees it.
    let whole = WINDOW * SEGMENT;
    assert!(seen.in_kernel > whole / 2, "{} bytes in the kernel", seen.in_kernel);
    assert!(seen.queue_peak < 20 && seen.marked == 0, "{} packets waited, {} marked", seen.queue_peak, seen.marked);
}
