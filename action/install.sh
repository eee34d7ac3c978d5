#!/usr/bin/env bash
# The gate's own environment, new for every use of the action: nothing of it is on PATH, nothing is shared between jobs.
# Wheels only, by hash: no build backend runs, and what is installed is what requirements.lock says. With
# KGATE_WHEELHOUSE they come from that folder and from nowhere else.
# Writes the outputs `gate` (its interpreter) and `results` (a folder for reports).
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="$(mktemp -d "$RUNNER_TEMP/kgate.XXXXXX")"
gate="$folder/venv/bin/python"
from=()
if [ -n "${KGATE_WHEELHOUSE:-}" ]; then from=(--no-index --find-links "$KGATE_WHEELHOUSE"); fi

python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 10) and "kgate needs Python 3.10 or newer as python3")'
python3 -I -m venv "$folder/venv"
"$gate" -I -m pip install --quiet --disable-pip-version-check --no-input --no-compile "${from[@]}" \
  --require-hashes --only-binary :all: --no-deps --requirement "$here/action/requirements.lock"
"$gate" -I -c 'import pathlib, sys, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "kgate.pth").write_text(sys.argv[1] + "\n")' "$here"

mkdir "$folder/results"
printf 'gate=%s\nresults=%s\n' "$gate" "$folder/results" >>"$GITHUB_OUTPUT"
