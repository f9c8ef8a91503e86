"""The app in a real pseudo-terminal: what it sends, and the screen that it makes of it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import pyte

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Terminal:
    """Runs `python -m sftui ARGUMENTS` in a pseudo-terminal of the given size.

    `errors` is a file for standard error, or "closed".
    """

    def __init__(
        self,
        *arguments: str,
        columns: int = 80,
        lines: int = 24,
        environ: dict[str, str] | None = None,
        errors: str | None = None,
    ) -> None:
        self.raw = bytearray()
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            # Whatever started the tests may have had signals ignored; what is tested must not inherit that.
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            # Before the app starts: it looks at the size once, to choose its first screen.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            if errors == "closed":
                os.close(2)
            elif errors is not None:
                os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT, 0o600), 2)
            surroundings = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": REPOSITORY, **(environ or {})}
            os.execve(sys.executable, [sys.executable, "-m", "sftui", *arguments], surroundings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self.descriptor, keys.encode())

    def pump(self, seconds: float) -> None:
        """Take in what is sent for some time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            ready, _, _ = select.select([self.descriptor], [], [], left)
            if not ready:
                return
            try:
                data = os.read(self.descriptor, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.raw += data
            self._stream.feed(data)

    def settle(self, seconds: float = 0.4, *, quiet: float = 0.08) -> None:
        """Take in what a key brings: at most so long until it begins to come, then until nothing more comes."""
        before = len(self.raw)
        until = time.monotonic() + seconds
        while len(self.raw) == before and (left := until - time.monotonic()) > 0:
            self.pump(min(quiet, left))
        until = time.monotonic() + 10 * seconds
        while time.monotonic() < until:
            before = len(self.raw)
            self.pump(quiet)
            if len(self.raw) == before:
                return

    @property
    def is_running(self) -> bool:
        """Whether the app has not ended. Once it has, what is sent is only echoed."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self.screen.display)

    def wait_for(self, wanted: str | Callable[[str], bool], seconds: float = 20.0) -> str:
        """Wait until the screen holds a text; gives the screen. Fails with the screen if it does not come."""
        holds = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        until = time.monotonic() + seconds
        while not holds(self.text):
            if time.monotonic() > until:
                raise AssertionError(f"{wanted!r} did not come; the screen is\n{self.text}")
            self.pump(0.1)
        return self.text

    def close(self) -> None:
        """End the app."""
        try:
            os.kill(self.pid, signal.SIGTERM)
            for _ in range(40):
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    break
                time.sleep(0.05)
            else:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.descriptor)
