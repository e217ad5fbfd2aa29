import base64
import io

import pytest
from PIL import Image

from halluc.benchmarks.files.vlm2_sheet import read_vlm2_sheet
from halluc.benchmarks.vlm2 import Vlm2
from halluc.errors import RecordError, SourceNotFoundError


def encoded(colour):
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


RED, BLUE = encoded("red"), encoded("blue")
ROWS = [
    ("pc-cpr_1_p", "Same person?", "T", "pc-cpr", str([RED, BLUE])),
    ("pc-cpr_1_n", "Different persons?", "F", "pc-cpr", "pc-cpr_1_p"),
    ("oc-cnt_4", "How many?", "2", "oc-cnt", str([RED, BLUE, RED])),
]


@pytest.fixture
def sheet(tmp_path):
    def write(*rows):
        lines = [("index", "question", "answer", "category", "image"), *rows]
        (tmp_path / "x.tsv").write_text("\n".join("\t".join(line) for line in lines))
        return tmp_path

    return write


def test_questions_of_the_sheet(sheet):
    root = sheet(*ROWS)
    benchmark = Vlm2(root, gated_file=None, subtasks=["pc_cpr", "oc_cnt"], sheet="x.tsv")
    positive, negative, count = benchmark.questions()
    assert (positive.id, positive.gold, negative.gold) == ("pc_cpr/pc-cpr_1_p", "T", "F")
    assert positive.images == negative.images
    assert len(set(positive.images)) == 2
    assert (count.tags["images"], count.gold, count.images[0]) == ("3", "2", positive.images[0])
    assert benchmark.question_files() == (root / "x.tsv",)
    assert len(list((root / "sheet_images").iterdir())) == 2


def test_only_the_subtasks_named_are_asked(sheet):
    questions = Vlm2(sheet(*ROWS), gated_file=None, subtasks=["oc_cnt"], sheet="x.tsv").questions()
    assert [question.id for question in questions] == ["oc_cnt/oc-cnt_4"]


@pytest.mark.parametrize(
    "cell", ["", "oc-cnt_99", "['no base64!" + "x" * 80 + "']", "[1, 2]", "[" + "'a'" * 40]
)
def test_rows_without_a_picture_are_listed(sheet, cell):
    root = sheet(ROWS[0], ("oc-cnt_5", "?", "1", "oc-cnt", cell))
    rows, problems = read_vlm2_sheet(root / "x.tsv", root / "images", "x")
    assert len(rows) == 1
    assert "(id oc-cnt_5)" in problems[0]
    with pytest.raises(RecordError, match="1 rows are unusable"):
        Vlm2(root, gated_file=None, subtasks=["pc_cpr"], sheet="x.tsv").questions()


def test_a_missing_sheet(tmp_path):
    with pytest.raises(SourceNotFoundError, match=r"benchmark\.vlm2\.sheet"):
        Vlm2(tmp_path, gated_file=None, subtasks=["oc_cnt"], sheet="x.tsv").questions()
