"""What the documents point at is there, and what they tell people to type is what is run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import sftui
from sftui.arguments import COMMANDS
from tests.architecture.source import PROJECT

DOCUMENTS = sorted([PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = [one or other for one, other in LINK.findall(document.read_text("utf-8"))]
    assert [target for target in targets if "://" not in target and not (document.parent / target).exists()] == []


def test_the_readme_has_one_line_to_try_and_one_to_test() -> None:
    lines = (PROJECT / "README.md").read_text("utf-8").splitlines()
    assert len([line for line in lines if re.match(r"python3 .*sftui --demo$", line)]) == 1
    assert len([line for line in lines if re.match(r"python3 .*pytest", line)]) == 1


def test_pictures_need_nothing_from_elsewhere() -> None:
    for picture in (PROJECT / "docs" / "images").glob("*.svg"):
        text = picture.read_text("utf-8")
        assert not re.search(r"(?:href|url|src)\W+https?:", text)


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert sftui.__version__ == version
    assert f"## {version}" in (PROJECT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_table_and_has_its_section(command: str) -> None:
    page = (PROJECT / "docs" / "cli.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| [")]
    section = "scripts" if command == "script" else command
    assert any(re.search(rf"`sftui {command}\b.*\(#{section}\)", row) for row in rows)
    assert f"\n## {section}\n" in page
