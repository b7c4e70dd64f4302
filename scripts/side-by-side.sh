#!/usr/bin/env bash
# Runs make targets, two at a time, in this order:
#   scripts/side-by-side.sh test-browser test-go check
# Each target's output goes to bin/log/TARGET.log. Says when a target begins and how long it took,
# shows which tests of a failed one failed and how its log ends, and goes on with the others: one
# run tells everything that fails. Nothing is tried twice.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p bin/log
failures=$(mktemp) claims=$(mktemp -d)
trap 'rm -rf "$failures" "$claims"' EXIT
trap 'kill 0' INT TERM

target() {
  local name=$1 began=$SECONDS log=bin/log/$1.log
  echo "  …     $name"
  if make --no-print-directory "$name" >"$log" 2>&1 </dev/null; then
    printf '  ok    %-18s %4d s %s\n' "$name" $((SECONDS - began)) "$(grep '^(passed before' "$log")"
    return
  fi
  echo "$name" >>"$failures"
  # In one piece, whatever the other lane prints meanwhile.
  printf '  FAIL  %-18s %4d s\n%s\n%s ends with:\n%s\n' "$name" $((SECONDS - began)) "$(failed "$log")" "$log" \
    "$(tail -n 120 "$log" | cut -c 1-400)"
}

# Lists the failed tests in a log of go test, vitest or node:test.
failed() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | grep -E '^ *(--- FAIL|FAIL |not ok|× |✗ |AssertionError|Error: |TestingLibraryElementError|.*: error)' |
    cut -c 1-400 | head -n 40
}

# Runs the targets that the other lane has not claimed.
lane() {
  for name in "$@"; do mkdir "$claims/$name" 2>/dev/null && target "$name"; done
}

lane "$@" & lane "$@" &
wait

if [[ -s $failures ]]; then
  echo "failed: $(sort -u "$failures" | paste -sd ' ' -)"
  exit 1
fi
