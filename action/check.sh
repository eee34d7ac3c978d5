#!/usr/bin/env bash
# Mode `check`: runs the gate, shows what it says, and ends with its exit code, whatever becomes of summary and outputs.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/quiet.sh"

forget
quietly "$KGATE_GATE" -I -m kgate check
code=$?
quietly "$KGATE_GATE" -I -m kgate.github.summary "$KGATE_RESULTS" "$code"
exit "$code"
