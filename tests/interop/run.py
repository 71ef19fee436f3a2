#!/usr/bin/env python3
"""Lets `weir forward` work with other NDN software, and says what came of it.

    python3 tests/interop/run.py [--weir PATH] [--ndnd PATH] [--size BYTES] [CASE ...]

Needs a built `weir`; `ndnd` (a Go module, see the page docs/live.md) and the package python-ndn for the cases that name
them. A case whose peer is missing is skipped, and said to be. Exit code 1 if any case fails.
"""

import argparse
import hashlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

PYTHON_PRODUCER = """
from ndn.app import NDNApp
from ndn.security import KeychainDigest
app = NDNApp(keychain=KeychainDigest())
@app.route('/py')
def on_interest(name, param, app_param):
    app.put_data(name, content=b'from python-ndn' + bytes(5000), freshness_period=1000)
app.run_forever(after_start=ready())
"""

PYTHON_CONSUMER = """
from ndn.app import NDNApp
from ndn.encoding import Name
from ndn.security import KeychainDigest
app = NDNApp(keychain=KeychainDigest())
async def main():
    for i in range(20):
        name, meta, content = await app.express_interest(Name.from_str(f'/py/{i}'), must_be_fresh=True, lifetime=4000)
        assert bytes(content).startswith(b'from python-ndn'), content
    print('got 20')
    app.shutdown()
app.run_forever(after_start=main())
"""


class Peer:
    """A process that ends with the case."""

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
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.peers = arguments, Path(folder), []

    def start(self, command, name, **options):
        peer = Peer(command, self.folder, name, **options)
        self.peers.append(peer)
        return peer

    def weir(self, name, text):
        """A forwarder of ours; gives its socket."""
        path, config = self.folder / f"{name}.sock", self.folder / f"{name}.toml"
        config.write_text(text + f'\n[[listen]]\nuri = "unix://{path}"\n')
        self.start([self.arguments.weir, "forward", config], name)
        return wait_for(path)

    def ndnd(self, name, port):
        """A forwarder of ndnd's; gives its socket."""
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

    def route(self, path, prefix, face):
        command = [self.arguments.ndnd, "fw", "route-add", f"prefix={prefix}", f"face={face}"]
        run(command, path)

    def put(self, path, prefix):
        """Serves a file of random bytes with ndnd; gives its digest."""
        content = os.urandom(self.arguments.size)
        file = self.folder / "content"
        file.write_bytes(content)
        self.start([self.arguments.ndnd, "put", prefix], "put", stdin=open(file, "rb"), env=client(path))
        time.sleep(1.5)
        return hashlib.sha256(content).hexdigest()

    def cat(self, path, prefix, digest):
        """Fetches it with ndnd; says how fast."""
        begin = time.monotonic()
        out = run([self.arguments.ndnd, "cat", prefix], path)
        seconds = time.monotonic() - begin
        assert hashlib.sha256(out).hexdigest() == digest, f"{len(out)} bytes, damaged"
        return f"{len(out) * 8 / seconds / 1e6:.0f} Mbit/s"

    def status(self, path):
        import json

        return json.loads(run([self.arguments.weir, "status", "--json", "--socket", f"unix://{path}"], path))


def client(path):
    # Peers keep their keys below HOME or where they run.
    return {**os.environ, "HOME": str(Path(path).parent), "NDN_CLIENT_TRANSPORT": f"unix://{path}"}


def run(command, path):
    folder = Path(path).parent
    done = subprocess.run(command, env=client(path), cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stderr.decode(errors='replace')[-500:]}"
    return done.stdout


def wait_for(path):
    for _ in range(100):
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
            return path
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nobody listens on {path}")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def python_registers_and_fetches(case):
    """python-ndn serves and fetches through one forwarder."""
    path = case.weir("weir", "")
    ready = case.folder / "ready"
    producer = PYTHON_PRODUCER.replace("ready()", f"ready('{ready}')")
    producer = f"async def ready(path):\n    open(path, 'w').close()\n{producer}"
    case.start([sys.executable, "-c", producer], "producer", env=client(path))
    for _ in range(100):
        if ready.exists() and any(route["prefix"] == "/py" for route in case.status(path)["routes"]):
            break
        time.sleep(0.1)
    assert b"got 20" in run([sys.executable, "-c", PYTHON_CONSUMER], path)
    return "20 of 20"


def ndnd_over_our_socket(case):
    """ndnd put and cat through one forwarder."""
    path = case.weir("weir", "")
    digest = case.put(path, "/file")
    return case.cat(path, "/file", digest)


def between_two_ndnd(case, transport, mtu):
    """ndnd - weir - ndnd: cat at one end, put at the other, we in the middle."""
    near_port, far_port, own = free_port(), free_port(), free_port()
    far, near = case.ndnd("far", far_port), case.ndnd("near", near_port)
    text = f'[[listen]]\nuri = "udp4://127.0.0.1:{own}"\n[[listen]]\nuri = "tcp4://127.0.0.1:{own}"\n'
    text += f'[[face]]\nuri = "{transport}4://127.0.0.1:{far_port}"\nroutes = ["/file"]\n'
    text += f"mtu = {mtu}\n" if mtu else ""
    # What goes to the near ndnd, over the face that it opens, is cut too.
    text = text.replace(f'"udp4://127.0.0.1:{own}"\n', f'"udp4://127.0.0.1:{own}"\nmtu = {mtu}\n') if mtu else text
    path = case.weir("weir", text)
    digest = case.put(far, "/file")
    case.route(near, "/file", f"{transport}4://127.0.0.1:{own}")
    time.sleep(0.5)
    rate = case.cat(near, "/file", digest)
    faces = case.status(path)["faces"]
    assert sum(face["in_data"] for face in faces) >= case.arguments.size // 8000, faces
    marks = sum(face["marked"] for face in faces)
    return f"{rate}, {marks} marks of ours, {sum(face['malformed'] for face in faces)} frames malformed"


# ndnd's own frames have 1420 bytes; whole 8800-byte datagrams overflow its receive buffer at once.
CASES = {
    "python": (python_registers_and_fetches, ["ndn"]),
    "ndnd-unix": (ndnd_over_our_socket, ["ndnd"]),
    "ndnd-udp-1400": (lambda case: between_two_ndnd(case, "udp", 1400), ["ndnd"]),
    "ndnd-tcp": (lambda case: between_two_ndnd(case, "tcp", None), ["ndnd"]),
}


def missing(needs, arguments):
    if "ndn" in needs and importlib.util.find_spec("ndn") is None:
        return "python-ndn is not installed"
    if "ndnd" in needs and arguments.ndnd is None:
        return "there is no ndnd"
    return None


def main():
    parser = argparse.ArgumentParser(description="weir forward with other NDN software")
    parser.add_argument("--weir", default="target/release/weir")
    parser.add_argument("--ndnd", default=shutil.which("ndnd"))
    parser.add_argument("--size", type=int, default=20_000_000)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES])
    arguments = parser.parse_args()
    # Peers run in folders of their own.
    arguments.weir = str(Path(arguments.weir).resolve())
    failed = False
    for name in arguments.cases or CASES:
        act, needs = CASES[name]
        why = missing(needs, arguments)
        if why:
            print(f"{name}: skipped, {why}", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            case = Case(arguments, folder)
            try:
                print(f"{name}: {act(case)}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed = True
                print(f"{name}: FAILED: {error}", flush=True)
                for log in sorted(Path(folder).glob("*.log")):
                    print(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}", flush=True)
            finally:
                for peer in reversed(case.peers):
                    peer.stop()
    sys.exit(failed)


if __name__ == "__main__":
    main()
