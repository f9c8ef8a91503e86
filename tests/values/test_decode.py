"""Strict decoding: what is refused and where, what is noted, and the fast way against the slow one."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import DecodeError, InvalidRequest
from engine.values import (
    MAX_DEPTH,
    MAX_DIGITS,
    Decoded,
    Encoder,
    Json,
    Note,
    canonical,
    decode,
    decode_lines,
    dotted,
    encode,
    pretty,
    same,
    use_fast_paths,
)
from tests.values.strategies import broken_texts, ordinary_values, texts, values


def outcome(data: bytes, slice_bytes: int | None = None) -> Decoded | tuple[str, int | None, int | None, str]:
    try:
        return decode(data, slice_bytes=slice_bytes)
    except DecodeError as error:
        return error.code, error.line, error.column, error.message


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "not-json", 1, 1),
        (b" \n", "not-json", 1, 1),
        (b'{"a":1,}', "not-json", 1, 8),
        (b'{"a":1,\n }', "not-json", 2, 2),
        (b"[1,]", "not-json", 1, 4),
        (b"[1,,2]", "not-json", 1, 4),
        (b"[,1]", "not-json", 1, 2),
        (b'{"a",1}', "not-json", 1, 5),
        (b'{"a":1}\n{"b":2}', "not-json", 2, 1),
        (b"{\n  'a': 1}", "not-json", 2, 3),
        (b'"open', "not-json", 1, 1),
        (b"[1,\n2,\n03]", "not-json", 3, 2),
        (b"\xef\xbb\xbf{}", "byte-order-mark", 1, 1),
        (b"\xff\xfe{\0}\0", "byte-order-mark", 1, 1),
        (b"\0\0\0\0", "nul-bytes", 1, 1),
        (b'{"a":\n"\0"}', "nul-bytes", 2, 2),
        (b'{"a":\n "b\x01"}', "control-character", 2, 4),
        (b'["line\nbreak"]', "control-character", 1, 7),
        (b'["\ttab"]', "control-character", 1, 3),
        (b'{"NaN":\nNaN}', "number-range", 2, 1),
        (b"[1, Infinity]", "number-range", 1, 5),
        (b"-Infinity", "number-range", 1, 1),
        (b'["1e999",1e999]', "number-range", 1, 10),
        (b"-1e400", "number-range", 1, 1),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too-deep", 1, MAX_DEPTH + 1),
        (b'{"a":' * 3000 + b"1" + b"}" * 3000, "too-deep", 1, 5 * MAX_DEPTH + 1),
        (b"[" * 3_000_000, "too-deep", 1, MAX_DEPTH + 1),
    ],
    ids=lambda item: None if not isinstance(item, bytes) or len(item) < 40 else f"{item[:5]!r}-{len(item)}",
)
@pytest.mark.parametrize("fast", [True, False], ids=["fast", "slow"])
def test_refused_with_its_place(data: bytes, code: str, line: int, column: int, fast: bool) -> None:
    with use_fast_paths(fast), pytest.raises(DecodeError) as caught:
        decode(data)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


def test_a_reader_may_allow_less_depth() -> None:
    assert decode(b"[[1]]", max_depth=2).value == [[1]]
    with pytest.raises(DecodeError):
        decode(b"[[[1]]]", max_depth=2)
    assert decode(b"[" * 300 + b"]" * 300, max_depth=300).exact


@pytest.mark.parametrize(
    ("data", "value", "notes"),
    [
        (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}, [("duplicate-key", 1, 14)]),
        (b'{"x":\n{"\\u0061":1,"a":2}}', {"x": {"a": 2}}, [("duplicate-key", 2, 13)]),
        (b'{"a":\xff"}'.replace(b"\xff", b'"\xff\xfe'), {"a": "\ufffd\ufffd"}, [("replacement-characters", 1, 7)]),
        (b"653247040368672768", 653247040368672768, [("big-integer", 1, 1)]),
        (b"[9007199254740994]", [2**53 + 2], []),
        (b"[1,653247040368672769]", [1, 653247040368672769], [("big-integer", 1, 4)]),
        (
            '["é,9007199254740993,",9007199254740993]'.encode(),
            ["é,9007199254740993,", 2**53 + 1],
            [("big-integer", 1, 24)],
        ),
        (b'{"a" :\n -9007199254740993}', {"a": -(2**53) - 1}, [("big-integer", 2, 2)]),
        (b'["\\ud800","\\ud83d\\ude00"]', ["\ud800", "\U0001f600"], []),
        (b"9007199254740992", 2**53, []),
        (b"[1e5,-0,-0.0,0.1]", [100000.0, 0, -0.0, 0.1], []),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_read_with_notes(data: bytes, value: Json, notes: list[tuple[str, int, int]], fast: bool) -> None:
    with use_fast_paths(fast):
        found = decode(data)
    assert same(found.value, value)
    assert [(note.code, note.line, note.column) for note in found.notes] == notes
    assert found.exact is (not notes)


@pytest.mark.parametrize("digits", [400, 5_000, MAX_DIGITS])
@pytest.mark.parametrize("sign", ["", "-"])
def test_long_integers_stay_exact(digits: int, sign: str) -> None:
    text = f"{sign}{'1234567890' * (digits // 10)}"
    limit = sys.get_int_max_str_digits()
    found = decode(f'{{"n":{text}}}'.encode())
    assert encode(found.value) == f'{{"n":{text}}}'.encode()
    assert [(note.code, note.column) for note in found.notes] == [("big-integer", 6)]
    assert sys.get_int_max_str_digits() == limit
    assert pretty(found.value) == f'{{\n  "n": {text}\n}}'
    assert dotted("cwd", ("n",)) == "cwd.n"


@pytest.mark.parametrize("digits", [MAX_DIGITS + 1, 1_000_000])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("padding", [0, 200_000])
@pytest.mark.parametrize("fast", [True, False])
def test_longer_integers_are_refused_at_their_place(digits: int, sign: str, padding: int, fast: bool) -> None:
    data = b'{"a":[' + b"1," * padding + b'"x"],\n "n":' + sign.encode() + b"9" * digits + b',"m":1}'
    for slice_bytes in (None, 1 << 16):
        with use_fast_paths(fast), pytest.raises(DecodeError) as caught:
            decode(data, slice_bytes=slice_bytes)
        assert (caught.value.code, caught.value.line, caught.value.column) == ("number-range", 2, 6)
        assert caught.value.message.endswith(f"has {digits:,} digits, more than the {MAX_DIGITS:,} that are kept")
        assert len(caught.value.message) < 150


@pytest.mark.parametrize("fast", [True, False])
def test_an_integer_that_could_not_be_read_again_is_not_written(fast: bool) -> None:
    longest: int = 10**MAX_DIGITS - 1
    with use_fast_paths(fast):
        assert encode([longest, -longest]) == b"[%s,-%s]" % (b"9" * MAX_DIGITS, b"9" * MAX_DIGITS)
        for value in (longest + 1, -longest - 1, 1 << 4_000_000):
            for write in (encode, canonical, Encoder().encode):
                with pytest.raises(InvalidRequest) as caught:
                    write({"n": value})
                assert caught.value.code == "number-range"


def test_many_notes_on_many_lines_have_their_places() -> None:
    data = b"[" + b",\n ".join([b"653247040368672769"] * 3) + b', {"a":1,\n"a":2}, 653247040368672769]'
    for fast in (True, False):
        with use_fast_paths(fast):
            found = [(note.code, note.line, note.column) for note in decode(data, slice_bytes=8).notes]
        wide = "big-integer"
        assert found == [(wide, 1, 2), (wide, 2, 2), (wide, 3, 2), ("duplicate-key", 4, 1), (wide, 4, 9)]


def test_the_searched_facts() -> None:
    assert not decode(b'{"a":1}').has_null
    assert decode(b'{"a":null}').has_null
    assert decode(b'{"a":"null"}').has_null
    assert not decode(b'{"a":[]}').has_empty_object
    for text in (b'{"a":{}}', b'{"a":{ }}', b'{"a":{\n\n}}', b"{}"):
        assert decode(text).has_empty_object


def test_lines() -> None:
    data = '{"a":"\u2028\u0085"}\r\n\n \t\r\n[1]\n{"b":1,"b":2}'.encode()
    lines = decode_lines(data)
    assert [(line.number, line.decoded.value) for line in lines] == [(1, {"a": "\u2028\x85"}), (4, [1]), (5, {"b": 2})]
    assert lines[0].raw == '{"a":"\u2028\u0085"}'.encode()
    assert [note.line for note in lines[2].decoded.notes] == [5]
    assert decode_lines(b"") == decode_lines(b"\n\r\n") == ()
    with pytest.raises(DecodeError) as caught:
        decode_lines(b"{}\n\n{]\n")
    assert (caught.value.line, caught.value.column) == (3, 2)


@given(ordinary_values, st.sampled_from([None, 1]), st.booleans())
def test_on_ordinary_data_as_the_library(value: Json, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    found = decode(text)
    assert found.value == json.loads(text)
    assert found.exact


@given(texts() | broken_texts() | values.map(encode), st.integers(1, 40))
@example(b"[ ,1]", 1)
@example(b"[1, ]", 1)
@example(b'{,"a":1}', 1)
@example(b'{"a":1 ,}', 1)
@example(b'{"a":[1,2],"b":{"c":[3,{"d":4}],"\\u0000":5},"":6}', 3)
@example(b'{"a":"\\\\",\n"b":"\\"","c":[",","]"]}', 2)
@example(b'[9007199254740993, {"a":9007199254740993}]', 2)
@example(b'{"a":1,"b":2,"a":3}', 1)
@example(b'{"a":1},{"b":2}', 1)
@example(b'["a,b","c]"', 2)
@example(b'[1,"2\\', 1)
def test_every_way_gives_the_same_answer(data: bytes, slice_bytes: int) -> None:
    with use_fast_paths(False):
        slow = outcome(data)
    for found in (outcome(data), outcome(data, slice_bytes)):
        assert found == slow
        if isinstance(found, Decoded) and isinstance(slow, Decoded):
            assert repr(found.value) == repr(slow.value)


@given(st.lists(values, min_size=1, max_size=30))
def test_lone_surrogates_and_all_else_survive_a_round_trip(items: list[Json]) -> None:
    found = decode(encode(items))
    assert same(found.value, items)
    assert encode(found.value) == encode(items)


def test_large_documents_with_one_odd_member_take_the_fast_way_too(monkeypatch: pytest.MonkeyPatch) -> None:
    members: dict[str, Json] = {f"key-{index}": {"text": "x" * 200, "n": index} for index in range(4000)}
    text = encode(members)[:-1] + b',"odd":0.00001,"wide":9007199254740993}'
    parsed = 0

    def counted(data: bytes, *arguments: int) -> tuple[Json, tuple[Note, ...]]:
        nonlocal parsed
        parsed += len(data)
        return parse(data, *arguments)

    from engine.values import proof
    from engine.values.strict import parse

    monkeypatch.setattr(proof, "parse", counted)
    found = decode(text)
    assert parsed < len(text) / 4
    assert found.value == {**members, "odd": 0.00001, "wide": 2**53 + 1}
    assert [note.code for note in found.notes] == ["big-integer"]


def test_an_integer_beyond_all_doubles_is_kept_with_a_sharper_note() -> None:
    largest = int(float.fromhex("0x1.fffffffffffffp+1023"))
    for value, said in ((largest + 1, "round it"), (10**309, "infinite"), (-(10**400), "infinite")):
        found = decode(b'{"n":%d}' % value)
        assert found.value == {"n": value}
        assert [note.code for note in found.notes] == ["big-integer"]
        assert said in found.notes[0].detail
