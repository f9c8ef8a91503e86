"""Memory of another directory is neither written nor shown as ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import Fenced
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot


def _store_of(owner: str, root: Path, here: str) -> None:
    publish(locate(str(root), here), {"cwd": {"tactics": {"mine": 1}}}, wanted=("global", "cwd"), dialect=4)
    meta = next(root.glob("--*--/meta.json"))
    document = json.loads(meta.read_text("utf-8"))
    document["owner"]["cwd"] = owner
    meta.write_text(json.dumps(document, separators=(",", ":")) + "\n", "utf-8")


def test_nothing_is_written_beside_memory_of_another_directory(tmp_path: Path) -> None:
    _store_of("/elsewhere", tmp_path, "/here")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(Fenced) as refused:
        publish(locate(str(tmp_path), "/here"), {"global": {"tactics": {"a": 1}}}, wanted=("global", "cwd"))
    assert refused.value.code == "wrong-owner"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("owner", "shared"), [("/a-b", True), ("/elsewhere", False)])
def test_a_shared_name_is_claimed_only_where_it_is_one(tmp_path: Path, owner: str, shared: bool) -> None:
    _store_of(owner, tmp_path, "/a/b")
    (fault,) = snapshot(locate(str(tmp_path), "/a/b")).scopes["cwd"].faults
    assert ("the same name" in fault.reason) is shared
