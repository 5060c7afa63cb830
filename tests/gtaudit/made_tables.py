"""Tables of which it is known what they hold, under names of four
languages and of none, and under names that are rarer."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

# What people call the columns. They were written down without a look at
# the words that the command knows; some are in no list.
NAMES = {
    "English": {
        "system": "system|Model|model_name|run_id|agent|Method|retriever|"
        "LLM|contender|System Name|checkpoint|student_id|Engine",
        "topic": "topic|Query|question_id|item|task_id|QID|Topic No|"
        "prompt_id|Problem|example|instance_id|exercise|stimulus_code",
        "assessor": "assessor|Judge|annotator|rater_id|Rater|reviewer|"
        "worker_id|evaluator",
        "repetition": "repetition|trial|Run No|epoch|attempt|replicate",
        "score": "score|Score|rating|correct|value|grade|points|accuracy|"
        "final score|nDCG@10|reward|mark",
    },
    "German": {
        "system": "System|Modell|Modellname|Verfahren|Ansatz|Methode|"
        "Schüler|Systemname|Teilnehmer|Kandidat|Agent",
        "topic": "Frage|Fragen-Nr|Aufgabe|Thema|Anfrage|Aufgabennummer|"
        "Item|Suchanfrage|Testfall|Frage_ID|Beispiel",
        "assessor": "Gutachter|Prüfer|Bewerter|Gutachterin|Beurteiler|"
        "Annotator|Jury-Mitglied|Richter",
        "repetition": "Wiederholung|Durchlauf|Durchgang|Versuch|Lauf",
        "score": "Punkte|Bewertung|Punktzahl|Note|Ergebnis|Wert|Score|"
        "erreichte Punkte|Wertung",
    },
    "French": {
        "system": "système|modèle|Modele|méthode|moteur|nom_du_modele|"
        "approche|étudiant|algorithme|élève",
        "topic": "requête|question|sujet|tâche|Exercice|énoncé|"
        "id_question|Item|n° question|thème",
        "assessor": "évaluateur|juge|annotateur|Correcteur|évaluatrice|"
        "jury",
        "repetition": "répétition|essai|itération|Répétition n°|tirage",
        "score": "note|score|valeur|points|résultat|Note finale|réussite",
    },
    "Spanish": {
        "system": "sistema|modelo|método|Modelo|nombre_modelo|motor|"
        "estudiante|alumno|enfoque",
        "topic": "consulta|pregunta|tema|tarea|Ejercicio|id_pregunta|"
        "ítem|Pregunta n.º|problema",
        "assessor": "evaluador|juez|anotador|evaluadora|revisor|jurado",
        "repetition": "repetición|intento|iteración|ensayo",
        "score": "puntuación|puntaje|valor|nota|resultado|calificación|"
        "acierto",
    },
    "none": {
        "system": "A|x1|foo|col_a|Brew|kontestar",
        "topic": "B|x2|bar|col_b|Place|xyz",
        "assessor": "C|x3|baz|col_c|who",
        "repetition": "D|x4|qux|col_d|again",
        "score": "E|x5|quux|col_e|result_|Z",
    },
}
# Rarer names, most of which were put into the words of the command later.
RARER = {
    "English": {
        "system": "contestant|Translation System|provider|strategy|backend|"
        "technique|encoder|candidate model|prompt_variant|team_name",
        "topic": "passage|Ticket|story|dialogue_id|request|statement|"
        "Case No.|information need|search_query|puzzle|clip",
        "assessor": "referee|crowd_worker|examiner|teacher|physician|"
        "critic|linguist|Coder|judge_name|expert_id",
        "repetition": "round|rerun|run_idx|rollout|retry|replica",
        "score": "quality|relevance|outcome|pts|verdict|F1|BLEU|"
        "helpfulness|stars|avg_score|exact_match",
    },
    "German": {
        "system": "Bewerber|Übersetzer|Anbieter|Sprachmodell|Prüfling|"
        "Suchmaschine|Strategie|Rechner|Netz",
        "topic": "Satz-ID|Absatz|Artikel|Bild|Fall|Stichwort|Gespräch|"
        "Prüfungsaufgabe|Abschnitt",
        "assessor": "Lehrkraft|Korrektor|Jurorin|Arzt|Fachkraft|Rater",
        "repetition": "Runde|Lauf-Nr|Messung|Ziehung|Iteration",
        "score": "Güte|Qualität|Relevanz|Leistung|Erfolg|Urteil|Treffer",
    },
    "French": {
        "system": "concurrent|traducteur|fournisseur|réseau|candidat|"
        "équipe|stratégie|modèle de langue",
        "topic": "phrase|passage|article|cas|énigme|dialogue|texte",
        "assessor": "professeur|expert|médecin|examinateur|relecteur",
        "repetition": "tour|réplique|tentative|lancement",
        "score": "qualité|pertinence|succès|jugement|barème",
    },
    "Spanish": {
        "system": "concursante|traductor|proveedor|red|candidato|equipo|"
        "estrategia|buscador",
        "topic": "frase|pasaje|artículo|caso|acertijo|diálogo|texto",
        "assessor": "profesor|experto|médico|docente|examinador|corrector",
        "repetition": "ronda|vuelta|réplica|tentativa",
        "score": "calidad|relevancia|rendimiento|éxito|juicio|puntos",
    },
    "none": NAMES["none"],
}
SYSTEMS = ["bm25", "lm-dir", "dense", "hybrid", "gpt-x", "claude-y"]
SYSTEMS += ["llama-z", "colbert", "rm3", "splade", "e5", "Müller"]
SYSTEMS += ["T5 (large)", "O'Brien"]
TOPICS = {
    "q": lambda i: f"q{i + 1}",
    "numbers": lambda i: str(301 + i),
    "words": lambda i: (
        f"topic about {'abcdefghijklmnopqrstuvwxyz'[i % 26]}{i}"
    ),
    "tasks": lambda i: f"HumanEval/{i}",
    "counted": lambda i: str(i + 1),
}
PEOPLE = ["ann", "bob", "eve", "dan", "R2", "007"]
FORMS = (
    "long",
    "with assessors",
    "with repetitions",
    "without topics",
    "wide",
    "wide, topics down",
)


@dataclass
class Made:
    """A table as text, and what is right of it.

    The first of `tables` has systems x topics, averaged over all else, and
    the others what is right where names say nothing, and an option says
    which is the object; `roles` are those of the facets. A `spoilt` table
    must not be read.
    """

    text: str
    language: str
    form: str
    tables: list[pd.DataFrame]
    roles: frozenset
    spoilt: bool = False
    told: list[str] = field(default_factory=list)


def make(seed: int, names_of: dict = NAMES) -> Made:
    """Make the table of a seed, with common or with rarer names."""
    rng = np.random.default_rng([seed, 68])
    language = [*NAMES][seed % len(NAMES)]
    form = FORMS[seed // len(NAMES) % len(FORMS)]
    pick = {
        role: str(rng.choice(names.split("|")))
        for role, names in names_of[language].items()
    }
    told = []
    n = {
        "system": int(rng.integers(3, 9)),
        "topic": int(rng.integers(9, 25)),
        "assessor": int(rng.integers(2, 6)),
        "repetition": int(rng.integers(2, 4)),
    }
    facets = {
        "long": ["system", "topic"],
        "with assessors": ["system", "topic", "assessor"],
        "with repetitions": ["system", "topic", "repetition"],
        "without topics": ["system", "assessor"],
    }.get(form, ["system", "topic"])
    if form == "without topics":
        n["assessor"] = int(rng.integers(3, 7))
    kind = str(rng.choice([*TOPICS]))
    levels = {
        "system": [str(s) for s in rng.permutation(SYSTEMS)[: n["system"]]],
        "topic": [TOPICS[kind](i) for i in range(n["topic"])],
        "assessor": PEOPLE[: n["assessor"]],
        "repetition": [str(i + 1) for i in range(n["repetition"])],
    }
    index = pd.MultiIndex.from_product([levels[f] for f in facets])
    long = index.to_frame(index=False, name=facets)
    scale = str(
        rng.choice(["fractions", "01", "marks", "percent", "words"])
    )
    effect = long["system"].map(
        dict(
            zip(
                levels["system"],
                rng.normal(0, 0.1, n["system"]),
                strict=True,
            )
        )
    )
    raw = np.clip(0.5 + effect + rng.normal(0, 0.2, len(long)), 0, 1)
    number = {
        "fractions": lambda: raw.round(3),
        "01": lambda: (raw > rng.random(len(raw))).astype(int),
        "marks": lambda: (raw * 5).round().astype(int),
        "percent": lambda: raw.round(3),
        "words": lambda: (raw > rng.random(len(raw))).astype(int),
    }[scale]()
    written = {
        "percent": lambda x: f"{100 * x:.1f}%",
        "words": lambda x: ("False", "True")[int(x)],
    }.get(scale, str)
    long["score"] = number
    long["written"] = long["score"].map(written)
    gaps = rng.random() < 0.3
    if gaps:
        lost = rng.choice(len(long), max(1, len(long) // 40), replace=False)
        long.loc[lost, "score"] = np.nan
        long.loc[lost, "written"] = str(rng.choice(["", "NA", "-", "n/a"]))
        told.append("gaps")
    tables = [
        long.pivot_table("score", *pair) for pair in combinations(facets, 2)
    ]
    spoilt = False
    if form.startswith("wide"):
        text = _wide(rng, long, form, pick, language, told)
    else:
        table = long.drop(columns="score")
        table = _extras(rng, table, facets, told)
        if gaps and rng.random() < 0.5:
            table = table.drop(index=lost)
        elif rng.random() < 0.06 and not gaps:
            again = table.sample(1, random_state=seed)
            table = pd.concat([table, again], ignore_index=True)
            spoilt = True
            told.append("a row twice")
        names = {**{f: pick[f] for f in facets}, "written": pick["score"]}
        table = table.rename(columns=names)
        if rng.random() < 0.5:
            table = table.sample(frac=1, random_state=seed)
        columns = [*table.columns]
        if rng.random() < 0.6:
            columns = [str(c) for c in rng.permutation(columns)]
        table = table[columns]
        text = _write(rng, table, told)
    roles = frozenset([*facets])
    return Made(text, language, form, tables, roles, spoilt, told)


def _write(rng, table, told):
    """Write a table as CSV, with one of several delimiters."""
    kind = rng.integers(4)
    if kind == 1:
        told.append("tabs")
        return table.to_csv(index=False, sep="\t")
    if kind == 2:
        told.append("semicolons")
        return table.to_csv(index=False, sep=";")
    if kind == 3 and "" not in table.columns:
        told.append("numbered by pandas")
        return table.reset_index(drop=True).to_csv()
    return table.to_csv(index=False)


def _extras(rng, table, facets, told):
    """Add columns that are none of the facets and no score."""
    n = len(table)
    topic = table[facets[1]]
    number = topic.map({t: i for i, t in enumerate(topic.unique())})
    system = table["system"]
    order = system.map({s: i for i, s in enumerate(system.unique())})
    extras = {
        "latency_ms": lambda: (rng.random(n) * 900).round(2),
        "cost_usd": lambda: (rng.random(n) / 100).round(6),
        "created_at": lambda: [
            f"2026-0{1 + i % 9}-1{i % 10}T10:{i % 60:02}:00"
            for i in range(n)
        ],
        "answer": lambda: [f"Because of {i} things." for i in range(n)],
        "uuid": lambda: [f"{rng.integers(2**40):010x}" for _ in range(n)],
        "tokens": lambda: rng.integers(100, 4000, n),
        "category": lambda: number.map(lambda i: ("easy", "hard")[i % 2]),
        "full text": lambda: [
            f"Please explain, in a few words, what {t} is about."
            for t in topic
        ],
        "params_b": lambda: order.map(lambda i: [7, 13, 70, 8][i % 4]),
        "version": lambda: ["1.0"] * n,
        "age": lambda: order.map(lambda i: 20 + 3 * i),
        "timestamp": lambda: 1_700_000_000 + np.arange(n),
        "row": lambda: 1 + np.arange(n),
        "row_number": lambda: np.arange(n),
        "copy": lambda: [*system],
        "username": lambda: ["jdoe"] * n,
        "response": lambda: [f"It is {i % 5}." for i in range(n)],
        "n_words": lambda: rng.integers(3, 50, n),
        "difficulty": lambda: number.map(lambda i: i % 3 + 1),
    }
    for name in rng.permutation([*extras])[: rng.integers(0, 4)]:
        table = table.assign(**{str(name): extras[str(name)]()})
        told.append(str(name))
    return table


def _wide(rng, long, form, pick, language, told):
    """Write a wide table, of which systems or topics are the rows."""
    table = long.pivot_table(
        "written", "system", "topic", aggfunc="first", dropna=False
    )
    name = pick["system"]
    if form.endswith("down"):
        table, name = table.T, pick["topic"]
    if language == "none" and rng.random() < 0.5:
        name = ""
    numbers = long.pivot_table("score", "system", "topic", dropna=False)
    down = form.endswith("down")
    means = (numbers.T if down else numbers).mean(axis=1)
    table = table.rename_axis(None).rename_axis(None, axis=1)
    rows = pd.Series(table.index, table.index)
    extras = {
        "Average": lambda: means.round(4),
        "cost_usd": lambda: rng.random(len(table)).round(4),
        "age": lambda: rng.integers(18, 60, len(table)),
        "comment": lambda: ["fine", "so so", "fine"] * 99,
        "date": lambda: ["2026-01-02"] * len(table),
    }
    table.insert(0, name, rows)
    for extra in rng.permutation([*extras])[: rng.integers(0, 3)]:
        values = [*extras[str(extra)]()][: len(table)]
        place = int(rng.integers(1, len(table.columns) + 1))
        table.insert(place, str(extra), values)
        told.append(str(extra))
    if rng.random() < 0.3:
        table = table.sample(frac=1, random_state=1)
    if name and rng.random() < 0.2:
        columns = [str(c) for c in rng.permutation(table.columns)]
        table = table[columns]
        told.append("columns in any order")
    return _write(rng, table, told)
