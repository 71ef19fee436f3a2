#!/usr/bin/env python3
"""Searches what Li (PFECC) leaves open, and writes which claims each setting reproduces, best first within each group.

Four groups, each searched with the others as the studies have them:

    routers    marker, order of service and rate window of PFECC's queue, the same in all studies
    others     PCON's window law and its cut, in all studies with PCON; the weight of the past of CF
    dumbbell   rate and delays of the network of Fig. 4, and the length of names (the size of Interests)
    abilene    rates of the network of Fig. 11

    cargo build --release
    python3 papers/pfecc/search.py papers/pfecc/search.csv [GROUP ...]

Needs Python 3.9 or later and nothing else. Verdicts are those of `weir reproduce pfecc`, over two seeds.
"""

import argparse
import csv
import itertools
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Claims by study, and where its file has PFECC's queues.
STUDIES = {
    "interests": (["F-01", "F-02"], ["scheme.queue"]),
    "single-path": (["F-03", "F-04", "F-05"], ["vary.scheme.values.pfecc.queue"]),
    "window": (["F-18"], ["scheme.queue"]),
    "multipath": (["F-06"], ["vary.scheme.values.pfecc.queue", "vary.scheme.values.pfecc.host_queue"]),
    "split": (
        [f"F-{n:02}" for n in range(7, 17)],
        ["vary.forwarding.values.pfecc.queue", "vary.forwarding.values.pfecc.host_queue"],
    ),
    "change": (["F-19"], ["scheme.queue", "scheme.host_queue"]),
    "abilene": (["F-17"], ["vary.scheme.values.pfecc.queue", "vary.scheme.values.pfecc.host_queue"]),
}
#: Where studies have PCON's consumer.
PCON = {
    "multipath": ["vary.scheme.values.pcon-1.control", "vary.scheme.values.pcon-2.control"],
    "split": ["vary.forwarding.values.cf.control", "vary.forwarding.values.pi.control"],
    "abilene": ["vary.scheme.values.pcon.control"],
}
GROUPS = {
    "routers": {
        "marker": ["random", "token"],
        "service": ["fifo", "flows"],
        "window": ["10ms", "20ms", "40ms"],
    },
    "others": {
        "law": ["aimd", "bic", "cubic"],
        "beta": [0.5, 0.8],
        "guard_marks": [True, False],
        "alpha": [0.9, 0.99],
    },
    "dumbbell": {
        "rate": ["10Mbps", "50Mbps", "90Mbps", "100Mbps"],
        "delays": ["10ms 5ms 5ms", "5ms 5ms 10ms", "10ms 5ms 20ms"],
        "name": ["/pfecc/producer", "/pfecc/producer/interests-are-counted"],
    },
    "split": {"ties": ["random", "first"], "payload": ["1000B", "1024B", "1040B", "1100B"]},
    "abilene": {"core": ["20Mbps", "50Mbps", "100Mbps"], "producers": ["10Mbps", "20Mbps", "100Mbps"]},
}


def changes(group, setting):
    """By study: `path=value` for all that the setting changes there."""
    text = json.dumps
    if group == "routers":
        return {
            study: [f"{place}.{key}={text(value)}" for place in places for key, value in setting.items()]
            for study, (_, places) in STUDIES.items()
        }
    if group == "others":
        control = {key: setting[key] for key in ("law", "beta", "guard_marks")}
        found = {
            study: [f"{place}.{key}={text(value)}" for place in places for key, value in control.items()]
            for study, places in PCON.items()
        }
        found["split"].append(f"vary.forwarding.values.cf.strategy.alpha={setting['alpha']}")
        return found
    if group == "dumbbell":
        middle, consumers, producers = setting["delays"].split()
        delays = {0: consumers, 1: producers, "bottleneck": middle, 3: consumers, 4: producers}
        found = [f"topology.link.{link}.delay={text(delay)}" for link, delay in delays.items()]
        found.append(f"topology.link.bottleneck.rate={text(setting['rate'])}")
        found += [f"workload.flow{n}.fetch.name={text(setting['name'] + '/' + str(n))}" for n in (1, 2)]
        return {"interests": found}
    if group == "split":
        pi = f'vary.forwarding.values.pi.strategy={{ name = "fewest-pending", ties = "{setting["ties"]}" }}'
        payload = f"workload.consumer.fetch.payload={text(setting['payload'])}"
        return {"split": [pi, payload], "change": [payload]}
    return {
        "abilene": [
            f"topology.abilene.rate={text(setting['core'])}",
            f"topology.hosts.0.rate={text(setting['producers'])}",
        ]
    }


def score(weir, study, sets, known):
    """The verdict of each claim of a study; equal changes are scored once."""
    key = (study, tuple(sets))
    if key not in known:
        command = [str(weir), "reproduce", "pfecc", "--json", "-", "--quiet", "--set", "run.seeds=[1,2]"]
        claims = STUDIES[study][0]
        command += [word for claim in claims for word in ("--claim", claim)]
        command += [word for change in sets for word in ("--set", change)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            found = json.loads(done.stdout)["claims"]
        except (json.JSONDecodeError, KeyError) as error:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from error
        known[key] = {claim["id"]: claim["verdict"] for claim in found if claim["id"] in claims}
    return known[key]


def search(weir, group):
    """Rows of one group, best first."""
    names, known, rows = list(GROUPS[group]), {}, []
    for values in itertools.product(*GROUPS[group].values()):
        setting = dict(zip(names, values))
        verdicts = {}
        for study, sets in changes(group, setting).items():
            verdicts |= score(weir, study, sets, known)
        count = {word: sum(v == word for v in verdicts.values()) for word in ("reproduced", "partly", "not")}
        others = " ".join(f"{i}:{v}" for i, v in sorted(verdicts.items()) if v != "reproduced")
        words = " ".join(f"{key}={value}" for key, value in setting.items())
        rows.append({"group": group, "setting": words} | count | {"others": others})
        print(rows[-1], flush=True)
    return sorted(rows, key=lambda row: (-row["reproduced"], -row["partly"]))


def main():
    """Searches the groups and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("groups", nargs="*", default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--weir", type=pathlib.Path, default=ROOT / "target/release/weir")
    arguments = parser.parse_args()
    rows = [row for group in arguments.groups for row in search(arguments.weir, group)]
    with arguments.table.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
