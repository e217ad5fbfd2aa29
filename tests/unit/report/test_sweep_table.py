import json

from rich.console import Console

from halluc.report.sweep_table import sweep_table


def job(folder, overrides, score):
    folder.mkdir()
    (folder / "overrides.yaml").write_text("".join(f"- {o}\n" for o in overrides))
    if score is not None:
        results = {"best": {"select/score": score, "epoch": 2}}
        (folder / "results.json").write_text(json.dumps(results))


def test_ranks_jobs_and_shows_their_overrides(tmp_path):
    job(tmp_path / "0", ["adapter.r=8"], 0.5)
    job(tmp_path / "1", ["adapter.r=16"], 0.75)
    job(tmp_path / "2", ["adapter.r=32"], None)
    console = Console(width=120, record=True, quiet=False, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(sweep_table(tmp_path))
    console.file.close()
    rows = [line for line in console.export_text().splitlines() if "adapter.r" in line]
    assert [row.split("adapter.r=")[1].split()[0] for row in rows] == ["16", "8", "32"]
    assert "0.7500" in rows[0]
    assert "–" in rows[2]
