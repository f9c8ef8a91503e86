"""A clear error for values that are nested deeper than a stack of calls can follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from engine.errors import InvalidRequest

P = ParamSpec("P")
T = TypeVar("T")


def clear_of_depth(work: Callable[P, T]) -> Callable[P, T]:
    """Let `work` raise InvalidRequest `too-deep` where it would raise RecursionError."""

    @wraps(work)
    def done(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return work(*arguments, **named)
        except RecursionError:
            raise InvalidRequest("too-deep", "a value is nested deeper than can be worked on") from None

    return done
