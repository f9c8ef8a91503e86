"""docs/cases.md names every case that this program answers for, and only tests that exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import PROJECT

CASES = {*range(1, 31)}
ROW = re.compile(r"\| (\d+) \| ([^|]+) \| ([^|]+) \|")
TEST = re.compile(r"`([^`]+)::(test_\w+)`")


def rows() -> dict[int, tuple[str, str]]:
    """Number -> what is expected, and the cell that names the tests."""
    table = (PROJECT / "docs" / "cases.md").read_text("utf-8").split("| --- | --- | --- |\n")[1]
    found = [ROW.fullmatch(line) for line in table.splitlines()]
    assert None not in found, "a line is no row of the table"
    return {int(row[1]): (row[2], row[3]) for row in found if row is not None}


def names_in(path: str) -> set[str]:
    """The names of the tests at the top of a module."""
    tree = ast.parse((PROJECT / "tests" / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_case_is_answered() -> None:
    assert set(rows()) == CASES
    assert all(expected.endswith((".", ". ")) for expected, _ in rows().values())


@pytest.mark.parametrize("number", sorted(CASES))
def test_the_tests_of_a_case_exist(number: int) -> None:
    cell = rows()[number][1]
    named = TEST.findall(cell)
    assert named
    assert TEST.sub("", cell).strip() == ""
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []


def test_every_test_of_this_folder_is_in_the_table() -> None:
    named = {one for _, cell in rows().values() for one in TEST.findall(cell)}
    for path in (PROJECT / "tests" / "cases").glob("test_*.py"):
        if path.name != "test_table.py":
            here = {name for name in names_in(f"cases/{path.name}") if name.startswith("test_")}
            assert here <= {name for file, name in named if file == f"cases/{path.name}"}
