"""The append-only log of what was seen of a store and done to it, kept outside of the store."""

from __future__ import annotations

from engine.ledger.events import (
    Baseline,
    Composed,
    Event,
    FaultGone,
    FaultSeen,
    Gap,
    MadeHere,
    Retained,
    ScopeGone,
    TransitionSeen,
    Whole,
)
from engine.ledger.ledger import Ledger, Sighting
from engine.ledger.noticing import retained

__all__ = [
    "Baseline",
    "Composed",
    "Event",
    "FaultGone",
    "FaultSeen",
    "Gap",
    "Ledger",
    "MadeHere",
    "Retained",
    "ScopeGone",
    "Sighting",
    "TransitionSeen",
    "Whole",
    "retained",
]
