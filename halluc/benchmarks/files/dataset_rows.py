"""Records of Hugging Face datasets: by their name on the hub, saved to disk, or as parquet files."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.picture_store import PictureStore
from halluc.benchmarks.files.rows import Row
from halluc.errors import ConfigError, SourceNotFoundError

_BATCH = 64


def read_dataset(name: str, *, split: str, image_folder: Path, option: str) -> list[Row]:
    """Read all records of a split; pictures are written to files, each distinct one once.

    A table has all columns in every row. Where one is null, the record lacks the key, as it does in a
    file of JSON records.

    Args:
        name: A folder of parquet files (all, or those whose name begins with the split), a folder that
            ``Dataset.save_to_disk`` wrote, or a name on the hub such as ``lmms-lab/POPE``.
        split: Name of the split.
        image_folder: Where pictures go; a record's picture becomes its file's name there.
        option: The config key that holds ``name``, for messages.

    Returns:
        Records in order, with ``<name>:<split>`` for their file.

    Raises:
        SourceNotFoundError: If there is no such dataset, neither here nor on a hub that answers.
        ConfigError: If a library that reads it is not installed.
    """
    store = PictureStore(image_folder)
    source = Path(f"{name}:{split}")
    records = _records(name, split, option)
    return [Row(_with_files(record, store), source, place) for place, record in enumerate(records, 1)]


def _records(name: str, split: str, option: str) -> Iterator[Mapping[str, Any]]:
    folder = Path(name)
    files = sorted(folder.rglob("*.parquet")) if folder.is_dir() else []
    files = [path for path in files if path.name.startswith(split)] or files
    try:
        if files:
            yield from _parquet_records(files)
        else:
            yield from _dataset_records(name, split, option)
    except ImportError as error:
        raise ConfigError(f"{option}={name} needs the package datasets: pip install halluc[hub].") from error


def _parquet_records(files: list[Path]) -> Iterator[Mapping[str, Any]]:
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415  # optional, it comes with datasets

    for path in files:
        with ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from batch.to_pylist()


def _dataset_records(name: str, split: str, option: str) -> Iterator[Mapping[str, Any]]:
    import datasets  # noqa: PLC0415  # optional

    try:
        if Path(name).is_dir():
            loaded = datasets.load_from_disk(name)
            table = loaded[split] if isinstance(loaded, datasets.DatasetDict) else loaded
        else:
            table = datasets.load_dataset(name, split=split)
    except (FileNotFoundError, ConnectionError, KeyError, ValueError) as error:
        raise SourceNotFoundError(
            f"No dataset {option}={name} with a split {split!r}: neither a folder with parquet files or a "
            f"saved dataset, nor on a hub that answers ({error})."
        ) from error
    for column, feature in table.features.items():
        if isinstance(feature, datasets.Image):
            table = table.cast_column(column, datasets.Image(decode=False))
    yield from table


def _with_files(record: Mapping[str, Any], store: PictureStore) -> dict[str, Any]:
    return {key: _stored(value, store) for key, value in record.items() if value is not None}


def _stored(value: object, store: PictureStore) -> object:
    """Put a picture, or those in a list or struct, into the store; anything else stays."""
    if isinstance(value, list):
        return [_stored(item, store) for item in value]
    if isinstance(value, dict):
        return (
            store.add(value["bytes"]) if isinstance(value.get("bytes"), bytes) else _with_files(value, store)
        )
    return value
