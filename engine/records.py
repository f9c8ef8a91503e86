"""Dataclasses that cost next to nothing to define.

The standard decorator writes and compiles half a dozen methods for each class at import: a third of what a short
command takes altogether. Here the methods are shared, and a class gets an `__init__` of its own only once it is made
often. Otherwise records are dataclasses, to type checkers, to `dataclasses.replace` and to tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T")

# Compiling an `__init__` pays from about this many objects on.
OFTEN: Final = 12


class _Missing:
    __slots__ = ()


MISSING: Final = _Missing()


class _Default:
    """What a field starts from: a value, or what a factory makes."""

    __slots__ = ("compare", "factory", "repr", "value")

    def __init__(self, value: Any, factory: Any, *, repr: bool, compare: bool) -> None:  # noqa: A002
        self.value = value
        self.factory = factory
        self.repr = repr
        self.compare = compare


def field(*, default: Any = MISSING, default_factory: Any = MISSING, repr: bool = True, compare: bool = True) -> Any:  # noqa: A002
    """Like `dataclasses.field`."""
    return _Default(default, default_factory, repr=repr, compare=compare)


@dataclass_transform(field_specifiers=(field,))
def dataclass(*, frozen: bool = False, slots: bool = True) -> Callable[[type[T]], type[T]]:
    """Like `dataclasses.dataclass`, for classes that inherit from no other such class."""
    assert slots, "records have slots"

    def make(cls: type[T]) -> type[T]:
        return _made(cls, frozen=frozen)

    return make


def replace(record: T, /, **changes: Any) -> T:
    """A record with some fields changed; `dataclasses.replace`."""
    names: tuple[str, ...] = type(record).__match_args__  # type: ignore[attr-defined]
    for name in names:
        if name not in changes:
            changes[name] = getattr(record, name)
    return type(record)(**changes)


def maker(cls: type[T]) -> Callable[..., T]:
    """Give a quicker way to make such a record, for where a million are made; it knows of no `__post_init__`."""
    fields: _Fields = cls.__dict__["__dataclass_fields__"]
    space: dict[str, Any] = {"new": object.__new__, "cls": cls}
    parameters: list[str] = []
    lines: list[str] = []
    for name in fields.names:
        space[f"put_{name}"] = getattr(cls, name).__set__
        lines.append(f" put_{name}(self, {name})\n")
        if name in fields.defaults:
            assert fields.defaults[name].factory is MISSING, "a default that is made anew has no place here"
            space[f"_{name}"] = fields.defaults[name].value
            parameters.append(f"{name}=_{name}")
        else:
            parameters.append(name)
    source = f"def make({', '.join(parameters)}):\n self = new(cls)\n{''.join(lines)} return self"
    exec(source, space)  # noqa: S102 - names of our own fields
    make: Callable[..., T] = space["make"]
    return make


def _made(cls: type[T], *, frozen: bool) -> type[T]:
    space = dict(cls.__dict__)
    annotations: Mapping[str, str] = space.get("__annotations__", {})
    names = tuple([name for name, kind in annotations.items() if not str(kind).startswith("ClassVar")])
    defaults: dict[str, _Default] = {}
    for name in names:
        if name in space:
            given = space.pop(name)
            if not isinstance(given, _Default):
                given = _Default(given, MISSING, repr=True, compare=True)
            defaults[name] = given
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    compared = tuple([name for name in names if name not in defaults or defaults[name].compare])
    shown = tuple([name for name in names if name not in defaults or defaults[name].repr])
    values = attrgetter(*compared) if compared else type
    space["__slots__"] = names
    space["__match_args__"] = names
    space["__qualname__"] = cls.__qualname__
    space["__dataclass_fields__"] = _Fields(names, defaults, annotations)
    space["__init__"] = _general(names, defaults, space.get("__post_init__"))
    space.setdefault("__eq__", _eq(values))
    space.setdefault("__repr__", _repr(shown))
    if frozen:
        space.setdefault("__hash__", _hash(values))
        space["__setattr__"] = _refuse_set
        space["__delattr__"] = _refuse_delete
        space["__getstate__"] = _getstate
        space["__setstate__"] = _setstate
    elif space.get("__hash__") is None:
        space["__hash__"] = None
    kind: Any = type(cls)
    made: type[T] = kind(cls.__name__, cls.__bases__, space)
    return made


def _general(names: tuple[str, ...], defaults: Mapping[str, _Default], post: Any) -> Callable[..., None]:
    """An `__init__` for any class; it puts a compiled one in its own place when it has been called often."""
    put = object.__setattr__
    count = 0
    known = frozenset(names)

    def __init__(self: object, *given: Any, **named: Any) -> None:  # noqa: N807
        nonlocal count
        count += 1
        if count == OFTEN:
            setattr(type(self), "__init__", _compiled(type(self), names, defaults, post))  # noqa: B010 - a method is replaced on purpose
        number = len(given)
        if number > len(names) or not known.issuperset(named):
            raise TypeError(f"{type(self).__name__} takes {', '.join(names)}")
        for name, value in zip(names, given, strict=False):
            put(self, name, value)
        for name in names[number:]:
            if name in named:
                put(self, name, named[name])
            elif name in defaults:
                default = defaults[name]
                put(self, name, default.value if default.factory is MISSING else default.factory())
            else:
                raise TypeError(f"{type(self).__name__} needs {name!r}")
        if number and named and not named.keys().isdisjoint(names[:number]):
            raise TypeError(f"{type(self).__name__} got a field twice")
        if post is not None:
            post(self)

    return __init__


def _compiled(
    cls: type[Any], names: tuple[str, ...], defaults: Mapping[str, _Default], post: Any
) -> Callable[..., None]:
    space: dict[str, Any] = {"post": post, "MISSING": MISSING}
    parameters: list[str] = []
    lines: list[str] = []
    for name in names:
        value = name
        if name not in defaults:
            parameters.append(name)
        else:
            default = defaults[name]
            space[f"_{name}"] = default.value if default.factory is MISSING else default.factory
            if default.factory is MISSING:
                parameters.append(f"{name}=_{name}")
            else:
                parameters.append(f"{name}=MISSING")
                value = f"_{name}() if {name} is MISSING else {name}"
        # The slot's own setter: it need not be looked up by name, and knows of no frozen class.
        space[f"put_{name}"] = getattr(cls, name).__set__
        lines.append(f" put_{name}(self, {value})")
    if post is not None:
        lines.append(" post(self)")
    source = f"def __init__(self, {', '.join(parameters)}):\n" + ("\n".join(lines) or " pass")
    exec(source, space)  # noqa: S102 - names of our own fields
    init: Callable[..., None] = space["__init__"]
    return init


def _eq(values: Callable[[Any], Any]) -> Callable[[Any, object], Any]:
    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    return __eq__


def _hash(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _repr(names: tuple[str, ...]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:  # noqa: N807
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _refuse_set(_record: object, name: str, _value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(_record: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__match_args__]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)


class _Fields:
    """`__dataclass_fields__`, made only for whoever asks."""

    def __init__(self, names: tuple[str, ...], defaults: Mapping[str, _Default], kinds: Mapping[str, str]) -> None:
        self.names = names
        self.defaults = defaults
        self._kinds = kinds

    def __get__(self, _record: object, _owner: type) -> Mapping[str, Any]:
        import dataclasses

        members: dict[str, Any] = {"__annotations__": {name: self._kinds[name] for name in self.names}}
        for name in self.names:
            default = self.defaults.get(name)
            if default is not None:
                if default.factory is not MISSING:
                    members[name] = dataclasses.field(
                        default_factory=default.factory, repr=default.repr, compare=default.compare
                    )
                else:
                    members[name] = dataclasses.field(default=default.value, repr=default.repr, compare=default.compare)
        like: Any = dataclasses.dataclass(type("Like", (), members))
        found: Mapping[str, Any] = like.__dataclass_fields__
        return found
