"""A machine that is not ready is refused before anything is measured."""

from dataclasses import replace

import pytest

from halluc.bench import device_check
from halluc.bench.attention_variants import FLEX, PREFIX, VariantResult
from halluc.bench.device_check import (
    MINIMUM,
    check_attention,
    check_families,
    check_versions,
    peak_tflops,
)
from halluc.errors import ConfigError, ModelSupportError
from halluc.packing.self_check import SelfCheck

# On a CPU there is no fused kernel: https://docs.pytorch.org/docs/stable/nn.attention.flex_attention.html
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile:UserWarning")


def test_this_machine_is_ready():
    assert check_versions("cpu").keys() == MINIMUM.keys()


def test_everything_that_is_wrong_is_said_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("transformers.Qwen2VLModel.forward", lambda self: None)

    with pytest.raises(ConfigError) as caught:
        check_versions("cuda", {"torch": "999", "not-there": "1"})

    for complaint in ("at least 999", "not-there is not installed", "mm_encoder_outputs", "finds no GPU"):
        assert complaint in str(caught.value)


def test_trees_agree_with_rows():
    assert "with leaking branches" in check_families(["qwen2_vl"], "cpu")["qwen2_vl"]


def test_families_that_disagree_are_named(monkeypatch: pytest.MonkeyPatch):
    wrong = SelfCheck(difference=0.5, control=0.6, tolerance=1e-3)
    monkeypatch.setattr(device_check, "check_sharing", lambda *_: wrong)

    with pytest.raises(ModelSupportError, match=r"llava: largest difference 0\.5"):
        check_families(["llava"], "cpu")


def test_all_ways_to_attend_agree_with_the_dense_mask():
    found = check_attention("cpu")

    assert len(found) == 4  # two ways, in training and in evaluation
    for name, differences in found.items():
        assert differences["logp"] is not None
        assert differences["logp"] < 1e-5, name
        assert differences["gradient"] is None


@pytest.mark.parametrize("wrong", [{"logp_difference": 0.1}, {"gradient_difference": float("nan")}])
def test_a_way_that_disagrees_is_refused(wrong: dict[str, float], monkeypatch: pytest.MonkeyPatch):
    right = VariantResult("sft", PREFIX, "forward", 1.0, 1.0, None, 0.0, 0.0)
    results = [right, replace(right, variant=FLEX, **wrong)]
    monkeypatch.setattr(device_check, "compare_attention", lambda *_, **__: results)

    with pytest.raises(ModelSupportError, match="disagree") as caught:
        check_attention("cpu")

    assert FLEX in str(caught.value)
    assert PREFIX not in str(caught.value)


def test_peaks_of_gpus():
    assert peak_tflops("NVIDIA H100 PCIe") == 756.0
    assert peak_tflops("NVIDIA H100 80GB HBM3") == 989.0
    assert peak_tflops("NVIDIA L40S") == 362.0
    assert peak_tflops("NVIDIA L4") == 121.0
    assert peak_tflops("an unknown one") is None
