from pathlib import Path

import pytest

from halluc.benchmarks.amber import Amber
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.own import OwnBenchmark
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.scoring.clusters import image_clusters
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vstar import VStar

RECORDS = {
    Pope: {"label": "yes", "subset": "random"},
    Phd: {"label": "yes", "mode": "base"},
    Amber: {"label": "yes", "type": "relation"},
    LongHalQA: {"label": "yes", "task": "lhqa_discrim_object_binary", "question": "?"},
    VStar: {"label": "A", "category": "relative_position", "text": "?\n(A) red\n(B) blue"},
    Vlm2: {"gt_answer": "A", "subtask": "oc_grp", "question": "?"},
    OwnBenchmark: {"answer": "yes", "question": "?", "response": "no"},
}


@pytest.mark.parametrize("field", ["image", "image_path", "image_id", "images"])
@pytest.mark.parametrize("kind", RECORDS)
def test_records_are_clustered_by_whatever_names_their_images(kind, field):
    names = [["a", "b"], ["c", "d"], ["a", "b"]] if field == "images" else ["a.jpg", "c.jpg", "a.jpg"]
    records = [{**RECORDS[kind], "id": f"x/{n}", field: name} for n, name in enumerate(names)]
    rows = [Row(record, Path("r.jsonl"), line) for line, record in enumerate(records, 1)]
    assert image_clusters(kind.from_rows(rows).published().values()) == [0, 1, 0]
