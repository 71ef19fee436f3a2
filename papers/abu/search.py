#!/usr/bin/env python3
"""Searches what Abu, Bensaou and Abdelmoniem leave open: one setting for both schemes and all figures.

Scores the paper's claims as `weir reproduce abu` does, for every setting below, and writes a table, best first.

    cargo build --release
    python3 papers/abu/search.py papers/abu/search.csv

`--seeds` takes fewer seeds than the ten of the score, for speed, and `--only 0 3` some settings.
Needs Python 3.9 or later and nothing else.
"""

import argparse
import csv
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: The greatest probability of the PIT controller's RED.
PROBABILITIES = ["0.02", "0.1", "0.5", "1"]
#: How the sizes of contents vary around their mean, which alone is printed; 9.94 MB are 7000 chunks. The first is what
#: ProWGen's users take.
SIZES = {
    "usual": '{ lognormal_pareto = { mean = "9940kB", deviation = "15620kB", start = "14200kB", max = "142MB" } }',
    "no tail": '{ lognormal_pareto = { mean = "9940kB", deviation = "15620kB", tail = 0, start = "14200kB" } }',
    "exponential": '{ exponential = "9940kB" }',
    "no tail, deviation = mean": '{ lognormal_pareto = { mean = "9940kB", deviation = "9940kB", tail = 0, start = "14200kB" } }',
    "no tail, deviation = mean / 2": '{ lognormal_pareto = { mean = "9940kB", deviation = "4970kB", tail = 0, start = "14200kB" } }',
}
#: First the probability, then the sizes with the best one.
TRIED = [(p, "usual") for p in PROBABILITIES] + [("1", law) for law in list(SIZES)[1:]]
CLAIMS = [f"A-{n:02}" for n in range(1, 32)]


def score(weir, settings, seeds):
    """The verdict of each claim, and how many of its parts hold."""
    command = [str(weir), "reproduce", "abu", "--json", "-", "--quiet", "--jobs", "1", "--seeds", seeds]
    for claim in CLAIMS:
        command += ["--claim", claim]
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
    parser.add_argument("--only", type=int, nargs="*", help="numbers of the settings, from 0")
    arguments = parser.parse_args()
    rows = []
    for number, (probability, law) in enumerate(TRIED):
        if arguments.only is not None and number not in arguments.only:
            continue
        chosen = {"max_probability": probability, "sizes": law, "seeds": arguments.seeds}
        settings = [f"scheme.monitor.max_probability={probability}"]
        settings += [f"workload.{i}.prowgen.size={SIZES[law]}" for i in (0, 1)]
        claims = score(arguments.weir, settings, arguments.seeds)
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
