#!/usr/bin/env python3
"""Searches what Kato and Bandai leave open, on all claims of a network together.

The paper was made with ndnSIM 1.0. It does not say how its leaky buckets leak (ndnSIM's do so by a timer, in ticks of
random phase), whether a change of the rate moves an Interest that is waiting for its time, nor how far consumers are
from perfectly periodic; and the network of its Fig. 10, on which Figs. 11 to 17 rest, is not in the text. Consumers that
send an Interest each millisecond meet the bucket in one order for ever, so it matters at which part of a millisecond
the second group begins. This script
scores the claims as `weir reproduce kato` does, first those of a single consumer (K-01 to K-18) for each way to leak and to
change the rate, then, with the best of these, those of several consumers (K-19 to K-28) for each
delay between the first two routers, jitter, and phase of the second group. It writes a table, best first. Settings that the table already has are not run again.

    cargo build --release
    python3 papers/kato/search.py papers/kato/search.csv

Needs Python 3.9 or later and nothing else.
"""

import argparse
import csv
import itertools
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAK = ["ticks", "continuous"]
#: What a change of the rate does to the Interest that waits: under Stateful Forwarding, under the proposed method.
RATE_CHANGE = [("next", "cut"), ("next", "next"), ("next", "now"), ("cut", "cut"), ("now", "now")]
#: Delay of the link between the first and the second router of Fig. 10.
DELAY = ["25ms", "20ms", "12ms", "10ms"]
JITTER = ["0", "0.001", "0.005", "0.02", "0.1"]
#: When the second group begins, after 3 s: at any time within a millisecond, or at this one.
PHASE = ["any", "0.2ms", "0.25ms", "0.3ms", "0.35ms", "0.4ms", "0.6ms", "0.65ms"]
SINGLE = [f"K-{n:02}" for n in range(1, 19)]
#: The claims of several consumers, and the places of the second group in the list of workloads, by network.
SHARED = [([f"K-{n}" for n in range(19, 26)], (4, 5, 6, 7)), ([f"K-{n}" for n in range(26, 29)], (2, 3, 6, 7))]


def verdicts_of(weir, claims, settings):
    """The verdicts of some claims for one setting."""
    command = [str(weir), "reproduce", "kato", "--json", "-", "--quiet", "--jobs", "1"]
    for claim in claims:
        command += ["--claim", claim]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        verdicts = {claim["id"]: claim["verdict"] for claim in json.loads(done.stdout)["claims"]}
    except (json.JSONDecodeError, KeyError) as error:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from error
    return {claim: verdicts[claim] for claim in claims}


def counted(verdicts):
    """How many of each, and which are not reproduced."""
    count = {word: sum(v == word for v in verdicts.values()) for word in ("reproduced", "partly", "not")}
    return count | {"others": " ".join(f"{i}:{v}" for i, v in sorted(verdicts.items()) if v != "reproduced")}


def schemes(baseline, proposed):
    """Both methods, with what a change of the rate does."""
    one = '{ scheme = "%s", "consumer.rate_change" = "%s" }'
    both = f"sf = {one % ('stateful-forwarding', baseline)}, kato = {one % ('kato', proposed)}"
    return f"vary.scheme.values={{ {both} }}"


def begin(phase):
    """When a consumer of the second group begins."""
    return "3s..3.001s" if phase == "any" else f"{3000 + float(phase.removesuffix('ms'))}ms"


def main():
    """Runs all settings and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    arguments = parser.parse_args()
    names = ("claims", "leak", "change_sf", "change_kato", "delay", "jitter", "phase")
    rows = list(csv.DictReader(arguments.table.open())) if arguments.table.exists() else []
    known = {tuple(row[name] for name in names) for row in rows}
    for leak, change in itertools.product(LEAK, RATE_CHANGE):
        settings = [f'scheme.strategy.leak="{leak}"', schemes(*change)]
        chosen = ("K-01..K-18", leak, *change, "", "0", "")
        if chosen in known:
            continue
        rows.append(dict(zip(names, chosen)) | counted(verdicts_of(arguments.weir, SINGLE, settings)))
        print(*rows[-1].values(), flush=True)
    single = [row for row in rows if row["claims"] == "K-01..K-18"]
    best = max(single, key=lambda row: (int(row["reproduced"]), int(row["partly"])))
    leak, change = best["leak"], (best["change_sf"], best["change_kato"])
    for delay, jitter, phase in itertools.product(DELAY, JITTER, PHASE):
        settings = [f'scheme.strategy.leak="{leak}"', schemes(*change), f"consumer.jitter={jitter}"]
        settings += [f'topology.link.0.delay="{delay}"']
        chosen = ("K-19..K-28", leak, *change, delay, jitter, phase)
        if chosen in known:
            continue
        verdicts = {}
        for claims, places in SHARED:
            starts = [f'workload.{place}.fetch.start="{begin(phase)}"' for place in places]
            verdicts |= verdicts_of(arguments.weir, claims, settings + starts)
        rows.append(dict(zip(names, chosen)) | counted(verdicts))
        print(*rows[-1].values(), flush=True)
        write(arguments.table, rows)


def write(table, rows):
    """Best first."""
    rows = sorted(rows, key=lambda row: (row["claims"], -int(row["reproduced"]), -int(row["partly"])))
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
