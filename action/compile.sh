#!/usr/bin/env bash
# Compiles, shows what the gate says, and ends with its exit code.
set -uo pipefail

# What compilers write is data: until the word comes again, the runner obeys no command found in the log.
word="$("$KGATE_GATE" -I -c 'import secrets; print(secrets.token_hex(16))')"
echo "::stop-commands::$word"
"$KGATE_GATE" -I -m kgate compile
code=$?
echo "::$word::"
printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
exit "$code"
