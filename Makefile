# `make run` and `make test` need Go and make; everything else is installed by `make setup`.

TAPROOT   = ./bin/taproot
PHONES    = $(TAPROOT) sim --phones 2 --
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
LARGEST   = 67108864
RELEASER  = go run github.com/goreleaser/goreleaser/v2@v2.16.0
HELM      = go run helm.sh/helm/v3/cmd/helm@v3.19.2
CHART     = docs/deploy/helm/taproot
REPORTS   = $${TAPROOT_REPORTS_DIR:-tests/reports}
COMPILE   = GOGC=400

# LARGEST is what a program that is downloaded may weigh, in bytes (64 MiB): 36 without what runs the JavaScript of
# Maestro's flows (6 MB), the databases of the service (7 MB), and the NATS server in the hub of a farm with its client (12 MB), without which a farm would need a program beside. RELEASER and HELM are no tools of go.mod: they have more dependencies than all the rest.
# COMPILE is the environment of the compiler, and of what it makes run: collecting garbage less often saves an eighth of its time.

.PHONY: help setup database studio build run test test-full race truth fuzz firefox suites-full nightly check fmt bench bench-studio load bench-peers guard bench-assistants first-hour clean widgets widgets-beside chaos
.DEFAULT_GOAL := help

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | awk '{ name = $$1; $$1 = ""; printf "%-12s%s\n", name, $$0 }'

setup: build ## install the external programs that are missing (adb, Chromium, Firefox, Node, ffmpeg, tesseract, Playwright)
	$(TAPROOT) setup --platform android,web,firefox

ROOT = $(shell test "$$(id -u)" = 0 || echo sudo)

database: ## install PostgreSQL where it is missing: the tests of the service use it beside SQLite
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || \
	if command -v apt-get > /dev/null; then $(ROOT) apt-get update -q && $(ROOT) apt-get install -qy --no-install-recommends postgresql; \
	else echo "install PostgreSQL (brew install postgresql), then make test again"; exit 1; fi

# Built as the tests are, so that no package is compiled twice; releases leave the paths of the machine out (-trimpath), too.
build: ## build bin/taproot, without what only debuggers need
	$(COMPILE) go build -ldflags='-s -w' -o $(TAPROOT) .

# The page of Studio is TypeScript and modules of JavaScript with CodeMirror; the bundle is committed, so that nobody needs npm to build Taproot.
PAGE   = server/studio/page
BUNDLE = npm ci --prefix $(PAGE) --no-audit --no-fund --ignore-scripts --silent && \
	go tool esbuild $(PAGE)/studio.js --bundle --minify --format=esm --target=es2022 --legal-comments=none --log-level=warning --banner:js="$$(cat $(PAGE)/banner.txt)"

studio: ## bundle the page of Studio after a change of it
	$(BUNDLE) --outfile=server/studio/assets/studio.js

run: setup ## run the suites in parallel on two simulated phones and a headless browser
	@status=0; TAPROOT_REQUIRE_DEVICES=true $(PHONES) go tool ginkgo --procs=3 ./suites || status=$$?; \
	run=$(REPORTS)/$$(readlink $(REPORTS)/latest); \
	echo "The report packs are in $$run; open $$run/index.html"; exit $$status

# What only takes time is left to the night: a test that is to be short (go test -short, testing.Short) says what it leaves out, and
# make test-full runs it whole. Tests are built once, without the race detector, and with less for debuggers; vet is a part of make check.
BUILD   = -vet=off -ldflags='-s -w'
SUITES  = TAPROOT_REQUIRE_DEVICES=true TAPROOT_NO_VIDEO=true TAPROOT_NO_TRACE=true $(TAPROOT) sim --phones 2 --size 540x1200 -- go tool ginkgo --no-color --vet=off --ldflags='-s -w' --procs=3
SUMMARY = echo 'The ten slowest tests:'; go tool gotestsum tool slowest --num 10 --threshold 100ms --jsonfile bin/test.json

# Tests wait more than they compute: six packages at once, and two tests of each, keep two cores busy. Those that take longest begin first.
PACKAGES = 6
BESIDE   = 2
LONGEST  = ./cli ./drivers/android ./runner ./drivers/ios ./server ./runner/vocabulary ./drivers/web ./mcpserver ./runner/action ./runner/truth ./server/studio

# The suites are the tests that need phones; all others must pass on a machine without any, so they get none. They wait for their phones
# while the other tests are compiled, so both run at once, and what the suites said is printed last. They are filmed in make run and make
# suites-full; here small screens do. make run and make test-full run all of them, make test those with one of these labels.
SHORT = smoke || go || shop

define gotest
@status=0; all=$$(go list $(LONGEST) ./...) || exit 1; \
$(COMPILE) $(SUITES) $(2) ./suites > bin/suites.log 2>&1 & suites=$$!; \
$(COMPILE) go tool gotestsum --format standard-quiet --jsonfile bin/test.json -- $(1) -p $(PACKAGES) $$(echo "$$all" | grep -v '/suites$$') || status=1; \
wait $$suites || status=1; cat bin/suites.log; \
$(SUMMARY); exit $$status
endef

test: setup database ## run every test, each as short as it can be: about seven minutes on two cores, four when all is compiled
	$(call gotest,$(BUILD) -short -parallel $(BESIDE) -timeout 20m,--label-filter='$(SHORT)')

test-full: setup database ## run every test whole
	$(call gotest,$(BUILD) -timeout 60m)

# What make truth, make widgets and make chaos hold is about pages and processes, not about our goroutines: their tests are short here.
HELD = /runner/truth /runner/widgets /farm/chaos

race: build database ## run every test whole but those of truth, widgets and chaos, with the race detector: slow
	$(TAPROOT) setup --platform android,web --development
	@status=0; all=$$(go list ./...) || exit 1; \
	$(COMPILE) go test -race -timeout 90m $$(echo "$$all" | grep -v '/suites$$' $(HELD:%=| grep -v '%$$')) || status=1; \
	$(COMPILE) go test -race -short $(HELD:%=.%) || status=1; \
	$(SUITES) --race ./suites || status=1; \
	exit $$status

# Twelve of these are a part of make test, a hundred of make test-full. make truth TRUTH_SEED=7 TRUTH_RUNS=1 runs one of them again.
truth: export TRUTH_RUNS ?= 1000
truth: export TRUTH_PAGES ?= all
truth: export VERDICT_RUNS ?= 100
truth: setup ## hold generated tests, hostile pages and saved trees against what really happened
	go test -count=1 -timeout 60m -v ./runner/truth

# Four of these are a part of make test. The libraries are fetched once, by npm, into the user's cache. make widgets WIDGETS=quill makes
# those of one page again.
widgets: export WIDGETS ?=
widgets: setup ## hold tests of pages built with 45 libraries of widgets against what the widgets' models say
	go test -count=1 -timeout 60m -v ./runner/widgets

# make widgets-beside prints how long the whole processes took, in turns: a table for docs/benchmarks.md.
widgets-beside: setup ## do the same in the widgets of ten libraries by Taproot and by plain Playwright, and print the ratios of time
	go test -run '^$$' -bench BesidePlaywright -benchtime 1x -timeout 60m ./runner/widgets

# Of Firefox, make test holds only that it starts and does what it is told; what it refuses, the contract, the kinds of pages and what breaks are here.
firefox: setup ## hold Firefox against the contract of drivers, the kinds of pages and the suites
	@status=0; go test -count=1 -timeout 20m -run 'Firefox|Browsers' ./drivers/web ./runner || status=1; \
	TAPROOT_REQUIRE_DEVICES=true $(TAPROOT) run suites/web --browser firefox || status=1; exit $$status

suites-full: setup ## run the suites on full screens, filmed and traced, on five Androids
	@status=0; for api in 24 28 30 34 36; do \
	TAPROOT_REQUIRE_DEVICES=true $(TAPROOT) sim --phones 2 --api $$api -- go tool ginkgo --no-color --procs=3 ./suites || status=1; done; exit $$status

# make chaos CHAOS_KILLS=50 CHAOS_DOWN=30 is the whole, which takes hours; with CHAOS_LASTING=1, what lasts happens once each, and it takes one. CHAOS_ONLY='PostgreSQL' tries only faults of that name, CHAOS_SEED=7 the same moments again, CHAOS_CASES=2000 fewer cases on 1,000 devices. The tables go into the document when all faults were tried.
chaos: export CHAOS_KILLS ?= 3
chaos: export CHAOS_OUT ?= docs/farm-chaos.md
chaos: database ## kill, stop, cut and fill everything that a farm is made of, at random moments under load, and write what came of it to docs/farm-chaos.md
	go test -count=1 -v -timeout 180m -run 'TestChecker|TestChaos|TestFaults|TestThousandDevices' ./farm/chaos

nightly: test-full race fuzz truth widgets firefox suites-full bench ## run all that is too long for make test, one after the other

# The seeds of all fuzzers are a part of make test; this is for new inputs, a bounded number for each fuzzer: make fuzz INPUTS=1000000x.
INPUTS = 500x

fuzz: ## feed every fuzzer of a parser with new inputs
	@status=0; for d in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$d/*_test.go | sed 's/^func //'); do \
	go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(INPUTS) $$d || status=1; done; done; exit $$status

check: ## gofmt, vet, staticcheck, tidy, the layer test, the linters of the OpenAPI document, the release for all platforms
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	go vet ./...
	GOOS=windows go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go test -run TestLayers .
	$(BUNDLE) --outfile=bin/studio.js && cmp bin/studio.js server/studio/assets/studio.js || { echo "the page of Studio has changed: make studio"; exit 1; }
	go test -tags lint -run 'TestLint|TestTypeScriptClient' ./server
	@for p in $(PLATFORMS); do echo "go build for $$p"; \
	CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -trimpath -ldflags='-s -w' -o bin/size . || exit 1; \
	size=$$(wc -c < bin/size); rm bin/size; \
	test $$size -le $(LARGEST) || { echo "the program for $$p has $$size bytes, more than $(LARGEST)"; exit 1; }; done
	@if $(RELEASER) --version > /dev/null 2>&1; then $(RELEASER) check && $(RELEASER) build --snapshot --clean --single-target; \
	else echo "goreleaser cannot be had here: .goreleaser.yaml was not checked"; fi
	@if $(HELM) version > /dev/null 2>&1; then $(HELM) lint --strict $(CHART) && for v in $(CHART)/ci/*.yaml; do $(HELM) lint --strict $(CHART) -f $$v || exit 1; done; \
	else echo "helm cannot be had here: $(CHART) was not checked"; fi

fmt: ## format the Go files
	gofmt -w .

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-studio: setup ## measure how long after a change on a device its picture is there, and what twenty watchers cost
	go test -run '^$$' -bench BenchmarkLive -benchtime 1x ./server

# 384 of these are a part of make test, 8,000 of make test-full.
load: export LOAD_REQUESTS ?= 300000
load: database ## ask 300,000 times with a key, beside a server without accounts, on both databases: no memory may stay
	go test -count=1 -timeout 120m -run TestServiceUnderLoad -v ./server

bench-peers: setup ## run the same flows in Taproot and in Playwright Test, and write the ratios to docs/benchmarks.md
	go run ./bench/peers -taproot $(TAPROOT) -out docs/benchmarks.md

guard: setup ## fail where whole runs, or steps, have become slow beside bare scripts of Playwright, in the same run
	go run ./bench/peers -taproot $(TAPROOT) -guard -runs 5
	go test -run '^$$' -bench TwentySteps -benchtime 1x ./runner/engine

bench-assistants: setup ## do the same tasks by MCP in Taproot and in playwright-mcp, and count calls and bytes
	$(TAPROOT) sim --phones 1 -- go run ./bench/assistants -taproot $(TAPROOT)

# Films need ffmpeg, and that a hundred packages of Debian's; without them the set-up for pages adds 176.
first-hour: ## from a bare Debian 12 to a green test, for pages and for phones (root and mmdebstrap; ROOT_TAR=FILE keeps the machine)
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o $(TAPROOT) .
	MAX_PACKAGES=250 bench/firsthour/firsthour.sh $(TAPROOT) web --minimal
	MAX_PACKAGES=250 bench/firsthour/firsthour.sh $(TAPROOT) android
	bench/firsthour/firsthour.sh $(TAPROOT) web

clean: ## remove what was built and the reports
	rm -rf bin dist tests/reports
