# The README has the same steps written out for Windows and conda.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(if $(filter Windows_NT,$(OS)),$(VENV)/Scripts,$(VENV)/bin)
# Two workers with two threads each spin against one another on two cores: one thread each is faster.
ENV    := OMP_NUM_THREADS=1 JUPYTER_PLATFORM_DIRS=1
NBVAL  := --nbval-lax --nbval-current-env --nbval-cell-timeout=300 --nbval-sanitize-with tests/nbval.cfg

# JupyterLab's part that asks whether it may fetch news, and looks for updates, is switched off there.
QUIET  := $(CURDIR)/tools/jupyter

.PHONY: lab test test-claims test-processors test-seeds test-platform test-browser test-nbgrader notebooks questions guide pages translations editions release slides quiz results bench address clean

lab: $(VENV)/lab.stamp            ## open the notebooks; LAB_FLAGS passes options to JupyterLab
	JUPYTER_CONFIG_PATH="$(QUIET)" $(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/01_why_order_matters.ipynb $(LAB_FLAGS)

test: $(VENV)/test.stamp          ## unit tests, then every notebook from top to bottom
	$(BIN)/ruff check --no-cache .
	$(ENV) $(BIN)/python -m pytest -n 2 --dist worksteal tests
	$(ENV) $(BIN)/python -m pytest $(NBVAL) -n 2 --dist loadscope notebooks

test-claims: $(VENV)/test.stamp   ## break the helpers on purpose; some claim must notice each time (ONLY=06 for one notebook)
	$(ENV) $(BIN)/python -m tests.mutations $(if $(ONLY),--notebook $(ONLY))

test-processors: $(VENV)/test.stamp  ## run the notebooks under other arithmetics and threads; how near does each claim come to failing?
	$(ENV) $(BIN)/python -m tests.conditions $(if $(ONLY),--notebook $(ONLY))

test-seeds: $(VENV)/test.stamp    ## the same from eight other seeds
	$(ENV) $(BIN)/python -m tests.conditions --seeds 8 $(if $(ONLY),--notebook $(ONLY))

test-platform:                    ## all tests with the versions of another place: PLATFORM=colab or oldest
	$(PYTHON) -m tests.platforms $(PLATFORM)

test-browser: $(VENV)/test.stamp  ## open the notebooks in a real Chromium
	$(BIN)/python -m pytest tests/test_browser.py

test-nbgrader: .venv-nbgrader/stamp  ## grade the nbgrader edition with nbgrader, in an environment of its own
	$(ENV) $(if $(filter Windows_NT,$(OS)),.venv-nbgrader/Scripts,.venv-nbgrader/bin)/python -m pytest tests/teaching/test_nbgrader.py

notebooks: $(VENV)/lab.stamp      ## run the notebooks from fresh kernels and save them clean (ONLY=01 for one)
	$(BIN)/python -m tools.notebooks $(ONLY)

questions: $(VENV)/lab.stamp       ## write QUESTIONS.md from data/questions.csv and what the notebooks print
	$(BIN)/python -m tools.questions

pages: $(VENV)/pages.stamp        ## the course as a web site whose explorers move without a kernel, in build/pages/
	$(ENV) $(BIN)/python -m tools.pages

translations: $(VENV)/pages.stamp ## the texts of the pages as gettext catalogues, in build/translations/ (see teaching/translating.md)
	$(ENV) $(BIN)/python -m tools.pages --catalogues

editions: $(VENV)/lab.stamp       ## what a class gets: student, nbgrader and solutions (ONLY=student for one) in build/editions/
	$(ENV) $(BIN)/python -m tools.editions $(ONLY)

release: $(VENV)/lab.stamp        ## archives of the editions, with the version in their names, in build/releases/
	$(BIN)/python -m tools.editions.release

results: $(VENV)/lab.stamp         ## run the experiments and store data/results/ (ONLY=shootout for one)
	$(ENV) $(BIN)/python -m tools.results $(ONLY)

guide: $(VENV)/test.stamp         ## write what is counted or tried out into the pages of teaching/
	$(BIN)/python -m tools.guide

bench: $(VENV)/test.stamp         ## timings, printed as ratios
	$(BIN)/python -m tests.benchmarks.explorer
	$(BIN)/python -m tests.benchmarks.explorers
	$(BIN)/python -m tests.benchmarks.kernel
	$(BIN)/python -m tests.benchmarks.rope
	$(BIN)/python -m tests.benchmarks.bias
	$(BIN)/python -m tests.benchmarks.shaw
	$(BIN)/python -m tests.benchmarks.shootout
	$(BIN)/python -m tools.pages
	$(BIN)/python -m tests.benchmarks.pages

quiz: $(VENV)/lab.stamp            ## the quizzes for Moodle, QTI, nbgrader, paper and the browser, in build/quiz/
	$(BIN)/python -m tools.quiz

slides: $(VENV)/pages.stamp        ## decks of slides with speaker notes, in build/editions/slides (ONLY=01 for one)
	$(ENV) $(BIN)/python -m tools.slides $(if $(ONLY),--only $(ONLY))

address: $(VENV)/lab.stamp        ## make address REPO=owner/name
	$(BIN)/python -m tools.address $(REPO)

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
	$(PYTHON) -c "open('$@', 'w').close()"

.venv-nbgrader/stamp: $(VENV)/test.stamp teaching/requirements.txt
	$(BIN)/python -m tests.teaching.environment .venv-nbgrader
	$(PYTHON) -c "open('$@', 'w').close()"
