#!/usr/bin/env bash
# Mode `report`: joins what the legs have measured, judges it by base's values, and ends with the verdict's exit code.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/quiet.sh"

forget
# Without a base nothing would be demanded, and without a folder the checkout would be taken for one.
if [ -z "$KGATE_BASE" ] || [ -z "$KGATE_LEGS" ]; then
  echo "kgate: mode report needs the inputs base and legs" >&2
  exit 2
fi
mkdir -p "$KGATE_LEGS"
chosen=(--base "$KGATE_BASE" --head "${KGATE_HEAD:-HEAD}" --shards "${KGATE_SHARDS:-1}" --needs "$KGATE_NEEDS")
if [ -s "$KGATE_REVIEWS" ]; then chosen+=(--reviews "$KGATE_REVIEWS"); fi
if [ -n "$KGATE_PROOFS" ]; then chosen+=(--proofs "$KGATE_PROOFS"); fi
quietly "$KGATE_GATE" -I -m kgate report "${chosen[@]}" --out "$KGATE_RESULTS" -- "$KGATE_LEGS"
code=$?
quietly "$KGATE_GATE" -I -m kgate.github.summary "$KGATE_RESULTS" "$code"
exit "$code"
