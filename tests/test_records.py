"""Records behave as dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest

from engine import records
from engine.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Ours:
    """A record with everything that is used."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)
    d: int | None = field(default=None, repr=False, compare=False)
    kind: ClassVar[str] = "kind"

    @property
    def double(self) -> int:
        return self.a * 2


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """The same, made by the standard library."""

    a: int
    b: str = "b"
    c: list[int] = dataclasses.field(default_factory=list)
    d: int | None = dataclasses.field(default=None, repr=False, compare=False)
    kind: ClassVar[str] = "kind"


@dataclass(slots=True)
class Open:
    a: int
    b: int = 2


@dataclass(frozen=True, slots=True)
class Checked:
    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError(self.a)


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing in it."""


@dataclass(frozen=True, slots=True)
class Hashed:
    a: int
    b: tuple[int, ...] = ()


# Before and after an `__init__` of its own has been compiled.
@pytest.fixture(params=[1, records.OFTEN + 2])
def _used(request: pytest.FixtureRequest) -> None:
    for _ in range(request.param):
        Ours(1)
        Checked(1)
        Hashed(1)
        Open(1)


@pytest.mark.usefixtures("_used")
class TestRecord:
    @pytest.mark.parametrize(
        ("given", "named"),
        [((1,), {}), ((1, "x"), {}), ((1,), {"c": [1]}), ((), {"a": 1, "d": 5}), ((1, "x", [2], 3), {})],
    )
    def test_it_holds_what_a_dataclass_would(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        ours, theirs = Ours(*given, **named), Theirs(*given, **named)
        for name in "abcd":
            assert getattr(ours, name) == getattr(theirs, name)
        assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
        assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
        assert ours == Ours(*given, **named)
        assert ours.double == 2

    @pytest.mark.parametrize(
        ("given", "named"), [((), {}), ((1, 2, 3, 4, 5), {}), ((1,), {"a": 1}), ((1,), {"e": 1}), ((), {"b": "x"})]
    )
    def test_wrong_arguments_are_refused(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        for kind in (Ours, Theirs):
            with pytest.raises(TypeError):
                kind(*given, **named)

    def test_each_has_its_own_default(self) -> None:
        assert Ours(1).c is not Ours(1).c

    def test_what_does_not_count_does_not_count(self) -> None:
        assert Ours(1, d=1) == Ours(1, d=2)
        assert Ours(1) != Ours(2)
        others: list[object] = [Theirs(1), 1, None]
        assert Ours(1) not in others

    def test_it_is_frozen_and_has_no_other_members(self) -> None:
        record: Any = Ours(1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.a = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del record.a
        assert not hasattr(record, "__dict__")
        other: Any = Open(1)
        other.a = 5
        assert other == Open(5)
        with pytest.raises(AttributeError):
            other.z = 1
        with pytest.raises(TypeError):
            hash(other)

    def test_it_is_checked_after_it_is_made(self) -> None:
        with pytest.raises(ValueError, match="-1"):
            Checked(-1)
        with pytest.raises(ValueError, match="-1"):
            replace(Checked(1), a=-1)

    def test_equal_records_have_equal_hashes(self) -> None:
        assert hash(Hashed(1, (2,))) == hash(Hashed(1, (2,)))
        assert {Hashed(1): 1}[Hashed(1)] == 1
        assert len({Empty(), Empty()}) == 1

    def test_it_is_replaced_matched_copied_and_pickled(self) -> None:
        record = Ours(1, "x", [3], 4)
        for changed in (replace(record, b="y"), dataclasses.replace(record, b="y")):
            assert (changed.a, changed.b, changed.c, changed.d) == (1, "y", [3], 4)
        with pytest.raises(TypeError):
            replace(record, nothing=1)
        match record:
            case Ours(1, b, [c]):
                assert (b, c) == ("x", 3)
            case _:
                pytest.fail("not matched")
        assert copy.deepcopy(record) == record
        assert pickle.loads(pickle.dumps(record)) == record
        assert copy.copy(Open(1, 3)) == Open(1, 3)
        assert [entry.name for entry in dataclasses.fields(record)] == ["a", "b", "c", "d"]


def test_importing_the_engine_makes_no_standard_dataclass() -> None:
    code = "import sys, engine.store.snapshot, engine.store.publication; sys.exit('dataclasses' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
