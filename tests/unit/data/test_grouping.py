from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halluc.data.grouping import GroupedBatchSampler
from halluc.errors import ConfigError

GROUPS = ["a"] * 5 + ["b"] * 3 + ["c"] * 3 + ["d"]


def epochs(sampler, count):
    batches = []
    for epoch in range(count):
        sampler.set_epoch(epoch)
        batches.append(list(sampler))
    return batches


@given(
    groups=st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60),
    batch_size=st.integers(1, 9),
    max_group=st.integers(1, 9),
    world_size=st.integers(1, 4),
    epoch=st.integers(0, 3),
)
def test_every_sample_is_seen_once_an_epoch_whatever_the_number_of_ranks(
    groups, batch_size, max_group, world_size, epoch
):
    def run(rank, world_size):
        sampler = GroupedBatchSampler(
            groups, batch_size=batch_size, max_group=max_group, rank=rank, world_size=world_size
        )
        sampler.set_epoch(epoch)
        assert len(list(sampler)) == len(sampler) == -(-len(groups) // batch_size)
        return list(sampler)

    alone = run(0, 1)
    assert Counter(i for batch in alone for i in batch) == Counter(range(len(groups)))
    shares = [run(rank, world_size) for rank in range(world_size)]
    for step, batch in enumerate(alone):
        assert sorted(i for share in shares for i in share[step]) == sorted(batch)


def test_samples_of_one_group_stand_side_by_side():
    sampler = GroupedBatchSampler(GROUPS, batch_size=12, max_group=12)
    (batch,) = list(sampler)
    names = [GROUPS[i] for i in batch]
    assert sum(left != right for left, right in pairwise(names)) == 3


def test_a_long_group_is_split():
    sampler = GroupedBatchSampler(["a"] * 10, batch_size=10, max_group=4, world_size=3)
    assert len(next(iter(sampler))) == 4  # chunks 4, 4, 2 for three ranks


def test_ungrouped_order_tears_groups_apart():
    groups = [str(i // 10) for i in range(1000)]
    sampler = GroupedBatchSampler(groups, batch_size=1000, max_group=1000, grouped=False)
    names = [groups[i] for i in next(iter(sampler))]
    assert sum(left == right for left, right in pairwise(names)) < 50


def test_order_changes_with_the_epoch_and_the_seed_only():
    first = epochs(GroupedBatchSampler(GROUPS, batch_size=4, max_group=4, seed=1), 2)
    again = epochs(GroupedBatchSampler(GROUPS, batch_size=4, max_group=4, seed=1), 2)
    other = epochs(GroupedBatchSampler(GROUPS, batch_size=4, max_group=4, seed=2), 2)
    assert first == again
    assert first[0] != first[1]
    assert first != other


def test_resuming_leaves_out_the_batches_that_are_done_in_that_epoch_only():
    whole = epochs(GroupedBatchSampler(GROUPS, batch_size=4, max_group=4), 3)
    sampler = GroupedBatchSampler(GROUPS, batch_size=4, max_group=4)
    sampler.resume_at(1, 2)
    assert list(sampler) == whole[1][2:]
    assert len(sampler) == 3
    sampler.set_epoch(2)
    assert list(sampler) == whole[2]


def test_nothing_to_sample_is_an_error():
    with pytest.raises(ConfigError, match="no training sample"):
        GroupedBatchSampler([], batch_size=4, max_group=4)
    with pytest.raises(ConfigError, match="at least 1"):
        GroupedBatchSampler(["a"], batch_size=0, max_group=4)
