"""Whatever a store retains goes back: on real stores, one change or all of them, ownership included."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.memory.dialect import V4
from engine.memory.patching import stage
from engine.memory.scope import SCOPES
from engine.memory.undo import undo_draft
from engine.store.publication import publish
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from sftui.views.undoing import in_tails, newest_first
from tests.app.stores import Store, begin
from tests.memory.owning import intent_patches, owning_states


def states(shot: Snapshot) -> dict[str, Any]:
    assert shot.cohort is not None
    return dict(shot.cohort.states.items())


@settings(max_examples=60)
@given(owning_states, st.lists(intent_patches, min_size=1, max_size=3), st.booleans())
def test_the_last_changes_of_a_store_go_back_to_what_stood_before_them(
    state: Any, patches: list[Any], session_too: bool
) -> None:
    with TemporaryDirectory() as place:
        tidy = stage(V4, {"cwd": {}}, {"cwd": state}).after["cwd"]
        store = begin(str(Path(place, "store")), str(Path(place, "app")), {"cwd": tidy})
        seen = [states(snapshot(store.address))]
        for number, patch in enumerate(patches):
            more = {"session": {"tactics": {"step": number}}} if session_too else {}
            if _published(store, {"cwd": patch, **more}):
                now = states(snapshot(store.address))
                seen += [now] if now != seen[-1] else []
        shot = snapshot(store.address)
        assert shot.dialect is not None
        tails = [reading.stream.tail for reading in shot.scopes.values() if reading.stream is not None]
        boundaries = {entry.boundary for tail in tails for entry in tail}
        assert len(boundaries) == len(seen) - 1
        newest = sorted(boundaries, key=lambda boundary: boundary.position, reverse=True)
        for count in range(1, len(newest) + 1):
            parts = newest_first(part for boundary in newest[:count] for part in in_tails(shot, boundary))
            undo = undo_draft(shot.dialect, [part.undone for part in parts], seen[-1])  # type: ignore[arg-type]
            assert not undo.cannot
            assert all(step.ticked for step in undo.draft.steps)
            shown = publish(store.address, undo.draft, wanted=SCOPES, force_session=True, dry_run=True)
            assert dict(shown.staged.after.items()) == seen[-1 - count]


def _published(store: Store, patch: Any) -> bool:
    try:
        publish(store.address, patch, wanted=SCOPES, force_session=True)
    except EngineError:
        return False  # such a change is never accepted
    return True
