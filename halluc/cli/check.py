"""``python -m halluc check``: find every unusable row of training or evaluation data."""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer
from hydra.utils import get_class
from omegaconf import OmegaConf

from halluc.cli.configs import benchmark_entry
from halluc.cli.response_rows import LEFT_TO_THE_COMMAND
from halluc.data.readers.jsonl import Findings, JsonlSource

_LINE = re.compile(
    r"(?P<file>.+?)(?::|, (?:record|line) )(?P<line>\d+)(?: \(id (?P<id>.*?)\))?: (?P<message>.*)", re.DOTALL
)


def check(
    data: Annotated[Path, typer.Argument(help="Data file; with --benchmark, its folder.")],
    image_root: Annotated[Path | None, typer.Option(help="Folder of the pictures.")] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="Check the files of this benchmark, as pope, in folder DATA.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="Option of it, as subsets=[random].")] = None,
    pictures: Annotated[bool, typer.Option(help="Decode every picture of a data file once.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List all unusable rows of DATA with file, line and id; exit with 1 if there are any."""
    if benchmark is None:
        found = JsonlSource(data, image_root, check_images=pictures).findings()
    else:
        found = _check_benchmark(benchmark, data, image_root, option or [])
    if as_json:
        typer.echo(json.dumps(_summary(data, found), indent=1, ensure_ascii=False))
    else:
        for line in (*found.problems, *(f"note: {notice}" for notice in found.notices)):
            typer.echo(line)
        typer.echo(f"{data}: {found.usable} usable questions, {len(found.problems)} problems")
    if found.problems or not found.usable:
        raise typer.Exit(1)


def _check_benchmark(name: str, root: Path, image_root: Path | None, options: list[str]) -> Findings:
    entry = benchmark_entry(name)
    plain = OmegaConf.create({key: entry[key] for key in entry if key not in LEFT_TO_THE_COMMAND})
    arguments: Any = OmegaConf.to_container(OmegaConf.merge(plain, OmegaConf.from_dotlist(options)))
    kind: Any = get_class(entry["_target_"])
    findings: Findings = kind(root, image_root=image_root, **arguments).findings()
    return findings


def _summary(data: Path, found: Findings) -> dict[str, Any]:
    return {
        "data": str(data),
        "ok": bool(found.usable) and not found.problems,
        "usable": found.usable,
        "problems": [_parts(line) for line in found.problems],
        "notices": [_parts(line) for line in found.notices],
    }


def _parts(line: str) -> dict[str, Any]:
    """Split a line of a report into file, line, id and message; what has no place is a message only."""
    found = _LINE.fullmatch(line)
    if found is None:
        return {"message": line}
    parts = {
        "file": found["file"],
        "line": int(found["line"]),
        "id": found["id"],
        "message": found["message"],
    }
    return {key: value for key, value in parts.items() if value is not None}
