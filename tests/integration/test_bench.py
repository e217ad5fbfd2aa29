"""The bench measures ways that all compute the same."""

import pytest

from halluc.bench import one_by_one, ours, trl_steps
from halluc.bench.model import build_model
from halluc.bench.run import BenchSettings, run_bench

# TRL asks for the attribute by the name that transformers 5.24 deprecates:
# https://huggingface.co/docs/transformers/main_classes/model
pytestmark = pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning")


@pytest.fixture(scope="module")
def results():
    settings = BenchSettings(image_px=112, k=[3], rounds=1, peak_tflops=1.0)
    return [result for measured in run_bench(settings) for result in measured]


def test_every_way_takes_part(results):
    own = {ours.TREE, ours.TREE_CACHED, ours.ROWS, ours.ROWS_SHARED}
    ways = {task: {r.way for r in results if r.task == task} for task in ("sft", "dpo", "evaluation")}

    assert ways == {
        "sft": own | {trl_steps.SFT},
        "dpo": own | {ours.TREE_REFERENCE, trl_steps.DPO},
        "evaluation": own | {one_by_one.ONE_FORWARD, one_by_one.ONE_GENERATION},
    }


def test_every_way_computes_the_same(results):
    for result in results:
        assert result.max_difference < 1e-5, result


def test_trees_need_fewer_operations_and_caches_fewer_still(results):
    for task in ("sft", "dpo", "evaluation"):
        bounds = {r.way: r.flop_bound for r in results if r.task == task}
        assert bounds[ours.ROWS] == 1.0
        assert 1.0 < bounds[ours.ROWS_SHARED] < bounds[ours.TREE] < bounds[ours.TREE_CACHED]
    bounds = {r.way: r.flop_bound for r in results if r.task == "dpo"}
    assert bounds[ours.TREE_CACHED] < bounds[ours.TREE_REFERENCE]
    assert bounds[trl_steps.DPO] is None


@pytest.mark.parametrize(("shape", "parameters"), [("qwen2_vl_2b", 2.21e9), ("qwen2_vl_7b", 8.29e9)])
def test_shapes_have_the_published_numbers_of_parameters(shape, parameters):
    lvlm = build_model(shape, dtype="bfloat16", device="meta", image_px=392)

    assert sum(p.numel() for p in lvlm.hf_model.parameters()) == pytest.approx(parameters, rel=0.01)
