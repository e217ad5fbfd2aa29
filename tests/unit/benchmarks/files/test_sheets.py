import csv
import zipfile

import pytest

from halluc.benchmarks.files.sheets import read_sheet
from halluc.errors import RecordError

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SHARED = f"""<sst {MAIN}><si><t>index</t></si><si><t>prediction</t></si>
<si><r><t>Ye</t></r><r><t>s</t></r></si></sst>"""
SHEET = f"""<worksheet {MAIN}><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>
<c r="C1" t="inlineStr"><is><t>hit</t></is></c></row>
<row r="2"><c r="A2"><v>7</v></c><c r="B2" t="s"><v>2</v></c><c r="C2" t="b"><v>1</v></c></row>
<row r="3"><c r="A3"><v>8</v></c><c r="B3" t="inlineStr"><is><t>a_x000D_b</t></is></c></row>
<row r="4"></row>
</sheetData></worksheet>"""


def workbook(path, parts):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def test_xlsx(tmp_path):
    parts = {
        "xl/worksheets/sheet1.xml": SHEET,
        "xl/sharedStrings.xml": SHARED,
        "xl/worksheets/sheet2.xml": "<x/>",
    }
    assert read_sheet(workbook(tmp_path / "r.xlsx", parts)) == [
        {"index": "7", "prediction": "Yes", "hit": "TRUE"},
        {"index": "8", "prediction": "a\rb"},
    ]


@pytest.mark.parametrize(
    "parts",
    [
        {"xl/sharedStrings.xml": SHARED},
        {"xl/worksheets/sheet1.xml": "<broken"},
        {"xl/worksheets/sheet1.xml": SHEET},  # names shared texts that are not there
        {"xl/worksheets/sheet1.xml": f"<worksheet {MAIN}/>"},
    ],
)
def test_what_is_no_workbook_is_refused(tmp_path, parts):
    with pytest.raises(RecordError, match=r"r\.xlsx"):
        read_sheet(workbook(tmp_path / "r.xlsx", parts))


def test_a_text_file_called_xlsx_is_refused(tmp_path):
    (tmp_path / "r.xlsx").write_text("index,prediction")
    with pytest.raises(RecordError, match="no xlsx workbook"):
        read_sheet(tmp_path / "r.xlsx")


def test_tsv_keeps_texts_that_look_missing(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text('\ufeffindex\tprediction\tanswer\r\n1\tNone\tnan\r\n2\t"a\nb"\t\r\n\t\t\r\n')
    assert read_sheet(path) == [
        {"index": "1", "prediction": "None", "answer": "nan"},
        {"index": "2", "prediction": "a\nb"},
    ]


def test_tsv_with_surplus_cells_is_refused(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("index\tprediction\n1\ta\tb\n")
    with pytest.raises(RecordError, match="record 1: more cells than columns"):
        read_sheet(path)


HEADER = "index\tprediction\n"


def tsv(folder, text, encoding="utf-8"):
    path = folder / "r.tsv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_what_pandas_writes_is_read_back(tmp_path, quoting):
    pandas = pytest.importorskip("pandas")
    texts = ['"Yes"\nand\t"no"', '"', '""', 'ends with "', "a\r\nb", "\n", '5" screen', '"opens only']
    rows = [{"index": str(n), "prediction": text} for n, text in enumerate(texts)]
    path = tmp_path / "r.tsv"
    pandas.DataFrame(rows).to_csv(path, sep="\t", index=False, quoting=quoting)
    assert read_sheet(path) == rows


@pytest.mark.parametrize(
    ("encoding", "place"),
    [("latin-1", "byte 0xe9 at offset 22, line 2"), ("utf-16", "0xff at offset 0, line 1")],
)
def test_a_table_of_another_encoding_names_the_byte_and_the_way_out(tmp_path, encoding, place):
    with pytest.raises(RecordError, match=rf"r\.tsv is no UTF-8 text: .*{place}\. .*convert it: iconv"):
        read_sheet(tsv(tmp_path, HEADER + "1\tcaf\u00e9\n", encoding))
