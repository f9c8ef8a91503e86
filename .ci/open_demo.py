"""Run a shell line in a terminal of 80x24, wait for the app to draw itself, press q: 0 when it leaves with 0."""

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

import pyte

PATIENCE_S = 300  # installing is part of the line
SHOWN = "live"  # stands in the header once the store is on the screen


def main(line: str) -> int:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color"}
    child = subprocess.Popen(
        ["bash", "-c", line], stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
    )
    os.close(slave)
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    end = time.monotonic() + PATIENCE_S
    asked = False
    while time.monotonic() < end and child.poll() is None:
        if select.select([master], [], [], 0.2)[0]:
            try:
                stream.feed(os.read(master, 1 << 16))
            except OSError:
                break
        if not asked and any(SHOWN in row for row in screen.display):
            asked = True
            print("\n".join(screen.display))
            os.write(master, b"q")
    try:
        code = child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        code = 1
    if not asked:
        print("the app was never drawn:", *screen.display, sep="\n")
        return 1
    print("left with", code)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
