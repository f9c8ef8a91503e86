"""JSON values, patches and texts for property tests, with the odd ones in fair numbers."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from engine.values import Json

ODD_KEYS = (
    "",
    "0",
    "01",
    "1",
    "10",
    "2",
    "4294967294",
    "4294967295",
    "[0]",
    "[1]",
    "[01]",
    "a",
    "b",
    "a/b",
    "~",
    "é",
    "\ud7ff",
    "\ue000",
    "\uffee",
    "😀",
    "\ud800",
    "\udfff",
    "__proto__",
    "constructor",
    "line\nbreak",
    'quote"',
    "back\\slash",
)
"""Keys that sort, merge or print otherwise than plain ones."""

keys = st.sampled_from(ODD_KEYS) | st.text(max_size=3)
strings = (
    st.text(max_size=8)
    | st.sampled_from(ODD_KEYS)
    | st.text(alphabet='\\"\x00\x1f\x7f\u2028\ufeff\ud800 {}[],:', max_size=8)
)
integers = (
    st.integers(-20, 20)
    | st.integers(2**53 - 2, 2**53 + 2)
    | st.integers(-(2**70), 2**70)
    | st.sampled_from([10**21, 10**22, 653247040368672768, -(10**400)])
)
floats = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 1e-7, 1e-6, 1e15, 1e16, 1e20, 1e21, 1e22, 1.5e300, 5e-324, 123456789012345680000.0]
)
scalars: st.SearchStrategy[Json] = st.none() | st.booleans() | integers | floats | strings


def nested(leaves: st.SearchStrategy[Json], names: st.SearchStrategy[str] = keys) -> st.SearchStrategy[Json]:
    """Values made of these leaves under these keys."""
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12
    )


values = nested(scalars)
"""Any JSON value."""

objects: st.SearchStrategy[dict[str, Json]] = st.dictionaries(keys, values, max_size=5)

ordinary_values = nested(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=6), st.text(max_size=4)
)
"""Values that every JSON library reads and writes alike (strings may hold any character)."""

colliding_keys = st.sampled_from(["a", "b", "1", "[0]", "[1]", "__proto__", "toString"])
colliding_values = nested(st.none() | st.sampled_from([0, 1, 1.0, True, "x", ""]), colliding_keys)
states: st.SearchStrategy[dict[str, Json]] = st.dictionaries(colliding_keys, colliding_values, max_size=4)
patches: st.SearchStrategy[dict[str, Json]] = st.dictionaries(colliding_keys, colliding_values, max_size=4)
"""States and patches with few keys, so that they meet in the same places."""

tidy_states: st.SearchStrategy[dict[str, Json]] = st.dictionaries(
    st.sampled_from("abc"), nested(st.sampled_from([0, 1, 2.5, False, "x"]), st.sampled_from("abc")), max_size=3
)
"""States without null and without keys of the form `[N]`."""


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """JSON text in many layouts."""
    text = json.dumps(
        draw(values),
        ensure_ascii=True,
        indent=draw(st.sampled_from([None, 0, 2])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :")])),
    )
    return text.encode()


@st.composite
def broken_texts(draw: st.DrawFn) -> bytes:
    """JSON text with a few bytes changed: mostly no JSON any more, sometimes other JSON."""
    text = bytearray(draw(texts()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        piece = draw(
            st.sampled_from([b"", b",", b":", b'"', b"\\", b"{", b"}", b"[", b"]", b"0", b"1", b" ", b"e", b".", b"-"])
        )
        text[at : at + draw(st.integers(0, 2))] = piece
    return bytes(text)
