"""A realistic store in a temporary directory, and an agent that goes on changing it: sftui without an agent."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from engine import values
from engine.ledger import Ledger
from engine.records import dataclass
from engine.store.layout import CHECKPOINT, CONFIG, META, PATCHES, RUNTIME, locate, store_home
from engine.store.publication import publish
from engine.store.snapshot import Snapshot
from sftui import demo_content as content

_RELEASE = "2026-11-14T09-02-11-410Z_5b0f3a5e-7f0c-4a7e-9a55-3f6f2f0d1c01"
_LOGIN = "2026-11-12T15-40-03-008Z_0c9a1b62-51d7-4c0e-8a86-b1a0c6f7aa02"
_FENCED = "2026-11-09T11-21-47-730Z_e7d2c9f4-0b5e-4f43-93a2-6a3d5a9b9e03"
_PRINTING = "2026-11-13T08-15-30-250Z_9a8f8f40-2c1b-4d7d-b0fb-55c2a9b4de04"


@dataclass(frozen=True, slots=True)
class DemoStore:
    """Where the demo's store is, and the cohort that its agent works on."""

    root: str
    cwd: str
    session: str


def make_store(directory: str, *, observed: bool = False) -> DemoStore:
    """Lay out the demo in an existing directory: two projects, four sessions, one of them fenced.

    `observed`: somebody looked on, so that the store's ledger holds what the scopes have folded away since.
    """
    home = os.path.realpath(directory)
    root = os.path.join(home, "state-flow")
    larder, labels = (os.path.join(home, "work", name) for name in ("larder", "label-printer"))
    for path in (root, larder, labels):
        os.makedirs(path, mode=0o700)
    cohorts: tuple[tuple[str, str, str | None], ...] = (
        (labels, _PRINTING, None),
        (larder, _FENCED, None),
        (larder, _LOGIN, None),
        (larder, _RELEASE, "cut release 1.4"),
    )
    for cwd, session, specification in cohorts:
        _begin_session(root, cwd, session, specification)
    _publish(root, labels, _PRINTING, {"global": content.GLOBAL, "cwd": content.LABELS, "session": content.PRINTING})
    _publish(root, labels, _PRINTING, {"cwd": {"lazy": {"modules": content.survey(3, 6, 20)}}})
    _publish(root, larder, _FENCED, {"session": {"tactics": {"note": "the machine went down in the middle of this"}}})
    # Before the others go on: the session that is at work is the newest one.
    _tear(os.path.join(locate(root, larder, _FENCED).scope_dir("session"), PATCHES))
    _publish(root, larder, _LOGIN, {"cwd": content.LARDER, "session": content.LOGIN})
    lazy = {"modules": content.survey(1, 18, 100), "migration": content.MIGRATION}
    _publish(root, larder, _LOGIN, {"cwd": {"lazy": lazy}})
    _publish(root, larder, _RELEASE, {"session": content.RELEASE})
    _publish(root, larder, _RELEASE, {"session": {"lazy": {"test_runs": content.test_runs(2, 120)}}})
    ledger = Ledger.open(root, observed)
    for patch in content.HISTORY:
        ledger.observe(_publish(root, larder, _RELEASE, patch))
    return DemoStore(root, larder, _RELEASE)


def spawn_agent(
    store: DemoStore, *, seed: int = 0, pause: float = 3.0, home: str | None = None
) -> subprocess.Popen[bytes]:
    """A second process that patches as the agent of its session, every `pause` seconds or so.

    It ends when its input does: when it is closed, or when this process is gone. Given a `home`, it then removes it:
    so a demo whose terminal was closed leaves nothing behind either.
    """
    command = [sys.executable, "-m", "sftui.demo_agent", store.root, store.cwd, store.session, str(seed), str(pause)]
    quiet = subprocess.DEVNULL
    where = [] if home is None else [home]
    return subprocess.Popen(
        [*command, *where], stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
    )


def run(*, readonly: bool = False, ascii_signs: bool = False) -> int:
    """Open the app on a demo store of its own; everything is removed afterwards. The app's exit code."""
    from sftui import app

    home = tempfile.mkdtemp(prefix="sftui-demo-")
    agent: subprocess.Popen[bytes] | None = None
    try:
        store = make_store(home, observed=True)
        agent = spawn_agent(store, home=home)
        return app.run(store=store.root, cwd=store.cwd, session=None, readonly=readonly, ascii_signs=ascii_signs)
    finally:
        if agent is not None:
            stop_agent(agent)
        remove(home)


def remove(home: str) -> None:
    """Remove a demo, and what was kept for it outside of its store."""
    shutil.rmtree(store_home(os.path.join(os.path.realpath(home), "state-flow")), ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)


def stop_agent(agent: subprocess.Popen[bytes], patience: float = 3.0) -> None:
    """Let the agent finish what it is writing, then end it."""
    assert agent.stdin is not None
    agent.stdin.close()
    try:
        agent.wait(patience)
    except subprocess.TimeoutExpired:
        agent.kill()
        agent.wait()


def _publish(root: str, cwd: str, session: str, authored: Mapping[str, Any]) -> Snapshot:
    address = locate(root, cwd, session)
    return publish(address, authored, wanted=("global", "cwd", "session"), force_session=True).snapshot


def _begin_session(root: str, cwd: str, session: str, specification: str | None) -> None:
    """What an agent leaves when it starts a session: empty scopes where there are none, and its runtime record.

    Starting a session is an agent's act, not the engine's; so these few files are written here.
    """
    address = locate(root, cwd, session)
    origin = {"id": f"patch:{session.rpartition('_')[2]}", "position": 1, "parent": None}
    empty = {"id": f"{origin['id']}:empty", "position": 0, "parent": None}
    for scope in address.scopes:
        directory = address.scope_dir(scope)
        if os.path.exists(os.path.join(directory, META)):
            continue
        os.makedirs(directory, mode=0o700, exist_ok=True)
        meta: dict[str, Any] = {"version": 4, "artifacts": {}}
        meta["temporal"] = {"revision": 0, "checkpoint": empty, "patches": []}
        if scope == "cwd":
            meta["owner"] = {"cwd": cwd}
        _write(directory, CHECKPOINT, b"{}\n")
        _write(directory, PATCHES, b"")
        _write(directory, META, values.encode(meta) + b"\n")
    runtime: dict[str, Any] = {"version": 1, "lineage": [origin], "step": 0}
    runtime["identity"] = {"cwd": cwd, "sessionId": session.rpartition("_")[2]}
    if specification is not None:
        runtime["specification"] = specification
    _write(address.scope_dir("session"), CONFIG, b'{"mode":"active"}\n')
    _write(address.scope_dir("session"), RUNTIME, values.encode(runtime) + b"\n")


def _write(directory: str, name: str, data: bytes) -> None:
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


def _tear(path: str) -> None:
    """Leave a file as a machine does that loses power: its last line stops half way."""
    os.truncate(path, max(1, os.path.getsize(path) - 19))
