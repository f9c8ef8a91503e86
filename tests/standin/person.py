"""A person at the real app, beside everybody else: edits a value, reviews the draft, applies it, by keys alone.

Goes by what stands on the screen, and compares it with what is on the disk. Keeps to one key of one shared scope that
nobody else writes, so that its last value must be there at the end.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.ledger import Gap, MadeHere, TransitionSeen
from engine.ledger.lines import from_line
from tests.standin import disk
from tests.standin.app_pane import AppPane
from tests.standin.values import Refused

ROUND_S = 4.0
SOON_S = 30.0
WIDE = (120, 40)
# How much more than in its first third the app may hold in the last one: what an allocator leaves in pieces.
GROWTH = 1.2


class Wrong(Exception):
    """What the person did not find as it should be."""


@dataclass
class Person:
    """One person and one app. `report` is what a writer reports; `figures` is what was measured of the app."""

    root: str
    cwd: str
    session: str
    state: str
    name: str
    scope: str
    plane: str
    report: dict[str, Any] = field(init=False)
    figures: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.report = {"accepted": {self.scope: 0}, "steps": 0, "wrote": {self.scope: {}}}
        self.figures = {"edits": 0, "taken back": 0, "moved": 0}
        self.sizes: list[int] = []
        self.pane = AppPane(self.root, self.cwd, self.session, WIDE, state=self.state)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._live)

    @property
    def path(self) -> str:
        """The row that is this person's own, as the title of the details names it."""
        return f"{self.scope}.{self.plane}.note-{self.name}"

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> None:
        """Stop, close the app, and see what its ledger has."""
        self._stop.set()
        self._thread.join()
        size = self.pane.resident()
        if size is not None:
            self.sizes.append(size)
        self.problems += self.pane.close()
        self._count_what_was_seen()
        self._judge_memory()

    def _judge_memory(self) -> None:
        """What is kept of the past is bounded: once the bounds are reached, the app grows no more."""
        if not self.sizes:
            return
        third = max(1, len(self.sizes) // 3)
        first, last = max(self.sizes[:third]), max(self.sizes[-third:])
        told = ", ".join(f"{size / 1e6:.0f}" for size in (self.sizes[0], first, last))
        self.figures["memory of the app"] = f"{told} MB at the start, at most in the first third, at most in the last"
        if len(self.sizes) > 30 and last > first * GROWTH:
            self.problems.append(f"{self.name}: the app grows from {first} to {last} bytes")

    def _live(self) -> None:
        try:
            self._begin()
            while not self._stop.wait(ROUND_S):
                self._round()
        except Wrong as problem:
            self.problems.append(f"{self.name}: {problem}; the screen is\n{self.pane.screen()}")

    def _expect(self, words: str, what: str, *, gone: bool = False) -> None:
        if not self.pane.wait_for(words, SOON_S, gone=gone):
            raise Wrong(what)

    def _begin(self) -> None:
        """Make the row with `n`, apply it, and put the cursor on it."""
        self.pane.press("2")
        self._jump(f"{self.scope}.{self.plane}")
        self.pane.press("n")
        self._expect("use it", "no new row is asked for")
        self.pane.type(f"note-{self.name}")
        self.pane.press("Enter")
        self._expect(f"value of {self.path}", "no value is asked for")
        self._write("step 0")
        self._jump(self.path)

    def _jump(self, path: str) -> None:
        self.pane.press("'")
        self._expect("use it", "no path is asked for")
        self.pane.type(path)
        self.pane.press("Enter")
        self._expect(f"▏ {path}", f"the cursor did not go to {path}")

    def _round(self) -> None:
        """Edit and apply; every fourth time delete, and take that back."""
        self.report["steps"] += 1
        step = self.report["steps"]
        shown = self.pane.screen()
        self.problems += self.pane.look()
        size = self.pane.resident()
        if size is not None and step % 3 == 1:
            self.sizes.append(size)
        if f"▏ {self.path}" not in shown:
            raise Wrong(f"the cursor did not stay on {self.path}")
        if step % 4 == 0:
            self.pane.press("d")
            self._expect("draft 1", "the deletion is not in the draft")
            self.pane.press("U")
            self._expect("draft 1", "the deletion could not be taken back", gone=True)
            self.figures["taken back"] += 1
            return
        self.pane.press("e")
        self._expect("use it", "no value is asked for")
        self.pane.press("C-e", "C-u")
        time.sleep(0.5)  # as a person's hand does
        self._write(f"step {step}")

    def _write(self, text: str) -> None:
        """Type the value that is asked for, review, apply, and find it on the disk."""
        self.pane.type(text)
        self.pane.press("Enter")
        self._expect("draft 1", f"{text!r} is not in the draft")
        self.pane.press("p")
        self._expect("digest", "the review does not come")
        for _ in range(5):
            self.pane.press("Enter")
            if self._arrives(text):
                break
            if "memory has moved" not in self.pane.screen():
                raise Wrong(f"{text!r} was not written")
            self.figures["moved"] += 1
        else:
            raise Wrong(f"{text!r} was never written")
        self.report["accepted"][self.scope] += 1
        self.report["wrote"][self.scope] = {self.plane: {f"note-{self.name}": text}}
        self.figures["edits"] += 1
        self._expect("draft 1", "the draft did not end with its publication", gone=True)

    def _arrives(self, text: str) -> bool:
        end = time.monotonic() + SOON_S
        while time.monotonic() < end:
            if self._on_disk() == text:
                return True
            if "memory has moved" in self.pane.screen():
                return self._on_disk() == text
            time.sleep(0.1)
        return False

    def _on_disk(self) -> str | None:
        """The value as the stand-in's own rules read it; None while somebody is writing."""
        try:
            found = disk.read_scope(
                disk.scope_folder(self.root, self.cwd, self.session, self.scope), self.scope, self.cwd
            )
        except (Refused, OSError):
            return None
        text: str | None = None if found is None else found.now.get(self.plane, {}).get(f"note-{self.name}")
        return text

    def _count_what_was_seen(self) -> None:
        """Every transition since the app was opened must be in its ledger; a gap is what it missed."""
        seen, missed = 0, 0
        for folder, _, names in os.walk(self.state):
            for name in names:
                if name != "events.jsonl":
                    continue
                for line in Path(folder, name).read_bytes().splitlines():
                    match from_line(line):
                        case TransitionSeen() | MadeHere():
                            seen += 1
                        case Gap() as gap:
                            missed += gap.last - gap.first + 1
                            self.problems.append(
                                f"{self.name} missed {gap.scope} {gap.first} to {gap.last} ({gap.reason})"
                            )
        self.figures["transitions seen"], self.figures["missed"] = seen, missed
