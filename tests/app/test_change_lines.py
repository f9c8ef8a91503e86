"""How a change is laid out: what a value is now is never what there is no room for."""

from __future__ import annotations

import pytest

from engine.memory.dialect import V4
from sftui.cells import cell_len
from sftui.views.changes import Line, lines_of
from sftui.views.sizes import Sizes
from sftui.views.spans import plain
from sftui.views.watch import change_line, shares

LONG = "stock loses the last change of a shelf"


def line(old: str, new: str) -> Line:
    patch = {"tactics": {"note": new}}
    (found,) = lines_of(V4, "session", patch, before={"tactics": {"note": old}}, after=patch, sizes=Sizes())
    return found


@pytest.mark.parametrize("width", range(34, 130))
def test_what_a_text_is_now_stands_there_whole(width: int) -> None:
    shown = plain(change_line(line(LONG, "kept rule 31"), width))
    assert '→ "kept rule 31"' in shown
    assert cell_len(shown.rstrip()) <= width
    if width >= 80:
        assert f'"{LONG}" → "kept rule 31"' in shown, "both, where there is room for both"


@pytest.mark.parametrize("width", range(20, 120))
def test_of_two_long_texts_the_new_one_has_three_fifths_or_more(width: int) -> None:
    was, now = shares(line("o" * 58, "n" * 58), width)
    assert cell_len(was + now) <= width
    assert now.count("n") == 58 or cell_len(now) * 5 >= (width - 3) * 3
    assert was.endswith("→ "), "an arrow tells that there was something else"


@pytest.mark.parametrize("arrow", ["a → b", " → ", "→"])
def test_an_arrow_in_a_text_divides_nothing(arrow: str) -> None:
    assert shares(line(arrow, LONG), 80) == (f'"{arrow}" → ', f'"{LONG}"')
    assert shares(line(LONG, arrow), 80) == (f'"{LONG}" → ', f'"{arrow}"')
