"""Objects from nodes of the configuration, built by Hydra; errors of ours come out as they are."""

from collections.abc import Callable
from typing import Any

from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig

from halluc.errors import HallucError


def make(node: DictConfig, **options: Any) -> Any:  # noqa: ANN401  # only the YAML knows
    """Build what a node names, and everything below it.

    Args:
        node: Its ``_target_`` names a class or function; without one, a mapping of such nodes.
        options: Arguments that replace the node's.

    Raises:
        HallucError: As the constructor raised it, not wrapped in Hydra's.
    """
    try:
        return instantiate(node, _convert_="all", **options)
    except InstantiationException as error:
        if isinstance(error.__cause__, HallucError):
            raise error.__cause__ from None
        raise


def make_all(nodes: DictConfig | None) -> list[Any]:
    """Build what a node names under keys of its own; a key that is null is left out."""
    return [made for made in make(nodes).values() if made is not None] if nodes else []


def factory(node: DictConfig) -> Callable[..., Any]:
    """Make a node into a function that still takes arguments known only at run time."""
    partial: Callable[..., Any] = make(node, _partial_=True)
    return partial
