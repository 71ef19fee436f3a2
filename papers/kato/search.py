#!/usr/bin/env python3
"""Searches what Kato and Bandai leave open, on all claims of a network together.

The paper was made with ndnSIM 1.0. It does not say how its leaky buckets leak (ndnSIM's do so by a timer, in ticks of
random phase), whether a change of the rate moves an Interest that is waiting for its time, nor how far consumers are
from perfectly periodic; and the network of its Fig. 10, on which Figs. 11 to 17 rest, is not in the text. This script
scores the claims as `weir reproduce kato` does, first those of a single consumer (K-01 to K-18) for each way to leak and to
change the rate, then, with the best of these, those of several consumers (K-19 to K-28) for each
delay between the first two routers, and jitter. It writes a table, best first.

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
DELAY = ["25ms", "20ms", "10ms"]
JITTER = ["0.005", "0.02", "0.1"]
SINGLE = [f"K-{n:02}" for n in range(1, 19)]
SHARED = [f"K-{n:02}" for n in range(19, 29)]


def score(weir, claims, settings):
    """The verdicts of some claims for one setting, counted."""
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
    verdicts = {claim: verdicts[claim] for claim in claims}
    count = {word: sum(v == word for v in verdicts.values()) for word in ("reproduced", "partly", "not")}
    return count | {"others": " ".join(f"{i}:{v}" for i, v in sorted(verdicts.items()) if v != "reproduced")}


def schemes(baseline, proposed):
    """Both methods, with what a change of the rate does."""
    one = '{ scheme = "%s", "consumer.rate_change" = "%s" }'
    both = f"sf = {one % ('stateful-forwarding', baseline)}, kato = {one % ('kato', proposed)}"
    return f"vary.scheme.values={{ {both} }}"


def main():
    """Runs all settings and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    arguments = parser.parse_args()
    names = ("claims", "leak", "change_sf", "change_kato", "delay", "jitter")
    rows = []
    for leak, change in itertools.product(LEAK, RATE_CHANGE):
        settings = [f'scheme.strategy.leak="{leak}"', schemes(*change)]
        chosen = ("K-01..K-18", leak, *change, "", "0")
        rows.append(dict(zip(names, chosen)) | score(arguments.weir, SINGLE, settings))
        print(*rows[-1].values(), flush=True)
    best = max(rows, key=lambda row: (row["reproduced"], row["partly"]))
    leak, change = best["leak"], (best["change_sf"], best["change_kato"])
    for delay, jitter in itertools.product(DELAY, JITTER):
        settings = [f'scheme.strategy.leak="{leak}"', schemes(*change), f"consumer.jitter={jitter}"]
        settings += [f'topology.link.0.delay="{delay}"']
        chosen = ("K-19..K-28", leak, *change, delay, jitter)
        rows.append(dict(zip(names, chosen)) | score(arguments.weir, SHARED, settings))
        print(*rows[-1].values(), flush=True)
        write(arguments.table, rows)


def write(table, rows):
    """Best first."""
    rows = sorted(rows, key=lambda row: (row["claims"], -row["reproduced"], -row["partly"]))
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
