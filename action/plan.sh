#!/usr/bin/env bash
# Mode `plan`: which jobs a run needs, as a workflow's matrix, and the plan that each of them is given. Starts nothing of
# the repository's.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/quiet.sh"

forget
quietly "$KGATE_GATE" -I -m kgate plan || exit
cp "$(git rev-parse --show-toplevel)/.kgate/plan.json" "$KGATE_RESULTS/plan.json" || exit
matrix="$("$KGATE_GATE" -I -m kgate plan --matrix)" || exit
"$KGATE_GATE" -I -m kgate.github.outputs "matrix=$matrix" "plan=$KGATE_RESULTS/plan.json" "exit-code=0"
