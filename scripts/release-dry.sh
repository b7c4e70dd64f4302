#!/usr/bin/env bash
# Makes a release, all but publishing it: bin/release then has the clone with its two commits and
# its tag, the npm packages, and what goreleaser builds. To be run after `make build`, by
# `make release-dry`.
#
#   GORELEASER  the command; a pinned version is fetched without it
#   RELEASE_STEPS  what to do after the commits, in this order: install npm unit image binaries
#
# Why the web part is committed in the release and nowhere else: docs/adr/0050-*.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly MODULE=github.com/pageside/pageside
version=$(node -p 'require("./web/packages/core/package.json").version')
out=$PWD/bin/release src=$PWD/bin/release/src
goreleaser=${GORELEASER:-go run github.com/goreleaser/goreleaser/v2@v2.16.0}
steps=${RELEASE_STEPS:-install npm unit image binaries}

step() { printf '\n%s\n' "== $*"; }
fail() { echo "release: $*" >&2; exit 1; }

# Clones HEAD and commits there twice: the changelog's heading, which main gets, and the built web
# part, which only the tag has. The clone borrows no objects: it is the context of the image, where
# Go reads the commit.
commit_release() {
  [[ -z $(git status --porcelain) ]] || fail "the tree has changes that are not committed"
  [[ -s web/dist/pageside.js && -s web/dist/docs/index.html ]] ||
    fail "the web part is not built: make build"
  go run ./web/pack
  rm -rf "$out" && mkdir -p "$out"
  git clone --quiet --dissociate . "$src"
  cp web/packed/dist.zip "$src/web/packed/"
  cd "$src"
  git remote set-url origin "https://$MODULE.git" # nothing here is pushed to the checkout
  git config user.name >/dev/null || git config user.name Pageside
  git config user.email >/dev/null || git config user.email release@pageside.invalid
  if ! grep -q "^## $version " CHANGELOG.md; then
    awk -v heading="## $version — $(date -u +%F)" \
      '{ print } $0 == "## Unreleased" { print "\n" heading }' CHANGELOG.md >CHANGELOG.new
    mv CHANGELOG.new CHANGELOG.md
    git commit --quiet --all --message "release: $version"
  elif [[ $(section "## Unreleased") =~ [^[:space:]] ]]; then
    echo "release: CHANGELOG.md has $version already: its notes lack what is under Unreleased" >&2
  fi
  section "## $version " >"$out/notes.md"
  grep -q '[^[:space:]]' "$out/notes.md" || fail "CHANGELOG.md says nothing of $version"
  local before after
  before=$(git rev-parse HEAD)
  git add --force web/packed/dist.zip
  git commit --quiet --message "release: $version with the built web part"
  git tag --annotate "v$version" --message "Pageside $version"
  after=$(git rev-list --objects HEAD "^$before" | git pack-objects --stdout -q | wc -c)
  echo "v$version: the built web part is $(du -k web/packed/dist.zip | cut -f1) kB," \
    "$((after / 1000)) kB in the repository"
  cd - >/dev/null
}

# Prints a section of the changelog without its heading, which begins as said.
section() {
  awk -v heading="$1" \
    'index($0, "## ") == 1 { found = index($0, heading) == 1; next } found' CHANGELOG.md
}

# Installs the tag as `go install MODULE/cmd/pageside@VERSION` does, with the clone in the place of
# GitHub, and looks at what it serves.
try_install() {
  local cache=$out/modcache bin=$out/gobin
  (
    cd /
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url."file://$src".insteadOf
    export GIT_CONFIG_VALUE_0="https://$MODULE"
    # A module cache of its own: the tag of one run must not be found by the next. Other modules
    # come from the usual cache if they are there.
    GOPROXY="file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)" \
      GOMODCACHE=$cache GOPRIVATE=$MODULE GOBIN=$bin CGO_ENABLED=0 \
      GOFLAGS="-trimpath -modcacherw" go install "$MODULE/cmd/pageside@v$version"
  )
  "$bin/pageside" version | grep -F "pageside v$version," ||
    fail "its version is $("$bin/pageside" version)"
  serves_web_part "$bin/pageside"
  echo "its module is $(wc -c <"$cache/cache/download/$MODULE/@v/v$version.zip") bytes to download"
  rm -rf "$cache"
}

# Starts a binary's demo and compares the web part that it serves with the built one.
serves_web_part() {
  local log=$out/demo.log path url pid
  "$1" demo --listen 127.0.0.1:0 >"$log" 2>&1 &
  pid=$!
  for _ in $(seq 300); do
    url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$log" | head -n 1) && break
    sleep 0.2
  done
  for path in index.html pageside.js docs/guide/README.html; do
    curl -fsS "$url/${path#index.html}" | cmp - "web/dist/$path" ||
      { kill "$pid"; fail "$path is not the built one"; }
  done
  kill "$pid"
  wait "$pid" || true
  echo "the page, /pageside.js and /docs are those that were built"
}

pack() { (cd web && npm run --silent packages -- --out "$out/npm"); }

# The unit names a program that may not be installed here; everything else of it must be known to
# systemd.
check_unit() {
  command -v systemd-analyze >/dev/null || { echo "no systemd here: not checked"; return; }
  sed "s|/usr/local/bin/pageside|$PWD/bin/pageside|" packaging/pageside.service \
    >"$out/pageside.service"
  systemd-analyze verify "$out/pageside.service"
  rm "$out/pageside.service"
  echo "packaging/pageside.service: systemd takes all of it"
}

build_image() {
  docker info >/dev/null 2>&1 || { echo "no Docker daemon here: the image is not built"; return; }
  docker build --tag "pageside:$version" "$src"
  docker run --rm "pageside:$version" version
}

build_binaries() {
  (cd "$src" &&
    $goreleaser release --clean --skip=publish,announce --release-notes "$out/notes.md")
  mv "$src/bin/goreleaser" "$out/goreleaser"
  (cd "$out/goreleaser" && sha256sum --check --quiet checksums.txt &&
    ls -l pageside_* homebrew/Formula)
}

step "the release's commits and its tag" && commit_release
for name in $steps; do
  case $name in
    install) step "go install $MODULE/cmd/pageside@v$version" && try_install ;;
    npm) step "npm packages" && pack ;;
    unit) step "systemd unit" && check_unit ;;
    image) step "container image" && build_image ;;
    binaries) step "binaries, checksums, bills of materials, Homebrew formula" && build_binaries ;;
    *) fail "no step is called $name" ;;
  esac
done
step "Nothing is published. bin/release has everything; CONTRIBUTING.md says how it is published."
