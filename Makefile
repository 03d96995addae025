# `make run` and `make test` need Go and make; everything else is installed by `make setup`.

TAPROOT   = ./bin/taproot
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
LARGEST   = 75497472
RELEASER  = go run github.com/goreleaser/goreleaser/v2@v2.16.0
HELM      = go run helm.sh/helm/v3/cmd/helm@v3.19.2
CHART     = docs/deploy/helm/taproot
COMPILE   = GOGC=400 CGO_ENABLED=0

# LARGEST is the maximum size of the program in bytes (72 MiB) on any platform; those for Windows and for macOS on amd64
# are 1.6 MB larger than the one for Linux. 26 MB of it are the JavaScript engine for Maestro's flows (6 MB), the
# databases of the service (7 MB), NATS for farms (12 MB), which would otherwise need a separate program, and the
# charsets of mail (1 MB). RELEASER and HELM are not tools of go.mod, since they have more dependencies than all the
# rest. COMPILE is the environment of the compiler and of the tests: less frequent garbage collection saves an eighth
# of the time. Without C, as in a release, the program starts without the dynamic linker, which is a quarter of the time
# of a start.

.PHONY: FORCE help setup database studio build run test test-full race truth fuzz firefox webkit suites-full nightly check \
	fmt site dist screenshots bench bench-studio bench-fresh load bench-peers guard bench-assistants first-hour clean \
	widgets widgets-beside chaos test-beside
.DEFAULT_GOAL := help

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | awk '{ name = $$1; $$1 = ""; printf "%-12s%s\n", name, $$0 }'

# DEV performs setup, run and test. It is compiled first, without any other package of Taproot than internal/toolchain.
# Its lines start with the time since STARTED.
DEV     = bin/dev
STARTED := $(shell date +%s)

$(DEV): FORCE
	@echo '[0 s] start: compiling the program that does the rest (bin/dev)'; \
	(n=0; while sleep 10; do n=$$((n + 10)); echo "[$$n s] start: still compiling bin/dev"; done) & beat=$$!; \
	$(COMPILE) go build -ldflags='-s -w' -o $(DEV) ./internal/dev; status=$$?; kill $$beat; exit $$status

FORCE:

setup: build $(DEV) ## install missing external programs (adb, Chromium, Firefox, Node, ffmpeg, tesseract, Playwright)
	@$(DEV) --since $(STARTED) setup android web firefox

database: $(DEV) ## install PostgreSQL and a mail server where they are missing, for the tests that need them
	@$(DEV) --since $(STARTED) setup database

# Built with the flags of the tests, so that no package is compiled twice. Releases add -trimpath.
build: ## build bin/taproot, without debug information
	$(COMPILE) go build -ldflags='-s -w' -o $(TAPROOT) .

# The page of Studio consists of TypeScript and JavaScript modules with CodeMirror. The bundle is committed, so that
# building Taproot does not require npm.
PAGE   = server/internal/studio/page
BUNDLE = npm ci --prefix $(PAGE) --no-audit --no-fund --ignore-scripts --silent && \
	go tool esbuild $(PAGE)/studio.js --bundle --minify --format=esm --target=es2022 \
	--legal-comments=none --log-level=warning --banner:js="$$(cat $(PAGE)/banner.txt)"

studio: ## bundle the page of Studio after a change
	$(BUNDLE) --outfile=server/internal/studio/assets/studio.js

run: $(DEV) ## run the suites in parallel on two simulated phones and a headless browser
	@$(DEV) --since $(STARTED) run

# Slow parts of tests run at night: tests skip them in the short mode (go test -short, testing.Short) with a reason, and
# make test-full runs them. Tests are built once, without the race detector and debug information; vet is a part of make
# check.
SUITES  = TAPROOT_REQUIRE_DEVICES=true TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true \
	$(TAPROOT) sim --phones 2 --size 540x1200 -- go tool ginkgo --no-color --vet=off --ldflags='-s -w' --procs=3

# The suites are the tests that need phones; all other tests must pass on a machine without phones. make run and make
# suites-full record videos; small screens suffice in the tests. make run and make test-full run all suites, make test
# some of them.
test: $(DEV) ## run every test in the short mode
	@$(DEV) --since $(STARTED) test

test-full: $(DEV) ## run every test completely
	@$(DEV) --since $(STARTED) test -full -timeout 60m

# make test-beside BESIDE=slow gives the tests less of the processor, BESIDE=stops stops their processes at random.
test-beside: BESIDE ?= loops
test-beside: $(DEV) ## run make test beside twelve busy loops: no test may depend on the load
	go clean -testcache
	bench/beside/beside.sh $(BESIDE) $(MAKE) test

# make truth, make widgets and make chaos test pages and processes rather than goroutines: they run in the short mode
# here.
HELD = /runner/tests/truth /runner/tests/widgets /farm/tests/chaos

race: build database ## run every test with the race detector, those of truth, widgets and chaos in the short mode: slow
	$(TAPROOT) setup --platform android,web --development
	@status=0; all=$$(go list ./...) || exit 1; \
	$(COMPILE) CGO_ENABLED=1 go test -race -timeout 90m $$(echo "$$all" | grep -v '/suites$$' $(HELD:%=| grep -v '%$$')) || status=1; \
	$(COMPILE) CGO_ENABLED=1 go test -race -short $(HELD:%=.%) || status=1; \
	$(SUITES) --race ./suites || status=1; \
	exit $$status

# make test runs twelve of these, make test-full a hundred. make truth TRUTH_SEED=7 TRUTH_RUNS=1 repeats one of them.
truth: export TRUTH_RUNS ?= 1000
truth: export TRUTH_PAGES ?= all
truth: export VERDICT_RUNS ?= 100
truth: setup ## compare the results of generated tests, hostile pages and saved trees with what really happened
	go test -count=1 -timeout 60m -v ./runner/tests/truth

# make test runs four of these. npm downloads the libraries once, into the user's cache. make widgets WIDGETS=quill runs
# those of one page.
widgets: export WIDGETS ?=
widgets: setup ## compare tests of pages with 45 widget libraries with the state in the widgets' models
	go test -count=1 -timeout 60m -v ./runner/tests/widgets

# make widgets-beside measures whole processes, in turns, and prints a table for docs/benchmarks.md.
widgets-beside: setup ## compare the time of Taproot and of plain Playwright with the widgets of ten libraries
	go test -run '^$$' -bench BesidePlaywright -benchtime 1x -timeout 60m ./runner/tests/widgets

# make test only checks that Firefox starts and performs actions. The unsupported actions, the contract of drivers, the
# kinds of pages and failures are tested here.
firefox: setup ## test Firefox with the contract of drivers, the kinds of pages and the suites
	@status=0; go test -count=1 -timeout 20m -run 'Firefox|Browsers' ./drivers/web ./runner || status=1; \
	TAPROOT_REQUIRE_DEVICES=true $(TAPROOT) run suites/web --browser firefox || status=1; exit $$status

webkit: setup ## test WebKit with the contract of drivers, pages that do not open, and the suites
	$(TAPROOT) setup --platform webkit
	@status=0; go test -count=1 -timeout 30m -run 'WebKit' ./drivers/web ./drivers/web/internal/webkit ./cli || status=1; \
	TAPROOT_REQUIRE_DEVICES=true $(TAPROOT) run suites/web --browser webkit || status=1; exit $$status

suites-full: setup ## run the suites on full screens, with recordings and traces, on five versions of Android
	@status=0; for api in 24 28 30 34 36; do \
	TAPROOT_REQUIRE_DEVICES=true $(TAPROOT) sim --phones 2 --api $$api -- \
	go tool ginkgo --no-color --procs=3 ./suites || status=1; done; exit $$status

# make chaos CHAOS_KILLS=50 CHAOS_DOWN=30 is the complete test, which takes hours. With CHAOS_LASTING=1 each lasting
# fault happens once, and it takes one hour. CHAOS_ONLY='PostgreSQL' runs only faults with that name, CHAOS_SEED=7
# repeats the random moments, CHAOS_CASES=2000 runs fewer cases on 1,000 devices. The tables are written to the
# document when all faults were run.
chaos: export CHAOS_KILLS ?= 3
chaos: export CHAOS_OUT ?= docs/farm-chaos.md
chaos: database ## inject faults into each part of a farm at random moments under load, and write docs/farm-chaos.md
	go test -count=1 -v -timeout 180m -run 'TestChecker|TestChaos|TestFaults|TestThousandDevices' ./farm/tests/chaos

nightly: test-full race fuzz truth widgets firefox webkit suites-full bench ## run everything that is too long for make test

# make test runs the seeds of all fuzzers. This runs new inputs, a limited number for each fuzzer: make fuzz
# INPUTS=1000000x.
INPUTS = 500x

fuzz: ## run every fuzzer with new inputs
	@status=0; for d in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$d/*_test.go | sed 's/^func //'); do \
	go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(INPUTS) $$d || status=1; done; done; exit $$status

check: ## gofmt, vet, staticcheck, tidy, the layer test, the style test, linters of the scripts and the OpenAPI document, builds for all platforms
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	go vet ./...
	GOOS=windows go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go test -run TestLayers .
	go test -tags lint ./drivers/internal/dom
	$(BUNDLE) --outfile=bin/studio.js && cmp bin/studio.js server/internal/studio/assets/studio.js || \
	{ echo "the page of Studio has changed: make studio"; exit 1; }
	go test -tags lint -run 'TestLint|TestTypeScriptClient' ./server
	@for p in $(PLATFORMS); do echo "go build for $$p"; \
	CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -trimpath -ldflags='-s -w' -o bin/size . || exit 1; \
	size=$$(wc -c < bin/size); rm bin/size; \
	test $$size -le $(LARGEST) || { echo "the program for $$p has $$size bytes, more than $(LARGEST)"; exit 1; }; done
	@if $(RELEASER) --version > /dev/null 2>&1; then \
	$(RELEASER) check && $(RELEASER) build --snapshot --clean --single-target; \
	else echo "goreleaser is not available: .goreleaser.yaml was not checked"; fi
	@if $(HELM) version > /dev/null 2>&1; then \
	$(HELM) lint --strict $(CHART) && for v in $(CHART)/ci/*.yaml; do \
	$(HELM) lint --strict $(CHART) -f $$v || exit 1; done; \
	else echo "helm is not available: $(CHART) was not checked"; fi

site: ## write the documentation as a site with offline search into bin/site
	go run ./docs/site bin/site

dist: ## build the archives, Debian packages, npm packages and checksums of a release into dist
	rm -rf dist
	$(COMPILE) go run ./internal/dist

screenshots: setup ## take the images of the documentation from the program
	docs/screenshots/make.sh

fmt: ## format the Go files
	gofmt -w .

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-studio: setup ## measure the delay from a change on a device to its image, and the cost of twenty viewers
	go test -run '^$$' -bench BenchmarkLive -benchtime 1x ./server

# make test sends 384 of these, make test-full 8,000.
load: export LOAD_REQUESTS ?= 300000
load: database ## send 300,000 requests with a key, on both databases, and check that memory does not grow
	go test -count=1 -timeout 120m -run TestServiceUnderLoad -v ./server

bench-peers: setup ## run the same flows in Taproot and in Playwright Test, and write the ratios to docs/benchmarks.md
	go run ./bench/peers -taproot $(TAPROOT) -out docs/benchmarks.md

guard: setup ## fail if runs or steps are too slow compared with bare Playwright scripts in the same run
	go run ./bench/peers -taproot $(TAPROOT) -guard -runs 5
	go test -run '^$$' -bench TwentySteps -benchtime 1x ./runner/internal/engine

bench-assistants: setup ## do the same tasks by MCP in Taproot and in playwright-mcp, and count calls and bytes
	$(TAPROOT) sim --phones 1 -- go run ./bench/assistants -taproot $(TAPROOT)

# Recordings need ffmpeg, which needs a hundred Debian packages; without it the set-up for pages adds 176.
first-hour: ## from a bare Debian 12 to a passed test, for pages and phones (root; ROOT_TAR=FILE keeps the machine)
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o $(TAPROOT) .
	MAX_PACKAGES=250 bench/firsthour/firsthour.sh $(TAPROOT) web --minimal
	MAX_PACKAGES=250 bench/firsthour/firsthour.sh $(TAPROOT) android
	bench/firsthour/firsthour.sh $(TAPROOT) web

bench-fresh: ## time make run, again, and make test on a bare Debian 12 with empty caches (root; ROOT_TAR=FILE keeps the machine)
	bench/fresh/fresh.sh

clean: ## remove build results and reports
	rm -rf bin dist tests/reports
