"""JSON as a JavaScript agent handles it, written the plain way: whole values, copied and walked each time."""

from __future__ import annotations

import copy
import json
import re
from decimal import Decimal
from typing import Any

INDEX = re.compile(r"(?:0|[1-9][0-9]*)\Z")
SELECTOR = re.compile(r"\[(0|[1-9][0-9]*)\]\Z")
EXACT = 2**53
GONE: Any = object()


class Refused(Exception):
    """A value, a file or a request that the agent does not accept; the text says which and why."""


def load(data: bytes, where: str) -> Any:
    text = data.decode("utf-8", "replace")

    def bad_constant(name: str) -> Any:
        raise Refused(f"{where}: {name} is not JSON")

    try:
        return json.loads(text, parse_constant=bad_constant)
    except ValueError as problem:
        raise Refused(f"{where}: {problem}") from None


def number(value: float) -> str:
    """The digits that JSON.stringify gives for a double."""
    if isinstance(value, int) and abs(value) <= EXACT:
        return str(value)
    double = float(value)
    if double == 0:
        return "0"
    if double.is_integer() and abs(double) < 1e21:
        return format(Decimal(repr(double)), "f").removesuffix(".0")
    digits = repr(double)
    if "e" not in digits:
        return digits
    mantissa, exponent = digits.split("e")
    if -7 < int(exponent) < 21:
        return format(Decimal(digits), "f")
    return f"{mantissa}e{'+' if int(exponent) > 0 else '-'}{abs(int(exponent))}"


def key_order(key: str) -> tuple[int, int, bytes]:
    if INDEX.match(key) and int(key) < 2**32 - 1:
        return 0, int(key), b""
    return 1, 0, key.encode("utf-16-be", "surrogatepass")


def text(value: Any) -> str:
    """Canonical text: sorted keys, no spaces, numbers and strings as JavaScript writes them."""
    if isinstance(value, dict):
        members = (f"{string(key)}:{text(value[key])}" for key in sorted(value, key=key_order))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(text(item) for item in value) + "]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return number(value)
    return string(value)


def string(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", quoted)


def merge(state: Any, patch: Any) -> Any:
    """The recursive patch: a new value; the old one is not touched."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    if isinstance(state, list) and patch and all(SELECTOR.match(key) for key in patch):
        slots = list(state)
        for key, change in patch.items():
            index = int(key[1:-1])
            if index >= len(slots) or change is None:
                raise Refused(f"no slot {key}")
            slots[index] = merge(slots[index], change)
        return slots
    if not isinstance(state, dict):
        if deletes_only(patch) and state is GONE:
            return GONE
        state = {}
    result = dict(state)
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
            continue
        after = merge(result.get(key, GONE), change)
        if after is not GONE:
            result[key] = after
    return result


def deletes_only(patch: dict[str, Any]) -> bool:
    return bool(patch) and all(
        change is None or (isinstance(change, dict) and deletes_only(change)) for change in patch.values()
    )


def prune(value: Any) -> Any:
    """Without empty objects below the root; arrays and their slots stay."""
    if isinstance(value, list):
        return [prune(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: prune(member) for key, member in value.items()}
    return {key: member for key, member in kept.items() if member != {}}


def difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The patch that turns `before` into `after`, as it is recorded."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key, GONE)
        if isinstance(old, dict) and isinstance(value, dict):
            inner = difference(old, value)
            if inner:
                patch[key] = inner
        elif old is GONE or text(old) != text(value):
            patch[key] = value
    return patch


def holds_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(holds_null(member) for member in value.values())
    if isinstance(value, list):
        return any(holds_null(item) for item in value)
    return value is None
