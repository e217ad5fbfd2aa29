import json
import shutil
from pathlib import Path

import pytest
import typer
from hydra.utils import get_class
from typer.testing import CliRunner

from halluc.cli.benchmarks import benchmarks
from halluc.cli.check import check
from halluc.cli.configs import benchmark_entry, benchmark_names, config_folder
from halluc.errors import ConfigError, SourceNotFoundError, UnknownOptionError
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


def test_every_word_is_whole_at_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    printed = run("paths.data_dir=absent")
    lines, words = printed.splitlines(), set(printed.split())
    assert max(map(len, lines)) <= 80
    assert "…" not in printed
    for name, facts in benchmark_facts().items():
        assert f"{name}  {facts.title}" in lines
        known = [facts.questions, facts.images, facts.metrics, ", ".join(facts.profiles), facts.licence]
        assert set(" ".join([*known, facts.source, facts.size]).split()) <= words


def test_files_are_counted_and_the_first_missing_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "[bold]" / "phd").mkdir(parents=True)
    (tmp_path / "[bold]" / "phd" / "data.json").write_text("[]")
    printed = " ".join(run("paths.data_dir='[bold]'").split())
    assert "files 1 of 1 found" in printed
    assert "0 of 7 found no [bold]/longhalqa/lhqa_discrim_object_binary.jsonl and 6 more" in printed


def test_what_is_not_known_has_no_line(declare, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    declare("riddles", f"riddles:\n  _target_: {__name__}.Riddles\n")
    after = run().partition("riddles  Ask riddles.\n")[2].splitlines()
    block = after[: next(place for place, line in enumerate(after) if not line.strip())]
    assert [line.split() for line in block] == [["where", f"{__name__}.Riddles"]]


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


def test_each_published_benchmark_says_how_large_it_is():
    facts = benchmark_facts()
    for name in facts.keys() - {"own"}:
        assert facts[name].questions
        assert facts[name].images
        assert facts[name].size, f"{name}: give the size of the download, or say that its authors state none"


def test_the_videos_are_listed(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    listed = {row["benchmark"]: row for row in json.loads(run(f"paths.data_dir={tmp_path}", "--json"))}
    assert listed.keys() == benchmark_facts().keys()
    assert listed["vlm2_videos"]["questions"] == "200"
    printed = run(f"paths.data_dir={tmp_path}")
    for text in ("vlm2_videos", "(pc-vid)", "size not stated"):
        assert text in printed


def test_datasets_are_offered_where_the_data_readme_says():
    readme = (Path(__file__).parents[3] / "data" / "README.md").read_text(encoding="utf-8")
    (sentence,) = (
        line for line in readme.splitlines() if line.startswith("Four benchmarks take a `dataset`")
    )
    named = {name for name in benchmark_facts() if f"`{name}`" in sentence}
    taking = {name for name in benchmark_facts() if "dataset" in benchmark_entry(name)}
    assert named == taking == {"longhalqa", "phd", "pope", "vstar"}


def test_annotations_of_vstar_are_found(tmp_path):
    (tmp_path / "relative_position").mkdir()
    (tmp_path / "relative_position" / "sa_1.json").write_text("{}")
    printed = run(
        f"benchmark.vstar.root={tmp_path}",
        "benchmark.vstar.annotations=[direct_attributes,relative_position]",
        "--json",
    )
    listed = {row["benchmark"]: row["files"] for row in json.loads(printed)}
    assert [file["found"] for file in listed["vstar"]] == [False, True]


class Riddles:
    """Ask riddles.

    A class of a user's own, which is no PublishedBenchmark.
    """


@pytest.fixture
def declare(tmp_path, monkeypatch):
    """Add a file to a copy of ``conf/benchmark``, as a user does."""
    folder = shutil.copytree(config_folder(), tmp_path / "conf")
    monkeypatch.setattr("halluc.cli.configs.config_folder", lambda: folder)

    def write(name, text):
        (folder / "benchmark" / f"{name}.yaml").write_text(text)

    return write


def renamed(key):
    """Copy own.yaml as its comment says."""
    text = (config_folder() / "benchmark" / "own.yaml").read_text()
    assert text.count("\n&name own:\n") == 1
    return text.replace("&name own:", f"&name {key}:")


def test_a_benchmark_declared_by_yaml_alone_is_listed(tmp_path, declare, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    declare("mine", renamed("mine"))
    (tmp_path / "questions.jsonl").write_text("")
    listed = {row["benchmark"]: row for row in json.loads(run(f"benchmark.mine.root={tmp_path}", "--json"))}
    assert listed.keys() == {*benchmark_facts(), "mine"}
    assert listed["mine"]["files"] == [{"path": str(tmp_path / "questions.jsonl"), "found": True}]
    assert listed["mine"]["title"] == listed["own"]["title"]
    assert "mine" in run()


def test_a_missing_file_of_a_copied_declaration_blames_its_own_key(tmp_path, declare):
    declare("mine", renamed("mine"))
    command = typer.Typer(pretty_exceptions_enable=False)
    command.command()(check)
    with pytest.raises(SourceNotFoundError, match=r"Set benchmark\.mine\.root to the folder that holds"):
        CliRunner().invoke(command, [str(tmp_path), "--benchmark", "mine"], catch_exceptions=False)


def test_another_class_under_another_name_is_listed(declare):
    declare("gqa", "gqa:\n  _target_: halluc.benchmarks.pope.Pope\n  root: r\n  source: gqa\n")
    declare("riddles", f"riddles:\n  _target_: {__name__}.Riddles\n")
    listed = {row["benchmark"]: row for row in json.loads(run("--json"))}
    assert listed["gqa"]["title"] == "POPE"
    assert listed["gqa"]["files"][0]["path"] == "r/gqa_pope_random.json"
    assert (listed["riddles"]["title"], listed["riddles"]["files"]) == ("Ask riddles.", [])
    assert "riddles" in run()


def test_a_declaration_that_can_not_work_says_what_to_do(declare):
    declare("mine", renamed("own"))
    with pytest.raises(
        ConfigError, match=r"mine.yaml declares no benchmark mine. Rename the key in it to mine"
    ):
        run()
    declare("mine", renamed("mine").replace("${paths.data_dir}/own", "???"))
    with pytest.raises(ConfigError, match=r"(?s)as benchmark.mine.root=DIR: .*Missing mandatory value"):
        run()
    with pytest.raises(UnknownOptionError, match=r"^benchmark\.mine\.profile is 'x'"):
        run("benchmark.mine.root=r", "benchmark.mine.profile=x")
