"""Runs a folder of recorded cases: every file of it, and every file that should be there."""

from __future__ import annotations

import importlib
import json
import pkgutil
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.memory.dialect import V2, V4, Dialect
from tests.conformance.case import Adapter, Case
from tests.conformance.translate import translate

HERE = Path(__file__).parent
DATA = HERE / "data"
# Cases that differ from the recording because the contract says so, each with the contract's result.
EXCEPTIONS = HERE / "exceptions.jsonl"

SUBJECTS = (
    "apply_patch.jsonl",
    "canonical_json.jsonl",
    "overlay.jsonl",
    "ownership.jsonl",
    "stage.jsonl",
    "stage_reads.jsonl",
    "temporal.jsonl",
    "temporal_ops.jsonl",
    "read_state.jsonl",
    "lazy_navigation.jsonl",
    "scope_keys.jsonl",
    "stores.tar.gz",
    "corrupt_stores.tar.gz",
)
# Their cases hold no planes (or whole stores, whose bytes are what is tested).
WITHOUT_DIALECT = frozenset(
    {"apply_patch.jsonl", "canonical_json.jsonl", "scope_keys.jsonl", "stores.tar.gz", "corrupt_stores.tar.gz"}
)
_NO_SUBJECT = frozenset({"README.md"})
_ARCHIVE = ".tar.gz"


@dataclass(frozen=True, slots=True)
class Failure:
    id: str
    differences: Sequence[str]


@dataclass(frozen=True, slots=True)
class FileResult:
    """The outcome of one file in one dialect; `problem` says why it could not be run at all."""

    name: str
    dialect: int
    passed: int
    failures: tuple[Failure, ...]
    problem: str | None = None

    @property
    def failed(self) -> int:
        return len(self.failures) + (self.problem is not None)

    def line(self) -> str:
        title = self.name if self.dialect == V2.version else f"{self.name} in dialect {self.dialect}"
        text = f"{title}: {self.passed} passed"
        if self.failures:
            text += f", failed: {' '.join(failure.id for failure in self.failures)}"
        return text if self.problem is None else f"{text}, failed: {self.problem}"


@cache
def adapters() -> Mapping[str, Adapter]:
    """All adapters that the modules of this package offer, by file name."""
    found: dict[str, Adapter] = {}
    for module in pkgutil.iter_modules([str(HERE)]):
        if module.name not in ("__main__", "runner") and not module.name.startswith("test_"):
            offered = getattr(importlib.import_module(f"{__package__}.{module.name}"), "ADAPTERS", {})
            clash = found.keys() & offered.keys()
            assert not clash, f"two adapters for {clash}"
            found.update(offered)
    return found


def subjects(folder: Path) -> list[str]:
    """The names to run: what should be there and what else is."""
    present = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    unpacked = {_folder_name(name) for name in SUBJECTS if _lies_unpacked(folder, name)}
    return [*SUBJECTS, *sorted(present - set(SUBJECTS) - unpacked - _NO_SUBJECT)]


def run(folder: Path, name: str, dialect: Dialect, scratch: Path) -> FileResult:
    """Run one file. `scratch` is an empty or absent folder for archives; nothing else is written."""
    adapter = adapters().get(name)
    if adapter is None:
        return FileResult(name, dialect.version, 0, (), "there is no adapter for this file")
    if not (folder / name).is_file() and not _lies_unpacked(folder, name):
        return FileResult(name, dialect.version, 0, (), "the file is missing")
    passed = 0
    failures: list[Failure] = []
    try:
        for case in cases(folder, name, scratch):
            found = judge(adapter, case, dialect)
            if found:
                failures.append(Failure(str(case["id"]), found))
            else:
                passed += 1
    except (OSError, ValueError, tarfile.TarError) as error:
        return FileResult(name, dialect.version, passed, tuple(failures), f"the file cannot be read: {error}")
    return FileResult(name, dialect.version, passed, tuple(failures))


def judge(adapter: Adapter, case: Case, dialect: Dialect) -> list[str]:
    """The differences of one case; an error that nobody caught is one as well."""
    try:
        return adapter(prepared(case, dialect), dialect)
    except Exception as error:  # whatever it is, it belongs to this case
        return [f"{type(error).__name__}: {error}"]


def prepared(case: Case, dialect: Dialect) -> Case:
    """The case as it is run: with the contract's own result where one is written down, in the dialect asked for."""
    own = _listed(EXCEPTIONS).get(case["id"])
    if own is not None:
        case = _with_result(case, own)
    return case if dialect.version == V2.version else translate(case)


def cases(folder: Path, name: str, scratch: Path) -> Iterator[Case]:
    """The cases of one file: its lines, or the folders of an archive."""
    if name.endswith(_ARCHIVE):
        target = scratch / _folder_name(name)
        if _lies_unpacked(folder, name):
            shutil.copytree(folder / _folder_name(name), target, symlinks=True)
        else:
            _unpack(folder / name, target)
        yield from _stores(target)
        return
    seen: set[str] = set()
    with (folder / name).open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            case = json.loads(line)
            if not isinstance(case, dict) or not isinstance(case.get("id"), str) or case["id"] in seen:
                raise ValueError(f"line {number} is not a case with an id of its own")
            seen.add(case["id"])
            yield case


def passes(folder: Path) -> list[tuple[str, Dialect]]:
    """Every file in the dialect it was recorded in, then translated where that means something."""
    names = subjects(folder)
    return [
        *((name, V2) for name in names),
        *((name, V4) for name in names if name in SUBJECTS and name not in WITHOUT_DIALECT),
    ]


def _folder_name(name: str) -> str:
    return name.removesuffix(_ARCHIVE)


def _lies_unpacked(folder: Path, name: str) -> bool:
    """Whether an archive is there as a folder, and only so."""
    return name.endswith(_ARCHIVE) and not (folder / name).exists() and (folder / _folder_name(name)).is_dir()


def _unpack(archive: Path, target: Path) -> None:
    target.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        # Links and odd modes are what some of the stores are about; they stay inside of the scratch folder.
        tar.extractall(target, filter="tar")


def _stores(folder: Path) -> Iterator[Case]:
    found = sorted(path.parent for path in folder.rglob("expected.json"))
    if not found:
        raise ValueError("it holds no case")
    for store in found:
        expected = json.loads((store / "expected.json").read_text(encoding="utf-8"))
        yield {"id": store.name, "folder": store, "expected": expected}


def _with_result(case: Case, result: Any) -> Case:
    return {**{name: value for name, value in case.items() if name != "rejects"}, "result": result}


@cache
def _listed(path: Path) -> dict[str, Any]:
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {entry["id"]: entry["result"] for entry in entries}
