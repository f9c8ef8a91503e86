"""Reading against the same thing done by cutting paths up and composing everything."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.cohort import begin
from engine.memory.dialect import V2
from engine.memory.reading import View, read_state
from engine.memory.scope import SCOPES
from tests.memory import reference
from tests.memory.strategies import KEYS, cohort_states

paths = st.builds(
    lambda root, steps: root + "".join(steps),
    st.sampled_from(
        [
            "working",
            "lazy",
            "effective",
            "effective.lazy",
            "global.working",
            "cwd.lazy",
            "session.working",
            "response",
            "cwd",
        ]
    ),
    st.lists(st.sampled_from([*(f".{key}" for key in KEYS), "[0]", "[1]", "[0:1]", "[0..2]", ".c"]), max_size=3),
)


@given(cohort_states, paths, st.sampled_from(["value", "keys"]))
def test_reading_equals_the_long_way(states: Any, path: str, projection: str) -> None:
    memory = begin(V2, states, origin_id="o", limit=7)
    try:
        wanted = long_way(states, path, projection)
    except reference.Refused:
        wanted = None
    try:
        found = read_state(View(memory, SCOPES), {"path": path, "projection": projection})
    except InvalidRequest:
        found = None
    assert found == wanted


def long_way(states: Any, path: str, projection: str) -> Any:
    """By the description: cut the path up, compose everything, walk."""
    if re.fullmatch(r"[A-Za-z]+(\.[A-Za-z_$][A-Za-z0-9_$-]*|\[[0-9]+(:[0-9]+|\.\.[0-9]+)?\])*", path) is None:
        raise reference.Refused
    parts = re.findall(r"[A-Za-z_$][A-Za-z0-9_$-]*|\[[^\]]*\]", path)
    root = parts.pop(0) if parts[0] in ("effective", *SCOPES) else "effective"
    if parts and parts[0] in ("[0]", "[1]") and path.startswith(root) and parts.pop(0) == "[1]":
        raise reference.Refused  # there is no history
    if parts and parts[0].startswith("["):
        raise reference.Refused
    planes = V2.planes
    if root == "effective":
        view = reference.effective(planes, states)
    else:
        view = {plane: states[root][plane] for plane in planes if plane in states[root] and states[root][plane] != ""}
    if not parts:
        view = {plane: view[plane] for plane in view if plane != "lazy"}
    if projection == "value" and len(parts) == 1 and parts[0] in planes:
        return {"value": view.get(parts[0])}
    node: Any = view
    for part in parts:
        numbers = [int(digits) for digits in re.findall(r"[0-9]+", part)] if part.startswith("[") else []
        if not numbers:
            if not isinstance(node, dict) or part not in node:
                raise reference.Refused
            node = node[part]
        elif not isinstance(node, list):
            raise reference.Refused
        elif len(numbers) == 1:
            if numbers[0] >= len(node):
                raise reference.Refused
            node = node[numbers[0]]
        else:
            if not numbers[0] <= numbers[1] <= len(node):
                raise reference.Refused
            node = node[numbers[0] : numbers[1]]
    if projection == "value":
        return {"value": node}
    return {
        "meta": facts(node),
        "keys": {key: name(one) for key, one in node.items()} if isinstance(node, dict) else [],
    }


def name(value: Any) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return kinds[type(value)]


def facts(value: Any) -> Any:
    if isinstance(value, dict):
        return {"type": "object", "size": len(value)}
    return {"type": name(value), "length": len(value)} if isinstance(value, list | str) else {"type": name(value)}
