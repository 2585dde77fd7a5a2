# One command to run Kedge, one to test it. `make help` lists all.
# Needs: Python 3.11 with venv, make, git; everything else comes from PyPI (and Chromium from Debian).

SHELL := /bin/sh
PYTHON := $(shell command -v python3.11 || command -v python3 || echo python3)
BIN := .venv/bin
RUN := $(BIN)/python
INSTALL := pip install --quiet --require-hashes --only-binary :all:
CHROMIUM := $(or $(KEDGE_CHROMIUM),$(shell command -v chromium || command -v chromium-browser || command -v google-chrome))
# Two processes: on two cores a third only waits. Few tests at a time: the crash matrix, chaos and what
# else takes minutes stand close together, and one process would get them all while the other has none.
# What is skipped for want of a namespace, a small disk or a wrong clock is named with its reason.
PYTEST := $(RUN) -m pytest -q -rs -n 2 --maxschedchunk 50

.DEFAULT_GOAL := help
.PHONY: help up test slow check crash model statemachine leases chaos restores mutants bench demo badrelease fmt browser locks acceptance evaluate schemas contract walkthrough faketime traces

help: ## This list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

up: .venv/runtime ## Start everything and stay in front; Ctrl-C stops it
	@$(if $(WITHOUT_DESK),:,$(MAKE) --silent .venv/desk || echo "The demo does without its refund desk: a tracker and a store could not be installed")
	@KEDGE_DEMO=$${KEDGE_DEMO:-$(if $(filter production,$(KEDGE_ENV)),0,1)} exec $(RUN) manage.py up

demo: .venv/runtime ## Show the card of the running demo again
	@KEDGE_DEMO=1 $(RUN) manage.py card

badrelease: .venv/runtime ## In the running demo: a release that goes wrong, up its ladder and rolled back (minutes)
	@KEDGE_DEMO=1 $(RUN) manage.py demo --bad-release

test: check browser faketime .venv/servers ## Check, then run every test, the browser's too
	$(PYTEST) -m "not slow"

check: .venv/dev ## Lint, types, import floors, templates, migrations, deployment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/djlint templates --lint --quiet
	$(RUN) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	$(PRODUCTION) $(RUN) manage.py check --deploy --fail-level WARNING

# Only the demo has a refund desk.
WITHOUT_DESK := $(filter production,$(KEDGE_ENV))$(filter 0,$(KEDGE_DEMO) $(KEDGE_REFUND_DESK))

# What production must be told; none of it is a real secret or host.
PRODUCTION := KEDGE_KEYS=check:b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM= \
	KEDGE_ENV=production KEDGE_DEMO=0 KEDGE_DEBUG=0 KEDGE_HOSTS=kedge.example \
	KEDGE_SECRET_KEY=only-for-the-check-abcdefghijklmnopqrstuvwxyz-0123456789 \
	KEDGE_SIGNING_KEY=b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM=

crash: .venv/servers ## Kill a run at every boundary and count its effects; then rollbacks (minutes)
	$(RUN) -m tests.crash $(ARGS)
	$(if $(ARGS),,$(RUN) -m tests.crash.rolled)

chaos: .venv/dev .venv/desk faketime ## Attack every process and server while runs go on (half an hour; ARGS=--help)
	$(RUN) -m tests.chaos $(ARGS)

restores: .venv/dev ## Make records older than the world, five ways, under load (15 minutes; ARGS=--help)
	$(RUN) -m tests.restores $(ARGS)

acceptance: .venv/dev .venv/desk ## Replay the regression groups, kill runs in short, count; last line JSON
	$(RUN) -m tests.acceptance $(ARGS)

evaluate: .venv/dev ## Replay the regression groups alone
	$(RUN) -m tests.acceptance --groups $(ARGS)

schemas: .venv/dev ## Check every kept JSON against its schema
	$(RUN) -m tests.acceptance --schemas

contract: .venv/servers ## Run the contract of the tools alone
	$(RUN) -m pytest -q tests/contract $(ARGS)

walkthrough: .venv/dev ## Keep a success, a refusal and a recovery of real runs as files
	$(RUN) -m tests.acceptance --walkthrough

model: .venv/dev ## Walk through every state of the protocol's model, and with each rule off
	$(RUN) -m tests.model $(ARGS)

statemachine: .venv/dev ## Try the rules of runs, people and faults in odd orders (EXAMPLES=200 SEED=n)
	$(RUN) -m pytest -q -s -m slow tests/statemachine

leases: .venv/dev ## Let processes hammer at leases for a minute, and check their log for overlaps (SEED=n)
	$(RUN) -m pytest -q -s -m slow tests/leaselog

slow: browser faketime .venv/servers ## Run the slow tests that have no target of their own (half an hour)
	$(RUN) -m pytest -q -rs -m slow --ignore=tests/statemachine --ignore=tests/leaselog

mutants: .venv/dev ## Take each safety check out once, and see a named test fail (minutes)
	$(RUN) -m tests.mutants $(ARGS)

bench: .venv/bench ## Measure steps and storage beside the bare database and other engines
	$(RUN) -m tests.bench $(ARGS)

traces: .venv/otel ## Install what sends traces to a collector

fmt: .venv/dev ## Format the code and mend what lint can mend
	$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

locks: .venv/uv ## Lock again after requirements*.in changed
	for each in requirements requirements-otel requirements-dev requirements-bench requirements-desk; do \
	  $(BIN)/uv pip compile --quiet --generate-hashes --only-binary :all: --python-version 3.11 \
	    --no-emit-index-url --custom-compile-command "make locks" $$each.in -o $$each.lock || exit 1; done

# Each stamp stands for one lock, installed whole; a changed lock is installed again.
.venv/uv: requirements-uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "Kedge runs on Python 3.11 and found $$($(PYTHON) --version 2>&1 || echo none). Install python3.11 and its venv module, then try again."; exit 1; }
	@echo "Making .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(RUN) -m $(INSTALL) -r requirements-uv.lock
	@touch $@

.venv/runtime: .venv/uv requirements.lock
	@echo "Installing what Kedge runs on (once per lock)"
	@$(call install,requirements.lock)
	@touch $@

.venv/dev: .venv/runtime requirements-dev.lock
	@echo "Installing what tests Kedge (once per lock)"
	@$(call install,requirements-dev.lock)
	@touch $@

.venv/otel: .venv/runtime requirements-otel.lock
	@echo "Installing what sends traces (once per lock)"
	@$(call install,requirements-otel.lock)
	@touch $@

.venv/bench: .venv/dev requirements-bench.lock
	@echo "Installing the engines to compare with (once per lock)"
	@$(call install,requirements-bench.lock)
	@touch $@

# The demo's refund desk works with a tracker (Roundup, MIT) and a store (SeaweedFS, Apache 2.0), each
# a program of its own. Roundup comes as source only and is built with the setuptools of our own lock.
.venv/desk: .venv/runtime requirements-desk.lock config/demo/desk/roundup.lock
	@echo "Installing the tracker and the store of the demo's refund desk (once per lock)"
	@$(call install,requirements-desk.lock)
	@$(RUN) -m pip install --quiet --require-hashes --no-deps --no-build-isolation -r config/demo/desk/roundup.lock
	@touch $@

# The locks name what each package must hash to; none from npm may run anything while it is installed.
.venv/servers: .venv/dev .venv/desk tests/servers/package.json tests/servers/package-lock.json
	@echo "Installing the other systems that tests talk to (once per lock)"
	@rm -rf .venv/npm && mkdir .venv/npm && cp tests/servers/package*.json .venv/npm
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix .venv/npm --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Byte-compiled, because every process start would pay for it otherwise. Where uv cannot reach the
# index that pip is set up for, pip does the same, slower.
define install
$(BIN)/uv $(INSTALL) --python $(RUN) --compile-bytecode -r $(1) || \
  { echo "uv did not succeed; trying the same with pip"; $(RUN) -m $(INSTALL) -r $(1); }
endef

browser: ## Chromium for the browser tests, from Debian
ifeq ($(CHROMIUM),)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests (once)"; \
	  apt-get update -q >/dev/null && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium >/dev/null; \
	else \
	  echo "The browser tests need Chromium, and only root can install it: run 'sudo apt-get install chromium', then try again."; exit 1; \
	fi
endif

# Without it tests of wrong clocks are skipped, and chaos says so.
faketime: ## libfaketime for processes with wrong clocks, from Debian
ifeq ($(wildcard /usr/lib/*/faketime/libfaketimeMT.so.1),)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing libfaketime for wrong clocks (once)"; \
	  apt-get update -q >/dev/null && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends faketime >/dev/null || \
	  echo "It could not be installed: wrong clocks are not shown"; \
	else \
	  echo "No libfaketime, and only root can install it: wrong clocks are not shown (sudo apt-get install faketime)"; \
	fi
endif
