"""`patch_state` up to the point of writing: read a request, stage it, tell its author, let a person approve it."""

from engine.memory.receipt import Effect, Receipt, approval, receipt
from engine.memory.request import parse_request
from engine.memory.staging import Staged, stage

__all__ = ["Effect", "Receipt", "Staged", "approval", "parse_request", "receipt", "stage"]
