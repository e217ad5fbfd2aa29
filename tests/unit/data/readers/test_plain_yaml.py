import pytest

from halluc.data.readers.plain_yaml import load_yaml


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[yes, No, on, OFF, 'no', y, n]", ["yes", "No", "on", "OFF", "no", "y", "n"]),
        ("[true, False, null, ~, ]", [True, False, None, None]),
        ("[7, -3, 007, 1_000, 0x1F, 12:30]", [7, -3, "007", "1_000", "0x1F", "12:30"]),
        ("[1.5, 1., 1.0e+3, 1e3]", [1.5, 1.0, 1000.0, "1e3"]),
        ("[2024-01-31]", ["2024-01-31"]),
        ("[{question: Is it red?, answer: no}]", [{"question": "Is it red?", "answer": "no"}]),
        ("- 'what?'\n- why? because\n", ["what?", "why? because"]),
        ("[\ue000?x?]", ["\ue000?x?"]),
        ("? key\n: value", {"key": "value"}),
    ],
)
def test_scalars_mean_what_they_mean_in_json(text, expected):
    assert load_yaml(text) == expected


def test_not_finite_numbers_stay_visible():
    value = load_yaml("[.nan, .inf, -.inf]")
    assert [str(number) for number in value] == ["nan", "inf", "-inf"]


@pytest.mark.parametrize("text", ["[", "{a: b", "!!python/object:os.system x"])
def test_broken_or_unsafe_yaml_is_refused(text):
    with pytest.raises(ValueError, match="broken YAML"):
        load_yaml(text)
