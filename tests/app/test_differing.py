"""A structure that both have changed, told member by member."""

from __future__ import annotations

from typing import Any

from engine.memory.draft import Draft, PreImage, Put, Step
from engine.memory.gathering import Drift
from sftui.views.differing import LOOKS, NONE, NOTHING, SHOWN, differing
from sftui.views.spans import plain
from sftui.views.threeway import conflict_rows, conflicts

ABSENT = PreImage(exists=False)


def there(value: Any) -> PreImage:
    return PreImage(exists=True, value=value)


def told(before: PreImage, theirs: PreImage, mine: PreImage) -> list[tuple[str, str, str, str, bool]]:
    """The members that differ."""
    found = differing(before, theirs, mine)
    return [(one.where, one.before, one.theirs, one.mine, one.reverts) for one in found.members]


def test_only_members_that_differ_are_told_and_what_would_be_put_back_is_marked() -> None:
    before = {"pager": "off", "kind": "fish", "deep": {"a": 1, "b": 2}}
    theirs = {"pager": "less", "kind": "fish", "deep": {"a": 5, "b": 2}}
    mine = {"pager": "off", "kind": "fish", "deep": {"a": 7, "b": 2}, "x": 1}
    assert told(there(before), there(theirs), there(mine)) == [
        ("pager", '"off"', '"less"', '"off"', True),
        ("deep.a", "1", "5", "7", False),
        ("x", NOTHING, NOTHING, "1", False),
    ]


def test_a_member_may_have_gone_or_be_another_kind_of_thing() -> None:
    before = {"a": {"x": 1}, "gone": 1, "list": [1, 2]}
    theirs = {"a": "text", "list": [1, 3]}
    mine = {"a": {"x": 1}, "gone": 1, "list": [1, 2]}
    assert told(there(before), there(theirs), there(mine)) == [
        ("a", "{1}", '"text"', "{1}", True),
        ("gone", "1", NOTHING, "1", True),
        ("list[1]", "2", "3", "2", True),
    ]
    # Both have made a structure where there was none.
    assert told(ABSENT, there({"a": 1}), there({"a": 2})) == [("a", NOTHING, "1", "2", False)]


def test_long_texts_are_told_where_they_differ() -> None:
    start = "all that both begin with " * 8
    (found,) = told(there({"t": start + "one"}), there({"t": start + "two"}), there({"t": start + "three"}))
    assert found == ("t", '…"begin with one"', '…"begin with two"', '…"begin with three"', False)
    (gone,) = told(there({"t": start + "one"}), there({}), there({"t": start + "two"}))
    assert gone == ("t", '…"begin with one"', NOTHING, '…"begin with two"', False)


def test_what_is_no_structure_on_both_sides_has_no_members() -> None:
    assert differing(there({"a": 1}), there("text"), there({"a": 2})) == NONE
    assert differing(there({"a": 1}), ABSENT, there({"a": 2})) == NONE
    assert differing(there("a"), there("b"), there("c")) == NONE
    assert differing(there([1]), there([1, 2]), there([3])) == NONE


def test_much_is_counted_and_looking_has_an_end() -> None:
    some = {str(number): number for number in range(SHOWN + 5)}
    found = differing(there(some), there({key: -value - 1 for key, value in some.items()}), there(some))
    assert (len(found.members), found.more, found.all_seen) == (SHOWN, 5, True)
    many = {str(number): [number] for number in range(2 * LOOKS)}
    found = differing(there(many), there({**many, "0": [7]}), there({key: [8] for key in many}))
    assert len(found.members) == SHOWN
    assert not found.all_seen


def test_the_rows_name_the_members() -> None:
    path = ("strategy", "shell")
    before: Any = {"pager": "off"}
    theirs: Any = {"pager": "less"}
    mine: Any = {"pager": "off", "x": 1}
    draft = Draft((Step(Put("global", path, mine, there(before))),))
    drift = Drift(0, "global", path, there(before), there(theirs))
    found = conflicts([drift], {"global": {"strategy": {"shell": mine}}}, draft)
    assert [plain(row.spans) for row in conflict_rows(found)] == [
        "  ! global.strategy.shell  changed under step 1",
        "      pager  only they changed it: keeping mine puts it back",
        '        before  "off"',
        '        theirs  "less"',
        '        mine    "off"',
        "      x",
        "        before  nothing there",
        "        theirs  nothing there",
        "        mine    1",
    ]
    keys = [row.key for row in conflict_rows(found)]
    assert len(keys) == len(set(keys))
    assert found[0].to_json()["members"] == [
        {"where": "pager", "before": '"off"', "theirs": '"less"', "mine": '"off"', "reverts": True},
        {"where": "x", "before": NOTHING, "theirs": NOTHING, "mine": "1", "reverts": False},
    ]
