"""Whole stores: where things lie, what is read back, and what is said of a broken one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import InvalidRequest
from engine.memory.cohort import Cohort, at
from engine.memory.dialect import Dialect
from engine.memory.overlay import effective, scope_view
from engine.memory.scope import SCOPES, SHARED
from engine.store import layout
from engine.store.judge import judge
from engine.store.layout import locate
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from engine.values import sha256
from tests.conformance.case import Case, differences

READINGS = 3
"""How often each store is read: the first time cold, then warm."""


def scope_keys(case: Case, _: Dialect) -> list[str]:
    try:
        found = _key(case)
    except InvalidRequest:
        return [] if case.get("rejects") else ["refused"]
    if case.get("rejects"):
        return [f"not refused, but {found!r}"]
    return differences({"result": found}, {"result": case["result"]})


def _key(case: Case) -> object:
    match case["kind"]:
        case "cwd":
            return layout.cwd_key(case["cwd"])
        case "sessionKey":
            return layout.session_key(None, case["key"], None)
        case "storageKey":
            return layout.session_key(case["file"], case["sessionId"], case["timestamp"])
        case _:
            return layout.owned(case["root"], case["path"])


def stores(case: Case, _: Dialect) -> list[str]:
    expected, folder = case["expected"], case["folder"] / "store"
    before = tree(folder)
    found = [
        f"{name} is not there" for name in expected["files"] if before.get(name, "")[:64] != expected["files"][name]
    ]
    for session in expected["sessions"]:
        root, limit = str(folder), expected["historyLimit"]
        taken: Snapshot | None = None
        for _again in range(READINGS):
            taken = snapshot(locate(root, session["cwd"], session["sessionKey"]), taken, limit=limit)
        assert taken is not None
        shared = snapshot(locate(root, session["cwd"]), taken, limit=limit)
        judged = judge(taken)
        reads = {
            "scopes": judged.scopes,
            "runtime": judged.runtime,
            "cohort": judged.cohort,
            "current": judged.current,
            "passive": judged.passive,
        }
        found += differences(reads, session["reads"])
        if taken.cohort is None or shared.cohort is None:
            found.append("the scopes are not composed")
            continue
        if "strict" in session:
            strict = {
                **_as_read(taken.cohort),
                "lineage": [boundary.to_json() for boundary in taken.cohort.lineage],
                "provenance": {scope: _artifacts(taken, scope) for scope in SCOPES},
            }
            found += differences(strict, session["strict"], ["runtime"])
            found += _runtime(taken, session["strict"]["runtime"])
        current = {**_as_read(taken.cohort), "adopted": taken.cohort.adopted}
        found += differences(current, session["current"], ["provenance"])
        found += differences(_as_read(shared.cohort), session["passive"], ["provenance"])
        # The streams: the reading around them is made anew once the clock can vouch for a file just unpacked.
        if any(taken.scopes[scope].stream is not shared.scopes[scope].stream for scope in SHARED):
            found.append("what was read already is read again for another address")
    return found + _changes(before, tree(folder))


def corrupt_stores(case: Case, _: Dialect) -> list[str]:
    expected, folder = case["expected"], case["folder"] / "store"
    _refresh_lock(folder)
    before = tree(folder)
    address = locate(str(folder), expected["cwd"], expected["sessionKey"])
    taken: Snapshot | None = None
    found: list[str] = []
    for reading in range(READINGS):
        taken = snapshot(address, taken, limit=expected["historyLimit"], patience=0.0)
        judged = judge(taken)
        answers: dict[str, Any] = {
            "scopes": judged.scopes,
            "runtime": judged.runtime,
            "cohort": judged.cohort,
            "current": judged.current,
            "passive": judged.passive,
            "write": judged.write,
        }
        found += [f"reading {reading}: {line}" for line in differences(answers, expected["reads"])]
        wrong = "rejects" in answers["scopes"].values() or judged.current == "rejects"
        wanted = "busy" if judged.current == "waits" else "broken" if wrong else "ok"
        if taken.verdict != wanted:
            found.append(f"reading {reading}: the verdict is {taken.verdict}")
        found += [f"reading {reading}: no reason" for fault in taken.all_faults if not fault.reason or not fault.kept]
    assert taken is not None
    if taken.cohort is not None and "current" in expected:
        found += differences(_as_read(taken.cohort), expected["current"], ["provenance", "adopted"])
    return found + _changes(before, tree(folder))


def _refresh_lock(folder: Path) -> None:
    """A lock that was unpacked from an archive is older than the machine's start, and nobody's for that reason."""
    lock = folder / layout.LOCK_NAME
    if lock.is_file() and lock.read_bytes() != b"":
        os.utime(lock)


def _as_read(cohort: Cohort) -> dict[str, object]:
    states = cohort.states
    view = effective(cohort.dialect, states)
    return {
        "effective": view,
        "effectiveSha256": sha256(view),
        "scopes": {
            scope: {
                "state": stream.current,
                "view": scope_view(cohort.dialect, stream.current),
                "tailLength": len(stream.tail),
                "checkpointPosition": stream.through.position,
            }
            for scope, stream in cohort.streams.items()
        },
        "revisions": cohort.revisions,
        "lineageLength": len(cohort.lineage),
        "headPosition": cohort.head.position,
        "history": [
            {"offset": offset, "effectiveSha256": sha256(effective(cohort.dialect, at(cohort, offset)))}
            for offset in range(len(cohort.lineage))
        ],
    }


def _artifacts(taken: Snapshot, scope: Any) -> object:
    meta = taken.scopes[scope].meta
    return {} if meta is None else meta.artifacts


def _runtime(taken: Snapshot, wanted: Mapping[str, Any]) -> list[str]:
    runtime = taken.runtime
    if runtime is None:
        return ["there is no runtime record"]
    found = {
        "identity": {"cwd": runtime.cwd, "sessionId": runtime.session_id},
        "lineage": [boundary.to_json() for boundary in runtime.lineage],
        "step": runtime.step,
        "version": 1,
        **({} if runtime.specification is None else {"specification": runtime.specification}),
        **({} if runtime.bootstrap is None else {"bootstrap": runtime.bootstrap}),
        **runtime.extra,
    }
    return differences({"config": {"mode": taken.mode}, "meta": found}, wanted)


def tree(folder: Path) -> dict[str, str]:
    """Everything below a folder: name to digest of the bytes and what the file system says of it."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else "-"
        name = path.relative_to(folder).as_posix()
        found[name] = f"{digest} {status.st_mode} {status.st_ino} {status.st_mtime_ns} {status.st_ctime_ns}"
    return found


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = before.keys() | after.keys()
    return [f"{name} was changed by reading" for name in sorted(names) if before.get(name) != after.get(name)]


ADAPTERS = {"scope_keys.jsonl": scope_keys, "stores.tar.gz": stores, "corrupt_stores.tar.gz": corrupt_stores}
