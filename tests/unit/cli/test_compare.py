import json

import pytest
import typer
from typer.testing import CliRunner

from halluc.cli.compare import compare
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import BenchmarkError, ConfigError, SourceNotFoundError, UnknownOptionError
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


@pytest.fixture
def responses(tmp_path):
    """Return a function that writes a response file: whole records, wrong for some questions."""

    def make(name, wrong, asked=range(48), **changed):
        said = {"yes": "No.", "no": "Yes, it is."}
        right = {"yes": "Yes", "no": "no"}
        rows = [
            {"subset": "random", "question_id": n, "image": f"{n // 6}.png", "text": "?", "label": LABELS[n],
             "response": said[LABELS[n]] if n in wrong else right[LABELS[n]]} | changed
            for n in asked
        ]  # fmt: skip
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, rows)))
        return str(path)

    return make


FILES = ("--benchmark", "pope")


def test_response_files_are_compared_as_runs_are(run_of, responses):
    wrong = ({n for n in range(48) if n % 3 == 0}, {0, 1})
    runs = json.loads(run(*(run_of(name, w) for name, w in zip("ab", wrong, strict=True)), "--json"))
    files = [responses(f"{name}.jsonl", w) for name, w in zip("ab", wrong, strict=True)]
    found = json.loads(run(*files, *FILES, "--json"))
    assert found[0]["benchmarks"] == runs[0]["benchmarks"]
    assert (found[0]["before"], found[0]["after"]) == tuple(files)


def test_response_files_may_leave_the_gold_to_the_published_questions(root, tmp_path):
    files = []
    for name, response in (("a", "yes"), ("b", "no")):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps({"id": f"random/{n}", "response": response}) for n in range(48)))
        files.append(str(path))
    with pytest.raises(ConfigError, match="hold no gold answer"):
        run(*files, *FILES)
    options = ("--root", str(root), "--option", "subsets=[random]", "--profile", "official")
    (found,) = json.loads(run(*files, *FILES, *options, "--json"))
    (one,) = found["benchmarks"]
    assert one["scores"]["random/yes_ratio"]["change"] == -1.0
    assert (one["mcnemar"]["only_first"], one["mcnemar"]["only_second"]) == (24, 24)


def test_a_pattern_takes_several_files_for_one(responses, tmp_path):
    whole = responses("whole.jsonl", {0})
    responses("part_1.jsonl", {0, 1}, range(24))
    responses("part_2.jsonl", set(), range(24, 48))
    (found,) = json.loads(run(whole, str(tmp_path / "part_*.jsonl"), *FILES, "--json"))
    (one,) = found["benchmarks"]
    assert (one["n"], one["left_out"]) == (48, 0)
    assert (one["mcnemar"]["only_first"], one["mcnemar"]["only_second"]) == (1, 0)


def test_questions_of_one_file_only_are_left_out_and_counted(responses):
    files = responses("a.jsonl", {0}), responses("b.jsonl", set(), range(12, 48))
    for pair in (files, files[::-1]):
        (found,) = json.loads(run(*pair, *FILES, "--json"))
        assert (found["benchmarks"][0]["n"], found["benchmarks"][0]["left_out"]) == (36, 12)


def test_flips_of_response_files_are_listed(responses):
    shown = run(responses("a.jsonl", {0, 5}), responses("b.jsonl", {5, 7}), *FILES, "--flips", "5")
    assert "2 answers changed: 1 cured, 1 broken, 0 other" in shown
    assert "cured: pope random/0" in shown


def test_files_without_pictures_say_that_questions_are_resampled(tmp_path):
    rows = [{"id": f"random/{n}", "label": "yes", "response": "yes"} for n in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    shown = run(str(tmp_path / "a.jsonl"), str(tmp_path / "a.jsonl"), *FILES)
    assert "questions resampled" in " ".join(shown.split())


def test_files_of_other_questions_are_refused(responses):
    with pytest.raises(BenchmarkError, match="different gold answers"):
        run(responses("a.jsonl", set()), responses("b.jsonl", set(), label="yes"), *FILES)


def test_files_and_runs_are_not_mixed_up(responses, run_of):
    file, folder = responses("a.jsonl", set()), run_of("run", set())
    with pytest.raises(ConfigError, match="--benchmark NAME"):
        run(file, file)
    with pytest.raises(ConfigError, match="is a folder"):
        run(file, folder, *FILES)
    with pytest.raises(SourceNotFoundError, match="No file"):
        run(file, file + "x", *FILES)


def gated_file(path, closed):
    """Write gated sequences whose fine questions were not asked where the gate is closed."""
    rows = []
    for number in range(12):
        opened = number not in closed
        fine = [{"question": "?", "gold": "yes", "response": "Yes"} for _ in range(3)]
        rows.append(
            {
                "sequence_id": f"s{number}", "task": "oc_cnt", "images": [f"{number}.png", f"{number}b.png"],
                "coarse": {"type": "count", "question": "?", "gold": 2, "response": "2" if opened else "1"},
                "fine": fine if opened else [{**one, "response": None} for one in fine],
            }
        )  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_fine_questions_behind_closed_gates_are_not_taken_for_wrong(tmp_path):
    files = gated_file(tmp_path / "a.jsonl", ()), gated_file(tmp_path / "b.jsonl", range(6))
    (pair,) = json.loads(run(*files, "--benchmark", "vlm2", "--json"))
    (found,) = pair["benchmarks"]
    assert found["scores"]["gated_mean"]["change"] == -0.5
    assert "fine_accuracy" not in found["scores"]
    assert found["n"] == 12 + 6 * 3
    assert (found["mcnemar"]["only_first"], found["mcnemar"]["only_second"]) == (6, 0)


def test_missing_responses_are_counted_aloud(responses, caplog):
    run(responses("a.jsonl", set()), responses("b.jsonl", set(), response=None), *FILES)
    assert "48 of 48 rows have no response; they count as unparsed" in caplog.text


def test_flips_of_response_files_show_picture_and_question(responses):
    shown = run(responses("a.jsonl", {0}), responses("b.jsonl", set()), *FILES, "--flips", "1")
    assert "pope random/0 (0.png)" in shown
    assert "'?': yes → no" in shown


def test_a_part_of_the_questions(run_of):
    runs = run_of("a", {0}), run_of("b", set())
    with pytest.raises(UnknownOptionError, match="--part"):
        run(*runs, "--part", "report")


def test_no_resamples_give_no_intervals(responses):
    files = responses("a.jsonl", {0}), responses("b.jsonl", set())
    (pair,) = json.loads(run(*files, *FILES, "--resamples", "0", "--json"))
    assert pair["benchmarks"][0]["scores"]["accuracy"]["interval"] is None


def test_the_table_is_cut_nowhere_at_80_columns(responses, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(responses("a.jsonl", set(range(48))), responses("b.jsonl", set()), *FILES)
    assert "…" not in shown
    assert "7.1e-15" in shown
    assert all(line.rstrip().endswith("│") for line in shown.splitlines() if line.startswith("│"))
