"""Numbers as text: JavaScript's layout of doubles, and integers with all their digits."""

from __future__ import annotations

import math
from typing import Final

from engine.errors import InvalidRequest

SAFE_INTEGER: Final = 2**53
"""Every integer up to here is a double; beyond it a JavaScript program may round."""

MAX_DIGITS: Final = 50_000
"""The longest integer that is read or written: its digits cost time that grows with their square."""

# int() and str() refuse long digit strings, at 640 digits when set as low as it goes. Below this they never do.
_DIGITS: Final = 600
_MAX_BITS: Final = MAX_DIGITS * 3322 // 1000  # not less than the longest integer has
_DOUBLE_BITS: Final = 1024
_DOUBLE_DIGITS: Final = 309  # the most that a double has before the point


class TooLong(ValueError):
    """An integer literal of more than `MAX_DIGITS` digits; its argument is the literal."""


def parse_int(text: str) -> int:
    """An integer literal, exactly, whatever the interpreter's digit limit is. Raises TooLong beyond `MAX_DIGITS`."""
    if len(text) <= _DIGITS:
        return int(text)
    if len(text) > MAX_DIGITS + text.startswith("-"):
        raise TooLong(text)
    if text.startswith("-"):
        return -_parse_digits(text[1:])
    return _parse_digits(text)


def _parse_digits(digits: str) -> int:
    if len(digits) <= _DIGITS:
        return int(digits)
    low = len(digits) // 2
    shift: int = 10**low
    return _parse_digits(digits[:-low]) * shift + _parse_digits(digits[-low:])


def format_int(value: int) -> str:
    """All digits of an integer. Raises InvalidRequest `number-range` where they are more than `MAX_DIGITS`."""
    if value.bit_length() < 3 * _DIGITS:
        return int.__repr__(value)
    sign, value = ("-", -value) if value < 0 else ("", value)
    if value.bit_length() <= _MAX_BITS:
        digits = _digits(value, (value.bit_length() * 30103) // 100000 + 1).lstrip("0")
        if len(digits) <= MAX_DIGITS:
            return sign + digits
    raise InvalidRequest("number-range", f"an integer of more than {MAX_DIGITS:,} digits cannot be kept")


def _digits(value: int, width: int) -> str:
    if width <= _DIGITS:
        return int.__repr__(value).zfill(width)
    low = width // 2
    high_part, low_part = divmod(value, 10**low)
    return _digits(high_part, width - low) + _digits(low_part, low)


def format_float(value: float) -> str:
    """A double as JavaScript prints it: `1`, `1.5`, `0.00001`, `1e-7`, `1e+21`; `-0` is `0`."""
    if not math.isfinite(value):
        raise InvalidRequest("number-range", "JSON has no infinite number and no NaN")
    text = float.__repr__(value)
    if "e" not in text:
        return (text[:-2] if value else "0") if text.endswith(".0") else text
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction.rstrip("0")
    point = len(whole) + int(exponent)
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"{point - 1:+d}"
    return f"{sign}{digits}e{power}" if len(digits) == 1 else f"{sign}{digits[0]}.{digits[1:]}e{power}"


def format_rounded(value: int) -> str:
    """An integer as a JavaScript program prints it: rounded to a double beyond 2^53.

    One beyond the range of doubles, which such a program could not read at all, keeps its digits.
    """
    if -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return int.__repr__(value)
    try:
        return format_float(float(value))
    except OverflowError:
        return format_int(value)


def is_rounded(literal: str) -> bool:
    """Whether a JavaScript program would write another integer than this literal, or could not read it at all."""
    if len(literal) > _DOUBLE_DIGITS + 1:
        return True
    value = int(literal)
    if -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return False
    try:
        return format_float(float(value)) != int.__repr__(value)
    except OverflowError:
        return True


def whole(value: object) -> int | None:
    """A whole number within the range of doubles, however it is spelled: to JSON `7`, `7.0` and `7e0` are one."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int and value.bit_length() <= _DOUBLE_BITS else None


def is_finite(literal: str) -> bool:
    """Whether an integer literal lies within the range of doubles."""
    if len(literal) > _DOUBLE_DIGITS + 1:
        return False
    try:
        float(int(literal))
    except OverflowError:
        return False
    return True
