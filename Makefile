# What can be asked for; tools/ and checks/ say how it is done.
PYTHON ?= python3
ENVIRONMENT = .venv/pins.txt
PY = .venv/bin/python
LOWEST = _build/lowest

# These run one process to a processor; numpy's own threads get in the way.
book test test-lowest check: export OMP_NUM_THREADS = 1

.PHONY: book test test-lowest check lab edit student slides data \
	data-build bench pins verdicts clean help

book: $(ENVIRONMENT)  ## execute every notebook, build the book in _build/html
	$(PY) tools/build_book.py

test: $(ENVIRONMENT)  ## test gtlib: published numbers, properties, doctests
	$(PY) -m pytest --numprocesses auto --dist worksteal

test-lowest:  ## test gtlib with the lowest versions that pyproject.toml has
	uv venv --quiet --clear --python 3.11 $(LOWEST)
	uv pip install --quiet --python $(LOWEST) \
		--resolution lowest-direct --editable '.[notebooks]'
	uv pip install --quiet --python $(LOWEST) --editable '.[build-data,test]'
	$(LOWEST)/bin/python -m pytest --numprocesses auto

# Worksteal hands out neighbours together: a page is opened by one worker.
check: slides student  ## all that CI asks of the repository and of the built book
	$(PY) -m pytest checks --numprocesses auto --dist worksteal

lab: book  ## open the chapters, in plain Markdown, in JupyterLab
	$(PY) tools/lab.py

edit: $(ENVIRONMENT)  ## open the chapters' sources in JupyterLab
	$(PY) -m jupyterlab notebooks

student: book  ## make assignments: copies for students, and for teachers
	$(PY) tools/student.py

slides: book  ## make slides of every chapter in _build/slides
	$(PY) tools/slides.py

data: $(ENVIRONMENT)  ## fetch every registered data set, then build with it
	$(PY) tools/data.py

data-build: $(ENVIRONMENT)  ## make data/scores anew: an hour
	$(PY) data/build/cystic_fibrosis.py
	$(PY) data/build/deep_learning.py
	$(PY) data/build/coverage.py
	$(PY) data/build/confidence.py
	$(PY) data/build/judging.py

verdicts: $(ENVIRONMENT)  ## put the ledger's verdicts on record as they are now
	$(PY) tools/verdicts.py

bench: $(ENVIRONMENT)  ## time gtlib beside its peers
	$(PY) -m benchmarks

pins:  ## choose the versions in requirements.txt anew
	echo '-e .[bench,book,build-data,test]' | uv pip compile - --quiet \
		--upgrade --universal --python-version 3.11 \
		--custom-compile-command 'make pins' \
		--output-file requirements.txt

clean:  ## remove whatever these commands have made
	rm -rf .venv _build .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

help:  ## say this
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile

$(ENVIRONMENT): requirements.txt
	$(PYTHON) tools/environment.py
