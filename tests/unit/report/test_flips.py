import json

from halluc.report.flips import count_changes, flips


def write(folder, rows, benchmark="pope"):
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        {"id": name, "images": ["a.jpg"], "prompt": "?", "gold": gold, "parsed": parsed}
        for name, gold, parsed in rows
    ]
    (folder / f"{benchmark}.jsonl").write_text("\n".join(map(json.dumps, lines)))


def test_lists_changed_answers_and_says_what_changed(tmp_path):
    write(tmp_path / "before", [("1", "no", "yes"), ("2", "no", "no"), ("3", "no", "yes"), ("4", "A", "B")])
    write(tmp_path / "after", [("1", "no", "no"), ("2", "no", None), ("3", "no", "yes"), ("4", "A", "C")])
    found = flips(tmp_path / "before", tmp_path / "after", ["pope"])
    assert [(flip.id, flip.change) for flip in found] == [("1", "cured"), ("2", "broken"), ("4", "other")]
    assert count_changes(found) == {"cured": 1, "broken": 1, "other": 1}


def test_a_benchmark_asked_once_has_no_flips(tmp_path):
    write(tmp_path / "after", [("1", "no", "no")])
    (tmp_path / "before").mkdir()
    assert flips(tmp_path / "before", tmp_path / "after", ["pope"]) == []


def test_benchmarks_come_in_the_order_given(tmp_path):
    for benchmark in ("own", "phd", "pope"):
        write(tmp_path / "before", [("1", "no", "yes")], benchmark)
        write(tmp_path / "after", [("1", "no", "no")], benchmark)
    found = flips(tmp_path / "before", tmp_path / "after", ["pope", "phd", "gone"])
    assert [flip.benchmark for flip in found] == ["pope", "phd"]
