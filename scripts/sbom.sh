#!/usr/bin/env bash
# Writes the bill of materials of a binary, for any system: scripts/sbom.sh BINARY DOCUMENT
set -euo pipefail
binary=$(realpath "$1") document=$(realpath -m "$2")
cd "$(dirname "$0")/.."
go run ./test/supply -only "licences,bill of materials" -binary "$binary" -sbom "$document"
