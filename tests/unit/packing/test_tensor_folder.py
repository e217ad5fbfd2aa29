"""Entries come back as they were written, or not at all."""

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from halluc.errors import ConfigError
from halluc.packing.tensor_folder import BLOCK, TensorFolder

ENTRY = {"tokens": torch.full((3, 2), 1.5), "inner": torch.ones(3, 2).bfloat16(), "sum": torch.tensor(2.0)}


def open_folder(path: Path, max_gb: float = 1.0) -> TensorFolder:
    return TensorFolder("some.cache", str(path), max_gb)


def test_another_process_reads_what_one_wrote(tmp_path: Path):
    open_folder(tmp_path).write("a1", ENTRY)

    read = open_folder(tmp_path).read("a1")

    assert read is not None
    assert read.keys() == ENTRY.keys()
    assert all(
        torch.equal(read[name], ENTRY[name]) and read[name].dtype == ENTRY[name].dtype for name in read
    )
    assert open_folder(tmp_path).read("a2") is None


def test_without_a_folder_nothing_is_kept():
    nowhere = TensorFolder("some.cache", None, 1.0)

    nowhere.write("a1", ENTRY)

    assert nowhere.read("a1") is None


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [truncate, flip_a_bit, lambda path: path.write_bytes(b"")])
def test_a_damaged_entry_is_none_until_it_is_written_anew(
    damage, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    folder = open_folder(tmp_path)
    folder.write("a1", ENTRY)
    (entry,) = tmp_path.rglob("*.safetensors")
    damage(entry)

    with caplog.at_level(logging.WARNING):
        assert folder.read("a1") is None

    assert f"some.cache: {entry}" in caplog.text
    assert "computing it again" in caplog.text
    folder.write("a1", ENTRY)
    assert folder.read("a1") is not None


def test_a_full_folder_stays_within_its_bound(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """Each entry of some hundred bytes counts as one block; two are there or fit, a third does not."""
    open_folder(tmp_path).write("a", ENTRY)

    with caplog.at_level(logging.WARNING):
        folder = open_folder(tmp_path, max_gb=2.5 * BLOCK / 1e9)
        for key in ("b", "c", "d"):
            folder.write(key, ENTRY)

    assert len(list(tmp_path.rglob("*.safetensors"))) == 2
    assert caplog.text.count("has reached its bound") == 1


def test_writers_at_the_same_time_leave_one_whole_entry(tmp_path: Path):
    entry = {"tokens": torch.ones(500, 50)}

    def run(_: int) -> bool:
        folder = open_folder(tmp_path)
        folder.write("a1", entry)
        found = folder.read("a1")
        return found is not None and torch.equal(found["tokens"], entry["tokens"])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(32)))

    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".safetensors"]


def test_a_negative_bound_is_refused():
    with pytest.raises(ConfigError, match=r"some\.cache\.max_disk_gb is -1.*0 or more"):
        TensorFolder("some.cache", None, -1)
