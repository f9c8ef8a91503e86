"""What a cold command costs, start of Python included."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Figure, alternate, child, ratio, show
from benchmarks.stores import KB, MB, Place, store

_STRICT = """
import json, os, sys
def pairs(found):
    return dict(found)
def refuse(word):
    raise ValueError(word)
source, target = sys.argv[1:]
with open(source, 'rb') as file:
    value = json.loads(file.read().decode(), object_pairs_hook=pairs, parse_constant=refuse)
with open(target, 'wb') as file:
    file.write(json.dumps(value, separators=(',', ':'), ensure_ascii=False).encode())
    file.flush()
    os.fsync(file.fileno())
"""
PYTHON_PLUS_S = 0.060
SFTUI = ("-c", "import sys; from sftui.cli import main; sys.exit(main())")
"""What the installed script does, without asking whether it is installed."""


def patch() -> Iterator[Figure]:
    """`sftui patch` of one key, the tail full, in a process of its own."""
    with store(10 * MB) as place:
        source = place.file("cwd", "checkpoint.json")
        target = place.root + ".copy"
        ours, theirs = alternate(Patch(place), lambda: child("-c", _STRICT, source, target), rounds=5)
        what = "python start + strict parse + dump + fsync"
        yield ratio("sftui patch of one key, cold, 10 MB", 1.2, ours, theirs, what)
    with store(10 * KB) as place:
        ours, theirs = alternate(Patch(place), lambda: child("-c", "pass"), rounds=15)
        detail = f"{show(ours)}; python start alone {show(theirs)}"
        yield Figure(
            "sftui patch of one key, cold, 10 kB, above python start",
            (ours - theirs) * 1e3,
            PYTHON_PLUS_S * 1e3,
            "ms",
            detail,
        )


def status() -> Iterator[Figure]:
    """`sftui status` on a small store."""
    with store(10 * KB) as place:
        words = (*SFTUI, "status", "--store", place.root, "--cwd", place.cwd, "--session", place.session)
        ours, theirs = alternate(lambda: child(*words), lambda: child("-c", "import json"), rounds=21)
        yield ratio("sftui status, 10 kB", 6, ours, theirs, 'python -c "import json"')


class Patch:
    """Each call runs the command once, with a value that was not there before."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.step = 0

    def __call__(self) -> None:
        self.step += 1
        text = b'{"cwd": {"tactics": {"next": "step %d"}}}' % self.step
        child(*SFTUI, "patch", "--store", self.place.root, "--cwd", self.place.cwd, "-", input=text)
