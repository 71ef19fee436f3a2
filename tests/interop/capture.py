"""A capture of a simulated link, read by python-ndn's decoder."""

import csv
import struct
from collections import Counter
from pathlib import Path

from peers import HERE, run

ETHERNET, ETHERTYPE_NDN = 14, 0x8624
INTEREST, LP_PACKET = 0x05, 0x64
SECTION, INTERFACE, ENHANCED_PACKET = 0x0A0D0D0A, 1, 6


def frames(path):
    """Interface and bytes of each frame of a pcapng file."""
    content, at, interfaces = path.read_bytes(), 0, []
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        body = content[at + 8 : at + length - 4]
        if kind == INTERFACE:
            # The option if_name has the code 2.
            options, name = body[8:], None
            while len(options) >= 4:
                code, size = struct.unpack_from("<HH", options)
                name = options[4 : 4 + size].decode() if code == 2 else name
                options = options[4 + (size + 3) // 4 * 4 :]
            interfaces.append(name)
        elif kind == ENHANCED_PACKET:
            interface, _, _, captured, whole = struct.unpack_from("<IIIII", body)
            assert captured == whole, "cut"
            frame = body[20 : 20 + captured]
            assert frame[12:14] == ETHERTYPE_NDN.to_bytes(2, "big"), frame[:14]
            yield interfaces[interface], frame[ETHERNET:]
        else:
            assert kind == SECTION, f"a block of kind {kind:#x}"
        at += length


def read(frame):
    """Kind of the packet, its name, its congestion mark: all by python-ndn."""
    from ndn.encoding import Name, parse_data, parse_interest, parse_lp_packet_v2

    mark, nack = None, None
    if frame[0] == LP_PACKET:
        lp = parse_lp_packet_v2(frame)
        mark, nack, frame = lp.congestion_mark, lp.nack, bytes(lp.fragment)
    if frame[0] == INTEREST:
        name, _, _, _ = parse_interest(frame)
        return "Nacks" if nack else "Interests", Name.to_str(name), mark
    name, _, content, signature = parse_data(frame)
    assert content is not None and signature.signature_value_buf is not None, Name.to_str(name)
    return "Data", Name.to_str(name), mark


def capture_is_read_alike(case):
    """Counts packets, bytes and marks of a capture with python-ndn, and compares them with what Weir's own files say."""
    out = case.folder / "out"
    links = "r1-r2,c1-r1,c2-r1"
    command = ["run", HERE / "capture.toml", "--out", out, "--quiet", "--capture", links, "--trace-files", "rate"]
    run([case.arguments.weir, *command], out)
    (folder,) = Path(out / "runs").iterdir()
    theirs, their_bytes, names, marks = Counter(), Counter(), {}, 0
    for interface, frame in frames(folder / "capture.pcapng"):
        kind, name, mark = read(frame)
        theirs[interface, kind] += 1
        their_bytes[interface, kind] += len(frame)
        names.setdefault((interface, kind), set()).add(name)
        marks += mark is not None and interface.startswith("r1>c")
    captured = {interface for interface, _ in theirs}
    ours, our_bytes = Counter(), Counter()
    for row in csv.DictReader(open(folder / "rate-trace.txt"), delimiter="\t"):
        interface = row["FaceDescr"].removeprefix("netdev://")
        kind = row["Type"].removeprefix("Out")
        if row["Type"] == "Out" + kind and interface in captured and kind in ("Interests", "Data", "Nacks"):
            ours[interface, kind] += int(row["PacketRaw"])
            our_bytes[interface, kind] += round(float(row["KilobytesRaw"]) * 1024)
    assert +ours == +theirs, f"packets: ours {+ours}, theirs {+theirs}"
    assert +our_bytes == +their_bytes, f"bytes: ours {+our_bytes}, theirs {+their_bytes}"
    (totals,) = csv.DictReader(open(out / "runs.csv"))
    # Every Data was sent to a consumer once at least, and the marked ones among them are those that the consumers saw.
    segments = sum(len(names[f"r1>{consumer}", "Data"]) for consumer in ("c1", "c2"))
    assert segments == int(totals["delivered"]), (segments, totals["delivered"])
    assert marks >= int(totals["marked"]) > 0, (marks, totals["marked"])
    kinds = Counter()
    for (_, kind), number in theirs.items():
        kinds[kind] += number
    assert set(kinds) == {"Interests", "Data", "Nacks"}, kinds
    return ", ".join(f"{number} {kind}" for kind, number in kinds.items()) + f", {marks} marks at the consumers"
