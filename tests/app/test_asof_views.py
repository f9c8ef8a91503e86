"""Memory as it was at a moment, made of what is retained now, against the store as it was copied at that moment."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ledger import Ledger
from engine.ledger.folds import Folds
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from sftui.earlier import deep_of
from sftui.ledger_pages import Records
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


@settings(max_examples=12, deadline=None)
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


@settings(max_examples=8, deadline=None)
@given(st.booleans(), st.lists(st.tuples(st.sampled_from((SESSION, SESSION, OTHER)), patches), min_size=4, max_size=10))
def test_a_moment_that_only_the_ledger_holds_is_as_the_store_was(
    begins_empty: bool, done: list[tuple[str, dict[str, Any]]]
) -> None:
    """Two patches are retained, and every change is seen as it comes: none of them is lost, none is made up."""
    with tempfile.TemporaryDirectory() as home:
        root = Path(home) / "store"
        store = begin(str(root), str(Path(home) / "app"), {} if begins_empty else MEMORY)
        begin(store.root, store.cwd, session=OTHER)
        (root / "config.json").write_bytes(b'{"historyLimit":2}')
        ledger = Ledger.open(store.root, enabled=True, directory=str(Path(home) / "ledger"))
        ledger.observe(snapshot(store.address), 1.0)
        copies: dict[tuple[str, int], Store] = {}
        vectors: dict[tuple[str, int], str] = {}
        for number, (session, patch) in enumerate(done):
            address = locate(store.root, store.cwd, session)
            made = publish(address, patch, wanted=("global", "cwd", "session"), force_session=True)
            seen = snapshot(store.address)
            ledger.observe(seen, 2.0 + number)
            ours = made.boundary is not None and (session == SESSION or {"global", "cwd"} & set(made.changed))
            if made.boundary is None or not ours:
                continue
            copy = Path(home) / f"copy{number}"
            shutil.copytree(root, copy)
            key = made.boundary.id, made.boundary.position
            copies[key] = Store(str(copy), store.cwd)
            vectors[key] = revisions(read(copies[key]))
        live = read(store)
        assert live.snapshot is not None
        folds = Folds.open(store.root, directory=str(Path(home) / "ledger"))
        held = Records(folds).newest(tuple(reading.address for reading in live.snapshot.scopes.values()))
        known = moments(live, held.rows)
        found = {(moment.boundary.id, moment.boundary.position): moment for moment in known}
        assert copies.keys() <= found.keys()
        # Each was seen at a time of its own, so that their order is known, and is that in which they were made.
        assert [key for key in found if key in copies] == list(reversed(copies))
        for key, copy_of in copies.items():
            then = read(copy_of)
            now = measured(
                picture_at(live, known, found[key], sizes=live.sizes.copy(), deep=deep_of(folds, {}, live.snapshot))
            )
            assert now.as_of is not None
            for scope, state in now.states.items():
                assert state == then.states[scope], scope
            if not now.as_of.unknown:
                assert shown(now) == shown(then)
                assert revisions(now) == vectors[key]
            else:
                # Of what was there before anybody looked nobody can say when it came.
                assert all(live.snapshot.scopes[scope].stream for scope in now.as_of.unknown)
        folds.close()
