import numpy as np

from halluc.benchmarks.scoring.answers import Answers, group_pairs
from halluc.benchmarks.scoring.clusters import image_clusters
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.metrics.choice import ChoiceCounts


def pair(name, *images, group="", **tags):
    question = Question(
        id=name, images=images, prompt="?", space=AnswerSpace.yes_no(), gold="yes", tags=tags, group=group
    )
    return question, Prediction(id=name, text="yes", parsed="yes")


def test_groups_leave_untagged_pairs_out():
    pairs = [pair("a", task="x"), pair("b"), pair("c", task="x")]
    assert {name: len(group) for name, group in group_pairs(pairs, "task").items()} == {"x": 2}


def test_questions_that_share_an_image_are_one_cluster_even_through_a_third():
    pairs = [pair("a", "1"), pair("b", "2"), pair("c", "3"), pair("d", "2", "1")]
    assert image_clusters(question for question, _ in pairs) == [0, 0, 1, 0]


def test_without_images_the_group_counts_and_without_a_group_the_question():
    pairs = [pair("a", group="x"), pair("b"), pair("c", group="x"), pair("d")]
    answers = Answers.of(pairs)
    assert answers.clusters == {"a": 0, "b": 1, "c": 0, "d": 2}
    assert answers.count == 3


def test_nothing_answered_is_no_cluster():
    answers = Answers.of([])
    assert answers.count == 0
    assert answers.sums([], ChoiceCounts).totals(np.ones((0, 1))) == [ChoiceCounts(0, 0, 0)]


def test_sums_lie_where_their_questions_do():
    answers = Answers.of([pair("a", "1"), pair("b", "2"), pair("c", "1")])
    sums = answers.sums_of(answers.pairs, lambda *_: ChoiceCounts(1, 0, 0), ChoiceCounts)
    assert [total.right for total in sums.totals(np.array([[1.0, 3.0], [1.0, 0.0]]))] == [3, 6]
