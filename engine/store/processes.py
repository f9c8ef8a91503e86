"""Facts about processes and the machine: who lives, since when, when it was booted."""

from __future__ import annotations

import os
import sys
import time

_PLATFORM: str = sys.platform
_WINDOWS = _PLATFORM == "win32"
_MAX_PID = 2**31 - 1


def is_alive(pid: int) -> bool:
    """Whether a process with this number exists; one that we may not signal counts."""
    if not 0 < pid <= _MAX_PID:
        return False
    if _WINDOWS:
        # os.kill would end the process there, whatever the signal's number.
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    import ctypes

    kernel = ctypes.__dict__["windll"].kernel32
    query_limited_information, still_active, access_denied = 0x1000, 259, 5
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return bool(kernel.GetLastError() == access_denied)
    code = ctypes.c_ulong()
    found = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return not found or code.value == still_active


def start_mark(pid: int) -> str | None:
    """A text that tells two processes of the same number apart; None when unknown.

    On Linux the boot's id and the start in clock ticks after it, elsewhere what
    `ps` says. Equal marks mean the same process, also after the machine's clock
    was set.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The second field is a name in brackets and may hold spaces and brackets itself.
            ticks = file.read().rpartition(b")")[2].split()[19].decode()
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return f"{file.read().decode().strip()}/{ticks}"
    except (OSError, IndexError):
        return None if _WINDOWS else _start_by_ps(pid)


def _start_by_ps(pid: int) -> str | None:
    import subprocess

    try:
        done = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)],
            capture_output=True,
            timeout=5,
            check=False,
            env={"LC_ALL": "C", "PATH": "/bin:/usr/bin"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("ascii", "replace").strip() or None


def boot_time() -> float | None:
    """When the machine was started, in seconds since 1970; None when unknown."""
    if _PLATFORM == "linux":
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    if _PLATFORM == "darwin":
        return _boot_time_by_sysctl()
    return None


def _boot_time_by_sysctl() -> float | None:
    import ctypes

    seconds = (ctypes.c_long * 2)()
    size = ctypes.c_size_t(ctypes.sizeof(seconds))
    try:
        failed = ctypes.CDLL(None).sysctlbyname(b"kern.boottime", ctypes.byref(seconds), ctypes.byref(size), None, 0)
    except (OSError, AttributeError):
        return None
    return None if failed else float(seconds[0])
