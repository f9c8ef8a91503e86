"""What a small change may look at, how deep values may be, and that no step takes in too much at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import process_time
from typing import Any, NoReturn

import pytest

from engine.errors import DecodeError
from engine.values import (
    MAX_DEPTH,
    Encoder,
    Json,
    canonical,
    changes,
    decode,
    encode,
    get,
    merge,
    net_patch,
    pretty,
    prune,
    prune_along,
    same,
    use_fast_paths,
)
from engine.values import outside as outside_module
from engine.values import slices as slices_module
from engine.values.proof import Proved
from engine.values.slices import ParseSlice, parse_slices

_seen: set[int] = set()


def _refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a shared value was changed")


class CountedObject(dict[str, Json]):
    """Notes that its members were enumerated; cannot be changed."""

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse

    def __iter__(self) -> Iterator[str]:
        _seen.add(id(self))
        return super().__iter__()

    def items(self) -> Any:
        _seen.add(id(self))
        return super().items()

    def values(self) -> Any:
        _seen.add(id(self))
        return super().values()

    def __getitem__(self, key: str) -> Json:
        _seen.add(id(self))
        return super().__getitem__(key)


class CountedArray(list[Json]):
    """The same for an array."""

    __setitem__ = __delitem__ = append = extend = insert = pop = remove = clear = sort = _refuse

    def __iter__(self) -> Iterator[Json]:
        _seen.add(id(self))
        return super().__iter__()

    def __getitem__(self, index: Any) -> Any:
        _seen.add(id(self))
        return super().__getitem__(index)


def counted(value: Json) -> Json:
    if isinstance(value, dict):
        return CountedObject({key: counted(item) for key, item in value.items()})
    if isinstance(value, list):
        return CountedArray([counted(item) for item in value])
    return value


@pytest.fixture
def store() -> CountedObject:
    documents: dict[str, Json] = {
        f"doc-{index}": {"title": "t", "body": "text", "tags": ["a", {"b": ["c"]}]} for index in range(2000)
    }
    value = counted({"intents": {"a": {"b": "c"}}, "lazy": documents})
    assert isinstance(value, CountedObject)
    _seen.clear()
    return value


@pytest.mark.parametrize(
    "patch",
    [
        {"lazy": {"doc-7": {"title": "new"}}},
        {"lazy": {"doc-7": None, "doc-8": {"tags": {"[1]": {"b": ["d"]}}}}},
        {"lazy": {"new": {"deep": {"er": {}}}}},
        {"lazy": {"doc-7": {"title": "t"}}},
        {"lazy": {}},
        {"lazy": {"absent": {"x": None}}},
    ],
)
def test_a_small_patch_visits_few_nodes(store: CountedObject, patch: dict[str, Json]) -> None:
    found = merge(store, patch)
    after = prune_along(found.value, found.touched)
    assert isinstance(after, dict)
    net = net_patch(store, after, touched=found.touched)
    net_patch(store, after)
    changes(store, after)
    same(store, after)
    assert len(_seen) <= 20
    assert same(merge(store, net).value, after)


def deep(levels: int) -> dict[str, Json]:
    value: Json = {"x": 1}
    for _ in range(levels - 1):
        value = {"a": value}
    assert isinstance(value, dict)
    return value


def test_nothing_runs_out_of_stack_at_the_depth_that_is_read() -> None:
    value, other = deep(MAX_DEPTH), deep(MAX_DEPTH)
    path = ("a",) * (MAX_DEPTH - 1)
    patch: Json = {"x": 2}
    for key in path:
        patch = {key: patch}
    assert isinstance(patch, dict)
    for fast in (True, False):
        with use_fast_paths(fast):
            text = encode(value)
            assert same(decode(text).value, value)
            assert same(decode(text, slice_bytes=10).value, value)
            assert canonical(value).encode() == text == Encoder().encode(value)
            assert decode(pretty(value).encode()).value == value
    after = merge(value, patch).value
    assert get(after, (*path, "x")) == 2
    assert same(net_patch(value, after), patch)
    assert [change.path for change in changes(value, after)] == [(*path, "x")]
    assert prune(other) is other
    emptied = merge(value, net_patch(value, {"b": 1})).value
    assert emptied == {"b": 1}


@pytest.mark.parametrize("shape", ["documents", "numbers", "one-array", "nested"])
def test_slices_are_of_the_size_that_was_asked_for(shape: str) -> None:
    shapes: dict[str, Json] = {
        "documents": {"lazy": {f"doc-{index}": {"body": 'line "one"\n' * 20, "t": ["a,b", "[{"]} for index in range(400)}},
        "numbers": {f"k{index}": index for index in range(9000)},
        "one-array": [[index, -index] for index in range(9000)],
        "nested": [{"a": {"b": {"c": ["d", {"e": f"{index},\\"}]}}} for index in range(2000)],
    }  # fmt: skip
    value = shapes[shape]
    text = encode(value)
    sizes: list[int] = []

    def parse(piece: bytes) -> Proved | None:
        sizes.append(len(piece))
        return Proved(decode(piece).value, wide=False, compact=True)

    found = parse_slices(text, 10_000, MAX_DEPTH, parse)
    assert found is not None
    assert found.value == value
    assert max(sizes) < 10_200
    assert len(sizes) == pytest.approx(len(text) / 10_000, rel=0.1, abs=2)


def test_a_large_document_is_cut_when_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["engine.values.decode"]  # its name in the package means the function
    calls: list[int] = []

    def counting(data: bytes, slice_bytes: int, max_depth: int, parse: ParseSlice) -> Proved | None:
        calls.append(slice_bytes)
        return slices_module.parse_slices(data, slice_bytes, max_depth, parse)

    monkeypatch.setattr(module, "parse_slices", counting)
    value = {f"doc-{index}": "text " * 100 for index in range(1000)}
    with use_fast_paths(True):
        assert decode(encode(value), slice_bytes=1 << 16).value == value
        assert calls == [1 << 16]


_LEVELS = 200_000
_AROUND = (b'{"a":[1,2,3],"b":"cc,[\\"{"},' * 20_000, b',{"a":[1,2,3],"b":"cc,["}' * 20_000)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("slice_bytes", [None, 1 << 16])
@pytest.mark.parametrize(
    ("text", "column"),
    [
        (b"[" * _LEVELS + b"]" * _LEVELS, 201),
        (b"[" * _LEVELS, 201),
        (b'{"a":' * _LEVELS + b"1" + b"}" * _LEVELS, 1001),
        (b'{"a":' * _LEVELS, 1001),
        (b'{"a":1,"k":' * _LEVELS + b"1" + b"}" * _LEVELS, 2201),
        (b'["x",' * _LEVELS + b"1" + b"]" * _LEVELS, 1001),
        (b'[{"a":[' * _LEVELS, 469),
        (b'[{"a,":' * _LEVELS + b"1" + b"}]" * _LEVELS, 701),
        (b"[" + _AROUND[0] + b"[" * _LEVELS + b"]" * _LEVELS + _AROUND[1] + b"]", len(_AROUND[0]) + 201),
    ],
    ids=range(9),
)
def test_hostile_depth_is_refused_at_once(text: bytes, column: int, slice_bytes: int | None, fast: bool) -> None:
    began = process_time()
    with use_fast_paths(fast), pytest.raises(DecodeError) as caught:
        decode(text, slice_bytes=slice_bytes)
    assert (caught.value.code, caught.value.line, caught.value.column) == ("too-deep", 1, column)
    assert process_time() - began < 3  # it was minutes, and grew with the square


def test_a_bracket_for_each_byte_costs_no_more_than_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    rounds = outside_module.thinned

    def counting(found: bytes) -> bytes:
        left = rounds(found)
        looked_at.append(len(left))
        return left

    monkeypatch.setattr(slices_module, "thinned", counting)
    text = b"[" + (b"[" * 100 + b"]" * 100 + b",") * 3000 + b"1]"
    with use_fast_paths(True):
        assert decode(text, slice_bytes=1 << 16).value == decode(text).value
    assert sum(looked_at) <= 3 * len(text)
