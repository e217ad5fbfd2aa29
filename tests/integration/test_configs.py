"""Every YAML composes, and everything that it names exists and takes the arguments that it gives."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.errors import MissingConfigException
from hydra.utils import get_object, instantiate
from omegaconf import DictConfig, ListConfig, OmegaConf

import halluc.resume  # noqa: F401  # registers the resolver that the run directory needs
from halluc.models.tiny.build import build_tiny

CONF = Path(__file__).parents[2] / "conf"
FILES = sorted(str(path.relative_to(CONF).with_suffix("")) for path in CONF.rglob("*.yaml"))

TINY = {
    "qwen2vl": "qwen2_vl",
    "qwen2_5vl": "qwen2_5_vl",
    "qwen3vl": "qwen3_vl",
    "llava15": "llava",
    "llava_next": "llava_next",
    "llava_onevision": "llava_onevision",
    "internvl3": "internvl",
    "smolvlm2": "smolvlm",
    "idefics3": "idefics3",
    "gemma3": "gemma3",
    "paligemma2": "paligemma",
    "mllama": "mllama",
}


ENTRY_POINTS = ("train", "evaluate")


def composed(*overrides: str, entry: str = "train") -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose(entry, overrides=list(overrides), return_hydra_config=True)
    cfg.hydra.runtime.output_dir = "run"
    HydraConfig.instance().set_config(cfg)
    return cfg


def overrides_for(name: str) -> list[str]:
    """Choose one file, and give what a user has to give with it."""
    group, option = name.rsplit("/", 1)
    chosen = {
        "benchmark": [f"benchmark=[{option}]"],
        "method/loss": ["method=dpo", f"method/loss={option}"],
    }.get(group, [f"{group}={option}"])
    instances = ["data.instances=instances.json"]
    needs = {"jsonl": ["data.path=train.jsonl"], "coco_polling": instances, "pope_dpo_qwen2vl": instances}
    return [*chosen, *needs.get(option, [])]


def targets(node: object) -> Iterator[DictConfig]:
    """Walk over all nodes that name a class or a function."""
    if isinstance(node, DictConfig):
        if "_target_" in node:
            yield node
        for key in node:
            yield from targets(node._get_node(key))
    elif isinstance(node, ListConfig):
        for item in node:
            yield from targets(item)


def test_the_number_of_files_is_known():
    assert len(FILES) == 60, "\n".join(FILES)


@pytest.mark.parametrize("name", [name for name in FILES if name not in ENTRY_POINTS])
def test_every_file_composes_and_fits_what_it_names(name):
    cfg = composed(*overrides_for(name))
    tops = [cfg[key] for key in cfg if key != "hydra"]
    found = [node for top in tops for node in targets(top)]
    assert found
    for node in found:
        values = OmegaConf.to_container(node, resolve=True)
        arguments = {key: value for key, value in values.items() if not key.startswith("_")}
        inspect.signature(get_object(node["_target_"])).bind_partial(**arguments)


@pytest.mark.parametrize(
    "name",
    [n for n in FILES if n.split("/")[0] in {"benchmark", "callbacks", "adapter", "optimizer", "scheduler"}],
)
def test_parts_without_a_model_are_built(name):
    cfg = composed(*overrides_for(name))
    group = name.split("/")[0]
    assert instantiate(cfg[group], _convert_="all") is not None


@pytest.mark.parametrize("name", sorted(TINY))
def test_every_model_loads_and_takes_the_default_adapter(name, tmp_path):
    build_tiny(TINY[name], tmp_path)
    cfg = composed(f"model={name}", f"model.path={tmp_path}", "model.dtype=float32")
    lvlm = instantiate(cfg.model, _convert_="all")()
    report = instantiate(cfg.adapter, _convert_="all").attach(lvlm)
    assert report.count > 0


def test_every_model_file_is_tried():
    assert {n.split("/")[1] for n in FILES if n.startswith("model/")} - {"miniworld"} == set(TINY)


@pytest.mark.parametrize("entry", ENTRY_POINTS)
def test_every_entry_point_composes(entry):
    assert "model" in composed(entry=entry)


def test_an_unknown_option_lists_the_choices():
    with pytest.raises(MissingConfigException, match=r"(?s)Available options in 'method':.*dpo.*sft"):
        composed("method=dpoo")


def test_resuming_writes_into_the_same_directory():
    assert composed("resume=runs/monday").hydra.run.dir == "runs/monday"
    assert composed().hydra.run.dir.startswith("runs/2")
