"""The files as they are committed: style, spelling, bare notebooks."""

import re
import subprocess

import pytest
import yaml

from checks.conftest import ROOT, passes

# On the package index these names may be somebody else's.
# But for sentences that warn of it.
LEADS_ELSEWHERE = re.compile(
    r"""(?<!Do not type\s`pip )"""
    r"""\b(install|add)(\s+-\S+)*\s+[\\"'`]*gtlib(-ir)?(?!_|-)"""
)


def tracked():
    command = ["git", "ls-files", "-z"]
    listed = subprocess.check_output(command, cwd=ROOT, text=True)
    return listed.split("\0")[:-1]


@pytest.mark.parametrize(
    "command",
    [
        ["mypy"],
        ["ruff", "check"],
        ["ruff", "format", "--check"],
        ["codespell", *tracked()],
    ],
    ids=lambda command: command[0],
)
def test_nothing_is_found_by(command):
    passes(*command)


def test_no_file_leads_to_the_wrong_package():
    found = [
        f"{path}: {match[0]}"
        for path in tracked()
        for match in LEADS_ELSEWHERE.finditer(
            (ROOT / path).read_text("utf-8", errors="replace")
        )
    ]
    assert not found, "\n".join(found)


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAY_WRITE = {
    ("book.yml", "notebooks"): {"contents": "write"},
    ("book.yml", "publish"): {"pages": "write", "id-token": "write"},
    ("release.yml", "publish"): {"id-token": "write"},
}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_little_and_names_what_it_uses(path):
    text = path.read_text()
    pinned = r"uses:(?! [\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$).*"
    assert not re.findall(pinned, text, re.M)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        allowed = MAY_WRITE.get((path.name, name))
        assert job.get("permissions") == allowed, name
        for step in job["steps"]:
            if "actions/checkout@" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_forms_for_issues_are_whole():
    forms = [*ROOT.glob(".github/ISSUE_TEMPLATE/*-*.yml")]
    assert len(forms) == 3
    for path in forms:
        form = yaml.safe_load(path.read_text("utf-8"))
        assert form["name"] and form["description"], path
        ids = [field["id"] for field in form["body"]]
        assert len(set(ids)) == len(ids), path
        assert all(field["attributes"]["label"] for field in form["body"])
