#!/usr/bin/env bash
# Runs the Go tests and notes what they skipped in a folder: scripts/go-test.sh short|long FOLDER
#
# short: every test once, always with the same random choices. The race detector watches the
# packages in which several things happen at once.
# long: everything, also what chance and time decide, shuffled, under the race detector where there
# are goroutines. test/faults is a target of its own: `make long-faults`.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 skipped=$2

# The detector does not watch the C of SQLite in Go, which it would slow down twenty times. It sees
# SQLite's locks all the same.
race=(-race -gcflags=modernc.org/...=-race=false)
watched='/(agent|run|run/eventlog|server|inspect|suggest|tool)$|/internal/(egress|guard|sse)$'

# Nothing of their own happens at once in these, and their long tests read every prefix of long
# texts, or answer hundreds of questions one after the other.
alone='/(agui|payload|llm/openai|internal/(jsonx|schema)|demo|bench/prompts|test/(mutants|supply))$'

# Each route for each person, thousands of requests, megabytes, every prefix of recordings, and every
# damage of a file, one after the other; and what reads or compiles the sources of all packages.
unwatched='^(TestAuthorisation|TestRolesOnEveryRoute|TestEveryStreamEndsWithItsToken|TestModelThatSendsTooMuch'
unwatched+='|TestWhatIsKeptIsBounded|TestLongReportsPlay|TestInjections|TestForgedApprovals|TestEveryDoor'
unwatched+='|TestFilesPointDown|TestDocumentedGoCompiles|TestAnyChangeOfTheList|TestRecordingsCutAnywhere|TestQuestionsOfPages'
unwatched+='|TestAgreesWithTheModel|TestTampering)$'

# Temporary files go to memory where there is plenty: no test but the store's is about the disk.
memory() {
  local free
  free=$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1) || return 0
  if ((${free:-0} >= 4)); then mkdir -p /dev/shm/pageside && export TMPDIR=/dev/shm/pageside GOTMPDIR=${GOTMPDIR:-/tmp}; fi
}

# `make check`, which runs beside it, vets.
short() {
  local failed=0 options=(-json -short -vet=off -timeout 10m)
  go test "${options[@]}" ./store/sqlstore || failed=1
  memory
  go list ./... | grep -E "$watched" | xargs go test "${options[@]}" "${race[@]}" -skip "$unwatched" || failed=1
  # It asks the go command about all packages, which the cache of test results does not see.
  go test -count=1 "${options[@]}" . || failed=1
  go list ./... | grep -vE "$watched|/store/sqlstore$|/pageside/pageside$" | xargs go test "${options[@]}" || failed=1
  go test "${options[@]}" -run "$unwatched" ./agent ./inspect ./run ./server || failed=1
  return $failed
}

long() {
  local failed=0 options=(-json -shuffle=on -timeout 25m)
  go list ./... | grep -vE "$alone|/test/faults$" | xargs go test "${options[@]}" "${race[@]}" -skip "$unwatched" || failed=1
  go list ./... | grep -E "$alone" | xargs go test "${options[@]}" || failed=1
  go test "${options[@]}" -run "$unwatched" ./agent ./cmd/pageside ./demo/research ./inspect ./llm/... ./run ./server \
    ./store/sqlstore ./test/hostile || failed=1
  return $failed
}

"$version" | go run ./test/skipped go "$skipped"
