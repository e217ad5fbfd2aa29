"""The choice of an option by its likelihood, as V*-Bench's own evaluation makes it."""

from collections.abc import Sequence


def choose_option(option_token_nll: Sequence[Sequence[float]], *, length_normalized: bool = True) -> int:
    """Choose the option whose tokens the model finds most likely.

    Args:
        option_token_nll: For each option the negative log-likelihood of each of its tokens, in nats,
            given image and question; the closing separator is one of the tokens.
        length_normalized: Compare means over tokens, as the published rule does; sums favour short
            options.

    Returns:
        Place of the option, from 0; the first of equally likely ones.

    Raises:
        ValueError: If there is no option, or one without tokens.

    Reference:
        Wu and Xie, V*: Guided Visual Search as a Core Mechanism in Multimodal LLMs,
        arXiv 2312.14135, ``vstar_bench_eval.py``.

    Example:
        >>> choose_option([[2.7, 0.6, 4.1, 2.2], [2.7, 4.1]])
        0
        >>> choose_option([[2.7, 0.6, 4.1, 2.2], [2.7, 4.1]], length_normalized=False)
        1
    """
    if not option_token_nll or not all(option_token_nll):
        raise ValueError("Every option needs at least one token, and there must be an option.")
    costs = [sum(nll) / (len(nll) if length_normalized else 1) for nll in option_token_nll]
    return costs.index(min(costs))
