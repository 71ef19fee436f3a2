//! The processes of `weir bench live`.

use std::net::{Ipv4Addr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The name of the content.
pub(super) const NAME: &str = "/bench/content";
/// How long a forwarder or a producer may take to begin.
const START: Duration = Duration::from_secs(10);
/// What ndnd needs to register a prefix; it does not say when it has done so.
const SETTLE: Duration = Duration::from_millis(1500);

/// Whose programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    Weir,
    Ndnd,
}

/// Processes that end with this.
#[derive(Default)]
pub(super) struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Running {
    fn start(&mut self, command: &mut Command) -> Result<(), String> {
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = quiet.spawn().map_err(|e| format!("{}: {e}", command.get_program().display()))?;
        self.0.push(child);
        Ok(())
    }
}

impl Setup {
    /// Weir's own, and those of others that are on PATH.
    pub fn found() -> Vec<Setup> {
        let there =
            std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|p| p.join("ndnd").is_file()));
        if there { vec![Setup::Weir, Setup::Ndnd] } else { vec![Setup::Weir] }
    }

    pub fn name(self) -> &'static str {
        match self {
            Setup::Weir => "weir",
            Setup::Ndnd => "ndnd",
        }
    }

    fn program(self) -> Result<Command, String> {
        Ok(match self {
            Setup::Weir => Command::new(std::env::current_exe().map_err(|e| format!("where am I? {e}"))?),
            Setup::Ndnd => Command::new("ndnd"),
        })
    }

    /// Starts the forwarders and the producer, which sits at the last of them.
    pub fn begin(self, two: bool, file: &Path, folder: &Path, running: &mut Running) -> Result<(), String> {
        let near = socket(folder, "near");
        let far = if two { socket(folder, "far") } else { near.clone() };
        for path in [&near, &far] {
            let _ = std::fs::remove_file(path);
        }
        let port = free_port()?;
        if two {
            self.forwarder(&far, Some(port), None, folder, "far", running)?;
        }
        self.forwarder(&near, None, two.then_some(port), folder, "near", running)?;
        put(self, file, &far, running)
    }

    /// A forwarder at a socket: with a UDP port, or with a route to one.
    fn forwarder(
        self,
        at: &Path,
        port: Option<u16>,
        route: Option<u16>,
        folder: &Path,
        name: &str,
        running: &mut Running,
    ) -> Result<(), String> {
        if self == Setup::Weir {
            return forward(&weir_config(at, port, route), at, &folder.join(format!("{name}.toml")), running);
        }
        let config = folder.join(format!("{name}.yml"));
        std::fs::write(&config, ndnd_config(at, port)).map_err(|e| format!("{}: {e}", config.display()))?;
        running.start(self.program()?.args(["fw", "run"]).arg(&config))?;
        await_socket(self, at)?;
        if let (Setup::Ndnd, Some(port)) = (self, route) {
            let mut add = self.program()?;
            let face = format!("face=udp4://127.0.0.1:{port}");
            let added =
                add.env("NDN_CLIENT_TRANSPORT", uri(at)).args(["fw", "route-add", "prefix=/bench", &face]).output();
            if !added.is_ok_and(|output| output.status.success()) {
                return Err("ndnd refuses a route".into());
            }
        }
        Ok(())
    }

    /// The command that fetches the content into nothing.
    pub fn fetch(self, folder: &Path, control: Option<&str>) -> Result<Command, String> {
        let mut command = self.program()?;
        command.env("NDN_CLIENT_TRANSPORT", uri(&socket(folder, "near")));
        match self {
            Setup::Weir => {
                command.args(["get", NAME, "--json"]).args(control.into_iter().flat_map(|name| ["--control", name]))
            }
            Setup::Ndnd => command.args(["cat", NAME]),
        };
        Ok(command)
    }
}

/// Starts `weir forward` with this configuration, which listens at the socket `at`.
pub(super) fn forward(text: &str, at: &Path, config: &Path, running: &mut Running) -> Result<(), String> {
    std::fs::write(config, text).map_err(|e| format!("{}: {e}", config.display()))?;
    running.start(Setup::Weir.program()?.arg("forward").arg(config))?;
    await_socket(Setup::Weir, at)
}

fn await_socket(whose: Setup, at: &Path) -> Result<(), String> {
    let began = Instant::now_from_system();
    while !at.exists() {
        if began.elapsed() > START {
            return Err(format!("{} does not listen at {}", whose.name(), at.display()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Starts the producer at a forwarder's socket.
pub(super) fn put(whose: Setup, file: &Path, at: &Path, running: &mut Running) -> Result<(), String> {
    let mut put = whose.program()?;
    put.env("NDN_CLIENT_TRANSPORT", uri(at)).arg("put");
    match whose {
        Setup::Weir => put.arg(file).arg(NAME).args(["--segment-size", &super::SEGMENT.to_string()]),
        Setup::Ndnd => put.arg(NAME).stdin(std::fs::File::open(file).map_err(|e| e.to_string())?),
    };
    running.start(&mut put)?;
    std::thread::sleep(SETTLE);
    Ok(())
}

/// Runs a command whose output nobody wants; says how long it took, and what it said on standard error.
pub(super) fn timed(command: &mut Command, patience: Duration) -> Result<(Duration, String), String> {
    let began = Instant::now_from_system();
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let took = loop {
        match child.try_wait() {
            Ok(Some(_)) => break began.elapsed(),
            Ok(None) if began.elapsed() < patience => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {} s", patience.as_secs()));
            }
        }
    };
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok((took, said)) } else { Err(said.lines().last().unwrap_or_default().to_owned()) }
}

/// The clock of a bench.
trait System {
    fn now_from_system() -> Instant;
}

impl System for Instant {
    #[expect(clippy::disallowed_methods, reason = "a bench measures the time that passes")]
    fn now_from_system() -> Instant {
        Instant::now()
    }
}

pub(super) fn socket(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.sock"))
}

pub(super) fn uri(socket: &Path) -> String {
    format!("unix://{}", socket.display())
}

pub(super) fn free_port() -> Result<u16, String> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
    socket.map(|address| address.port()).map_err(|e| format!("no UDP port: {e}"))
}

fn weir_config(at: &Path, port: Option<u16>, route: Option<u16>) -> String {
    let mut text = format!("[[listen]]\nuri = \"{}\"\n", uri(at));
    if let Some(port) = port {
        text += &format!("[[listen]]\nuri = \"udp4://127.0.0.1:{port}\"\ninterest-rate = 0\n");
    }
    if let Some(port) = route {
        text += &format!("[[face]]\nuri = \"udp4://127.0.0.1:{port}\"\nroutes = [\"/bench\"]\n");
    }
    text
}

fn ndnd_config(at: &Path, port: Option<u16>) -> String {
    let udp = port.is_some();
    let port = port.unwrap_or(6363);
    format!(
        "core: {{log_level: ERROR}}\nfaces:\n  udp: {{enabled_unicast: true, enabled_multicast: false, port_unicast: {}}}\n  \
         tcp: {{enabled: false}}\n  unix: {{enabled: true, socket_path: {}}}\n  websocket: {{enabled: false}}\n",
        if udp { port } else { 0 },
        at.display()
    )
}
