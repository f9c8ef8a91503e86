"""A program in a terminal of its own, and the moments at which its bytes arrive."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from types import TracebackType
from typing import Self

from benchmarks.measure import environment


class Terminal:
    """Run Python with these arguments on a pty. What it writes is kept in `seen`, undecoded."""

    def __init__(self, *words: str, columns: int = 120, rows: int = 40) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        env = environment(TERM="xterm-256color", COLORTERM="truecolor")
        self.started = time.perf_counter()
        command = [sys.executable, *words]
        self.child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
        os.close(slave)
        self.seen = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.child.poll() is None:
            self.child.terminate()
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        os.close(self.master)

    def pump(self, patience: float) -> bool:
        """Take what has arrived, waiting so long for the first of it; False when nothing came."""
        if not select.select([self.master], [], [], patience)[0]:
            return False
        try:
            data = os.read(self.master, 1 << 20)
        except OSError:
            return False
        self.seen += data
        if b"\x1b[6n" in data or b"\x1b[c" in data:
            os.write(self.master, b"\x1b[1;1R")  # a terminal answers where its cursor is
        return bool(data)

    def until(self, words: bytes, patience: float = 30.0, since: int = 0) -> float:
        """The moment (perf_counter) at which these bytes had arrived; TimeoutError when they do not."""
        end = time.perf_counter() + patience
        while words not in self.seen[max(0, since - len(words)) :]:
            if time.perf_counter() > end or not (self.pump(0.5) or self.child.poll() is None):
                raise TimeoutError(f"{words!r} never came; the last bytes were {bytes(self.seen[-2000:])!r}")
        return time.perf_counter()

    def settle(self, quiet: float = 0.3, patience: float = 30.0) -> None:
        """Wait until nothing more has arrived for so long."""
        end = time.perf_counter() + patience
        while self.pump(quiet) and time.perf_counter() < end:
            pass

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)
