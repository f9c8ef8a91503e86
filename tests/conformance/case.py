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
    # Plain loops: a generator would take a second frame for each level of deep values.
    if isinstance(wanted, dict):
        if not isinstance(found, Mapping) or len(found) != len(wanted):
            return False
        for key, value in wanted.items():  # noqa: SIM110
            if key not in found or not equal(found[key], value):
                return False
        return True
    if isinstance(wanted, list):
        if not isinstance(found, list | tuple) or len(found) != len(wanted):
            return False
        for one, other in zip(found, wanted, strict=True):  # noqa: SIM110
            if not equal(one, other):
                return False
        return True
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
