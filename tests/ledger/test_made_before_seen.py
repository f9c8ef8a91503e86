"""A change that this program made is seen when it was made, even where the record of its scope begins with it."""

from __future__ import annotations

from pathlib import Path

from engine.ledger import Ledger
from engine.ledger.events import MadeHere, patch_hash
from engine.ledger.folds import Folds
from engine.ledger.lines import to_line
from engine.ledger.log import LOG_NAME
from engine.ledger.timeline import page
from tests.ledger.building import ADDRESS, ROOT, Scribe, reading, snapshot


def test_what_was_made_here_has_the_time_at_which_it_was_made(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.change({"tactics": {"n": 1}})
    scribe.change({"tactics": {"n": 2}})
    address = ADDRESS.scope_address("cwd")
    Ledger.open(ROOT, directory=str(tmp_path)).observe(snapshot(reading("cwd", scribe.stream)), at=100.0)
    second = scribe.stream.tail[1]
    made = MadeHere(100.0, second.boundary, (("cwd", address, 2, patch_hash(second.patch)),))
    with (tmp_path / LOG_NAME).open("ab") as log:
        log.write(to_line(made))
    folds = Folds(str(tmp_path))
    assert folds.catch_up()
    rows = {row.revision: row for row in page(folds, [address]) if row.kind == "retained"}
    folds.close()
    assert (rows[2].seen, rows[2].ours) == (100.0, True)
    assert (rows[1].seen, rows[1].ours) == (None, None)
