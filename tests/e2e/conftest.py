"""A drawn world of twelve pictures, annotated like COCO, and runs of the whole program on it."""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from wandb.proto import wandb_internal_pb2

ROOT = Path(__file__).parents[2]
COLOURS = {"ball": "red", "box": "green", "door": "blue", "lamp": "yellow", "rug": "purple", "vase": "orange"}
PRESENT = [
    ("ball", "box", "door"), ("ball", "box", "lamp"), ("ball", "box"), ("ball", "rug", "vase"),
    ("box", "door", "rug"), ("door", "lamp"), ("lamp", "rug", "vase"), ("ball", "ball", "box"),
    ("vase", "vase", "rug"), ("box", "lamp"), ("ball", "door"), ("rug", "rug", "lamp"),
]  # fmt: skip


@pytest.fixture(scope="session")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Draw the pictures and write their COCO instances file; returns the file."""
    root = tmp_path_factory.mktemp("drawn")
    (root / "images").mkdir()
    names = sorted(COLOURS)
    images, annotations = [], []
    for number, objects in enumerate(PRESENT, start=1):
        picture = Image.new("RGB", (112, 84), (200 + number, 220, 230))
        draw = ImageDraw.Draw(picture)
        for place, name in enumerate(objects):
            box = (4 + 36 * place, 20 + 3 * place, 32 + 36 * place, 60 + 3 * place)
            draw.rectangle(box, fill=COLOURS[name])
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": number,
                    "category_id": names.index(name) + 1,
                    "bbox": [box[0], box[1], box[2] - box[0], box[3] - box[1]],
                    "area": 28 * 40,
                    "iscrowd": 0,
                }
            )
        file_name = f"{number:012d}.png"
        picture.save(root / "images" / file_name)
        images.append({"id": number, "file_name": file_name, "width": 112, "height": 84})
    categories = [{"id": i, "name": name, "supercategory": ""} for i, name in enumerate(names, start=1)]
    path = root / "instances.json"
    path.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    return path


class Program:
    """Run ``train.py`` the way a user does, on the drawn world and a tiny checkpoint."""

    def __init__(self, instances: Path, model: Path) -> None:
        self.fixed = [
            "experiment=pope_dpo_qwen2vl",
            f"data.instances={instances}",
            f"model.path={model}",
            "model.dtype=float32",
            "trainer.accelerator=cpu",
            "logger=csv",
            "data.batch_size=8",
            "evaluation.final_text.max_new_tokens=4",
        ]

    def command(self, *overrides: str, bare: bool = False) -> list[str]:
        """Return the command line; ``bare`` leaves out what every run here has in common."""
        return [sys.executable, str(ROOT / "train.py"), *([] if bare else self.fixed), *overrides]

    def environment(self) -> dict[str, str]:
        settings = {
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            "WANDB_MODE": "offline",
            "COLUMNS": "160",
            "NO_COLOR": "1",
        }
        return os.environ | settings

    def __call__(self, *overrides: str, cwd: Path, status: int = 0, bare: bool = False) -> str:
        """Run it in ``cwd``; returns what it printed."""
        done = subprocess.run(
            self.command(*overrides, bare=bare),
            cwd=cwd,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout + done.stderr


@pytest.fixture(scope="session")
def program(instances: Path, tiny_checkpoint: Callable[[str], Path]) -> Program:
    """Return the program."""
    return Program(instances, tiny_checkpoint("qwen2_vl"))


@pytest.fixture(scope="session")
def wandb_records() -> Callable[[Path], list[wandb_internal_pb2.Record]]:
    """Return a function that reads the records of an offline W&B run's folder."""

    def records(folder: Path) -> list[wandb_internal_pb2.Record]:
        (path,) = folder.glob("*.wandb")
        return [wandb_internal_pb2.Record.FromString(data) for data in _log_entries(path.read_bytes())]

    return records


def _log_entries(data: bytes) -> Iterator[bytes]:
    """Read a LevelDB log behind W&B's header of 7 bytes: blocks of 32 KiB, entries in 1 to n pieces."""
    position, entry = 7, b""
    while position + 7 <= len(data):
        room = 32768 - position % 32768
        if room < 7:
            position += room
            continue
        _, length, kind = struct.unpack_from("<IHB", data, position)
        if not length and not kind:
            return
        entry += data[position + 7 : position + 7 + length]
        position += 7 + length
        if kind in (1, 4):  # whole, or last piece
            yield entry
            entry = b""
