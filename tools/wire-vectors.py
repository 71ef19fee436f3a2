#!/usr/bin/env python3
"""Test vectors for crates/wire, made by an implementation that is not ours (python-ndn).

    python3 -m venv .venv && .venv/bin/pip install python-ndn==0.5.2
    .venv/bin/python tools/wire-vectors.py                  # writes crates/wire/tests/vectors.json

The other way round, packets that Weir encoded are read by python-ndn and compared with what Weir says of them:

    cargo run -q -p weir-wire --example emit-vectors > target/weir-packets.json
    .venv/bin/python tools/wire-vectors.py --check target/weir-packets.json

The fields in the vectors are what python-ndn reads from its own packets. The output is the same in every run.
"""

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path

from ndn.encoding import Component, InterestParam, MetaInfo, Name, make_data, make_interest, parse_data, parse_interest
from ndn.encoding.ndnlp_v2 import CachePolicy, LpPacket, LpPacketValue, NetworkNack, make_network_nack
from ndn.security import DigestSha256Signer, HmacSha256Signer, NullSigner
from ndn.security.signer import Ed25519Signer, Sha256WithEcdsaSigner, Sha256WithRsaSigner
from ndn.app_support import nfd_mgmt
from Cryptodome.Hash import SHA256
from Cryptodome.PublicKey import ECC, RSA
from Cryptodome.Signature import DSS

OUT = Path(__file__).resolve().parent.parent / "crates" / "wire" / "tests" / "vectors.json"

# Keys of the packets; the secret of HMAC is `secret`.
ED25519 = ECC.construct(curve="Ed25519", seed=bytes(range(32)))
ECDSA = ECC.construct(curve="P-256", d=int.from_bytes(bytes(range(32)), "big"))


def same_bytes():
    """Bytes that are drawn alike in every run."""
    drawn = 0
    while True:
        yield from sha256(drawn.to_bytes(8, "big")).digest()
        drawn += 1


SAME = same_bytes()
RSA_KEY = RSA.generate(2048, randfunc=lambda n: bytes(next(SAME) for _ in range(n)))


class FixedInterestSigner(DigestSha256Signer):
    """DigestSha256 with a nonce and a time that do not change from run to run."""

    def write_signature_info(self, signature_info):
        super().write_signature_info(signature_info)
        signature_info.signature_nonce = 0x1122334455667788
        signature_info.signature_time = 1_700_000_000_123


class FixedEcdsaSigner(Sha256WithEcdsaSigner):
    """ECDSA with the number of RFC 6979 in place of a random one."""

    def write_signature_value(self, wire, contents):
        h = SHA256.new()
        for part in contents:
            h.update(part)
        signature = DSS.new(self.key, "deterministic-rfc6979", "der").sign(h)
        wire[:len(signature)] = signature
        return len(signature)


def components(name):
    """[[type, hex of the value], ...]"""
    return [[Component.get_type(c), bytes(Component.get_value(c)).hex()] for c in name]


def typed(typ, value):
    return Component.from_bytes(value, typ)


# ---- what python-ndn says of a packet ----

def say_name(name):
    name = Name.normalize(name)
    # python-ndn does not write periods and empty components as the URI scheme asks; those have no URI here.
    plain = all(set(bytes(Component.get_value(c))) - {ord(".")} for c in name)
    return {"wire": bytes(Name.encode(name)).hex(), "components": components(name),
            "uri": (Name.to_str(name) if name else "/") if plain else None}


def say_interest(wire):
    name, param, app_param, sig = parse_interest(wire)
    return {
        "wire": bytes(wire).hex(),
        "name": components(name),
        "can_be_prefix": param.can_be_prefix,
        "must_be_fresh": param.must_be_fresh,
        "nonce": param.nonce,
        "lifetime_ms": 4000 if param.lifetime is None else param.lifetime,
        "hop_limit": param.hop_limit,
        "forwarding_hint": [components(Name.normalize(n)) for n in param.forwarding_hint],
        "parameters": None if app_param is None else bytes(app_param).hex(),
        "digest_signed": digest_signed(sig),
        "signature": say_signature(sig),
        "canonical": param.lifetime != 4000,
    }


def say_data(wire):
    name, meta, content, sig = parse_data(wire)
    final = meta.final_block_id
    return {
        "wire": bytes(wire).hex(),
        "name": components(name),
        "content_type": meta.content_type or 0,
        "freshness_ms": meta.freshness_period or 0,
        "final_block": None if final is None else components([final])[0],
        "payload": bytes(content or b"").hex(),
        "signature_type": sig.signature_info.signature_type,
        "digest_signed": digest_signed(sig),
        "signature": say_signature(sig),
        "implicit_digest": sha256(wire).hexdigest(),
    }


def digest_signed(sig):
    """True if the signature is DigestSha256 and right."""
    if sig.signature_info is None or sig.signature_info.signature_type != 0:
        return False
    digest = sha256(b"".join(bytes(part) for part in sig.signature_covered_part)).digest()
    return bytes(sig.signature_value_buf or b"") == digest


def say_signature(sig):
    info = sig.signature_info
    if info is None:
        return None
    key = info.key_locator
    covered = b"".join(bytes(part) for part in sig.signature_covered_part)
    return {
        "type": info.signature_type,
        "key_name": None if key is None or not key.name else components(Name.normalize(key.name)),
        "nonce": None if info.signature_nonce is None else info.signature_nonce.to_bytes(8, "big").hex(),
        "time_ms": info.signature_time,
        "seq_num": info.signature_seq_num,
        "covered": sha256(covered).hexdigest(),
        "value": bytes(sig.signature_value_buf or b"").hex(),
    }


def say_command(name):
    """An Interest of the old form, signed in its name: what it asks for, and its signature."""
    wire = bytes(make_interest(name, InterestParam(nonce=1)))
    time, nonce, _, value = (bytes(Component.get_value(c)) for c in name[-4:])
    return {
        "wire": wire.hex(),
        "name": components(name[:-4]),
        "time_ms": int.from_bytes(time, "big"),
        "nonce": nonce.hex(),
        "covered": sha256(b"".join(bytes(c) for c in name[:-1])).hexdigest(),
        "value": value[2:].hex(),
    }


def only_fragment(fragment):
    value = LpPacketValue()
    value.fragment = fragment
    return value


def say_link(wire):
    lp = LpPacket.parse(wire, ignore_critical=True).lp_packet
    fields = len(lp.encode()) > len(only_fragment(lp.fragment).encode())
    # Weir does not write what is the default, nor a link packet without fields, and it cuts large marks.
    default = (lp.nack is not None and lp.nack.nack_reason == 0) or (not fields and lp.fragment is not None)
    return {
        "wire": bytes(wire).hex(),
        "frag_index": lp.frag_index or 0,
        "frag_count": lp.frag_count or 1,
        "pit_token": None if lp.pit_token is None else bytes(lp.pit_token).hex(),
        "nack": None if lp.nack is None else (lp.nack.nack_reason or 0),
        "incoming_face": lp.incoming_face_id,
        "next_hop_face": lp.next_hop_face_id,
        "cache_policy": None if lp.cache_policy is None else lp.cache_policy.cache_policy_type,
        "congestion_mark": lp.congestion_mark or 0,
        "non_discovery": bool(lp.non_discovery),
        "fragment": None if lp.fragment is None else bytes(lp.fragment).hex(),
        "canonical": not default and (lp.congestion_mark is None or 1 <= lp.congestion_mark <= 255),
    }


# ---- the packets ----

def names():
    digest = sha256(b"x").digest()
    return [
        "/",
        "/a",
        "/example/testApp/randomData/t=1570430517101",
        "/video/v=3/seg=0",
        "/video/v=3/seg=255",
        "/video/v=3/seg=256",
        "/video/v=3/seg=65536",
        "/video/seg=4294967296",
        "/video/seg=18446744073709551615",
        "/seg=1/seg=2",
        "/a/off=7/v=1/t=99/seq=18446744073709551614",
        "/a/32=metadata/v=1700000000000/seg=0",
        "/a/sha256digest=" + digest.hex(),
        "/a/params-sha256=" + digest.hex(),
        "/65535=x/252=y/253=z/9=w",
        "/a%20b/%00%FF/-._~",
        "/Σπυρίδων/€",
        [typed(8, b"")],
        [typed(8, b"."), typed(8, b".."), typed(8, b"...")],
        [typed(32, b""), typed(8, b"tail")],
        [typed(8, bytes(range(256)) + b"long")],
    ]


def ask(lifetime=None, **param):
    """python-ndn writes the default lifetime too, unless it is told None."""
    return InterestParam(lifetime=lifetime, **param)


def interests():
    hint = ["/telia/1", "/ntt/seg=4"]
    yield make_interest("/a", InterestParam(nonce=1))
    yield make_interest("/a/b/seg=7", ask(nonce=0xFFFFFFFF))
    yield make_interest("/a/b", ask(nonce=2, can_be_prefix=True))
    yield make_interest("/a/b", ask(nonce=3, must_be_fresh=True, lifetime=0))
    yield make_interest("/a/32=metadata", ask(nonce=4, can_be_prefix=True, must_be_fresh=True, lifetime=255))
    yield make_interest("/a", ask(nonce=5, lifetime=256, hop_limit=0))
    yield make_interest("/a", ask(nonce=6, lifetime=70000, hop_limit=255))
    yield make_interest("/a", ask(nonce=7, lifetime=2**32 - 1, hop_limit=1))
    yield make_interest("/a/v=1/seg=2", ask(nonce=8, forwarding_hint=hint))
    yield make_interest("/a", ask(nonce=9, forwarding_hint=hint[:1], can_be_prefix=True, hop_limit=9))
    yield make_interest("/a", ask(nonce=10), app_param=b"")
    yield make_interest("/a/seg=3", ask(nonce=11, lifetime=10), app_param=b"\x01\x02\x03")
    yield make_interest(["a", typed(2, bytes(32)), "b"], ask(nonce=12), app_param=b"q" * 300)
    yield make_interest("/localhost/nfd/rib/register", ask(nonce=13), app_param=b"p", signer=FixedInterestSigner())
    yield make_interest("/cmd", ask(nonce=14, forwarding_hint=hint), signer=FixedInterestSigner())
    yield make_interest("/hmac", ask(nonce=15), app_param=b"p", signer=HmacSha256Signer("/key", b"secret"))


def datas():
    seg9 = Component.from_segment(9)
    ed25519 = ED25519.export_key(format="DER")
    digest, hmac = DigestSha256Signer(), HmacSha256Signer("/key/seg=1", b"secret")
    yield make_data("/a", MetaInfo(), b"hello", digest)
    yield make_data("/a", MetaInfo(content_type=None), b"", digest)
    yield make_data("/a/seg=1", MetaInfo(content_type=None, freshness_period=1), None, digest)
    yield make_data("/", MetaInfo(freshness_period=4000), b"root", digest)
    yield make_data("/a/v=2/seg=9", MetaInfo(None, 10, seg9), b"last", digest)
    yield make_data("/a/v=2/seg=0", MetaInfo(None, None, seg9), b"\x00" * 253, digest)
    yield make_data("/a/v=2/seg=1", MetaInfo(None, 2**33, Component.from_segment(2**32 - 1)), b"\x00" * 8000, digest)
    yield make_data("/a/v=2/seg=2", MetaInfo(None, 1000, Component.from_segment(256)), b"\x00" * 1024, digest)
    yield make_data("/a/v=2/seg=3", None, b"\x00", digest)
    yield make_data("/a/empty", None, b"", digest)
    yield make_data("/a/b", MetaInfo(2, 3_600_000, typed(8, b"end")), b"key", digest)
    yield make_data("/a/nack", MetaInfo(3, 1), b"", hmac)
    yield make_data("/a/big", MetaInfo(70000, 65536), b"x" * 1300, hmac)
    yield make_data("/a/null", MetaInfo(), b"unsigned", NullSigner())
    yield make_data("/a/ed", MetaInfo(), b"signed", Ed25519Signer("/key", ed25519))
    yield make_data("/a/ec", MetaInfo(), b"signed", FixedEcdsaSigner("/key/KEY/%01", ECDSA.export_key(format="DER")))
    yield make_data("/a/rsa", MetaInfo(), b"signed", Sha256WithRsaSigner("/key/KEY/%02", RSA_KEY.export_key("DER")))


def commands():
    nfd_mgmt.timestamp = lambda: 1_700_000_000_123
    nfd_mgmt.gen_nonce_64 = lambda: 0x0123456789ABCDEF
    yield nfd_mgmt.make_command("rib", "register", name="/a/b", cost=0)
    yield nfd_mgmt.make_command("faces", "create", uri="udp4://192.0.2.1:6363")


def links(interest, data):
    def link(fragment, **fields):
        packet = LpPacket()
        packet.lp_packet = only_fragment(fragment)
        for key, value in fields.items():
            setattr(packet.lp_packet, key, value)
        return packet.encode()

    def nack(reason):
        model = NetworkNack()
        model.nack_reason = reason
        return model

    no_cache = CachePolicy()
    no_cache.cache_policy_type = 1
    for reason in (50, 100, 150, 151, 0):
        yield make_network_nack(interest, reason)
    yield link(interest, nack=nack(None))
    yield link(data)
    yield link(None)
    yield link(interest, pit_token=b"\x00")
    yield link(data, pit_token=bytes(range(32)), congestion_mark=1)
    yield link(data, congestion_mark=255)
    yield link(data, congestion_mark=65536)
    yield link(data, incoming_face_id=300, cache_policy=no_cache, congestion_mark=0)
    yield link(interest, next_hop_face_id=2**40, non_discovery=True)
    yield link(data[:10], frag_index=0, frag_count=3, pit_token=b"tok")
    yield link(data[10:], frag_index=2, frag_count=3)


def say_key(key, **form):
    def text(pem):
        return pem if isinstance(pem, str) else pem.decode()

    private, public = key.export_key(format="PEM", **form), key.public_key().export_key(format="PEM")
    return {"private": text(private), "public": text(public)}


def make():
    all_interests, all_data = list(interests()), list(datas())
    return {
        "made_by": "python-ndn 0.5.2",
        "keys": {"ed25519": say_key(ED25519), "ecdsa": say_key(ECDSA), "rsa": say_key(RSA_KEY, pkcs=8)},
        "names": [say_name(n) for n in names()],
        "interests": [say_interest(w) for w in all_interests],
        "data": [say_data(w) for w in all_data],
        "commands": [say_command(n) for n in commands()],
        "links": [say_link(w) for w in links(all_interests[1], bytes(all_data[4]))],
    }


SAY = {"name": lambda w: say_name(Name.decode(w)[0]), "interest": say_interest, "data": say_data, "link": say_link}


def check(path):
    """Compares what Weir says of its packets with what python-ndn reads; returns the number of differences."""
    packets = json.loads(Path(path).read_text())
    wrong = 0
    for number, packet in enumerate(packets):
        said = SAY[packet["kind"]](bytes.fromhex(packet["fields"]["wire"]))
        for field, value in packet["fields"].items():
            if said[field] != value:
                wrong += 1
                print(f"packet {number} ({packet['kind']}), {field}: Weir {value!r}, python-ndn {said[field]!r}")
    print(f"{len(packets)} packets, {wrong} differences")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE", help="compare packets that Weir encoded")
    parser.add_argument("--out", type=Path, default=OUT, help="where to write the vectors")
    args = parser.parse_args()
    if args.check:
        sys.exit(1 if check(args.check) else 0)
    args.out.write_text(json.dumps(make(), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
