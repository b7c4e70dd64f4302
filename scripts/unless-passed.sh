#!/usr/bin/env bash
# Runs a suite unless it has passed with the same files, tools and settings, as `go test` does with
# a package:
#   scripts/unless-passed.sh NAME UNREAD COMMAND
# UNREAD is an extended regular expression for files that the suite does not read. The digest of all
# others stands in bin/passed/NAME. ANEW=1 runs the suite all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
passed=bin/passed/$1 unread=$2 command=$3

# A file that is gone has a digest, too: the message that says so.
digest() {
  {
    echo "$command"
    go version
    node --version
    env | grep -E '^(PAGESIDE_|CI=|LANG=|TZ=)' || true
    ls -d ../shared 2>/dev/null || true
    git ls-files -z --cached --others --exclude-standard | grep -zvE "$unread" | LC_ALL=C sort -zu | xargs -0 sha256sum 2>&1 || true
  } | sha256sum
}

before=$(digest)
if [[ -z ${ANEW:-} && -f $passed && $(<"$passed") == "$before" ]]; then
  echo "(passed before with the same files: ANEW=1 runs it again)"
  exit 0
fi
rm -f "$passed"
bash -c "$command"
# What was edited meanwhile may not have been read.
if [[ $(digest) == "$before" ]]; then mkdir -p "${passed%/*}" && echo "$before" >"$passed"; fi
