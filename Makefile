# Aliases: Meson builds, scripts/ does the rest.
BUILD ?= build
ASAN ?= build-asan
PREFIX ?= /usr/local
SECONDS_PER_TARGET ?= 60
BENCH ?= build-bench
SIM ?= build-sim
SEEDS ?= 100000
ROUNDS ?= 5000
FIRST_SEED ?= 1
KILLS ?= 1000
LAKES ?= bench/lakes
BENCH_WITH = --folder $(LAKES) --build $(BENCH) $(BENCH_OPTIONS)
PYTHON = .venv/bin/python

.PHONY: all test asan demo tidy check install fuzz soak rounds kills failing-calls power-cuts sim sim-guards clean \
	bench bench-tools bench-lakes bench-query bench-scale bench-sort bench-pages bench-rest
all: $(BUILD)/build.ninja
	ninja -C $(BUILD)
$(BUILD)/build.ninja:
	@command -v meson >/dev/null || { echo 'meson is missing: scripts/setup installs it'; exit 1; }
	meson setup $(BUILD)
$(ASAN)/build.ninja: ; meson setup $(ASAN) -Db_sanitize=address,undefined -Db_lundef=false
test: ; scripts/run-tests
asan: $(ASAN)/build.ninja
	ninja -C $(ASAN)
	scripts/run-tests --only asan
demo: ; scripts/demo
tidy: ; scripts/run-tidy
check: ; scripts/check-acceptance
install: all
	meson configure $(BUILD) --prefix $(PREFIX)
	meson install -C $(BUILD)
fuzz: ; scripts/fuzz $(SECONDS_PER_TARGET)
soak: ; LITHIFY_SOAK_SECONDS=120 LITHIFY_CRASH_WALKS=200 scripts/run-tests --only python --cases 2000
rounds: all ; LITHIFY_BIN=$(abspath $(BUILD))/lithify $(PYTHON) tests/py/rounds.py $(ROUNDS)
failing-calls: ; LITHIFY_FAILURES=all scripts/run-tests --only python --tests tests/py/test_failing_calls.py
power-cuts: ; LITHIFY_POWER_CUTS=all scripts/run-tests --only python --tests tests/py/test_power_cut*.py
kills: all
	scripts/setup
	LITHIFY_KILLS=$(KILLS) LITHIFY_BIN=$(CURDIR)/$(BUILD)/lithify \
		$(PYTHON) -m pytest -q -s -p no:cacheprovider tests/py/test_kills.py
$(SIM)/build.ninja: ; meson setup $(SIM) --buildtype=release -Dguards_out=true
sim: $(SIM)/build.ninja
	ninja -C $(SIM) tests/sim/sim
	$(SIM)/tests/sim/sim --seeds $(SEEDS) --first $(FIRST_SEED)
sim-guards: $(SIM)/build.ninja
	ninja -C $(SIM) tests/sim/sim
	scripts/sim-guards $(SIM)/tests/sim/sim $(SEEDS)
bench-tools:
	scripts/setup
	test -f $(BENCH)/build.ninja || meson setup $(BENCH) --buildtype=release
	ninja -C $(BENCH) lithify bench/floor bench/measure
bench-lakes: bench-tools
	$(PYTHON) bench/lakes.py --missing --out $(LAKES)
bench: bench-lakes ; $(PYTHON) bench/run.py $(BENCH_WITH)
bench-query: bench-lakes ; $(PYTHON) bench/query.py $(BENCH_WITH)
bench-scale: bench-lakes ; $(PYTHON) bench/scale.py $(BENCH_WITH)
bench-sort: bench-lakes ; $(PYTHON) bench/sort.py $(BENCH_WITH)
bench-pages: bench-tools ; $(PYTHON) bench/page_size.py --build $(BENCH) $(BENCH_OPTIONS)
bench-rest: bench-tools ; $(PYTHON) bench/rest.py $(BENCH_WITH)
clean: ; rm -rf $(BUILD) $(ASAN) build-crash build-fuzz $(BENCH) $(SIM) demo/lake
