"""What transitions did, what differs between two moments, and sizes in blocks: worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ledger.events import Retained
from engine.memory.dialect import V4
from engine.memory.scope import Scope
from engine.memory.staging import stage
from engine.memory.stream import Boundary
from engine.values import JsonObject, inverse_patch
from sftui.cells import cell_len
from sftui.glyphs import in_ascii
from sftui.views.differences import Difference, between_moments, between_values
from sftui.views.diffs import ScopeDiff
from sftui.views.spans import plain
from sftui.views.sparklines import BLOCKS, Series, blocks, line, series
from sftui.views.transition import Part, recorded_part, states_diff, transition_diff

States = Mapping[Scope, JsonObject]
AT = Boundary("b7", 7, "b6")


def told(diffs: tuple[ScopeDiff, ...]) -> list[str]:
    """One line each: sign, place, what."""
    return [f"{line.sign} {line.scope}.{line.where}  {line.what}" for one in diffs for line in one.lines]


STATES: States = {
    "cwd": {
        "intents": {"migrate": {"plan": {"$ref": "cwd.lazy.survey"}}, "stay": {"goal": "stay"}},
        "lazy": {"survey": "half of it", "gone": "x"},
        "tactics": {"next": "run", "kept": {"a": 1, "b": 2}},
    },
    "session": {"tactics": {"text": "a text that tells by itself"}},
}
PATCHES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"cwd": {"lazy": {"gone": None}, "tactics": {"next": "ship", "new": {"deep": {"er": True}}}}},
        [
            '~ cwd.tactics.next  "run" → "ship"',
            "+ cwd.tactics.new.deep.er  true",
            '- cwd.lazy.gone  "x"',
        ],
    ),
    (
        {"cwd": {"intents": {"migrate": None}}},
        [
            "- cwd.intents.migrate  {1} 35 B, closed",  # {"plan":{"$ref":"cwd.lazy.survey"}}
            "× cwd.lazy.survey  goes with its intent, 12 B",
        ],
    ),
    (
        {"cwd": {"lazy": {"text": "a text that tells by itself"}}, "session": {"tactics": {"text": None}}},
        [
            '→ cwd.lazy.text  from session.tactics.text  "a text that tells by itself"',
            "- session.tactics.text  moves to cwd.lazy.text",
        ],
    ),
    ({"cwd": {"tactics": {"kept": "now a word"}}}, ['~ cwd.tactics.kept  {2} → "now a word"  −1 B']),
    ({"cwd": {"tactics": {"next": None, "kept": None}}}, ['- cwd.tactics.next  "run"', "- cwd.tactics.kept  {2} 13 B"]),
]


@pytest.mark.parametrize(("patch", "lines"), PATCHES)
def test_a_transition_is_told_alike_by_its_states_and_by_its_record(patch: dict[str, Any], lines: list[str]) -> None:
    found = stage(V4, STATES, patch)
    by_states = [
        Part(scope, f"at {scope}", 3, net, STATES[scope], found.after[scope]) for scope, net in found.net.items()
    ]
    by_record = [
        recorded_part(
            scope, f"at {scope}", Retained(3, AT, "", net, inverse_patch(STATES[scope], found.after[scope], net))
        )
        for scope, net in found.net.items()
    ]
    assert told(transition_diff(V4, by_states)) == lines
    assert told(transition_diff(V4, by_record)) == lines


def test_a_record_without_what_stood_before_says_so_and_claims_no_addition() -> None:
    patch: JsonObject = {"tactics": {"next": "ship", "list": [1, 2], "gone": None}, "lazy": None}
    assert told(transition_diff(V4, [recorded_part("cwd", "c", Retained(3, AT, "", patch))])) == [
        '~ cwd.tactics.next  unknown → "ship"',
        "~ cwd.tactics.list  unknown → [2]",
        "- cwd.tactics.gone  what stood there is unknown",
        "- cwd.lazy  what stood there is unknown",
    ]
    (short,) = transition_diff(V4, [recorded_part("cwd", "c", Retained(3, AT, "", patch))], most=1)
    assert (len(short.lines), short.more) == (1, 3)


def test_two_moments_differ_by_what_is_left_of_all_that_happened_between_them() -> None:
    before: States = {"global": {"strategy": {"a": 1}}, "cwd": {"tactics": {"x": 1, "y": [1]}}}
    after: States = {"global": {"strategy": {"a": 1}}, "cwd": {"tactics": {"y": [1, 2]}, "lazy": {"z": "new"}}}
    found = between_moments(V4, ("c3", before), ("c9", after))
    assert told(found.diffs) == [
        "- cwd.tactics.x  1",
        "~ cwd.tactics.y  [1] → [2]  +2 B",
        '+ cwd.lazy.z  "new"  not in context',
    ]
    assert found.title == "c3 → c9"
    assert found.counted == "1 added, 1 removed, 1 changed"
    assert found.place(("diff", "cwd", "tactics.y")) == ("cwd", ("tactics", "y"))
    assert found.place(("scope", "cwd")) is None
    assert told(states_diff(V4, after, after)) == []
    (row,) = between_moments(V4, ("c3", before), ("c3", before)).rows()
    assert plain(row.spans).strip() == "nothing differs"


def test_a_side_that_does_not_know_a_scope_is_not_taken_for_empty() -> None:
    known: States = {"cwd": {"tactics": {"x": 1}}, "session": {"tactics": {"y": 2}}}
    found = between_moments(V4, ("before", {"cwd": known["cwd"]}), ("now", known))
    assert told(found.diffs) == []
    assert found.unknown == ("session: not known before",)
    assert [plain(row.spans).strip() for row in found.rows()] == ["! session: not known before"]


def test_two_scopes_and_one_view_at_two_moments_are_compared_as_values() -> None:
    found = between_values(
        V4, "cwd", ("global", {"strategy": {"api": "v1", "style": "terse"}}), ("cwd", {"strategy": {"api": "v2"}})
    )
    assert told(found.diffs) == ['~ cwd.strategy.api  "v1" → "v2"', '- cwd.strategy.style  "terse"']
    whole = between_values(V4, "effective", ("then", {"tactics": {"a": 1}}), ("now", {"tactics": {"a": 2}}))
    assert told(whole.diffs) == ["~ effective.tactics.a  1 → 2"]
    assert whole.place(("diff", "effective", "tactics.a")) == ("effective", ("tactics", "a"))


def test_what_is_moved_counts_once() -> None:
    text = "a text that tells by itself"
    found = between_values(V4, "cwd", ("a", {"lazy": {"x": text}}), ("b", {"tactics": {"y": text}}))
    assert found.counted == "1 moved"
    assert Difference("", ()).counted == "nothing differs"


# Sizes in blocks.


def test_sizes_of_planes_over_moments_the_largest_first() -> None:
    found = series([{"tactics": 100, "lazy": 900}, None, {"tactics": 300, "lazy": 900, "strategy": 5}])
    assert [(one.plane, one.sizes) for one in found] == [
        ("lazy", (900, None, 900)),
        ("tactics", (100, None, 300)),
        ("strategy", (0, None, 5)),
    ]
    assert [one.unknown for one in found] == [1, 1, 1]
    assert series([]) == ()


def test_blocks_follow_the_sizes_and_leave_out_what_is_unknown() -> None:
    assert blocks((100, 101, 102, 103, 104, 105, 106, 107), 8) == "▁▂▃▄▅▆▇█"
    assert blocks((None, 8, None), 3) == " ▄ "
    assert blocks((0, 0), 5) == "▁▁"
    assert blocks((), 5) == ""
    assert blocks((1, 9, 1, 1), 2) == "█▁", "a peak is never hidden by what shares its cell"
    assert plain(line(Series("tactics", (100, None, 300)), 60)).split() == [
        "tactics",
        "▁",
        "█",
        "300",
        "B",
        "+200",
        "B",
    ]


@given(st.lists(st.none() | st.integers(0, 10**9), max_size=300), st.integers(0, 100))
def test_blocks_take_no_more_cells_than_there_are(sizes: list[int | None], width: int) -> None:
    shown = blocks(sizes, width)
    assert cell_len(shown) == min(width, len(sizes))
    assert set(shown) <= {*BLOCKS, " "}
    known = [size for size in sizes if size is not None]
    if width >= len(sizes):
        assert (BLOCKS[-1] in shown) == (BLOCKS[0] in shown) == (len(set(known)) > 1) or not any(known)
    for room in (24, 40, 80):
        assert cell_len(plain(line(Series("plane", tuple(sizes)), room))) <= room


def test_blocks_have_eight_signs_of_their_own_in_ascii() -> None:
    assert in_ascii(BLOCKS) == "_.:-=+*#"
