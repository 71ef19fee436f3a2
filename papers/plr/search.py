#!/usr/bin/env python3
"""Searches the settings that Chen et al. leave open, one setting for all four algorithms.

The paper's Fig. 6 gives link rates and delays that its text does not repeat, and nobody states what a consumer does
about a loss notice. This script runs the paper's studies for every combination below with one seed and writes, per
combination, each claim's measured numbers and how many claims and parts of claims agree.

    cargo build --release
    python3 papers/plr/search.py single --out papers/plr/search-single.csv
    python3 papers/plr/search.py bursts --out papers/plr/search-bursts.csv

Needs Python 3.9 or later and nothing else. Rows already in the output file are kept and not run again.
"""

import argparse
import csv
import itertools
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]

COMMON = {
    "timeout": ["ndnsim", "rfc6298"],
    "on_notice": ["decrease", "ignore"],
    "notice_timer": ["keep", "restart"],
}

#: What is tried on the single path (Figs. 7 and 8, P-01 to P-11).
SINGLE = {
    "access_rate": ["10Mbps", "20Mbps", "30Mbps", "40Mbps", "50Mbps"],
    "core_rate": ["100Mbps", "1Gbps"],
    "delays": ["5ms/5ms", "10ms/5ms", "5ms/10ms", "10ms/10ms", "1ms/10ms", "10ms/20ms", "20ms/10ms"],
    **COMMON,
}

#: What is tried for the bursts (Fig. 9, P-12 to P-17). The rates satisfy the text's 75 Mbit/s = access0 + 35 Mbit/s.
BURSTS = {
    "access1_rate": ["35Mbps", "40Mbps", "50Mbps", "100Mbps"],
    "middle_rate": ["45Mbps", "50Mbps", "60Mbps", "70Mbps"],
    "delays": ["1ms/10ms", "5ms/10ms", "10ms/10ms", "10ms/5ms", "5ms/5ms"],
    **COMMON,
}

CLAIMS = {
    "single": ["P-01", "P-02", "P-03", "P-04", "P-05", "P-06", "P-07", "P-08", "P-09", "P-10", "P-11", "P-18"],
    "bursts": ["P-12", "P-13", "P-14", "P-15", "P-16", "P-17"],
}


def overrides(study, setting):
    """The `--set` arguments that put `setting` into every study of the paper."""
    first, second = setting["delays"].split("/")
    common = {
        "scheme.timeout": setting["timeout"],
        "scheme.control.on_notice": setting["on_notice"],
        "consumer.notice_timer": setting["notice_timer"],
    }
    if study == "single":
        links = {"0.rate": setting["access_rate"], "0.delay": first, "1.rate": setting["core_rate"], "1.delay": second}
    else:
        links = {"1.rate": setting["access1_rate"], "2.rate": setting["middle_rate"], "2.delay": second}
        links |= {f"{i}.delay": first for i in (0, 1, 3, 4)}
    paths = {**common, **{f"topology.link.{path}": value for path, value in links.items()}}
    return [arg for path, value in paths.items() for arg in ("--set", f'{path}="{value}"')]


def score(weir, study, setting):
    """One row of the table: the setting, the counts, and every measured number."""
    claims = [arg for claim in CLAIMS[study] for arg in ("--claim", claim)]
    command = [str(weir), "reproduce", "plr", "--seeds", "1", "--jobs", "1", "--quiet", "--json", "-", *claims]
    command += ["--out", f"{ROOT}/out/search/{'-'.join(setting.values()).replace('/', '+')}"]
    done = subprocess.run(command + overrides(study, setting), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    found = json.loads(done.stdout)["claims"]
    row = dict(setting)
    row["reproduced"] = sum(claim["verdict"] == "reproduced" for claim in found)
    row["partly"] = sum(claim["verdict"] == "partly" for claim in found)
    for claim in found:
        measured = claim["measured"]
        parts = measured.items() if isinstance(measured, dict) else [("", measured)]
        for label, value in parts:
            row[f"{claim['id']} {label}".strip()] = value if not isinstance(value, float) else round(value, 4)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=["single", "bursts"])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="CSV table to write")
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    axes = SINGLE if args.study == "single" else BURSTS
    settings = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    rows = list(csv.DictReader(args.out.open())) if args.out.exists() else []
    known = {tuple(row[axis] for axis in axes) for row in rows}
    todo = [s for s in settings if tuple(s.values()) not in known]
    with ThreadPoolExecutor(args.jobs) as pool:
        for i, row in enumerate(pool.map(lambda s: score(args.weir, args.study, s), todo), 1):
            rows.append(row)
            if i % 20 == 0 or i == len(todo):
                write(args.out, rows)
                print(f"{i}/{len(todo)}", file=sys.stderr)


def write(path, rows):
    """Writes the table, best settings first."""
    rows.sort(key=lambda row: (-int(row["reproduced"]), -int(row["partly"])))
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(dict.fromkeys(key for row in rows for key in row)))
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
