"""The units that are folded, in one table: every one of them is kept, and only those with a view are told of."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from engine.ledger.authored import AUTHORED, AUTHORED_VIEW
from engine.ledger.blame import BLAME, BLAME_VIEW
from engine.ledger.last_good import LAST_GOOD, LAST_GOOD_VIEW
from engine.ledger.past import PAST_VIEW
from engine.ledger.sizes import SIZES_VIEW
from engine.ledger.timeline import TIMELINE, TIMELINE_VIEW
from engine.ledger.troubles import TROUBLES, TROUBLES_VIEW
from engine.ledger.units import Unit, ViewedUnit
from engine.ledger.wholes import WHOLES

AnyUnit: TypeAlias = Unit[Any]
AnyViewed: TypeAlias = ViewedUnit[Any, Any, Any]

UNITS: Final[tuple[AnyUnit, ...]] = (TIMELINE, BLAME, AUTHORED, TROUBLES, WHOLES, LAST_GOOD)
VIEWED: Final[tuple[AnyViewed, ...]] = (
    TIMELINE_VIEW,
    BLAME_VIEW,
    AUTHORED_VIEW,
    TROUBLES_VIEW,
    PAST_VIEW,
    LAST_GOOD_VIEW,
    SIZES_VIEW,
)
