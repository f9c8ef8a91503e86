"""Who made a change may be heard after it was seen: what is told of a row follows."""

from __future__ import annotations

from pathlib import Path

from engine.ledger.folds import Folds
from engine.records import replace
from sftui.blaming import Blaming
from tests.app.stores import begin
from tests.app.test_history_rows import read


def test_an_answer_is_not_kept_once_more_is_heard_of_the_change(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"lazy": {"n": 1}}})
    store.patch(session={"tactics": {"next": 1}})
    picture = read(store)
    blaming = Blaming(lambda: Folds(str(tmp_path)), ledger=True)
    seen = replace(picture, log=tuple(replace(entry, seen=100.0, ours=False) for entry in picture.log))
    known, _ = blaming.known(seen, "session", ("tactics", "next"))
    assert known is not None and known.ours is False
    heard = replace(seen, log=tuple(replace(entry, ours=True) for entry in seen.log))
    known, _ = blaming.known(heard, "session", ("tactics", "next"))
    assert known is not None and known.ours is True
