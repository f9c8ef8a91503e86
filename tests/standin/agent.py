"""A process that behaves as an agent does with its session: `python -m tests.standin.agent --help`.

It keeps its last cohort in memory, refuses to go on when one of its five session files changed under it, adopts what
others did to the shared scopes, writes temporaries and renames them one after another without flushing, and checks
everything that it reads. When told to stop (end of input) it prints a report as one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.standin import disk
from tests.standin.values import Refused, difference, merge, prune, text

LOCK = ".state-flow-publication.lock"
POLL_S = 0.025
EMPTY_S = 2.0


@contextmanager
def locked(root: str) -> Iterator[float]:
    """The publication lock as the agent takes it; gives the seconds that were spent waiting."""
    path = os.path.join(root, LOCK)
    began = time.monotonic()
    empty_since: float | None = None
    while True:
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            break
        except FileExistsError:
            empty_since = wait_for_owner(path, empty_since)
    with os.fdopen(descriptor, "wb") as file:
        file.write(b"%d\n" % os.getpid())
        made = os.fstat(file.fileno()).st_ino
    try:
        yield time.monotonic() - began
    finally:
        if os.stat(path).st_ino != made or disk.read_bytes(path) != b"%d\n" % os.getpid():
            raise Refused("the lock was taken from under the agent")
        os.unlink(path)


def wait_for_owner(path: str, empty_since: float | None) -> float | None:
    """One look at somebody's lock and one pause; the moment since when it has been empty, if it is."""
    content = disk.read_bytes(path)
    time.sleep(POLL_S)
    if content is None:
        return None
    if content == b"":
        if empty_since is not None and time.monotonic() - empty_since > EMPTY_S:
            raise Refused("an empty lock stays")
        return empty_since or time.monotonic()
    if not (content.endswith(b"\n") and content[:-1].isdigit() and not content.startswith(b"0")):
        raise Refused(f"odd lock {content!r}")
    try:
        os.kill(int(content), 0)
    except PermissionError:
        pass
    except ProcessLookupError:
        time.sleep(POLL_S)
        if disk.read_bytes(path) == content:  # it may have just released
            raise Refused(f"lock of dead process {content!r}") from None
    return None


def put(folder: str, name: str, content: str) -> None:
    """Write beside the target and rename over it, where the bytes differ. No flush, as the agent does it."""
    target = os.path.join(folder, name)
    data = content.encode()
    if disk.read_bytes(target) == data:
        return
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{uuid.uuid4()}.tmp")
    with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(data)
    os.rename(temporary, target)


@dataclass
class Agent:
    """One session and what its agent remembers of it between two publications."""

    root: str
    cwd: str
    session: str
    dialect: int
    limit: int = disk.LIMIT
    cached: dict[str, str] = field(default_factory=dict)
    report: dict[str, Any] = field(
        default_factory=lambda: {
            "accepted": dict.fromkeys(disk.SCOPES, 0),
            "transitions": [],
            "steps": 0,
            "adopted": 0,
            "refused": [],
        }
    )
    wrote: dict[str, dict[str, Any]] = field(default_factory=lambda: {scope: {} for scope in disk.SCOPES})

    def folder(self, scope: str) -> str:
        return disk.scope_folder(self.root, self.cwd, self.session, scope)

    def create(self) -> None:
        """Make the session and whatever shared scope is not there yet, on a fresh origin."""
        os.makedirs(self.folder("session"), mode=0o700, exist_ok=True)
        with locked(self.root):
            shared = [disk.read_scope(self.folder(name), name, self.cwd) for name in ("global", "cwd")]
            top = max((b["position"] for scope in shared if scope for b in scope.boundaries), default=0)
            origin = {"id": f"patch:{uuid.uuid4()}", "position": top + 1, "parent": None}
            empty = {"id": f"{origin['id']}:empty", "position": 0, "parent": None}
            for name, found in zip(disk.SCOPES, (*shared, None), strict=True):
                if found is not None:
                    continue
                temporal = {"revision": 0, "checkpoint": empty, "patches": []}
                meta: dict[str, Any] = {"version": self.dialect, "artifacts": {}, "temporal": temporal}
                if name == "cwd":
                    meta["owner"] = {"cwd": self.cwd}
                put(self.folder(name), "checkpoint.json", "{}\n")
                put(self.folder(name), "patches.jsonl", "")
                put(self.folder(name), "meta.json", text(meta) + "\n")
            identity = {"cwd": self.cwd, "sessionId": self.session.rpartition("_")[2]}
            runtime = {"version": 1, "identity": identity, "lineage": [origin], "step": 0}
            put(self.folder("session"), "config.json", '{"mode":"active"}\n')
            put(self.folder("session"), "runtime.json", text(runtime) + "\n")
            self.select()

    def select(self) -> disk.Cohort:
        """Read all and hold on to it: what selecting a mode does, also after a refusal."""
        cohort = disk.read_cohort(self.root, self.cwd, self.session, {"id": f"files:reconcile:{uuid.uuid4()}"})
        self.cached = cohort.hashes
        self.report["adopted"] += cohort.adopted
        return cohort

    def patch(self, authored: dict[str, dict[str, Any]]) -> None:
        """Publish as the agent does. Raises Refused, with nothing written, when its session moved under it."""
        with locked(self.root):
            if disk.session_hashes(self.folder("session")) != self.cached:
                raise Refused("the session's files changed under its agent")
            cohort = self.select()
            self.check_presence(cohort)
            last = cohort.lineage[-1]
            boundary = {"id": str(uuid.uuid4()), "position": last["position"] + 1, "parent": last["id"]}
            after = {name: prune(merge(cohort.scopes[name].now, authored[name])) for name in authored}
            net = {name: difference(cohort.scopes[name].now, after[name]) for name in authored}
            changed = [name for name in disk.SCOPES if net.get(name)]
            if not changed:
                return
            for name in changed:
                disk.check_state(after[name], self.dialect, name)
                advance(cohort.scopes[name], boundary, net[name], self.limit)
            self.write(cohort, boundary, changed)
            self.cached = disk.session_hashes(self.folder("session"))
        for name in changed:
            self.report["accepted"][name] += 1
            digest = hashlib.sha256(text(net[name]).encode()).hexdigest()
            self.report["transitions"].append([name, cohort.scopes[name].revision, boundary["id"], digest])
            self.wrote[name] = merge(self.wrote[name], authored[name])

    def write(self, cohort: disk.Cohort, boundary: disk.Boundary, changed: list[str]) -> None:
        for name in changed:
            scope = cohort.scopes[name]
            put(self.folder(name), "checkpoint.json", text(scope.checkpoint) + "\n")
            put(self.folder(name), "patches.jsonl", "".join(text(record) + "\n" for record in scope.records))
        for name in changed:
            put(self.folder(name), "meta.json", text(cohort.scopes[name].meta) + "\n")
        runtime = {
            **cohort.runtime,
            "lineage": [*cohort.lineage, boundary][-self.limit - 1 :],
            "step": cohort.runtime["step"] + 1,
        }
        put(self.folder("session"), "runtime.json", text(runtime) + "\n")

    def check_presence(self, cohort: disk.Cohort) -> None:
        """Every value that was accepted from this agent is still there: nobody else writes below its keys."""
        for name, mine in self.wrote.items():
            now = cohort.scopes[name].now
            if text(prune(merge(now, mine))) != text(prune(now)):
                raise Refused(f"an accepted patch is gone from {name}")


def advance(scope: disk.Scope, boundary: disk.Boundary, net: dict[str, Any], limit: int) -> None:
    temporal = scope.meta["temporal"]
    temporal["revision"] = scope.revision + 1
    scope.records.append(net)
    temporal["patches"].append(boundary)
    while len(scope.records) > limit:
        scope.checkpoint = merge(scope.checkpoint, scope.records.pop(0))
        temporal["checkpoint"] = temporal["patches"].pop(0)


def plan(step: int, plane: str) -> dict[str, dict[str, Any]]:
    """What the agent writes in its nth step: mostly its session, now and then a shared scope, or two at once."""
    mine: dict[str, Any] = {
        plane: {"agent": {"step": step, "note": f"step {step}: \u00e9\u4e16\U0001f600"}},
        "lazy": {"log": {f"k{step % 40}": f"what step {step} found " * 20}},
    }
    mine["intents"] = {"work": {"goal": f"goal of step {step}"} if step % 7 else None}
    authored = {"session": mine}
    if step % 3 == 0:
        authored["cwd"] = {plane: {"agent": {"step": step}}}
    if step % 5 == 0:
        for name in ("global", "cwd"):
            authored.setdefault(name, {}).setdefault(plane, {})["pair"] = {"agent": step}
    return authored


def stop_with_input() -> threading.Event:
    """An event that is set once our input ends: when whoever started us closes it, or is gone."""
    stop = threading.Event()

    def follow() -> None:
        sys.stdin.read()
        stop.set()

    threading.Thread(target=follow, daemon=True).start()
    return stop


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "cwd", "session"):
        arguments.add_argument(f"--{name}", required=True)
    arguments.add_argument("--dialect", type=int, default=4, choices=(2, 4))
    arguments.add_argument("--interval", type=float, default=0.2, help="seconds between two steps, on average")
    options = arguments.parse_args()
    agent = Agent(options.root, options.cwd, options.session, options.dialect)
    plane = "tactics" if options.dialect == 4 else "working"
    stop = stop_with_input()
    chance = random.Random(options.session)
    agent.create()
    print("ready", flush=True)
    while not stop.is_set():
        agent.report["steps"] += 1
        try:
            agent.patch(plan(agent.report["steps"], plane))
        except Refused as problem:
            agent.report["refused"].append(str(problem))
            try:
                agent.select()
            except Refused as worse:
                agent.report["refused"].append(f"and cannot reopen: {worse}")
                break
        stop.wait(options.interval * (0.5 + chance.random()))
    foreign = sorted(name for name in sys.modules if name.partition(".")[0] in {"engine", "sftui", "orjson"})
    print(json.dumps({**agent.report, "wrote": agent.wrote, "foreign": foreign}), flush=True)
    return 1 if agent.report["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
