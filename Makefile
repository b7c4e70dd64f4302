# Two commands do everything on a machine with Go and Node 20 or newer:
#   make demo   builds and starts the demo on http://127.0.0.1:8420
#   make test   installs what the tests need and runs all of them

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo build web go test test-go test-web test-conformance test-browser fuzz lint check bench faults clean

WEB_INSTALLED := web/node_modules/.package-lock.json
WEB_BUILT := web/dist/index.html
FUZZ_SECONDS ?= 20
# The race detector watches everything but the C of SQLite in Go, which it would slow down twenty times; its locks are seen all the same.
RACE := -race -gcflags=modernc.org/...=-race=false
ARGS ?=
# Where each suite notes what it skipped, and why.
SKIPPED := $(CURDIR)/bin/skipped

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 24

demo: build ## build and start the demo (ARGS="--log FILE" for a log of your own)
	./bin/pageside demo $(ARGS)

build: web go ## build the web part and bin/pageside

go: ## build bin/pageside with whatever web part is there
	go build -trimpath -o bin/pageside ./cmd/pageside

web: $(WEB_BUILT)

$(WEB_INSTALLED): web/package.json web/package-lock.json $(wildcard web/*/*/package.json) $(wildcard web/conformance/package.json)
	cd web && ../scripts/retry.sh npm ci --no-audit --no-fund
	@touch $@

$(WEB_BUILT): $(WEB_INSTALLED) $(shell find web/packages web/apps -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null)
	cd web && npm run --silent build

test: check test-go test-web test-conformance test-browser ## everything
	@go run ./test/skipped sum $(addprefix $(SKIPPED)/,go web conformance browser)

check: $(WEB_INSTALLED) ## formatting, vet, staticcheck, tidy, types, lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt'ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go vet -tags conformance ./cmd/pageside
	go mod tidy -diff
	go run ./test/width
	cd web && npm run typecheck && npm run lint

test-go: ## Go tests with the race detector, then each fuzz target for FUZZ_SECONDS or a tenth of it
	set -o pipefail; go test -json $(RACE) -timeout 20m ./... | go run ./test/skipped go $(SKIPPED)/go
	./scripts/fuzz.sh $(FUZZ_SECONDS)

test-web: build ## unit tests, sizes and packaging of the web part
	@rm -rf $(SKIPPED)/web
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/web npm test && npm run size && npm run packages

test-conformance: $(WEB_INSTALLED) ## the stock AG-UI clients against the real binary
	go build -tags conformance -o bin/pageside-conformance ./cmd/pageside
	@rm -rf $(SKIPPED)/conformance
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/conformance npm run conformance

test-browser: build ## the demo, the script tag and every state of the tray in a real browser
	./scripts/chromium.sh
	go build -trimpath -o bin/ ./examples/gotemplate ./examples/plain
	@rm -rf $(SKIPPED)/browser
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/browser npm run browser

bench: ## measure the server beside the yardstick; see bench/README.md
	./scripts/bench.sh

faults: ## kill, cut, fill and stall, long: FAULTS=20% for a fifth of it; see docs/reliability.md
	cd test/faults && FAULTS=$${FAULTS:-long} go test -count=1 -timeout 3h
	PAGESIDE_TEST_CUTS=1000 go test -count=1 -run PowerCut -v ./store/sqlstore

clean: ## remove what was built
	rm -rf bin web/node_modules web/dist/assets web/dist/index.html web/packages/*/dist web/test-results
