#!/usr/bin/env bash
# Runs every fuzz target of the module: those that read what strangers send for the whole time, the others, and the demo's, for a tenth
# of it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
whole='^(FuzzReader|FuzzUnmarshalEvent|FuzzUnmarshalRunAgentInput|FuzzParse)$'

# fuzz DIR TARGET SECONDS. On a busy machine `go test` may stop a worker in the middle of an input when the time is up, and then
# reports that deadline as a failure. A real finding always names the input it has written.
fuzz() {
  local out
  echo "fuzz $1 $2 for $3s"
  if out=$(go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$3s" </dev/null 2>&1); then
    tail -n 1 <<<"$out"
  elif grep -q 'context deadline exceeded' <<<"$out" && ! grep -qE 'Failing input written|panic:|DATA RACE|_test.go:' <<<"$out"; then
    echo "ok  	$1	the time was up in the middle of an input"
  else
    echo "$out"
    return 1
  fi
}

grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' --exclude-dir=node_modules . | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | while read -r target; do
    time=$seconds
    [[ $target =~ $whole && $dir != ./demo/* ]] || time=$(((seconds + 9) / 10))
    fuzz "$dir" "$target" "$time"
  done
done
