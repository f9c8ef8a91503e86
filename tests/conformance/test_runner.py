"""The runner fails where it should: nothing is skipped silently, nothing counts as passed that was not compared."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.memory.dialect import V2, V4
from engine.values import sha256
from tests.conformance.case import differences, equal
from tests.conformance.runner import DATA, EXCEPTIONS, SUBJECTS, adapters, cases, passes, prepared, run, subjects
from tests.conformance.translate import translate


def write(folder: Path, name: str, *lines: Any) -> None:
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def first(name: str, tmp_path: Path) -> dict[str, Any]:
    return dict(next(iter(cases(DATA, name, tmp_path))))


def test_every_recorded_file_has_an_adapter_and_every_adapter_a_file() -> None:
    assert set(adapters()) == set(SUBJECTS)
    assert subjects(DATA) == list(SUBJECTS)


def test_a_missing_file_and_an_unknown_one_are_failures(tmp_path: Path) -> None:
    write(tmp_path, "more.jsonl", {"id": "x"})
    assert run(tmp_path, "overlay.jsonl", V2, tmp_path).failed == 1
    assert "more.jsonl" in subjects(tmp_path)
    assert run(tmp_path, "more.jsonl", V2, tmp_path).failed == 1


@pytest.mark.parametrize("line", ["", "5", "{}", '{"id": 5}', "{"])
def test_a_line_that_is_no_case_is_a_failure(tmp_path: Path, line: str) -> None:
    (tmp_path / "overlay.jsonl").write_text(line + "\n", encoding="utf-8")
    assert run(tmp_path, "overlay.jsonl", V2, tmp_path).failed == 1


def test_a_case_that_comes_twice_is_a_failure(tmp_path: Path) -> None:
    case = first("overlay.jsonl", tmp_path)
    write(tmp_path, "overlay.jsonl", case, case)
    result = run(tmp_path, "overlay.jsonl", V2, tmp_path)
    assert (result.passed, result.failed) == (1, 1)


@pytest.mark.parametrize("name", [name for name in SUBJECTS if name.endswith(".jsonl")])
def test_a_case_without_its_result_fails(name: str, tmp_path: Path) -> None:
    """A case that lost what it expects is told from one that passes, and named."""
    kept = [case for case in cases(DATA, name, tmp_path) if not case.get("rejects")][:5]
    results = ("result", "canonical", "created", "reads")
    write(tmp_path, name, *({key: value for key, value in case.items() if key not in results} for case in kept))
    result = run(tmp_path, name, V2, tmp_path)
    assert [failure.id for failure in result.failures] == [case["id"] for case in kept]
    assert all(case["id"] in result.line() for case in kept)


@pytest.mark.parametrize("name", [name for name in SUBJECTS if name.endswith(".jsonl")])
def test_a_refusal_where_none_is_due_fails(name: str, tmp_path: Path) -> None:
    recorded = list(cases(DATA, name, tmp_path))
    if not any(case.get("rejects") for case in recorded):
        return  # nothing there is ever refused
    kept = [case for case in recorded if not case.get("rejects")][:3]
    write(tmp_path, name, *({**case, "rejects": True, "rejectsAt": "state"} for case in kept))
    assert run(tmp_path, name, V2, tmp_path).failed == len(kept)


def test_archives_may_lie_unpacked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    assert run(DATA, "stores.tar.gz", V2, tmp_path / "one").failed == 0
    shutil.copytree(tmp_path / "one" / "stores", data / "stores", symlinks=True)
    assert "stores" not in subjects(data)
    again = run(data, "stores.tar.gz", V2, tmp_path / "two")
    assert (again.failed, again.passed > 0) == (0, True)


def test_a_written_down_exception_is_compared_not_skipped(tmp_path: Path) -> None:
    listed = [json.loads(line) for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines()]
    assert listed
    recorded = {case["id"]: case for case in cases(DATA, "stage.jsonl", tmp_path)}
    for entry in listed:
        assert set(entry) == {"id", "why", "result"}
        case = recorded[entry["id"]]
        assert case.get("result") != entry["result"]
        assert prepared(case, V2)["result"] == entry["result"]
        assert adapters()["stage.jsonl"](case, V2), "the recording would pass as well"


def test_translation_renames_everything_and_nothing_else() -> None:
    case = {
        "id": "working",
        "tags": ["working"],
        "session": {"working": {"r": {"$ref": "cwd.contract.a"}, "t": "see $working.b"}, "lazy": {"a": 1}},
        "missing": ["/cwd/working/a"],
        "result": {"effective": {"working": {}}, "effectiveSha256": "old"},
    }
    told = translate(case)
    assert told["id"] == "working"
    assert told["session"] == {"tactics": {"r": {"$ref": "cwd.strategy.a"}, "t": "see $tactics.b"}, "lazy": {"a": 1}}
    assert told["missing"] == ["/cwd/tactics/a"]
    assert told["result"]["effectiveSha256"] == sha256({"tactics": {}})
    with pytest.raises(ValueError, match="already says"):
        translate({"id": "x", "state": {"strategy": {}}})


def test_translated_cases_run_as_well() -> None:
    assert ("stage.jsonl", V4) in passes(DATA)
    assert ("scope_keys.jsonl", V4) not in passes(DATA)


def test_equality_is_that_of_json() -> None:
    same = [(1, 1.0), (0, -0.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([1], (1,)), (None, None)]
    other = [(True, 1), (0, False), (None, 0), ("1", 1), ([1, 2], [2, 1]), ({"a": None}, {}), ({}, []), ("", None)]
    assert all(equal(one, two) or equal(two, one) for one, two in same)
    assert not any(equal(one, two) or equal(two, one) for one, two in other)
    assert len(differences({"a": 1, "more": 2}, {"a": 2, "less": 3})) == 3


def test_the_command_says_what_failed_last(tmp_path: Path) -> None:
    case = first("overlay.jsonl", tmp_path)
    write(tmp_path, "overlay.jsonl", case, {**case, "id": "odd one", "result": {}})
    command = [sys.executable, "-m", "tests.conformance", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=DATA.parents[2], check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert "overlay.jsonl: 1 passed, failed: odd one" in lines
    assert lines[-1] == f"1 passed, {len(SUBJECTS)} failed"
    assert len(lines) == len(SUBJECTS) + 1
