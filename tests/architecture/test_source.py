"""Laws that the source shows: one door for writing, JSON narrowed in one place, no trace of a machine."""

from __future__ import annotations

import ast
import re
import socket

import pytest

from tests.architecture.source import PROJECT, modules, project_files, writers

DOORS = {
    "engine/store/publication.py": "the only code that writes inside a store",
    "engine/store/files.py": "a private file outside of the store, for those below",
    "engine/store/lock.py": "makes and removes the lock",
    "engine/store/writeahead.py": "the record of a publication under way, outside of the store",
    "engine/ledger/guard.py": "the ledger, outside of the store: its guard",
    "engine/ledger/log.py": "the ledger, outside of the store",
    "engine/ledger/memo.py": "what the ledger remembers of its log, beside it: worth nothing but time",
    "engine/ledger/states.py": "what is folded of the ledger, beside it: worth nothing but time",
    "sftui/drafts.py": "a person's drafts, outside of the store",
    "sftui/viewstate.py": "how memory was looked at, outside of the store",
    "sftui/health_settings.py": "a person's settings for findings, beside their key map",
    "sftui/edits.py": "files for $EDITOR, outside of the store",
    "sftui/saved_file.py": "a file that a person asked for, never in a store",
    "sftui/demo.py": "makes and removes a store of its own",
}
PUBLISHERS = {
    "sftui/port.py": "the app",
    "sftui/commands/patch.py": "the command line",
    "sftui/demo.py": "lays out its own store",
    "sftui/demo_agent.py": "plays an agent on that",
}
LONG = 400
CONTAINERS = {"dict", "list", "Mapping", "Sequence", "MutableMapping", "MutableSequence"}
MACHINE = re.compile(rb"/work/(main|shared)\b|/tmp/(plan|venv|conf)\b|\.\./shared/|/root/\.|/home/runner")


def test_only_the_doors_write() -> None:
    found = {path: where for path, tree in modules("engine", "sftui") if (where := writers(tree)) and path not in DOORS}
    assert found == {}


def test_the_doors_are_where_the_list_says() -> None:
    writing = {path for path, tree in modules("engine", "sftui") if writers(tree)}
    assert writing == set(DOORS)


def test_the_faces_publish_where_the_list_says() -> None:
    """`--readonly` is enforced at the port: nothing else of the app may reach the writer."""
    writing = {
        path
        for path, tree in modules("sftui")
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.module == "engine.store.publication")
        or (isinstance(node, ast.ImportFrom) and any(name.name in {"publish", "publication"} for name in node.names))
        or (
            isinstance(node, ast.Import)
            and any(name.name.startswith("engine.store.publication") for name in node.names)
        )
    }
    assert writing == set(PUBLISHERS)


@pytest.mark.parametrize(
    "line",
    [
        "import os\nos.rename(a, b)",
        "import os as o\no.unlink(a)",
        "from os import replace\nreplace(a, b)",
        "from os import replace as put\nput(a, b)",
        "open(a, 'wb')",
        "open(a, mode='r+')",
        "import os\nos.open(a, os.O_RDONLY | os.O_CREAT)",
        "from engine.store import files\nfiles.rename(a, b)",
        "import engine.store.files as io\nio.write(a, b)",
        "from engine.store import files\nfiles.replace_private(a, b, c)",
        "from pathlib import Path\nPath(a).write_text(b)",
        "import shutil\nshutil.rmtree(a)",
        "from tempfile import mkstemp\nmkstemp()",
    ],
)
def test_a_hidden_writer_is_found(line: str) -> None:
    assert writers(ast.parse(line))


@pytest.mark.parametrize(
    "line", ["open(a)", "open(a, 'rb')", "'a'.replace(b, c)", "[].remove(a)", "import os\nos.open(a, os.O_RDONLY)"]
)
def test_a_reader_is_not_taken_for_a_writer(line: str) -> None:
    assert not writers(ast.parse(line))


def narrowing(tree: ast.Module) -> list[int]:
    """The lines that ask whether something is a dict or a list, in any of the ways that Python has."""
    lines = []
    for node in ast.walk(tree):
        asked: list[ast.expr] = []
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in {"isinstance", "issubclass"}
            and len(node.args) == 2
        ):
            asked = [node.args[1]]
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type("):
            asked = node.comparators
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        names = {name.id for one in asked for name in ast.walk(one) if isinstance(name, ast.Name)}
        unpacks = isinstance(node, ast.MatchMapping)
        if isinstance(node, ast.expr | ast.pattern) and (unpacks or names & CONTAINERS):
            lines.append(node.lineno)
    return lines


def test_json_is_narrowed_only_among_the_values() -> None:
    """Tests decode into subclasses that count visits; one `isinstance(x, dict)` elsewhere, and a type check drifts."""
    found = {
        path: lines
        for path, tree in modules("engine", "sftui")
        if not path.startswith("engine/values/") and (lines := narrowing(tree))
    }
    assert found == {}


def test_work_beside_the_interface_begins_in_one_place() -> None:
    """A worker that is given a coroutine, and is cancelled before its turn, leaves one that nobody has awaited."""
    found = {
        path
        for path, tree in modules("sftui")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("run_worker")
    }
    assert found == {"sftui/background.py"}


def test_no_machine_shows() -> None:
    """Nothing in the project names a directory of the machine that it was written on, or the machine itself."""
    host = socket.gethostname().encode()
    itself = PROJECT / "tests/architecture/test_source.py"
    found = []
    for path in project_files():
        data = path.read_bytes()
        if path != itself and (MACHINE.search(data) or (len(host) > 8 and host in data)):
            found.append(path.relative_to(PROJECT).as_posix())
    assert found == []


def test_no_module_outgrows_one_idea() -> None:
    long = {}
    for package in ("engine", "sftui"):
        for path in (PROJECT / package).rglob("*.py"):
            lines = path.read_text("utf-8").count("\n")
            if lines > LONG:
                long[path.relative_to(PROJECT).as_posix()] = lines
    assert long == {}


def test_nothing_unfinished_is_left() -> None:
    marks = re.compile(r"\bTODO\b|\bFIXME\b|\bXXX\b|NotImplementedError|mark\.skip\b|mark\.xfail|pytest\.skip\(")
    itself = PROJECT / "tests/architecture/test_source.py"
    found = [
        f"{path.relative_to(PROJECT).as_posix()}:{number}"
        for path in project_files()
        if path.suffix == ".py" and path != itself
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if marks.search(line)
    ]
    assert found == []
