"""Without a session the size before the last change is known of what each scope retains."""

from __future__ import annotations

from pathlib import Path

from engine.store.layout import locate
from engine.store.snapshot import snapshot
from sftui.views.context import gather
from sftui.views.picture import Picture, look
from sftui.views.weighing import done
from tests.app.stores import begin


def test_what_the_last_change_made_of_hot_memory(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"tactics": {"a": 1}}})
    store.patch(cwd={"tactics": {"bcd": "four"}})
    picture = look(Picture(), snapshot(locate(store.root, store.cwd)), "live", 0.0, pinned=True, sightings={})
    weighed = done(gather(picture, "active")).weighed
    assert weighed is not None
    assert weighed.grew == len(',"bcd":"four"')
