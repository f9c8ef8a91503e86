"""Moments as a person reads them, in local time."""

from __future__ import annotations

from datetime import datetime, timedelta


def clock(at: float) -> str:
    """Give a moment (Unix seconds) as `12:04:31`."""
    return datetime.fromtimestamp(at).astimezone().strftime("%H:%M:%S")


def minute(at: float) -> str:
    """Give a moment (Unix seconds) as `12:04`."""
    return datetime.fromtimestamp(at).astimezone().strftime("%H:%M")


def date(at: float) -> str:
    """Give the day of a moment (Unix seconds) as `Nov 14 2026`."""
    return datetime.fromtimestamp(at).astimezone().strftime("%b %d %Y")


def day_of(at: float) -> tuple[float, float]:
    """Give the first moment of a day, and the first of the next one, in Unix seconds."""
    # Without a zone: a day on which clocks are changed is longer or shorter.
    begins = datetime.fromtimestamp(at).replace(hour=0, minute=0, second=0, microsecond=0)  # noqa: DTZ006
    return begins.timestamp(), (begins + timedelta(days=1)).timestamp()


def day(at: float, now: float) -> str:
    """Give a moment as `14:10` today, else as `Nov 14 14:10`."""
    moment, today = datetime.fromtimestamp(at).astimezone(), datetime.fromtimestamp(now).astimezone()
    if moment.date() == today.date():
        return moment.strftime("%H:%M")
    return moment.strftime("%b %d %H:%M") if moment.year == today.year else moment.strftime("%Y-%m-%d")
