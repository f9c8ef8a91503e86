"""The real app in a tmux server of its own, looked at as a person looks at it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
import uuid

BAD = ("fenced", "Traceback", "broken")
PATIENCE_S = 20.0


class AppPane:
    """`look()` and `close()` give what is wrong on the screen, as lines of text; an empty list is good news."""

    def __init__(self, root: str, cwd: str, session: str, size: tuple[int, int] = (120, 40)) -> None:
        self.socket = f"sftui-soak-{uuid.uuid4().hex[:8]}"
        app = [sys.executable, "-m", "sftui", "--no-ledger", "--cwd", cwd, "--session", session, root]
        line = f"{shlex.join(app)}; echo left with $?; sleep 600"
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), line)
        self.screens: list[str] = []
        self.wait_for("live")

    def tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-L", self.socket, *words], capture_output=True, text=True, check=False)
        return done.stdout

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def wait_for(self, words: str, patience: float = PATIENCE_S) -> bool:
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if words in self.screen():
                return True
            time.sleep(0.1)
        return False

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
