# `make run` and `make test` need Go and make; everything else is installed by `make setup`.

TAPROOT   = ./bin/taproot
PHONES    = $(TAPROOT) sim --phones 2 --
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
REPORTS   = $${TAPROOT_REPORTS_DIR:-tests/reports}

.PHONY: help setup build run test check fmt bench clean
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

# The suites are the tests that need phones; all others must pass on a machine without any, so they get none. They are filmed in
# make run; here small screens do, because the race detector makes pixels dear.
test: setup build ## run every test with the race detector, the suites too
	@status=0; packages=$$(go list ./...) || exit 1; \
	go test -race -timeout 10m $$(echo "$$packages" | grep -v '/suites$$') || status=1; \
	TAPROOT_REQUIRE_DEVICES=true TAPROOT_NO_VIDEO=true $(TAPROOT) sim --phones 2 --size 540x1200 -- go tool ginkgo --race --procs=3 --no-color ./suites || status=1; \
	exit $$status

check: ## gofmt, vet, staticcheck, tidy, the layer test, cross-compilation
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go test -run TestLayers .
	@for p in $(PLATFORMS); do echo "go build for $$p"; \
	CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -o /dev/null . || exit 1; done

fmt: ## format the Go files
	gofmt -w .

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

clean: ## remove what was built and the reports
	rm -rf bin tests/reports
