"""Python's values as TOML, as far as scenarios need it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any


def value(given: Any) -> str:
    """A value in one line: numbers, texts, switches, lists, tables."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if hasattr(given, "item") and not isinstance(given, (str, bytes)):
        return value(given.item())  # a scalar of NumPy
    if isinstance(given, int):
        return str(given)
    if isinstance(given, float):
        return repr(given) if math.isfinite(given) else {math.inf: "inf", -math.inf: "-inf"}.get(given, "nan")
    if isinstance(given, str):
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(given, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value(inner)}" for name, inner in given.items()) + " }" if given else "{}"
    if isinstance(given, Sequence) or hasattr(given, "__iter__"):
        return "[" + ", ".join(value(inner) for inner in given) + "]"
    raise TypeError(f"a scenario holds numbers, texts, switches, lists and tables, not {given!r}")


def key(name: str) -> str:
    """A key, quoted where it must be."""
    plain = name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    return name if plain else value(str(name))


def document(table: Mapping[str, Any]) -> str:
    """A table as a document: values first, then tables."""
    return "".join(f"{key(name)} = {value(inner)}\n" for name, inner in table.items())


def sets(changes: Mapping[str, Any] | Sequence[str] | None) -> list[str]:
    """Changes as `--set` takes them: from a mapping of paths, or as they are."""
    if changes is None:
        return []
    if isinstance(changes, Mapping):
        return [f"{path}={value(inner)}" for path, inner in changes.items()]
    if isinstance(changes, str):
        return [changes]
    return list(changes)
