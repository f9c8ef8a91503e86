"""What a review says of a change, in words that hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.memory.dialect import V4
from engine.memory.draft import Draft, PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.scope import SCOPES
from engine.memory.staging import stage
from engine.store.publication import publish
from sftui.views.diffs import diff
from sftui.views.review import review
from sftui.views.review_page import Page
from sftui.views.showing import showing
from sftui.views.spans import plain
from tests.app.stores import MEMORY, Store, begin

ABSENT = PreImage(exists=False)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A session whose run is over."""
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def page(store: Store, *operations: Any) -> list[str]:
    """The lines of the review of a draft."""
    draft = Draft(tuple(map(Step, operations)))
    found = review(publish(store.address, draft, wanted=SCOPES, dry_run=True), draft)
    return [plain(row.spans) for row in Page(draft, found).rows()]


def shown(states: Any, patch: Any) -> list[tuple[str, str]]:
    """What is told of what shows."""
    found = stage(V4, states, patch)
    diffs = diff(V4, found.net, states, found.after, found.cascaded)
    return [(one.how, f"{one.scope}.{one.where}: {one.why}") for one in showing(V4, states, found.after, diffs)]


def test_what_a_patch_deletes_in_vain_is_said_below_its_step(store: Store) -> None:
    patch: Any = {"cwd": {"tactics": {"store": {"pstate": "x"}, "nope": None}}}
    assert "        ! cwd.tactics.nope was not there to delete" in page(store, Raw(patch, ()))
    alone: Any = {"cwd": {"tactics": {"nope": None}}}
    lines = page(store, Raw(alone, ()))
    assert "        ! cwd.tactics.nope was not there to delete" in lines
    assert "  nothing would change" in lines
    assert "        ! Nothing stands there any more" in page(store, Remove("cwd", ("tactics", "nope"), ABSENT))


def test_what_a_patch_does_by_mistake_is_said_once(store: Store) -> None:
    slip: Any = {"cwd": {"strategy": {"api": {"x": None}}}}
    lines = page(store, Raw(slip, ()))
    words = "a deletion below this string hits nothing and still removes the string"
    assert [line for line in lines if words in line] == [f"        ! cwd.strategy.api: {words}"]
    # Replacing an array by an object is found both in what was written and in what it comes to.
    store.patch(cwd={"lazy": {"list": [1, 2]}})
    lines = page(store, Raw({"cwd": {"lazy": {"list": {"[0]": 5, "x": 1}}}}, ()))
    assert len([line for line in lines if "ordinary keys" in line]) == 1


def test_a_move_to_another_scope_that_shows_on_is_said_once(store: Store) -> None:
    states: Any = {"cwd": {"strategy": {"offline": "every screen"}}}
    move = {"cwd": {"strategy": {"offline": None}}, "global": {"strategy": {"offline": "every screen"}}}
    assert shown(states, move) == [
        ("stays", 'global.strategy.offline: then global shows "every screen" there, as cwd did before')
    ]
    store.patch(cwd={"strategy": {"offline": "every screen"}})
    offline, before = ("strategy", "offline"), PreImage(exists=True, value="every screen")
    lines = page(store, Transfer("cwd", offline, "global", offline, before, ABSENT))
    assert [line for line in lines if "≡" in line] == [
        '    ≡ global.strategy.offline  then global shows "every screen" there, as cwd did before'
    ]


def test_a_move_below_what_masks_it_has_no_effect() -> None:
    states: Any = {"cwd": {"strategy": {"api": "every one"}}, "session": {"strategy": {"api": "mine"}}}
    move = {"cwd": {"strategy": {"api": None}}, "global": {"strategy": {"api": "every one"}}}
    assert shown(states, move) == [("masked", 'global.strategy.api: session holds "mine" there, which masks it')]


def test_who_shows_a_value_before_and_who_after_are_told_apart() -> None:
    both: Any = {"global": {"strategy": {"api": "v1"}}, "cwd": {"strategy": {"api": "v1"}}}
    assert shown(both, {"cwd": {"strategy": {"api": None}}}) == [
        ("same", 'cwd.strategy.api: then global shows "v1" there, as cwd did before')
    ]
    assert shown(both, {"global": {"strategy": {"api": None}}}) == [
        ("masked", 'global.strategy.api: cwd holds "v1" there, which masks it')
    ]


def test_a_rename_reveals_what_was_under_it() -> None:
    states: Any = {"global": {"strategy": {"api": "v1"}}, "cwd": {"strategy": {"api": "only version two"}}}
    rename = {"cwd": {"strategy": {"api": None, "http": "only version two"}}}
    assert shown(states, rename) == [("reveals", 'cwd.strategy.api: then global shows "v1" there')]


def test_that_the_draft_is_kept_is_said_once() -> None:
    for kept in ("nothing was written, and the draft is kept", "nothing was written", None):
        failed = InvalidRequest("code", "it went wrong", kept=kept)
        lines = [plain(row.spans) for row in Page(Draft(), failed=failed).rows()]
        assert sum("the draft is kept" in line for line in lines) == 1, kept


def test_a_value_that_is_put_under_a_narrower_one_is_masked(store: Store) -> None:
    store.patch(session={"strategy": {"api": "mine"}})
    lines = page(store, Put("cwd", ("strategy", "api"), "v3", PreImage(exists=True, value="v2 only")))
    assert '    ≡ cwd.strategy.api  no effect: session holds "mine" there, which masks it' in lines
