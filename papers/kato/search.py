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
    python3 papers/kato/search.py papers/kato/search-delays.csv --delays

The second line tries other delays of the links of hosts with the best setting of the first, and writes what is measured, too. Its
table has the settings that were run with forty seeds.

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
#: Links between the first routers, to Con2, to the producers; phase; what a change of the rate does under the proposed method.
DELAYS = [
    *(("25ms", f"{con2}ms", "12ms", "0.3ms", "now") for con2 in (1, 2, 3, 4, 5)),
    *(("25ms", "5ms", pro, "0.3ms", "now") for pro in ("10ms", "11ms", "14ms")),
    *(("25ms", "5ms", pro, "0.31ms", "now") for pro in ("12ms", "13ms", "14ms", "15ms")),
    *(("25ms", "5ms", pro, "0.3ms", "cut") for pro in ("10ms", "15ms")),
    *(("25ms", "5ms", pro, phase, "cut") for pro, phase in (("12ms", "0.3ms"), ("15ms", "0.31ms"))),
    *((delay, "5ms", "12ms", "0.3ms", "now") for delay in ("20ms", "24ms")),
    ("26ms", "4ms", "12ms", "0.3ms", "now"),
    ("25ms", "4ms", "13ms", "0.3ms", "now"),
    ("25ms", "4ms", "14ms", "0.31ms", "now"),
    ("25ms", "1ms", "15ms", "0.3ms", "now"),
]
#: What their table shows of what is measured.
SHOWN = ["K-20", "K-21", "K-22", "K-23", "K-24", "K-26", "K-27"]
#: The links to Con2 and to the producers, by network.
LINKS = [((6, 7, 8, 9), range(10, 18)), ((4, 5, 8, 9), range(10, 18))]
SINGLE = [f"K-{n:02}" for n in range(1, 19)]
#: The claims of several consumers, and the places of the second group in the list of workloads, by network.
SHARED = [([f"K-{n}" for n in range(19, 26)], (4, 5, 6, 7)), ([f"K-{n}" for n in range(26, 29)], (2, 3, 6, 7))]


def verdicts_of(weir, claims, settings):
    """The verdicts of some claims for one setting."""
    return {claim: found["verdict"] for claim, found in scored(weir, claims, settings).items()}


def scored(weir, claims, settings):
    """Some claims as scored for one setting."""
    command = [str(weir), "reproduce", "kato", "--json", "-", "--quiet", "--jobs", "1"]
    for claim in claims:
        command += ["--claim", claim]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = {claim["id"]: claim for claim in json.loads(done.stdout)["claims"]}
    except (json.JSONDecodeError, KeyError) as error:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from error
    return {claim: found[claim] for claim in claims}


def short(value):
    """What was measured, in a cell."""
    if isinstance(value, dict):
        return " / ".join(map(short, value.values()))
    return "Yn"[not value] if isinstance(value, bool) else f"{value:.4g}" if isinstance(value, float) else str(value)


def try_delays(weir, table):
    """Runs the settings of DELAYS and writes their table."""
    rows = []
    for delay, con2, pro, phase, change in DELAYS:
        found = {}
        for (claims, places), (to_con2, to_producers) in zip(SHARED, LINKS):
            settings = [schemes("next", change), f'topology.link.0.delay="{delay}"']
            settings += [f'topology.link.{link}.delay="{con2}"' for link in to_con2]
            settings += [f'topology.link.{link}.delay="{pro}"' for link in to_producers]
            settings += [f'workload.{place}.fetch.start="{begin(phase)}"' for place in places]
            found |= scored(weir, claims, settings)
        row = {"delay": delay, "con2": con2, "pro": pro, "phase": phase, "change_kato": change}
        met = {claim: score["verdict"] == "reproduced" for claim, score in found.items()}
        row |= {"reproduced": sum(met.values()), "others": " ".join(claim for claim, holds in met.items() if not holds)}
        rows.append(row | {claim: short(found[claim]["measured"]) for claim in SHOWN})
        print(*rows[-1].values(), flush=True)
    rows.sort(key=lambda row: -row["reproduced"])
    save(table, rows)


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
    parser.add_argument("--delays", action="store_true", help="try delays of the links of hosts")
    arguments = parser.parse_args()
    if arguments.delays:
        try_delays(arguments.weir, arguments.table)
        return
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
    save(table, sorted(rows, key=lambda row: (row["claims"], -int(row["reproduced"]), -int(row["partly"]))))


def save(table, rows):
    """The rows as they are."""
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
