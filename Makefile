# `make run` and `make test` need Go and make; everything else is installed by `make setup`.

TAPROOT   = ./bin/taproot
PHONES    = $(TAPROOT) sim --phones 2 --
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
REPORTS   = $${TAPROOT_REPORTS_DIR:-tests/reports}

.PHONY: help setup build run test race truth fuzz check fmt bench clean
.DEFAULT_GOAL := help

help: ## show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1 /p' Makefile | awk '{ name = $$1; $$1 = ""; printf "%-8s%s\n", name, $$0 }'

setup: ## install the external programs that are missing (adb, Chromium, Node, ffmpeg, tesseract, Playwright)
	go run . doctor --install

build:
	go build -o $(TAPROOT) .

run: setup build ## run the suites in parallel on two simulated phones and a headless browser
	@status=0; TAPROOT_REQUIRE_DEVICES=true $(PHONES) go tool ginkgo --procs=3 ./suites || status=$$?; \
	run=$(REPORTS)/$$(readlink $(REPORTS)/latest); \
	echo "The report packs are in $$run; open $$run/index.html"; exit $$status

# These tests wait for browsers, phones and OCR, or look at pixels, which the race detector makes ten times dearer: make test runs them
# without it, make race with it.
HEAVY = runner/truth runner/action drivers/vision drivers/vision/pixels drivers/web reporters/html reporters/video runner runner/cli runner/vocabulary mcpserver server

# A test that fails is run once more, alone: a second failure fails the run, and so do a data race, more than ten failures at once, and
# a package that fails although its tests pass (a goroutine leaks). What passed only then is named at the end: its cause is to be found.
define gotest
go tool gotestsum --format standard-quiet --hide-summary skipped --jsonfile=bin/$(1).json \
	--rerun-fails=1 --rerun-fails-max-failures=10 --rerun-fails-abort-on-data-race --rerun-fails-run-root-test \
	--rerun-fails-report=bin/$(1)-again.txt --packages="$$$(1)" -- $(2) || status=1; \
awk '/"Action":"fail"/ { match($$0, /"Package":"[^"]*"/); p = substr($$0, RSTART, RLENGTH); if (/"Test":/) tests[p]; else failed[p] } \
	END { for (p in failed) if (!(p in tests)) { print p " failed, none of its tests did"; bad = 1 } exit bad }' bin/$(1).json || status=1
endef

# The suites are the tests that need phones; all others must pass on a machine without any, so they get none. They are filmed in
# make run; here small screens do.
test: setup build ## run every test, those that are not heavy with the race detector
	@rm -f bin/*-again.txt; status=0; all=$$(go list ./...) || exit 1; heavy=$$(go list $(HEAVY:%=./%)) || exit 1; \
	light=$$(echo "$$all" | grep -vxF "$$heavy" | grep -v '/suites$$'); \
	$(call gotest,light,-race -timeout 20m); \
	$(call gotest,heavy,-timeout 20m); \
	for f in FuzzParse FuzzExpand FuzzFormat; do go test -run '^$$' -fuzz "^$$f$$" -fuzztime 300x ./dsl || status=1; done; \
	TAPROOT_REQUIRE_DEVICES=true TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true $(TAPROOT) sim --phones 2 --size 540x1200 -- go tool ginkgo --procs=3 --flake-attempts=2 --no-color ./suites || status=1; \
	again=$$(cat bin/*-again.txt 2>/dev/null); test -z "$$again" || echo "Run again, for they failed at first; find out why: $$again"; \
	exit $$status

race: setup build ## run every test with the race detector: slow
	@status=0; all=$$(go list ./...) || exit 1; \
	go test -race -timeout 60m $$(echo "$$all" | grep -v '/suites$$') || status=1; \
	TAPROOT_REQUIRE_DEVICES=true TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true $(TAPROOT) sim --phones 2 --size 540x1200 -- go tool ginkgo --race --procs=3 --no-color ./suites || status=1; \
	exit $$status

# A hundred of these are a part of make test. make truth TRUTH_SEED=7 TRUTH_RUNS=1 runs one of them again.
truth: export TRUTH_RUNS ?= 1000
truth: export TRUTH_PAGES ?= all
truth: setup ## hold generated tests, hostile pages and saved trees against what really happened
	go test -count=1 -timeout 60m -v ./runner/truth

# The seeds of all fuzzers are a part of make test, with a few new inputs for those of the language; this is for more, a bounded number
# for each fuzzer: make fuzz INPUTS=1000000x.
INPUTS = 500x

fuzz: ## feed every fuzzer of a parser with new inputs
	@status=0; for d in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$d/*_test.go | sed 's/^func //'); do \
	go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(INPUTS) $$d || status=1; done; done; exit $$status

check: ## gofmt, vet, staticcheck, tidy, the layer test, the linters of the OpenAPI document, cross-compilation
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go test -run TestLayers .
	go test -tags lint -run TestLint ./server
	@for p in $(PLATFORMS); do echo "go build for $$p"; \
	CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -o /dev/null . || exit 1; done

fmt: ## format the Go files
	gofmt -w .

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

clean: ## remove what was built and the reports
	rm -rf bin tests/reports
