"""The engine's public face: every name is there, and none is paid for before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import engine


@pytest.mark.parametrize("name", engine.__all__)
def test_each_public_name_is_found(name: str) -> None:
    assert getattr(engine, name) is not None
    assert name in dir(engine)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = engine.nothing_like_it


def test_importing_the_engine_imports_nothing_else_of_it() -> None:
    probe = "import sys, engine; print([name for name in sys.modules if name.startswith('engine.')])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
