"""Parts end in time, whatever they do."""

import sys
import time
from pathlib import Path

from halluc.bench.time_budget import Part, run_parts

WRITE = "import json, sys; json.dump({'n': 1}, open(sys.argv[-1], 'w')); "


def part(name: str, code: str, *, share: float = 1.0, required: bool = False) -> Part:
    return Part(name, (sys.executable, "-S", "-W", "ignore", "-c", code), share, required)


def test_a_part_that_is_done_gives_what_it_wrote(tmp_path: Path):
    (outcome,) = run_parts([part("a", WRITE)], budget_s=20, folder=tmp_path / "out")

    assert outcome.status == "done"
    assert outcome.found == {"n": 1}
    assert 19 < outcome.limit_s <= 20


def test_a_part_that_fails_keeps_what_it_wrote_and_says_why(tmp_path: Path):
    parts = [part("a", WRITE + "raise SystemExit('out of memory')"), part("b", "print('b runs')")]

    first, second = run_parts(parts, budget_s=20, folder=tmp_path)

    assert (first.status, first.found, first.tail) == ("failed", {"n": 1}, ("out of memory",))
    assert (second.status, second.found, second.tail) == ("done", None, ("b runs",))


def test_a_part_that_hangs_is_ended_with_its_children(tmp_path: Path):
    child = "import time; time.sleep(2); open('late', 'w')"
    enter = f"import subprocess, sys, os; os.chdir({str(tmp_path)!r}); "
    hang = enter + f"subprocess.run([sys.executable, '-c', {child!r}])"

    start = time.monotonic()
    (outcome,) = run_parts([part("a", hang)], budget_s=1.1, folder=tmp_path)
    took_s = time.monotonic() - start
    time.sleep(1.5)

    assert outcome.status == "out of time"
    assert took_s < 1.9
    assert not (tmp_path / "late").exists()


def test_time_that_a_part_leaves_is_for_those_that_follow(tmp_path: Path):
    parts = [part("a", "", share=1), part("b", "", share=1), part("c", "", share=2)]

    first, second, third = run_parts(parts, budget_s=40, folder=tmp_path)

    assert 9 < first.limit_s <= 10  # 40 x 1 / 4
    assert 12 < second.limit_s <= 40 / 3  # what is left x 1 / 3
    assert 36 < third.limit_s <= 40


def test_nothing_runs_after_a_required_part_that_failed(tmp_path: Path):
    parts = [part("a", "raise SystemExit(3)", required=True), part("b", WRITE)]

    _, second = run_parts(parts, budget_s=20, folder=tmp_path)

    assert second.status == "left out"
    assert not (tmp_path / "b.json").exists()


def test_nothing_begins_without_time(tmp_path: Path):
    (outcome,) = run_parts([part("a", WRITE)], budget_s=0.5, folder=tmp_path)

    assert outcome.status == "left out"


def test_a_file_cut_off_in_the_middle_counts_as_nothing(tmp_path: Path):
    (outcome,) = run_parts(
        [part("a", "import sys; open(sys.argv[-1], 'w').write('{')")], budget_s=20, folder=tmp_path
    )

    assert outcome.found is None
