"""Drafts on disk: private, whole or as before, held by one process, offered when nobody holds them."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Draft, PreImage, Put, Raw, Remove, Step, Transfer
from engine.store import files
from engine.store.layout import Address, locate, store_home
from sftui.drafts import Drafts, Saved
from tests.app.terminal import REPOSITORY

SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"
NOTHING = PreImage(exists=False)


def setting(value: Any, *path: str) -> Draft:
    return Draft((Step(Put("cwd", path or ("tactics", "next"), value, NOTHING)),))


@pytest.fixture
def address(tmp_path: Path) -> Address:
    return locate(str(tmp_path / "store"), str(tmp_path / "app"), SESSION)


@pytest.fixture
def drafts(address: Address) -> Drafts:
    return Drafts(address.root)


def names(drafts: Drafts) -> set[str]:
    """What lies in the directory, without the guard of the whole."""
    return {name for name in os.listdir(drafts.directory) if name != "drafts.guard"}


def test_a_draft_comes_back_as_it_was(drafts: Drafts, address: Address) -> None:
    draft = Draft(
        (
            Step(
                Put(
                    "cwd", ("lazy", "\ud800", 3), {"big": 10**400, "small": 0.1}, PreImage(exists=True, value=[1, None])
                )
            ),
            Step(
                Remove("global", ("strategy", "api"), PreImage(exists=True, value="v1")),
                ticked=False,
                note="undo of g3",
            ),
            Step(Transfer("session", ("a", "b"), "cwd", ("a", "c"), NOTHING, NOTHING, keep=True, along=False)),
            Step(Raw({"cwd": {"tactics": None}}, (("cwd", ("tactics",), NOTHING),))),
        )
    )
    file = drafts.open()
    file.save(address, draft)
    file.release()
    (saved,) = drafts.orphans()
    assert saved.draft == draft
    assert saved.address == address
    assert abs(saved.at - time.time()) < 60


def test_a_root_whose_name_is_no_text_comes_back(tmp_path: Path) -> None:
    root = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff\xfe")
    drafts = Drafts(root)
    file = drafts.open()
    file.save(locate(root, "/work/\udcff"), setting(1))
    file.release()
    assert drafts.orphans()[0].address == locate(root, "/work/\udcff")


def test_nobody_else_may_read_it(drafts: Drafts, address: Address, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        file = drafts.open()
        file.save(address, setting(1))
        file.save(address, setting(2))
    finally:
        os.umask(before)
    home = Path(os.environ["XDG_STATE_HOME"]) / "sftui"
    found = {path: path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}
    assert {mode for path, mode in found.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in found.items() if path.is_file()} == {0o600}
    assert drafts.directory.startswith(store_home(address.root))
    assert not os.path.exists(address.root), "nothing is made in the store"


def test_what_is_held_is_not_offered_and_what_is_discarded_leaves_nothing(drafts: Drafts, address: Address) -> None:
    one, two = drafts.open(), drafts.open()
    one.save(address, setting("one"))
    two.save(address, setting("two"))
    assert drafts.orphans() == ()
    assert drafts.claim(one.name) is None
    one.release()
    assert [saved.draft for saved in drafts.orphans()] == [setting("one")]
    claimed = drafts.claim(one.name)
    assert claimed is not None
    assert drafts.orphans() == ()
    assert drafts.claim(one.name) is None
    claimed[0].save(address, setting("three"))
    claimed[0].discard()
    two.discard()
    assert names(drafts) == set()
    assert drafts.claim(one.name) is None


def test_the_newest_is_offered_first(drafts: Drafts, address: Address) -> None:
    for number in range(3):
        file = drafts.open()
        file.save(address, setting(number))
        os.utime(file.path, (1000 + number, 1000 + number))
        file.release()
    assert [saved.draft for saved in drafts.orphans()] == [setting(2), setting(1), setting(0)]


def test_each_store_has_its_own(drafts: Drafts, address: Address, tmp_path: Path) -> None:
    file = drafts.open()
    file.save(address, setting(1))
    file.release()
    assert Drafts(str(tmp_path / "another")).orphans() == ()


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 40, b"[]", b'{"version":1}', b'{"version":2,"root":"/","draft":{}}', b'{"version":1,"root":7,"draft":{}}',
     b'{"version":1,"root":"/s","cwd":"/a","session":"../x","draft":{"version":1,"steps":[]}}',
     b'{"version":1,"root":"/s","cwd":null,"key":null,"session":null,"draft":{"version":1,"steps":[{"act":"set"}]}}'],
)  # fmt: skip
def test_a_file_that_is_no_draft_is_told_and_kept(drafts: Drafts, address: Address, data: bytes) -> None:
    good = drafts.open()
    good.save(address, setting(1))
    good.release()
    bad = Path(drafts.directory, "bad.json")
    bad.write_bytes(data)
    found = {saved.name: saved for saved in drafts.orphans()}
    assert found[good.name].draft == setting(1)
    assert found["bad"].draft is None
    assert "bad.json" in found["bad"].problem
    assert drafts.claim("bad") is None
    assert bad.read_bytes() == data


def test_a_link_is_not_followed(drafts: Drafts, tmp_path: Path) -> None:
    drafts.open().release()
    (tmp_path / "secret").write_text("{}")
    os.symlink(tmp_path / "secret", Path(drafts.directory, "bad.json"))
    (saved,) = drafts.orphans()
    assert saved.draft is None


# A disk that fails.


@pytest.mark.parametrize("call", ["open", "write", "fsync", "rename"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_failed_save_leaves_the_old_draft_and_nothing_temporary(
    drafts: Drafts, address: Address, call: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = drafts.open()
    file.save(address, setting("old"))
    before = Path(file.path).read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(files, call, fail)
        with pytest.raises(OSError, match=os.strerror(number)):
            file.save(address, setting("new"))
    assert Path(file.path).read_bytes() == before
    assert names(drafts) == {f"{file.name}.json", f"{file.name}.lock"}
    file.save(address, setting("new"))
    file.release()
    assert drafts.orphans()[0].draft == setting("new")


def test_a_write_that_stops_short_goes_on(drafts: Drafts, address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "write", lambda descriptor, data: os.write(descriptor, bytes(data)[:7]))
    file = drafts.open()
    file.save(address, setting("x" * 100))
    file.release()
    assert drafts.orphans()[0].draft == setting("x" * 100)


FULL = textwrap.dedent(
    """
    import os, sys
    sys.path.insert(0, sys.argv[1])
    os.environ["XDG_STATE_HOME"] = sys.argv[2]
    from engine.memory.draft import Draft, PreImage, Put, Step
    from engine.store.layout import locate
    from sftui.drafts import Drafts
    address = locate("/nowhere", "/work/app")
    drafts = Drafts(address.root)
    file = drafts.open()
    size, refused = 1000, ""
    while not refused:
        draft = Draft((Step(Put("cwd", ("lazy", "x"), "x" * size, PreImage(exists=False))),))
        try:
            file.save(address, draft)
        except OSError as error:
            refused = error.strerror
        else:
            size += 3000
    left = sorted(name.split(".")[1] for name in os.listdir(drafts.directory))
    file.release()
    (saved,) = drafts.orphans()
    print(refused, len(saved.draft.steps[0].operation.value) == size - 3000, left, sep="|")
    """
)


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """A file system of 64 kB where one may be mounted, else a limit on how large a file may grow: both are real."""
    home = tmp_path / "state"
    home.mkdir()
    python = [sys.executable, "-c", FULL, REPOSITORY, str(home)]
    unshare = shutil.which("unshare")
    done = None
    if unshare is not None:
        script = f'mount -t tmpfs -o size=64k tmpfs {home} && exec "$@"'
        done = subprocess.run([unshare, "-Urm", "sh", "-c", script, "sh", *python], capture_output=True, text=True)
    if done is None or done.returncode:
        done = subprocess.run(["sh", "-c", 'ulimit -f 40 && exec "$@"', "sh", *python], capture_output=True, text=True)
    refused, whole, left = done.stdout.strip().split("|")
    assert refused in {os.strerror(errno.ENOSPC), os.strerror(errno.EFBIG)}
    assert whole == "True"
    assert left == "['guard', 'json', 'lock']"


# Processes that end.

HOLDER = textwrap.dedent(
    """
    import sys, time
    sys.path.insert(0, sys.argv[1])
    from engine.memory.draft import Draft, PreImage, Put, Step
    from engine.store.layout import locate
    from sftui.drafts import Drafts
    address = locate(sys.argv[2], "/work/app")
    file = Drafts(address.root).open()
    number = 0
    while True:
        text = str(number) * 20_000
        file.save(address, Draft((Step(Put("cwd", ("lazy", "x"), [number, text], PreImage(exists=False))),)))
        if number == 0:
            print(file.name, flush=True)
        number += 1
        if sys.argv[3] == "once":
            time.sleep(60)
    """
)


@pytest.fixture
def holders(address: Address) -> Iterator[Any]:
    running: list[subprocess.Popen[str]] = []

    def begin(how: str) -> tuple[subprocess.Popen[str], str]:
        child = subprocess.Popen(
            [sys.executable, "-c", HOLDER, REPOSITORY, address.root, how], stdout=subprocess.PIPE, text=True
        )
        running.append(child)
        assert child.stdout is not None
        return child, child.stdout.readline().strip()

    yield begin
    for child in running:
        child.kill()
        child.wait()


def test_another_living_process_keeps_its_draft(drafts: Drafts, holders: Any) -> None:
    child, name = holders("once")
    other, second = holders("once")
    assert drafts.orphans() == ()
    assert drafts.claim(name) is None
    child.kill()
    child.wait()
    assert [saved.name for saved in drafts.orphans()] == [name]
    assert drafts.claim(second) is None
    claimed = drafts.claim(name)
    assert claimed is not None
    claimed[0].discard()
    assert other.poll() is None


@pytest.mark.parametrize("seed", range(12))
def test_whenever_a_process_is_killed_one_whole_draft_is_left(drafts: Drafts, holders: Any, seed: int) -> None:
    child, name = holders("many")
    time.sleep(random.Random(seed).uniform(0.0, 0.05))
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    (saved,) = drafts.orphans()
    assert saved.name == name
    assert saved.draft is not None
    number, text = saved.draft.steps[0].operation.value  # type: ignore[union-attr, misc]
    assert text == str(number) * 20_000
    assert names(drafts) == {f"{name}.json", f"{name}.lock"}, "what was half written is cleared away"
    assert json.loads(Path(drafts.directory, f"{name}.json").read_bytes())["version"] == 1


def test_what_a_killed_process_had_only_begun_is_cleared_away(drafts: Drafts) -> None:
    drafts.open().release()
    for name in ("ghost.tmp", "ghost.lock", "other.lock"):
        Path(drafts.directory, name).write_bytes(b"x")
    assert drafts.orphans() == ()
    assert names(drafts) == set()


def test_a_pipe_among_the_drafts_is_not_waited_for(drafts: Drafts) -> None:
    drafts.open().release()
    os.mkfifo(os.path.join(drafts.directory, "odd.json"))
    found: list[object] = []
    reader = threading.Thread(target=lambda: found.extend(drafts.orphans()), daemon=True)
    reader.start()
    reader.join(5)
    assert not reader.is_alive()
    (saved,) = found
    assert isinstance(saved, Saved)
    assert (saved.name, saved.draft) == ("odd", None)
    assert "a FIFO stands where a file belongs" in saved.problem
    # Nor is it in anybody's way.
    drafts.open().discard()
