"""The audit: anybody's scores in, a reliability report out.

* Read: `inputs` (what `gtaudit.readers` make of files, as systems and
  topics), by three steps: `structure` (what content allows), `words` (what
  names mean) and `columns` (which reading it is, or one question);
  `arrange` makes the table, `not_scores` names what is none, `designs`
  finds the roles of facets. `large` (tables that an engine sums), `sites`,
  `pooling`, `machines`; all that one audit looks at comes together in
  `audit_data`.
* Computed: `collection` (the study), `results` (tables of numbers),
  `board`, `comparison`, `gaps`, `repetitions`, `judgment_study`,
  `new_systems`, `planning` and `actions` (what to do next).
* Said: `verdict` (the first screen), `sentences`,
  `machine_sentences` and `nouns` (the reader's words for ours); `display`
  has names and numbers in sentences.
* Of one system alone: `one_system`, `means`. Of marks by people and
  machines: `marks` (whose each column is), `beside_people`.
* All numbers of an audit: `study`, first those that answer.
* Written: `page` fills ``report.html``, with figures of `drawings`;
  `report` writes page, numbers and notebook, which `safe_files` puts in
  place. `command` reads what ``gtlib audit`` is given, and looks at
  `paths` before anything is loaded; `run` does the rest, and `terminal`
  is what it says.

Here is what each module offers to notebooks; it is loaded when one of its
names is first used.
"""

from importlib import import_module

_NAMES = {
    "actions": "advise",
    "audit_data": "AuditData collect split_measures",
    "beside_people": "study_judges verdict_of_judges",
    "board": "audit_leaderboard best_systems_on_board compare_systems "
    "describe_order",
    "collection": "INCOMPLETE prepare",
    "comparison": "measure_table",
    "gaps": "gap_remedies",
    "inputs": "read_input read_scores",
    "machine_sentences": "describe_machines machine_tables",
    "new_systems": "describe_judgments judgment_tables",
    "one_system": "study_one_system verdict_of_one",
    "repetitions": "describe_repetitions study_repetitions",
    "results": "best_systems coefficient_table describe_alpha "
    "plan_without_gaps required_table",
    "sentences": "describe_alike describe_odd_topics findings",
    "sites": "block_design describe_draws",
    "slices": "read_slices study_slices",
    "study": "Asked answer complete",
    "verdict": "give_verdicts",
}
_FILE_OF = {
    name: file for file, all in _NAMES.items() for name in all.split()
}
__all__ = sorted(_FILE_OF)


def __getattr__(name):
    if name in _FILE_OF:
        return getattr(import_module(f"gtaudit.{_FILE_OF[name]}"), name)
    raise AttributeError(f"gtaudit has no name {name!r}.")
