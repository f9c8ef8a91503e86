"""A change on a part of a line shows what differs."""

from __future__ import annotations

from typing import Any

import pytest

from engine.memory.draft import Draft, PreImage, Put, Step
from sftui.views.becoming import became
from sftui.views.steps import step_lines

LONG = "ask before a change that touches more than two files"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("v2", "v3", '"v2" → "v3"'),
        (LONG, LONG.replace("two", "ten"), '…"more than two files" → …"more than ten files"'),
        (LONG, LONG + " at once", '…"two files" → …"two files at once"'),
        ("never", LONG, '"never" → "ask before a change that touches more t…"'),
        ({"goal": 1}, {"goal": 2}, "{1} → {1}  ~ goal"),
        ({"a": 1, "b": {"c": 1}, "d": 1}, {"a": 1, "b": {"c": 2}, "e": 1}, "{3} → {3}  ~ b, - d, + e"),
        ([1, 2, 3], [1, 5, 3], "[3] → [3]  ~ [1]"),
        ([1], [1, 2], "[1] → [2]"),
        ({"a": 1}, 7, "{1} → 7"),
        ({}, dict.fromkeys("abcdef", 1), "{0} → {6}  + a, + b, + c, + d and 2 more"),
    ],
)
def test_what_differs_is_what_is_shown(old: Any, new: Any, told: str) -> None:
    assert became(old, new, 40) == told


def test_odd_keys_and_large_structures_stay_on_the_line() -> None:
    assert became({}, {"a\x1b[31m\n" + "x" * 100: 1}, 40).count("\x1b") == 0
    assert len(became({}, {"x" * 1000: 1}, 40)) < 80
    many: Any = {str(number): number for number in range(500)}
    assert became(many, {**many, "0": 1}, 40) == "{500} → {500}"


def test_a_step_says_what_it_changes() -> None:
    step = Step(Put("cwd", ("lazy", "k"), LONG + ".", PreImage(exists=True, value=LONG)))
    (line,) = step_lines(Draft((step,)))
    old, new = line.what.split(" → ")
    assert old != new
