# What can be asked for; tools/ and checks/ say how it is done.
PYTHON ?= python3
ENVIRONMENT = .venv/pins.txt
PY = .venv/bin/python

# These run one process to a processor; numpy's own threads get in the way.
book test check: export OMP_NUM_THREADS = 1

.PHONY: book test check lab student slides data data-build bench pins \
	verdicts clean help

book: $(ENVIRONMENT)  ## execute every notebook, build the book in _build/html
	$(PY) tools/build_book.py

test: $(ENVIRONMENT)  ## test gtlib: published numbers, properties, doctests
	$(PY) -m pytest --numprocesses auto

check: book  ## all that CI asks of the repository and of the built book
	$(PY) -m pytest checks --numprocesses auto

lab: $(ENVIRONMENT)  ## open the notebooks in JupyterLab
	$(PY) -m jupyterlab notebooks

student: $(ENVIRONMENT)  ## copy the notebooks without their solutions
	$(PY) tools/student.py

slides: book  ## make slides of every chapter in _build/slides
	$(PY) tools/slides.py

data: $(ENVIRONMENT)  ## fetch every registered data set, then build with it
	$(PY) tools/data.py

data-build: $(ENVIRONMENT)  ## run our systems anew on Cystic Fibrosis
	$(PY) data/build/cystic_fibrosis.py

verdicts: $(ENVIRONMENT)  ## put the ledger's verdicts on record as they are now
	$(PY) tools/verdicts.py

bench: $(ENVIRONMENT)  ## time gtlib beside its peers
	$(PY) -m benchmarks

pins: $(ENVIRONMENT)  ## choose the versions in requirements.txt anew
	$(PY) tools/pins.py

clean:  ## remove whatever these commands have made
	rm -rf .venv _build .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

help:  ## say this
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile

$(ENVIRONMENT): requirements.txt
	$(PYTHON) tools/environment.py
