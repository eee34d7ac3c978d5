#!/usr/bin/env bash
# The script of the mode that was asked for.
set -uo pipefail

case "$KGATE_MODE" in
  check | plan | measure | report) exec bash "$(dirname "${BASH_SOURCE[0]}")/$KGATE_MODE.sh" ;;
esac
echo "kgate: mode: it is none of check, plan, measure and report" >&2
exit 2
