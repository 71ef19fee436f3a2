#!/usr/bin/env python3
"""Searches what Abu, Bensaou and Abdelmoniem leave open: one setting for both schemes and all figures.

Scores the paper's claims as `weir reproduce abu` does, for every combination below, and writes a table, best first.

    cargo build --release
    python3 papers/abu/search.py papers/abu/search.csv

`--seeds` takes fewer seeds than the ten of the score, for speed. Needs Python 3.9 or later and nothing else.
"""

import argparse
import csv
import itertools
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: What is tried: a name for the table, and its values as settings of the studies.
TRIED = {
    # "Slightly larger" than the longest round trip.
    "factor": {f: [f"scheme.timeout.factor={f}"] for f in ("1.1", "1.5", "2")},
    # The greatest probability of the PIT controller's RED.
    "max_probability": {p: [f"scheme.monitor.max_probability={p}"] for p in ("0.02", "0.1", "1")},
    # "Similar to TCP": does slow start end by itself?
    "ssthresh": {w: [f"scheme.control.initial_ssthresh={w}"] for w in ("8", "64", "inf")},
    # A cut in so many round trips.
    "guard": {g: [f"consumer.guard={g}"] for g in ("0", "0.5")},
}


def score(weir, settings, seeds):
    """The verdict of each claim, and how many of its parts hold."""
    command = [str(weir), "reproduce", "abu", "--json", "-", "--quiet", "--jobs", "1", "--seeds", seeds]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return {claim["id"]: claim for claim in json.loads(done.stdout)["claims"]}
    except (json.JSONDecodeError, KeyError) as error:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from error


def main():
    """Runs all settings and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    parser.add_argument("--seeds", default="1..10")
    arguments = parser.parse_args()
    rows = []
    for values in itertools.product(*(options.items() for options in TRIED.values())):
        chosen = dict(zip(TRIED, (label for label, _ in values)))
        claims = score(arguments.weir, [s for _, settings in values for s in settings], arguments.seeds)
        words = [claim["verdict"] for claim in claims.values()]
        count = {word: words.count(word) for word in ("reproduced", "partly", "not")}
        others = " ".join(f"{i}:{c['verdict']}" for i, c in sorted(claims.items()) if c["verdict"] != "reproduced")
        rows.append(chosen | count | {"others": others})
        print(chosen, count, flush=True)
        rows.sort(key=lambda row: (-row["reproduced"], -row["partly"]))
        with arguments.table.open("w", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
