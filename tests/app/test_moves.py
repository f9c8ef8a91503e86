"""A row that is moved says where it goes, and where it came from: it is not called deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.memory.draft import Draft, PreImage, Remove, Step, Transfer
from engine.memory.scope import Scope
from sftui.views.kinds import Path as Row
from sftui.views.moves import moves
from tests.app.driving import opened
from tests.app.stores import MEMORY, Store, begin
from tests.app.test_editing import settled, sign, stand, typed

NOTHING = PreImage(exists=False)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def move(scope: Scope, path: Row, to_scope: Scope, to_path: Row, *, keep: bool = False, ticked: bool = True) -> Step:
    return Step(Transfer(scope, path, to_scope, to_path, NOTHING, NOTHING, keep=keep), ticked=ticked)


def test_each_end_names_the_other() -> None:
    found = moves(Draft((
        move("cwd", ("tactics", "a"), "global", ("lazy", "b")),
        move("cwd", ("tactics", "copied"), "global", ("tactics", "copied"), keep=True),
        move("cwd", ("tactics", "left"), "global", ("tactics", "left"), ticked=False),
        Step(Remove("cwd", ("tactics", "gone"), NOTHING)),
    )))  # fmt: skip
    assert found.to("cwd", ("tactics", "a")) == "global.lazy.b"
    assert found.to("effective", ("tactics", "a", "deep", 0)) == "global.lazy.b.deep[0]"
    assert found.origin("global", ("lazy", "b")) == "cwd.tactics.a"
    for view, path in (("global", "a"), ("cwd", "copied"), ("cwd", "left"), ("cwd", "gone")):
        assert found.to(view, ("tactics", path)) == ""  # type: ignore[arg-type]


def test_moves_in_a_row_are_one_and_there_and_back_is_none() -> None:
    on = move("cwd", ("tactics", "a"), "cwd", ("tactics", "b"))
    assert moves(Draft((on, move("cwd", ("tactics", "b"), "global", ("tactics", "b"))))).ends == {
        ("cwd", ("tactics", "a")): ("global", ("tactics", "b"))
    }
    assert moves(Draft((on, move("cwd", ("tactics", "b"), "cwd", ("tactics", "a"))))).ends == {}


async def test_a_renamed_row_says_its_new_name_and_is_not_deleted(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "strategy", "api", view="cwd")
        await driver.press("r")
        await typed(driver, "contract")
        await settled(driver)
        await stand(driver, "strategy", "api", view="cwd")
        assert sign(driver, "strategy", "api") == "-"
        staging = driver.app.drafting.staging
        assert staging is not None
        assert staging.facts("cwd", ("strategy", "api")) == (("draft", "moves it to cwd.strategy.contract"),)
        assert staging.facts("cwd", ("strategy", "contract")) == (("draft", "moves it here from cwd.strategy.api"),)
        await driver.press("e")
        assert "The draft moves it to cwd.strategy.contract: edit it there" in driver.told


async def test_a_renamed_row_that_is_unstaged_keeps_the_cursor(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy", "api", view="cwd")
        await driver.press("r")
        await typed(driver, "contract")
        await driver.until(lambda: driver.at() == ("strategy", "contract"))
        await settled(driver)
        await driver.press("x")
        await settled(driver)
        assert driver.app.drafting.count == 0
        await driver.until(lambda: driver.at() == ("strategy", "api"))
