"""``python -m halluc evaluate`` with a tiny model: results, and going on after a stop."""

import json

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.cli.evaluate import evaluate
from halluc.cli.score import score
from halluc.errors import BenchmarkError, ConfigError, ResumeError, UnknownOptionError
from halluc.report.results import read_predictions

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(evaluate)
scoring = typer.Typer(pretty_exceptions_enable=False)
scoring.command()(score)


@pytest.fixture(scope="module")
def pope(tmp_path_factory):
    """Write 6 pictures and 12 questions of POPE's random subset."""
    root = tmp_path_factory.mktemp("pope")
    (root / "images").mkdir()
    rows = []
    for number in range(6):
        Image.new("RGB", (56, 56), (40 * number, 90, 160)).save(root / "images" / f"{number}.png")
        for place, label in enumerate(("yes", "no")):
            rows.append(
                {
                    "question_id": 2 * number + place,
                    "image": f"{number}.png",
                    "text": f"Is there a thing {place}?",
                    "label": label,
                }
            )
    (root / "coco_pope_random.json").write_text("\n".join(json.dumps(row) for row in rows))
    return root


@pytest.fixture
def run(tiny_checkpoint, pope, tmp_path):
    """Return a function that evaluates into ``tmp_path/run`` and gives what was printed as JSON."""

    def call(*overrides):
        given = [
            f"model.path={tiny_checkpoint('qwen2_vl')}",
            "model.dtype=float32",
            "model.max_pixels=3136",
            "packing=plain",
            "device=cpu",
            "benchmark=[pope]",
            "benchmark.pope.subsets=[random]",
            f"benchmark.pope.root={pope}",
            "answering.batch_size=2",
            "final_text.max_new_tokens=2",
            f"paths.run_dir={tmp_path / 'run'}",
        ]
        alone = any(text.startswith("resume=") for text in overrides)
        arguments = [*([] if alone else given), *overrides, "--json"]
        return json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)

    return call


def test_results_and_predictions(run, tmp_path):
    results = run()
    full = results["full"]
    assert full["val/pope/random/n"] == full["text/pope/random/n"] == 12.0
    assert full["val/pope/random/unparsed_rate"] == 0.0
    low, high = results["intervals"]["val/pope/accuracy"]
    assert low <= full["val/pope/accuracy"] <= high
    assert results["profiles"]["text/pope"]["profile"] == "official"
    assert {kept["pictures"] for kept in results["profiles"].values()} == {"none"}
    assert results["agreement"]["pope"]["n"] == results["calibration"]["pope"]["n"] == 12
    threshold = results["calibration"]["pope"]["threshold"]
    assert threshold["fitted_on_n"] + threshold["tried_on_n"] == 12
    assert json.loads((tmp_path / "run" / "results.json").read_text()) == results
    rows = read_predictions(tmp_path / "run" / "predictions" / "full" / "pope.jsonl")
    assert sorted(row["id"] for row in rows) == sorted(f"random/{n}" for n in range(12))
    assert {row["part"] for row in rows} == {"select", "report"}
    assert not list((tmp_path / "run" / "predictions").rglob("*.unfinished"))


def test_the_lmms_eval_prompt_form_is_asked_about_other_pictures(run, tmp_path):
    plain = run("final_text=null")
    other = run(
        "final_text=null", "benchmark.pope.prompt_profile=lmms_eval", f"paths.run_dir={tmp_path / 'other'}"
    )
    assert other["profiles"]["val/pope"]["pictures"] == "jpeg_85"
    margins = [
        [row["probabilities"]["yes"] for row in read_predictions(folder / "predictions/full/pope.jsonl")]
        for folder in (tmp_path / "run", tmp_path / "other")
    ]
    assert plain["profiles"]["val/pope"]["prompt_profile"] == "short_answer"
    assert margins[0] != pytest.approx(margins[1], abs=1e-7)


def test_a_killed_evaluation_goes_on_where_it_stopped(run, tmp_path, monkeypatch):
    whole = run(f"paths.run_dir={tmp_path / 'whole'}", "final_text=null")
    answer = LikelihoodAnswerer.answer
    asked = []

    def dies_after_five(self, questions, max_pixels=None):
        for place, prediction in enumerate(answer(self, questions, max_pixels)):
            if place == 5:
                raise KeyboardInterrupt
            yield prediction

    monkeypatch.setattr(LikelihoodAnswerer, "answer", dies_after_five)
    with pytest.raises((KeyboardInterrupt, SystemExit, json.JSONDecodeError)):
        run("final_text=null")
    unfinished = tmp_path / "run" / "predictions" / "full" / "pope.jsonl.unfinished"
    assert len(unfinished.read_text().splitlines()) == 5
    with unfinished.open("a") as file:
        file.write('{"id": "random/9", "torn')

    def counts(self, questions, max_pixels=None):
        asked.extend(questions)
        return answer(self, questions, max_pixels)

    monkeypatch.setattr(LikelihoodAnswerer, "answer", counts)
    resumed = run(f"resume={tmp_path / 'run'}")
    assert len(asked) == 7
    assert resumed["full"] == pytest.approx(whole["full"])
    assert resumed["intervals"] == whole["intervals"]


def test_an_answered_evaluation_asks_nothing_again(run, tmp_path, monkeypatch):
    first = run("final_text=null")
    asked = []
    monkeypatch.setattr(
        LikelihoodAnswerer, "answer", lambda _, questions, **__: asked.extend(questions) or []
    )
    resumed = run(f"resume={tmp_path / 'run'}", "resamples=0")
    assert asked == []
    assert resumed["full"] == first["full"]


def test_a_run_is_not_written_over(run, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.yaml").write_text("{}")
    with pytest.raises(ConfigError, match="holds a run"):
        run()


def test_a_wrong_option_of_a_benchmark_is_named_plainly(run):
    with pytest.raises(UnknownOptionError, match="profile is 'strickt'"):
        run("benchmark.pope.profile=strickt")


def test_resuming_needs_a_run_and_keeps_its_groups(run, tmp_path):
    with pytest.raises(ResumeError, match="not found"):
        run(f"resume={tmp_path / 'nothing'}")
    run("final_text=null")
    with pytest.raises(ResumeError, match="a group can't be changed"):
        run(f"resume={tmp_path / 'run'}", "model=llava15")


def test_missing_pictures_and_files_are_reported_before_any_model_is_loaded(run, pope, tmp_path, monkeypatch):
    monkeypatch.setattr("halluc.evaluation.load_adapter", lambda *_: pytest.fail("a model was loaded"))
    with pytest.raises(BenchmarkError) as raised:
        run(
            "model.path=/does/not/exist",
            "benchmark=[pope,phd]",
            f"benchmark.phd.root={tmp_path}",
            f"benchmark.pope.image_root={tmp_path}",
        )
    message = str(raised.value)
    assert "2 of 2 benchmarks can't be asked" in message
    assert "6 pictures are missing" in message
    assert "data.json" in message


def test_a_sample_of_the_images(run):
    assert run("images=4", "final_text=null")["full"]["val/pope/random/n"] == 8.0


@pytest.fixture
def chair(pope):
    """Write annotations of two of the pictures; returns the overrides that ask about them."""
    scenes = [{"image": "0.png", "objects": ["cup"]}, {"image": "1.png", "objects": []}]
    (pope / "scenes.jsonl").write_text("\n".join(map(json.dumps, scenes)))
    return ["benchmark=[chair,pope]", f"benchmark.chair.root={pope}", "benchmark.chair.file=scenes.jsonl"]


def test_descriptions_are_asked_as_text_only(run, chair):
    full = run(*chair)["full"]
    assert full["text/chair/n"] == 2.0
    assert "val/chair/n" not in full
    assert full["val/pope/random/n"] == 12.0


def test_greedy_answering_asks_descriptions_too(run, chair):
    full = run(*chair, "answering=greedy", "answering.max_new_tokens=2", "final_text=null")["full"]
    assert full["val/chair/n"] == 2.0


def test_descriptions_need_an_answerer_that_writes(run, chair):
    with pytest.raises(BenchmarkError, match="chair: it wants free text"):
        run(*chair, "final_text=null")


@pytest.fixture
def gated(pope):
    """Write four gated sequences, two of which a model opens that always says the same."""
    sequences = [
        {
            "sequence_id": f"s{number}",
            "images": [f"{number // 2}.png", f"{number // 2 + 1}.png"],
            "coarse": {"type": "true_false", "question": "Are they alike? T or F.", "gold": "TF"[number % 2]},
            "fine": [{"question": f"Is it {colour}?", "gold": "yes"} for colour in ("red", "blue", "grey")],
        }
        for number in range(4)
    ]
    (pope / "gated.jsonl").write_text("\n".join(map(json.dumps, sequences)))
    root = f"benchmark.vlm2.root={pope}"
    return ["benchmark=[pope,vlm2]", "~benchmark.pope", root, "answering.batch_size=1"]


UNGATED = "val/vlm2/fine_accuracy"


def test_skipping_behind_closed_gates_gives_the_same_gated_scores(run, gated, tmp_path):
    every = run(*gated, "final_text=null")
    some = run(
        *gated, "final_text=null", "benchmark.vlm2.closed_gates=skip", f"paths.run_dir={tmp_path / 'skip'}"
    )
    assert every["full"]["val/vlm2/gate_open_rate"] == 0.5
    assert UNGATED in every["full"]
    assert some["full"] == pytest.approx({k: v for k, v in every["full"].items() if k != UNGATED})
    assert every["calibration"]["vlm2"]["n"] == 12
    assert some["calibration"]["vlm2"]["n"] == 6
    rows = read_predictions(tmp_path / "skip/predictions/full/vlm2.jsonl")
    assert len(rows) == 4 + 2 * 3


@pytest.mark.parametrize("stop_after", [2, 6], ids=["among coarse questions", "among fine ones"])
def test_an_evaluation_that_skips_goes_on_where_it_stopped(run, gated, tmp_path, monkeypatch, stop_after):
    gated = [*gated, "final_text=null", "benchmark.vlm2.closed_gates=skip"]
    whole = run(*gated, f"paths.run_dir={tmp_path / 'whole'}")
    answer, asked = LikelihoodAnswerer.answer, []

    def dies(self, questions, max_pixels=None):
        for prediction in answer(self, questions, max_pixels):
            if len(asked) == stop_after:
                raise KeyboardInterrupt
            asked.append(prediction.id)
            yield prediction

    monkeypatch.setattr(LikelihoodAnswerer, "answer", dies)
    with pytest.raises((KeyboardInterrupt, SystemExit, json.JSONDecodeError)):
        run(*gated)
    assert len(asked) == stop_after
    stop_after = None
    resumed = run(f"resume={tmp_path / 'run'}")
    assert len(asked) == len(set(asked)) == 10
    assert resumed["full"] == whole["full"]
    with pytest.raises(ResumeError, match="finished, but lacks 6 questions"):
        run(f"resume={tmp_path / 'run'}", "benchmark.vlm2.closed_gates=ask")


def test_ways_that_open_other_gates_are_compared_on_what_both_were_asked(run, gated):
    results = run(*gated, "benchmark.vlm2.closed_gates=skip")
    full = results["full"]
    assert full["text/vlm2/gate_open_rate"] != full["val/vlm2/gate_open_rate"]
    assert results["agreement"]["vlm2"]["n"] < 10
    assert results["calibration"]["vlm2"]["n"] == 6


@pytest.fixture
def vstar(pope):
    """Write three details with four options each; returns the overrides that ask about them."""
    rows = [
        {
            "question_id": number,
            "category": "direct_attributes",
            "image": f"{number}.png",
            "text": "What is it?\n(A) red\n(B) blue\n(C) grey\n(D) green\nAnswer with a letter.",
            "label": "ABC"[number],
        }
        for number in range(3)
    ]
    (pope / "test_questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    roots = [f"benchmark.vstar.root={pope}", f"benchmark.vstar.image_root={pope / 'images'}"]
    return ["benchmark=[pope,vstar]", "~benchmark.pope", *roots]


BARE = "benchmark.vstar.prompt_profile=likelihood"


def test_text_is_asked_with_the_options_that_likelihoods_do_without(run, vstar, tmp_path):
    results = run(*vstar, BARE, "answering=option_likelihood")
    prompts = [
        {row["prompt"] for row in read_predictions(tmp_path / f"run/predictions/{folder}/vstar.jsonl")}
        for folder in ("full", "full_text")
    ]
    assert prompts[0] == {"What is it?"}
    assert all("(A) red" in prompt for prompt in prompts[1])
    used = results["profiles"]
    assert (used["val/vstar"]["prompt_profile"], used["val/vstar"]["pictures"]) == ("likelihood", "square")
    assert (used["text/vstar"]["prompt_profile"], used["text/vstar"]["pictures"]) == ("official", "none")
    assert results["agreement"]["vstar"]["n"] == 3


@pytest.mark.parametrize("answering", ["likelihood", "greedy"])
def test_letters_are_not_asked_for_without_options(run, vstar, answering):
    with pytest.raises(ConfigError, match=r"lists no options.*answering=option_likelihood"):
        run(*vstar, BARE, f"answering={answering}")


def test_questions_without_options_are_found_before_any_model_is_loaded(run, vstar, monkeypatch):
    with pytest.raises(BenchmarkError, match=r"pope: question random/\d+ has no option texts"):
        run(*vstar[:1], *vstar[2:], "model.path=/does/not/exist", BARE, "answering=option_likelihood")


def scored_again(*arguments):
    """Return the scores that ``score`` computes from a predictions file."""
    result = CliRunner().invoke(scoring, [*map(str, arguments), "--json"], catch_exceptions=False)
    return json.loads(result.stdout)["scores"]


@pytest.mark.parametrize("name", ["vlm2", "chair", "vstar", "pope"])
def test_predictions_of_a_run_are_scored_again_with_nothing_but_the_file(
    run, gated, chair, vstar, tmp_path, name
):
    given = {"vlm2": gated, "chair": chair, "vstar": vstar, "pope": []}[name]
    full = run(*given, "resamples=0")["full"]
    for prefix, folder, profile in (("val", "full", "strict"), ("text", "full_text", "official")):
        file = tmp_path / "run" / "predictions" / folder / f"{name}.jsonl"
        if not file.exists():
            assert name == "chair"
            continue
        found = scored_again(name, file, "--profile", profile, "--resamples", "0")
        before = {
            key.removeprefix(f"{prefix}/{name}/"): v
            for key, v in full.items()
            if key.startswith(f"{prefix}/{name}/")
        }
        assert found == pytest.approx(before)
