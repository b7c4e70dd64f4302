#!/usr/bin/env bash
# Makes sure that a Chromium is there for the browser tests: installs Debian's as root, else says what is missing.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
if CI="" node "$here/../web/scripts/chromium.mjs" 2>/dev/null; then exit 0; fi
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing Chromium for the browser tests"
  export DEBIAN_FRONTEND=noninteractive
  install() { "$here/retry.sh" apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 "$1" fonts-dejavu-core >/dev/null; }
  "$here/retry.sh" apt-get update -qq
  # Only Debian has the shell.
  { apt-cache show chromium-headless-shell >/dev/null 2>&1 && install chromium-headless-shell; } || install chromium
  exit 0
fi
exec node "$here/../web/scripts/chromium.mjs"
