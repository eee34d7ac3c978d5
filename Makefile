# Every target makes the environments it needs; nothing has to be installed but Python 3.10 or newer with venv, git,
# make and a C compiler.
#
#   make quickstart PYTHON=python3.12                          another interpreter
#   make quickstart KGATE_TORCH_ARGS="--index-url ADDRESS"     another build of torch (CPU-only ones are small)

PYTHON ?= python3
KGATE_TORCH_ARGS ?=
TORCH := torch==2.13.0
DSLS := numpy tilelang==0.1.15
# nvcc for kernels that are compiled for GPUs that are not here: of the version that an H200 ran (tests/contract/check).
NVCC := nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 \
	nvidia-cuda-cccl==13.0.85

GATE := .venv
WORKER := .venv-kernels
RIG := tests/rig/node_modules
BIN := $(GATE)/bin
WORKER_PYTHON := $(abspath $(WORKER)/bin/python)
PIP := -m pip install --quiet --disable-pip-version-check
MANIFESTS = $(wildcard examples/*/kgate.yaml examples/*/*/kgate.yaml)
SCHEMAS = $(wildcard schemas/*.json)
WORKFLOWS = $(wildcard .github/workflows/*.yml workflows/*.yml)
GPU_BENCHMARKS := gallery live
RECORDERS := record
BENCHMARKS = $(filter-out $(GPU_BENCHMARKS) $(RECORDERS),$(basename $(notdir $(wildcard benchmarks/*.py))))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help environments quickstart broken drill zoo rig test test-gate test-kernels unit dispatch lint lock \
	wheelhouse format nightly clean

help:  ## Show this
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "%-14s %s\n", $$1, $$2}' Makefile

environments: $(GATE)/.ready $(WORKER)/.ready  ## Make both environments: the gate's, and the kernels' with torch

# The stamp is written last, so an interrupted installation is begun anew, and a finished one costs nothing.
$(GATE)/.ready: pyproject.toml
	@test -e $@ || rm -rf $(GATE)
	@echo "making $(GATE), the gate's environment"
	@$(PYTHON) -m venv $(GATE)
	@$(BIN)/python $(PIP) --upgrade 'pip>=25.1'
	@$(BIN)/python $(PIP) --editable . --group test --group lint
	@touch $@

$(WORKER)/.ready: Makefile
	@test -e $@ || rm -rf $(WORKER)
	@echo "making $(WORKER), the kernels' environment, with $(TORCH) and $(DSLS)"
	@$(PYTHON) -m venv $(WORKER)
	@$(WORKER)/bin/python $(PIP) $(KGATE_TORCH_ARGS) $(TORCH)
	@$(WORKER)/bin/python $(PIP) $(DSLS) $(NVCC)
	@$(WORKER)/bin/python $(PIP) --editable ./dispatch # the gallery chooses its kernels by it
	@$(WORKER)/bin/python $(PIP) 'pytest>=8.2' 'hypothesis>=6.100' # for the tests of dispatch/ and the gallery
	@touch $@

$(RIG)/.ready: tests/rig/package-lock.json $(GATE)/.ready
	@echo "making $(RIG), the programs that stand for GitHub in tests"
	@rm -rf $(RIG)
	@$(BIN)/python $(PIP) --group rig
	@cd tests/rig && PATH="$(abspath $(BIN)):$$PATH" $(abspath $(BIN))/npm ci --silent
	@touch $@

# Both examples become a git repository with two commits below .try, are checked there, and stay for a second look. $(1)
# is the exit code that kgate has to end with.
define checked
	@folder=$(abspath .try)/$@ && rm -rf "$$folder" && mkdir -p .try && \
	$(BIN)/python examples/stage.py $@ "$$folder" && cd "$$folder" && code=0 && \
	{ $(abspath $(BIN))/kgate check --python $(WORKER_PYTHON) || code=$$?; } && \
	echo "kgate ended with exit code $$code, expected $(1); to look again:" && \
	echo "  cd .try/$@ && ../../$(BIN)/kgate check --python ../../$(WORKER)/bin/python --format markdown" && \
	test "$$code" = $(1)
endef

quickstart: environments  ## Check examples/quickstart: three TileLang kernels, verdict pass
	$(call checked,0)

broken: environments  ## Check examples/broken: seven planted faults, which kgate has to refuse with exit code 1
	$(call checked,1)

zoo: environments  ## Run the gate over kernels that are wrong and over honest ones, and keep score
	$(BIN)/python -m tests.zoo.run --python $(WORKER_PYTHON)

drill: environments  ## Put small products under every condition that takes their kernel away, and print the matrix
	@$(BIN)/python -m tests.drills.matrix --python $(WORKER_PYTHON)

rig: export KGATE_TEST_WORKER_PYTHON := $(WORKER_PYTHON)
rig: $(RIG)/.ready  ## Run the tests of the comment against an emulated GitHub, its API's description, and faults
	$(BIN)/python -m pytest tests/rig --durations=5

# All processes have to find the tests in one order, also those that are made from sets.
unit: $(GATE)/.ready  ## Run the tests that start no process
	PYTHONHASHSEED=0 $(BIN)/python -m pytest tests/unit --numprocesses=auto --benchmark-disable

dispatch: $(GATE)/.ready  ## Run the tests of kgate_dispatch that need no torch
	$(BIN)/python -m pytest dispatch

# Two lanes: what the kernels' interpreter tests, and beside it everything else on two processes, a file at a time, since
# the tests of a file share what they build. What stands for GitHub is started once, in a lane of its own.
test: environments $(RIG)/.ready unit  ## Run all tests, the longest ones sampled
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-gate test-kernels rig

test-gate: export KGATE_TEST_WORKER_PYTHON := $(WORKER_PYTHON)
test-gate: environments
	$(BIN)/python -m pytest --ignore=tests/unit --ignore=tests/rig --durations=25 --numprocesses=2 --dist=loadfile --no-loadscope-reorder

test-kernels: environments
	$(WORKER)/bin/python -m pytest dispatch
	$(WORKER)/bin/python -m pytest tests/contract/gallery

lint: $(GATE)/.ready  ## Examine code, types, floors, workflows and schemas
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --quiet --no-progress --offline --persona=auditor . $(wildcard workflows/*.yml)
	$(BIN)/actionlint $(WORKFLOWS)
	$(BIN)/check-jsonschema --check-metaschema $(SCHEMAS)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml action/compile/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/check-jsonschema --schemafile schemas/manifest.schema.json $(MANIFESTS)

lock: $(GATE)/.ready  ## Resolve what the action installs anew, by version and hash, into action/requirements.lock
	$(BIN)/python action/lock.py

# On a machine like the runner, since pip takes the wheels of its own interpreter and system.
wheelhouse: $(GATE)/.ready  ## Fetch the wheels of action/requirements.lock into ./wheelhouse, for runners without an index
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps \
	--requirement action/requirements.lock --dest wheelhouse

format: $(GATE)/.ready  ## Lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Targets on the CPU first, under the gate's interpreter; then, under the kernels', what only a GPU can run.
nightly: export KGATE_NIGHTLY := 1
nightly: test zoo  ## Run all tests at their full length, the zoo, then the benchmarks against their targets
	@export KGATE_TEST_WORKER_PYTHON=$(WORKER_PYTHON); failed=0; \
	for name in $(BENCHMARKS); do \
	echo "== benchmarks/$$name.py"; $(BIN)/python benchmarks/$$name.py || failed=1; done; \
	for name in $(GPU_BENCHMARKS); do \
	if $(WORKER_PYTHON) -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; \
	then echo "== benchmarks/$$name.py"; $(WORKER_PYTHON) benchmarks/$$name.py || failed=1; \
	else echo "== benchmarks/$$name.py: not run: needs a CUDA GPU"; fi; done; exit $$failed

clean:  ## Remove both environments and every cache
	rm -rf $(GATE) $(WORKER) $(RIG) .try .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
