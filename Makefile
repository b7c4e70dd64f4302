# Two commands do everything on a machine with Go and Node 20 or newer:
#   make demo   builds and starts the demo on http://127.0.0.1:8420
#   make test   installs what the tests need and runs them: the same each time, whatever the clock says
# make test-long tries what chance, time and length decide.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo build web docs go examples test test-long check test-go test-web test-conformance test-browser \
	test-axe long-go fuzz long-faults long-mutants long-web long-browser long-clients mutants audit bench \
	bench-scale bench-misery faults weight version release-dry clean

WEB_INSTALLED := web/node_modules/.package-lock.json
WEB_BUILT := web/dist/index.html
# The same sources give the same bytes in any folder, so that what one checkout has built serves the
# next; -s leaves symbols out, which stack traces and `pageside version` do without.
export GOFLAGS := $(GOFLAGS) -trimpath
COMMIT := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
BUILD_FLAGS := -trimpath -ldflags=-s
FUZZ_SECONDS ?= 20
ARGS ?=
# Where each suite notes what it skipped, and why.
SKIPPED := $(CURDIR)/bin/skipped

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 24

demo: build ## build and start the demo (ARGS="--log FILE" for a log of your own)
	./bin/pageside demo $(ARGS)

build: web docs go ## build the web part and bin/pageside

go: ## build bin/pageside with whatever web part is there
	go run ./web/pack
	CGO_ENABLED=0 go build -ldflags="-s -X main.commit=$(COMMIT)" -o bin/pageside ./cmd/pageside

web: $(WEB_BUILT)

$(WEB_INSTALLED): web/package.json web/package-lock.json $(wildcard web/*/*/package.json) $(wildcard web/conformance/package.json)
	cd web && ../scripts/retry.sh npm ci --no-audit --no-fund
	@touch $@

DOCS_BUILT := web/dist/docs/index.html

docs: $(DOCS_BUILT) ## make the documentation's site in web/dist/docs; the demo serves it at /docs

$(DOCS_BUILT): $(WEB_BUILT) $(shell find docs -name '*.md') $(wildcard docs/site/*)
	go run ./docs/site -out $(@D)
	cp web/node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2 $(@D)/inter.woff2

$(WEB_BUILT): $(WEB_INSTALLED) $(shell find web/packages web/apps -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null)
	cd web && npm run --silent build

test: build ## what decides whether a change lands: no chance, no clock
	@./scripts/side-by-side.sh test-browser test-web test-go test-axe check test-conformance
	@go run ./test/skipped sum $(addprefix $(SKIPPED)/,go web conformance browser)

# Its random choices are new each time; PAGESIDE_SEED repeats those of an earlier run.
test-long: build ## what chance, time and length prove: new seeds, fuzzing, all cases, faults, mutants
	@export PAGESIDE_SEED=$${PAGESIDE_SEED:-$$(date +%s)} && echo "PAGESIDE_SEED=$$PAGESIDE_SEED" && \
	./scripts/side-by-side.sh long-go long-browser long-clients fuzz long-web long-faults audit long-mutants
	@go run ./test/skipped sum $(addprefix $(SKIPPED)/,long-go long-web long-browser)

check: $(WEB_INSTALLED) ## formatting, vet, staticcheck, tidy, types, lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt'ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go vet -tags conformance ./cmd/pageside
	go tool staticcheck ./...
	go mod tidy -diff
	go run ./test/width
	cd web && npm run --silent typecheck && npm run --silent lint

test-go: ## Go tests, the race detector beside those that race
	./scripts/go-test.sh short $(SKIPPED)/go

# The suites of the web part that have passed already are not run again, as Go's are not.
UNLESS_PASSED := @./scripts/unless-passed.sh

test-web: build ## unit tests, sizes and packaging of the web part
	$(UNLESS_PASSED) web '\.(go|txtar)$$' 'rm -rf $(SKIPPED)/web && \
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/web npm test && npm run size && npm run packages'

test-conformance: $(WEB_INSTALLED) ## the stock AG-UI clients against the real binary
	$(UNLESS_PASSED) conformance '(_test\.go|\.txtar)$$' 'rm -rf $(SKIPPED)/conformance && \
	go build -tags conformance -o bin/pageside-conformance ./cmd/pageside && \
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/conformance npm run conformance'

test-browser: build examples ## the demo, the script tag and the tray in a real browser
	./scripts/chromium.sh
	$(UNLESS_PASSED) browser '(_test\.go|\.txtar)$$' 'rm -rf $(SKIPPED)/browser && \
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/browser npm run browser'

test-axe: $(WEB_INSTALLED) ## axe on each state of the tray, in one of the modes
	./scripts/chromium.sh
	$(UNLESS_PASSED) axe '\.(go|txtar)$$' 'cd web && npm run axe -- --sample'

long-go: ## all Go tests with all their cases, shuffled, with the race detector where there are goroutines
	./scripts/go-test.sh long $(SKIPPED)/long-go

fuzz: ## each fuzz target for FUZZ_SECONDS, or a tenth of it
	./scripts/fuzz.sh $(FUZZ_SECONDS)

long-faults: ## the programs that kill, cut, fill and stall, for a share of their long counts
	FAULTS=$${FAULTS:-2%} go test -count=1 -timeout 20m ./test/faults
	PAGESIDE_TEST_CUTS=400 go test -count=1 -run PowerCut ./store/sqlstore

long-mutants: ## a sample of the changes that a test must notice
	go run ./test/mutants -sample

long-web: build ## the web part's tests of every byte and every prefix, and once more with React 18
	@rm -rf $(SKIPPED)/long-web
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/long-web npm run test:long

# The applications of others beside whose pages browsers look at the tray.
examples:
	CGO_ENABLED=0 go build $(BUILD_FLAGS) -o bin/ ./examples/embedded ./examples/gotemplate ./examples/plain

long-browser: build examples ## axe on every state of the tray in every mode, and its pictures in wild pages
	./scripts/chromium.sh
	@rm -rf $(SKIPPED)/long-browser
	cd web && PAGESIDE_SKIPPED=$(SKIPPED)/long-browser PAGESIDE_LONG=1 npm run browser:long

long-clients: build ## front ends that others wrote, as npm has them, against the real binary
	./scripts/chromium.sh
	cd web/clients && ../../scripts/retry.sh npm ci --no-audit --no-fund
	cd web/clients && PAGESIDE_LONG=1 npm test

mutants: ## break the code in many ways, each of which a test must notice (RUN=taint for some)
	go run ./test/mutants -run '$(RUN)'

audit: build ## what the binary is made of: vulnerabilities (GOVULNDB=file://…), licences, bill of materials, size
	go run ./test/supply -binary bin/pageside -build "$(BUILD_FLAGS)" -sbom bin/pageside.cdx.json

weight: ## how much there is of the product: lines, depth of imports, types that know too much
	@go run ./test/weight

bench: ## measure the server beside the yardstick; see bench/README.md
	./scripts/bench.sh

bench-scale: ## how the server's cost grows with followers, runs, tokens, threads (ARGS="--only threads --large")
	./scripts/bench.sh scale $(ARGS)

bench-misery: ## what others bear beside stalled readers, searches and a user who floods
	./scripts/bench.sh misery $(ARGS)

faults: ## kill, cut, fill and stall, long: FAULTS=20% for a fifth of it; see docs/reliability.md
	cd test/faults && FAULTS=$${FAULTS:-long} go test -count=1 -timeout 3h
	PAGESIDE_TEST_CUTS=1000 go test -count=1 -run PowerCut -v ./store/sqlstore

version: ## set the next version of the packages, as the files in web/.changeset say
	cd web/release && ../../scripts/retry.sh npm ci --no-audit --no-fund
	cd web && release/node_modules/.bin/changeset version && npm install --package-lock-only --ignore-scripts --no-audit --no-fund

release-dry: build ## all of a release but publishing it, in bin/release
	./scripts/release-dry.sh

clean: ## remove what was built
	rm -rf bin web/node_modules web/dist web/packed/dist.zip web/packages/*/dist web/test-results
