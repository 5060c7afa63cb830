"""gtlib.data: what is registered, and that all of it loads."""

import re
import sys

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import data as remote
from gtlib.data import READERS
from gtlib.scores import as_wide

TABLE = gt.datasets()
EMBEDDED = TABLE.loc[TABLE["where"] == "embedded", "name"].tolist()
SCORES = TABLE.loc[TABLE["design"] == "system x topic", "name"].tolist()
JUDGED = "dl21", "llmjudge", "rag24", "mq2008", "mq2009"
OTHERS = [  # the others' tests load them all
    name
    for name in TABLE["name"]
    if name not in {*EMBEDDED, *SCORES}
    and name not in (f"{judged}-judgments" for judged in JUDGED)
]
FACTS = [
    path.stem
    for path in (remote.data_folder() / "published").iterdir()
    if path.stem not in ("robust2004-runs", "dl21-runs")
]


def test_numbers_are_read_to_the_last_digit(tmp_path):
    """Of a table; its whole numbers, names and truths keep their types."""
    scores = np.random.default_rng(0).random(1000)
    table = pd.DataFrame({"x": scores, "n": 1, "name": "a", "is": True})
    table.loc[3, "x"] = np.nan
    table.to_csv(tmp_path / "s.csv", index=False)
    read = READERS["csv"]([tmp_path / "s.csv"], None)
    pd.testing.assert_frame_equal(read, table, check_exact=True)


class TestRegistry:
    def test_columns(self):
        assert TABLE.columns.tolist() == [
            "name", "title", "design", "sizes", "measure", "source",
            "licence", "where", "citation",
        ]  # fmt: skip

    def test_names_and_titles_are_unique(self):
        assert TABLE["name"].is_unique
        assert TABLE["title"].str.casefold().is_unique
        assert not {*TABLE["title"]} & {*TABLE["name"]}

    def test_every_row_says_where_from_and_under_what_licence(self):
        for column in ("name", "title", "source", "licence"):
            assert (TABLE[column] != "").all()
        uncited = TABLE.loc[TABLE["citation"] == "", "source"]
        assert uncited.str.contains(
            "by data/build/|made up"
        ).all()  # our own

    @pytest.mark.sources
    def test_every_embedded_file_has_its_licence_and_a_ground(self):
        folder = remote.data_folder()
        said = re.findall(
            r"^\| `(.+)` \| (CC-BY-4\.0|(?:public )?facts) \| .{7,} \|$",
            (folder / "README.md").read_text("utf-8"),
            re.MULTILINE,
        )
        embedded = {
            path.relative_to(folder).as_posix()
            for place in ("*.csv", "*.sha256", "scores/*", "published/*")
            for path in folder.glob(place)
        }
        assert sorted(name for name, _ in said) == sorted(embedded)
        registry = pd.read_csv(folder / "registry.csv", index_col="files")
        licences = dict(said)
        for name, licence in registry["licence"].items():
            assert licences.get(name, licence) == licence, name

    def test_a_citation_says_who_when_and_where(self):
        cited = TABLE.loc[TABLE["citation"] != "", "citation"]
        form = r"\w[^(),]* \(\d{4}\), (?:doi:10\.|https://|[A-Z]).{8,}"
        assert cited.str.fullmatch(form).all()

    def test_every_remote_file_is_registered(self):
        registry = pd.read_csv(remote.data_folder() / "registry.csv")
        patterns = registry["files"].str.split().explode()
        known = {p for q in patterns for p in remote.remote_paths(q)}
        assert known == set(remote.checksums())

    def test_checksums_and_paths_are_pinned(self):
        for path, checksum in remote.checksums().items():
            assert len(checksum) == 64
            commit = path.split("/")[2]
            assert len(commit) == 40
            int(commit, 16)

    def test_the_issue_s_names_are_there(self):
        measures = ["", "-ndcg20", "-err20", "-p10", "-p20", "-rr"]
        expected = {
            "trec3", "trec8-p10", "trec8-rr", "robust2004",
            "robust2004-p10", "robust2003-runs", "robust2003-qrels", "cf",
            "cf-runs", "cf-judgments", "cf-documents",
            *(f"trec{n}{m}" for n in (5, 6, 7, 8) for m in ("", "-rr")),
            *(f"web{y}{m}" for y in range(2010, 2015) for m in measures),
        }  # fmt: skip
        assert expected <= set(TABLE["name"])

    @pytest.mark.parametrize("key", FACTS)
    def test_every_paper_s_numbers_are_registered(self, key):
        assert key in EMBEDDED


class TestLoad:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", OTHERS)
    def test_every_other_set_loads(self, name):
        data = gt.load(name)
        assert getattr(data, "size", True)

    @pytest.mark.parametrize("name", SCORES)
    def test_score_tables_have_the_sizes_of_the_registry(self, name):
        table = gt.load(name)
        sizes = TABLE.set_index("name").loc[name, "sizes"]
        assert " x ".join(map(str, table.shape)) == sizes
        pd.testing.assert_frame_equal(as_wide(table), table)
        assert table.to_numpy().min() >= 0
        assert table.to_numpy().max() <= 1

    def test_trec_3_has_the_components_of_the_papers(self):
        g = gt.gstudy(gt.load("trec3"))
        expected = [0.00716682, 0.02264232, 0.01091967]
        np.testing.assert_allclose(g.variance, expected, atol=5e-9)

    def test_robust_2004_topics_and_sites(self):
        sites = gt.load("robust2004-sites")
        assert sites["site"].nunique() == 14
        table = gt.load("robust2004")
        assert table.index.tolist() == sites["system"].tolist()
        assert table.columns[0] == 301

    @pytest.mark.slow
    def test_robust_2003_files_are_runs_and_judgments(self):
        runs, qrels = map(gt.load, ("robust2003-runs", "robust2003-qrels"))
        assert len(runs) == 17
        judged = gt.read_qrels(qrels)
        assert len(judged) == 128_796
        assert judged["topic"].nunique() == 100
        shallow = [
            path for path in runs if path.name.endswith("NLPR03vb10.gz")
        ]
        run = gt.read_run(shallow[0])
        assert run["system"].unique() == ["NLPR03vb10"]

    def test_million_query_2009_has_the_printed_judgments(self):
        table = gt.load("mq2009-judgments")
        printed = gt.load("carterette-2010")["value"]
        relevant = table["relevance"] > 0
        found = relevant.groupby(table["topic"]).any()
        assert len(table) == printed["mq2009/judgments"]
        share = 100 * relevant.mean()
        assert round(share) == printed["mq2009/relevant-percent"]
        assert (~found).sum() == printed["mq2009/topics-without-relevant"]
        web = found.index <= 20050
        assert (web.sum(), (~web).sum()) == (50, 637)
        assert not table.duplicated(["topic", "document"]).any()
        assert table["probability"].between(0, 1, inclusive="right").all()

    def test_million_query_2008_has_the_printed_topics(self):
        table = gt.load("mq2008-judgments")
        printed = gt.load("carterette-2010")["value"]
        found = (table["relevance"] > 0).groupby(table["topic"]).any()
        assert found.sum() == printed["mq2008/topics"]
        assert len(found) == 784
        assert round(len(table), -3) == printed["mq2008/judgments"]

    @pytest.mark.parametrize(
        ("name", "runs", "first"),
        [
            ("trec4-means", 39, ("ACQADH", 0.1385)),
            ("trec9-means", 104, ("NEnmLpas", 0.2488)),
            ("trec10-means", 97, ("PDWTAHDR", 0.1332)),
        ],
    )
    def test_the_pages_of_results_name_runs_and_means(
        self, name, runs, first
    ):
        table = gt.load(name)
        assert len(table) == runs
        assert table.index.is_unique
        assert table["AP"].between(0, 1).all()
        assert (table.index[0], table["AP"].iloc[0]) == first

    def test_brennan_s_raters_are_nested_in_tasks(self):
        table = gt.load("brennan-2001")
        g = gt.gstudy(table, "person x (rater:task)")
        assert g.levels == {"person": 10, "rater": 4, "task": 3}
        # Brennan (2001), page 116
        expected = {
            "person": 0.4731, "task": 0.3252, "rater:task": 0.6475,
            "person x task": 0.5596, "person x (rater:task)": 2.3803,
        }  # fmt: skip
        for effect, value in expected.items():
            assert abs(g.variance[effect] - value) < 1e-4

    def test_the_matrix_holds_the_same_ratings(self):
        long = gt.load("brennan-2001")
        matrix = gt.load("brennan-2001-matrix")
        by_rater = long.pivot_table(
            index="person", columns="rater", values="score"
        )
        np.testing.assert_array_equal(matrix, by_rater)

    def test_rajaratnam_is_unbalanced(self):
        table = gt.load("rajaratnam-1965")
        sizes = table.groupby("subtest")["item"].nunique()
        assert sizes.tolist() == [2, 4, 2]

    def test_facts_have_numbers_and_their_print(self):
        table = gt.load("bodoff-li-2007")
        assert table.loc["figure-2/alpha", "value"] == 0.80942
        assert table.loc["figure-2/alpha", "printed"] == ".80942"
        assert table.loc["table-4/dependability/100x1", "printed"] == ".958"

    @pytest.mark.parametrize("key", FACTS)
    def test_facts_are_complete(self, key):
        table = gt.load(key)
        assert table.index.is_unique
        assert (table["paper"] == key).all()
        assert (table[["location", "quantity", "printed"]] != "").all(
            axis=None
        )
        printed = table[table["value"].notna()]
        digits = printed["printed"].str.extract(r"\.(\d+)$")[0].str.len()
        assert (digits.fillna(0) == printed["decimals"]).all()

    def test_table_1_has_the_sizes_that_lead_to_its_components(self):
        g = gt.load("trec4-table1")
        row = TABLE.set_index("name").loc["trec4-table1"]
        assert row["sizes"] == " x ".join(map(str, g.levels.values()))
        assert row["design"] == g.design.text
        assert row["where"] == "embedded"
        printed = gt.load("bodoff-li-2007")
        for facet in ("system", "assessor"):
            assert (
                printed.loc[f"table-1/{facet}s", "value"] == g.levels[facet]
            )
        for effect in g.design.labels:
            slug = effect.replace(" ", "-")
            square = printed.loc[f"table-1/mean-square/{slug}", "value"]
            assert g.mean_squares[effect] == pytest.approx(square)
            variance = printed.loc[f"table-1/variance/{slug}"]
            unit = 10.0 ** -variance["decimals"]
            assert g.table.loc[effect, "variance"] == pytest.approx(
                variance["value"], abs=unit
            )

    def test_without_rdata_the_extra_is_named(self, monkeypatch):
        gt.load("brennan-2001")
        monkeypatch.setitem(sys.modules, "rdata", None)
        with pytest.raises(ImportError, match=r'pip install "\.\[data\]"'):
            gt.load("brennan-2001")

    @pytest.mark.parametrize(
        ("typed", "told"),
        [
            ("trec4", "Did you mean trec4-means or trec4-table1?"),
            ("Trec 33", "Did you mean trec3"),
            ("sceros", "Did you mean scores?"),
            ("quite another", "data set 'quite another'. datasets() lists"),
            ("", "as in load('trec3'); datasets() lists them."),
        ],
    )
    def test_an_unknown_name_gets_the_nearest_one(self, typed, told):
        with pytest.raises(ValueError, match=re.escape(told)):
            gt.load(typed)

    def test_without_a_name_the_list_is_named(self):
        with pytest.raises(ValueError, match=r"datasets\(\) lists them"):
            gt.load()

    @pytest.mark.parametrize(
        "typed", ["Cystic Fibrosis", "cystic fibrosis"]
    )
    def test_a_title_is_as_good_as_a_name(self, typed):
        assert gt.load(typed).equals(gt.load("cf-ap"))
        assert [*gt.load_all(typed)] == ["Cystic Fibrosis"]

    def test_only_cf_takes_a_measure(self):
        with pytest.raises(ValueError, match="one measure each"):
            gt.load("trec3", measure="AP")


@pytest.fixture
def offline(nothing_here, monkeypatch):
    monkeypatch.setattr(remote, "_offline", "there is no network")


class TestOffline:
    def test_the_error_says_what_to_do(self, offline):
        with pytest.raises(gt.DatasetUnavailable) as caught:
            gt.load("trec3")
        assert isinstance(caught.value, OSError)
        for word in ("adhoc3.rda", "no network", "GTLIB_MIRROR"):
            assert word in str(caught.value)

    @pytest.mark.parametrize("name", EMBEDDED)
    def test_what_is_embedded_is_there(self, offline, name):
        data = gt.load(name)
        if name == "cf-runs":
            assert data.is_file()
        elif name == "trec4-table1":
            assert isinstance(data, gt.GStudy)
        else:
            assert len(data)

    def test_where(self, offline):
        where = gt.datasets().set_index("name")["where"]
        assert where["trec3"] == "remote"
        assert where["cf"] == "embedded"

    def test_load_all_names_each_that_is_missing(self, offline):
        with pytest.raises(gt.DatasetUnavailable) as caught:
            gt.load_all("trec3", "cf-ap", "trec8")
        told = str(caught.value)
        assert told.startswith("TREC-3, TREC-8 are not here. TREC-3: ")
        assert told.endswith("make data")

    def test_load_all_refuses_a_name_that_is_none(self, offline):
        with pytest.raises(ValueError, match="no data set 'trec4'"):
            gt.load_all("trec3", "trec4")

    def test_load_all_gives_tables_by_title_and_shows_their_sizes(self):
        tables = gt.load_all("cf-ap", "cf-runs", "trec4-table1")
        assert tables["Cystic Fibrosis"].equals(gt.load("cf-ap"))
        for shown in (repr(tables), tables._repr_html_()):
            for size in ("36 x 98", "1 file", "33 x 48 x 2"):
                assert size in shown

    def test_what_is_loaded_can_be_compared(self):
        one, other = (gt.load_all("cf-ap") for _ in range(2))
        assert one == one
        assert one != other
