#!/usr/bin/env python3
"""Compares settings of what Thibaud et al. leave open, on all claims together.

    cargo build --release
    python3 papers/thibaud/search.py table.csv --seeds 1..3

Each row is one setting of all studies: how often marks may cut, the guard after a cut, the delay of user 2's link and how
DRF picks. The table has the count of each verdict, best setting first. Needs Python 3.9 or later and nothing else.
"""

import argparse
import csv
import itertools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ["first-loss", "first-marks", "timeouts", "one-user", "two-users", "nine-users"]
#: Studies that have the axis or link of a setting.
CROSSED = {"one-user", "two-users", "nine-users"}
DRF = {"one-user", "two-users", "nine-users"}


def settings(study, guard_marks, guard, delay, pick):
    """What to set in one study."""
    sets = [f"consumer.guard={guard}"] if study != "first-loss" else []
    if study in CROSSED:
        sets.append(f"vary.control.values.pcon-cs.guard_marks={guard_marks}")
    if study in DRF:
        sets.append(f"vary.strategy.values.drf.pick={pick}")
    if study == "two-users":
        sets.append(f"topology.link.1.delay={delay}ms")
    return sets


def score(weir, study, seeds, sets, out):
    """The numbers of claims reproduced, partly and not, of one study."""
    command = [str(weir), "run", str(ROOT / f"papers/thibaud/{study}.toml"), "--seeds", seeds, "--out", str(out)]
    for one in sets:
        command += ["--set", one]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"(\d+) reproduced, (\d+) partly, (\d+) not", done.stdout)
    if not found:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return [int(count) for count in found.groups()]


def main():
    """Runs all settings and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    parser.add_argument("--seeds", default="1..3")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/thibaud-search")
    arguments = parser.parse_args()
    names = ("guard_marks", "guard", "delay", "pick")
    rows = []
    for setting in itertools.product(("false", "true"), (0, 0.5), (10, 20, 30), ("turn", "random")):
        counts = [0, 0, 0]
        for study in STUDIES:
            new = score(arguments.weir, study, arguments.seeds, settings(study, *setting), arguments.out)
            counts = [a + b for a, b in zip(counts, new)]
        rows.append(dict(zip(names, setting)) | dict(zip(("reproduced", "partly", "not"), counts)))
        print(*setting, *counts, flush=True)
    rows.sort(key=lambda row: (-row["reproduced"], -row["partly"]))
    with arguments.table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
