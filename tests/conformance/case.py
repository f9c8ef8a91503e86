"""What a case and an adapter are, and how results are compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.memory.dialect import Dialect

Case = Mapping[str, Any]
"""One recorded case, decoded. Of an archive: {"id", "folder": where the case is unpacked, "expected"}."""

Adapter = Callable[[Case, Dialect], list[str]]


def equal(found: object, wanted: object) -> bool:
    """JSON equality written for tests: member order does not count, -0 is 0, 1 is 1.0, true is not 1."""
    if isinstance(found, bool) or isinstance(wanted, bool) or found is None or wanted is None:
        return found is wanted
    if isinstance(wanted, dict):
        return (
            isinstance(found, Mapping)
            and len(found) == len(wanted)
            and all(key in found and equal(found[key], value) for key, value in wanted.items())
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(wanted)
            and all(equal(one, other) for one, other in zip(found, wanted, strict=True))
        )
    if isinstance(wanted, str) or isinstance(found, str):
        return isinstance(wanted, str) and isinstance(found, str) and found == wanted
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return float(found) == float(wanted)  # the vectors' numbers are doubles
    return False


def differences(found: Mapping[str, object], wanted: Mapping[str, object], ignored: Iterable[str] = ()) -> list[str]:
    """One line for each member that is not as wanted."""
    skipped = frozenset(ignored)
    lines = [
        f"{name}: {shown(found.get(name))} instead of {shown(value)}"
        for name, value in wanted.items()
        if name not in skipped and not (name in found and equal(found[name], value))
    ]
    lines.extend(
        f"{name}: not expected: {shown(found[name])}" for name in found if name not in wanted and name not in skipped
    )
    return lines


def shown(value: object, limit: int = 400) -> str:
    """The value as one line of text for a report."""
    text = json.dumps(value, default=_plain)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    return repr(value)
