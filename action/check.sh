#!/usr/bin/env bash
# Runs the gate, shows what it says, and ends with its exit code, whatever becomes of summary and outputs.
set -uo pipefail

# On a machine that is not made anew, an earlier job's report must not pass for this one's.
rm -f "$KGATE_RESULTS/report.json" "$KGATE_RESULTS/report.txt" "$KGATE_RESULTS/comment.md"

# What a report quotes is data: until the word comes again, the runner obeys no command found in the log.
word="$("$KGATE_GATE" -I -c 'import secrets; print(secrets.token_hex(16))')"
echo "::stop-commands::$word"
"$KGATE_GATE" -I -m kgate check
code=$?
"$KGATE_GATE" -I -m kgate.github.summary "$KGATE_RESULTS" "$code"
echo "::$word::"
exit "$code"
