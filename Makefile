# CONTRIBUTING has the same steps written out for Windows and conda, and the commands that are no targets.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(if $(filter Windows_NT,$(OS)),$(VENV)/Scripts,$(VENV)/bin)
# Two workers with two threads each spin against one another on two cores: one thread each is faster.
ENV    := OMP_NUM_THREADS=1 JUPYTER_PLATFORM_DIRS=1
NBVAL  := --nbval-lax --nbval-current-env --nbval-cell-timeout=300 --nbval-sanitize-with tests/nbval.cfg

# JupyterLab's part that asks whether it may fetch news, and looks for updates, is switched off there.
QUIET  := $(CURDIR)/tools/jupyter

.PHONY: lab test notebooks pages editions results clean

lab: $(VENV)/lab.stamp            ## open the notebooks; LAB_FLAGS passes options to JupyterLab
	JUPYTER_CONFIG_PATH="$(QUIET)" $(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/01_why_order_matters.ipynb $(LAB_FLAGS)

test: $(VENV)/test.stamp          ## unit tests, then every notebook from top to bottom
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --no-cache --check --quiet .
	$(ENV) $(BIN)/python -m pytest -n 2 --dist worksteal tests
	$(ENV) $(BIN)/python -m pytest $(NBVAL) -n 2 --dist loadscope notebooks

notebooks: $(VENV)/lab.stamp      ## run the notebooks from fresh kernels and save them clean (ONLY=01 for one)
	$(BIN)/python -m tools.notebooks $(ONLY)

pages: $(VENV)/pages.stamp        ## the course as a web site whose explorers move without a kernel, in build/pages/
	$(ENV) $(BIN)/python -m tools.pages

editions: $(VENV)/pages.stamp       ## what a class gets, in build/: student, nbgrader, solutions, slides, quiz, homework (ONLY='slides 06' for less)
	$(ENV) $(BIN)/python -m tools.editions $(ONLY)

results: $(VENV)/lab.stamp         ## run the experiments and store data/results/ (ONLY=shootout for one)
	$(ENV) $(BIN)/python -m tools.results $(ONLY)

clean:                            ## remove what was set up
	$(PYTHON) -c "import glob, shutil; [shutil.rmtree(f, ignore_errors=True) for f in ['$(VENV)', *glob.glob('.venv-*')]]"

$(VENV)/lab.stamp: requirements.txt pyproject.toml
	$(PYTHON) -c "import sys; v = sys.version_info; v >= (3, 11) or sys.exit('posenc needs Python 3.11 or newer; this is %d.%d. Name another one: make PYTHON=python3.12 lab' % v[:2])"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -r requirements.txt
	$(PYTHON) -c "open('$@', 'w').close()"

$(VENV)/pages.stamp: $(VENV)/lab.stamp tools/pages/requirements.txt
	$(BIN)/python -m pip install -r tools/pages/requirements.txt
	$(PYTHON) -c "open('$@', 'w').close()"

$(VENV)/test.stamp: $(VENV)/lab.stamp tests/requirements.txt tools/pages/requirements.txt
	$(BIN)/python -m pip install -r tests/requirements.txt
	$(BIN)/python -m tools.released
	$(PYTHON) -c "open('$@', 'w').close()"
