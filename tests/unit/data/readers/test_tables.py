"""Tables are read as pandas reads them, and a quote that swallows rows is refused."""

import pytest

from halluc.data.readers.tables import iterate_table
from halluc.errors import RecordError

HEADER = "index\tprediction\n"


def table(folder, text, delimiter="\t"):
    path = folder / "r.tsv"
    path.write_bytes(text.replace("\t", delimiter).encode())
    return path


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEADER + '1\tYes\n2\t"No because\n3\tYes\n4\tNo\n', 3),
        (HEADER + '1\t"a\nb"\n\n2\t"Yes\n3\tNo', 5),
        (HEADER + '1\t"Yes\n2\t"No"\n3\tYes\n', 2),
        (HEADER + '1\t"Yes\r\n2\tNo\r\n3\tsaid "so"\r\n', 2),
        (HEADER + '1\tYes\n2\t"', 3),
        ('index\tquestion\tprediction\n1\t"a\nb"\t"Yes\n2\tc\tNo\n', 3),
        ('index\tquestion\tprediction\n1\t"Why?\t"Yes"\n', 2),
        ('index\t"prediction\n1\tYes\n', 1),
    ],
)
@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_a_quote_that_swallows_rows_is_refused_where_it_opens(tmp_path, text, line, delimiter):
    with pytest.raises(RecordError, match=rf"r\.tsv, line {line}: the cell .* never closes its double quote"):
        list(iterate_table(table(tmp_path, text, delimiter), delimiter))


def test_quotes_within_cells_are_read_as_pandas_does(tmp_path):
    text = '1\t5" screen\n2\tthe "left" one\n3\t"big" dog\n4\t"a ""b"" c"\n5\t "x\n6\t"a\tb"\n'
    path = table(tmp_path, HEADER + text)
    texts = ['5" screen', 'the "left" one', "big dog", 'a "b" c', ' "x', "a\tb"]
    assert [cells[1] for _, cells in iterate_table(path, "\t")] == ["prediction", *texts]
    pandas = pytest.importorskip("pandas")
    assert pandas.read_csv(path, sep="\t")["prediction"].tolist() == texts


def test_records_are_numbered_by_their_last_line(tmp_path):
    path = table(tmp_path, '\ufeffa,b\r\n1,"x\r\n,y"\r\n\r\n2\r\n')
    assert list(iterate_table(path, ",")) == [(1, ["a", "b"]), (3, ["1", "x\r\n,y"]), (5, ["2"])]
