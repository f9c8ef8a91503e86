"""Every recorded store takes a patch and is a good store afterwards; every broken one takes it only where an agent would."""

from __future__ import annotations

import json
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EngineError
from engine.memory.scope import Wanted
from engine.store.layout import Address, locate
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from tests.standin import disk
from tests.store.building import Files, files_below, merged

DATA = Path(__file__).parents[1] / "conformance" / "data"
ALL: Wanted = ("global", "cwd", "session")
CONSENT = ("memory-lost", "replacement-characters")


@cache
def expected(archive: str) -> dict[str, Any]:
    """What was recorded of each store, by name."""
    with tarfile.open(DATA / f"{archive}.tar.gz") as tar:
        found = {}
        for member in tar:
            if member.name.endswith("/expected.json"):
                file = tar.extractfile(member)
                assert file is not None
                found[member.name.split("/")[-2]] = json.loads(file.read())
        return found


def unpacked(archive: str, name: str, folder: Path) -> Path:
    with tarfile.open(DATA / f"{archive}.tar.gz") as tar:
        members = [member for member in tar if name in member.name.split("/")]
        tar.extractall(folder, members, filter="tar")
    return next(folder.rglob("store"))


def sessions() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, told in sorted(expected("stores").items()):
        for session in told["sessions"]:
            yield name, session


def values(root: Path, address: Address) -> dict[str, Any]:
    assert address.cwd is not None
    assert address.session is not None
    return {
        scope: found.now if (found := disk.read_scope(address.scope_dir(scope), scope, address.cwd)) else {}
        for scope in ALL
    }


def folded(folder: Path) -> Any:
    value = json.loads((folder / "checkpoint.json").read_text("utf-8", "replace"))
    for line in (folder / "patches.jsonl").read_bytes().splitlines():
        value = merged(value, json.loads(line))
    return value


def beside(files: Files, address: Address, scopes: tuple[str, ...]) -> Files:
    """The files that do not belong to one of the scopes."""
    places = [address.scope_address(scope) for scope in ALL if scope in scopes]
    return {name: data for name, data in files.items() if (name.rpartition("/")[0] or ".") not in places}


@pytest.mark.parametrize(
    ("name", "session"), sessions(), ids=lambda value: value if isinstance(value, str) else value["sessionKey"][-12:]
)
@pytest.mark.parametrize("scopes", [("global",), ("cwd",), ("session",), ("global", "cwd"), ALL], ids="+".join)
def test_a_recorded_store_takes_a_patch(
    name: str, session: dict[str, Any], scopes: tuple[str, ...], tmp_path: Path
) -> None:
    root = unpacked("stores", name, tmp_path)
    address = locate(str(root), session["cwd"], session["sessionKey"])
    before, memory = files_below(root), values(root, address)
    patch: dict[str, Any] = {scope: {"working": {"mine": {"of": scope}}, "lazy": {"new": [1, 2]}} for scope in scopes}
    warm = None
    for turn in range(9):
        patch = {scope: {**patch[scope], "contract": {"turn": str(turn)}} for scope in scopes}
        done = publish(address, patch, wanted=ALL, force_session=True, previous=warm)
        warm = done.snapshot
        assert done.changed == scopes
        memory = {scope: merged(value, patch.get(scope, {})) for scope, value in memory.items()}
        assert values(root, address) == memory
        checked = disk.read_cohort(address.root, str(address.cwd), str(address.session))
        assert checked.adopted == ("session" not in scopes)
        found = snapshot(address)
        assert found.verdict == "ok"
        assert facts(found) == facts(warm)
    assert beside(files_below(root), address, scopes) == beside(before, address, scopes)


def facts(seen: Snapshot) -> list[object]:
    """Everything but what a reader has found out, or not, about empty objects."""
    assert seen.cohort is not None
    streams = [reading.stream for reading in seen.scopes.values()]
    streams += [seen.cohort.streams[scope] for scope in ALL]
    told = [stream and replace(stream, tidy=True) for stream in streams]
    return [*told, seen.cohort.lineage, seen.cohort.adopted, *(reading.meta for reading in seen.scopes.values())]


def attempt(address: Address, patch: dict[str, Any], wanted: Wanted) -> EngineError | None:
    """What a patch is refused with; a live owner of the lock is not waited for."""
    gone = threading.Event()
    gone.set()
    try:
        publish(address, patch, wanted=wanted, cancel=gone, allow=CONSENT, force_session=True)
    except EngineError as error:
        return error
    return None


@pytest.mark.parametrize("name", sorted(expected("corrupt_stores")))
def test_a_broken_store_takes_a_session_patch_where_an_agent_writes(name: str, tmp_path: Path) -> None:
    told = expected("corrupt_stores")[name]
    root = unpacked("corrupt_stores", name, tmp_path)
    address = locate(str(root), told["cwd"], told["sessionKey"])
    before = files_below(root)
    refused = attempt(address, {"session": {"working": {"mine": 1}}}, ALL)
    assert (refused is None) == (told["reads"]["write"] == "ok"), refused
    if refused is None:
        assert folded(Path(address.scope_dir("session")))["working"]["mine"] == 1
    else:
        assert files_below(root) == before


@pytest.mark.parametrize("name", sorted(expected("corrupt_stores")))
def test_a_broken_store_takes_a_shared_patch_where_its_shared_scopes_are_well(name: str, tmp_path: Path) -> None:
    told = expected("corrupt_stores")[name]
    root = unpacked("corrupt_stores", name, tmp_path)
    address = locate(str(root), told["cwd"])
    before = files_below(root)
    reads = told["reads"]
    # A cwd scope without a global one is no memory to a passive reader; writing makes the global scope.
    well = reads["passive"] == "ok" or name == "global-all-missing"
    # A link in the session's directory stops an agent's every read; a writer of shared memory does not look there.
    well = well or name == "session-checkpoint-symlink"
    refused = attempt(address, {"cwd": {"working": {"mine": 1}}}, ("global", "cwd"))
    assert (refused is None) == well, refused
    if refused is None:
        assert json.loads((root / address.scope_address("cwd") / "meta.json").read_bytes())["version"] == 2
    else:
        assert files_below(root) == before
