# Every target sets up what it needs and does nothing twice. `make help` lists them.
# On Windows, with make and the shell that comes with Git, an environment has its programs elsewhere.
WINDOWS := $(filter Windows_NT,$(OS))
EXE := $(if $(WINDOWS),.exe)
PYTHON ?= $(if $(WINDOWS),python,python3)
VENV := .venv
BIN := $(VENV)/$(if $(WINDOWS),Scripts,bin)
PLATFORM := build/platform
DEMO := build/demo
PER_CONDITION ?= 1
# A smaller demo: CATEGORIES="geometry pie_graph".
CATEGORIES ?=
SIZE := .size-$(PER_CONDITION)$(subst $() ,,$(patsubst %,-%,$(CATEGORIES)))
# The longest first, so that they end together.
PAIRS := $(shell ls -r submissions | grep ^builtin-)
# Submissions of the other games.
OTHERS := looker looker-alone literal extractive extractive-sketch solver-editor editor
RUNS := $(PAIRS:%=$(DEMO)/runs/%) $(OTHERS:%=$(DEMO)/runs/%)
FILES = $(shell find $(1) -type f -not -name '*.pyc' -not -path '*/__pycache__/*' 2>/dev/null)
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
# Outside of the environment, which several clones may share.
INSTALLED_OCR := build/.installed-ocr
AS_ROOT := $(if $(filter-out 0,$(shell id -u)),sudo)
# uv is several times faster than pip; pip is always there.
UV := $(shell command -v uv 2>/dev/null)
INSTALL := $(if $(UV),$(UV) pip install -q --compile-bytecode --python $(BIN)/python,$(BIN)/python -m pip install -q --disable-pip-version-check)

.DELETE_ON_ERROR:
.PHONY: help install ocr demo platform site test test-models lint bench clean requirements browser bubblewrap sandbox

help:
	@echo "make install set up .venv with what playing, scoring, releases and the site need"
	@echo "make ocr     install what finds texts anywhere in renderings, for evaluations and the text metrics"
	@echo "make demo    play the built-in pairs, score them, write dataset and site into $(DEMO)"
	@echo "make platform draw the released demo set, compare it to the pixel, play the built-in pairs on it"
	@echo "make site    render the site of the demo's runs again"
	@echo "make freeze  keep the boards of the version FORMER of the dataset DATASET in versions/, before a new one begins"
	@echo "make test    all tests, the browser tests included"
	@echo "make test-models  the tests with small weights and with servers of others (LiteLLM, transformers serve); 9 GB"
	@echo "make lint    ruff, mypy, and oxlint for the scripts of the site"
	@echo "make bench   the measurements in benchmarks/"
	@echo "make sandbox install bubblewrap, in which programs written by models run"
	@echo "make clean   remove what was built (not the environment)"

$(BIN)/python$(EXE):
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): requirements/run.txt pyproject.toml | $(BIN)/python$(EXE)
	@echo "installing into $(VENV) (about a minute)"
	@# Without dependencies: the file names all of them but those that find lines of text in pictures (make ocr).
	@$(INSTALL) --no-deps --require-hashes -r requirements/run.txt
	@$(INSTALL) --no-build-isolation --no-deps -e .
	@# Left in the tree by the build, it would hide the entry points of a later version from `python -m ircore`.
	@rm -rf *.egg-info
	@touch $@

$(INSTALLED_DEV): requirements/dev.txt $(INSTALLED)
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

install: $(INSTALLED)

# Where strangers' renderings are evaluated, whole pictures are searched for text, too.
ocr: $(INSTALLED_OCR)

$(INSTALLED_OCR): requirements/ocr.txt $(INSTALLED)
	@$(INSTALL) --require-hashes -r requirements/ocr.txt
	@mkdir -p $(@D) && touch $@

# What comes next, the last lines say: not each of the commands.
demo: export IRCORE_NEXT := none
demo: $(DEMO)/.complete
	@# Pages that changed since are rendered again, without playing again.
	@test -z "$$(find leaderboard docs mkdocs.yml -type f -newer $(DEMO)/.site -not -path '*/__pycache__/*')" || $(MAKE) site
	@$(BIN)/ircore results $(RUNS)
	@echo
	@echo "site      $(DEMO)/site/index.html    (to click through it: $(BIN)/ircore site serve $(DEMO)/site)"
	@echo "dataset   $(DEMO)/dataset            (load_dataset(\"$(DEMO)/dataset\", split=\"test\"))"
	@echo "more      make demo PER_CONDITION=10    (ten pictures a condition instead of $(PER_CONDITION))"

# What CI runs on the systems on which it does not run the tests.
platform: $(INSTALLED)
	@rm -rf $(PLATFORM)
	$(BIN)/ircore instances build --out $(PLATFORM)/instances --per-condition 3
	$(BIN)/ircore instances show $(PLATFORM)/instances --version 2026.1-demo
	printf '%s\n' $(PAIRS) | xargs -I PAIR \
	  $(BIN)/ircore play submissions/PAIR --instances $(PLATFORM)/instances --out $(PLATFORM)/runs/PAIR
	$(BIN)/ircore score $(PAIRS:%=$(PLATFORM)/runs/%)
	$(BIN)/ircore results $(PAIRS:%=$(PLATFORM)/runs/%)

$(DEMO)/.complete: $(INSTALLED) $(call FILES,ircore dataset_card leaderboard/live/demo submissions/builtin-* $(OTHERS:%=submissions/%)) $(DEMO)/$(SIZE)
	$(BIN)/ircore demo --out $(DEMO) --per-condition $(PER_CONDITION) $(CATEGORIES:%=--category %) --no-serve
	@touch $@ $(DEMO)/.site

# A file named after the size of the demo: another size makes it anew.
$(DEMO)/$(SIZE):
	@[ "$(PER_CONDITION)" -ge 1 ] 2>/dev/null && [ "$(PER_CONDITION)" -le 20 ] || \
	  { echo "PER_CONDITION=$(PER_CONDITION): a whole number from 1 to 20 is needed" >&2; exit 2; }
	@mkdir -p $(DEMO) && rm -f $(DEMO)/.size-* && touch $@

# The boards of the published version, kept before another one begins: FORMER is its name, DATASET where its runs are.
freeze: $(INSTALLED)
	$(BIN)/ircore release pull "$(DATASET)" --out build/former/published
	$(BIN)/ircore site build --runs build/former/published/runs/* --submissions submissions --archive versions --out build/former/site
	$(BIN)/ircore site freeze build/former/site --out "versions/$(FORMER)"

site: $(DEMO)/.complete
	$(BIN)/ircore site build --runs $(RUNS) --out $(DEMO)/site
	@touch $(DEMO)/.site

# The browser tests need Chromium: on Debian and Ubuntu it is installed if that is allowed, else they say why they skip.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "installing chromium for the browser tests"; \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	  else echo "no Chromium found: the browser tests will be skipped"; fi; }

bubblewrap:
	@command -v bwrap >/dev/null || { \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "installing bubblewrap for the tests of the sandbox"; \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null; \
	  else echo "no bubblewrap found: the tests of the sandbox will be skipped (make sandbox installs it)"; fi; }

# Programs that models write run in bubblewrap. Ubuntu's kernel allows it namespaces only after the second line.
sandbox:
	@command -v bwrap >/dev/null || { \
	  if command -v apt-get >/dev/null; then \
	    $(AS_ROOT) apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null; \
	  else echo "no bubblewrap found: the tests of the sandbox will be skipped"; fi; }
	@! test -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns || \
	  $(AS_ROOT) sysctl -q kernel.apparmor_restrict_unprivileged_userns=0

# Three runs one after the other, since what a process has imported and remembered stays. The first are the tests that look
# at pictures most, the third is all the rest.
# CI's machines are shared and slow at times: there a test that fails is run once more, and the summary names it.
WITH_EYES := tests/ircore/scorers tests/ircore/submissions
test: $(INSTALLED_DEV) browser bubblewrap
	@# Each worker has a core of its own: threads of its arithmetic would wait for each other.
	@export TESTS_SHARED=$$(mktemp -d) OPENBLAS_NUM_THREADS=1; trap 'rm -rf "$$TESTS_SHARED"' EXIT; failed=; \
	for part in "$(WITH_EYES)" "tests/ircore $(WITH_EYES:%=--ignore=%)" "tests --ignore=tests/ircore"; do \
	  echo "pytest $$part"; $(BIN)/pytest $$part $(if $(CI),--reruns 1 -rR) || failed=1; \
	done; test -z "$$failed"

# What needs torch, and software of others whose requirements differ from ours: each has an environment of its own.
# Where these exist already, name their programs: make test-models LITELLM=/elsewhere/bin/python SERVING=...
LITELLM ?= build/others/litellm/bin/python
SERVING ?= build/others/serving/bin/python
CLEMCORE ?= build/others/clemcore/bin/python
INSPECT ?= build/others/inspect/bin/python
DATASETS_3 ?= build/others/datasets_3/bin/python
TRL ?= build/others/trl/bin/python
REQUIRES_litellm := 'litellm[proxy]>=1.108,<2'
REQUIRES_serving := 'transformers[serving]>=5.23,<6' torch torchvision
REQUIRES_clemcore := 'clemcore>=3.7,<4'
REQUIRES_inspect := 'inspect-ai>=0.3.285'
REQUIRES_datasets_3 := 'datasets>=3,<4' pillow
REQUIRES_trl := 'trl>=1.16,<2' torch torchvision pillow
WITH_MODELS := tests/ircore/submissions/test_real_services.py tests/ircore/players/test_local_weights.py \
  tests/ircore/players/test_clip_listener.py tests/ircore/scorers/networks $(wildcard tests/ircore/scorers/test_lipsim*.py) \
  tests/ircore/games/reconstruction/test_clembench.py \
  tests/dataset_card/checking/test_release_loading.py tests/dataset_card/test_dialogues.py

# A torch that is there already, such as one for processors only, is kept.
test-models: $(INSTALLED_DEV) $(LITELLM) $(SERVING) $(CLEMCORE) $(INSPECT) $(DATASETS_3) $(TRL)
	@$(INSTALL) --no-build-isolation -e '.[lipsim,local,perceptual]'
	@rm -rf *.egg-info
	IRCORE_LITELLM_PYTHON=$(abspath $(LITELLM)) IRCORE_TRANSFORMERS_PYTHON=$(abspath $(SERVING)) \
	  IRCORE_CLEMCORE_PYTHON=$(abspath $(CLEMCORE)) IRCORE_INSPECT_PYTHON=$(abspath $(INSPECT)) \
  IRCORE_DATASETS_3_PYTHON=$(abspath $(DATASETS_3)) IRCORE_TRL_PYTHON=$(abspath $(TRL)) $(BIN)/pytest -rs $(WITH_MODELS)

build/others/%/bin/python: | $(INSTALLED_DEV)
	$(BIN)/uv venv -q --clear build/others/$*
	$(BIN)/uv pip install -q --python $@ $(REQUIRES_$*)

lint: $(INSTALLED_DEV)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	@! git grep -nE '^(<{7}|>{7}) '  # conflicts of a merge
	$(BIN)/oxlint leaderboard/assets/js leaderboard/live ircore/scorers/annotation_assets ircore/instances/review_assets

bench: $(INSTALLED_DEV)
	@# Two take hours: mutants.py plants faults one at a time, torture.py breaks runs.
	@for one in $(filter-out benchmarks/mutants.py benchmarks/torture.py,$(wildcard benchmarks/*.py)); do \
	  echo "== $$one"; $(BIN)/python $$one || exit 1; done

FINDERS := colorlog omegaconf opencv-python-headless pyclipper shapely six

requirements: $(INSTALLED_DEV)
	@# Hashes, no addresses: uv resolves for all platforms at once. What is not in the extra `all` stays out.
	@# Of the extra `ocr`, what reads single labels: the judge `verified` needs no more, and OpenCV alone has 150 MB.
	$(BIN)/uv pip compile -q pyproject.toml requirements/build.in --extra models --extra ocr --extra release --extra site --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	  $(FINDERS:%=--no-emit-package %) -o requirements/run.txt
	$(BIN)/uv pip compile -q pyproject.toml requirements/build.in --extra models --extra ocr --extra release --extra site --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	  -c requirements/run.txt -o requirements/ocr.txt
	$(BIN)/uv pip compile -q pyproject.toml requirements/build.in --extra all --extra judge-test --group dev --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	  -o requirements/dev.txt

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache
