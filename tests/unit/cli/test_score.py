import json
import time

import pytest
import typer
from typer.testing import CliRunner

from halluc.cli.score import score
from halluc.errors import BenchmarkError, ConfigError, RecordError, SourceNotFoundError, UnknownOptionError

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(score)

RECORDS = [
    {"subset": "random", "question_id": 1, "image": "a.jpg", "text": "?", "label": "yes", "response": "Yes."},
    {"subset": "random", "question_id": 2, "image": "a.jpg", "text": "?", "label": "no", "response": "NO."},
    {"subset": "popular", "question_id": 1, "image": "b.jpg", "text": "?", "label": "yes", "response": "hm"},
    {"subset": "popular", "question_id": 2, "image": "b.jpg", "text": "?", "label": "no"},
]


def write(path, records):
    path.write_text("\n".join(json.dumps(record) for record in records))
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.mark.parametrize(
    ("profile", "accuracy", "unparsed"), [("strict", 0.5, 1), ("official", 0.5, 0), ("lmms_eval", 0.0, 3)]
)
def test_json(tmp_path, profile, accuracy, unparsed):
    result = run("pope", write(tmp_path / "r.jsonl", RECORDS), "--profile", profile, "--json")
    printed = json.loads(result.stdout)
    assert result.exit_code == 0
    assert printed["scores"]["accuracy"] == accuracy
    assert (printed["benchmark"], printed["profile"]) == ("pope", profile)
    assert (printed["questions"], printed["missing_responses"], printed["unparsed_responses"]) == (
        4,
        1,
        unparsed,
    )


def test_table(tmp_path):
    result = run("pope", write(tmp_path / "r.jsonl", RECORDS))
    assert "pope, profile strict" in result.stdout
    assert "popular" in result.stdout
    assert "1.0000" in result.stdout
    assert "4 questions, 1 without response, 1 unparsed" in result.stdout


def test_several_files_are_scored_together(tmp_path):
    files = [write(tmp_path / "a.jsonl", RECORDS[:2]), write(tmp_path / "b.json", RECORDS[2:])]
    assert json.loads(run("pope", *files, "--json").stdout)["scores"]["pooled/n"] == 4.0


def test_ids_and_responses_need_a_root(tmp_path):
    answers = write(tmp_path / "r.jsonl", [{"id": "random/1", "response": "yes"}])
    with pytest.raises(ConfigError, match=r"1 of 1 rows hold no gold answer.*--root"):
        run("pope", answers)
    questions = [{"question_id": n, "image": "a.jpg", "text": "?", "label": "yes"} for n in (1, 2)]
    write(tmp_path / "gqa_pope_random.json", questions)
    options = ("--option", "source=gqa", "--option", "subsets=[random]")
    printed = json.loads(run("pope", answers, "--root", str(tmp_path), *options, "--json").stdout)
    assert (printed["questions"], printed["missing_responses"]) == (2, 1)
    assert printed["scores"]["accuracy"] == 0.5


def test_published_rows_with_responses_may_use_a_root(tmp_path):
    write(
        tmp_path / "coco_pope_random.json",
        [{k: v for k, v in r.items() if k != "response"} for r in RECORDS[:2]],
    )
    answers = write(tmp_path / "r.jsonl", RECORDS[:2])
    printed = json.loads(
        run("pope", answers, "--root", str(tmp_path), "--option", "subsets=[random]", "--json").stdout
    )
    assert printed["scores"]["accuracy"] == 1.0


@pytest.mark.parametrize("benchmark", ["pope", "phd", "vlm2", "longhalqa", "vstar", "amber"])
def test_every_benchmark_with_a_config_can_be_scored(tmp_path, benchmark):
    with pytest.raises((ConfigError, RecordError, BenchmarkError), match=r"hold no gold|nothing to score"):
        run(benchmark, write(tmp_path / "r.jsonl", [{"id": "1", "response": "x"}]))


def test_a_result_names_reader_and_prompts_and_what_was_resampled(tmp_path):
    file = write(tmp_path / "r.jsonl", RECORDS)
    printed = json.loads(run("pope", file, "--json").stdout)
    assert (printed["profile"], printed["prompt_profile"]) == ("strict", "unknown")
    assert printed["resampled"] == "images"
    shown = run("pope", file, "--prompt-profile", "lmms_eval").stdout
    assert "profile strict, prompts lmms_eval" in shown
    assert "images resampled" in shown


def test_without_pictures_questions_are_resampled_and_it_says_so(tmp_path, caplog):
    bare = [{k: v for k, v in record.items() if k != "image"} for record in RECORDS]
    file = write(tmp_path / "r.jsonl", bare)
    assert "questions resampled" in run("pope", file).stdout
    assert "too narrow" in caplog.text
    caplog.clear()
    run("pope", file, "--resamples", "0")
    assert "too narrow" not in caplog.text


def test_likelihoods_of_a_predictions_file_are_kept(tmp_path):
    rows = [
        {"id": f"random/{n}", "images": [f"{n}.png"], "gold": "yes" if n % 2 else "no", "response": "yes",
         "parsed": "yes", "correct": bool(n % 2),
         "probabilities": {"yes": 0.6 + n / 100, "no": 0.4 - n / 100}, "mass": 0.9,
         "tags": {"subset": "random"}}
        for n in range(8)
    ]  # fmt: skip
    printed = json.loads(run("pope", write(tmp_path / "pope.jsonl", rows), "--json").stdout)
    assert printed["scores"]["random/auroc"] == pytest.approx(10 / 16)
    assert "random/auroc" in printed["intervals"]


@pytest.mark.parametrize(
    "probabilities", [{"Yes": 0.5, "No": 0.5}, {"yes": 0.0, "no": 0.0}, {"yes": float("nan"), "no": 0.5}]
)
def test_probabilities_that_are_none_are_refused(tmp_path, probabilities):
    row = RECORDS[0] | {"id": "random/1", "parsed": "yes", "probabilities": probabilities}
    with pytest.raises(RecordError, match=r"r\.jsonl, record 1.*probabilities"):
        run("pope", write(tmp_path / "r.jsonl", [row]))


def test_likelihoods_are_named_and_mixing_them_with_text_is_said(tmp_path, caplog):
    row = RECORDS[0] | {"id": "random/1", "parsed": "yes", "probabilities": {"yes": 0.7, "no": 0.3}}
    shown = run("pope", write(tmp_path / "r.jsonl", [row, *RECORDS[1:]])).stdout
    assert "1 answered by likelihood" in " ".join(shown.split())
    assert "1 of 4 answers are by likelihood, the others are text" in caplog.text


def test_answers_to_other_questions_of_the_same_ids_are_refused(tmp_path):
    published = [{k: v for k, v in r.items() if k != "response"} for r in RECORDS[:2]]
    write(tmp_path / "coco_pope_random.json", published)
    swapped = [RECORDS[0] | {"label": "no"}, RECORDS[1]]
    arguments = ("--root", str(tmp_path), "--option", "subsets=[random]")
    with pytest.raises(BenchmarkError, match="1 of 2 questions have one id but different gold answers"):
        run("pope", write(tmp_path / "r.jsonl", swapped), *arguments)


def test_an_option_without_root_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no use without --root"):
        run("pope", write(tmp_path / "r.jsonl", RECORDS), "--option", "source=gqa")


def test_errors(tmp_path):
    with pytest.raises(UnknownOptionError, match=r"BENCHMARK is 'pop'.*phd, pope"):
        run("pop", write(tmp_path / "r.jsonl", RECORDS))
    with pytest.raises(UnknownOptionError, match="profile is 'x'"):
        run("pope", write(tmp_path / "r.jsonl", RECORDS), "--profile", "x")
    with pytest.raises(SourceNotFoundError, match="FILES"):
        run("pope", str(tmp_path / "none.jsonl"))
    with pytest.raises(BenchmarkError, match="nothing to score"):
        run("pope", write(tmp_path / "empty.jsonl", []))


def test_a_whole_benchmark_takes_a_moment(tmp_path):
    records = [RECORDS[n % 4] | {"question_id": n} for n in range(9_000)]
    start = time.perf_counter()
    run("pope", write(tmp_path / "r.jsonl", records), "--json")
    assert time.perf_counter() - start < 10


def test_intervals_resample_images(tmp_path):
    records = [RECORDS[0] | {"question_id": n, "image": f"{n // 6}.jpg", "label": "yes" if n % 3 else "no"}
               for n in range(60)]  # fmt: skip
    printed = json.loads(run("pope", write(tmp_path / "r.jsonl", records), "--json").stdout)
    low, high = printed["intervals"]["random/accuracy"]
    assert (low, high) == (pytest.approx(2 / 3), pytest.approx(2 / 3))  # every image has 4 right of 6
    assert (printed["confidence"], printed["resamples"]) == (0.95, 1000)
    apart = [record | {"image": f"{record['question_id']}.jpg"} for record in records]
    printed = json.loads(run("pope", write(tmp_path / "r.jsonl", apart), "--json").stdout)
    low, high = printed["intervals"]["random/accuracy"]
    assert low < 0.6
    assert high > 0.7


def test_intervals_can_be_left_out(tmp_path):
    printed = run("pope", write(tmp_path / "r.jsonl", RECORDS), "--resamples", "0", "--json").stdout
    assert json.loads(printed)["intervals"] == {}


def test_against_published_scores(tmp_path):
    file = write(tmp_path / "r.jsonl", RECORDS)
    assert "LLaVA-1.5-13B" in run("pope", file, "--against", "llava-1.5").stdout
    printed = json.loads(run("pope", file, "--against", "all", "--json").stdout)
    assert printed["published"][0]["scores"]["random/f1"] == 0.873


@pytest.mark.slow
def test_a_hundred_thousand_responses_with_intervals_take_seconds(tmp_path):
    modes, tasks = ("base", "sec", "icc", "ccs"), ("object", "attribute", "counting")
    records = [
        {"id": f"{modes[n % 4]}/{n}/x", "mode": modes[n % 4], "task": tasks[n % 3], "image_id": n // 7,
         "label": "yes" if n % 5 < 2 else "no", "response": "Yes" if n % 7 < 3 else "No"}
        for n in range(100_000)
    ]  # fmt: skip
    file = write(tmp_path / "r.jsonl", records)
    start = time.process_time()
    printed = json.loads(run("phd", file, "--json").stdout)
    assert time.process_time() - start < 10
    low, high = printed["intervals"]["index"]
    assert low < printed["scores"]["index"] < high
