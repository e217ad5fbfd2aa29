from collections import Counter

from halluc.data.choices import option_order, render_options


def test_options_are_lettered_lines():
    assert render_options(["None", "007"]) == "\nA. None\nB. 007"


def test_order_is_a_permutation_fixed_by_seed_and_id():
    assert sorted(option_order(5, 0, "q1")) == [0, 1, 2, 3, 4]
    assert option_order(8, 0, "q1") == option_order(8, 0, "q1")
    assert option_order(8, 0, "q1") != option_order(8, 0, "q2")
    assert option_order(8, 0, "q1") != option_order(8, 1, "q1")


def test_first_place_is_about_uniform():
    first = Counter(option_order(4, 0, str(number))[0] for number in range(4000))
    assert all(900 <= first[option] <= 1100 for option in range(4))  # 27 at one sigma
