"""Pointers, dotted paths, sets of paths and the two orders of keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.values import (
    Json,
    dotted,
    enumeration_order,
    get,
    has,
    is_addressable,
    is_index,
    join_tries,
    parse_pointer,
    pointer,
    slot,
    trie,
    trie_paths,
    utf16_order,
)
from tests.values import reference
from tests.values.strategies import keys, strings, values

paths = st.lists(st.sampled_from(["a", "b", "c", 0, 1]), max_size=3).map(tuple)


@given(st.lists(strings))
def test_a_pointer_reads_back(path: list[str]) -> None:
    assert parse_pointer(pointer(path)) == tuple(path)


@pytest.mark.parametrize("text", ["a", "/~", "/~2", "/a~"])
def test_what_is_no_pointer_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_pointer(text)
    assert caught.value.code == "bad-pointer"


@pytest.mark.parametrize("key", ["a", "_", "$", "a-1", "Zz_9"])
def test_addressable(key: str) -> None:
    assert is_addressable(key)


@pytest.mark.parametrize("key", ["", "1a", "-a", "a b", "é", "a\n", "a.b", "[0]"])
def test_not_addressable(key: str) -> None:
    assert not is_addressable(key)


@pytest.mark.parametrize(
    ("root", "path", "text"),
    [
        ("cwd", ("lazy", "memory", 4), "cwd.lazy.memory[4]"),
        ("", ("lazy", "a b", "c"), 'lazy["a b"].c'),
        ("cwd", (), "cwd"),
        ("", ('q"\n\ud800',), '["q\\"\\n\\ud800"]'),
    ],
)
def test_dotted(root: str, path: tuple[str | int, ...], text: str) -> None:
    assert dotted(root, path) == text


@pytest.mark.parametrize(("key", "number"), [("[0]", 0), ("[17]", 17), ("[" + "9" * 5000 + "]", 10**18)])
def test_slots(key: str, number: int) -> None:
    assert slot(key) == number


@pytest.mark.parametrize("key", ["0", "[]", "[00]", "[01]", "[-1]", "[+1]", "[1.0]", "[ 1]", "[1]\n", "[١]", "a[1]"])
def test_no_slots(key: str) -> None:
    assert slot(key) is None


@given(st.lists(keys, unique=True))
def test_canonical_order(names: list[str]) -> None:
    assert utf16_order(names) == sorted(names, key=reference._order)


@given(st.lists(keys, unique=True))
def test_javascript_order(names: list[str]) -> None:
    assert enumeration_order(names) == reference.js_keys(names)


@pytest.mark.parametrize(
    ("key", "yes"), [("0", True), ("4294967294", True), ("4294967295", False), ("00", False), ("", False), ("²", False)]
)
def test_indexes(key: str, yes: bool) -> None:
    assert is_index(key) is yes


@given(values)
def test_every_place_of_a_value_is_found(value: Json) -> None:
    stack: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    while stack:
        path, node = stack.pop()
        assert get(value, path) is node
        assert has(value, path)
        if isinstance(node, dict):
            stack.extend(((*path, key), item) for key, item in node.items())
        elif isinstance(node, list):
            stack.extend(((*path, index), item) for index, item in enumerate(node))


@pytest.mark.parametrize("path", [("x",), ("a", 2), ("a", -1), ("a", "0"), ("s", 0), ("o", 0), ("n", "x")])
def test_what_is_not_there(path: tuple[str | int, ...]) -> None:
    value: Json = {"a": [1, 2], "s": "text", "o": {"0": 1}, "n": None}
    assert not has(value, path)
    assert get(value, path, "default") == "default"
    with pytest.raises(LookupError):
        get(value, path)


@given(st.lists(paths), paths)
def test_a_set_of_paths_holds_what_lies_below_its_ends(
    members: list[tuple[str | int, ...]], path: tuple[str | int, ...]
) -> None:
    ends = trie_paths(trie(members))
    assert any(path[: len(end)] == end for end in ends) == any(path[: len(end)] == end for end in members)


@given(st.lists(paths), st.lists(paths))
def test_the_union_of_sets_of_paths(a: list[tuple[str | int, ...]], b: list[tuple[str | int, ...]]) -> None:
    assert join_tries(trie(a), trie(b)) == trie([*a, *b])
