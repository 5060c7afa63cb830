# What can be asked for; tools/ and checks/ say how it is done.
PYTHON ?= python3
ENVIRONMENT = $(PYTHON) tools/environment.py
PY = .venv/bin/python
UV = .venv/bin/uv
INSTALLED = _build/installed
RESULTS = _build/results
WAITING = $(RESULTS)/waiting.txt

# Worksteal hands out neighbours together: a page is opened by one worker.
PYTEST = $(PY) -m pytest --numprocesses auto --dist worksteal

# What computes, and so may differ in a last digit.
COMPUTES = tests/gtlib/gtheory tests/gtlib/test_ctt.py tests/gtlib/gaps \
	tests/gtlib/test_multivariate.py tests/gtlib/intervals \
	tests/gtlib/uncertainty \
	tests/gtlib/allocation tests/gtlib/ap \
	tests/gtlib/comparisons tests/gtlib/reuse tests/gtlib/swaps \
	tests/gtaudit/test_golden_reports.py

# These run one process to a processor; numpy's own threads get in the way.
book test test-waiting test-old-processor test-newest test-lowest check: \
	export OMP_NUM_THREADS = 1

# Every chapter starts a Python: what they import is compiled once, and kept
# apart from the sources.
export PYTHONDONTWRITEBYTECODE =
export PYTHONPYCACHEPREFIX = $(CURDIR)/.venv/pycache

# In whatever locale.
export PYTHONUTF8 = 1

.PHONY: book test test-waiting test-old-processor dist test-newest \
	test-lowest check lab edit student pdf gettext data data-build bench pins outputs minutes sizes chapter verdicts clean help

book:  ## execute every notebook, build book, slides and course in _build/html
	@$(ENVIRONMENT) book
	.venv/bin/jupyter-book build . --warningiserror --nitpick --keep-going
	$(PY) tools/slides.py
	$(PY) -m tools.assignments student

test:  ## test gtlib (COVERAGE=yes: what is tested; SLOW=yes: what takes long, too)
	@$(ENVIRONMENT) test
	rm -f $(WAITING)
	$(PYTEST) --junit-xml $(RESULTS)/test.xml \
		$(if $(COVERAGE),--cov=gtlib --cov=gtaudit)

test-waiting:  ## run what was skipped for a data set that was not there
	@$(ENVIRONMENT) test
	@if [ -s $(WAITING) ]; then $(PYTEST) @$(WAITING); \
	else echo "No test waits for a data set."; fi

# Numpy only warns of a name that it does not know; then nothing is tested.
test-old-processor: export OPENBLAS_CORETYPE = Prescott
test-old-processor: export NPY_DISABLE_CPU_FEATURES = \
	X86_V3 X86_V4 AVX512_ICL AVX512_SPR
test-old-processor:  ## test what computes with the arithmetic of an old processor
	@$(ENVIRONMENT) test
	$(PY) -W error::ImportWarning -c "import numpy"
	$(PYTEST) $(COMPUTES)

dist:  ## build the sdist, and the wheel from it
	@$(ENVIRONMENT) check
	$(UV) build --no-build-isolation --quiet --clear --out-dir dist
	.venv/bin/twine check --strict dist/*.whl dist/*.tar.gz

test-newest: RESOLUTION = highest
test-newest:  ## test the installed wheel with the newest versions there are
test-lowest: RESOLUTION = lowest-direct
test-lowest:  ## test it with the lowest versions that pyproject.toml has

# From the sdist come the tests; the packages that they import are the wheel's.
test-newest test-lowest: dist
	rm -rf $(INSTALLED)
	mkdir -p $(INSTALLED)
	tar -xzf dist/*.tar.gz --strip-components 1 --directory $(INSTALLED)
	rm -r $(INSTALLED)/gtlib $(INSTALLED)/gtaudit
	$(UV) venv --quiet --python $(PYTHON) $(INSTALLED)/.venv
	$(UV) pip install --quiet --python $(INSTALLED)/.venv \
		--resolution $(RESOLUTION) --extra notebooks \
		--requirements $(INSTALLED)/pyproject.toml
	$(UV) pip install --quiet --python $(INSTALLED)/.venv \
		"$$(ls dist/*.whl)[notebooks,build-data,test]"
	cd $(INSTALLED) && .venv/bin/python -m pytest tests --pyargs gtlib \
		gtaudit -m 'not sources' --numprocesses auto

# The assignments and the PDF are made at the same time.
ifeq ($(MAKECMDGOALS),check)
MAKEFLAGS += --jobs=2
endif

check: student pdf  ## all that CI asks of the built book (SLOW=yes: and more)
	$(PYTEST) checks --junit-xml $(RESULTS)/check.xml

lab: book  ## open the chapters, in plain Markdown, in JupyterLab
	@$(ENVIRONMENT) lab
	$(PY) tools/lab.py

edit:  ## open the chapters' sources in JupyterLab, which saves them bare
	@$(ENVIRONMENT) book lab
	$(PY) -m jupyterlab . --config tools/edit_bare.py

student: book  ## make the assignments and the lab with solutions, for teachers
	$(PY) -m tools.assignments teacher
	$(PY) -m tools.graded

pdf: book  ## print the whole book as _build/html/gtlib-book.pdf
	@$(ENVIRONMENT) check
	$(PY) tools/pdf.py

# Pages that were read for the book lack the marks by which catalogues are
# kept, and those that are read for catalogues are not read for the book.
gettext: book  ## write catalogues for translators in _build/gettext
	rm -rf _build/.doctrees
	.venv/bin/jupyter-book build . --builder custom --custom-builder gettext
	rm -rf _build/.doctrees

data:  ## fetch every registered data set, then build with it
	@$(ENVIRONMENT) book
	$(PY) tools/data.py

data-build:  ## make data/scores anew: hours
	@$(ENVIRONMENT) build-data
	$(PY) data/build/cystic_fibrosis.py
	$(PY) data/build/reader.py
	$(PY) data/build/two_assessors.py
	$(PY) data/build/deep_learning.py
	$(PY) data/build/robust2003.py
	$(PY) data/build/coverage.py
	$(PY) data/build/stretch.py
	$(PY) data/build/errors.py
	$(PY) data/build/plausibility.py
	$(PY) data/build/atlas.py
	$(PY) data/build/trios.py
	$(PY) data/build/samples.py
	$(PY) data/build/confidence.py
	$(PY) data/build/judging.py
	$(PY) data/build/pools.py
	$(PY) data/build/judged_next.py
	$(PY) data/build/looks.py
	$(PY) data/build/stops.py
	$(PY) data/build/settling.py
	$(PY) data/build/verdicts.py
	$(PY) data/build/groups.py
	$(PY) data/build/swaps.py
	$(PY) data/build/held_out.py
	$(PY) data/build/experts.py

outputs: book  ## keep what is shown where the data are missing
	$(PY) book/_ext/kept.py
	@$(MAKE) book  # the notebooks to be run show it, too

minutes:  ## write into each built chapter how long it takes
	$(PY) tools/minutes.py

sizes:  ## say how large each part is, beside what is aimed at
	@$(PYTHON) tools/sizes.py

chapter:  ## begin a chapter: NAME=my-subject [AFTER=the-file-before-it]
	@$(ENVIRONMENT) book
	@$(PY) tools/chapter.py "$(NAME)" $(AFTER)

verdicts:  ## put our verdicts on the papers' numbers on record
	@$(ENVIRONMENT) test
	$(PY) tools/verdicts.py

bench:  ## time gtlib beside its peers
	@$(ENVIRONMENT) bench
	$(PY) -m benchmarks

pins:  ## choose the versions in requirements.txt anew
	@$(ENVIRONMENT) check
	$(UV) pip compile pyproject.toml --quiet --upgrade --universal \
		--all-extras --no-strip-extras \
		--python-version 3.11 --generate-hashes \
		--no-emit-package gtlib-ir --custom-compile-command 'make pins' \
		--output-file requirements.txt

clean:  ## remove whatever these commands have made
	rm -rf .venv _build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

help:  ## say this
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile
