# The project's few verbs. CI runs `.ci/run`, which is `make check`.

GO       ?= go
FUZZTIME ?= 60s
ROWS     ?= start,history,recall,skills,others,crowd,page,proxy,calls
BIN      := bin/memctl

# Nothing needs C. Programs without it start faster, and tests run what a release ships.
export CGO_ENABLED := 0

# Tests write many small files and wait for each of them, so they run in memory where it has room: 4 GB.
ROOMY    := $(shell test -w /dev/shm && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "/dev/shm" }')
IN_MEMORY := $(if $(and $(ROOMY),$(if $(TMPDIR),,1)),TMPDIR=$(ROOMY))

# Many tests wait for processes, so twice as many packages as cores keep the cores busy.
PACKAGES := $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1))))

.PHONY: help build test wine demo recording check fuzz bench atlas compare quality golden cover e2e torture

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' Makefile

build: ## build bin/memctl and bin/memctl-full
	$(GO) build -trimpath -ldflags='-s -w' -o $(dir $(BIN)) ./cmd/...

test: ## run all tests; about four minutes on two cores
	$(IN_MEMORY) $(GO) test -p $(PACKAGES) -timeout 30m ./...

wine: ## run the packages of .ci/windows-packages under wine 10 or newer, where it is installed
	@sh internal/scripts/wine.sh

demo: build ## play the main job on a scratch repository, with its output
	PATH="$(CURDIR)/bin:$$PATH" sh docs/demo/demo.sh

recording: ## play a short story and draw docs/recording.svg
	$(GO) run ./tests/recording

check: ## what CI runs: format, vet, all tests
	.ci/run

fuzz: ## run every fuzz target for FUZZTIME, one after the other
	sh internal/scripts/fuzz.sh "$(FUZZTIME)"

bench: build ## measure memctl as whole processes; ROWS=start does the hooks alone, in 20 s
	$(GO) run ./tests/bench -memctl "$(CURDIR)/$(BIN)" -rows "$(ROWS)"

atlas: ## play the specifications of the agent-memory atlas in the folder ATLAS=FOLDER
	@$(GO) run ./tests/atlas -atlas "$(ATLAS)"

compare: build ## measure other memories too: DEJA=FOLDER, ENGRAM=FOLDER with their source, DATA=FOLDER with questions
	@$(GO) run ./tests/compare -memctl "$(CURDIR)/$(BIN)" -deja "$(DEJA)" -engram "$(ENGRAM)" -data "$(DATA)"

quality: ## measure the policy and recall on the labelled texts of DATA=FOLDER
	@$(GO) run ./tests/quality -data "$(DATA)"

golden: ## rewrite the wanted output of scripts and docs; read the diff
	$(GO) test ./testscripts -update
	$(GO) test ./tests/project -run TestDocs -update

cover: ## count what the tests cover, child processes included
	rm -rf cover && mkdir -p cover/programs
	-COVER_PROGRAMS="$(CURDIR)/cover/programs" $(IN_MEMORY) $(GO) test -timeout 30m -coverprofile=cover/all.out -coverpkg=./... ./...
	$(GO) tool covdata textfmt -i=cover/programs -o=cover/programs.out
	sed 1d cover/programs.out >>cover/all.out
	$(GO) tool cover -func=cover/all.out | tail -1

e2e: build ## run real agents and MCP clients from npm, with wishes of DATA=FOLDER; needs npm's registry
	$(GO) test -tags e2e -count=1 -timeout 2h -v ./tests/e2e -args $(if $(DATA),-data "$(abspath $(DATA))") $(if $(SEED),-seed "$(SEED)")
	sh tests/e2e/mcp/run.sh "$(CURDIR)/$(BIN)"

torture: ## many writers, random walks, kills and exchanges at full length; takes an hour
	MEMCTL_TORTURE=1 $(GO) test -count=1 -timeout 3h -parallel 10 -v ./tests/torture ./internal/door/proxy ./internal/recall/postgres/... ./gitops/committer
	MEMCTL_TORTURE=1 $(GO) test -count=1 -timeout 1h -run 'Test[^S]|TestSharedIndex' ./testscripts
	MEMCTL_TORTURE=1 $(GO) test -count=1 -timeout 1h -run TestReaders ./tests/project
	MEMCTL_SEQUENCES=300 $(GO) test -count=1 -timeout 1h ./memory
	MEMCTL_MERGE_TRIPLES=100000 $(GO) test -count=1 -timeout 3h -v -run TestMerge ./memfile/merge
