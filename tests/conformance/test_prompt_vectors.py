"""Every text prompt that a reference builds, and that no vector file goes unread."""

import json
from pathlib import Path

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import PROMPTS as POPE_PROMPTS
from halluc.benchmarks.vlm2 import PROMPTS as VLM2_PROMPTS
from halluc.benchmarks.vstar import PROMPTS as VSTAR_PROMPTS

READ_HERE = {
    "amber_discriminative.json",
    "gated_hallucination.json",
    "longhalqa.json",
    "longhalqa_quirks.json",
    "phd.json",
    "pope.json",
    "pope_quirks.json",
    "prompts.json",
    "vlm2_bench.json",
    "vlm2_bench_count_score.json",
    "vlm2_bench_quirks.json",
    "vstar_bench.json",
    "vstar_bench_quirks.json",
    "vstar_likelihood.json",
}


def phd_prompt(case, folder):
    record = {**case["input"], "image_id": "1", "task": "attribute"}
    (folder / "data.json").write_text(json.dumps([record]))
    mode = "sec" if case["mode"] == "iac" else case["mode"]
    questions = Phd(folder, prompt_profile=case["profile"]).published()
    return questions[f"{mode}/0/{case['polarity']}"].prompt


def longhalqa_prompt(case):
    task = {"binary": "lhqa_discrim_object_binary", "choice": "lhqa_complete_description"}[case["task"]]
    record = {
        **case["input"],
        "task": task,
        "question_id": "1",
        "gold": "yes" if case["task"] == "binary" else "A",
    }
    (question,) = LongHalQA.from_rows([Row(record, Path("f"), 1)]).published().values()
    return question.prompt


def built(case, folder):
    text = case["input"].get("text", case["input"].get("question"))
    match case["benchmark"]:
        case "POPE":
            return POPE_PROMPTS[case["profile"]](text)
        case "V*-Bench":
            return VSTAR_PROMPTS[case["profile"]](text)
        case "VLM2-Bench":
            return VLM2_PROMPTS[case["profile"]](text)
        case "PhD":
            return phd_prompt(case, folder)
        case "LongHalQA":
            return longhalqa_prompt(case)
    raise AssertionError(case["benchmark"])


def test_prompts(vectors, tmp_path):
    for place, case in enumerate(vectors.load("prompts.json")["cases"]):
        prompt = built(case, tmp_path)
        vectors.equal(prompt, case["expected"], f"case {place}")
        vectors.equal(prompt.endswith(case.get("post_prompt", "")), True, f"case {place}")


def test_no_vector_file_goes_unread(vectors):
    vectors.equal(sorted(path.name for path in vectors.path.glob("*.json")), sorted(READ_HERE))
