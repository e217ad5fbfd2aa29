import json

import pytest
import typer
from typer.testing import CliRunner

from halluc.cli.compare import compare
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import ConfigError, SourceNotFoundError
from halluc.report.results import write_predictions

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(compare)

LABELS = ["yes" if n % 2 else "no" for n in range(48)]


@pytest.fixture
def root(tmp_path):
    """Write 48 questions about 8 images."""
    rows = [
        {"question_id": n, "image": f"{n // 6}.png", "text": "?", "label": label}
        for n, label in enumerate(LABELS)
    ]
    folder = tmp_path / "pope"
    folder.mkdir()
    (folder / "coco_pope_random.json").write_text("\n".join(json.dumps(row) for row in rows))
    return folder


@pytest.fixture
def run_of(tmp_path, root):
    """Return a function that writes a run whose answers are wrong for some questions."""

    def make(name, wrong, when="full", asked=range(48)):
        questions = [
            Question(
                id=f"random/{n}", images=(str(root / f"{n // 6}.png"),), prompt="?",
                space=AnswerSpace.yes_no(), gold=LABELS[n], tags={"subset": "random"},
            )
            for n in asked
        ]  # fmt: skip
        flipped = {"yes": "no", "no": "yes"}
        parsed = [flipped[LABELS[n]] if n in wrong else LABELS[n] for n in asked]
        answers = [Prediction(id=q.id, text=p, parsed=p) for q, p in zip(questions, parsed, strict=True)]
        folder = tmp_path / name
        write_predictions(folder / "predictions" / when / "pope.jsonl", questions, answers, {})
        (folder / "config.yaml").write_text(
            f"paths: {{data_dir: {root.parent}, run_dir: '${{hydra:runtime.output_dir}}'}}\n"
            "benchmark:\n  pope:\n    _target_: halluc.benchmarks.pope.Pope\n"
            "    root: ${paths.data_dir}/pope\n    subsets: [random]\n"
        )
        return str(folder)

    return make


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


def test_differences_are_paired_and_clustered(run_of):
    before, after = run_of("a", {n for n in range(48) if n % 3 == 0}), run_of("b", {0, 1})
    (pair,) = json.loads(run(before, after, "--json"))
    (found,) = pair["benchmarks"]
    accuracy = found["scores"]["accuracy"]
    assert accuracy["before"] == pytest.approx(32 / 48)
    assert accuracy["change"] == pytest.approx(14 / 48)
    low, high = accuracy["interval"]
    assert 0.2 < low <= 14 / 48 <= high < 0.35  # the images gain alike: 7 of 8 gain 2 of 6, one none
    assert (found["mcnemar"]["only_first"], found["mcnemar"]["only_second"]) == (1, 15)
    assert found["mcnemar"]["clustered"] is False


def test_several_runs_are_each_held_against_the_first(run_of):
    runs = [run_of(name, set(range(count))) for name, count in (("a", 4), ("b", 2), ("c", 0))]
    found = json.loads(run(*runs, "--json"))
    assert [(one["before"], one["after"]) for one in found] == [(runs[0], runs[1]), (runs[0], runs[2])]


def test_two_points_of_one_run(run_of):
    folder = run_of("a", {1, 2, 3}, when="baseline")
    run_of("a", {1}, when="epoch_2")
    printed = run(f"{folder}@baseline", f"{folder}@epoch_2", "--flips", "1")
    assert "2 answers changed: 2 cured, 0 broken, 0 other" in printed
    assert "cured: pope random/2" in printed
    assert "random/3" not in printed


def test_questions_of_one_run_only_are_left_out_and_counted(run_of, caplog):
    before, after = run_of("a", set()), run_of("b", {0}, asked=range(40))
    (pair,) = json.loads(run(before, after, "--json"))
    (found,) = pair["benchmarks"]
    assert (found["n"], found["left_out"]) == (40, 8)
    assert "8 questions were answered by one of the two only" in caplog.text


def test_files_that_moved(run_of, root):
    before, after = run_of("a", {1}), run_of("b", set())
    moved = root.rename(root.with_name("elsewhere"))
    with pytest.raises(SourceNotFoundError, match="POPE questions not found"):
        run(before, after)
    assert json.loads(run(before, after, "--option", f"pope.root={moved}", "--json"))


def test_errors(run_of, tmp_path):
    folder = run_of("a", set(), when="baseline")
    with pytest.raises(ConfigError, match="at least two runs"):
        run(folder)
    with pytest.raises(SourceNotFoundError, match=r"has baseline: write .*@WHEN"):
        run(folder, folder)
    other = tmp_path / "c" / "predictions" / "full"
    other.mkdir(parents=True)
    with pytest.raises(SourceNotFoundError, match="no predictions of a common benchmark"):
        run(f"{folder}@baseline", str(tmp_path / "c"))
