"""Random changes one after another, against a plain model: what is on disk, what comes back, what history keeps."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.memory.scope import SCOPES, Scope
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from engine.values import fast_paths, set_fast_paths
from tests.standin import disk
from tests.store.building import CWD, SESSION, Home, build, dump, merged

KEYS = st.sampled_from(["a", "b", "10", "9", "é", "\U0001f600", "__proto__", "[0]x"])
ITEMS = st.one_of(st.integers(0, 3), st.sampled_from([1.0, -0.0, 1e2, 0.5]), st.just({"z": 1, "b": 2.0, "10": 3}))
LEAVES = st.one_of(st.integers(-5, 5), st.floats(-2, 2), st.text(max_size=3), st.lists(ITEMS, max_size=2))
CHANGES = st.dictionaries(
    KEYS, st.recursive(st.one_of(LEAVES, st.none()), lambda below: st.dictionaries(KEYS, below, max_size=2), max_leaves=4),
    min_size=1, max_size=3,
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A patch of some scopes; who writes it knows the last state, an older one, or nothing."""

    patch: dict[str, Any]
    limit: int
    warm: bool
    fast: bool


@dataclass
class Model:
    """Memory as values, folded by the simplest means; revisions counted."""

    values: dict[str, Any] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)


STEPS = st.lists(
    st.builds(
        Step,
        patch=st.dictionaries(st.sampled_from(SCOPES), st.dictionaries(st.sampled_from(["tactics", "lazy"]), CHANGES, min_size=1),
                              min_size=1),
        limit=st.sampled_from([0, 1, 3, 7]),
        warm=st.booleans(),
        fast=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)  # fmt: skip


def pruned(value: Any) -> Any:
    """Without object members that are, or become, empty objects."""
    if not isinstance(value, dict):
        return value
    kept = {key: pruned(member) for key, member in value.items()}
    return {key: member for key, member in kept.items() if member != {}}


def applied(before: Any, patch: Any) -> Any:
    """A patch of objects: a deletion below what is not there makes nothing."""
    result = dict(before) if isinstance(before, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        elif isinstance(change, dict):
            result[key] = applied(result.get(key), change)
        else:
            result[key] = change
    return result


@contextmanager
def a_store() -> Iterator[Home]:
    folder = Path(tempfile.mkdtemp(prefix="model-"))
    try:
        yield build(folder / "store")
    finally:
        shutil.rmtree(folder)


@settings(max_examples=60)
@given(STEPS)
def test_a_sequence_of_changes(steps: list[Step]) -> None:
    """Whatever is held in memory also equals what somebody who reads the files for the first time has."""
    with a_store() as home:
        address = locate(str(home.root), CWD, SESSION)
        model = Model({scope: home.value(scope) for scope in SCOPES}, dict.fromkeys(SCOPES, 2))
        warm: Snapshot | None = None
        reader: Snapshot | None = None
        was_fast = fast_paths()
        for step in steps:
            set_fast_paths(step.fast and was_fast)
            (home.root / "config.json").write_bytes(dump({"historyLimit": step.limit}))
            done = publish(address, step.patch, wanted=SCOPES, previous=warm if step.warm else None)
            for scope in step.patch:
                value = pruned(applied(model.values[scope], step.patch[scope]))
                if value != model.values[scope]:
                    model.values[scope] = value
                    model.revisions[scope] += 1
                    assert scope in done.changed
                else:
                    assert scope not in done.changed
            warm = done.snapshot
            reader = snapshot(address, reader)
            set_fast_paths(was_fast)
            check(home, model, warm, changed=done.changed, limit=step.limit)
            cold = told(snapshot(address))
            assert told(warm) == cold
            assert told(reader) == cold


def told(seen: Snapshot) -> str:
    """Everything that a snapshot says of memory, down to the order of members and the spelling of numbers."""
    scopes = {
        scope: [
            stream.states,
            [(transition.boundary, transition.patch) for transition in stream.tail],
            stream.revision,
            stream.through,
            meta.artifacts,
        ]
        for scope, reading in seen.scopes.items()
        if (stream := reading.stream) is not None and (meta := reading.meta) is not None
    }
    assert seen.cohort is not None
    together = [[stream.states, stream.revision] for stream in seen.cohort.streams.values()]
    return json.dumps([scopes, together, seen.cohort.lineage], ensure_ascii=False)


def check(home: Home, model: Model, seen: Snapshot, *, changed: tuple[Scope, ...], limit: int) -> None:
    found = snapshot(seen.address)
    assert found.verdict == seen.verdict == "ok"
    for scope in SCOPES:
        place = home.folder(scope)
        read = disk.read_scope(str(place), scope, CWD)
        assert read is not None
        assert read.now == model.values[scope]
        assert read.revision == model.revisions[scope]
        if scope in changed:
            assert len(read.records) <= limit
        for reading in (seen.scopes[scope], found.scopes[scope]):
            assert reading.stream is not None
            assert reading.stream.current == model.values[scope]
            assert [state for state in reading.stream.states] == read.states  # noqa: C416
            assert reading.stream.revision == model.revisions[scope]
        assert folded_by_hand(place) == model.values[scope]
    disk.read_cohort(str(home.root), CWD, SESSION)
    assert not [path for path in home.root.rglob(".*")]  # noqa: C416


def folded_by_hand(place: Path) -> Any:
    value = json.loads((place / "checkpoint.json").read_bytes())
    for line in (place / "patches.jsonl").read_bytes().split(b"\n")[:-1]:
        value = merged(value, json.loads(line))
    return value
