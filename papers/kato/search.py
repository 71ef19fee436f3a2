#!/usr/bin/env python3
"""Searches what Kato and Bandai leave open: one setting for both methods and all figures.

The paper was made with ndnSIM 1.0. It does not say how its leaky buckets leak (ndnSIM's do so by a timer, in ticks of
random phase), whether a change of the rate moves an Interest that is waiting for its time, nor how far consumers are
from perfectly periodic. This script scores the paper's claims as `weir reproduce kato` does, for every combination
below, and writes a table, best first.

    cargo build --release
    python3 papers/kato/search.py papers/kato/search.csv

`jitter` of a single consumer (Tables 1 and 2, Figs. 6 to 9) and of several that share a link (Figs. 11 to 17) may differ:
a second consumer is what perfect periods lock with. Needs Python 3.9 or later and nothing else.
"""

import argparse
import csv
import itertools
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAK = ["continuous", "ticks"]
RATE_CHANGE = ["next", "now"]
JITTER = ["0", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]
#: Claims of the studies with one consumer.
SINGLE = {f"K-{n:02}" for n in range(1, 19)}


def score(weir, leak, change, jitter):
    """The verdict of each claim for one setting."""
    command = [str(weir), "reproduce", "kato", "--json", "-", "--quiet"]
    for path, value in (("strategy.leak", leak),):
        command += ["--set", f'scheme.{path}="{value}"']
    command += ["--set", f'consumer.rate_change="{change}"', "--set", f"consumer.jitter={jitter}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return {claim["id"]: claim["verdict"] for claim in json.loads(done.stdout)["claims"]}
    except (json.JSONDecodeError, KeyError) as error:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from error


def main():
    """Runs all settings and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    arguments = parser.parse_args()
    rows = []
    for leak, change in itertools.product(LEAK, RATE_CHANGE):
        verdicts = {jitter: score(arguments.weir, leak, change, jitter) for jitter in JITTER}
        for single, shared in itertools.product(JITTER, JITTER):
            mixed = {i: v for i, v in verdicts[single].items() if i in SINGLE}
            mixed |= {i: v for i, v in verdicts[shared].items() if i not in SINGLE}
            count = {word: sum(v == word for v in mixed.values()) for word in ("reproduced", "partly", "not")}
            others = " ".join(f"{i}:{v}" for i, v in sorted(mixed.items()) if v != "reproduced")
            names = ("leak", "rate_change", "jitter_single", "jitter_shared")
            rows.append(dict(zip(names, (leak, change, single, shared))) | count | {"others": others})
        print(leak, change, "done", flush=True)
    rows.sort(key=lambda row: (-row["reproduced"], -row["partly"]))
    with arguments.table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
