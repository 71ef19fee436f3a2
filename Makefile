# The words of this project. `make` alone lists them.

CARGO ?= cargo
WEIR = $(CARGO) run --release --quiet --

TARGET = $(or $(CARGO_TARGET_DIR),target)
# Not a member of the workspace, so that nothing else waits for mdBook to be compiled.
BOOK = --manifest-path tools/book/Cargo.toml --target-dir $(TARGET)/book-tool

.PHONY: help build test test-new test-report test-interop lint fmt docs book papers matrix parity live-table bench worlds fuzz soak bless bless-limits clean

help:
	@echo "make build    the program, optimised: target/release/weir"
	@echo "make test     everything that must hold before a change lands"
	@echo "make test-new a new scheme of every kind passes at once (part of make test)"
	@echo "make test-report  opens a report in Chromium and uses it (part of make test; needs Node)"
	@echo "make test-interop Weir with ndnd, python-ndn and NDNts, which it installs (part of make test; needs Python and Node)"
	@echo "make lint     formatting and lints alone, warnings denied"
	@echo "make fmt      formats all Rust code"
	@echo "make docs     the reference of all crates (target/doc), warnings denied"
	@echo "make book     the documentation as a book (target/book/html), every link checked; manual pages and schema beside it"
	@echo "make papers   reproduces every paper into out/all, with a report of all"
	@echo "make matrix   lets all schemes compete on all networks, and writes the tables of docs/which-scheme.md"
	@echo "make parity   every scheme simulated and with real programs; writes the table of docs/emulate.md (half an hour; root)"
	@echo "make live-table  every scheme before 50 Mbit/s with real forwarders, into docs/operators.md (minutes)"
	@echo "make bench    criterion's benches, small and large; in the end packet-hops a CPU second beside the bare loop (minutes)"
	@echo "make worlds   $(WORLDS) random worlds (WORLDS=n SEED=n); those that fail go to out/worlds, made small"
	@echo "make fuzz     $(SECONDS) s of changed inputs for every reader (SECONDS=n SEED=n); see docs/testing.md"
	@echo "make soak     a forwarder among enemies for ten minutes (SECONDS=n); see docs/testing.md"
	@echo "make bless    rewrites golden files; look at the difference before you commit it"
	@echo "make bless-limits  rewrites the limits on instructions per packet-hop (crates/cli/tests/limits.txt)"
	@echo "make clean    removes what was built and the results in out/"

# A report names the commit that its program was built from.
build: export WEIR_COMMIT = $(shell git describe --always --dirty --abbrev=12 2>/dev/null)
build:
	$(CARGO) build --release

# The dev profile checks invariants and overflow; the release build must come to the same digests.
test: lint
	@echo "== tests"
	tools/debian.sh tshark
	$(CARGO) test --workspace
	@echo "== a new scheme of every kind"
	@$(MAKE) --no-print-directory test-new
	@echo "== digests of the release build"
	$(CARGO) test --release -p weir --test digests
	@echo "== instructions and memory of the release build"
	tools/debian.sh valgrind
	$(CARGO) test --release -p weir --test limits -- --ignored
	@echo "== examples and papers are right"
	$(WEIR) check examples/*.toml papers/*/*.toml
	@$(MAKE) --no-print-directory test-report
	@$(MAKE) --no-print-directory test-interop
	@$(MAKE) --no-print-directory docs book
	@echo "== all is well"

test-new:
	$(CARGO) test -p weir --test new -- --ignored

test-report:
	@echo "== reports in a browser"
	tools/debian.sh chromium
	cd tests/report && npm ci --silent --no-audit --no-fund
	rm -rf out/test-report
	$(WEIR) run tests/report/study.toml --quiet --out out/test-report/study --report=out/test-report/study.html
	$(WEIR) reproduce plr --quick --quiet --out out/test-report/plr --report=out/test-report/plr.html
	$(WEIR) reproduce all --quick --quiet --claim P-14 --claim P-11 --claim K-19 --claim K-23 --out out/test-report/all --report=out/test-report/all.html
	$(WEIR) compare --quick --quiet --schemes icp,pcon --scenarios plr-single --out out/test-report/compare --report=out/test-report/compare.html
	node tests/report/report.test.mjs out/test-report/study.html out/test-report/plr.html out/test-report/all.html out/test-report/compare.html

test-interop:
	@echo "== with other NDN software"
	tests/interop/setup.sh $(TARGET)/interop
	$(CARGO) build --release --quiet
	$(TARGET)/interop/venv/bin/python tests/interop/run.py --weir $(TARGET)/release/weir --ndnd $(TARGET)/interop/ndnd --all
	PATH="$(abspath $(TARGET))/interop:$$PATH" $(CARGO) test --workspace --test emulate -- ndnd

lint:
	@echo "== formatting"
	$(CARGO) fmt --all --check
	@echo "== lints"
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) fmt --manifest-path tools/book/Cargo.toml --check

fmt:
	$(CARGO) fmt --all

docs:
	@echo "== reference"
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

book:
	@echo "== book"
	$(CARGO) test --quiet $(BOOK)
	$(CARGO) run --quiet $(BOOK) -- . $(TARGET)/book
	$(CARGO) run --quiet -- man $(TARGET)/book/man
	$(CARGO) run --quiet -- schema > $(TARGET)/book/weir.schema.json

papers:
	$(WEIR) reproduce all --report

# The networks come last, so that what they print stands at the end.
# The tables of the page stand between two marks, which stay.
matrix:
	$(WEIR) compare --out out/matrix --report
	sed -i -e '/^<!-- matrix -->$$/,/^<!-- end of matrix -->$$/{//!d}' \
	    -e '/^<!-- matrix -->$$/r out/matrix/summary.md' docs/which-scheme.md
	git diff --stat docs/which-scheme.md

parity:
	$(WEIR) compare simulated emulated --out out/parity --page docs/emulate.md
	git diff --stat docs/emulate.md

# As `matrix`: the table stands between two marks.
live-table:
	mkdir -p out
	$(WEIR) bench live --bottleneck --markdown > out/bottleneck.md
	sed -i -e '/^<!-- bottleneck -->$$/,/^<!-- end of bottleneck -->$$/{//!d}' \
	    -e '/^<!-- bottleneck -->$$/r out/bottleneck.md' docs/operators.md
	git diff --stat docs/operators.md

bench:
	$(CARGO) bench -p weir-wire -p weir-engine -p weir-schemes
	$(CARGO) bench -p weir-sim

# Built for tests, so that assertions and overflow count.
WORLDS ?= 5000
SEED ?= 1

worlds:
	$(CARGO) run -p weir-worlds -- --worlds $(WORLDS) --seed $(SEED)

SECONDS ?= 60

fuzz:
	WEIR_FUZZ_SECONDS=$(SECONDS) WEIR_FUZZ_SEED=$(SEED) $(CARGO) test -p weir-fuzz -- --nocapture

soak: SECONDS = 600
soak:
	WEIR_SOAK_SECONDS=$(SECONDS) $(CARGO) test --release -p weir --test soak -- --ignored --nocapture

bless:
	WEIR_BLESS=1 $(CARGO) test --workspace
	git status --short

bless-limits:
	tools/debian.sh valgrind
	WEIR_BLESS=1 $(CARGO) test --release -p weir --test limits -- --ignored
	git diff crates/cli/tests/limits.txt

clean:
	$(CARGO) clean
	rm -rf out
