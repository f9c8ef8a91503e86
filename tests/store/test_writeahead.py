"""The record of a publication under way: held while it lives, read when it is torn, never mistaken."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from engine.store import journal, writeahead
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.writeahead import Entry, Recording, abandoned, directory_of, new_id
from tests.store.building import CWD, Home, build

ENTRIES = [Entry("a", "meta.json", ".meta.json.1.x.tmp", ".meta.json.1.x.old", (1, 2, 3), (4, 5, 6), (1, 2, 3))]


@pytest.fixture
def place(tmp_path: Path) -> str:
    return directory_of(str(tmp_path))


def left(place: str) -> Path:
    (path,) = Path(place).iterdir()
    return path


def test_a_record_is_held_as_long_as_it_is_written(place: str, tmp_path: Path) -> None:
    recording = Recording(str(tmp_path), place)
    recording.locking()
    assert list(abandoned(place)) == []
    recording.keep = True
    recording.close()
    (found,) = abandoned(place)
    assert found.record is not None
    assert (found.record.pid, found.record.phase, found.record.root) == (os.getpid(), "locking", str(tmp_path))


def test_a_record_says_what_it_was_told(place: str, tmp_path: Path) -> None:
    recording = Recording(str(tmp_path), place)
    recording.locking()
    recording.locked((7, 8, 9))
    recording.writing(("a",), [Entry("a", "meta.json", "t", "o")])
    recording.sealed(ENTRIES)
    recording.keep = True
    recording.close()
    (found,) = abandoned(place)
    assert found.record is not None
    assert found.record.lock == (7, 8, 9)
    assert found.record.made == ("a",)
    assert found.record.entries == tuple(ENTRIES)


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_hides_nothing_before_it(place: str, tmp_path: Path, cut: int) -> None:
    recording = Recording(str(tmp_path), place)
    recording.locking()
    recording.writing((), ENTRIES)
    recording.sealed(ENTRIES)
    recording.keep = True
    recording.close()
    path = left(place)
    path.write_bytes(path.read_bytes()[:-cut])
    (found,) = abandoned(place)
    assert found.record is not None
    assert (found.record.phase, found.record.entries) == ("writing", tuple(ENTRIES))


def test_an_empty_record_is_none(place: str, tmp_path: Path) -> None:
    recording = Recording(str(tmp_path), place)
    recording.keep = True
    recording.close()
    (found,) = abandoned(place)
    assert found.record is None


def test_a_record_that_was_taken_for_abandoned_is_made_again(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between making and holding it, another process may look, see nobody, and remove it."""
    real = writeahead._try_lock
    taken: list[bool] = []

    def try_lock(descriptor: int) -> bool:
        if not taken:
            taken.append(True)
            left(place).unlink()
        return real(descriptor)

    monkeypatch.setattr(writeahead, "_try_lock", try_lock)
    recording = Recording(str(tmp_path), place)
    assert left(place).name == recording.name
    recording.close()
    assert list(Path(place).iterdir()) == []


def test_a_record_that_its_maker_removed_meanwhile_is_discarded_all_the_same(place: str, tmp_path: Path) -> None:
    """Both ways into a record just made give it up: its maker removes it, and so does who took it for abandoned."""
    recording = Recording(str(tmp_path), place)
    recording.keep = True
    recording.close()
    for found in abandoned(place):
        left(place).unlink()
        found.discard()
    assert list(Path(place).iterdir()) == []


def test_a_store_that_is_gone_has_nothing_to_settle(tmp_path: Path) -> None:
    root = str(tmp_path / "gone")
    recording = Recording(root, directory_of(root))
    recording.locking()
    recording.keep = True
    recording.close()
    (done,) = journal.finish_or_undo(root)
    assert (done.outcome, list(Path(directory_of(root)).iterdir())) == ("nothing", [])


def test_where_nothing_may_be_recorded_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.errors import StoreFailure

    home: Home = build(tmp_path / "store")
    before = home.files()
    (tmp_path / "state").write_bytes(b"a file stands where our directory should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    authored: dict[str, Any] = {"cwd": {"tactics": {"a": 1}}}
    with pytest.raises(StoreFailure):
        publish(locate(str(home.root), CWD), authored, wanted=("global", "cwd"))
    assert home.files() == before


def test_new_ids_are_random_uuids() -> None:
    import uuid

    ids = {new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(str(uuid.UUID(one)) == one and uuid.UUID(one).version == 4 for one in ids)
    assert all(uuid.UUID(one).variant == uuid.RFC_4122 for one in ids)
