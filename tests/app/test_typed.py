"""Values as text to edit, and back: exactly the value, and nothing in the text that a terminal obeys."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.values import same
from sftui.display import is_clean
from sftui.views.typed import LINE_CHARACTERS, WINDOW_CHARACTERS, as_text, blame, guess, read

ANY_TEXT = st.text(st.characters(), max_size=40) | st.sampled_from(
    ["\ud800", "a\nb", "a\r\nb", "\x1b]52;c;x\x07", "\u202e"]
)
VALUES: Any = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_comes_back_from_its_text_as_it_was(value: Any) -> None:
    text = as_text(value)
    assert same(read(text.text, plain=text.plain), value)


@given(VALUES)
def test_nothing_in_the_text_is_obeyed_or_hidden(value: Any) -> None:
    assert all(is_clean(line.replace("\t", " ")) for line in as_text(value).text.split("\n"))


def test_a_number_of_four_hundred_digits_survives() -> None:
    assert read(as_text(10**399 + 7).text, plain=False) == 10**399 + 7
    assert read("653247040368672768", plain=False) == 653247040368672768


@pytest.mark.parametrize(
    ("value", "plain", "place"),
    [
        ("short", True, "line"),
        (True, False, "line"),
        ("two\nlines", True, "window"),
        ("x" * (LINE_CHARACTERS + 1), True, "window"),
        ("x" * (WINDOW_CHARACTERS + 1), True, "outside"),
        (["a"], False, "window"),
        ({"text": "x" * WINDOW_CHARACTERS}, False, "outside"),
        ("esc \x1b", False, "line"),
    ],
)
def test_a_value_is_edited_where_there_is_room_for_it(value: Any, plain: bool, place: str) -> None:
    text = as_text(value)
    assert (text.plain, text.place) == (plain, place)
    assert text.suffix == (".txt" if plain else ".json")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("12 of 13", "12 of 13"),
        ("1.2.3", "1.2.3"),
        ("2026-11-01", "2026-11-01"),
        ("01", "01"),
        ("true", True),
        ("truely", "truely"),
        ('"true"', "true"),
        ("[1, 2]", [1, 2]),
        ('{"a": "b"}', {"a": "b"}),
        ("plain words", "plain words"),
    ],
)
def test_what_looks_like_json_is_json_and_the_rest_is_text(text: str, value: Any) -> None:
    assert same(guess(text), value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NaN", "line 1, column 1"),
        ("-Infinity", "line 1, column 1"),
        ("1e999", "line 1, column 1"),
        ('{"a": 1,\n "b": 1e999}', "line 2, column 7"),
        ('{"a": NaN}', "line 1, column 7"),
        ("[1, 2", "line 1, column 6"),
        ("null", "null cannot be stored"),
        ('{"a": [1, null]}', "null at a[1] cannot be stored"),
    ],
)
def test_what_no_memory_can_hold_is_refused_at_its_place(text: str, told: str) -> None:
    with pytest.raises(EngineError) as refusal:
        guess(text)
    assert told in blame(refusal.value)
