# Every target makes its own .venv; it needs CPython 3.11+, a C++20 compiler, make and pip, and nothing else.
#
#   make demo       a road-like network of a million vertices: solved, proved, one path printed
#   make demo-cluster  an R-MAT graph in parts on three local nodes of Ray, a worker killed on the way, and the proof
#   make test       the whole test suite
#   make test-mutations  seeded bugs in kernels and headers: each must be noticed (minutes; those that nothing has changed for are skipped)
#   make test-sdist  the source distribution: built, installed into an empty venv, tested from there (SDIST_TESTS=tests: all)
#   make test-kernels  every kernel, compiled for every type and architecture of NVIDIA's
#   make test-cluster  the whole fault sweep on Ray: every superstep × every victim, a node removed (minutes)
#   make test-cpus  other processors in an emulator: answers bit by bit, an unknown one, ARM, other compilers (minutes; needs qemu-user)
#   make test-faults  every allocation, and every system call of what writes, fails once (minutes)
#   make fuzz       every call and pair of options on nasty graphs against an oracle, on all cores (SECONDS=1800 SEED=random)
#   make docs       the documentation as a site in build/site: strict, links checked, nothing loaded from other servers
#   make pictures   draw the pictures of the documentation anew, from real runs
#   make lint       ruff, mypy --strict, clang-format
#   make fuzz-files  damaged files for every reader, native (libFuzzer, where clang is) and Python (SECONDS=60 RUNS= SEED=random JOBS=2)
#   make sanitize   the native core's tests under AddressSanitizer + UBSan, then under ThreadSanitizer
#   make stub       write src/steppe/_core.pyi anew, after a change of the bindings
#   make bench      medium graphs against every other library installed: tables and charts, about two minutes
#   make bench-sssp    large graphs against SciPy (and GAP, where STEPPE_GAP names its programs)
#   make bench-giants  kron of scale 24 and 218 M random edges
#   make bench-report  docs/benchmarks.md, its charts and the README's table, from what was measured (RESULTS=files)
#   make bench-count   instructions per query, by Valgrind; make bench-build, bench-read: making graphs; make bench-route; make bench-prepare: when preparing pays; make bench-matrix: matrices; make bench-widths: auto beside every method; make bench-cluster: workers of Ray against one process, and their memory
#   make test-gpu   the device tests, on a GPU of this machine (DEVICE=cuda, cuda:1, opencl:NAME)
#   make clean      remove everything the other targets made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=
DEVICE ?= cuda
# Whatever the locale says: files of this project are UTF-8, and what programs print is, too.
export PYTHONUTF8 := 1

# pip with a line for each package and each file of the native core as it is compiled.
INSTALL := tools/install.py

# What an installation is made of. An editable install knows a fixed list of modules, so a new .py file counts too.
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -type f ! -name '*.pyc' ! -name '*.pyi')

# The native core's tests that a sanitizer repeats: the rest of the suite never reaches C++ or only starts other processes.
tests_of = $(addprefix tests/test_,$(addsuffix .py,$(1)))
THREADED := $(call tests_of,sanitizers threads exit stress core prepared plan bfs widen sssp scan distances matrix_file external external_bellman_ford pages paths edge_ids along search verify graph generate route landmarks files lanes contraction bins hops floyd_warshall partitioned_search)
SANITIZED := $(THREADED) $(call tests_of,frames conveniences sssp_properties seeds bellman_ford labels proof mapped files_bad files_claims files_changing files_heading files_real files_write real_data sparse johnson partition files_table files_columnar)
# Older ThreadSanitizers do not start where the kernel places memory too much at random.
FIXED := $(shell setarch -R true 2>/dev/null && echo setarch -R)
LIBRARY = $$(realpath "$$($(CXX) -print-file-name=lib$(1).so)")

.PHONY: demo demo-cluster test test-mutations test-cpus test-cluster test-sdist fuzz test-faults test-kernels test-gpu fuzz-files lint docs pictures stub sanitize sanitize-address sanitize-thread clean \
        bench bench-sssp bench-peers bench-growth bench-giants bench-full bench-report bench-build bench-read bench-count bench-route bench-prepare bench-matrix bench-widths bench-cluster

demo: $(VENV)/.cli
	$(BIN)/python examples/demo.py

demo-cluster: $(VENV)/.ray
	$(BIN)/python examples/cluster.py

# In the order of the names: by their number, files of few tests that take long would come last, on one core.
test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

# Seeded bugs of a driver, and of the kernels, are skipped where nothing has changed since all were noticed: tests/noticed.json.
test-mutations: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist load --maxschedchunk 1 tests/seeded_core.py tests/seeded_kernels.py $(PYTEST_ARGS)
	@$(BIN)/python tests/noticed.py

# What is not installed (qemu-user, a cross compiler, other compilers) is a visible skip.
test-cpus: $(VENV)/.test
	PYTHONPATH=tests $(BIN)/python -m pytest -n auto --dist load tests/cpus/emulated.py $(PYTEST_ARGS)

# What `make test` does with a few failing allocations and system calls, here with all: some minutes.
test-faults: $(VENV)/.test
	STEPPE_FAULTS=all $(BIN)/python -m pytest tests/faults $(PYTEST_ARGS)

# What a user of the source distribution gets: no repository, an empty venv, the tests of the unpacked archive against the installed package. By default
# those of the surface, the files, the documents and the main calls, which take some minutes; SDIST_TESTS=tests runs all. pip fetches what
# pyproject.toml says the build needs; SDIST_PIP=--no-build-isolation takes the tools installed here instead, at paths that ccache knows again.
SDIST_TESTS ?= $(call tests_of,api rooms sdist workflows docs site examples graph sssp bfs route distances verify files cli)
test-sdist: $(VENV)/.build-tools
	rm -rf build/sdist
	$(BIN)/python tools/sdist.py build/sdist
	tar -xzf build/sdist/steppe-*.tar.gz -C build/sdist
	cd build/sdist/steppe-*/ && $(PYTHON) -m venv .venv && .venv/bin/pip install --quiet -r .github/requirements/build.in \
	  && .venv/bin/python $(INSTALL) $(SDIST_PIP) ".[test]" \
	  && .venv/bin/python -m pytest -q -n auto --dist loadfile -p no:cacheprovider $(SDIST_TESTS) $(PYTEST_ARGS)

# What `make test` does with a few lost workers, here with every superstep × every victim, two at once, and a node.
test-cluster: $(VENV)/.test
	STEPPE_TEST_ALL=1 $(BIN)/python -m pytest tests/test_cluster.py tests/test_cluster_loopback.py $(PYTEST_ARGS)

# What `make test` does for the oldest and the newest GPU, here for all.
test-kernels: $(VENV)/.test
	STEPPE_TEST_ALL=1 $(BIN)/python -m pytest tests/test_kernels_compile.py $(PYTEST_ARGS)

test-gpu: $(VENV)/.test
	STEPPE_TEST_DEVICE=$(DEVICE) $(BIN)/python -m pytest -m pocl $(PYTEST_ARGS)

# Atheris is taken where it has a wheel; without it files are changed at random.
fuzz-files: $(VENV)/.fuzz
	PYTHONPATH=tests $(BIN)/python -m fuzz_files $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RUNS),--runs $(RUNS)) \
	  --seed $(or $(SEED),random) --jobs $(or $(JOBS),2)

fuzz: $(VENV)/.test
	PYTHONPATH=tests:tests/children $(BIN)/python -m fuzz --seconds $(or $(SECONDS),1800) --seed $(or $(SEED),random) $(FUZZ_ARGS)

lint: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $$(git ls-files 'cpp/*.hpp' 'cpp/*.cpp' 'tests/*.hpp' 'tests/*.cpp' 'examples/*.cpp')

# A warning is an error: a link that leads nowhere, a page outside the navigation, a docstring that cannot be read.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going --quiet -j auto -d build/site-cache -b html docs build/site
	$(BIN)/python tools/site.py build/site

# The pictures of the documentation, from real runs; two of them need an OpenCL device (PoCL is among the tests' packages).
pictures: $(VENV)/.test
	$(BIN)/python tools/pictures.py docs/pictures

stub: $(VENV)/.lint
	$(BIN)/python tools/stub.py
	$(BIN)/ruff check --quiet --select I --fix src/steppe/_core.pyi
	$(BIN)/ruff format --quiet src/steppe/_core.pyi

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.run --plan quick
	$(BIN)/python -m benchmarks.report benchmarks/results/quick.jsonl

bench-sssp bench-peers bench-growth bench-giants bench-full: bench-%: $(VENV)/.bench
	$(BIN)/python -m benchmarks.run --plan $*
	$(BIN)/python -m benchmarks.report benchmarks/results/$*.jsonl

RESULTS ?= $(wildcard $(addprefix benchmarks/results/,sssp.jsonl floats.jsonl peers.jsonl growth.jsonl growth-large.jsonl))
bench-report: $(VENV)/.bench
	$(BIN)/python -m benchmarks.report --docs $(RESULTS)

bench-build: $(VENV)/.bench
	$(BIN)/python -m benchmarks.build

bench-read: $(VENV)/.bench
	$(BIN)/python benchmarks/read.py
	@folder=$$(mktemp -d); for part in make names numbers parquet; do $(BIN)/python benchmarks/tables.py $$part $$folder || break; done; rm -r $$folder

bench-route: $(VENV)/.bench
	$(BIN)/python -m benchmarks.route

bench-matrix: $(VENV)/.bench
	$(BIN)/python -m benchmarks.matrix --chart docs/benchmarks-matrix.svg

bench-prepare: $(VENV)/.bench
	$(BIN)/python -m benchmarks.prepare

bench-widths: $(VENV)/.bench
	$(BIN)/python -m benchmarks.widths

# Ray, in a network with nothing but loopback, as the tests have it.
bench-cluster: $(VENV)/.test
	PYTHONPATH=tests $(BIN)/python -m benchmarks.cluster $(BENCH_ARGS)

bench-count: $(VENV)/.bench
	$(BIN)/python -m benchmarks.instructions

clean:
	rm -rf .venv .venv-address .venv-thread build .mypy_cache .ruff_cache .pytest_cache .hypothesis

# .venv/.NAME says that the extra NAME is installed and newer than every source file.
$(VENV)/.lint: EXTRAS = test,lint
$(VENV)/.%: EXTRAS = $*
$(VENV)/.%: $(VENV)/.build-tools $(SOURCES)
	@echo "== install steppe[$(EXTRAS)]"
	@$(BIN)/python $(INSTALL) --no-build-isolation --editable ".[$(EXTRAS)]"
	@touch $@

# Without build isolation CMake's cache stays valid from one build to the next.
$(VENV)/.build-tools: .github/requirements/build.in
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "steppe needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	@echo "== make $(VENV)"
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(INSTALL) -r $<
	@touch $@

sanitize: sanitize-address sanitize-thread

# The interpreter itself is not instrumented: its runtime library must come first, and leaks are Python's own. Nothing is suppressed. A report
# ends the run; it goes past pytest's capture, and the stack of the test follows.
sanitize-address: .venv-address/.installed
	LD_PRELOAD="$(call LIBRARY,asan) $(call LIBRARY,stdc++)" ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 \
	  STEPPE_SANITIZE=address .venv-address/bin/python -m pytest -q -n auto --dist loadfile -p no:cacheprovider --capture=sys --durations=15 $(SANITIZED)

sanitize-thread: .venv-thread/.installed
	$(FIXED) env LD_PRELOAD="$(call LIBRARY,tsan) $(call LIBRARY,stdc++)" TSAN_OPTIONS="exitcode=66 halt_on_error=1" \
	  STEPPE_SANITIZE=thread .venv-thread/bin/python -m pytest -q -n auto --dist loadfile -p no:cacheprovider --capture=sys --durations=15 $(THREADED)

.venv-%/.installed: $(SOURCES) tests/seeded.cpp
	@echo "== build with the $* sanitizer"
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/pip install --quiet -r .github/requirements/build.in pytest pytest-xdist hypothesis scipy \
	  pandas polars duckdb pyarrow igraph rustworkx array-api-strict
	@.venv-$*/bin/python $(INSTALL) --no-build-isolation ".[zstd,networkx]" -Cbuild-dir=build/$* -Cinstall.strip=false -Ccmake.define.STEPPE_SANITIZE=$*
	@touch $@
