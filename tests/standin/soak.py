"""Everybody at one store at once: `python -m tests.standin.soak --minutes 60 --writers 8 --app`.

One agent stand-in, our writers (a quarter of them through the command line), a watcher and, if wanted, the app in a
tmux of its own, or several (`--people 2`) at which people edit, review and apply. Ends with what went wrong, or nothing, and with the figures; leaves with 0 only if nothing did.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

from tests.standin import disk
from tests.standin.app_pane import AppPane
from tests.standin.person import Person
from tests.standin.values import Refused, merge, text

CWD = "/work/demo/app"
SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"
GRACE_S = 60


@dataclass
class Outcome:
    problems: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)


def start(module: str, root: str, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"tests.standin.{module}", "--root", root, "--cwd", CWD, *more]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **pipes)


def finish(name: str, process: subprocess.Popen[str], outcome: Outcome) -> dict[str, Any]:
    """Close its input, take its report; a process without one is a problem."""
    try:
        out, err = process.communicate(timeout=GRACE_S)
        report: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        process.kill()
        outcome.problems.append(f"{name} did not stop")
        return {}
    except (ValueError, IndexError):
        outcome.problems.append(f"{name} left with {process.returncode} and no report: {err.strip()[-500:]}")
        return {}
    for kind in ("refused", "failed", "fences", "mixed", "backwards", "foreign"):
        outcome.problems += [f"{name} {kind}: {what}" for what in report.get(kind, [])[:5]]
    return report


def soak(
    seconds: float,
    writers: int = 8,
    *,
    dialect: int = 4,
    app: bool = False,
    pause: float = 0.05,
    interval: float = 0.2,
    people: int = 0,
) -> Outcome:
    """Run everybody for that long on a fresh store, then check what is on the disk with the stand-in's own rules.

    `pause` is the longest that a writer waits between two patches, `interval` what the agent waits on average, in
    seconds. Each of the `people` has an app and edits by its keys.
    """
    outcome = Outcome()
    home = tempfile.mkdtemp(prefix="sftui-soak-")
    root = os.path.join(home, "state-flow")
    words = ("--dialect", str(dialect))
    agent = start("agent", root, "--session", SESSION, "--interval", str(interval), *words)
    assert agent.stdout is not None
    if agent.stdout.readline() != "ready\n":
        outcome.problems.append("the agent did not start")
        finish("agent", agent, outcome)
        return outcome
    monitor = start("monitor", root, "--session", SESSION, *words)
    crowd = {}
    for index in range(writers):
        name = f"w{index}"
        more = ("--name", name, "--pause", str(pause), *(["--command"] if index % 4 == 3 else []))
        crowd[name] = start("writer", root, *more, *words)
    pane = AppPane(root, CWD, SESSION) if app else None
    persons = [seat(root, home, index, dialect) for index in range(people)]
    for person in persons:
        person.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(min(1.0, max(0.0, end - time.monotonic())))
        if pane is not None:
            outcome.problems += pane.look()
        dead = [name for name, one in {"agent": agent, "monitor": monitor, **crowd}.items() if one.poll() is not None]
        if dead:
            outcome.problems.append(f"left early: {dead}")
            break
        if any(person.problems for person in persons):
            break
    for person in persons:
        person.finish()
    reports = {name: finish(name, process, outcome) for name, process in crowd.items()}
    reports["agent"] = finish("agent", agent, outcome)
    for person in persons:
        reports[person.name] = person.report
        outcome.problems += person.problems
        outcome.figures |= {f"{person.name}, {what}": value for what, value in person.figures.items()}
    time.sleep(0.5)  # the watcher shall see the last change too
    if pane is not None:
        outcome.problems += pane.close()
    watched = finish("monitor", monitor, outcome)
    check_end(root, reports, outcome)
    outcome.figures |= {"updates seen": watched.get("updates", 0), "of them busy": watched.get("busy", 0)}
    outcome.figures["adopted by the agent"] = reports["agent"].get("adopted", 0)
    if outcome.problems:
        outcome.figures["store kept at"] = root
    else:
        shutil.rmtree(home)
    return outcome


def seat(root: str, home: str, index: int, dialect: int) -> Person:
    """A person with an app of their own, at the cwd scope or at the global one."""
    name, scope = f"p{index}", ("cwd", "global")[index % 2]
    plane = "tactics" if dialect == 4 else "working"
    return Person(root, CWD, SESSION, os.path.join(home, f"state-{name}"), name, scope, plane)


def check_end(root: str, reports: dict[str, dict[str, Any]], outcome: Outcome) -> None:
    """Revisions are the sums of what was accepted, everybody's last values are there, nothing is left lying about."""
    try:
        cohort = disk.read_cohort(root, CWD, SESSION)
    except Refused as problem:
        outcome.problems.append(f"the store at the end: {problem}")
        return
    for scope in disk.SCOPES:
        accepted = sum(report.get("accepted", {}).get(scope, 0) for report in reports.values())
        revision = cohort.scopes[scope].revision
        outcome.figures[f"{scope} revision"] = revision
        if accepted != revision:
            outcome.problems.append(f"{scope} is at revision {revision}, but {accepted} patches were accepted")
        now = cohort.scopes[scope].now
        for name, report in reports.items():
            mine = report.get("wrote", {}).get(scope, {})
            if mine and text(merge(now, mine)) != text(now) and name != "agent":
                outcome.problems.append(f"accepted values of {name} are not in {scope}")
    left = [name for _, _, files in os.walk(root) for name in files if name.startswith(".")]
    if left:
        outcome.problems.append(f"left in the store: {left}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--minutes", type=float, default=2.0)
    arguments.add_argument("--writers", type=int, default=8)
    arguments.add_argument("--dialect", type=int, default=4, choices=(2, 4))
    arguments.add_argument("--pause", type=float, default=0.05, help="longest seconds between a writer's patches")
    arguments.add_argument("--interval", type=float, default=0.2, help="seconds between the agent's steps, on average")
    arguments.add_argument("--app", action="store_true", help="with the app open in a tmux of its own")
    arguments.add_argument("--people", type=int, default=0, help="apps at each of which a person edits, by its keys")
    options = arguments.parse_args()
    outcome = soak(
        options.minutes * 60,
        options.writers,
        dialect=options.dialect,
        app=options.app,
        pause=options.pause,
        interval=options.interval,
        people=options.people,
    )
    for name, value in outcome.figures.items():
        print(f"{name}: {value}")
    print("\n".join(outcome.problems) or "nothing went wrong")
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    sys.exit(main())
