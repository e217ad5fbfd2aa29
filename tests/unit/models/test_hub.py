import json
import time
from types import SimpleNamespace

import pytest
from huggingface_hub.errors import HTTPError, RepositoryNotFoundError

from halluc.errors import ModelNotFoundError
from halluc.models import hub
from halluc.models.hub import find_checkpoint

NAME = "some-team/some-model-7b"


@pytest.fixture
def checkpoint(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    return tmp_path


@pytest.fixture
def online(monkeypatch):
    """Pretend that a network may be used; returns a function that sets what the hub answers."""
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", False)

    def answer(error):
        def model_info(*_, **arguments):
            assert arguments["timeout"] <= 10
            raise error

        monkeypatch.setattr(hub.HfApi, "model_info", model_info)

    return answer


def test_a_folder_is_taken_as_it_is(checkpoint):
    assert find_checkpoint(str(checkpoint)) == checkpoint


def test_a_name_that_is_nowhere_is_refused_at_once_when_offline():
    start = time.monotonic()
    with pytest.raises(ModelNotFoundError, match=rf"model.path={NAME}.*HF_HUB_OFFLINE is set.*folder"):
        find_checkpoint(NAME)
    assert time.monotonic() - start < 2


def test_an_unreachable_hub_is_one_clear_message(online):
    online(HTTPError("no route"))
    with pytest.raises(
        ModelNotFoundError, match=r"can't be reached \(HTTPError\).*model.path.*HF_HUB_OFFLINE=1"
    ):
        find_checkpoint(NAME)


def test_an_unknown_name_is_told_from_a_missing_network(online):
    response = SimpleNamespace(headers={}, request=None)
    online(RepositoryNotFoundError("404", response=response))
    with pytest.raises(ModelNotFoundError, match=r"revision v2.*Check the name.*gated.*hf auth login"):
        find_checkpoint(NAME, revision="v2")


@pytest.mark.parametrize("path", ["/no/such/folder", "runs/2024/best", "./gone"])
def test_a_missing_folder_never_asks_the_hub(path):
    with pytest.raises(ModelNotFoundError, match="is no folder"):
        find_checkpoint(path)


def test_a_folder_without_config_is_no_checkpoint(tmp_path):
    with pytest.raises(ModelNotFoundError, match=r"holds no config\.json"):
        find_checkpoint(str(tmp_path))


def test_pickled_weights_are_not_loaded(checkpoint):
    (checkpoint / "model.safetensors").rename(checkpoint / "pytorch_model.bin")
    with pytest.raises(ModelNotFoundError, match=r"lacks safetensors weights.*\*\.bin"):
        find_checkpoint(str(checkpoint))


def test_every_part_of_split_weights_is_needed(checkpoint):
    parts = {"a.weight": "model-00001-of-00002.safetensors", "b.weight": "model-00002-of-00002.safetensors"}
    (checkpoint / "model.safetensors").rename(checkpoint / parts["a.weight"])
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"weight_map": parts}))
    with pytest.raises(ModelNotFoundError, match="lacks safetensors weights"):
        find_checkpoint(str(checkpoint))
    (checkpoint / parts["b.weight"]).write_bytes(b"")
    assert find_checkpoint(str(checkpoint)) == checkpoint


def test_a_cached_copy_is_used_without_asking_the_hub(checkpoint, online, monkeypatch):
    online(AssertionError("the hub was asked"))
    monkeypatch.setattr(hub, "snapshot_download", lambda *_, **arguments: str(checkpoint))
    assert find_checkpoint(NAME) == checkpoint
