#!/usr/bin/env bash
# Empties Go's build cache where the disk has less room than a run of all tests needs:
#   scripts/room.sh GIGABYTES
# Go keeps what it built for five days, and mutants and fuzzing build a lot: without this, a machine
# that tests often fills its disk, and tests then fail in ways that look like faults.
set -euo pipefail
needed=$1
cache=$(go env GOCACHE)

free() { df --output=avail --block-size=1G "$1" | tail -n 1 | tr -d ' '; }

mkdir -p "$cache"
before=$(free "$cache")
((before >= needed)) && exit 0
go clean -cache
echo "room: $before GB were free, now $(free "$cache"): Go's build cache was emptied"
if (("$(free "${TMPDIR:-/tmp}")" < needed)); then
  echo "room: less than $needed GB are free in ${TMPDIR:-/tmp}: tests may fail for want of room" >&2
fi
