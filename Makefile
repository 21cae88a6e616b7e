# inlay: what developers run. `make help` lists it.
.DEFAULT_GOAL := help
TOOL := go tool -modfile=tools/go.mod
FUZZTIME ?= 20s
DOCUMENTS ?= $(or $(INLAY_REFERENCE_DATA),../shared/data)/documents
INTEGRATION ?= ./llm/... ./cmd/inlay
export GOFLAGS := -buildvcs=false
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

.PHONY: run
run: ## the main job on a small document of ours
	go run ./cmd/inlay ask -f testdata/handbook.md --context-length 1024 --chunk 100/0 --limit 1 "How long is the notice period?"

LDFLAGS := -s -w -X main.commit=$(shell git rev-parse HEAD 2>/dev/null)
PREFIX ?= /usr/local

.PHONY: build
build: ## the command, into bin/inlay, and its manual, into bin/man
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o bin/inlay ./cmd/inlay
	bin/inlay man bin/man

.PHONY: install
install: build ## the command, its manual and its completions, below PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 bin/inlay $(DESTDIR)$(PREFIX)/bin/inlay
	install -m 644 bin/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	bin/inlay completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/inlay
	bin/inlay completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_inlay
	bin/inlay completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/inlay.fish

.PHONY: dist
dist: ## archives for TARGETS (Linux, macOS and Windows, amd64 and arm64), Debian packages, a Homebrew formula and checksums, into dist
	scripts/dist $(TARGETS)

.PHONY: test
test: ## every test
	go test -timeout 30m ./...

.PHONY: race
race: ## every test under the race detector, those of large data with less of it
	go test -race -short -timeout 40m ./...

.PHONY: lint
lint: ## static checks
	$(TOOL) golangci-lint run ./...
	$(TOOL) golangci-lint fmt --diff ./...

.PHONY: integration
integration: ## the tests against a real Ollama server, built on first use; one package after the other, as they share it
	scripts/ollama-server run go test -timeout 30m -p 1 -count=1 $(INTEGRATION)

.PHONY: clients
clients: ## real clients of the OpenAI API (npm, Codex) against the service, over a scripted model and a real Ollama server
	scripts/clients/install
	scripts/clients/install codex
	scripts/ollama-server run go test -count=1 -v -run '^(TestClients|TestClientsOfOllama|TestOfficialClient)$$' ./cmd/inlay

.PHONY: page
page: ## build the page of the service (internal/web/dist) from its sources, with npm
	cd internal/web && npm ci --silent --no-audit --no-fund && npm run --silent format && npm run --silent build

.PHONY: page-test
page-test: ## the page in a real Chromium against the command: types, format, that dist is what src gives, every scenario
	scripts/page-test

.PHONY: second-opinion
second-opinion: ## token ids and templates against npm's node-llama-cpp
	scripts/second-opinion

.PHONY: drill
drill: ## the service under real faults, told to stop, with a new certificate, and who may reach what, from a browser too; prints their tables (as root also a full disk)
	scripts/install-chromium
	scripts/ollama-server run go test -count=1 -timeout 30m -v -run '^Test(Drill|Browser)' ./cmd/inlay -drill | grep -v '^=== '
	go test -count=1 -v -run '^TestAccess$$' ./internal/httpapi | grep -v '^=== '

SERVERS := scripts/weaviate run scripts/s3 run scripts/postgres run

.PHONY: servers-test
servers-test: ## the short form of cluster-test: state and bytes on real PostgreSQL and S3 servers; skipped where they do not start
	@if scripts/s3 run scripts/postgres run true; then \
		scripts/s3 run scripts/postgres run go test -count=1 -p 1 ./internal/state/postgres ./internal/blobs; \
	else echo "servers-test: skipped, PostgreSQL or the S3 server does not start here"; fi

.PHONY: cluster
cluster: build ## three servers on PostgreSQL, S3 and Weaviate behind HAProxy, until Ctrl-C; prints the address and a key
	scripts/cluster run

.PHONY: cluster-test
cluster-test: ## the suites on PostgreSQL, S3 and Weaviate, real clients through the balancer, the cluster under faults; prints its tables
	scripts/cluster install
	go mod download
	$(SERVERS) go test -count=1 -p 1 ./internal/state/... ./internal/blobs/... ./internal/libraries ./internal/httpapi
	$(SERVERS) go test -count=1 -timeout 30m -v -run '^TestCluster' ./cmd/inlay -drill | grep -v '^=== '

.PHONY: bench-candidates
bench-candidates: ## the index's candidates beside the exact search on the reference sets, with real servers: recall@100, nDCG@10 (QUERIES a set, 100)
	go mod download
	INLAY_QUERIES=$(or $(QUERIES),100) $(SERVERS) go test -run '^$$' -bench '^BenchmarkCandidates$$' -benchtime 1x -timeout 120m ./internal/libraries

.PHONY: module-path
module-path: ## gives the module the path TO (example.com/team/inlay): go.mod, imports, documents, build files
	go run ./internal/modulepath "$(TO)"

.PHONY: check-deploy
check-deploy: ## image, systemd unit and Compose file, tried for real as far as this machine can (root, Debian)
	scripts/check-deploy

.PHONY: fmt
fmt: ## format everything
	$(TOOL) golangci-lint fmt ./...

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (20s), of FUZZIN alone if given
	scripts/fuzz $(FUZZTIME) $(FUZZIN)

.PHONY: golden
golden: ## rewrite golden files from what the code does now; read the diff
	scripts/golden

.PHONY: bench
bench: ## speed and quality benchmarks
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: bench-retrieval
bench-retrieval: ## search quality on the reference sets; TREC run files into RUNS
	INLAY_RUNS=$(abspath $(or $(RUNS),bin/runs)) go test -run '^$$' -bench '^(BenchmarkQuality|BenchmarkNone|BenchmarkChunks)$$' -benchtime 1x -timeout 60m ./retrieve

.PHONY: bench-filings
bench-filings: ## long reports, from the PDF to the cited page, beside BM25 over windows of pdftotext's layout
	scripts/install-poppler
	INLAY_PARSED=$(CURDIR)/bin/parsed go test -run '^$$' -bench '^BenchmarkFilings$$' -benchtime 1x -timeout 60m ./retrieve

.PHONY: bench-languages
bench-languages: ## search and the one threshold in other languages and scripts
	go test -run '^$$' -bench '^BenchmarkLanguages$$' -benchtime 1x -timeout 60m ./retrieve

.PHONY: bench-ablation
bench-ablation: ## what each idea of ranking gives, tuned on one half of the questions, scored on the other (QUERIES a set, 200)
	INLAY_QUERIES=$(or $(QUERIES),200) go test -run '^$$' -bench '^(BenchmarkAblation|BenchmarkTogether)$$' -benchtime 1x -timeout 120m ./retrieve

.PHONY: bench-cold
bench-cold: ## the cold index of 1 MB beside LangChain.js (npm)
	scripts/bench-cold

.PHONY: bench-split
bench-split: ## the splitter beside langchaingo's, on real prose
	cd tools/comparesplit && go test -mod=mod -run '^$$' -bench . ./...

.PHONY: bench-library
bench-library: ## how libraries grow with their text, beside SQLite FTS5, out of the folder CORPUS, at SIZES (10,100) MiB
	INLAY_GROWTH_CORPUS=$(CORPUS) INLAY_GROWTH_SIZES=$(or $(SIZES),10,100) go test ./library/disk -run TestGrowth -count 1 -timeout 3h -v

.PHONY: bench-search
bench-search: ## flat search and chromem-go beside each other, at 1k, 10k and 100k vectors
	go test -run '^$$' -bench '^BenchmarkSearch$$' ./retrieve/flat

.PHONY: bench-tokens
bench-tokens: ## token counting against tiktoken-go
	go test -v -count=1 -run '^TestReport$$' ./tokens -report

.PHONY: bench-chat
bench-chat: ## what a chat adds before the model's first byte, against a real Ollama server
	scripts/ollama-server run go test -run '^$$' -bench '^BenchmarkChatOverhead$$' -benchtime 20x ./cmd/inlay

.PHONY: bench-service
bench-service: ## dry-run decisions by wrk, a large upload's memory, overhead to the first token; SOAK=10m: 32 clients for so long, OLLAMA=1: a real model too
	scripts/bench-service

.PHONY: verify-tokens
verify-tokens: ## token ids against npm's tiktoken: all reference texts, every code point
	npm install --silent --no-audit --no-fund --prefix bin/npm tiktoken@1.0.22
	go test -v -count=1 -timeout 60m -run '^TestEqualToNpm$$' ./tokens -npm "$(CURDIR)/bin/npm"

.PHONY: bench-parse
bench-parse: build ## how much of the reference documents is read, by format, and what each file costs the command
	go test -count=1 -run '^(TestQuality|TestHostile)$$' -v ./parse | grep -v '^ *--- PASS\|^=== '
	scripts/parse-all bin/inlay $(DOCUMENTS)/*
	scripts/charset-set bin/charset-set
	go test -count=1 -run '^(TestIconv|TestSet)$$' -v ./internal/charset -set $(CURDIR)/bin/charset-set | grep set_test
	scripts/office-set $(DOCUMENTS) bin/office-set
	go test -count=1 -run '^TestSet$$' -v ./parse -set $(CURDIR)/bin/office-set | grep set_test
	scripts/install-poppler
	go test -count=1 -run '^(TestFigures|TestStructure|TestRows)$$' -timeout 20m -v ./parse/pdf -figures -command $(CURDIR)/bin/inlay

.PHONY: check
check: ## what CI runs
	bash .ci/run
