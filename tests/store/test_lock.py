"""The publication lock: who waits for whom, who is told, and what is never taken away."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import Busy, Cancelled, Fenced, StoreFailure
from engine.store import files, lock, lockstate, processes
from engine.store.lock import LOCK_NAME, LockState, acquire, inspect
from tests.store.building import ended, in_child

DEAD = 2_147_483_000


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(tmp_path)


@pytest.fixture
def alive() -> Iterator[int]:
    """A process that lives until the test is over."""
    pid = os.fork()
    if pid == 0:
        signal.pause()
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def leave(root: str, content: bytes) -> Path:
    path = Path(root, LOCK_NAME)
    path.write_bytes(content)
    return path


def test_a_lock_is_made_as_the_format_says_and_goes_again(root: str) -> None:
    path = Path(root, LOCK_NAME)
    with acquire(root) as held:
        assert path.read_bytes() == b"%d\n" % os.getpid()
        assert path.stat().st_mode & 0o777 == 0o600
        assert inspect(root).kind == "held"
        assert inspect(root).inode == held.mark()
    assert not path.exists()
    assert inspect(root).kind == "free"


def test_releasing_twice_is_releasing_once(root: str) -> None:
    held = acquire(root)
    assert held.release() is None
    with acquire(root):
        assert held.release() is None
        assert inspect(root).kind == "held"


def test_threads_of_one_process_take_turns_in_order(root: str) -> None:
    order: list[int] = []
    first = acquire(root)
    threads = []
    for number in range(5):
        thread = threading.Thread(target=lambda number=number: _turn(root, order, number))
        thread.start()
        threads.append(thread)
        time.sleep(0.03)
    assert order == []
    first.release()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def _turn(root: str, order: list[int], number: int) -> None:
    with acquire(root):
        order.append(number)


def test_a_live_owner_is_waited_for_and_named(root: str, alive: int) -> None:
    path = leave(root, b"%d\n" % alive)
    told: list[LockState] = []
    threading.Timer(0.2, path.unlink).start()
    began = time.monotonic()
    acquire(root, on_wait=told.append).release()
    assert 0.15 < time.monotonic() - began < 2
    assert told[0].pid == alive
    assert told[0].age_s is not None
    assert told[0].age_s < 5


def test_waiting_ends_when_it_is_cancelled(root: str, alive: int) -> None:
    path = leave(root, b"%d\n" % alive)
    cancel = threading.Event()
    threading.Timer(0.1, cancel.set).start()
    with pytest.raises(Cancelled):
        acquire(root, cancel=cancel)
    assert path.read_bytes() == b"%d\n" % alive


def test_waiting_in_the_own_queue_can_be_cancelled_too(root: str) -> None:
    cancel = threading.Event()
    with acquire(root):
        threading.Timer(0.1, cancel.set).start()
        with pytest.raises(Cancelled):
            acquire(root, cancel=cancel)
    acquire(root, timeout=1).release()


def test_waiting_ends_when_the_time_is_over(root: str, alive: int) -> None:
    leave(root, b"%d\n" % alive)
    with pytest.raises(Busy) as caught:
        acquire(root, timeout=0.1)
    assert str(alive) in str(caught.value)


def test_a_dead_owner_is_named_at_once_and_not_robbed(root: str) -> None:
    path = leave(root, b"%d\n" % DEAD)
    os.utime(path, (time.time() - 90, time.time() - 90))
    began = time.monotonic()
    with pytest.raises(Fenced) as caught:
        acquire(root)
    assert time.monotonic() - began < 0.5
    text = str(caught.value)
    assert str(DEAD) in text
    assert LOCK_NAME in text
    assert "90 s" in text
    assert path.read_bytes() == b"%d\n" % DEAD


@pytest.mark.parametrize("content", [b"0123\n", b"x\n", b"12 \n", b"-1\n", b"1\n\n", b"+1\n", b"\n", b"1" * 30 + b"\n"])
def test_what_no_owner_writes_is_an_error_at_once(root: str, content: bytes) -> None:
    path = leave(root, content)
    began = time.monotonic()
    with pytest.raises(Fenced) as caught:
        acquire(root)
    assert (caught.value.code, time.monotonic() - began < 0.5) == ("lock-malformed", True)
    assert path.read_bytes() == content


@pytest.mark.parametrize("kind", ["directory", "link", "fifo"])
def test_what_is_no_file_is_an_error_at_once(root: str, kind: str) -> None:
    path = Path(root, LOCK_NAME)
    if kind == "directory":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("elsewhere")
    else:
        os.mkfifo(path)
    with pytest.raises(Fenced) as caught:
        acquire(root)
    assert caught.value.code == "lock-not-a-file"
    assert os.path.lexists(path)


def test_an_empty_lock_is_waited_for_two_seconds(root: str) -> None:
    path = leave(root, b"")
    began = time.monotonic()
    with pytest.raises(Fenced) as caught:
        acquire(root)
    assert 1.9 < time.monotonic() - began < 3
    assert caught.value.code == "lock-empty"
    assert path.exists()


def test_an_empty_lock_that_is_filled_is_waited_for_on(root: str, alive: int) -> None:
    path = leave(root, b"")

    def fill() -> None:
        path.write_bytes(b"%d\n" % alive)
        time.sleep(2.2)
        path.unlink()

    threading.Thread(target=fill).start()
    acquire(root).release()


def test_our_own_number_without_our_holding_it_is_interrupted(root: str) -> None:
    path = leave(root, b"%d\n" % os.getpid())
    with pytest.raises(Fenced) as caught:
        acquire(root)
    assert caught.value.code == "lock-dead"
    assert path.exists()


def test_an_owner_older_than_the_machine_is_interrupted(root: str, alive: int) -> None:
    """Numbers are used again after a start of the machine; the file's age tells."""
    path = leave(root, b"%d\n" % alive)
    boot = processes.boot_time()
    assert boot is not None
    os.utime(path, (boot - 60, boot - 60))
    assert inspect(root).kind == "dead"
    with pytest.raises(Fenced):
        acquire(root)
    assert path.exists()


def test_an_owner_is_looked_at_twice_before_it_is_called_dead(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have released the lock between the look at the file and the look at the process."""
    path = leave(root, b"%d\n" % DEAD)
    real, looks = processes.is_alive, []

    def is_alive(pid: int) -> bool:
        looks.append(pid)
        if len(looks) == 1:
            path.unlink()
        return real(pid)

    monkeypatch.setattr(processes, "is_alive", is_alive)
    acquire(root).release()
    assert looks == [DEAD]


def test_a_lock_that_became_anothers_is_left(root: str, alive: int) -> None:
    held = acquire(root)
    path = Path(root, LOCK_NAME)
    path.unlink()
    leave(root, b"%d\n" % alive)
    with pytest.raises(StoreFailure):
        held.verify()
    left = held.release()
    assert left is not None
    assert left.pid == alive
    assert path.read_bytes() == b"%d\n" % alive
    path.unlink()
    acquire(root).release()


def test_a_lock_that_bears_another_number_is_left(root: str) -> None:
    held = acquire(root)
    Path(root, LOCK_NAME).write_bytes(b"1\n")
    assert held.release() is not None
    assert Path(root, LOCK_NAME).read_bytes() == b"1\n"


def test_a_lock_that_cannot_be_filled_is_not_left(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write", write)
    with pytest.raises(StoreFailure):
        acquire(root)
    assert os.listdir(root) == []
    monkeypatch.undo()
    acquire(root, timeout=1).release()


def test_a_forked_child_holds_nothing(root: str) -> None:
    with acquire(root):
        pid = in_child(lambda: _refused(root))
        assert ended(pid) == 0
    acquire(root, timeout=1).release()


def _refused(root: str) -> None:
    with pytest.raises(Busy):
        acquire(root, timeout=0.1)


def test_a_root_that_is_not_there_is_said(root: str) -> None:
    with pytest.raises(StoreFailure):
        acquire(root + "/none")


def test_no_descriptor_is_left_open(root: str) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(20):
        acquire(root).release()
    leave(root, b"0\n")
    for _ in range(20):
        with pytest.raises(Fenced):
            acquire(root)
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


def test_on_windows_nobody_is_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal of any number ends a process there."""

    def kill(_pid: int, _number: int) -> None:
        raise AssertionError("a process was signalled")

    monkeypatch.setattr(processes, "_WINDOWS", True)
    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(processes, "_is_alive_on_windows", lambda pid: pid == 7)
    assert processes.is_alive(7)
    assert not processes.is_alive(8)


def test_every_user_of_the_lock_looks_through_the_same_eyes() -> None:
    assert lock.inspect is lockstate.inspect
    assert not processes.is_alive(0)
    assert not processes.is_alive(2**40)
    assert processes.start_mark(os.getpid()) == processes.start_mark(os.getpid())
