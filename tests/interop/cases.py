"""What is tried: each case gives what it has to say, or raises an AssertionError."""

import sys
import threading
import time
from pathlib import Path

from capture import capture_is_read_alike
from peers import SlowTcp, client, free_port, run

PYTHON_PRODUCER = """
from ndn.app import NDNApp
from ndn.security import KeychainDigest
app = NDNApp(keychain=KeychainDigest())
@app.route('/py')
def on_interest(name, param, app_param):
    app.put_data(name, content=b'from python-ndn' + bytes(5000), freshness_period=1000)
app.run_forever()
"""

PYTHON_CONSUMER = """
from ndn.app import NDNApp
from ndn.encoding import Name
from ndn.security import KeychainDigest
from ndn.types import InterestNack
app = NDNApp(keychain=KeychainDigest())
async def main():
    for i in range(20):
        name, meta, content = await app.express_interest(Name.from_str(f'/py/{i}'), must_be_fresh=True, lifetime=4000)
        assert bytes(content).startswith(b'from python-ndn'), content
    try:
        await app.express_interest(Name.from_str('/nobody/serves/this'), lifetime=4000)
    except InterestNack as nack:
        print('got 20, then a Nack for reason', nack.reason)
    app.shutdown()
app.run_forever(after_start=main())
"""

PYTHON_FETCHER = """
import sys
from ndn.app import NDNApp
from ndn.app_support.segment_fetcher import segment_fetcher
from ndn.encoding import Name
from ndn.security import KeychainDigest, sha256_digest_checker
app = NDNApp(keychain=KeychainDigest())
async def main():
    fetched = segment_fetcher(app, Name.from_str('/file'), must_be_fresh=False, validator=sha256_digest_checker)
    async for part in fetched:
        sys.stdout.buffer.write(bytes(part))
    app.shutdown()
app.run_forever(after_start=main())
"""

# python-ndn fetches one segment at a time.
SMALL = 500_000


def python_registers_and_fetches(case):
    """python-ndn serves and fetches through one forwarder, and is told that nobody serves a name."""
    path = case.weir("weir")
    case.python(PYTHON_PRODUCER, "producer", path)
    case.wait_for_route(path, "/py")
    said = run([sys.executable, "-c", PYTHON_CONSUMER], path).decode().strip()
    assert said == "got 20, then a Nack for reason 150", said
    return said


def python_fetches_from_weir_put(case):
    path, file = case.weir("weir"), case.content(SMALL)
    case.weir_put(path, "/file", file)
    case.wait_for_route(path, "/file")
    out = run([sys.executable, "-c", PYTHON_FETCHER], path)
    assert out == file.read_bytes(), f"{len(out)} bytes, or damaged"
    return f"{len(out)} bytes"


def weir_get_from_python(case):
    """python-ndn's putchunks signs with an identity of its own, here with the keychain that it makes itself."""
    path, file = case.weir("weir"), case.content(SMALL)
    serve = Path(sys.executable).with_name("pyndntools")
    case.start([serve, "putchunks", "/file", file], "put", env=client(path))
    case.wait_for_route(path, "/file")
    return f"{case.weir_get(path, '/file', file)['segments']} segments"


def through_our_forwarder(put, fetch):
    """One program serves and another fetches, both at one forwarder of ours."""

    def act(case):
        path, file = case.weir("weir"), case.content()
        getattr(case, put)(path, "/file", file)
        case.wait_for_route(path, "/file")
        # ndnd registers before it has signed all of the content.
        time.sleep(1.5 if put == "ndnd_put" else 0)
        return tell(getattr(case, fetch)(path, "/file", file))

    return act


def between_two_ndnd(transport, mtu=None):
    """ndnd - weir - ndnd: cat at one end, put at the other, we in the middle."""

    def act(case):
        near_port, far_port, own = free_port(), free_port(), free_port()
        far, near = case.ndnd("far", far_port), case.ndnd("near", near_port)
        # ndnd's window is constant, and what its socket has no room for is lost: without a rate of ours its client gives up
        # in every second run.
        frame = f'mtu = {mtu}\nrate = "100Mbps"\n' if mtu else ""
        # What goes to the near ndnd, over the face that it opens, is cut too.
        path = case.weir("weir", f"""
[[listen]]
uri = "{transport}4://127.0.0.1:{own}"
{frame}
[[face]]
uri = "{transport}4://127.0.0.1:{far_port}"
routes = ["/file"]
{frame}""")
        file = case.content()
        case.ndnd_put(far, "/file", file)
        case.ndnd_route(near, "/file", f"{transport}4://127.0.0.1:{own}")
        time.sleep(2)
        rate = case.ndnd_cat(near, "/file", file)
        faces = case.status(path)["faces"]
        assert sum(face["in_data"] for face in faces) >= case.arguments.size // 8000, faces
        malformed = sum(face["malformed"] for face in faces)
        assert malformed == 0, faces
        return f"{rate}, {sum(face['marked'] for face in faces)} marks of ours"

    return act


def our_marks(fetch):
    """
    weir put - weir - ndnd - client: our queue for 20 Mbit/s marks, ndnd passes the marks on, and the client sees them. Ours
    makes its window smaller before anything is lost; those of others heed no marks (ndnd's window is constant, and NDNts's
    fetcher, which would, is not told).
    """

    def act(case):
        near_port, own = free_port(), free_port()
        path = case.weir("weir", f"""
[[listen]]
uri = "tcp4://127.0.0.1:{own}"
rate = "20Mbps"
queue = "pcon"
""")
        near, file = case.ndnd("near", near_port), case.content(5_000_000)
        case.weir_put(path, "/file", file)
        case.wait_for_route(path, "/file")
        case.ndnd_route(near, "/file", f"tcp4://127.0.0.1:{own}")
        time.sleep(0.5)
        told = getattr(case, fetch)(near, "/file", file)
        status = case.status(path)
        marked = sum(face["marked"] for face in status["faces"])
        assert marked > 0, status
        assert 0 < told["marked"] <= marked, (marked, told)
        if fetch == "weir_get":
            assert told["decreases"] > 0, told
            assert status["drops"].get("queue-full", 0) == 0, status["drops"]
        return f"{marked} marks, {told['marked']} seen, {tell(told)}"

    return act


def marks_of_ndnd(case):
    """ndnd put - ndnd - weir - weir get: a TCP link of 20 Mbit/s is behind ndnd, which marks, and our window heeds it."""
    far_port = free_port()
    far, file = case.ndnd("far", far_port), case.content(5_000_000)
    slow = SlowTcp(far_port, 20e6)
    path = case.weir("weir", f"""
[[face]]
uri = "tcp4://127.0.0.1:{slow.port}"
routes = ["/file"]
""")
    case.ndnd_put(far, "/file", file)
    time.sleep(2)
    told = case.weir_get(path, "/file", file)
    ours = sum(face["marked"] for face in case.status(path)["faces"])
    assert told["marked"] > ours, f"{ours} marks are ours, {told}"
    assert told["decreases"] > 0, told
    return f"{told['marked'] - ours} marks, {tell(told)}"


def nacks_to_ndnd(case):
    """ndnd, which has no use for Nacks, asks us for what nobody serves yet; it must still get it when somebody does."""
    near_port, own = free_port(), free_port()
    path = case.weir("weir", f'[[listen]]\nuri = "udp4://127.0.0.1:{own}"\n')
    near, file = case.ndnd("near", near_port), case.content(1_000_000)
    case.ndnd_route(near, "/file", f"udp4://127.0.0.1:{own}")
    late = threading.Timer(3, case.weir_put, (path, "/file", file))
    late.start()
    told = case.weir_get(near, "/file", file)
    late.join()
    nacks = sum(face["out_nacks"] for face in case.status(path)["faces"])
    assert nacks > 0, case.status(path)
    return f"{nacks} Nacks, then {tell(told)}"


def tell(told):
    """What a fetch reports, in a few words."""
    if isinstance(told, str):
        return told
    words = [f"{told['goodput_mbps']:.0f} Mbit/s"] if "goodput_mbps" in told else []
    return ", ".join([*words, f"{told['segments']} segments", f"window cut {told['decreases']} times"])


# Name: what is done, and what must be there. ndnd's own frames have 1420 bytes; whole datagrams of 8800 bytes overflow
# its receive buffer at once.
CASES = {
    "python": (python_registers_and_fetches, ["python-ndn"]),
    "weir-put-python": (python_fetches_from_weir_put, ["python-ndn"]),
    "python-weir-get": (weir_get_from_python, ["python-ndn"]),
    "capture": (capture_is_read_alike, ["python-ndn"]),
    "ndnd-ndnd": (through_our_forwarder("ndnd_put", "ndnd_cat"), ["ndnd"]),
    "ndnd-weir-get": (through_our_forwarder("ndnd_put", "weir_get"), ["ndnd"]),
    "weir-put-ndnd": (through_our_forwarder("weir_put", "ndnd_cat"), ["ndnd"]),
    "ndnts-ndnts": (through_our_forwarder("ndnts_put", "ndnts_get"), ["NDNts"]),
    "ndnts-weir-get": (through_our_forwarder("ndnts_put", "weir_get"), ["NDNts"]),
    "weir-put-ndnts": (through_our_forwarder("weir_put", "ndnts_get"), ["NDNts"]),
    "ndnd-weir-ndnd-udp": (between_two_ndnd("udp", 1400), ["ndnd"]),
    "ndnd-weir-ndnd-tcp": (between_two_ndnd("tcp"), ["ndnd"]),
    "our-marks-weir-get": (our_marks("weir_get"), ["ndnd"]),
    "our-marks-ndnts": (our_marks("ndnts_get"), ["ndnd", "NDNts"]),
    "marks-of-ndnd": (marks_of_ndnd, ["ndnd"]),
    "nacks-to-ndnd": (nacks_to_ndnd, ["ndnd"]),
}
