"""The pages in docs say what the code says, and their charts show what was measured."""

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look modules up there
    spec.loader.exec_module(module)
    return module


def test_tables_are_those_of_the_code_and_of_the_bench():
    page = (DOCS / "token-trees.md").read_text()

    assert page == load("tables").fill(page)
    assert page.count("| yes | yes |") >= 11
    assert "| `paligemma` | no: padded rows | yes |" in page


@pytest.mark.parametrize("quantity", ["gain", "cost"])
@pytest.mark.parametrize(
    ("axis", "names"),
    [("k", ["k2", "k4", "k6", "k12"]), ("image_tokens", ["px112", "px196", "px280", "k6", "px560"])],
)
def test_charts_are_drawn_from_what_was_measured(quantity: str, axis: str, names: list[str]):
    plot_bench = load("plot_bench")
    points = plot_bench.read_points([DOCS / "bench" / f"{name}.json" for name in names], quantity, axis)

    assert {point.task for point in points} == set(plot_bench.TASKS)
    assert len({point.x for point in points}) == len(names)
    assert (DOCS / f"{quantity}_{axis}.svg").read_text() == plot_bench.draw(points, quantity, axis)


def test_points_are_where_the_numbers_say(tmp_path: Path):
    plot_bench = load("plot_bench")
    rows = [
        {
            "task": "sft",
            "k": k,
            "way": "token tree",
            "questions_per_s": 50.0,
            "times_rows": k,
            "flop_bound": 10,
        }
        for k in (1, 10, 100)
    ]
    file = tmp_path / "bench.json"
    file.write_text(json.dumps({"settings": {"image_px": 392}, "results": rows}))

    points = plot_bench.read_points([file], "gain", "k")
    drawn = plot_bench.draw(points, "gain", "k")
    (line, *_) = re.findall(r'<polyline points="([^"]*)"[^>]*stroke-width="2"', drawn)
    places = [tuple(map(float, point.split(","))) for point in line.split()]

    # Three decades apart by equal steps, from the lower left corner to the upper right one.
    assert places == [(60.0, 254.0), (185.0, 144.0), (310.0, 34.0)]
    cost = plot_bench.read_points([file], "cost", "image_tokens")
    assert {(point.x, point.y, point.bound) for point in cost} == {(196, 20.0, None)}


def test_files_that_are_named_wrongly_are_refused():
    with pytest.raises(SystemExit, match="usage"):
        load("plot_bench").main(["gains", "k", "out.svg", "in.json"])
