"""gtlib.data: the rules, on files made for the test."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import data
from gtlib.data import data_folder, read_judges, read_rag_judges

PEOPLE = [f"1 Q0 d{i} {i % 4}" for i in range(200)]


@pytest.fixture
def judged(tmp_path):
    """Read files with these lines, the first that of people."""

    def read(**files):
        paths = []
        for name, lines in {"people": PEOPLE, **files}.items():
            path = tmp_path / f"{name.replace('DOT', '.')}.txt"
            path.write_text("\n".join(lines) + "\n")
            paths.append(path)
        table = read_judges(paths)
        return {
            who: t.set_index("document")["relevance"]
            for who, t in table.groupby("assessor")
        }

    return read


class TestRules:
    def test_columns_and_names(self, judged):
        found = judged(
            **{"gpt-4o_graded_dl21_7": PEOPLE, "team-one": PEOPLE}
        )
        assert list(found) == ["gpt-4o/7", "human", "team-one"]
        assert found["human"]["d3"] == 3
        assert len(found["human"]) == 200

    @pytest.mark.parametrize("grade", ["4", "8", "-1", "2.5", "x", "01"])
    def test_a_grade_that_is_none_is_left_out(self, judged, grade):
        lines = [f"1 Q0 d0 {grade}", *PEOPLE[1:]]
        found = judged(judge=lines)["judge"]
        assert len(found) == 199
        assert "d0" not in found

    def test_the_last_line_counts(self, judged):
        found = judged(judge=["1 Q0 d0 3", *PEOPLE, "1 Q0 d0 2"])["judge"]
        assert found["d0"] == 2
        assert found.index.is_unique

    def test_the_last_valid_line_counts(self, judged):
        found = judged(judge=["1 Q0 d0 3", *PEOPLE[1:], "1 Q0 d0 9"])
        assert found["judge"]["d0"] == 3

    def test_a_judge_is_kept_from_99_percent_on(self, judged):
        found = judged(kept=PEOPLE[2:], dropped=PEOPLE[3:])
        assert set(found) == {"human", "kept"}

    def test_documents_that_people_did_not_judge_do_not_count(self, judged):
        more = [f"2 Q0 e{i} 1" for i in range(50)]
        found = judged(kept=PEOPLE + more, dropped=PEOPLE[3:] + more)
        assert set(found) == {"human", "kept"}
        assert len(found["kept"]) == 200

    def test_a_judge_of_several_nests(self, tmp_path):
        held = {
            "pair_index": [["1", "a"], ["1", "b"]],
            "human_scores": [0, 3],
            "per_judge_scores": {"whole": [1, 2], "part": [1, None]},
        }
        path = tmp_path / "judges.json"
        path.write_text(json.dumps(held))
        table = read_rag_judges(path)
        assert table["assessor"].unique().tolist() == ["human", "whole"]
        assert table["relevance"].tolist() == [0, 3, 1, 2]


class TestFetched:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "name", ["dl21-judgments", "llmjudge-judgments", "rag24-judgments"]
    )
    def test_sizes_are_those_of_the_registry(self, name):
        table = gt.load(name)
        row = gt.datasets().set_index("name").loc[name]
        people = table["assessor"] == "human"
        judges = table["assessor"].nunique()
        assert f"{people.sum()} x {judges}" == row["sizes"]
        assert set(table["relevance"]) <= {0, 1, 2, 3}
        key = ["topic", "document", "assessor"]
        assert not table.duplicated(key).any()

    def test_the_frontier_judges_have_the_printed_kappas(self):
        """The repository's table, quadratic weights (Sukul 2026)."""
        from sklearn.metrics import cohen_kappa_score

        wide = gt.load("rag24-judgments").pivot_table(
            "relevance", ["topic", "document"], "assessor"
        )
        ours = sorted(
            cohen_kappa_score(
                wide["human"].astype(int),
                wide[judge].astype(int),
                weights="quadratic",
            )
            for judge in wide.columns.drop("human")
        )
        printed = [0.3958, 0.4065, 0.4141, 0.4789, 0.4792, 0.5123]
        np.testing.assert_allclose(ours, printed, atol=5e-5)


class TestDeepLearning:
    def test_means_are_those_that_nist_printed(self):
        """All 63 runs, nDCG@10, as in NIST's browser of results."""
        printed = gt.load("dl21-groups").set_index("system")["nDCG@10"]
        ours = gt.load("dl21").mean(axis=1)
        assert ours.index.equals(printed.index)
        np.testing.assert_allclose(ours, printed, atol=5.1e-5)

    def test_other_measures_too(self):
        path = data_folder() / "scores" / "dl21.csv.gz"
        with gzip.open(path, "rt") as lines:
            names = next(lines).strip().split(",")
            rows = [line.strip().split(",") for line in lines]
        held = {
            system: np.mean(
                [[float(x) for x in r[2:]] for r in rows if r[0] == system],
                axis=0,
            )
            for system in ("NLE_P_v1", "p_bm25")
        }
        ours = {
            s: dict(zip(names[2:], v, strict=True)) for s, v in held.items()
        }
        printed = {  # NIST's browser: map, recip_rank, P_10
            "NLE_P_v1": {"AP@100": 0.3923, "RR": 0.8697, "P@10": 0.6642},
            "p_bm25": {"AP@100": 0.1357, "RR": 0.5060, "P@10": 0.3547},
        }
        for system, means in printed.items():
            for measure, mean in means.items():
                assert ours[system][measure] == pytest.approx(
                    mean, abs=5.1e-5
                )

    def test_groups_and_kinds(self):
        table = gt.load("dl21-groups")
        assert table["group"].nunique() == 16
        kinds = table["kind"].value_counts()
        assert kinds.to_dict() == {
            "neural": 40,
            "traditional": 13,
            "T5": 10,
        }

    @pytest.mark.slow
    def test_the_judges_are_complete(self):
        table = gt.load("dl21-judges", "nDCG@10")
        columns = {"model", "prompt", "system", "topic", "score"}
        assert set(table) == columns
        judges = table.groupby(["model", "prompt"]).size()
        assert (judges == 63 * 53).all()
        counts = judges.groupby("model").size()
        assert counts.to_dict() == {
            "gpt-4o": 1,
            "llama3.2": 24,
            "mistral": 26,
        }
        people = gt.load("dl21")
        assert set(table["topic"]) == set(people.columns)
        assert set(table["system"]) == set(people.index)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["dl21-judges", "cf"])
    def test_a_measure_that_is_not_there(self, name):
        with pytest.raises(ValueError, match="has no measure 'MAP'; there"):
            gt.load(name, "MAP")

    @pytest.mark.slow
    def test_without_a_measure_all_columns_are_given(self):
        table = gt.load("dl21-judges")
        assert {"nDCG@10", "AP@100", "P@10", "RR"} < set(table)

    @pytest.mark.slow
    def test_a_judge_s_scores_come_out_again(self):
        """From the fetched files, for one judge and three runs."""
        registry = pd.read_csv(data_folder() / "registry.csv")
        files = registry.set_index("name")["files"]
        people, gpt4o, *_ = files["dl21-judgments"].split()
        (judged,) = [
            path
            for path in data.remote_paths(gpt4o)
            if path.endswith("_32.txt")
        ]
        runs = data.remote_paths(files["dl21-runs"])[:3]
        paths = [data.fetch(path) for path in (people, judged, *runs)]
        table = read_judges(paths[:2])
        machine = table[table["assessor"] != "human"]
        found = gt.read_runs(paths[2:], machine, ["nDCG@10"], report=None)
        ours = found.set_index(["system", "topic"])["score"]
        embedded = gt.load("dl21-judges", "nDCG@10")
        embedded = embedded[embedded["model"] == "gpt-4o"]
        embedded = embedded.astype({"topic": str})
        theirs = embedded.set_index(["system", "topic"])["score"]
        assert len(ours) == 3 * 53
        np.testing.assert_allclose(
            ours, theirs.loc[ours.index], atol=5.1e-5
        )

    @pytest.mark.slow
    def test_the_files_table_tells_who_is_kept(self):
        table = gt.load("dl21-files")
        kept = table[table["kept"]].set_index(["model", "prompt"])
        embedded = gt.load("dl21-judges")
        judges = embedded[["model", "prompt"]].drop_duplicates()
        assert set(kept.index) == set(judges.itertuples(index=False))
        assert (table["kept"] == (table["coverage"] >= 0.99)).all()
        assert len(table) == 81
