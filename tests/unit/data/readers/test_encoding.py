import pytest

from halluc.data.readers.encoding import not_utf8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ab\nc\xe9d\n", "byte 0xe9 at offset 4, line 2"),
        (b"\xef\xbb\xbfa\n\n\x80", "byte 0x80 at offset 6, line 3"),
        ("ä\n".encode() + b"\xc3\n", "byte 0xc3 at offset 3, line 2"),
        (b"\xfe\xff\x00a", "byte 0xfe at offset 0, line 1. If it is text of another encoding, as UTF-16"),
    ],
)
def test_the_first_byte_that_is_no_utf8(tmp_path, content, message):
    path = tmp_path / "q.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnicodeDecodeError):
        path.read_text(encoding="utf-8-sig")
    assert f"q.jsonl is no UTF-8 text: {message}" in str(not_utf8(path))
    assert "-t UTF-8 q.jsonl > NEW" in str(not_utf8(path))
