"""The boundary of display: nothing that a terminal obeys or hides passes, and nothing readable is lost."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from sftui.cells import cell_len, cut, cut_middle, fit, fit_right
from sftui.display import clean, clean_lines, is_clean, one_line, quoted
from sftui.line_filter import StandInFilter

ANY = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
ALLOWED_FORMATS = "\U000110bd"  # a letter of a script, by its looks


@given(ANY)
def test_what_is_clean_holds_nothing_to_obey(text: str) -> None:
    shown = clean(text)
    assert is_clean(shown)
    assert clean(shown) == shown
    for character in shown:
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert unicodedata.bidirectional(character) not in {
            "RLO",
            "LRO",
            "RLE",
            "LRE",
            "PDF",
            "RLI",
            "LRI",
            "FSI",
            "PDI",
        }
    shown.encode()


@given(ANY)
def test_what_needs_no_cleaning_stays_as_it_is(text: str) -> None:
    readable = "".join(c for c in text if unicodedata.category(c)[0] in "LNPS" and is_clean(c))
    assert clean(readable) == readable


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("\x9b2J", "⟨9b⟩2J"),
        ("a\u202eb", "a⟨202e⟩b"),
        ("\ud800", "⟨d800⟩"),
        ("\u200b", "⟨200b⟩"),
        ("line\nline\r\t", "line␊line␍␉"),
        ("\x7f", "␡"),
        ("\u2028\u2029\x85", "⟨2028⟩⟨2029⟩⟨85⟩"),
        ("\U000e0041", "⟨e0041⟩"),
        ("naïve 漢字 🙂 é", "naïve 漢字 🙂 é"),
        ("[/foo] [@click=x]", "[/foo] [@click=x]"),
    ],
)
def test_stand_ins(given_text: str, shown: str) -> None:
    assert clean(given_text) == shown


def test_lines_keep_their_ends() -> None:
    assert clean_lines("a\x1b\nb\r\n") == "a␛\nb␍\n"


def test_long_texts_are_cut_before_they_are_cleaned() -> None:
    assert one_line("x" * 100, 10) == "x" * 9 + "…"
    assert quoted("a\nb", 10) == '"a␊b"'


@given(ANY, st.integers(0, 40))
def test_cuts_fit(text: str, width: int) -> None:
    shown = clean(text)
    assert cell_len(cut(shown, width)) <= width
    assert cell_len(cut_middle(shown, width)) <= width
    assert cell_len(fit(shown, width)) == width
    assert cell_len(fit_right(shown, width)) == width


@given(ANY)
def test_the_second_layer_cleans_what_the_first_missed(text: str) -> None:
    segments = [Segment(text, Style(bold=True)), Segment("\x1b[2J", None, [(1,)])]  # type: ignore[list-item]
    filtered = StandInFilter().apply(segments, Color(0, 0, 0))
    assert is_clean(filtered[0].text)
    assert filtered[0].style == Style(bold=True)
    assert filtered[1] == segments[1], "control codes are the app's own"


def test_cleaning_loads_neither_textual_nor_rich() -> None:
    code = "import sys, sftui.display; sys.exit(any(name in sys.modules for name in ('textual', 'rich')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
