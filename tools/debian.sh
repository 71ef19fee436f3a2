#!/usr/bin/env bash
# Makes sure that programs from Debian packages are there: tools/debian.sh PACKAGE...
# Installs those that are missing (as root, or by sudo); says plainly what to install where that is not possible.
set -euo pipefail

missing=()
for package in "$@"; do
    # The program has the package's name, except where it is said here.
    case $package in
        iproute2) program=ip ;;
        *) program=$package ;;
    esac
    PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "needed and not found: ${missing[*]}. Install them with your system's package manager." >&2
    exit 1
fi
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install=("${as_root[@]}" apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}")
# Package lists may be old or absent: then fetch them once and try again.
"${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update --quiet=2 && "${install[@]}" >/dev/null; }
