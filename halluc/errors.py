"""Every exception of the project.

::

    HallucError
    ├── ConfigError              (ValueError)         an option or a combination of options is wrong
    │   └── UnknownOptionError                        a name that is not among the choices
    ├── SourceNotFoundError      (FileNotFoundError)  a data or benchmark file is not where it should be
    ├── RecordError              (ValueError)         rows of a data file are unusable; all are listed
    ├── ImageError               (ValueError)         one picture can't be read, or may not be
    ├── LengthMismatchError      (ValueError)         two aligned sequences differ in length
    ├── BenchmarkError           (ValueError)         a benchmark can't be asked or scored
    ├── ModelNotFoundError       (FileNotFoundError)  weights are neither on disk nor reachable
    ├── ModelSupportError        (ValueError)         an architecture lacks what was asked of it
    ├── AdapterTargetError       (ValueError)         LoRA would land nowhere, or where it was not asked to
    ├── ResumeError              (ValueError)         a run directory can't be continued
    └── RunInterruptedError      (RuntimeError)       a signal stopped the run after its state was saved

A message says what was expected and found, where, and what to do about it.
"""

from collections.abc import Iterable, Sequence


class HallucError(Exception):
    """Be the base of every error that this project raises on purpose."""


class ConfigError(HallucError, ValueError):
    """Report an option, or a combination of options, that can't work."""


class UnknownOptionError(ConfigError):
    """Report a name that is not among the choices, and list the choices."""

    def __init__(self, option: str, found: object, choices: Iterable[str]) -> None:
        """Name the option, what was found there, and every choice."""
        super().__init__(f"{option} is {found!r}. Choose one of: {', '.join(sorted(choices))}.")


class SourceNotFoundError(HallucError, FileNotFoundError):
    """Report a data or benchmark file that is not where it should be."""


class RecordError(HallucError, ValueError):
    """Report every unusable row of a data file at once.

    Attributes:
        problems: One line a row, each with file, line and id.
    """

    def __init__(self, summary: str, problems: Sequence[str] = ()) -> None:
        """Join the summary and all problems into one message."""
        self.problems = tuple(problems)
        super().__init__("\n  ".join([summary, *problems]))


class ImageError(HallucError, ValueError):
    """Report a picture that can't be read, or that may not be read from there."""


class LengthMismatchError(HallucError, ValueError):
    """Report two sequences that should be aligned and differ in length."""


class BenchmarkError(HallucError, ValueError):
    """Report a benchmark that can't be asked or scored."""


class ModelNotFoundError(HallucError, FileNotFoundError):
    """Report weights that are neither on this disk nor reachable."""


class ModelSupportError(HallucError, ValueError):
    """Report an architecture that lacks what was asked of it."""


class AdapterTargetError(HallucError, ValueError):
    """Report LoRA targets that match nothing, or modules that nobody asked for."""


class ResumeError(HallucError, ValueError):
    """Report a run directory that can't be continued."""


class RunInterruptedError(HallucError, RuntimeError):
    """Report that a signal stopped the run, after its state was saved."""
