"""Read YAML so that scalars mean what they mean in JSON: a bare ``yes`` or ``No`` is text."""

import re
from typing import ClassVar

import yaml  # type: ignore[import-untyped]  # its stubs are a package of their own

_RESOLVERS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
    "float": (r"-?(?:[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|\.inf)|\.nan", list("-.0123456789")),
}

_QUESTION_MARK = re.compile(r"(?<=[^\s\[{,])\?")
"""One inside a text; PyYAML refuses it in ``{question: Is it red?}``, though YAML 1.2 allows it."""


class _PlainLoader(yaml.SafeLoader):  # type: ignore[misc]  # its base is untyped, see the import
    """Resolve null, true, false and decimal numbers; leave yes, no, 007 and dates as text."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


for _name, (_pattern, _beginnings) in _RESOLVERS.items():
    _PlainLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$"), _beginnings
    )


def load_yaml(text: str) -> object:
    """Parse YAML text.

    Raises:
        ValueError: If it is broken; the message says where.

    Example:
        >>> load_yaml("{answer: no, code: 007, count: 7}")
        {'answer': 'no', 'code': '007', 'count': 7}
    """
    stand_in = next(mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in text)
    try:
        value = yaml.load(_QUESTION_MARK.sub(stand_in, text), Loader=_PlainLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"broken YAML: {error}".replace(stand_in, "?")) from error
    return _restore(value, stand_in)


def _restore(value: object, stand_in: str) -> object:
    if isinstance(value, str):
        return value.replace(stand_in, "?")
    if isinstance(value, list):
        return [_restore(item, stand_in) for item in value]
    if isinstance(value, dict):
        return {_restore(key, stand_in): _restore(item, stand_in) for key, item in value.items()}
    return value
