"""Memory as it was at a moment, made of what is retained now, against the store as it was copied at that moment."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from sftui.views.asof import picture_at
from sftui.views.moments import Moment, moments
from sftui.views.picture import Picture, look, measured, revisions
from tests.app.stores import MEMORY, SESSION, Store, begin

OTHER = "2026-11-02T10-00-00-000Z_22222222-2222-4222-8222-222222222222"
PLANES = ("tactics", "strategy", "lazy")


def read(store: Store) -> Picture:
    """What a fresh look at a store shows."""
    return measured(look(Picture(), snapshot(store.address), "live", 0.0, pinned=True, sightings={}))


def shown(picture: Picture) -> Mapping[str, Any]:
    """All that a picture says of memory, apart from what is known of its past."""
    return {
        "memory": picture.memory,
        "states": picture.states,
        "claims": picture.claims,
        "mentions": {key: index.places for key, index in picture.mentions.items()},
        "hot": picture.hot_bytes,
        "vector": revisions(picture),
        "trouble": picture.trouble,
    }


def at(live: Picture, known: tuple[Moment, ...], moment: Moment) -> Picture:
    return measured(picture_at(live, known, moment, sizes=live.sizes.copy()))


patches = st.fixed_dictionaries(
    {},
    optional={
        scope: st.dictionaries(
            st.sampled_from(PLANES),
            st.dictionaries(
                st.sampled_from("abc"), st.none() | st.integers(0, 3) | st.just({"x": [1, 2]}), min_size=1, max_size=2
            ),
            min_size=1,
            max_size=2,
        )
        for scope in ("global", "cwd", "session")
    },
).filter(bool)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((SESSION, SESSION, OTHER)), patches), min_size=1, max_size=9))
def test_a_moment_is_as_the_store_was(done: list[tuple[str, dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as home:
        root = Path(home) / "store"
        store = begin(str(root), str(Path(home) / "app"), MEMORY)
        begin(store.root, store.cwd, session=OTHER)
        copies: dict[tuple[str, int], Store] = {}
        for number, (session, patch) in enumerate(done):
            address = locate(store.root, store.cwd, session)
            made = publish(address, patch, wanted=("global", "cwd", "session"), force_session=True)
            if made.boundary is None:
                continue
            copy = Path(home) / f"copy{number}"
            shutil.copytree(root, copy)
            copies[made.boundary.id, made.boundary.position] = Store(str(copy), store.cwd)
        live = read(store)
        known = moments(live)
        assert len({moment.key for moment in known}) == len(known)
        here = [one for one in known if (one.boundary.id, one.boundary.position) in copies]
        for moment in here:
            then = read(copies[moment.boundary.id, moment.boundary.position])
            now = at(live, known, moment)
            assert now.as_of is not None
            if now.as_of.unknown:
                # Only what the other session changed may leave open how this one stood.
                assert moment.offset is None
                for scope, state in now.states.items():
                    assert state == then.states[scope]
                continue
            assert shown(now) == shown(then)
