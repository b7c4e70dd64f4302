#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | while read -r target; do
    echo "fuzz $dir $target for $time"
    go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
  done
done
