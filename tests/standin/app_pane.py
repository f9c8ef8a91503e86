"""The real app in a tmux server of its own, looked at as a person looks at it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
import uuid
from pathlib import Path

BAD = ("fenced", "Traceback", "broken", "Internal error")
PATIENCE_S = 20.0


class AppPane:
    """`look()` and `close()` give what is wrong on the screen, as lines of text; an empty list is good news.

    With a `state` directory the app keeps its ledger and its drafts there; without one it keeps no ledger.
    """

    def __init__(
        self, root: str, cwd: str, session: str, size: tuple[int, int] = (120, 40), *, state: str | None = None
    ) -> None:
        self.socket = f"sftui-soak-{uuid.uuid4().hex[:8]}"
        app = [sys.executable, "-m", "sftui", "--cwd", cwd, "--session", session, root]
        app = [*app, "--no-ledger"] if state is None else ["env", f"XDG_STATE_HOME={state}", *app]
        line = f"{shlex.join(app)}; echo left with $?; sleep 600"
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), line)
        self.screens: list[str] = []
        self.wait_for("live")

    def tmux(self, *words: str) -> str:
        # Our own environment and no more: readline, where it was loaded, adds a size to that of the process.
        environ = dict(os.environ)
        command = ["tmux", "-L", self.socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environ).stdout

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def wait_for(self, words: str, patience: float = PATIENCE_S, *, gone: bool = False) -> bool:
        """Wait until the screen holds a text, or with `gone` until it does not."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if (words in self.screen()) is not gone:
                return True
            time.sleep(0.1)
        return False

    def resident(self) -> int | None:
        """The bytes of memory that the app holds; None where the system does not say."""
        try:
            shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
            pid = Path(f"/proc/{shell}/task/{shell}/children").read_text("ascii").split()[0]
            pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def look(self) -> list[str]:
        shown = self.screen()
        if len(self.screens) < 2 or self.screens[-1] != shown:
            self.screens = [*self.screens[-1:], shown]
        return [f"the app shows {word!r}:\n{shown}" for word in BAD if word in shown][:1]

    def close(self) -> list[str]:
        problems = [] if len(self.screens) > 1 else ["the app's screen never changed"]
        self.press("q")
        if not self.wait_for("left with 0"):
            problems.append(f"the app did not leave with 0:\n{self.screen()}")
        self.tmux("kill-server")
        return problems
