#!/usr/bin/env bash
# Makes sure that a Chromium is there for the browser tests: installs Debian's as root, else says what is missing.
set -euo pipefail
for candidate in "${CHROMIUM_PATH:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome \
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
  if [ -n "$candidate" ] && [ -x "$candidate" ]; then exit 0; fi
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing Chromium for the browser tests"
  here="$(cd "$(dirname "$0")" && pwd)"
  export DEBIAN_FRONTEND=noninteractive
  "$here/retry.sh" apt-get update -qq
  "$here/retry.sh" apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 chromium fonts-dejavu-core >/dev/null
  exit 0
fi
echo "The browser tests need Chromium or Chrome: install it (Debian: apt install chromium; macOS: brew install --cask chromium) or set CHROMIUM_PATH." >&2
exit 1
