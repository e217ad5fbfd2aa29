"""Remember values up to a bound."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from halluc.errors import ConfigError

GIGABYTE = 1_000_000_000

T = TypeVar("T")


class BoundedMemory(Generic[T]):
    """Hold values by key in this process; the one used longest ago goes first.

    Args:
        owner: Config name of the cache that it is part of, for messages.
        max_gb: Bound in units of 10^9 bytes; 0 holds nothing.
        size: Says how many bytes a value takes.

    Raises:
        ConfigError: If the bound is negative.

    Example:
        >>> memory = BoundedMemory[str]("cache", 3e-9, size=len)
        >>> for key in ("a", "b", "c", "d"):
        ...     memory.put(key, key.upper())
        >>> memory.get("a"), memory.get("d")
        (None, 'D')
    """

    def __init__(self, owner: str, max_gb: float, size: Callable[[T], int]) -> None:
        if max_gb < 0:
            raise ConfigError(f"{owner}.max_memory_gb is {max_gb}. Give a bound of 0 or more.")
        self._values: OrderedDict[str, T] = OrderedDict()
        self._left = round(max_gb * GIGABYTE)
        self._size = size

    def get(self, key: str) -> T | None:
        """Return the value, which then counts as just used; None if it is not held."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: str, value: T) -> None:
        """Hold a value, and drop others as far as the bound asks for it."""
        if key in self._values:
            self._left += self._size(self._values.pop(key))
        self._values[key] = value
        self._left -= self._size(value)
        while self._left < 0:
            _, oldest = self._values.popitem(last=False)
            self._left += self._size(oldest)

    def items(self) -> Iterator[tuple[str, T]]:
        """Iterate over keys and values, the one used longest ago first."""
        return iter(self._values.items())
