"""The audit: anybody's scores in, a reliability report out.

* Read: `inputs` (what `gtaudit.readers` make of files, as systems and
  topics), `large` (tables that an engine sums), `sites`, `pooling`,
  `machines`; all that one audit looks at comes together in `audit_data`.
* Computed: `collection` (the study), `results` (tables of numbers),
  `board`, `comparison`, `gaps`, `repetitions`, `judgment_study`,
  `new_systems`, `planning` and `actions` (what to do next).
* Said: `verdict` (the first screen), `questions`, `sentences`,
  `machine_sentences` and `nouns` (the reader's words for ours); `display`
  styles tables.
* Of one system that ran several times: `one_system`.
* Written: `report` runs ``report.ipynb`` and writes all files, which
  `safe_files` puts in place; `command` reads what ``gtlib audit`` is
  given, and `run` does it. `session` is for judging by hand.

The names stand in ``__init__.pyi``, each beside its module, which is loaded
when one of its names is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
