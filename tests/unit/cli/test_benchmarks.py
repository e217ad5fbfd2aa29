import json

import pytest
import typer
from hydra.utils import get_class
from typer.testing import CliRunner

from halluc.cli.benchmarks import benchmarks
from halluc.cli.configs import benchmark_entry, benchmark_names
from halluc.errors import UnknownOptionError
from halluc.report.benchmark_facts import benchmark_facts

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(benchmarks)

PROFILES = ("strict", "official", "lmms_eval", "vlmevalkit")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


def test_found_and_missing_files(tmp_path):
    (tmp_path / "phd").mkdir()
    (tmp_path / "phd" / "data.json").write_text("[]")
    listed = {row["benchmark"]: row for row in json.loads(run(f"paths.data_dir={tmp_path}", "--json"))}
    assert [file["found"] for file in listed["phd"]["files"]] == [True]
    assert [file["found"] for file in listed["pope"]["files"]] == [False, False, False]
    assert listed["vstar"]["files"] == [
        {"path": str(tmp_path / "vstar/test_questions.jsonl"), "found": False}
    ]


def test_files_of_the_published_tree_are_found(tmp_path):
    folder = tmp_path / "output" / "coco"
    folder.mkdir(parents=True)
    (folder / "coco_pope_popular.json").write_text("")
    (tmp_path / "data" / "query").mkdir(parents=True)
    (tmp_path / "data" / "annotations.json").write_text("[]")
    printed = run(f"benchmark.pope.root={tmp_path}", f"benchmark.amber.root={tmp_path}", "--json")
    listed = {row["benchmark"]: row["files"] for row in json.loads(printed)}
    assert [file["found"] for file in listed["pope"]] == [False, True, False]
    assert [file["found"] for file in listed["amber"]] == [False, True]


def test_table(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    printed = run(f"paths.data_dir={tmp_path}")
    for text in ("102,564", "S-Lab", "0 of 7 found", "vlmevalkit"):
        assert text in printed


@pytest.mark.parametrize("name", sorted(benchmark_facts()))
def test_the_listed_profiles_are_those_that_build(tmp_path, name):
    kind = get_class(benchmark_entry(name)["_target_"])
    builds = []
    for profile in PROFILES:
        try:
            kind(tmp_path, profile=profile)
        except UnknownOptionError:
            continue
        builds.append(profile)
    assert sorted(benchmark_facts()[name].profiles) == sorted(builds)
    assert name in benchmark_names()
