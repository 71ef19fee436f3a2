"""The programs of a case: forwarders and clients, ours and others', each a process that ends with the case."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent


class Process:
    def __init__(self, command, folder, name, **options):
        self.log = open(Path(folder) / f"{name}.log", "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, cwd=folder, **options)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Case:
    """A folder for files and sockets, and what runs in it."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.running = arguments, Path(folder), []

    def stop(self):
        for process in reversed(self.running):
            process.stop()

    def start(self, command, name, **options):
        self.running.append(Process(command, self.folder, name, **options))

    def python(self, text, name, path):
        self.start([sys.executable, "-c", text], name, env=client(path))

    def content(self, size=None):
        """A file of random bytes."""
        file = self.folder / "content"
        file.write_bytes(os.urandom(size or self.arguments.size))
        return file

    # Forwarders: each gives the path of its Unix socket.

    def weir(self, name, text=""):
        path, config = self.folder / f"{name}.sock", self.folder / f"{name}.toml"
        config.write_text(text + f'\n[[listen]]\nuri = "unix://{path}"\n')
        self.start([self.arguments.weir, "forward", config], name)
        return wait_for(path)

    def ndnd(self, name, port):
        path, config = self.folder / f"{name}.sock", self.folder / f"{name}.yml"
        config.write_text(textwrap.dedent(f"""
            core: {{log_level: WARN}}
            faces:
              udp: {{enabled_unicast: true, enabled_multicast: false, port_unicast: {port}, default_mtu: 1420}}
              tcp: {{enabled: true, port_unicast: {port}}}
              unix: {{enabled: true, socket_path: {path}}}
              websocket: {{enabled: false}}
            fw: {{threads: 2}}
        """))
        self.start([self.arguments.ndnd, "fw", "run", config], name)
        return wait_for(path)

    def ndnd_route(self, path, prefix, face):
        run([self.arguments.ndnd, "fw", "route-add", f"prefix={prefix}", f"face={face}"], path)

    def status(self, path):
        return json.loads(run([self.arguments.weir, "status", "--json", "--socket", f"unix://{path}"], path))

    def wait_for_route(self, path, prefix):
        """Waits until somebody has registered the prefix at a forwarder of ours."""
        for _ in range(200):
            if any(route["prefix"] == prefix for route in self.status(path)["routes"]):
                return
            time.sleep(0.1)
        raise AssertionError(f"nobody registers {prefix}")

    # Programs that serve a file at a forwarder.

    def ndnd_put(self, path, prefix, file):
        self.start([self.arguments.ndnd, "put", prefix], "put", stdin=open(file, "rb"), env=client(path))

    def weir_put(self, path, prefix, file):
        self.start([self.arguments.weir, "put", file, prefix], "put", env=client(path))

    def ndnts_put(self, path, prefix, file):
        self.start(["node", HERE / "ndnts.mjs", "serve", prefix, file], "put", env=client(path))

    # Programs that fetch one and compare it; they give what they have to say about it.

    def ndnd_cat(self, path, prefix, file):
        begin = time.monotonic()
        out = run([self.arguments.ndnd, "cat", prefix], path)
        seconds = time.monotonic() - begin
        same(out, file)
        return f"{len(out) * 8 / seconds / 1e6:.0f} Mbit/s"

    def weir_get(self, path, prefix, file, *options):
        got = self.folder / "got"
        told = json.loads(run([self.arguments.weir, "get", prefix, "-o", got, "--json", "--quiet", *options], path))
        same(got.read_bytes(), file)
        assert told["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest(), told
        return told

    def ndnts_get(self, path, prefix, file):
        got = self.folder / "got"
        told = json.loads(run(["node", HERE / "ndnts.mjs", "fetch", prefix, got], path))
        same(got.read_bytes(), file)
        return told


def same(content, file):
    expected = file.read_bytes()
    assert content == expected, f"{len(content)} of {len(expected)} bytes, or damaged"


def client(path):
    # Others keep their keys below HOME or where they run.
    return {**os.environ, "HOME": str(Path(path).parent), "NDN_CLIENT_TRANSPORT": f"unix://{path}"}


def run(command, path):
    folder = Path(path).parent
    done = subprocess.run(command, env=client(path), cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stderr.decode(errors='replace')[-500:]}"
    return done.stdout


def wait_for(path):
    for _ in range(200):
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
            return path
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nobody listens on {path}")


def free_port():
    """A number that neither a TCP nor a UDP socket has."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
            udp.bind(("127.0.0.1", 0))
            port = udp.getsockname()[1]
            try:
                tcp.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class SlowTcp:
    """A TCP link of so many bits per second to a port of this host; the kernel holds little for it."""

    BUFFER = 64 * 1024

    def __init__(self, to, bits_per_second):
        self.to, self.rate = to, bits_per_second
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.BUFFER)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.socket()
            far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.BUFFER)
            far.connect(("127.0.0.1", self.to))
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=ends, daemon=True).start()

    def pump(self, source, sink):
        free = time.monotonic()
        while some := source.recv(4096):
            free = max(free, time.monotonic()) + len(some) * 8 / self.rate
            time.sleep(max(0, free - time.monotonic()))
            sink.sendall(some)
