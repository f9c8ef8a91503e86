"""The two encoders against a second version, and the one that remembers against the one that does not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.values import (
    Encoder,
    Json,
    canonical,
    canonical_bytes,
    encode,
    encoded_size,
    fast_paths,
    merge,
    pretty,
    sha256,
    use_fast_paths,
)
from engine.values import encoder as encoder_module
from tests.values import reference
from tests.values.strategies import floats, values


@given(values)
def test_as_a_second_version_has_it(value: Json) -> None:
    with use_fast_paths(True):
        fast = encode(value), canonical(value)
    with use_fast_paths(False):
        slow = encode(value), canonical(value)
    assert fast == slow
    assert fast[1] == reference.stored(value, rounded=True)
    huge = max((abs(item) for item in _integers(value)), default=0) >= 10**300
    if not huge:
        assert fast[0].decode() == reference.stored(value)


def _integers(value: Json) -> list[int]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    below: list[Json] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [number for item in below for number in _integers(item)]


@given(floats | st.floats(allow_nan=False, allow_infinity=False))
def test_doubles(value: float) -> None:
    assert canonical(value) == encode([value])[1:-1].decode() == reference._number(value)


@pytest.mark.parametrize(
    ("value", "store", "rounded"),
    [
        (653247040368672769, "653247040368672769", "653247040368672800"),
        (2**53 + 1, "9007199254740993", "9007199254740992"),
        (10**21, "1" + "0" * 21, "1e+21"),
        (10**400, "1" + "0" * 400, "1" + "0" * 400),
        (-(2**64), "-18446744073709551616", "-18446744073709552000"),
        (1e21, "1e+21", "1e+21"),
        (1e20, "100000000000000000000", "100000000000000000000"),
    ],
)
def test_wide_integers_are_kept_by_the_store_and_rounded_for_comparison(value: Json, store: str, rounded: str) -> None:
    assert encode({"n": value}).decode() == f'{{"n":{store}}}'
    assert canonical({"n": value}) == f'{{"n":{rounded}}}'


def test_what_is_no_json_is_refused() -> None:
    for value in (float("nan"), float("inf"), [float("-inf")]):
        with use_fast_paths(False), pytest.raises(InvalidRequest):
            encode(value)
    deep: Json = 1
    for _ in range(3000):
        deep = [deep]
    for function in (encode, canonical, pretty):
        with pytest.raises(InvalidRequest) as caught:
            function(deep)
        assert caught.value.code == "too-deep"


def test_split_surrogate_pairs_are_joined() -> None:
    assert canonical_bytes(["\ud83d" + "\ude00", "\ude00\ud83d"]) == '["😀","\\ude00\\ud83d"]'.encode()


def test_sizes_and_hashes() -> None:
    assert encoded_size({"é": [1.0]}) == len('{"é":[1]}'.encode())
    assert sha256({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@given(values, st.sampled_from([2, 4]))
def test_pretty_text_reads_back_in_the_order_of_the_value(value: Json, indent: int) -> None:
    with use_fast_paths(True):
        text = pretty(value, indent)
    with use_fast_paths(False):
        assert pretty(value, indent) == text
    text.encode()
    assert encode(json.loads(text, parse_int=int)) == encode(value)


def test_pretty_layout() -> None:
    value: Json = {"b": [1, {"x": 1.0}], "a": {}, "c": [], "n": 10**5000, "s": "\ud800é"}
    assert pretty(value) == (
        '{\n  "b": [\n    1,\n    {\n      "x": 1\n    }\n  ],\n  "a": {},\n  "c": [],\n'
        f'  "n": 1{"0" * 5000},\n  "s": "\\ud800é"\n}}'
    )


members = st.dictionaries(st.text(max_size=4), values, max_size=8)
edits = st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(["set", "add", "drop"]), values), max_size=8)


@given(members, edits, st.sampled_from([16, 64, 256]))
def test_remembering_never_changes_the_text(
    start: dict[str, Json], changes: list[tuple[int, str, Json]], chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder_module, "_CHUNK", chunk)
        patch.setattr(encoder_module, "_LARGE", 4 * chunk)
        encoder = Encoder()
        value: dict[str, Json] = {"lazy": start, "list": list(start.values()), "deep": {"er": start}}
        for number, (pick, what, new) in enumerate(changes):
            assert encoder.encode(value) == encode(value)
            names = list(start)
            if what == "add" or not names:
                start = {**start, f"new-{number}": new}
            elif what == "set":
                start = {**start, names[pick % len(names)]: new}
            else:
                start = {key: item for key, item in start.items() if key != names[pick % len(names)]}
            value = {**value, "lazy": start, "list": list(start.values())}
        assert encoder.encode(value) == encode(value)


def large(count: int) -> dict[str, Json]:
    return {"lazy": {f"doc-{index}": {"title": "t", "body": "text " * 100, "n": index} for index in range(count)}}


@pytest.mark.parametrize("kind", ["object", "array"])
def test_a_small_change_costs_a_small_dump(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = large(4000)
    if kind == "array":
        lazy = value["lazy"]
        assert isinstance(lazy, dict)
        value = {"lazy": {"rows": list(lazy.values())}}
    written = 0

    def counted(part: Json) -> bytes:
        nonlocal written
        text = encode(part)
        written += len(text)
        return text

    monkeypatch.setattr(encoder_module, "encode", counted)
    encoder = Encoder()
    encoder.encode_chunks(value)
    total, written = written, 0
    patch: Json = {"doc-77": {"n": -1}} if kind == "object" else {"rows": {"[77]": {"n": -1}}}
    after = merge(value, {"lazy": patch}).value
    assert b"".join(encoder.encode_chunks(after)) == encode(after)
    if fast_paths():
        assert written < total / 20
        written = 0
        encoder.encode_chunks(value)
        encoder.encode_chunks(after)
        assert written < 1000


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "_SPARE", 0)
    encoder = Encoder()
    for round_ in range(30):
        encoder.encode_chunks({"lazy": {f"doc-{i}": {"body": f"{round_} " * 300} for i in range(200)}})
    kept = sum(len(chunk) for known in (*encoder._young.values(), *encoder._old.values()) for chunk in known.chunks)
    assert kept < 20 * 200 * 300 * 3
