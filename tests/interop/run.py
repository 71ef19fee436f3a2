#!/usr/bin/env python3
"""Lets Weir work with other NDN software, and says what came of it.

    python3 tests/interop/run.py [--weir PATH] [--ndnd PATH] [--size BYTES] [--all] [CASE ...]

Needs a built `weir`; setup.sh beside this file installs python-ndn, ndnd and NDNts. A case whose peer is missing is skipped,
and said to be; with --all it fails. Exit code 1 if any case fails.
"""

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import CASES
from peers import HERE, Case


def missing(needs, arguments):
    there = {
        "python-ndn": importlib.util.find_spec("ndn") is not None,
        "ndnd": arguments.ndnd is not None,
        "NDNts": (HERE / "node_modules").exists() and shutil.which("node") is not None,
    }
    return [peer for peer in needs if not there[peer]]


def attempt(act, arguments):
    """Runs a case; gives what it says, or raises an AssertionError that has the ends of all logs."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(arguments, folder)
        try:
            return act(case)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            case.stop()
            logs = [f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in Path(folder).glob("*.log")]
            raise AssertionError("\n".join([str(error), *sorted(logs)])) from error
        finally:
            case.stop()


def main():
    parser = argparse.ArgumentParser(description="Weir with other NDN software")
    parser.add_argument("--weir", default="target/release/weir")
    parser.add_argument("--ndnd", default=shutil.which("ndnd"))
    parser.add_argument("--size", type=int, default=20_000_000, help="bytes of the files that are fetched")
    parser.add_argument("--all", action="store_true", help="every peer must be there")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"no case is called {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    # Peers run in folders of their own.
    arguments.weir = str(Path(arguments.weir).resolve())
    arguments.ndnd = arguments.ndnd and str(Path(arguments.ndnd).resolve())
    passed, failed, skipped = 0, 0, 0
    for name in arguments.cases or CASES:
        act, needs = CASES[name]
        lacking = missing(needs, arguments)
        if lacking and not arguments.all:
            skipped += 1
            print(f"{name}: skipped, without {', '.join(lacking)}", flush=True)
            continue
        try:
            assert not lacking, f"{', '.join(lacking)} is not installed"
            print(f"{name}: {attempt(act, arguments)}", flush=True)
            passed += 1
        except AssertionError as error:
            print(f"{name}: FAILED: {error}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
