"""What is loaded when: the layers as the linter sees them, and the modules that are really there after an import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT

HEAVY = {"textual", "rich", "asyncio", "watchfiles", "filelock", "platformdirs", "pydoc", "http", "email"}


def loaded(code: str) -> set[str]:
    """The top-level modules that are there after `code` has run in a fresh interpreter."""
    # Site packages may import what they like at start; only what our code adds counts.
    program = f"""
import sys
before = set(sys.modules)
{code}
print()
print(sorted(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
        cwd=PROJECT,
    )
    return {name.partition(".")[0] for name in ast.literal_eval(done.stdout.splitlines()[-1])}


def test_importing_the_engine_loads_no_face() -> None:
    assert not loaded("import engine\n[getattr(engine, name) for name in engine.__all__]") & {
        "textual",
        "rich",
        "sftui",
    }


def test_importing_the_engine_is_nearly_free() -> None:
    assert not loaded("import engine") & (HEAVY | {"orjson", "json", "hashlib"})


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["status", "--json"],
        ["doctor", "--json"],
        ["read", "--json", "global"],
        ["intents"],
        ["intents", "--json"],
    ],
)
def test_the_command_line_loads_no_textual_and_no_rich(words: list[str], tmp_path: Path) -> None:
    call = [*words[:1], "--store", str(tmp_path / "none"), "--cwd", str(tmp_path), *words[1:]]
    code = f"from sftui.cli import main\ntry:\n    main({call!r})\nexcept SystemExit:\n    pass"
    assert not loaded(code) & HEAVY


@pytest.mark.parametrize("module", ["sftui.display", "sftui.views.status", "sftui.views.doctor"])
def test_what_the_command_line_shares_with_the_app_loads_no_textual(module: str) -> None:
    assert not loaded(f"import {module}") & {"textual", "rich"}


def test_the_layers_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        capture_output=True, text=True, check=False, cwd=PROJECT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
