"""The project's own source: where it is, and what its syntax trees say."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
WRITE_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"}
CHANGING = {
    "os": {
        "write", "writev", "pwrite", "pwritev", "truncate", "ftruncate", "rename", "renames", "replace", "unlink", "remove",
        "rmdir", "removedirs", "link", "symlink", "mkdir", "makedirs", "mknod", "mkfifo", "chmod", "fchmod", "lchmod", "chown",
        "fchown", "lchown", "utime", "sendfile", "copy_file_range", "posix_fallocate", "setxattr", "removexattr",
    },
    "shutil": {"copy", "copy2", "copyfile", "copyfileobj", "copytree", "move", "rmtree", "chown", "copymode", "copystat"},
    "tempfile": {"mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory"},
}  # fmt: skip
# The seam through which the store's rooms make system calls, and what it makes of them.
CHANGING["engine.store.files"] = CHANGING["os"] | {"write_all", "write_private", "replace_private"}
PATH_METHODS = {"write_text", "write_bytes", "hardlink_to", "symlink_to"}


def modules(*packages: str) -> Iterator[tuple[str, ast.Module]]:
    """(path within the project, syntax tree) of every module of these packages."""
    for package in packages:
        for path in sorted((PROJECT / package).rglob("*.py")):
            yield path.relative_to(PROJECT).as_posix(), ast.parse(path.read_text("utf-8"))


def project_files() -> Iterator[Path]:
    """Every file that belongs to the project, without what tools leave behind."""
    for folder, names, files in os.walk(PROJECT):
        names[:] = [
            name
            for name in names
            if name not in {"__pycache__", "build", "dist"}
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name == ".ci")
        ]
        for name in files:
            if name not in {".suite.log", "snapshot_report.html"}:
                yield Path(folder, name)


def writers(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, call) of everything in a module that changes a file system."""
    homes = _imported(tree)
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        base, _, last = name.rpartition(".")
        changes = last in CHANGING.get(homes.get(base, base), ()) or last in PATH_METHODS
        if not base:
            home, _, original = homes.get(name, "").rpartition(".")
            changes = original in CHANGING.get(home, ())
        if changes or (last in {"open", "fdopen", "open_code"} and _opens_for_writing(node)):
            found.append((node.lineno, name))
    return found


def _imported(tree: ast.Module) -> dict[str, str]:
    """Local name -> full dotted name of what was imported under it."""
    homes = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            homes.update({alias.asname or alias.name: alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom) and node.module:
            homes.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return homes


def _opens_for_writing(call: ast.Call) -> bool:
    arguments = [*call.args, *(word.value for word in call.keywords)]
    if arguments and ast.unparse(arguments[0]) == "os.devnull":
        return False
    for argument in arguments[:3]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            if set(argument.value) <= set("rwxabt+") and set(argument.value) & set("wxa+"):
                return True
        elif any(flag in ast.unparse(argument) for flag in WRITE_FLAGS):
            return True
    return False
