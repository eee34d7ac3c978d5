# Sourced by the scripts of the modes. Needs KGATE_GATE.

# Runs its arguments and shows what they print, as data: until a word comes that nobody can guess, the runner obeys no
# command found in the log, and what looks like one is broken besides. Ends with the arguments' exit code.
quietly() {
  local word code
  word="$("$KGATE_GATE" -I -c 'import secrets; print(secrets.token_hex(16))')"
  echo "::stop-commands::$word"
  "$@" 2>&1 | "$KGATE_GATE" -I -m kgate.github.log
  code=${PIPESTATUS[0]}
  echo "::$word::"
  return "$code"
}

# On a machine that is not made anew, an earlier job's report must not pass for this one's.
forget() {
  mkdir -p "$KGATE_RESULTS"
  rm -f "$KGATE_RESULTS"/{report.json,report.txt,comment.md,ledger.jsonl}
}
