"""A text is found in the bytes of JSON however they spell it, wherever they are cut; a reference decodes everything."""

from __future__ import annotations

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from engine.values.needle import LONGEST, Needle, Sieve, needle, unescaped

# Letters whose small forms are odd, escapes, what JSON must escape, surrogates, what escapes are made of.
ALPHABET = 'aAkKiIsS\u212a\u0130\u0307éÉåÅ\u212bσςΣßẞ"\\\n/\x1b\U00010400\U00010428\ud800\U0001f600 xu0'
TEXTS = st.text(ALPHABET, max_size=12)


def joined(text: str) -> str:
    """Two halves of a pair beside each other are one character, as they are once they have been JSON."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def spelled(text: str, chance: random.Random) -> str:
    """A JSON string, each character in one of the ways that JSON has for it."""
    parts = []
    for letter in text:
        units = letter.encode("utf-16-le", "surrogatepass")
        escape = "".join(f"\\u{int.from_bytes(units[at : at + 2], 'little'):04x}" for at in range(0, len(units), 2))
        if chance.random() < 0.5:
            escape = escape.upper().replace("\\U", "\\u")
        short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "/": chance.choice(["/", "\\/"])}.get(letter)
        must = "\ud800" <= letter <= "\udfff" or (letter < " " and short is None)
        parts.append(escape if must or chance.random() < 0.2 else short or letter)
    return f'"{"".join(parts)}"'


def pieces(data: bytes, chance: random.Random) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        size = chance.choice([1, 2, 3, 7, 1_000])
        found.append(data[at : at + size])
        at += size
    return found


@given(
    st.text(ALPHABET, min_size=1, max_size=4),
    st.lists(st.lists(TEXTS, max_size=3), max_size=4),
    st.booleans(),
    st.randoms(),
)
def test_no_line_that_holds_a_text_is_missed(
    text: str, lines: list[list[str]], case: bool, chance: random.Random
) -> None:
    sought = needle(joined(text), case=case)
    data = b"\n".join(f"[{','.join(spelled(one, chance) for one in line)}]".encode() for line in lines)
    decoded = [json.loads(line) for line in data.split(b"\n") if line]
    assert decoded == [[joined(one) for one in line] for line in lines]
    parts = pieces(data, chance)
    sieve, numbering = Sieve(sought), Sieve(sought)
    offsets = [offset for part in parts for offset in sieve.push(part)]
    told = [data.count(b"\n", 0, offset) for offset in offsets]
    assert told == sorted(set(told)), "one place a line, in their order"
    assert [line - 1 for part in parts for line in numbering.lines(part)] == told
    for number, line in enumerate(decoded):
        if any(sought.matches(one) for one in line):
            assert number in told
        for one in line:
            assert (sought.within(one) is not None) == sought.matches(one)


@given(st.text("aAiI\u0130\u0307éÉkK", min_size=1, max_size=3), st.text("aAiI\u0130\u0307éÉkK\u212a ", max_size=10))
def test_where_a_match_stands(text: str, string: str) -> None:
    sought = needle(text)
    found = sought.within(string)
    assert sought.matches(string) == (sought.text in (string.lower() if sought.any_case else string))
    if found is not None:
        begin, end = found
        part = string[begin:end]
        assert sought.text in (part.lower() if sought.any_case else part)
        assert not sought.matches(string[: end - 1]), "and no earlier one ends before it"


def test_small_letters_find_capitals_unless_case_counts() -> None:
    assert needle("release").any_case
    assert not needle("Release").any_case
    assert not needle("release", case=True).any_case
    assert needle("straße").matches("STRAẞE 4")


def test_a_long_text_is_looked_for_by_its_beginning() -> None:
    sieve = Sieve(Needle("x" * (3 * LONGEST)))
    assert sieve.push(b'{"a":"' + b"x" * LONGEST + b'"}\n') == [6]


def test_what_is_kept_is_bounded_whatever_comes() -> None:
    for data in (b"x" * 100_000, b"\\" * 100_000, b'"\\u0041' * 10_000, b"\n" * 100_000):
        sieve = Sieve(Needle("needle"))
        for part in range(0, len(data), 4_096):
            sieve.push(data[part : part + 4_096])
            assert len(sieve._held) < 4_096


def test_escapes_are_read_once() -> None:
    assert unescaped(rb"\\u0041 \u0041 \ud83d\ude00 \n \/ \q") == "\\u0041 A \U0001f600 \n / q"
