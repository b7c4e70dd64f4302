#!/usr/bin/env bash
# Runs a command that fetches something, once more after a moment where it fails, and a third time: networks have hiccups.
#   scripts/retry.sh npm ci
set -uo pipefail
for pause in 5 20 ""; do
  "$@" && exit 0
  status=$?
  [ -z "$pause" ] && break
  echo "failed with $status, once more in $pause s: $*" >&2
  sleep "$pause"
done
echo "failed three times: $*" >&2
exit "$status"
