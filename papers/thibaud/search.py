#!/usr/bin/env python3
"""Compares settings of what Thibaud et al. leave open, on all claims together.

    cargo build --release
    python3 papers/thibaud/search.py papers/thibaud/search.csv --seeds 1

The first row is the setting of the studies as they stand; each other row changes one thing in all studies that have it. The
table has the count of each verdict, best setting first, and the claims that are not reproduced. Needs Python 3.9 or later
and nothing else.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ["first-loss", "first-marks", "timeouts", "one-user", "two-users", "nine-users"]
WHOLE = ["one-user", "two-users", "nine-users"]
SHARED = ["first-marks", *WHOLE]
ALL = [*SHARED, "first-loss"]


def everywhere(studies, path, value):
    """One change in several studies."""
    return [(study, path, value) for study in studies]


def timeout(check):
    """How often the consumers look for timeouts."""
    rule = f'{{ name = "rfc6298", min = "200ms", check = "{check}" }}'
    return everywhere(ALL, "scheme.timeout", rule) + [("timeouts", "vary.timeout.values.rfc6298", rule)]


def marking(value):
    """A parameter of the consumer PCON-CS."""
    return everywhere(SHARED, "vary.control.values.pcon-cs.guard_marks", value)


def shares(name, value):
    """A parameter of PCON-FS."""
    path = f"vary.strategy.values.pcon-fs.{name}"
    return everywhere(WHOLE, path, value) + [("first-marks", f"scheme.strategy.{name}", value)]


def cores(queue):
    """The queues of the links that nine users share."""
    return [("nine-users", f"topology.link.{link}.queue", queue) for link in ("r1-r2", "r1-r3")]


SETTINGS = {
    "as the studies stand": [],
    "guard 0": everywhere([*SHARED, "timeouts", "first-loss"], "consumer.guard", "0"),
    "guard 1": everywhere([*SHARED, "timeouts", "first-loss"], "consumer.guard", "1"),
    "timeouts at once": timeout("0s"),
    "timeouts every 10 ms": timeout("10ms"),
    "timeouts every 50 ms": timeout("50ms"),
    "frames of a Data together": everywhere([*ALL, "timeouts"], "scheme.queue.frames", "together"),
    "marks cut once in a round trip": marking("true"),
    "user 2 behind 10 ms": [("two-users", "topology.link.1.delay", "10ms")],
    "user 2 behind 20 ms": [("two-users", "topology.link.1.delay", "20ms")],
    "user 2 behind 25 ms": [("two-users", "topology.link.1.delay", "25ms")],
    "user 2 behind 27 ms": [("two-users", "topology.link.1.delay", "27ms")],
    "user 2 behind 30 ms": [("two-users", "topology.link.1.delay", "30ms")],
    "user 2 behind 35 ms": [("two-users", "topology.link.1.delay", "35ms")],
    "DRF with fractions, at random": everywhere(WHOLE, "vary.strategy.values.drf.whole", "false"),
    "DRF with fractions, in turn": everywhere(WHOLE, "vary.strategy.values.drf", '{ name = "drf", pick = "turn" }'),
    "DRF whole, in turn": everywhere(WHOLE, "vary.strategy.values.drf.pick", "turn"),
    "PCON-FS without the own Interest": shares("count_own", "false"),
    "PCON-FS 2 %": shares("change", "0.02"),
    "PCON-FS at random": shares("pick", "random"),
    "PCON-FS gives nothing back": shares("return_share", "0"),
    "nine users, core of 120 frames": cores("120p"),
    "nine users, core of 240 frames": cores("240p"),
    "nine users, core of 1440 frames": cores("1440p"),
    "nine users, links of 240 frames": cores("720p")
    + [("nine-users", f"topology.link.{link}.queue", "240p") for link in range(2, 11)],
}


def score(weir, study, seeds, changes):
    """The verdict of each claim of one study."""
    text = (ROOT / f"papers/thibaud/{study}.toml").read_text()
    claims = re.findall(r'^id = "(T-[^"]+)"', text, re.MULTILINE)
    command = [str(weir), "reproduce", "thibaud", "--json", "-", "--quiet", "--jobs", "1"]
    command += ["--set", f"run.seeds={list(range(1, seeds + 1))}"]
    command += [word for claim in claims for word in ("--claim", claim)]
    command += [word for path, value in changes for word in ("--set", f"{path}={value}")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["claims"]
    except (json.JSONDecodeError, KeyError) as error:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from error
    return {claim["id"]: claim["verdict"] for claim in found if claim["id"] in claims}


def main():
    """Runs all settings and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    parser.add_argument("--seeds", type=int, default=1, help="so many, from 1 on")
    arguments = parser.parse_args()
    rows = []
    known = {}
    for name, changes in SETTINGS.items():
        verdicts = {}
        for study in STUDIES:
            mine = tuple((path, value) for where, path, value in changes if where == study)
            if (study, mine) not in known:
                known[study, mine] = score(arguments.weir, study, arguments.seeds, mine)
            verdicts |= known[study, mine]
        counts = {kind: list(verdicts.values()).count(kind) for kind in ("reproduced", "partly", "not", "missing")}
        missed = " ".join(claim for claim, verdict in verdicts.items() if verdict != "reproduced")
        rows.append({"setting": name} | counts | {"not reproduced": missed})
        print(*rows[-1].values(), flush=True)
    rows.sort(key=lambda row: (-row["reproduced"], -row["partly"]))
    with arguments.table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
