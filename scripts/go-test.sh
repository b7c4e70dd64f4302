#!/usr/bin/env bash
# Runs the Go tests and notes what they skipped in a folder: scripts/go-test.sh short|long FOLDER
#
# short: every test once, those of a sample where there are thousands of cases. The race detector
# watches the packages in which several things happen at once, but for those it slows down too much.
# long: everything, all cases, all of it under the race detector.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 skipped=$2

# The detector does not watch the C of SQLite in Go, which it would slow down twenty times. It sees
# SQLite's locks all the same.
race=(-race -gcflags=modernc.org/...=-race=false)
watched='/(agent|run|server|store|inspect|suggest|tool|page|payload|llm|internal)$|/internal/|/agent/prompt$'

# Each route for each person: thousands of requests, one after the other.
unwatched='^(TestAuthorisation|TestRolesOnEveryRoute|TestEveryStreamEndsWithItsToken)$'

# `make check`, which runs beside it, vets.
short() {
  local failed=0 options=(-json -short -vet=off -timeout 10m)
  go list ./... | grep -E "$watched" | xargs go test "${options[@]}" "${race[@]}" -skip "$unwatched" || failed=1
  go list ./... | grep -vE "$watched" | xargs go test "${options[@]}" || failed=1
  go test "${options[@]}" -run "$unwatched" ./server || failed=1
  return $failed
}

long() { go test -json "${race[@]}" -timeout 25m ./...; }

"$version" | go run ./test/skipped go "$skipped"
