import json

import pytest
import typer
from typer.testing import CliRunner

from halluc.benchmarks.vlm2 import Vlm2
from halluc.cli.build_vlm2 import build_vlm2_gated
from halluc.errors import RecordError

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(build_vlm2_gated)

ITEM = {"q_id": "4", "question": "How many cups?", "gt_answer": "2", "images": ["a.jpg", "b.jpg"]}
ATTRIBUTES = [
    {"image": n, "subject": "cup", "attribute": "color", "value": v} for n, v in enumerate(("red", "blue"))
]


def write(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False).stdout


def test_what_is_written_can_be_asked(tmp_path):
    items = write(tmp_path / "oc_cnt.jsonl", ITEM, {**ITEM, "q_id": "5"})
    given = write(tmp_path / "attributes.jsonl", {"id": "oc_cnt/4", "attributes": ATTRIBUTES})
    printed = run(items, "--annotations", given, "--out", str(tmp_path / "gated.jsonl"))
    assert "1 sequences of 2 items, 4 fine questions" in printed
    questions = Vlm2(tmp_path).published()
    assert len(questions) == 5
    assert questions["oc_cnt/4/coarse"].gold == "2"


def test_annotations_that_fit_nothing(tmp_path):
    items = write(tmp_path / "oc_cnt.jsonl", ITEM)
    with pytest.raises(RecordError, match="annotates no item"):
        run(items, "--annotations", write(tmp_path / "a.jsonl"), "--out", str(tmp_path / "g.jsonl"))
