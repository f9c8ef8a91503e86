"""Random logs, and what their folds must say: worked out from the lines in one go, by other means than the engine's."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

ADDRESSES = (".", "--work-app--", "--work-app--/s\ud8001")
KEYS = ("a", "b", "a/b", "~", "", "[0]", "\ud800", "é")
HASHES = ("h1", "h2")

Log = list[tuple[int, bytes, "dict[str, Any] | None"]]
"""Each complete line: its offset, its bytes, and the event that it is, None for one that nobody understands."""

VALUES: st.SearchStrategy[Any] = (
    st.none() | st.integers(-3, 3) | st.just("x") | st.just([1, {"a": None}]) | st.just({}) | st.just(2**70)
)
PATCHES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from(KEYS), VALUES | inner, min_size=1, max_size=3),
    max_leaves=4,
)


@st.composite
def boundaries(draw: st.DrawFn) -> dict[str, Any]:
    return {"id": draw(st.sampled_from(("b1", "b2", "\ud800"))), "position": draw(st.integers(1, 3)), "parent": None}


@st.composite
def transitions(draw: st.DrawFn) -> dict[str, Any]:
    told: dict[str, Any] = {
        "revision": draw(st.integers(0, 3)),
        "boundary": draw(boundaries()),
        "hash": draw(st.sampled_from(HASHES)),
        "patch": draw(PATCHES),
    }
    if draw(st.booleans()):
        told["inverse"] = draw(PATCHES)
    if draw(st.booleans()):
        told["grew"] = draw(st.dictionaries(st.sampled_from(KEYS), st.integers(-9, 9), max_size=2))
    if draw(st.booleans()):
        told["session"] = draw(st.sampled_from(ADDRESSES))
    return told


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    head: dict[str, Any] = {"v": 1, "seen": draw(st.integers(0, 9)) / 2}
    place = {"scope": "cwd", "address": draw(st.sampled_from(ADDRESSES)), "written": draw(st.integers(0, 2**62))}
    kinds = ("transition", "transition", "baseline", "gap", "scope-gone", "made-here", "fault", "whole", "composed")
    kind = draw(st.sampled_from(kinds))
    head["event"] = kind
    if kind == "transition":
        return head | place | draw(transitions())
    if kind == "baseline":
        tail = draw(st.lists(transitions(), max_size=3))
        return head | place | {"revision": draw(st.integers(0, 3)), "boundary": draw(boundaries()), "tail": tail}
    if kind == "gap":
        reason = draw(st.sampled_from(("folded", "rewound", "diverged")))
        return (
            head
            | place
            | {"reason": reason, "first": 1, "last": draw(st.integers(0, 3)), "boundary": draw(boundaries())}
        )
    if kind == "scope-gone":
        return head | place | {"revision": draw(st.integers(0, 3))}
    if kind == "whole":
        return (
            head | place | {"revision": draw(st.integers(0, 3)), "boundary": draw(boundaries()), "value": draw(PATCHES)}
        )
    if kind == "composed":
        revisions = st.dictionaries(st.sampled_from(ADDRESSES), st.integers(0, 3), max_size=3)
        return head | {"address": draw(st.sampled_from(ADDRESSES)), "revisions": draw(revisions)}
    if kind == "made-here":
        change = st.fixed_dictionaries(
            {
                "scope": st.just("cwd"),
                "address": st.sampled_from(ADDRESSES),
                "revision": st.integers(0, 3),
                "hash": st.sampled_from(HASHES),
            }
        )
        return head | {"boundary": draw(boundaries()), "changes": draw(st.lists(change, max_size=2))}
    fault = {"place": ".", "code": "not-json", "file": None, "line": None, "column": None, "reason": "broken"}
    return head | fault


STRANGE = (
    b"not json",
    b"[]",
    b'{"v":99,"event":"transition"}',
    b'{"v":1,"event":"transition","seen":1}',
    b"\xff\xfe",
    b"",
)


@st.composite
def logs(draw: st.DrawFn, most: int = 9) -> Log:
    found: Log = []
    offset = 0
    for _ in range(draw(st.integers(0, most))):
        event = None if draw(st.integers(0, 7)) == 0 else draw(events())
        line = draw(st.sampled_from(STRANGE)) if event is None else json.dumps(event).encode()
        found.append((offset, line, event))
        offset += len(line) + 1
    return found


def whole(log: Log) -> bytes:
    return b"".join(line + b"\n" for _, line, _ in log)


def retained(log: Log) -> list[dict[str, Any]]:
    """Everything that happened to scopes, oldest first, one dict each; records of one transition included."""
    told: list[dict[str, Any]] = []
    for offset, line, event in log:
        if event is None or event["event"] not in {"transition", "baseline", "gap", "scope-gone"}:
            continue
        kind = {"scope-gone": "gone"}.get(event["event"], event["event"])
        head = {"offset": offset, "length": len(line), "address": event["address"]}
        told += [head | {"kind": "retained", "seen": None, **named(entry)} for entry in event.get("tail", ())]
        rest: dict[str, Any] = {"kind": kind, "seen": event["seen"]}
        if kind == "transition":
            rest |= named(event)
        elif kind == "gap":
            rest |= {"revision": event["last"], "boundary": bound(event), "reason": event["reason"]}
        else:
            rest |= {"revision": event["revision"], "boundary": bound(event) if kind == "baseline" else None}
        told.append(head | rest)
    return told


def bound(event: dict[str, Any]) -> tuple[Any, ...]:
    return (event["boundary"]["id"], event["boundary"]["position"], event["boundary"]["parent"])


def named(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "revision": entry["revision"],
        "boundary": bound(entry),
        "hash": entry["hash"],
        "patch": entry["patch"],
        "inverse": entry.get("inverse"),
    }


def who(one: dict[str, Any]) -> tuple[Any, ...] | None:
    """Which transition it is; None for what is none."""
    return (one["address"], one["revision"], one["boundary"], one["hash"]) if "hash" in one else None


def made_here(log: Log) -> set[tuple[Any, ...]]:
    return {
        (change["address"], change["revision"], bound(event), change["hash"])
        for _, _, event in log
        if event is not None and event["event"] == "made-here"
        for change in event["changes"]
    }


def timeline(log: Log, addresses: tuple[str, ...] | None) -> list[dict[str, Any]]:
    """What a page of the timeline must hold: newest first, each transition once, where it was first recorded."""
    ours = made_here(log)
    seen: set[tuple[Any, ...]] = set()
    told = []
    for one in retained(log):
        key = who(one)
        if key is not None:
            if key in seen:
                continue
            seen.add(key)
            known = {"retained": None, "transition": False}[one["kind"]]
            one["ours"] = True if key in ours else known
        if addresses is None or one["address"] in addresses:
            told.append(one)
    return told[::-1]


def blame(log: Log, address: str, path: tuple[str, ...]) -> tuple[dict[str, Any], str, bool] | None:
    """Which transition touched a place last, how, and whether revisions went by unseen since: newest first, by looking."""
    every = retained(log)
    unseen = False
    for number in range(len(every) - 1, -1, -1):
        one = every[number]
        if one["address"] != address:
            continue
        if one["kind"] == "gone" or (one["kind"] == "gap" and one["reason"] != "folded"):
            return None
        if one["kind"] == "gap":
            unseen = True
        if "patch" in one:
            how = meets(one["patch"], path)
            if how is not None:
                first = next(other for other in every if who(other) == who(one))
                return first, how, unseen
        # Nothing before the line of a baseline counts, but its own tail does.
        before = every[number - 1] if number else None
        in_baseline = one["kind"] in {"retained", "baseline"}
        if in_baseline and (before is None or before["offset"] != one["offset"]):
            return None
    return None


def meets(patch: Any, path: tuple[str, ...]) -> str | None:
    if not path:
        return "below"
    key, rest = path[0], path[1:]
    if key not in patch:
        return None
    value = patch[key]
    if isinstance(value, dict) and value:
        return meets(value, rest)
    return "above" if rest else "exact"
