import pytest
from rich.console import Console

from halluc.errors import ConfigError, UnknownOptionError
from halluc.report.reference_scores import reference_scores, reference_table, references_named

BENCHMARKS = {"pope": 5, "phd": 7, "vlm2": 13, "longhalqa": 4, "vstar": 11}


@pytest.mark.parametrize(("benchmark", "count"), BENCHMARKS.items())
def test_every_row_has_a_source_and_fractions(benchmark, count):
    rows = reference_scores(benchmark)
    assert len(rows) == count
    for row in rows:
        assert row.source
        assert row.scores
        assert all(0 <= value <= 1 for value in row.scores.values())


def test_the_published_average_is_the_mean_of_its_row():
    """The table of VLM2-Bench adds up, so nothing was mistyped in it (chance and human included)."""
    rows = [row for row in reference_scores("vlm2") if "average" in row.scores]
    assert len(rows) == 12
    for row in rows:
        parts = [v for name, v in row.scores.items() if name not in ("average", "pc_vid/average")]
        assert sum(parts) / 8 == pytest.approx(row.scores["average"], abs=2e-4), row.model


def test_the_phd_overall_is_the_mean_of_the_modes():
    for row in reference_scores("phd"):
        modes = [value for name, value in row.scores.items() if "/" in name]
        if modes:
            assert sum(modes) / 4 == pytest.approx(row.scores["index"], abs=1e-3)


def test_vstar_overall_is_the_mean_over_questions():
    for row in reference_scores("vstar"):
        attributes, spatial, overall = row.scores.values()
        assert (115 * attributes + 76 * spatial) / 191 == pytest.approx(overall, abs=1e-3), row.model


def test_names_are_found_in_any_case():
    assert [row.model for row in references_named("pope", "llava-1.5-7b")] == ["LLaVA-1.5-7B"]
    assert len(references_named("pope", "all")) == 5


def test_unknown_names_list_the_known_ones():
    with pytest.raises(UnknownOptionError, match=r"GPT-9.*InstructBLIP"):
        references_named("pope", "GPT-9")


def test_table_shows_own_scores_first_and_gaps_as_dashes():
    console = Console(width=200)
    with console.capture() as capture:
        console.print(reference_table({"random/f1": 0.9}, references_named("pope", "l")))
    lines = [line for line in capture.get().splitlines() if "this result" in line or "mPLUG" in line]
    assert "90.0" in lines[0]
    assert "68.1" in lines[1]
    assert "–" in lines[1]
    assert "67.0" in lines[1]


def test_a_benchmark_without_published_scores_says_so():
    with pytest.raises(ConfigError, match="No published scores of amber are shipped"):
        references_named("amber", "all")
