#!/usr/bin/env bash
# Runs every fuzz target of the module: those that read what strangers send for the whole time, the others, and the demo's, for a tenth
# of it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
whole='^(FuzzReader|FuzzUnmarshalEvent|FuzzUnmarshalRunAgentInput|FuzzParse)$'

# What only a finding prints: a test's own words, a crash, a seed that fails, code that does not build.
finding='_test\.go:|panic:|fatal error:|DATA RACE|failure while testing seed corpus|\[(build|setup) failed\]'

# fuzz DIR TARGET SECONDS. When the time is up Go stops its workers, and on a busy machine takes one that is in the middle of an input for
# a failure, in words that differ. Such an input, if there is one, does not fail when it is tried alone.
fuzz() {
  local out input began=$SECONDS
  echo "fuzz $1 $2 for $3s"
  if out=$(go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$3s" </dev/null 2>&1); then
    tail -n 1 <<<"$out"
    return
  fi
  input=$(sed -nE 's|.*Failing input written to (testdata/fuzz/.*)$|\1|p' <<<"$out" | tail -n 1)
  if grep -qE "$finding" <<<"$out" || ((SECONDS - began < $3)); then
    echo "$out"
    return 1
  fi
  if [[ -n $input ]]; then
    if ! go test "$1" -count=3 -run "^$2\$/^${input##*/}\$" </dev/null; then
      echo "$out"
      return 1
    fi
    rm "$1/$input"
  fi
  echo "ok  	$1	the time was up in the middle of an input"
}

grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' --exclude-dir=node_modules . | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | sed 's/^func //' | while read -r target; do
    time=$seconds
    [[ $target =~ $whole && $dir != ./demo/* ]] || time=$(((seconds + 9) / 10))
    fuzz "$dir" "$target" "$time"
  done
done
