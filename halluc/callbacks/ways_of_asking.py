"""Which prompt form suits which way of answering: a question without its options has no letter."""

from collections.abc import Callable, Mapping, Sequence

from halluc.answering.option_likelihood import OptionLikelihoodAnswerer, require_options
from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.published import PublishedBenchmark
from halluc.data.records import Question
from halluc.errors import ConfigError
from halluc.parsing.profiles import OFFICIAL


def check_prompt_forms(benchmarks: Mapping[str, Benchmark], answerer: type) -> None:
    """Refuse to ask for a letter where the prompt lists no options.

    Args:
        benchmarks: Name to benchmark.
        answerer: The class that answers them.

    Raises:
        ConfigError: If a prompt form lists no options, and the answerer does not compare their texts.
    """
    for name, benchmark in benchmarks.items():
        if _hides_options(benchmark) and not issubclass(answerer, OptionLikelihoodAnswerer):
            raise ConfigError(
                f"benchmark.{name}.prompt_profile={benchmark.prompt_profile} lists no options, so "
                f"{answerer.__name__} has nothing to choose from. Set answering=option_likelihood, which "
                f"compares the options' texts, or benchmark.{name}.prompt_profile={OFFICIAL}."
            )


def check_options(questions: Sequence[Question], answerer: type) -> None:
    """Refuse questions without option texts, if these are what the answerer compares.

    Raises:
        ConfigError: If there is one.
    """
    if issubclass(answerer, OptionLikelihoodAnswerer):
        require_options(questions)


def as_text(make: Callable[..., Benchmark]) -> Benchmark:
    """Build a benchmark as it is asked for text: read as published, and with its options in the prompt.

    Args:
        make: Builds the benchmark; takes the options that differ from the config's.

    Returns:
        With ``profile=official``, and with the prompt form of the config unless that lists no options;
        then with the ``official`` one.
    """
    benchmark = make(profile=OFFICIAL)
    if _hides_options(benchmark):
        return make(profile=OFFICIAL, prompt_profile=OFFICIAL)
    return benchmark


def _hides_options(benchmark: Benchmark) -> bool:
    return isinstance(benchmark, PublishedBenchmark) and benchmark.hides_options
