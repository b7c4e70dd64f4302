#!/usr/bin/env bash
# Runs every fuzz target of the module: those that read what strangers send for the whole time, the others for a quarter of it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
whole='^(FuzzReader|FuzzUnmarshalEvent|FuzzUnmarshalRunAgentInput|FuzzParse)$'
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' --exclude-dir=node_modules . | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | while read -r target; do
    time=$seconds
    [[ $target =~ $whole ]] || time=$(((seconds + 3) / 4))
    echo "fuzz $dir $target for ${time}s"
    go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "${time}s" </dev/null | tail -n 2
  done
done
